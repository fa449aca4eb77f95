//! Agents of one version of a machine become agents of another
//! ([LOAD-1](statewright_rom::rules#LOAD-1) to [LOAD-5](statewright_rom::rules#LOAD-5)).
//!
//! Comes in: two ROMs, and instances of the first. Goes out: a [`Plan`], made once without any agent, and
//! instances of the second with a [`Mapped`] each that says what became of them. Nothing is allocated
//! per agent. What holds agents (crowds, worlds, slices) lies above.
//!
//! ```text
//!  old ROM ─┐                        old instance ─┐
//!           ├─▶ Plan: what becomes   ─────────────▶├─▶ new instance, Mapped
//!  new ROM ─┘   of each number             now ────┘
//! ```
//!
//! # Code map
//!
//! - `plan` what becomes of every number, found by stable id; `stacks` which pushes the new machine knows
//! - `levels` what is active and what is suspended in an instance; `places` whether both have places of their own
//! - `map` one instance: leaves first, since everything else follows from what is alive
//! - `carry` timers, slots and queue of an instance that goes on; `time` their times
//! - `code` whether an expression is the same in both machines
//! - `quick` many instances: what does not depend on the agent, found once per leaf
//! - `outcome` what became of an agent, and what it lost
#![forbid(unsafe_code)]

mod carry;
mod code;
mod levels;
mod map;
mod outcome;
mod places;
mod plan;
mod quick;
mod stacks;
mod time;

pub use map::Mapper;
pub use outcome::{Anew, Completed, Fate, Lost, Mapped};
pub use plan::{Extent, Plan};
pub use quick::Quick;
