#![doc = include_str!("../README.md")]
//!
//! # A file
//!
//! ```text
//! 0      4        6           8               16              24        32
//! | magic | version | byte order | structure hash | parameter hash | checksum | content ...
//! '----------------------- the head -------------------------------------'
//! ```
//!
//! [`Format`] is the kind of a file: its magic and the one version that is written and read. A file
//! that is written in one go ends with its checksum in the head ([`seal`], [`Format::open`]). One
//! that grows has [frames] behind a sealed beginning.
//!
//! # Code map
//!
//! `head` and `checksum` what every file begins with, [`frames`] what a growing file is made of,
//! `reader` and `writer` numbers, texts and lists. `file` (feature `std`) are files that are whole or not there.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects
    )
)]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod checksum;
#[cfg(feature = "std")]
pub mod file;
pub mod frames;
mod head;
mod reader;
#[cfg(feature = "alloc")]
mod writer;

pub use checksum::{checksum, seal};
pub use head::{BYTE_ORDER_MARK, ByteOrder, Format, Head, HeadError};
pub use reader::{ReadError, ReadProblem, Reader};
#[cfg(feature = "alloc")]
pub use writer::Writer;
