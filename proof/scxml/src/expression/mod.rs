//! Conditions and values: the part of ECMAScript that this crate understands, with types known
//! before anything runs.

mod evaluate;
mod parse;
mod words;

pub(crate) use evaluate::Surroundings;
pub(crate) use parse::{Names, parse, parse_calls};

use std::fmt;

/// A value of the datamodel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number; arithmetic wraps.
    Integer(i32),
    /// A truth value.
    Boolean(bool),
    /// A string.
    Text(String),
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Integer,
    Boolean,
    Text,
}

/// An expression whose types fit.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Constant(Value),
    Variable(usize),
    In(usize),
    /// A question to a function outside of the document. There is nobody to ask, and the answer is
    /// yes.
    Ask,
    Negate(Box<Expression>),
    Not(Box<Expression>),
    Pair(Operator, Box<Expression>, Box<Expression>),
}

/// What stands between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
}

impl Value {
    pub(crate) fn ty(&self) -> Type {
        match self {
            Value::Integer(_) => Type::Integer,
            Value::Boolean(_) => Type::Boolean,
            Value::Text(_) => Type::Text,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(number) => write!(f, "{number}"),
            Value::Boolean(truth) => write!(f, "{truth}"),
            Value::Text(text) => write!(f, "'{text}'"),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Integer => "an integer",
            Type::Boolean => "a boolean",
            Type::Text => "a string",
        })
    }
}
