//! The ROM: a compiled machine as one block of bytes, read in place (SPEC section 3).
//!
//! [`layout`] says what the bytes mean, [`Rom::from_bytes`] proves that given bytes follow it and gives a view
//! that copies nothing. `no_std`, no allocation (except the owned form behind the feature `alloc`).
#![no_std]
#![forbid(unsafe_code)]

pub mod code;
pub mod layout;
