//! The syntax tree of an expression.
//!
//! Owns its nodes and what they are called. Names carry their span as bytes of the expression's
//! own text.

use std::ops::Range;

pub use statewright_text::written::{BinaryOp, LogicOp, StateQuery, UnaryOp};

use crate::span::Name;
use crate::value::Literal;

/// An expression and where it stands in its text. Two are equal if they say the same, wherever they
/// stand.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Bytes of the text, with the parentheses around it.
    pub range: Range<usize>,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A whole number without a sign, at most `i64::MAX`.
    Int(u64),
    /// A number with a fraction or an exponent, without a sign; finite as f32.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// Quoted text: a symbol.
    Text(String),
    /// A blackboard key, a parameter, `event` or a function without arguments.
    Name(String),
    /// `base.x`.
    Field {
        /// What has the field.
        base: Box<Expr>,
        /// The field.
        field: Name,
    },
    /// An operator before its operand.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Of what.
        operand: Box<Expr>,
    },
    /// An operator between two operands.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left of it.
        left: Box<Expr>,
        /// Right of it.
        right: Box<Expr>,
    },
    /// `a && b && c`: two operands or more.
    Logic {
        /// Which.
        op: LogicOp,
        /// In order; a later one is only asked if the ones before do not decide.
        operands: Vec<Expr>,
    },
    /// `name(a, b)`.
    Call {
        /// The function.
        function: Name,
        /// Its arguments.
        arguments: Vec<CallArgument>,
    },
    /// A question about a state: `in(combat/attack)`.
    State {
        /// Which.
        query: StateQuery,
        /// Name or path; the state that the expression belongs to if not given.
        state: Option<Name>,
    },
}

/// An argument of a call, maybe named.
#[derive(Clone, Debug)]
pub struct CallArgument {
    /// Its name, if given.
    pub name: Option<Name>,
    /// Its value.
    pub value: Expr,
}

impl Expr {
    /// The value of an expression that is a literal: a number with or without sign, a truth value,
    /// a text, or `vec2` or `vec3` of numbers.
    pub fn literal(&self) -> Option<Literal> {
        match &self.kind {
            ExprKind::Int(value) => i64::try_from(*value).ok().map(Literal::Int),
            ExprKind::Float(value) => Some(Literal::Float(*value)),
            ExprKind::Bool(value) => Some(Literal::Bool(*value)),
            ExprKind::Text(text) => Some(Literal::Text(text.clone())),
            ExprKind::Unary {
                op: UnaryOp::Neg,
                operand,
            } => match operand.kind {
                ExprKind::Int(value) => i64::try_from(value).ok().map(|value| Literal::Int(-value)),
                ExprKind::Float(value) => Some(Literal::Float(-value)),
                _ => None,
            },
            ExprKind::Call {
                function,
                arguments,
            } => vector(&function.value, arguments),
            _ => None,
        }
    }
}

fn vector(function: &str, arguments: &[CallArgument]) -> Option<Literal> {
    let size = match function {
        "vec2" => 2,
        "vec3" => 3,
        _ => return None,
    };
    let number = |argument: &CallArgument| match argument.value.literal()? {
        _ if argument.name.is_some() => None,
        Literal::Int(value) => Some(value as f64),
        Literal::Float(value) => Some(value),
        _ => None,
    };
    let parts = arguments.iter().map(number).collect::<Option<Vec<_>>>()?;
    (parts.len() == size).then_some(Literal::Vector(parts))
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (ExprKind::Field { base: a, field: x }, ExprKind::Field { base: b, field: y }) => {
                a == b && x.value == y.value
            }
            (
                ExprKind::Call {
                    function: f,
                    arguments: a,
                },
                ExprKind::Call {
                    function: g,
                    arguments: b,
                },
            ) => f.value == g.value && a == b,
            (ExprKind::State { query: p, state: a }, ExprKind::State { query: q, state: b }) => {
                p == q && text(a) == text(b)
            }
            (a, b) => a == b,
        }
    }
}

impl PartialEq for CallArgument {
    fn eq(&self, other: &Self) -> bool {
        text(&self.name) == text(&other.name) && self.value == other.value
    }
}

fn text(name: &Option<Name>) -> Option<&str> {
    name.as_ref().map(|name| name.value.as_str())
}
