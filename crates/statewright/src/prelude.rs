//! Everything a program usually needs.

pub use crate::commands::{Command, CommandRef, Lane, What};
pub use crate::{
    Act, AgentId, Arguments, Behavior, Board, Class, Crowd, Entity, Functions, Machine, Mode,
    Program, See, Status, Symbol, Verdict,
};
#[cfg(feature = "macros")]
pub use crate::{functions, machine};
#[cfg(feature = "macros")]
pub use statewright_macros::Command;
