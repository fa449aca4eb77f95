//! A ROM that owns its bytes (feature `alloc`).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use zerocopy::FromBytes;

use crate::error::LoadError;
use crate::layout::Header;
use crate::load::read_places;
use crate::view::{Places, Rom};

/// A ROM that owns its bytes. They were proven once, when it was made, and cannot change.
#[derive(Clone, PartialEq, Eq)]
pub struct OwnedRom {
    bytes: Box<[u8]>,
    /// What the directory says, read once: every tick of a crowd asks for the view.
    places: Places,
}

impl OwnedRom {
    /// Takes bytes after the same proofs as [`Rom::from_bytes`].
    pub fn from_vec(bytes: Vec<u8>) -> Result<Self, LoadError> {
        Rom::from_bytes(&bytes)?;
        Ok(Self {
            places: read_places(&bytes)?,
            bytes: bytes.into_boxed_slice(),
        })
    }

    /// The view. It has a slice for each table; keep it around instead of asking often.
    #[expect(
        clippy::expect_used,
        reason = "the same bytes had a header in `from_vec`"
    )]
    pub fn as_rom(&self) -> Rom<'_> {
        let header = Header::ref_from_prefix(&self.bytes);
        let (header, _) = header.expect("bytes do not change after the check");
        Rom::at(&self.bytes, header, &self.places)
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
