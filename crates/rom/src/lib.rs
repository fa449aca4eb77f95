#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! The ROM: a compiled machine as one block of bytes, read in place.
//!
//! [`layout`] says what the bytes mean, [`Rom::from_bytes`] proves that given bytes follow it and
//! gives a view that copies nothing. `no_std`, no allocation (except [`OwnedRom`] behind the
//! feature `alloc`).
//!
//! # The promise
//!
//! - No bytes make [`Rom::from_bytes`] panic, loop without bound, allocate or recurse; its time is
//!   linear in their length.
//! - No bytes that it accepts make an accessor panic or follow an index out of its table: trees are
//!   trees, every walk ends, every list is used as what it is.
//! - Damage is refused by the checksum. Damage with a fresh checksum is refused or harmless.
//!
//! `tests/damage.rs` holds these sentences: it flips every bit of hand-made ROMs, with the checksum
//! left alone and recomputed, and walks whatever still loads with [`exercise::walk_everything`].
//!
//! # Code map
//!
//! [`ids`] typed indices, [`layout`] and [`code`] the bytes, `load` the frame and the order of
//! checks, `validate` one file per group of tables, [`Rom`] the view, [`OwnedRom`] a view that owns
//! its bytes.
#![no_std]
#![deny(unsafe_code)]
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

#[cfg(feature = "alloc")]
extern crate alloc;

#[macro_use]
mod number;

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "counters of the verifier stay below MAX_STACK_WORDS and MAX_JOINS, its tables are indexed by constants or \
              const loops; arith defines what the arithmetic of expressions computes"
)]
pub mod code;
mod durations;
mod error;
#[doc(hidden)]
pub mod exercise;
pub mod ids;
pub mod layout;
mod load;
#[cfg(feature = "alloc")]
mod owned;
#[doc = include_str!("rules.md")]
pub mod rules {}
mod slots;
pub mod symbol;
mod unchecked;
mod validate;
mod view;
mod wakeful;

pub use error::{LoadError, Problem};
pub use layout::StableGroup;
pub use number::{Coded, Number, UnknownNumber};
#[cfg(feature = "alloc")]
pub use owned::OwnedRom;
pub use statewright_bytes::{HeadError, checksum, seal};
pub use symbol::symbol_number;
pub use view::{Candidates, Reaction, Rom, Target, priority};
pub use wakeful::Wakeful;
