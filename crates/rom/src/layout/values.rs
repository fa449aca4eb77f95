//! Types of values: in the blackboard, parameters, arguments, expressions (CODE-5), and what events
//! carry (EVT-1).

numbers! {
    /// Numbers of value types, in blackboard, parameters, arguments and payloads.
    ValueType: u8 {
        /// 32-bit integer.
        I32 = 0 "i32",
        /// 32-bit float.
        F32 = 1 "f32",
        /// Truth value, 0 or 1.
        Bool = 2 "bool",
        /// Entity, two words.
        Entity = 3 "entity",
        /// Two floats.
        Vec2 = 4 "vec2",
        /// Three floats.
        Vec3 = 5 "vec3",
        /// Number of a text (HASH-2); 0 is the empty one.
        Symbol = 6 "symbol",
    }
}

impl ValueType {
    /// Words of a value.
    #[inline]
    pub const fn words(self) -> u8 {
        match self {
            Self::I32 | Self::F32 | Self::Bool | Self::Symbol => 1,
            Self::Entity | Self::Vec2 => 2,
            Self::Vec3 => 3,
        }
    }

    /// Is it made of floats that have a name each?
    #[inline]
    pub const fn is_vector(self) -> bool {
        match self {
            Self::Vec2 | Self::Vec3 => true,
            Self::I32 | Self::F32 | Self::Bool | Self::Entity | Self::Symbol => false,
        }
    }

    /// Can values be added (CODE-3, CMD-1)?
    #[inline]
    pub const fn adds(self) -> bool {
        match self {
            Self::I32 | Self::F32 | Self::Vec2 | Self::Vec3 => true,
            Self::Bool | Self::Entity | Self::Symbol => false,
        }
    }
}

numbers! {
    /// What an event carries, [`EventRecord::payload`](super::EventRecord::payload): a value, or
    /// what only payloads have.
    PayloadKind: u8 {
        /// A value: 32-bit integer.
        I32 = 0 "i32",
        /// A value: 32-bit float.
        F32 = 1 "f32",
        /// A value: truth value.
        Bool = 2 "bool",
        /// A value: entity.
        Entity = 3 "entity",
        /// A value: two floats.
        Vec2 = 4 "vec2",
        /// A value: three floats.
        Vec3 = 5 "vec3",
        /// A value: symbol.
        Symbol = 6 "symbol",
        /// u32.
        U32 = 16 "u32",
        /// u64.
        U64 = 17 "u64",
        /// Four floats.
        Vec4 = 18 "vec4",
        /// Raw bytes.
        Bytes = 19 "bytes",
        /// No payload.
        Empty = 0xFF "empty",
    }
}

impl PayloadKind {
    /// The type of a payload that is a value.
    pub const fn value_type(self) -> Option<ValueType> {
        Some(match self {
            Self::I32 => ValueType::I32,
            Self::F32 => ValueType::F32,
            Self::Bool => ValueType::Bool,
            Self::Entity => ValueType::Entity,
            Self::Vec2 => ValueType::Vec2,
            Self::Vec3 => ValueType::Vec3,
            Self::Symbol => ValueType::Symbol,
            Self::U32 | Self::U64 | Self::Vec4 | Self::Bytes | Self::Empty => return None,
        })
    }

    /// The payload that is a value of a type.
    pub const fn of_value(ty: ValueType) -> Self {
        match ty {
            ValueType::I32 => Self::I32,
            ValueType::F32 => Self::F32,
            ValueType::Bool => Self::Bool,
            ValueType::Entity => Self::Entity,
            ValueType::Vec2 => Self::Vec2,
            ValueType::Vec3 => Self::Vec3,
            ValueType::Symbol => Self::Symbol,
        }
    }

    /// How many bytes it has; `None` where the event type says so.
    pub const fn bytes(self) -> Option<u8> {
        match self {
            Self::I32 | Self::F32 | Self::Bool | Self::Symbol | Self::U32 => Some(4),
            Self::Entity | Self::Vec2 | Self::U64 => Some(8),
            Self::Vec3 => Some(12),
            Self::Vec4 => Some(16),
            Self::Bytes => None,
            Self::Empty => Some(0),
        }
    }
}

/// A value as a payload has the number of its type, and the bytes of its words.
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "runs at compile time only"
)]
const _: () = {
    let mut at = 0;
    while at < ValueType::ALL.len() {
        let ty = ValueType::ALL[at];
        let payload = PayloadKind::of_value(ty);
        assert!(payload.number() == ty.number());
        assert!(matches!(payload.value_type(), Some(back) if back.number() == ty.number()));
        assert!(matches!(payload.bytes(), Some(bytes) if bytes == 4 * ty.words()));
        at += 1;
    }
};
