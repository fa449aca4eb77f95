//! Lanes and channels: where commands go (CMD-1, CODE-7).

use zerocopy::byteorder::little_endian::{U16, U32, U64};

use crate::number::Coded;

numbers! {
    /// What becomes of several commands of one agent in one tick and lane (CMD-1). Commands of
    /// different agents meet only where a lane says so ([`LaneScope`]).
    MergeRule: u8 {
        /// The last one remains, in its place; of each name, if the lane says so ([`LaneKey`]).
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
    /// What the last writer wins in a lane (CMD-1).
    LaneKey: u8 {
        /// The lane: one command of each agent remains.
        Lane = 0 "lane",
        /// The name: one command of each agent and name remains.
        Name = 1 "name",
    }
}

numbers! {
    /// Among whose commands equal ones are told in a lane that deduplicates (CMD-1).
    LaneScope: u8 {
        /// Those of one agent.
        Agent = 0 "agent",
        /// Those of all agents: the first of the crowd remains.
        Crowd = 1 "crowd",
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
    /// What becomes of several commands of one agent and tick, unless the machine says otherwise.
    pub const fn merge(self) -> MergeRule {
        match self {
            Self::Animation | Self::Navigation | Self::Blackboard => MergeRule::LastWriterWins,
            Self::Gameplay | Self::Message => MergeRule::StrictOrder,
            Self::Audio | Self::Vfx => MergeRule::Deduplicate,
        }
    }

    /// What the last writer wins: a staged write is one of a key, and other keys are nothing to it.
    pub const fn key(self) -> LaneKey {
        match self {
            Self::Blackboard => LaneKey::Name,
            Self::Animation
            | Self::Navigation
            | Self::Gameplay
            | Self::Audio
            | Self::Vfx
            | Self::Message => LaneKey::Lane,
        }
    }

    /// May its commands use the reserved part of the budget (CMD-2), unless the machine says
    /// otherwise? An agent that makes much noise still moves and fights.
    pub const fn is_critical(self) -> bool {
        match self {
            Self::Navigation | Self::Gameplay => true,
            Self::Animation | Self::Blackboard | Self::Audio | Self::Vfx | Self::Message => false,
        }
    }
}

record! {
    /// A lane (CMD-1): one of the machine's own, or a built-in one that it declares anew.
    LaneRecord: 16 {
        /// xxh3 of its name.
        name_hash: U64,
        /// What becomes of several commands.
        merge: Coded<MergeRule>,
        /// 1 = critical (CMD-2).
        critical: u8,
        /// Its number: that of the built-in lane, or [`BuiltInLane::COUNT`] + its index.
        number: u8,
        /// What the last writer wins.
        key: Coded<LaneKey>,
        /// Among whose commands equal ones are told.
        scope: Coded<LaneScope>,
        /// Zero.
        reserved: u8,
        /// Most commands of one agent and tick; 0 = no such limit.
        cap: U16,
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
