#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//!  Intake                                   Tick                    Commit   Emit
//!  ─────────────────────────────────────    ─────────────────────   ──────   ─────────────────
//!  intake::number   who came, who went      tick::tick, per kind    yours    emit::write
//!  adopt::adopt     machines and bytes,     post::finish                     emit::tell_states
//!                   reloads, per kind                                        markers::mark
//!  intake::route    whose turn, what for
//! ```
//!
//! - On entities: `agent` (components and their hooks). Beside them: `state` (what a rollback keeps),
//!   `roster` (what follows from entities and can be found again), `free` (indices that nobody has),
//!   `kind` (a blackboard with its functions and machines), `outputs` (what agents want done; `merge` puts it in order), `problems`.
//! - `everybody` makes systems that see agents on disabled entities, too.
//! - `sort` puts lists in the order of agents without asking for memory. `members` finds who is in the groups
//!   that are spoken to. `asset` loads machines, `broken` tries those again whose parts are saved.
//! - `view` turns system parameters into contexts of user functions, `workers` Bevy's threads into those
//!   of a tick.
//! - `trace` keeps what an agent did on its entity, `tape` what it needs to be run again.
//! - On request: `labels` draws what agents do over them, `reflected` says it in a component for inspectors.
//! - `snapshot` takes all brains out of a world, `restore` puts them back, `saved_boards` knows the bytes of
//!   blackboards, `compare` says what two of them do not have in common.

mod adopt;
mod agent;
mod asset;
mod board;
#[cfg(feature = "compile")]
mod broken;
mod compare;
mod diagnostics;
mod emit;
mod everybody;
mod free;
mod intake;
mod kind;
#[cfg(feature = "gizmos")]
mod labels;
mod look;
mod markers;
mod members;
mod merge;
mod outputs;
mod plugin;
mod post;
pub mod prelude;
mod problems;
#[cfg(feature = "reflect")]
mod reflected;
mod restore;
mod roster;
mod saved_boards;
mod send;
mod sets;
mod snapshot;
mod sort;
mod state;
mod tape;
mod tick;
mod trace;
mod view;
mod workers;

pub use adopt::MachineReloaded;
pub use agent::{
    Agent, AgentNumber, AgentVariant, Group, Groups, Ram, Ram64, Ram128, Ram256, StableId,
};
#[cfg(feature = "compile")]
pub use asset::MachineLoader;
pub use asset::{MachineAsset, MachineLoadError, RomLoader};
pub use board::SchemaBoard;
pub use compare::{BrainsDifference, BrainsField};
pub use diagnostics::AgentDiagnosticsPlugin;
pub use emit::{Change, CommandMessage, StateChanged, Telling};
pub use kind::AgentBoard;
#[cfg(feature = "gizmos")]
pub use labels::{AgentLabels, AgentLabelsPlugin, ShowAgentLabel};
pub use look::Brains;
pub use markers::StateMarker;
pub use outputs::{AgentCommand, AgentCommands};
pub use plugin::{AppAgents, Config, ReloadPolicy, StatewrightPlugin};
pub use problems::{Problem, Problems};
#[cfg(feature = "reflect")]
pub use reflected::{AgentView, AgentViewsPlugin};
pub use roster::Agents;
pub use send::{Inbox, Signal, Target, Tell};
pub use sets::StatewrightSystems;
pub use snapshot::{BrainsError, BrainsRestored, WorldBrains};
pub use state::AgentState;
pub use statewright;
pub use statewright_tape;
pub use tape::{AgentTape, Taped, Tapes};
pub use trace::AgentTrace;
pub use view::View;
pub use workers::BevyPool;
