//! Actions and expressions of the model as text.

use statewright_author::expr::{
    ActionText, CallArgument, Expr, ExprKind, StateQuery, UnaryOp, parse, parse_action, parse_call,
};
use statewright_author::graph::{Action, ActionKind, Argument, ArgumentValue, ExprSource};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::{FunctionKind, Literal, ValueType};

use super::Projector;

/// Code as text.
impl Projector<'_, '_> {
    pub(super) fn actions(&self, actions: &[Action], state: usize) -> Vec<String> {
        let live = actions.iter().filter(|action| !action.muted);
        live.map(|action| self.action(action, state))
            .filter(|text| !text.is_empty())
            .collect()
    }

    fn action(&self, action: &Action, state: usize) -> String {
        let payload = |code: &Option<ExprSource>| {
            code.as_ref().map_or(String::new(), |c| {
                format!("({})", self.expression(c, state))
            })
        };
        match &action.kind {
            ActionKind::Text(code) => {
                match parse_action(&code.value).expect("generated actions parse") {
                    ActionText::Call(call) => {
                        let given = self.given(&call.arguments, state);
                        self.call(FunctionKind::Action, &call.name.value, &given)
                            .to_string()
                    }
                    ActionText::Set { key, value } => {
                        format!("{} = {}", key.value, self.resolved(&value, state))
                    }
                    ActionText::Add { key, value } => {
                        added(&key.value, self.resolved(&value, state).to_string())
                    }
                }
            }
            ActionKind::Call {
                function,
                arguments,
            } => self
                .call(
                    FunctionKind::Action,
                    &function.value,
                    &self.given(arguments, state),
                )
                .to_string(),
            ActionKind::Set { key, value } => {
                format!("{} = {}", key.value, self.expression(value, state))
            }
            ActionKind::Add { key, value } => added(&key.value, self.expression(value, state)),
            ActionKind::Raise {
                event,
                payload: value,
            } => format!("raise {}{}", event.value, payload(value)),
            ActionKind::Send {
                event,
                payload: value,
                to,
            } => {
                let to = to.as_ref().map_or(String::new(), |to| {
                    format!(" to {}", self.expression(to, state))
                });
                format!("send {}{}{to}", event.value, payload(value))
            }
            ActionKind::Emit {
                command,
                lane,
                payload: value,
            } => {
                format!("emit {} {}{}", lane.value, command.value, payload(value))
            }
            ActionKind::StartTimer { timer, after } => {
                format!("start {} {}", timer.value, self.length_text(after, state))
            }
            ActionKind::StopTimer { timer } => format!("stop {}", timer.value),
            ActionKind::ClearHistory { state: name } => {
                let owner = self.tree.anchor(self.tree.find(state, &name.value));
                format!("clear_history {}", self.tree.states[owner].path)
            }
            ActionKind::If {
                condition,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (self.actions(then, state), self.actions(otherwise, state));
                if then.is_empty() && otherwise.is_empty() {
                    return String::new();
                }
                let mut text = format!(
                    "if {} {{ {} }}",
                    self.expression(condition, state),
                    then.join("; ")
                );
                if !otherwise.is_empty() {
                    text += &format!(" else {{ {} }}", otherwise.join("; "));
                }
                text
            }
        }
    }

    pub(super) fn expression(&self, code: &ExprSource, state: usize) -> String {
        let expr = parse(&code.value).unwrap_or_else(|error| panic!("{}: {error}", code.value));
        self.resolved(&expr, state).to_string()
    }

    pub(super) fn score(&self, code: &ExprSource, state: usize) -> String {
        let built_in = [
            "i32",
            "f32",
            "min",
            "max",
            "abs",
            "clamp",
            "lerp",
            "curve",
            "random",
            "select",
            "dot",
            "length_squared",
            "distance_squared",
        ];
        match parse_call(&code.value) {
            Ok(call)
                if !self.is_data(&call.name.value)
                    && self.gives(&call.name.value).is_none()
                    && !built_in.contains(&call.name.value.as_str()) =>
            {
                match call.name.value.as_str() {
                    "time_in_state" | "event" => self.expression(code, state),
                    name => {
                        let given = self.given(&call.arguments, state);
                        self.call(FunctionKind::Scorer, name, &given).to_string()
                    }
                }
            }
            _ => self.expression(code, state),
        }
    }

