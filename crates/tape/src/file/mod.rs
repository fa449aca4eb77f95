//! The `.swtape` file (TAPE-4): a sealed beginning, then compressed blocks in frames, an index, an end.
//!
//! ```text
//! head | machine and names | checkpoint | records | records | checkpoint | ... | index | closing
//! ```
//!
//! Each block goes out whole, with checksums, so that a tape that was cut off anywhere can be read up
//! to its last whole block. The order of blocks is the order of what happened. A reload is a block of its own
//! with the new machine, and a checkpoint follows it (`version`).

mod beginning;
mod block;
mod copy;
mod read;
mod version;
mod world;
mod write;

pub(crate) use beginning::Beginning;
pub use beginning::Origin;
pub(crate) use block::Kind;
pub use copy::{cut, rewrite};
pub use read::{
    Checkpoint, CheckpointReason, Damaged, Ending, Index, Item, Keys, Player, Refused, Tape,
};
pub(crate) use version::Version;
pub use version::{Seal, TapeReload};
pub use world::WorldTape;
pub(crate) use write::{CheckpointBlocks, Counts, TapeWriter};
pub use write::{EndReason, WriteError};

use statewright_bytes::{ByteOrder, Format};

/// First bytes and version of every tape. Checkpoints hold blackboards as the computer has them; a new
/// version of snapshots is a new version of tapes.
pub const FORMAT: Format = Format {
    magic: *b"SWTP",
    version: 4,
    byte_order: ByteOrder::OfThisComputer,
    former: &[],
};

/// First bytes and version of tapes of worlds: several tapes with one clock in one file.
pub const WORLD_FORMAT: Format = Format {
    magic: *b"SWTW",
    version: 1,
    ..FORMAT
};

/// Most bytes of a block before it is compressed: no record is longer.
pub(crate) const MOST_BLOCK: usize = 4 << 20;
/// Most bytes of a checkpoint, so that reading one takes a bounded amount of memory: 1.5 million
/// agents of the smallest tier.
pub const MOST_CHECKPOINT: usize = 96 << 20;
