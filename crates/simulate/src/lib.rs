#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Crowds without a game: a machine, so many agents, events from a seed or a script, and what came
//! of it.
//!
//! Comes in: a [`Machine`](statewright::Machine) and a [`Plan`]. Functions that the machine names
//! are not there, so [`StandIns`] answer for them; blackboards are [`InlineBoard`]s as the machine
//! declares them. Goes out: an [`Outcome`], and by [`report`] what programs and browsers show of it.
//!
//! [`run`] drives a whole plan. Who wants to look at the crowd between ticks owns a [`Simulation`]
//! and ticks it. Files, terminals and clocks are the caller's: records of a trace and progress go to
//! a [`Monitor`], the time comes from [`Plan::clock`] and [`Plan::processor_clock`], a flag ends a run
//! early.
//!
//! - `simulation` the plan, the loop and its end
//! - `board` blackboards, `stand_ins` functions that nobody provides
//! - `source` which events happen when, `script` those that a person wrote, `rng` those of a seed,
//!   `weights` how likely each is
//! - `tape` recordings of runs, and the same run once more
//! - `cost` what ticks cost, and how many agents one core could carry
//! - `tally` counts while it runs, `outcome` what they came to, `groups` what shares
//!   add up in, [`report`] JSON, plot and page
#![forbid(unsafe_code)]

mod board;
mod cost;
mod groups;
mod outcome;
pub mod report;
mod rng;
mod script;
mod simulation;
mod source;
mod stand_ins;
mod tally;
mod tape;
mod weights;

pub use board::{BoardStorage, InlineBoard};
pub use cost::{Clock, PerCore};
pub use groups::Group;
pub use outcome::{FunctionCalls, Outcome, Series};
pub use script::{Recipients, Script, ScriptAction, ScriptError, ScriptLine, When};
pub use simulation::{
    Monitor, Plan, Progress, RunError, Simulation, SimulationError, Traced, Unwatched, Version, run,
};
pub use stand_ins::StandIns;
pub use statewright_step::Answer;
pub use statewright_tape::Proof;
pub use tally::Sample;
pub use tape::{Recorded, SealedAgents, TapeError, replay, seal};
pub use weights::{Weights, WeightsError};
