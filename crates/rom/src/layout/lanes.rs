//! Lanes and channels: where commands go (CMD-1, CODE-7).

use zerocopy::byteorder::little_endian::{U16, U32, U64};

use crate::number::Coded;

numbers! {
    /// What becomes of several commands of one agent in one tick and lane (CMD-1). Commands of
    /// different agents never meet.
    MergeRule: u8 {
        /// Of those with one name the last remains, in its place.
        LastWriterWins = 0 "last_writer_wins",
        /// Those with one name and a number, vector or merge function of their own become their sum,
        /// in the place of the first. Already when they are written: the sum needs room once.
        /// Integers stop at their ends, floats at the largest finite ones.
        Accumulate = 1 "accumulate",
        /// All remain.
        StrictOrder = 2 "strict_order",
        /// Of those with one name and the same content the first remains.
        Deduplicate = 3 "deduplicate",
    }
}

numbers! {
    /// Lanes that every machine has (CMD-1); their numbers come before those of its own.
    BuiltInLane: u8 {
        /// Animation.
        Animation = 0 "animation",
        /// Navigation.
        Navigation = 1 "navigation",
        /// Gameplay.
        Gameplay = 2 "gameplay",
        /// Writes to blackboards.
        Blackboard = 3 "blackboard",
        /// Sounds.
        Audio = 4 "audio",
        /// Effects to be seen.
        Vfx = 5 "vfx",
        /// Events to others.
        Message = 6 "message",
    }
}

impl BuiltInLane {
    /// What becomes of several commands of one agent and tick. None accumulates: whoever writes
    /// into a built-in lane relies on it.
    pub const fn merge(self) -> MergeRule {
        match self {
            Self::Animation | Self::Navigation | Self::Blackboard => MergeRule::LastWriterWins,
            Self::Gameplay | Self::Message => MergeRule::StrictOrder,
            Self::Audio | Self::Vfx => MergeRule::Deduplicate,
        }
    }
}

record! {
    /// A user lane (CMD-1); its number is [`BuiltInLane::COUNT`] + its index.
    LaneRecord: 16 {
        /// xxh3 of its name.
        name_hash: U64,
        /// What becomes of several commands.
        merge: Coded<MergeRule>,
        /// 1 = critical (CMD-2).
        critical: u8,
        /// Zero.
        reserved: [u8; 6],
    }
}

record! {
    /// A channel (CODE-7).
    ChannelRecord: 16 {
        /// xxh3 of its name.
        name_hash: U64,
        /// String of the release command's name.
        command: U16,
        /// Lane of the release command.
        lane: U16,
        /// Zero.
        reserved: U32,
    }
}
