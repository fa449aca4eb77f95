//! Everything a program usually needs.

pub use crate::commands::{Command, CommandRef, Lane, What};
pub use crate::{
    ActionCx, AgentId, Arguments, Behavior, Board, Class, Crowd, Entity, Functions, GuardCx,
    Machine, Mode, Program, Status, Symbol, Verdict,
};
#[cfg(feature = "macros")]
pub use crate::{borrowed, functions, machine};
#[cfg(feature = "macros")]
pub use statewright_macros::Command;
