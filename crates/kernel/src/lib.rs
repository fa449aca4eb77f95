//! The kernel: one tick of one instance of a compiled machine, by the rules of `docs/semantics.md`
//! sections 4 to 9.
//!
//! `(instance', commands, trace) = tick(ROM, instance, host, inbox, tick)`. The kernel keeps
//! nothing between calls, allocates nothing, locks nothing, never recurses, and every loop is
//! bounded by the ROM's tables or by a cap. All three tiers go through one kernel (`ram` is a view of
//! any of them).
//!
//! # The promise
//!
//! - Any bytes are a legal instance, any ROM that loads may run: the kernel runs it or quarantines
//!   the instance with a [`Fault`]; it never panics and never loops without bound
//!   (`proof/differential/tests/any_bytes.rs`).
//! - A panic in a callback leaves the instance quarantined and everything else as it was
//!   (`proof/differential/tests/panics.rs`).
//! - What a tick does is what the reference interpreter does (`proof/differential`).
//!
//! # Code map, in the order of a tick
//!
//! - `tick` the phases, over a `context`: everything that one call works on
//! - `instance/` the bytes of an agent: header, events, random numbers, one view of all tiers (`ram`),
//!   and what makes any bytes a legal instance (`check`)
//! - `events/` what is next: the queue with its admission, and timers
//! - `select/` who wins in a state and a leaf: what a candidate is asked (`conditions`), why others
//!   were not (`reasons`), what a transition leaves (`scope`), which winners go together
//!   (`arbitrate`)
//! - `commit/` one microstep: what is entered (`entry_set`), `exits`, `history`, frames (`stack`), `complete`,
//!   start and fail-safe
//! - `code/` action lists, activities and expressions
//! - `poll/` what an agent does by itself in every tick, along the plans of its leaves
//! - `fast/` what most other ticks are: at rest, or one event that always leads the same way; `toggles`
//!   leave both out
//! - `fused/` the border to Rust that was generated for one machine, which does what `poll/` does
//! - `host/` the border to user code: what it implements, what its functions hold (`cx`), what a
//!   tracer is told
//! - `impossible` what becomes of an agent where a lookup fails that cannot
//! - `batch/` many agents in one call, with their inbox; `life` posts, pause, stop and reset;
//!   `inspect` what hosts and tools see between ticks
//!
//! # Example
//!
//! A host without functions, and a light that goes out after three ticks:
//!
//! ```
//! use statewright_compile::{Options, compile_text};
//! use statewright_kernel::*;
//! use statewright_rom::ids::{FunctionId, KeyId};
//!
//! struct NoFunctions;
//! impl Host for NoFunctions {
//!     fn guard(&self, _: FunctionId, _: GuardCx<'_, '_>) -> Verdict { Verdict::from(true) }
//!     fn score(&self, _: FunctionId, _: GuardCx<'_, '_>) -> f32 { 0.0 }
//!     fn value(&self, _: FunctionId, _: GuardCx<'_, '_>) -> [u32; 3] { [0; 3] }
//!     fn action(&mut self, _: FunctionId, _: ActionCx<'_, '_>) {}
//!     fn activity(&mut self, _: FunctionId, _: Mode, _: ActionCx<'_, '_>) -> Status { Status::Running }
//!     fn command(&mut self, _: &Command) -> bool { true }
//!     fn read_key(&self, _: KeyId) -> [u32; 3] { [0; 3] }
//!     fn write_key(&mut self, _: KeyId, _: [u32; 3]) {}
//! }
//!
//! let text = r#"{ "machine": "Light", "tier": "crowd", "initial": "on", "states": {
//!     "on": { "transitions": [{ "after": "3t", "to": "off" }] }, "off": { "final": true } } }"#;
//! let (output, _) = compile_text("light.sw.json", text, &Options::default());
//! let output = output.unwrap();
//! let rom = output.rom.as_rom();
//!
//! let mut agent = Instance64::new(&rom, 1, 7).unwrap();
//! let mut counters = Counters::default();
//! for now in 0..=3 {
//!     assert!(!agent.header().has(flag::TERMINATED));
//!     tick(&rom, &mut agent, &mut NoFunctions, &Input::new(7, now), &mut counters);
//! }
//! assert!(agent.header().has(flag::TERMINATED));
//! assert_eq!(counters.transitions, 1);
//! ```
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects
    )
)]

mod batch;
mod code;
mod commit;
mod context;
mod counters;
mod events;
mod fast;
mod fault;
#[doc(hidden)]
pub mod fused;
mod host;
mod impossible;
mod inspect;
mod instance;
mod life;
mod poll;
mod select;
mod tick;
#[doc(hidden)]
pub mod toggles;

pub use batch::inbox::{Inbox, InboxEvent, SortedInbox, Unsorted};
pub use batch::prefetch::prefetch;
pub use batch::{Batch, BatchError, Done, Visit, tick_batch, tick_batch_by_code};
pub use counters::{Counters, Loss};
pub use events::queue::Admission;
pub use events::time::is_due;
#[doc(hidden)]
pub use fast::{Path, path_of};
pub use fault::Fault;
pub use host::cx::{ActionCx, GuardCx};
pub use host::trace::{Reason, Trace};
pub use host::{
    BareCode, BareTurns, Call, CallingTurns, Cause, Command, CommandKind, Host, Hosts, Mode,
    Status, Verdict,
};
pub use inspect::{
    Sleep, Wait, active_leaves, activity_result, check, debounce_deadline, held_channels,
    is_active, latched_transition, queued_events, ready_tick, remembered, running_timers,
    scratch_words, sleep, sleep_though_polling, suspended_leaves, ticks_in_state,
};
pub use instance::event::{Class, Event, event_flag};
pub use instance::rng::{Ranged, Rng};
pub use instance::{
    AnyInstance, ByTier, Header, Instance, Instance64, Instance128, Instance256, RawParts, flag,
};
pub use life::{Posted, forget_events, pause, post, renew, reset, resume, stop};
#[doc(no_inline)]
pub use statewright_rom::layout::Tier;
pub use tick::{Input, Mismatch, Report, tick};
