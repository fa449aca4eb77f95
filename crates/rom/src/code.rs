//! Instructions of expressions (CODE-4): what they are, what they compute, and the proof that given
//! ones are sound.
//!
//! An expression is a short run of [`InstructionRecord`](crate::layout::InstructionRecord)s for a
//! stack of 32-bit words. [`op`] lists the instructions with their effect on the stack, [`arith`]
//! defines what the arithmetic ones compute, and [`verify()`] proves on load that a run cannot
//! leave its stack, its tables or itself, whatever bytes it came from. There are no loops: jumps
//! only go forward. The kernel executes; the compiler folds constants; both use [`apply()`], so there
//! is one definition of every result.
//!
//! A value takes [`ValueType::words`](crate::layout::ValueType::words) words, the first one
//! pushed first. A bool word is 0 or 1: whoever loads one from outside (blackboard, parameters,
//! payload) turns any other word into 1.

mod apply;
pub mod arith;
mod fault;
pub mod op;
mod term;
mod verify;

pub use apply::{WordStack, apply, compare_f32, compare_i32};
pub use fault::{CodeError, Fault, Operand};
pub use term::term_of;
pub use verify::{CodeLimits, MAX_JOINS, PAYLOAD_WORDS, verify};
pub(crate) use verify::{Scratch, verify_with};
