//! One tick over borrowed slices (SYS-1): what a [`Crowd`](crate::Crowd) and a host that owns its
//! memory ([`Slices`](crate::Slices)) share.
//!
//! ```text
//!  AgentSlices ──split──▶ ChunkJob, ChunkJob, … ──Workers──▶ Chunk, Chunk, … = TickOutput
//!  instances, boards,     a run of agents that               what each left: commands, faults,
//!  inbox, awake, stops    one thread ticks                   events, who is awake, a trace
//! ```
//!
//! - `split` cuts slices into jobs, `stretch` a job into runs of agents that are looked at in the same way, `workers` who runs them, `job` the turn of one agent after the
//!   other (`alone` that of one agent which is ticked by itself), with `hosts`, `traced_hosts` and `timed_hosts` as the border to user code
//! - `changes` whose bytes a job changed
//! - `env` what all jobs of a tick share, `settings` what the host chose
//! - `chunk` what one job leaves, `awake` who may not sleep afterwards, `output` all of it as the host reads it, `pages` where the memory
//!   of commands comes from, `trace` the records between ticks, `timing` how long user functions took, `panicked` why user
//!   code ended an agent
//!
//! Chunks are read in their order, so that nothing depends on who ran them.

mod alone;
mod awake;
mod changes;
mod chunk;
mod env;
mod hosts;
mod job;
mod output;
mod pages;
mod panicked;
mod settings;
mod split;
mod stretch;
mod timed_hosts;
mod timing;
mod trace;
mod traced_hosts;
mod workers;

pub(crate) use alone::Alone;
pub(crate) use chunk::Chunk;
pub(crate) use env::{AgentIds, TickEnv};
pub(crate) use job::FusedBatch;
pub use output::LaneCommands;
pub(crate) use output::{TickOutput, message_of};
pub(crate) use pages::{PageSupply, pages_needed};
pub use panicked::Panicked;
pub(crate) use panicked::{CallPlace, Panics};
pub(crate) use settings::check_budget;
pub use settings::{TickSettings, WrongBudget, WrongSettings};
pub(crate) use split::AgentSlices;
pub use split::Segment;
pub(crate) use timing::Measured;
pub use timing::{FunctionTime, SlowCall, Timing};
pub(crate) use trace::Tracing;
#[cfg(feature = "parallel")]
pub use workers::RayonPool;
pub use workers::Workers;
pub(crate) use workers::{ErasedWorkers, Here, Lent, Runner, Spread};
