//! Conditions and values: the part of ECMAScript that means the same here. Whole numbers, truth
//! values and texts, comparisons, sums, `&&`, `||`, `!` and `In('state')`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use statewright_author::expr::{
    BinaryOp, CallArgument, Expr, ExprKind, StateQuery, UnaryOp, parse,
};
use statewright_author::graph::ExprSource;
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::ValueType;

use super::functions::Callable;
use super::xml::Spelling;
use crate::report::shown;

/// How a function may be called.
pub(super) const BIND_IT: &str = "if it is a function of the game, say so: `statewright import --function NAME`, or in `<scxml>` \
    `xmlns:sw=\"urn:statewright\" sw:functions=\"NAME\"`";

/// What may stand in a call.
pub(super) const LITERALS: &str = "arguments are numbers, texts in quotes, `true` or `false`";

/// What is wrong with an expression, and which bytes of it.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The whole expression.
    source: Span,
    range: Range<usize>,
    pub(super) message: String,
    pub(super) help: &'static str,
}

impl Wrong {
    /// Where that is in a document.
    pub(super) fn span(&self, document: &str) -> Span {
        Spelling::new(document, self.source).span(self.range.clone())
    }
}

/// The data that expressions may read: its key and type.
pub(super) type Variables = HashMap<String, (String, Option<ValueType>)>;

/// What the names in expressions mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    /// The text of the document.
    pub(super) document: &'a str,
    pub(super) variables: &'a Variables,
    pub(super) functions: &'a Callable,
    /// Ids of histories.
    pub(super) histories: &'a HashSet<String>,
}

/// What an expression is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// A condition: numbers count as true if they are not 0.
    Condition,
    /// A value of this type.
    Value(ValueType),
    /// Any value.
    Any,
}

/// An expression that was read.
#[derive(Clone, Debug)]
pub(super) struct Script<'s> {
    source: &'s Spanned<String>,
    tree: Expr,
}

impl<'s> Script<'s> {
    /// Reads an expression.
    pub(super) fn read(source: &'s Spanned<String>) -> Result<Self, Wrong> {
        if let Some((range, message)) = other_meaning(&source.value) {
            return Err(Wrong {
                source: source.span,
                range,
                message,
                help: "write it in another way",
            });
        }
        match parse(&native(&source.value)) {
            Ok(tree) => Ok(Self { source, tree }),
            Err(error) => Err(Wrong {
                source: source.span,
                range: error.range,
                message: format!(
                    "this expression is not one that import reads: {}",
                    error.message
                ),
                help: "use whole numbers, texts, true, false, data, comparisons, + - * %, &&, ||, ! and In('state')",
            }),
        }
    }

    /// Its type, if that is known yet.
    pub(super) fn type_of(&self, variables: &Variables) -> Option<ValueType> {
        type_of(&self.tree, variables)
    }

    /// Types of variables that follow from what stands beside them.
    pub(super) fn learn(&self, variables: &mut Variables) -> bool {
        learn(&self.tree, variables)
    }

    /// As an expression of this engine.
    pub(super) fn translate(&self, want: Want, scope: &Scope<'_>) -> Result<ExprSource, Wrong> {
        let translator = Translator {
            source: self.source,
            scope,
        };
        let (mut tree, ty) = translator.value(&self.tree)?;
        match want {
            Want::Condition => tree = translator.truth(tree, ty)?,
            Want::Value(wanted) if wanted != ty => {
                let message = format!("this is {}, but {} is needed", words(ty), words(wanted));
                return Err(translator.wrong(
                    &self.tree,
                    message,
                    "a piece of data keeps the type that it has first",
                ));
            }
            _ => {}
        }
        Ok(Spanned::new(tree.to_string(), self.source.span))
    }

    /// Its text, if it is nothing but a text.
    pub(super) fn literal_text(&self) -> Option<&str> {
        if let ExprKind::Text(text) = &self.tree.kind {
            Some(text)
        } else {
            None
        }
    }

    /// Its value, if it is a literal.
    pub(super) fn literal(&self) -> Option<statewright_author::value::Literal> {
        self.tree.literal()
    }
}

