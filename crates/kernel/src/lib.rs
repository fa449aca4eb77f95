//! The kernel: one tick of one instance of a compiled machine, by the rules of `docs/semantics.md`
//! sections 4 to 9.
//!
//! `(instance', commands, trace) = tick(ROM, instance, host, inbox, tick)`. The kernel keeps
//! nothing between calls, allocates nothing, locks nothing, never recurses, and every loop is
//! bounded by the ROM's tables or by a cap. All three tiers go through one core (`ram` is a view of
//! any of them).
//!
//! # The promise
//!
//! - Any bytes are a legal instance, any ROM that loads may run: the kernel runs it or quarantines
//!   the instance with a [`Fault`]; it never panics and never loops without bound
//!   (`proof/trial/tests/any_bytes.rs`).
//! - A panic in a callback leaves the instance quarantined and everything else as it was
//!   (`proof/trial/tests/panics.rs`).
//! - What a tick does is what the reference interpreter does (`proof/trial`).
//!
//! # Code map, in the order of a tick
//!
//! - `tick` the phases, `check` is the instance sound, `queue` admission and next event, `timers`
//!   what is due
//! - `select` who wins in a state and a leaf, `conditions` what a candidate is asked, `reasons` why
//!   others were not, `scope` what a transition leaves, `arbitrate` which winners go together
//! - `microstep` carrying them out, with `settle` what is entered, `exits`, `history`, `stack`,
//!   `complete`
//! - `fast` what most ticks are: at rest, or one event that always leads the same way; `switches`
//!   leave it out, `prefetch` fetches agents before their turn
//! - `activity` phase (3), `fail_safe` start and fail-safe, `actions` ops, `eval` expressions
//! - `host` and `actor` the border to user code, `look` and `inspect` what hosts and tools see
//!   between ticks, `life` posts, pause, stop and reset, `batch` and `inbox` many agents
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
//!     fn guard(&self, _: FunctionId, _: View<'_, '_>) -> Verdict { Verdict::from(true) }
//!     fn score(&self, _: FunctionId, _: View<'_, '_>) -> f32 { 0.0 }
//!     fn action(&mut self, _: FunctionId, _: Actor<'_, '_>) {}
//!     fn activity(&mut self, _: FunctionId, _: Mode, _: Actor<'_, '_>) -> Status { Status::Running }
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

mod actions;
mod activity;
mod actor;
mod arbitrate;
mod batch;
mod check;
mod complete;
mod conditions;
mod core_state;
mod counters;
mod eval;
mod event;
mod exits;
mod fail_safe;
mod fast;
mod fault;
mod history;
mod host;
mod inbox;
mod inspect;
mod instance;
mod life;
mod look;
mod microstep;
mod prefetch;
mod queue;
mod ram;
mod reasons;
mod rng;
mod scope;
mod select;
mod settle;
mod stack;
#[doc(hidden)]
pub mod switches;
mod tick;
mod time;
mod timers;
mod trace;
mod trace_timers;

pub use actor::{Actor, View};
pub use batch::{Batch, BatchError, Visit, tick_batch};
pub use counters::Counters;
pub use event::{Class, Event, event_flag};
pub use fault::Fault;
pub use host::{Call, Cause, Command, CommandKind, Host, Hosts, Mode, Status, Verdict};
pub use inbox::{Inbox, InboxEvent, SortedInbox, Unsorted};
pub use inspect::{
    Wait, debounce_deadline, queued_events, ready_tick, running_timers, suspended_leaves,
};
pub use instance::{Header, Instance, Instance64, Instance128, Instance256, flag};
pub use life::{Posted, pause, post, reset, resume, stop};
pub use look::{
    Sleep, active_leaves, held_channels, is_active, sleep, sleep_though_polling, ticks_in_state,
};
pub use prefetch::prefetch;
pub use queue::Admission;
pub use rng::Rng;
pub use tick::{Input, Mismatch, Report, tick};
pub use time::is_due;
pub use trace::{Reason, Trace};
