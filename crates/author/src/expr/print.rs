//! Expression to text, by the rules of [`statewright_text::written`]. Reading the text again gives
//! an equal tree.

use std::fmt::{self, Display, Formatter};

use statewright_text::written::Written;

use super::{CallArgument, Expr, ExprKind};

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        written(self).fmt(f)
    }
}

// Bound: the parser limits nesting.
fn written(expr: &Expr) -> Written {
    match &expr.kind {
        ExprKind::Int(value) => Written::int(*value),
        ExprKind::Float(value) => Written::float(*value),
        ExprKind::Bool(value) => Written::bool(*value),
        ExprKind::Text(text) => Written::quoted(text),
        ExprKind::Name(name) => Written::name(name),
        ExprKind::Field { base, field } => Written::field(written(base), &field.value),
        ExprKind::Unary { op, operand } => Written::unary(*op, written(operand)),
        ExprKind::Binary { op, left, right } => Written::binary(*op, written(left), written(right)),
        ExprKind::Logic { op, operands } => Written::logic(*op, operands.iter().map(written)),
        ExprKind::Call {
            function,
            arguments,
        } => Written::call(&function.value, arguments.iter().map(argument)),
        ExprKind::State { query, state } => {
            Written::state(*query, state.as_ref().map(|state| state.value.as_str()))
        }
    }
}

fn argument(argument: &CallArgument) -> (Option<String>, Written) {
    let name = argument.name.as_ref().map(|name| name.value.clone());
    (name, written(&argument.value))
}