/// What is read here, but means something else in ECMAScript: `--n` and `++n` change `n`, and `010`
/// may be 8.
pub(super) fn other_meaning(text: &str) -> Option<(Range<usize>, String)> {
    let (mut quote, mut before) = (None, ' ');
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '+' | '-') if before == c => {
                return Some((at - 1..at + 1, format!("`{c}{c}` would change something")));
            }
            (None, '0') if !(before.is_alphanumeric() || matches!(before, '_' | '$' | '.')) => {
                let digits = text[at..]
                    .find(|c: char| !c.is_ascii_digit())
                    .map_or(text.len(), |end| at + end);
                if digits > at + 1 {
                    return Some((
                        at..digits,
                        "a number that begins with 0 may mean another one".to_owned(),
                    ));
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

/// The same text with this engine's spelling, byte for byte as long.
fn native(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut quote) = (text, None);
    while let Some(c) = rest.chars().next() {
        let before = text[..text.len() - rest.len()].chars().next_back();
        let starts_word =
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
        let (taken, given) = match quote {
            None if rest.starts_with("===") => (3, "== "),
            None if rest.starts_with("!==") => (3, "!= "),
            None if starts_word
                && rest
                    .strip_prefix("In")
                    .is_some_and(|rest| rest.trim_start().starts_with('(')) =>
            {
                (2, "in")
            }
            _ => {
                match quote {
                    None if matches!(c, '\'' | '"') => quote = Some(c),
                    Some(open) if open == c => quote = None,
                    _ => {}
                }
                (c.len_utf8(), &rest[..c.len_utf8()])
            }
        };
        out.push_str(given);
        rest = &rest[taken..];
    }
    out
}

fn words(ty: ValueType) -> &'static str {
    match ty {
        ValueType::Bool => "a truth value",
        ValueType::Symbol => "a text",
        _ => "a number",
    }
}

fn type_of(tree: &Expr, variables: &Variables) -> Option<ValueType> {
    match &tree.kind {
        ExprKind::Int(_) => Some(ValueType::I32),
        ExprKind::Text(_) => Some(ValueType::Symbol),
        ExprKind::Bool(_) | ExprKind::State { .. } | ExprKind::Logic { .. } => {
            Some(ValueType::Bool)
        }
        ExprKind::Unary {
            op: UnaryOp::Not, ..
        } => Some(ValueType::Bool),
        ExprKind::Unary {
            op: UnaryOp::Neg, ..
        } => Some(ValueType::I32),
        ExprKind::Binary { op, .. } => Some(if op.compares() {
            ValueType::Bool
        } else {
            ValueType::I32
        }),
        ExprKind::Name(name) => variables.get(name)?.1,
        ExprKind::Call { .. } => Some(ValueType::Bool),
        _ => None,
    }
}

/// A variable without a type beside something with one has that type, too.
fn learn(tree: &Expr, variables: &mut Variables) -> bool {
    let set = |tree: &Expr, ty: Option<ValueType>, variables: &mut Variables| match (&tree.kind, ty)
    {
        (ExprKind::Name(name), Some(ty)) => match variables.get_mut(name) {
            Some((_, known @ None)) => {
                *known = Some(ty);
                true
            }
            _ => false,
        },
        _ => false,
    };
    match &tree.kind {
        ExprKind::Unary { operand, op } => {
            let own = matches!(op, UnaryOp::Neg) && set(operand, Some(ValueType::I32), variables);
            learn(operand, variables) || own
        }
        ExprKind::Binary { op, left, right } => {
            let equal = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            let number = Some(ValueType::I32);
            let (of_left, of_right) = match equal {
                true => (type_of(right, variables), type_of(left, variables)),
                false => (number, number),
            };
            let own = set(left, of_left, variables) | set(right, of_right, variables);
            learn(left, variables) | learn(right, variables) | own
        }
        ExprKind::Logic { operands, .. } => operands
            .iter()
            .fold(false, |any, operand| learn(operand, variables) | any),
        _ => false,
    }
}

struct Translator<'a> {
    source: &'a Spanned<String>,
    scope: &'a Scope<'a>,
}

