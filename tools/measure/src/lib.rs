//! What all benchmarks measure with: a clock, exact counts of instructions, random numbers, tables.
//!
//! - `clock` the time of this thread
//! - `callgrind` the program once more under callgrind, `sections` what of such a run is counted
//! - `random` numbers from a seed, the same everywhere
//! - `text` numbers and columns for people
#![forbid(unsafe_code)]

pub mod callgrind;
pub mod clock;
pub mod random;
pub mod sections;
pub mod text;

/// A count with its name in the file of limits.
pub type Gated = (String, f64);
