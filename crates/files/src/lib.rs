#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Files of Statewright: which machines a path stands for, what a file is, how it becomes a machine,
//! and how a result is written without ever being half there.
//!
//! Comes in: paths, or names and bytes of somebody who reads files himself (an editor, an asset
//! loader). Goes out: a [`Loaded`] machine with its names, or a typed error with words for people.
//! No terminal: what should be said is given back ([`FileError`], [`LoadFailure`], [`SidecarProblem`]),
//! and who stands behind `-` is the caller's to say.
//!
//! - `find` paths to files, `input` a file to its bytes, `content` bytes to what they are
//! - `load` a machine file with its `parts`, or a ROM, to a machine, `sidecar` the names beside a ROM
//! - `write` files that are whole or not there, `error` what may be wrong with any of it
#![forbid(unsafe_code)]

mod content;
mod error;
mod find;
mod input;
mod load;
mod parts;
mod sidecar;
mod write;

pub use content::{
    Content, MACHINE_SUFFIX, ROM_EXTENSION, SCXML_EXTENSION, SIDECAR_EXTENSION, with_extension,
};
pub use error::FileError;
pub use find::{Wanted, collect};
pub use input::{Input, open_file, read_limited};
pub use load::{Compiled, LoadFailure, Loaded, compile, load, load_content};
pub use parts::Disk;
pub use sidecar::{Sidecar, SidecarProblem, SidecarReason};
pub use write::{
    Prepared, create, is_same_file, make_folder_of, refuse_existing, refuse_own_source, write,
};
