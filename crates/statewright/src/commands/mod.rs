//! Commands: what agents want done, by lane, in order of agents and emission (CMD-1 to CMD-4).
//!
//! A type of yours becomes a [`Command`] by `#[derive(Command)]` and goes into its [`Lane`]; the
//! host reads each as a [`CommandRef`]. [`Merge`] is what becomes of several in one lane,
//! [`LaneRule`] what a program says of a lane, [`Pool`] where the memory comes from.

// `record` is one command, `writer` where agents write it, `pool` where the pages for that come
// from, `lost` commands that were refused, `naming` names of typed ones for traces; `walk` is all
// commands as they were written, `lanes` what the merge rule leaves of a lane.

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
pub(crate) use walk::Walk;
pub(crate) use writer::CommandLimits;
pub use writer::{BUDGET, MAX_BUDGET, Writer};
