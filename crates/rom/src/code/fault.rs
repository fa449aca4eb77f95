//! Why an expression is refused: small, without allocation, with the place.

use core::fmt;

use super::verify::MAX_JOINS;
use crate::layout::{MAX_CODE, MAX_STACK_WORDS, ValueType};
use crate::number::Coded;

/// Why an expression was refused, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeError {
    /// Instruction, counted from the first of the expression; its length if the end itself is at
    /// fault.
    pub instruction: u16,
    /// What is wrong there.
    pub fault: Fault,
}

/// What may be wrong with an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The expression has no instructions, or more than [`MAX_CODE`].
    Length(u16),
    /// The expression reaches past the code section.
    OutsideCode,
    /// No such instruction.
    UnknownOp(u8),
    /// A field without a meaning is not zero.
    UnusedField,
    /// An index or a value is out of range.
    Operand {
        /// What it should be.
        what: Operand,
        /// The value found.
        found: u32,
    },
    /// A value of another type was needed.
    Type {
        /// Needed.
        expected: Coded<ValueType>,
        /// On the stack.
        found: Coded<ValueType>,
    },
    /// Nothing is left to take; or it belongs to the code around a jump.
    Underflow,
    /// More than [`MAX_STACK_WORDS`] words.
    Overflow,
    /// A jump goes backward, out of the expression, or past the target of a jump around it.
    Jump(u32),
    /// More than [`MAX_JOINS`] jumps under way.
    TooManyJoins,
    /// The stack at the target of a jump depends on the way taken.
    Join,
    /// So many values are left at the end instead of one.
    Leftover(u8),
    /// The stack in use differs from what the record says.
    StackWords {
        /// The record.
        declared: u8,
        /// In use.
        found: u8,
    },
}

/// What an operand of an instruction may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Index of a blackboard key.
    Key,
    /// Index of a parameter.
    Parameter,
    /// Component of a vector.
    Component,
    /// Number of a type.
    Type,
    /// Number of a type that a constant can have.
    ConstantType,
    /// Bits of a constant.
    Constant,
    /// Word of a payload.
    PayloadWord,
    /// Index of a state.
    State,
    /// Index of an op that calls a guard.
    GuardCall,
    /// Index of an op that calls a value function.
    ValueCall,
    /// Index of scratch that expressions read.
    Scratch,
    /// Number of points of a curve.
    Points,
}

impl Operand {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Parameter => "parameter",
            Self::Component => "component",
            Self::Type => "type",
            Self::ConstantType => "type of a constant",
            Self::Constant => "constant",
            Self::PayloadWord => "payload word",
            Self::State => "state",
            Self::GuardCall => "guard call",
            Self::ValueCall => "call of a value function",
            Self::Scratch => "scratch",
            Self::Points => "number of points",
        }
    }
}

// Returned for every instruction on load: a register must hold it.
const _: () = assert!(size_of::<Result<(), Fault>>() == 8);

impl fmt::Display for CodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instruction {}: {}", self.instruction, self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length(count) => {
                write!(f, "{count} instructions where 1 to {MAX_CODE} are allowed")
            }
            Self::OutsideCode => f.write_str("the expression reaches past the code"),
            Self::UnknownOp(op) => write!(f, "no instruction has number {op}"),
            Self::UnusedField => f.write_str("an unused field is not zero"),
            Self::Operand { what, found } => write!(f, "{found} is not a legal {}", what.as_str()),
            Self::Type { expected, found } => {
                write!(
                    f,
                    "{} expected, {} found",
                    type_name(expected),
                    type_name(found)
                )
            }
            Self::Underflow => f.write_str("nothing on the stack to take"),
            Self::Overflow => write!(f, "more than {MAX_STACK_WORDS} words on the stack"),
            Self::Jump(target) => write!(f, "a jump to {target}, which is not ahead and inside"),
            Self::TooManyJoins => write!(f, "more than {MAX_JOINS} jumps under way"),
            Self::Join => f.write_str("the stack depends on the way taken"),
            Self::Leftover(count) => write!(f, "{count} values at the end, 1 expected"),
            Self::StackWords { declared, found } => {
                write!(f, "{found} stack words in use, {declared} declared")
            }
        }
    }
}

impl core::error::Error for CodeError {}

fn type_name(ty: Coded<ValueType>) -> &'static str {
    ty.known().map_or("no type", ValueType::name)
}
