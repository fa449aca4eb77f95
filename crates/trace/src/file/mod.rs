//! The `.swtrace` file: a head with the legend, then frames of records.
//!
//! Frames are written whole, so that after a crash everything that was flushed can be read. A reload of
//! the machine is a frame of its own with the names of the new one (LOAD-7).
//! `docs/trace-format.md` has every byte; head, checksums and frames are those of
//! [`statewright_bytes`].

mod legend;
mod read;
mod write;

pub use read::{Ending, Frame, Reading, Refused, Reload};
pub use write::{WriteError, Writer};

use statewright_bytes::{ByteOrder, Format};

/// First bytes and version of every file.
pub const FORMAT: Format = Format {
    magic: *b"SWTR",
    version: 5,
    byte_order: ByteOrder::Little,
    former: &[(b"SWTR\r\n\x1a\n", 1)],
};
/// What traces were before they told of reloads: they are read as well.
const FORMAT_4: Format = Format {
    version: 4,
    ..FORMAT
};
/// Most records of one frame.
pub const MOST_RECORDS: usize = 1 << 16;
/// The kind of a frame that holds records.
const RECORDS: u32 = 1;
/// The kind of a frame that holds the name of a command type.
const NAME: u32 = 2;
/// The kind of a frame that says that another version of the machine runs from here on.
const RELOAD: u32 = 3;
/// Longest legend.
const MOST_LEGEND: usize = 1 << 26;
