//! Games that show what `bevy_statewright` does together with other people's crates: rolled back by
//! `bevy_ggrs`, and replicated by `bevy_replicon`; and one that a window shows. Their tests are those of this workspace.
//!
//! - `battle` what is fought: two machines, their blackboards and functions
//! - `rollback` the battle for two players, in the schedule of `bevy_ggrs`
//! - `replication` the battle on a server, and what a client sees of it
//! - `skirmish` squads and civilians whom a player watches, stuns and rewinds; `engines/bevy/skirmish` draws it

#![allow(missing_docs, reason = "games are for reading, not for building on")]

pub mod battle;
pub mod replication;
pub mod rollback;
pub mod skirmish;
