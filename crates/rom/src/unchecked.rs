//! The one way around the proofs, for callers who made the bytes themselves (ROM-2).
#![allow(unsafe_code)] // An `unsafe fn` is the marker that ROM-2 asks for. There is no unsafe block here or elsewhere.

use crate::error::LoadError;
use crate::load::read_frame;
use crate::view::Rom;

impl<'a> Rom<'a> {
    /// Reads a ROM in place without checksum and proofs. Only header and directory are looked at.
    ///
    /// # Safety
    ///
    /// The bytes must be ones that [`Rom::from_bytes`] accepts. This crate stays free of undefined
    /// behavior with any bytes; but whoever relies on what loading proves (that loops end, that
    /// indices are in range) may not.
    pub unsafe fn from_bytes_unchecked(bytes: &'a [u8]) -> Result<Self, LoadError> {
        read_frame(bytes)
    }
}
