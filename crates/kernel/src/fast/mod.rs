//! Fast paths: what most ticks are, without what the slow path pays for (RAM-3).
//!
//! `route` says which way a tick goes, `idle_mask` is its look at the header, `jumps` carry out what
//! it found, `settled` what comes to agents that poll and to timers; agents that poll go on to [`poll`](crate::poll). Each fast path is a prefix of the slow path: it does the
//! same to the same bytes, and where it meets something that it does not know, the slow path goes
//! on from there. Each can be switched off; with all of them off every byte is the same
//! (`proof/differential`). `path` says for benchmarks which one it would be.

mod idle_mask;
mod jumps;
mod path;
mod route;
mod scored;
mod settled;

pub(crate) use idle_mask::IdleMask;
pub(crate) use jumps::{
    Jumped, Left, take_inbox, take_jump, take_mixed, take_plain, take_queued, trace_ignored,
};
pub use path::{Path, path_of};
pub(crate) use route::{FastPath, Route, Router, Start};
pub(crate) use settled::{Settled, take_due, take_settled, take_together};