    pub(super) fn call_text(&self, code: &ExprSource, kind: FunctionKind, state: usize) -> String {
        let call = parse_call(&code.value).expect("generated calls parse");
        let given = self.given(&call.arguments, state);
        self.call(kind, &call.name.value, &given).to_string()
    }

    /// Arguments of an action, an activity or a scorer.
    fn given(&self, arguments: &[Argument], state: usize) -> Vec<Given> {
        let given = |argument: &Argument| Given {
            name: argument.name.as_ref().map(|name| name.value.clone()),
            value: match &argument.value {
                ArgumentValue::Literal(value) => literal(&value.value),
                ArgumentValue::Code(code) => {
                    let expr = parse(&code.value).expect("generated expressions parse");
                    self.resolved(&expr, state)
                }
            },
            computed: argument.value.literal().is_none(),
        };
        arguments.iter().map(given).collect()
    }

    /// Arguments in the order of the declaration and by its names, if there is one; those that are
    /// computed in the order in which they are written (LANG-4).
    fn call(&self, kind: FunctionKind, function: &str, arguments: &[Given]) -> Expr {
        self.functions
            .borrow_mut()
            .insert((kind, function.to_owned()));
        let declared = self
            .tree
            .machine
            .functions
            .iter()
            .find(|declared| declared.name.value == function);
        let mut ordered: Vec<(Option<String>, usize)> = match declared {
            None => arguments
                .iter()
                .enumerate()
                .map(|(at, a)| (a.name.clone(), at))
                .collect(),
            Some(declared) => {
                let by_name = arguments.iter().all(|argument| argument.name.is_some());
                let find = |(position, (name, _)): (usize, &(Name, Spanned<ValueType>))| {
                    let named = |a: &Given| a.name.as_ref() == Some(&name.value);
                    let at = if by_name {
                        arguments.iter().position(named)
                    } else {
                        Some(position)
                    };
                    (
                        Some(name.value.clone()),
                        at.expect("an argument for each parameter"),
                    )
                };
                declared.parameters.iter().enumerate().map(find).collect()
            }
        };
        let place = |at: usize| arguments[at].computed.then_some(at);
        if !ordered.iter().filter_map(|&(_, at)| place(at)).is_sorted() {
            ordered.sort_by_key(|&(_, at)| place(at).map_or(0, |at| at + 1));
        }
        let argument = |(name, at): (Option<String>, usize)| CallArgument {
            name: name.map(|name| Spanned::new(name, Span::default())),
            value: arguments[at].value.clone(),
        };
        let function = Spanned::new(function.to_owned(), Span::default());
        node(ExprKind::Call {
            function,
            arguments: ordered.into_iter().map(argument).collect(),
        })
    }

    fn is_data(&self, name: &str) -> bool {
        let machine = self.tree.machine;
        let mut states = self.tree.states.iter();
        let scratch = states.any(|state| {
            let mut own = state.authored.scratch.iter();
            own.any(|scratch| scratch.ty.is_some() && scratch.name.value == name)
        });
        scratch
            || machine.blackboard.iter().any(|key| key.name.value == name)
            || machine
                .parameters
                .iter()
                .any(|parameter| parameter.name.value == name)
    }

    /// What an expression asks under a name.
    fn asked(&self, name: &str) -> FunctionKind {
        match self.gives(name) {
            Some(_) => FunctionKind::Value,
            None => FunctionKind::Guard,
        }
    }