impl Translator<'_> {
    fn wrong(&self, tree: &Expr, message: impl Into<String>, help: &'static str) -> Wrong {
        Wrong {
            source: self.source.span,
            range: tree.range.clone(),
            message: message.into(),
            help,
        }
    }

    /// The translation and its type.
    fn value(&self, tree: &Expr) -> Result<(Expr, ValueType), Wrong> {
        let made = |kind: ExprKind, ty: ValueType| {
            Ok((
                Expr {
                    kind,
                    range: tree.range.clone(),
                },
                ty,
            ))
        };
        match &tree.kind {
            ExprKind::Int(number) => match i32::try_from(*number) {
                Ok(_) => made(tree.kind.clone(), ValueType::I32),
                Err(_) => Err(self.wrong(
                    tree,
                    format!("the number {number} is too large"),
                    "numbers have 32 bits here",
                )),
            },
            ExprKind::Bool(_) => made(tree.kind.clone(), ValueType::Bool),
            ExprKind::Text(_) => made(tree.kind.clone(), ValueType::Symbol),
            ExprKind::Name(name) => match self.scope.variables.get(name) {
                Some((key, ty)) => made(ExprKind::Name(key.clone()), ty.unwrap_or(ValueType::I32)),
                None => Err(self.unknown(tree, name)),
            },
            // A history is never active itself.
            ExprKind::State {
                query: StateQuery::In,
                state: Some(state),
            } if self.is_quoted(state) && self.scope.histories.contains(state.value.as_str()) => {
                made(ExprKind::Bool(false), ValueType::Bool)
            }
            ExprKind::State {
                query: StateQuery::In,
                state: Some(state),
            } if self.is_quoted(state) => made(tree.kind.clone(), ValueType::Bool),
            ExprKind::State { .. } => {
                Err(self.wrong(tree, "In() takes one id in quotes", "write `In('state')`"))
            }
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => {
                let (operand, ty) = self.value(operand)?;
                let operand = Box::new(self.truth(operand, ty)?);
                made(
                    ExprKind::Unary {
                        op: UnaryOp::Not,
                        operand,
                    },
                    ValueType::Bool,
                )
            }
            ExprKind::Unary {
                op: UnaryOp::Neg,
                operand,
            } => {
                let operand = Box::new(self.number(operand)?);
                made(
                    ExprKind::Unary {
                        op: UnaryOp::Neg,
                        operand,
                    },
                    ValueType::I32,
                )
            }
            ExprKind::Logic { op, operands } => {
                let truths = operands.iter().map(|operand| {
                    let (operand, ty) = self.value(operand)?;
                    self.truth(operand, ty)
                });
                made(
                    ExprKind::Logic {
                        op: *op,
                        operands: truths.collect::<Result<_, _>>()?,
                    },
                    ValueType::Bool,
                )
            }
            ExprKind::Binary { op, left, right } => self.binary(tree, *op, left, right),
            ExprKind::Float(_) => Err(self.wrong(
                tree,
                "a number with a fraction cannot be imported",
                "numbers of imported charts are whole",
            )),
            ExprKind::Call {
                function,
                arguments,
            } => made(self.call(tree, function, arguments)?, ValueType::Bool),
            ExprKind::Field { .. } => Err(self.wrong(
                tree,
                "data has no parts here, and `_event` cannot be read",
                "use a transition for each event; keep what it carries in data of the game",
            )),
        }
    }

    /// A question to a function of the game.
    fn call(
        &self,
        tree: &Expr,
        function: &Name,
        arguments: &[CallArgument],
    ) -> Result<ExprKind, Wrong> {
        let Some(bound) = self.scope.functions.call(&function.value) else {
            return Err(self.wrong(
                tree,
                format!("import cannot call `{}`", shown(&function.value)),
                BIND_IT,
            ));
        };
        for argument in arguments {
            let is_plain =
                argument.name.is_none() && !matches!(argument.value.kind, ExprKind::Call { .. });
            if !is_plain || argument.value.literal().is_none() {
                let message = format!("an argument of `{}` is more than a value", function.value);
                return Err(self.wrong(&argument.value, message, LITERALS));
            }
        }
        let function = Name::new(bound.to_owned(), function.span);
        Ok(ExprKind::Call {
            function,
            arguments: arguments.to_vec(),
        })
    }

    fn binary(
        &self,
        tree: &Expr,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
    ) -> Result<(Expr, ValueType), Wrong> {
        let made = |left: Expr, right: Expr, ty: ValueType| {
            let kind = ExprKind::Binary {
                op,
                left: Box::new(left),
                right: Box::new(right),
            };
            Ok((
                Expr {
                    kind,
                    range: tree.range.clone(),
                },
                ty,
            ))
        };
        match op {
            BinaryOp::Eq | BinaryOp::Ne => {
                let ((left, a), (right, b)) = (self.value(left)?, self.value(right)?);
                if a != b {
                    let message = format!("{} is compared with {}", words(a), words(b));
                    return Err(self.wrong(
                        tree,
                        message,
                        "compare values of one type: what they would become is unclear",
                    ));
                }
                made(left, right, ValueType::Bool)
            }
            BinaryOp::Div => {
                let help = "a division can give a fraction or fail; numbers are whole here";
                Err(self.wrong(tree, "a division cannot be imported", help))
            }
            BinaryOp::Rem if !matches!(right.kind, ExprKind::Int(1..)) => Err(self.wrong(
                tree,
                "a remainder cannot be imported where the division could be by zero",
                "divide by a number that is not 0",
            )),
            op => {
                let ty = if op.compares() {
                    ValueType::Bool
                } else {
                    ValueType::I32
                };
                made(self.number(left)?, self.number(right)?, ty)
            }
        }
    }

    fn number(&self, tree: &Expr) -> Result<Expr, Wrong> {
        match self.value(tree)? {
            (number, ValueType::I32) => Ok(number),
            (_, ty) => Err(self.wrong(
                tree,
                format!("{} where a number is needed", words(ty)),
                "only numbers can be added or ordered",
            )),
        }
    }

    /// A condition, as ECMAScript takes a value for one.
    fn truth(&self, tree: Expr, ty: ValueType) -> Result<Expr, Wrong> {
        match ty {
            ValueType::Bool => Ok(tree),
            ValueType::I32 => {
                let range = tree.range.clone();
                let zero = Box::new(Expr {
                    kind: ExprKind::Int(0),
                    range: range.clone(),
                });
                Ok(Expr {
                    kind: ExprKind::Binary {
                        op: BinaryOp::Ne,
                        left: Box::new(tree),
                        right: zero,
                    },
                    range,
                })
            }
            _ => Err(self.wrong(
                &tree,
                "a text cannot be a condition",
                "compare it with something",
            )),
        }
    }

    fn is_quoted(&self, state: &Name) -> bool {
        let start = state.span.start as usize;
        let text = self.source.value.as_bytes();
        let quote = |at: usize| {
            text.get(at)
                .is_some_and(|byte| matches!(byte, b'\'' | b'"'))
        };
        quote(start) || start.checked_sub(1).is_some_and(quote)
    }

    fn unknown(&self, tree: &Expr, name: &str) -> Wrong {
        match name {
            "_event" | "_name" | "_sessionid" | "_ioprocessors" | "_x" => self.wrong(
                tree,
                format!("`{name}` cannot be read"),
                "an agent has no session; use a transition for each event",
            ),
            _ => self.wrong(
                tree,
                format!("there is no data `{name}`"),
                "declare it: `<data id=\"…\" expr=\"0\"/>`",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::functions::Functions;
    use super::*;
    use statewright_author::diagnostic::Diagnostics;

    fn translated(text: &str) -> Result<String, String> {
        let mut variables = Variables::new();
        variables.insert("x".into(), ("x".into(), Some(ValueType::I32)));
        variables.insert("event".into(), ("event_".into(), Some(ValueType::Bool)));
        variables.insert("name".into(), ("name".into(), Some(ValueType::Symbol)));
        let document = roxmltree::Document::parse("<scxml/>").expect("well-formed");
        let mut table = Functions::default();
        table.bind("ready=IsReady").expect("a name");
        let functions =
            Callable::read(document.root_element(), &table, &mut Diagnostics::default());
        let histories = HashSet::from(["h".to_owned()]);
        let scope = Scope {
            document: "",
            variables: &variables,
            functions: &functions,
            histories: &histories,
        };
        let source = Spanned::new(text.to_owned(), Span::bytes(0..text.len()));
        let script = Script::read(&source).map_err(|wrong| wrong.message)?;
        script
            .translate(Want::Condition, &scope)
            .map(|code| code.value)
            .map_err(|wrong| wrong.message)
    }

    #[test]
    fn what_means_the_same_is_translated() {
        for (text, expected) in [
            ("x === 3 && name !== '==='", "x == 3 && name != '==='"),
            ("In('a') || !In( \"b.c\" )", "in(a) || !in('b.c')"),
            ("x", "x != 0"),
            ("!x", "!(x != 0)"),
            ("(x + 1) * 2 >= -3 % 2", "(x + 1) * 2 >= -3 % 2"),
            ("event", "event_"),
            ("true", "true"),
            ("In('h') || x - -1 > 0", "false || x - -1 > 0"),
            ("x == 0 && name != '--010'", "x == 0 && name != '--010'"),
            (
                "x > 1 && !ready(-2, 'far', 1.5)",
                "x > 1 && !IsReady(-2, 'far', 1.5)",
            ),
        ] {
            assert_eq!(translated(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_could_fail_is_refused() {
        for text in [
            "",
            "x =",
            "y",
            "x / 2",
            "x % 0",
            "x % x",
            "1.5 < x",
            "x == 'a'",
            "name",
            "f(x)",
            "--x == 0",
            "x++",
            "x == 010",
            "In(h)",
            "ready",
            "ready(x)",
            "ready(vec2(1, 2))",
            "ready(a: 1)",
            "ready() + 1",
            "_event.data",
            "In(x)",
            "x < name",
            "name + 1",
            "x ? 1 : 2",
            "99999999999",
            "x = 1",
        ] {
            assert!(translated(text).is_err(), "{text}: {:?}", translated(text));
        }
    }
}
