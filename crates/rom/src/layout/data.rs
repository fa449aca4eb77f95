//! Data: texts, blackboard keys, parameters and variants, expressions, stable ids.

use zerocopy::byteorder::little_endian::{U16, U32, U64};

use super::ValueType;
#[cfg(doc)]
use super::{MAX_CODE, MAX_STACK_WORDS};
use crate::number::Coded;

record! {
    /// A text in the bytes section: symbols, command names, argument names. Sorted by number, each
    /// number once (HASH-2).
    StringRecord: 12 {
        /// The symbol of this text: [`symbol_number`](crate::symbol::symbol_number).
        number: U32,
        /// From the start of the text section.
        offset: U32,
        /// Bytes, valid UTF-8.
        length: U32,
    }
}

record! {
    /// One byte of text.
    ByteRecord: 1 {
        /// The byte.
        byte: u8,
    }
}

record! {
    /// A blackboard key (CODE-5). Table order is declaration order.
    KeyRecord: 32 {
        /// xxh3 of its name.
        name_hash: U64,
        /// Value before the first tick; unused words are zero.
        default: [U32; 3],
        /// First word of the key in a dense blackboard.
        offset: U16,
        /// Its type.
        ty: Coded<ValueType>,
        /// Zero.
        reserved: [u8; 9],
    }
}

record! {
    /// A machine-wide parameter (CODE-3).
    ParameterRecord: 16 {
        /// xxh3 of its name.
        name_hash: U64,
        /// First word in a row of the parameter-values table.
        offset: U16,
        /// Its type.
        ty: Coded<ValueType>,
        /// 1 = a duration: seconds, an f32 (LANG-3).
        is_duration: u8,
        /// Zero.
        reserved: [u8; 4],
    }
}

record! {
    /// A variant (CODE-3). Variant 0 holds the plain values and has hash 0. Row `i` of the parameter-values table
    /// belongs to variant `i`.
    VariantRecord: 8 {
        /// xxh3 of its name.
        name_hash: U64,
    }
}

record! {
    /// One word of a parameter value.
    WordRecord: 4 {
        /// The word.
        word: U32,
    }
}

record! {
    /// An expression (CODE-4).
    ExpressionRecord: 8 {
        /// First instruction.
        first: U32,
        /// How many, 1 to [`MAX_CODE`].
        count: U16,
        /// Most stack words in use at once, at most [`MAX_STACK_WORDS`]; checked on load.
        stack_words: u8,
        /// Type of the result.
        ty: Coded<ValueType>,
    }
}

record! {
    /// One instruction; see [`crate::code`].
    InstructionRecord: 8 {
        /// [`crate::code::op`].
        op: u8,
        /// See the op.
        a: u8,
        /// See the op.
        b: U16,
        /// See the op.
        c: U32,
    }
}

record! {
    /// A stable id (ROM-6).
    StableIdRecord: 8 {
        /// The id.
        id: U64,
    }
}

numbers! {
    /// A group of the stable-ids table (ROM-6); groups lie in this order.
    StableGroup: u8 {
        /// The machine itself: one id.
        Machine = 0 "machine",
        /// One per state.
        States = 1 "states",
        /// One per region.
        Regions = 2 "regions",
        /// One per event type.
        Events = 3 "events",
        /// One per timer.
        Timers = 4 "timers",
        /// One per transition.
        Transitions = 5 "transitions",
        /// One per history point.
        History = 6 "history",
        /// One per scratch.
        Scratch = 7 "scratch",
    }
}
