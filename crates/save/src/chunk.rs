//! What a file is made of: chunks with kind, version, length and checksum, each a frame of
//! `statewright-bytes`.
//!
//! ```text
//! head, who saved | world? | crowd | machine | agents | form | boards | crowd | ... | closing
//! ```

use statewright_bytes::{ByteOrder, Format};

/// First bytes and version of every save: that of the order of chunks. What is in them has versions of
/// its own.
pub const FORMAT: Format = Format {
    magic: *b"SWSV",
    version: 1,
    byte_order: ByteOrder::Little,
    former: &[],
};

/// Most bytes of a chunk.
pub const MOST_CHUNK: usize = 1 << 30;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Kind {
    /// Of a world: time, groups, messages that nobody got.
    World = 1,
    /// A crowd begins: its name.
    Crowd = 2,
    /// Its machine: ROM and names.
    Machine = 3,
    /// Its agents, without blackboards.
    Agents = 4,
    /// What the bytes of its blackboards mean.
    Form = 5,
    /// Its blackboards.
    Boards = 6,
}

/// The chunks of a crowd, in order.
pub(crate) const OF_CROWD: [Kind; 5] = [
    Kind::Crowd,
    Kind::Machine,
    Kind::Agents,
    Kind::Form,
    Kind::Boards,
];

impl Kind {
    /// The only version that is written and read.
    pub(crate) const fn version(self) -> u16 {
        match self {
            Self::World => statewright::WORLD_FORMAT.version,
            Self::Agents => statewright::SNAPSHOT_FORMAT.version,
            Self::Crowd | Self::Machine | Self::Form | Self::Boards => 1,
        }
    }

    /// Kind and version as a frame has them.
    pub(crate) const fn number(self) -> u32 {
        (self.version() as u32) << 16 | self as u32
    }

    /// For messages.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::World => "the world",
            Self::Crowd => "the name of a crowd",
            Self::Machine => "a machine",
            Self::Agents => "the agents",
            Self::Form => "the form of blackboards",
            Self::Boards => "the blackboards",
        }
    }
}
