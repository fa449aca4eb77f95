//! Conditions and values as ECMAScript: the part that means the same there.

use std::collections::{HashMap, HashSet};

use statewright_author::diagnostic::Diagnostics;
use statewright_author::expr::{
    BinaryOp, CallArgument, Expr, ExprKind, StateQuery, UnaryOp, code_span, parse,
};
use statewright_author::graph::{ExprSource, Key, Machine};
use statewright_author::names::{is_built_in, is_hidden};
use statewright_author::span::{Name, Span};
use statewright_author::value::{Literal, ValueType};

use super::functions::Functions;
use super::names::ExportNames;
use super::problem::refused;

/// Words that ECMAScript, or the data model of SCXML, keeps for itself.
const RESERVED: &str = "arguments await break case catch class const continue debugger default delete do else enum eval export extends \
    finally for function if implements import in instanceof interface let new null package private protected public return static super \
    switch this throw try typeof undefined var void while with yield Infinity NaN In _event _name _sessionid _ioprocessors _x";

/// Data of the machine by its keys.
#[derive(Debug)]
pub(super) struct Data<'a> {
    ids: HashMap<&'a str, String>,
    parameters: HashSet<&'a str>,
}

impl<'a> Data<'a> {
    pub(super) fn read(machine: &'a Machine) -> Self {
        let keys: HashSet<&str> = machine
            .blackboard
            .iter()
            .map(|key| key.name.value.as_str())
            .collect();
        let id = |key: &'a Key| {
            let mut id = key.name.value.clone();
            while RESERVED.split_whitespace().any(|word| word == id)
                || (id != key.name.value && keys.contains(id.as_str()))
            {
                id.push('_');
            }
            (key.name.value.as_str(), id)
        };
        let parameters = machine
            .parameters
            .iter()
            .map(|parameter| parameter.name.value.as_str())
            .collect();
        Self {
            ids: machine.blackboard.iter().map(id).collect(),
            parameters,
        }
    }

    /// Whether a name is free: no id of data, and no word of the language.
    pub(super) fn is_free(&self, name: &str) -> bool {
        !RESERVED.split_whitespace().any(|word| word == name)
            && !self.ids.values().any(|id| id == name)
    }

    /// The id of a key.
    pub(super) fn id<'n>(&'n self, key: &'n str) -> &'n str {
        self.ids.get(key).map_or(key, String::as_str)
    }
}

/// The first value of a key, as an expression.
pub(super) fn first_value(key: &Key, out: &mut Diagnostics) -> String {
    let span = key
        .default
        .as_ref()
        .map_or(key.name.span, |value| value.span);
    match (key.ty.value, key.default.as_ref().map(|value| &value.value)) {
        (ValueType::I32, None) => "0".to_owned(),
        (ValueType::I32, Some(Literal::Int(number))) => {
            if i32::try_from(*number).is_err() || *number == i64::from(i32::MIN) {
                out.push(too_large(span));
            }
            number.to_string()
        }
        (ValueType::Bool, None) => "false".to_owned(),
        (ValueType::Bool, Some(Literal::Bool(value))) => value.to_string(),
        (ValueType::Symbol, None) => "''".to_owned(),
        (ValueType::Symbol, Some(Literal::Text(text))) => {
            check_text(text, span, out);
            format!("'{text}'")
        }
        (ty, _) => {
            let what = format!("the key `{}` of type {ty}", key.name.value);
            let why =
                "data that means the same on both sides is a whole number, a truth value or a text";
            out.push(refused(
                key.ty.span,
                what,
                why,
                "use `i32`, `bool` or `symbol`",
            ));
            String::new()
        }
    }
}

/// Translates expressions.
pub(super) struct Translator<'a> {
    pub(super) data: &'a Data<'a>,
    pub(super) names: &'a ExportNames<'a>,
    pub(super) functions: &'a Functions,
}

