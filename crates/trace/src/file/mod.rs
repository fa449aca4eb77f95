//! The `.swtrace` file: a head with the legend, then frames of records, each with its length and
//! checksum.
//!
//! Frames are written whole, so that after a crash everything that was flushed can be read.
//! `docs/trace-format.md` has every byte.

mod legend;
mod read;
mod write;

pub use read::{Ending, Frame, Reading, Refused};
pub use write::{WriteError, Writer};

use xxhash_rust::xxh3::xxh3_64_with_seed;
use zerocopy::byteorder::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The first bytes of every file. The line ends show what a transfer as text has done.
pub const MAGIC: [u8; 8] = *b"SWTR\r\n\x1a\n";
/// The version that is written and read here.
pub const VERSION: u32 = 1;
/// The first bytes of every frame.
pub const FRAME_MAGIC: [u8; 4] = *b"swfr";
/// Most records of one frame.
pub const MOST_RECORDS: usize = 1 << 16;
/// Longest legend.
const MOST_LEGEND: usize = 1 << 26;

/// The head of a file; the legend follows.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Head {
    magic: [u8; 8],
    version: U32,
    /// Bytes of the legend.
    legend: U32,
    /// Of the legend, seeded by version and length.
    checksum: U64,
}

/// The head of a frame; its records follow.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct FrameHead {
    magic: [u8; 4],
    /// How many records; 0 in the last frame of a file that was closed.
    count: U32,
    /// Frames before this one.
    number: U32,
    /// Zero.
    reserved: U32,
    /// Tick of the first record.
    tick: U64,
    /// Of the records, seeded by the checksum of the file and the number of the frame.
    records: U64,
    /// Of everything before it in this head, seeded by the checksum of the file.
    checksum: U64,
}

const HEAD: usize = size_of::<Head>();
const FRAME_HEAD: usize = size_of::<FrameHead>();

impl Head {
    fn expected(&self, legend: &[u8]) -> u64 {
        xxh3_64_with_seed(
            legend,
            u64::from(self.version.get()) << 32 | u64::from(self.legend.get()),
        )
    }
}

impl FrameHead {
    /// Frames of one file do not fit into another.
    fn expected(&self, file: u64) -> u64 {
        let bytes = self.as_bytes();
        xxh3_64_with_seed(bytes.get(..FRAME_HEAD - 8).unwrap_or(bytes), file)
    }
}
