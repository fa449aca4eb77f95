#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! What agents did, and why ([SYS-3](statewright_rom::rules#SYS-3),
//! [SEL-7](statewright_rom::rules#SEL-7)).
//!
//! The kernel tells a [`Tracer`] what happens; the tracer leaves out what the [`Filter`] does not
//! ask for and puts the rest into a [`Ring`] as plain [`Record`]s of 16 bytes. Nothing of that
//! allocates. A [`file::Writer`] puts records into a `.swtrace` file, which has the names of
//! everything (the [`Legend`]) and survives a crash; [`file::Reading`] reads it back.
#![forbid(unsafe_code)]

pub mod file;
mod filter;
mod legend;
mod reasons;
mod record;
mod ring;
mod totals;
mod tracer;
mod words;

pub use filter::{Filter, Level, Settings, UnknownNumber};
pub use legend::{Guard, Legend, State, Transition, Trigger};
pub use reasons::Reasons;
pub use record::{
    Cause, CommandSaid, Kind, LEADS, NO_FUNCTION, NO_ROOM, NO_TRANSITION, ReasonNumber, Record,
    reason_number,
};
pub use ring::Ring;
pub use totals::Totals;
pub use tracer::Tracer;
pub use words::{reason_name, reason_words};

pub use statewright_kernel::{Loss, Reason};
pub use statewright_symbols::{GuardCode, SymbolKind, SymbolTable};
