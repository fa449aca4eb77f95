//! A ROM that owns its bytes (feature `alloc`).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use crate::error::LoadError;
use crate::load::read_frame;
use crate::view::Rom;

/// A ROM that owns its bytes. They were proven once, when it was made, and cannot change.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnedRom {
    bytes: Box<[u8]>,
}

impl OwnedRom {
    /// Takes bytes after the same proofs as [`Rom::from_bytes`].
    pub fn from_vec(bytes: Vec<u8>) -> Result<Self, LoadError> {
        Rom::from_bytes(&bytes)?;
        Ok(Self {
            bytes: bytes.into_boxed_slice(),
        })
    }

    /// The view. Reads header and directory again; keep the view around instead of asking often.
    #[expect(
        clippy::expect_used,
        reason = "the same bytes passed the same function in `from_vec`"
    )]
    pub fn as_rom(&self) -> Rom<'_> {
        read_frame(&self.bytes).expect("bytes do not change after the check")
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, given back.
    pub fn into_bytes(self) -> Box<[u8]> {
        self.bytes
    }
}

impl fmt::Debug for OwnedRom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_rom().fmt(f)
    }
}
