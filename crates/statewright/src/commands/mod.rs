//! Commands: what agents want done, by lane, in order of agents and emission (CMD-1 to CMD-4).
//!
//! - `record` one command, `writer` where agents write it, `pool` where the pages for that come
//!   from
//! - `lost` commands that were refused, `naming` names of typed ones for traces
//! - `walk` all commands as they were written, `lanes` what the merge rule leaves of a lane

mod field;
mod lanes;
mod lost;
mod naming;
mod pool;
mod record;
mod walk;
mod writer;

pub use field::Field;
pub use lanes::{LaneRule, Merge};
pub(crate) use lanes::{LaneRules, Net, Reading, Seen, add};
pub use lost::{LostCommand, MAX_LOST, WhyLost};
pub(crate) use pool::agents_per_page;
pub use pool::{PAGE_BYTES, Pool, PoolTooSmall};
pub use record::{Command, CommandRef, Lane, What};
pub(crate) use record::{Head, Sent};
pub(crate) use writer::CommandLimits;
pub use writer::{BUDGET, MAX_BUDGET, Writer};
