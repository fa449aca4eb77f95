//! A reference interpreter of the author graph, written from `docs/semantics.md` alone: slow and
//! obvious.
//!
//! It shares no code with the compiler, the ROM or a kernel, so that a kernel can be compared with
//! it after every tick. The input is a [`Machine`](statewright_author::graph::Machine) that the
//! compiler accepts; what it would refuse may end in a panic here.
//!
//! # Files and the rules they carry
//!
//! | file | rules |
//! | --- | --- |
//! | `numbers`, `names`, `resolve`, `transitions`, `code`, `model` | NAME-1, NAME-2, CODE-8; order of timers (EVT-2) |
//! | `oracle`, `report`, `world`, `actor` | the interface; what callbacks see (CODE-1) |
//! | `tick` | TICK-1 to TICK-5, TICK-7 |
//! | `queue` | EVT-1 to EVT-6, EVT-10 |
//! | `timers` | EVT-7, EVT-9 |
//! | `durations` | LANG-2, LANG-3 |
//! | `observers` | EVT-8 |
//! | `select` | SEL-1 to SEL-5, SEL-7, EVT-5 (who decides) |
//! | `conditions` | SEL-6 |
//! | `microstep` | EXEC-1 |
//! | `domain` | EXEC-2, EXEC-5 |
//! | `entry` | EXEC-3, EXEC-7 |
//! | `exit` | exit of one state, exit order (EXEC-1), CODE-7 |
//! | `history` | EXEC-4 |
//! | `completion` | EXEC-6 |
//! | `stack` | EXEC-8 |
//! | `activity` | TICK-5, TICK-6 |
//! | `actions`, `expr` | CODE-3, CODE-4 |
//! | `pause` | SYS-9 |
//! | `partial` | TICK-1 (start), LOAD-3 (completing) |
//! | `identity` | ROM-6: what things are known by in every version |
//! | `reload` | LOAD-3 to LOAD-5 |
//! | `life` | SYS-10, fail-safe of TICK-4, EVT-10 (quarantine) |
//! | `configuration`, `snapshot`, `describe` | what is active; what can be compared; numbers in words |
#![forbid(unsafe_code)]

mod actions;
mod activity;
mod actor;
mod code;
mod completion;
mod conditions;
mod configuration;
mod describe;
mod domain;
mod durations;
mod entry;
mod exit;
mod expr;
mod history;
mod identity;
mod life;
mod lost;
mod microstep;
mod model;
mod names;
mod numbers;
mod observers;
mod oracle;
mod partial;
mod pause;
mod queue;
mod reload;
mod report;
mod resolve;
mod select;
mod snapshot;
mod stack;
mod tick;
mod timers;
mod transitions;
mod world;

pub use actor::Actor;
pub use describe::Counts;
pub use lost::Lost;
pub use oracle::Oracle;
pub use queue::{Event, Posted};
pub use reload::{Became, Reloaded};
pub use report::{Counters, Outcome, Quarantine, Selection, TickReport};
pub use snapshot::{Flags, Frame, Snapshot};
pub use statewright_author::value::{Class, Tier, ValueType};
pub use world::{Argument, Call, Cause, Command, Mode, Rng, Status, Verdict, World};
