//! Commands: what agents want done, by lane, in order of agents and emission (CMD-1 to CMD-4).

mod field;
mod record;
mod writer;

pub use field::Field;
pub use record::{Command, CommandRef, Lane, What};
pub(crate) use record::{Head, Sent};
pub use writer::Writer;
