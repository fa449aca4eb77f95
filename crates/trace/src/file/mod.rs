//! The `.swtrace` file: a head with the legend, then frames of records.
//!
//! Frames are written whole, so that after a crash everything that was flushed can be read.
//! `docs/trace-format.md` has every byte; head, checksums and frames are those of
//! [`statewright_bytes`].

mod legend;
mod read;
mod write;

pub use read::{Ending, Frame, Reading, Refused};
pub use write::{WriteError, Writer};

use statewright_bytes::{ByteOrder, Format};

/// First bytes and version of every file.
pub const FORMAT: Format = Format {
    magic: *b"SWTR",
    version: 4,
    byte_order: ByteOrder::Little,
    former: &[(b"SWTR\r\n\x1a\n", 1)],
};
/// Most records of one frame.
pub const MOST_RECORDS: usize = 1 << 16;
/// The kind of a frame that holds records.
const RECORDS: u32 = 1;
/// The kind of a frame that holds the name of a command type.
const NAME: u32 = 2;
/// Longest legend.
const MOST_LEGEND: usize = 1 << 26;
