//! Kinds and classes of a ROM as enums: numbers come in, exhaustive matches go on from here.

use std::fmt::Display;

use serde::{Serialize, Serializer};

/// Defines an enum of numbers from 0 with a word each.
macro_rules! kinds {
    ($($(#[$meta:meta])* $name:ident { $($(#[$item:meta])* $variant:ident $word:literal,)+ })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$item])* $variant,)+ }

        impl $name {
            /// All of them, by number.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The one with a number; the loader lets no other pass.
            pub(crate) fn of(number: u8) -> Self {
                Self::ALL.get(usize::from(number)).copied().unwrap_or(Self::ALL[0])
            }

            /// Its word.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }
    )+};
}

kinds! {
    /// How large an instance is (RAM-2).
    Tier {
        /// 64 bytes.
        Crowd "crowd",
        /// 128 bytes.
        Standard "standard",
        /// 256 bytes.
        Hero "hero",
    }
    /// How urgent an event is (EVT-1).
    EventClass {
        /// Taken last.
        Low "low",
        /// What events are unless declared otherwise.
        Normal "normal",
        /// May use the reserved queue place.
        Interrupt "interrupt",
        /// Taken first.
        Critical "critical",
    }
    /// Type of a blackboard key or a parameter (CODE-5).
    ValueType {
        /// 32-bit integer.
        I32 "i32",
        /// 32-bit float.
        F32 "f32",
        /// Truth value.
        Bool "bool",
        /// An entity of the host.
        Entity "entity",
        /// Two floats.
        Vec2 "vec2",
        /// Three floats.
        Vec3 "vec3",
        /// An interned name.
        Symbol "symbol",
    }
    /// What a user function is (CODE-1).
    FunctionKind {
        /// Answers yes or no, changes nothing.
        Guard "guard",
        /// Does something once.
        Action "action",
        /// Runs every tick and reports its status.
        Activity "activity",
        /// Answers with a number, changes nothing.
        Scorer "scorer",
    }
    /// How commands of one lane merge (CMD-1).
    MergeRule {
        /// The last one counts.
        LastWriterWins "last_writer_wins",
        /// Values are added, up to a cap.
        Accumulate "accumulate",
        /// All, in order.
        StrictOrder "strict_order",
        /// Equal ones count once.
        Deduplicate "deduplicate",
    }
    /// What a state is.
    StateKind {
        /// No children.
        Atomic "atomic",
        /// One region.
        Compound "compound",
        /// Several regions.
        Orthogonal "orthogonal",
        /// Completes its parent.
        Final "final",
        /// Never active: branches.
        Choice "choice",
    }
    /// What a timer is.
    TimerKind {
        /// `after` of transitions of its owner.
        After "after",
        /// A named timer of a state.
        State "state",
        /// A named timer of the machine.
        Machine "machine",
        /// The clock of a state.
        Clock "clock",
        /// The debounce of a transition.
        Debounce "debounce",
    }
}

/// What an event carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadKind {
    /// A value.
    Value(ValueType),
    /// Any 32 bits.
    U32,
    /// Any 64 bits.
    U64,
    /// Four floats.
    Vec4,
    /// A run of bytes.
    Bytes,
}

impl PayloadKind {
    /// The one with a number; `None` for an event without payload.
    pub(crate) fn of(number: u8) -> Option<Self> {
        use statewright_rom::layout::payload;
        match number {
            payload::EMPTY => None,
            payload::U32 => Some(Self::U32),
            payload::U64 => Some(Self::U64),
            payload::VEC4 => Some(Self::Vec4),
            payload::BYTES => Some(Self::Bytes),
            ty => Some(Self::Value(ValueType::of(ty))),
        }
    }

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value(ty) => ty.name(),
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Vec4 => "vec4",
            Self::Bytes => "bytes",
        }
    }
}

impl Display for PayloadKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for PayloadKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}
