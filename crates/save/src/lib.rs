#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! - `chunk` what a file is made of, `write` puts one together, `read` takes it apart
//! - `refused` why a file is not read
//! - `file` files that are old or whole, never half
//!
//! What becomes of agents and blackboards is in `statewright` (`SavedCrowd`, `SavedWorld`).
#![forbid(unsafe_code)]

mod chunk;
mod file;
mod read;
mod refused;
mod write;

pub use chunk::{FORMAT, MOST_CHUNK};
pub use file::{MOST_BYTES, read_file, write_file};
pub use read::{LoadFailed, Save, SavedEntry};
pub use refused::Refused;
pub use write::{TooLarge, Writer};

/// The Rust code of the guide is compiled and run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/guide/saves.md")]
    mod saves {}
}