    /// Names replaced by what they mean: states by path, unknown names by calls of guards.
    fn resolved(&self, expr: &Expr, state: usize) -> Expr {
        let again = |inner: &Expr| self.resolved(inner, state);
        let boxed = |inner: &Expr| Box::new(again(inner));
        node(match &expr.kind {
            ExprKind::Name(name) if name != "event" && !self.is_data(name) => {
                return self.call(self.asked(name), name, &[]);
            }
            ExprKind::Field { base, field } => ExprKind::Field {
                base: boxed(base),
                field: field.clone(),
            },
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => match again(operand) {
                Expr {
                    kind:
                        ExprKind::Unary {
                            op: UnaryOp::Not,
                            operand,
                        },
                    ..
                } => return *operand,
                operand => ExprKind::Unary {
                    op: UnaryOp::Not,
                    operand: Box::new(operand),
                },
            },
            ExprKind::Unary { op, operand } => ExprKind::Unary {
                op: *op,
                operand: boxed(operand),
            },
            ExprKind::Binary { op, left, right } => ExprKind::Binary {
                op: *op,
                left: boxed(left),
                right: boxed(right),
            },
            ExprKind::Logic { op, operands } => ExprKind::Logic {
                op: *op,
                operands: operands.iter().map(again).collect(),
            },
            ExprKind::Call {
                function,
                arguments,
            } if is_built_in(&function.value) => {
                let argument = |a: &CallArgument| CallArgument {
                    name: None,
                    value: again(&a.value),
                };
                ExprKind::Call {
                    function: function.clone(),
                    arguments: arguments.iter().map(argument).collect(),
                }
            }
            ExprKind::Call {
                function,
                arguments,
            } => {
                let argument = |a: &CallArgument| Given {
                    name: a.name.as_ref().map(|name| name.value.clone()),
                    value: match a.value.literal() {
                        Some(value) => literal(&value),
                        None => again(&a.value),
                    },
                    computed: a.value.literal().is_none(),
                };
                let arguments: Vec<Given> = arguments.iter().map(argument).collect();
                return self.call(self.asked(&function.value), &function.value, &arguments);
            }
            ExprKind::State {
                query,
                state: named,
            } => {
                let asked = named.as_ref().map_or(state, |name| {
                    self.tree.anchor(self.tree.find(state, &name.value))
                });
                if *query != StateQuery::In {
                    self.clocks.borrow_mut().insert(asked);
                }
                let path = Spanned::new(self.tree.states[asked].path.clone(), Span::default());
                ExprKind::State {
                    query: *query,
                    state: Some(path),
                }
            }
            other => other.clone(),
        })
    }
}

/// An argument with names replaced by what they mean.
struct Given {
    name: Option<String>,
    value: Expr,
    computed: bool,
}

fn is_built_in(function: &str) -> bool {
    let functions = [
        "i32",
        "f32",
        "vec2",
        "vec3",
        "min",
        "max",
        "abs",
        "clamp",
        "lerp",
        "curve",
        "random",
        "select",
        "dot",
        "length_squared",
        "distance_squared",
    ];
    functions.contains(&function)
}

fn node(kind: ExprKind) -> Expr {
    Expr { kind, range: 0..0 }
}

pub(super) fn literal(value: &Literal) -> Expr {
    let signed = |negative: bool, size: ExprKind| match negative {
        true => node(ExprKind::Unary {
            op: UnaryOp::Neg,
            operand: Box::new(node(size)),
        }),
        false => node(size),
    };
    let float = |value: f64| signed(value < 0.0, ExprKind::Float(value.abs()));
    match value {
        Literal::Int(value) => signed(*value < 0, ExprKind::Int(value.unsigned_abs())),
        Literal::Float(value) => float(*value),
        Literal::Bool(value) => node(ExprKind::Bool(*value)),
        Literal::Text(text) => node(ExprKind::Text(text.clone())),
        Literal::Vector(parts) => {
            let function = if parts.len() == 2 { "vec2" } else { "vec3" };
            let arguments = parts
                .iter()
                .map(|&part| CallArgument {
                    name: None,
                    value: float(part),
                })
                .collect();
            node(ExprKind::Call {
                function: Spanned::new(function.to_owned(), Span::default()),
                arguments,
            })
        }
    }
}

/// What is added to a key; what is added with a minus is taken away.
fn added(key: &str, value: String) -> String {
    // The smallest i32 has no opposite.
    const NO_OPPOSITE: u64 = 1 << 31;
    match parse(&value).map(|expr| expr.kind) {
        Ok(ExprKind::Unary {
            op: UnaryOp::Neg,
            operand,
        }) if operand.kind != ExprKind::Int(NO_OPPOSITE) => format!("{key} -= {operand}"),
        _ => format!("{key} += {value}"),
    }
}
