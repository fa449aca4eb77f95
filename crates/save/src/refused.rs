//! Why a file is not read.

use std::fmt;

use statewright_bytes::HeadError;
use statewright_bytes::frames::End;

/// A file that is not read, where and why. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Byte from the beginning of the file.
    pub offset: usize,
    /// Why.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.reason)
    }
}

impl std::error::Error for Refused {}

pub(crate) fn refused(offset: usize, reason: impl Into<String>) -> Refused {
    Refused {
        offset,
        reason: reason.into(),
    }
}

/// Words for a head that is refused.
pub(crate) fn of_head(bytes: &[u8], error: HeadError) -> Refused {
    match error {
        HeadError::Magic(_) => refused(0, "this is not a save: it does not begin like one"),
        HeadError::Truncated { .. } => refused(bytes.len(), "cut off within its head"),
        HeadError::Version { found, expected } => refused(
            4,
            format!("the save is of version {found}, this program reads version {expected}"),
        ),
        HeadError::ByteOrder { .. } => {
            refused(6, "the head is damaged: no save has this byte order")
        }
        HeadError::Checksum { .. } => {
            refused(24, "the beginning is damaged: it has another checksum")
        }
    }
}

/// Words for a file that ends where it should not.
pub(crate) fn of_end(bytes: &[u8], end: End) -> Refused {
    match end {
        End::Closed => refused(bytes.len(), "it ends in the middle of a crowd"),
        End::Open => refused(bytes.len(), "cut off: its last part is missing"),
        End::CutOff { offset } => refused(offset, "cut off within a part"),
        End::Damaged { offset, damage } => refused(offset, format!("damaged: {damage}")),
    }
}