impl Translator<'_> {
    /// The text of a condition or value; what stands in the way is said.
    pub(super) fn code(&self, code: &ExprSource, out: &mut Diagnostics) -> String {
        match parse(&code.value) {
            Ok(tree) => self.expr(&tree, code, out),
            Err(error) => {
                out.push(refused(
                    code_span(code, error.range),
                    "an expression that cannot be read",
                    &error.message,
                    "",
                ));
                String::new()
            }
        }
    }

    /// The text of a tree whose ranges are bytes of `code`.
    pub(super) fn expr(&self, tree: &Expr, code: &ExprSource, out: &mut Diagnostics) -> String {
        self.translate(tree, code, out).to_string()
    }

    fn translate(&self, tree: &Expr, code: &ExprSource, out: &mut Diagnostics) -> Expr {
        let span = code_span(code, tree.range.clone());
        let boxed =
            |operand: &Expr, out: &mut Diagnostics| Box::new(self.translate(operand, code, out));
        let kind = match &tree.kind {
            ExprKind::Int(number) => {
                if i32::try_from(*number).is_err() {
                    out.push(too_large(span));
                }
                tree.kind.clone()
            }
            ExprKind::Bool(_) => tree.kind.clone(),
            ExprKind::Text(text) => {
                check_text(text, span, out);
                tree.kind.clone()
            }
            ExprKind::Name(name) => self.name(name, span, out),
            ExprKind::Unary { op, operand } => ExprKind::Unary {
                op: *op,
                operand: boxed(operand, out),
            },
            ExprKind::Binary { op, left, right } => {
                check_division(*op, right, span, out);
                ExprKind::Binary {
                    op: *op,
                    left: boxed(left, out),
                    right: boxed(right, out),
                }
            }
            ExprKind::Logic { op, operands } => {
                let operands = operands
                    .iter()
                    .map(|operand| self.translate(operand, code, out))
                    .collect();
                ExprKind::Logic { op: *op, operands }
            }
            ExprKind::State {
                query: StateQuery::In,
                state: Some(state),
            } => {
                let state = Name::new(state.value.clone(), span);
                let id = self.names.id(&state, out).unwrap_or_default().to_owned();
                check_text(&id, span, out);
                let value = Expr {
                    kind: ExprKind::Text(id),
                    range: tree.range.clone(),
                };
                let arguments = vec![CallArgument { name: None, value }];
                ExprKind::Call {
                    function: Name::new("In".to_owned(), Span::default()),
                    arguments,
                }
            }
            ExprKind::State { query, .. } => {
                let what = format!("`{}()`", query.as_str());
                out.push(refused(
                    span,
                    what,
                    "no expression there can ask for it",
                    "use a timer, or `in(STATE)`",
                ));
                tree.kind.clone()
            }
            ExprKind::Call {
                function,
                arguments,
            } => self.question(&function.value, arguments, span, out),
            ExprKind::Float(_) => {
                out.push(refused(
                    span,
                    "a number with a fraction",
                    "numbers that mean the same on both sides are whole",
                    "",
                ));
                tree.kind.clone()
            }
            ExprKind::Field { .. } => {
                out.push(refused(
                    span,
                    "a part of a value",
                    "data has no parts that both sides know",
                    "",
                ));
                tree.kind.clone()
            }
        };
        Expr {
            kind,
            range: tree.range.clone(),
        }
    }

    fn name(&self, name: &str, span: Span, out: &mut Diagnostics) -> ExprKind {
        if let Some(id) = self.data.ids.get(name) {
            return ExprKind::Name(id.clone());
        }
        if name == "event" {
            let why = "what an event carries is not the same on both sides";
            out.push(refused(
                span,
                "the payload of the event",
                why,
                "keep it in the blackboard",
            ));
        } else if self.data.parameters.contains(name) {
            let why = "a document has no parameters that variants set";
            out.push(refused(
                span,
                format!("the parameter `{name}`"),
                why,
                "write its value, or use a key",
            ));
        } else {
            return self.question(name, &[], span, out);
        }
        ExprKind::Name(name.to_owned())
    }

    /// A question to a function of the game, by the name that the document's table gives it.
    fn question(
        &self,
        function: &str,
        arguments: &[CallArgument],
        span: Span,
        out: &mut Diagnostics,
    ) -> ExprKind {
        if is_built_in(function) {
            let why = "no expression there knows it";
            out.push(refused(
                span,
                format!("the function `{function}`"),
                why,
                "use comparisons and conditions",
            ));
        }
        for argument in arguments {
            self.functions.check_argument(
                argument.name.as_ref(),
                argument.value.literal().as_ref(),
                span,
                out,
            );
        }
        let name = self.functions.name(function, self.data);
        ExprKind::Call {
            function: Name::new(name, Span::default()),
            arguments: arguments.to_vec(),
        }
    }
}

fn check_division(op: BinaryOp, right: &Expr, span: Span, out: &mut Diagnostics) {
    match (op, &right.kind) {
        (BinaryOp::Div, _) => {
            let why = "a division of whole numbers gives a fraction in ECMAScript";
            out.push(refused(
                span,
                "a division",
                why,
                "compare products instead: `a >= 2 * b`",
            ));
        }
        (BinaryOp::Rem, ExprKind::Int(1..)) => {}
        (BinaryOp::Rem, _) => {
            let why = "by 0 it is not a number in ECMAScript";
            out.push(refused(
                span,
                "the remainder of a division that could be by 0",
                why,
                "divide by a number",
            ));
        }
        _ => {}
    }
}

pub(super) fn check_text(text: &str, span: Span, out: &mut Diagnostics) {
    if text.contains(|c: char| is_hidden(c) || matches!(c, '\'' | '\\')) {
        let why =
            "apostrophes, backslashes and unseen characters are written differently on both sides";
        out.push(refused(span, "this text", why, "use a text without them"));
    }
}

fn too_large(span: Span) -> statewright_author::diagnostic::Diagnostic {
    refused(
        span,
        "a number of this size",
        "numbers have 32 bits, sign included",
        "",
    )
}

/// The opposite of a value, for `-=`.
pub(super) fn is_negated(tree: &Expr) -> Option<&Expr> {
    match &tree.kind {
        ExprKind::Unary {
            op: UnaryOp::Neg,
            operand,
        } => Some(operand),
        _ => None,
    }
}
