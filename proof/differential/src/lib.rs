//! The kernel against the reference interpreter: the same machine, the same script, the same user
//! code, compared after every tick.
//!
//! # Code map
//!
//! [`machine`] a graph compiled and ready for both · [`script`] what happens from outside ·
//! [`scripted_user_code`] what user code does, pseudo-random and the same for both · [`log`] what
//! either side did, in one form · [`kernel_side`], [`oracle_side`] the two hosts · [`plainly`] user code
//! that sees nothing but the blackboard · [`depth`] how much stack a tick uses · [`batch`] a tick among other agents · [`bytes`] an instance read from its bytes alone · [`compare`] runs both
//! and finds the first difference · [`report`] a failure for people · [`search`] many machines at
//! once · [`small`] all small machines · [`fixture`] cases written by people · [`parts`] parts against
//! the same states written out · [`edits`] and [`reworks`] what becomes of a machine between two versions · [`reload`] agents that
//! live on in another version (LOAD-9).
#![forbid(unsafe_code)]

pub use statewright_author::graph;

pub mod batch;
pub mod bytes;
pub mod compare;
pub mod depth;
pub mod edits;
pub mod fixture;
pub mod kernel_side;
pub mod log;
pub mod machine;
mod neighbors;
pub mod oracle_side;
pub mod parts;
pub mod plainly;
pub mod reload;
pub mod report;
pub mod reworks;
pub mod script;
pub mod scripted_user_code;
pub mod search;
pub mod small;
