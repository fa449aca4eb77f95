//! Everything a program usually needs.

pub use crate::commands::{Command, CommandRef, Lane, What};
pub use crate::{
    Act, AgentId, Arguments, Behavior, Board, Class, Crowd, Entity, Functions, Machine, Mode,
    Program, See, Status, Symbol, Verdict, functions, machine,
};
pub use statewright_macros::Command;
