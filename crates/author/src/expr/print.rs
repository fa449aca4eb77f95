//! Expression to text: the canonical form, with as few parentheses as possible.
//!
//! Reading the text again gives an equal tree. Texts are in single quotes, so the result fits into
//! a JSON string.

use std::fmt::{self, Display, Formatter, Write};

use super::lexer::{is_name_part, is_name_start};
use super::{BinaryOp, CallArgument, Expr, ExprKind, LogicOp};

/// How tightly an expression holds together; higher is tighter.
fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Logic {
            op: LogicOp::Or, ..
        } => 0,
        ExprKind::Logic {
            op: LogicOp::And, ..
        } => 1,
        ExprKind::Binary { op, .. } => binary_strength(*op),
        ExprKind::Unary { .. } => 5,
        _ => 6,
    }
}

fn binary_strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Add | BinaryOp::Sub => 3,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 4,
        _ => 2,
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Int(value) => write!(f, "{value}"),
            // Debug always shows a fraction or an exponent, so the number stays a float.
            ExprKind::Float(value) => write!(f, "{value:?}"),
            ExprKind::Bool(value) => write!(f, "{value}"),
            ExprKind::Text(text) => quoted(f, text),
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Field { base, field } => {
                operand(f, base, 6)?;
                write!(f, ".{}", field.value)
            }
            ExprKind::Unary { op, operand: inner } => {
                f.write_str(op.as_str())?;
                operand(f, inner, 5)
            }
            ExprKind::Binary { op, left, right } => binary(f, *op, left, right),
            ExprKind::Logic { op, operands } => logic(f, *op, operands),
            ExprKind::Call {
                function,
                arguments,
            } => call(f, &function.value, arguments),
            ExprKind::State { query, state } => {
                write!(f, "{}(", query.as_str())?;
                state
                    .as_ref()
                    .map_or(Ok(()), |state| state_name(f, &state.value))?;
                f.write_char(')')
            }
        }
    }
}

/// An operand that must be at least this tight, or stand in parentheses.
fn operand(f: &mut Formatter<'_>, expr: &Expr, least: u8) -> fmt::Result {
    if strength(expr) >= least {
        write!(f, "{expr}")
    } else {
        write!(f, "({expr})")
    }
}

fn binary(f: &mut Formatter<'_>, op: BinaryOp, left: &Expr, right: &Expr) -> fmt::Result {
    let own = binary_strength(op);
    // Arithmetic groups to the left; comparisons do not group at all.
    operand(f, left, own + u8::from(op.compares()))?;
    write!(f, " {} ", op.as_str())?;
    operand(f, right, own + 1)
}

fn logic(f: &mut Formatter<'_>, op: LogicOp, operands: &[Expr]) -> fmt::Result {
    let least = if op == LogicOp::Or { 1 } else { 2 };
    for (index, part) in operands.iter().enumerate() {
        if index > 0 {
            write!(f, " {} ", op.as_str())?;
        }
        operand(f, part, least)?;
    }
    Ok(())
}

fn call(f: &mut Formatter<'_>, function: &str, arguments: &[CallArgument]) -> fmt::Result {
    write!(f, "{function}(")?;
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        if let Some(name) = &argument.name {
            write!(f, "{}: ", name.value)?;
        }
        write!(f, "{}", argument.value)?;
    }
    f.write_char(')')
}

fn state_name(f: &mut Formatter<'_>, path: &str) -> fmt::Result {
    let plain = |name: &str| name.starts_with(is_name_start) && name.chars().all(is_name_part);
    if path.split('/').all(plain) {
        f.write_str(path)
    } else {
        quoted(f, path)
    }
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('\'')?;
    for c in text.chars() {
        if matches!(c, '\'' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(c)?;
    }
    f.write_char('\'')
}
