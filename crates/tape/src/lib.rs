#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//!  crowd ── inputs, ticks ──▶ Recorder ── blocks ──▶ queue ──▶ thread ──▶ .swtape
//!  .swtape ──▶ Tape ──▶ Player ── checkpoints, records ──▶ Replay ──▶ crowd, compared tick by tick
//! ```
//!
//! Comes in: a crowd whose blackboards can be saved. Goes out: bytes that hold the machine, a
//! checkpoint, everything that entered from outside since then, and what came of it as digests
//! ([TAPE-1](statewright_rom::rules#TAPE-1) to [TAPE-6](statewright_rom::rules#TAPE-6)). User code is
//! not in it, and replay needs the same functions, unless the tape is sealed.
//!
//! - `record` what a tape says, one record after the other; `shadow` bytes of agents that changed, `hashes` of them
//! - `file` the container: `beginning`, `block` (compressed), `write`, `read`, `copy` a part of it
//! - `recording` is what hosts begin and end, `recorder` hears a crowd, `slices` looks at agents of a host that owns its memory, `gatherer` makes blocks of what they write, `chosen` says whom if not everybody, `outputs` keeps commands; `world` hears those of a world, `queue` the thread that writes, `sends` what it writes of events, `flight` the last seconds in memory
//! - `replay` runs a tape again by `programs` for the versions of its machine, `timeline` goes back and forth in it, `difference` what differs, by name; `compare` two tapes, `desync` two peers
//! - `sealed` runs a tape without its game, `fork` lets it run on otherwise, `diverge` what came of that, `shrink` the smallest that
//!   still shows something, `fixture` an agent of it as a test
#![forbid(unsafe_code)]

mod boards;
mod chosen;
mod compare;
mod desync;
mod difference;
mod diverge;
mod file;
mod fixture;
mod flight;
mod fork;
mod gatherer;
mod hashes;
mod outputs;
mod programs;
mod queue;
mod record;
mod recorder;
mod recording;
mod replay;
mod sealed;
mod sends;
mod shadow;
mod shrink;
mod slices;
mod timeline;
mod world;

/// The Rust code of the guide is compiled and run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/guide/lockstep.md")]
    mod lockstep {}
    #[doc = include_str!("../../../docs/guide/recording.md")]
    mod recording {}
}

pub use compare::{Parting, compare};
pub use desync::{Cause, Desync, Peer, localize};
pub use difference::{Difference, FieldDifference, WhatDiffers};
pub use diverge::{AgentDivergence, Divergence, Moved, diverge};
pub use file::{
    Checkpoint, CheckpointReason, Damaged, EndReason, Ending, FORMAT, Index, Item, Keys,
    MOST_CHECKPOINT, Origin, Player, Refused, Seal, Tape, TapeReload, WORLD_FORMAT, WorldTape,
    WriteError, cut, rewrite,
};
pub use fixture::{FixtureError, fixture};
pub use flight::{FlightOptions, FlightRecorder, Incident, Trouble};
pub use fork::{Fork, ForkError, Forked, guessed};
pub use outputs::Output;
pub use programs::Programs;
pub use record::{
    AgentHash, AgentInput, Changed, Record, RecordedSettings, TapeAgent, TapeInput, TickProof,
};
pub use recording::{Proof, RecordError, Recording, RecordingOptions, Summary, WhenSlow};
pub use replay::{Replay, ReplayError, Verified};
pub use sealed::{Answers, Misfit, SealedProgram, SealedTick};
pub use shrink::{Condition, Shrunk, shrink};
pub use slices::{SlicesFlight, SlicesRecorder, SlicesRecording};
pub use timeline::Timeline;
pub use world::{WorldRecorder, WorldRecording};
