//! How long something lasts: ticks, or where they come from (LANG-3).

use zerocopy::byteorder::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::ids::DurationId;
use crate::number::Coded;

/// Longest time in ticks: deadlines compare with wrap-around, so it stays below half the range
/// (EVT-7).
pub const MAX_TICKS: u32 = (1 << 31) - 1;

/// Set in a [`DurationWord`] that names a record.
const COMPUTED: u32 = 1 << 31;

numbers! {
    /// Where the ticks of a duration come from.
    DurationKind: u8 {
        /// A parameter that is a duration, in seconds.
        Parameter = 0 "parameter",
        /// An expression, in seconds.
        Expression = 1 "expression",
        /// One draw from a range of ticks.
        Range = 2 "range",
    }
}

record! {
    /// A duration that is found where it is needed.
    DurationRecord: 12 {
        /// Where it comes from.
        kind: Coded<DurationKind>,
        /// Zero.
        reserved: u8,
        /// The parameter or the expression; 0 for a range.
        index: U16,
        /// Least ticks of a range, at least 1; else 0.
        low: U32,
        /// Most ticks of a range; else 0.
        high: U32,
    }
}

/// A duration in a record, in four bytes: ticks, or with the top bit set the number of a
/// [`DurationRecord`]. 0 = none.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
    Unaligned,
)]
#[repr(transparent)]
pub struct DurationWord(U32);

/// What a [`DurationWord`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowLong {
    /// There is no duration.
    Nothing,
    /// So many ticks.
    Ticks(u32),
    /// It is found where it is needed.
    Computed(DurationId),
}

impl DurationWord {
    /// There is no duration.
    pub const NOTHING: Self = Self(U32::new(0));

    /// So many ticks, at most [`MAX_TICKS`]; 0 is none.
    pub const fn ticks(ticks: u32) -> Self {
        Self(U32::new(if ticks > MAX_TICKS { MAX_TICKS } else { ticks }))
    }

    /// What a record of the table says.
    pub const fn computed(id: DurationId) -> Self {
        Self(U32::new(COMPUTED | id.raw() as u32))
    }

    /// The word as it stands in an op.
    pub const fn from_raw(raw: u32) -> Self {
        Self(U32::new(raw))
    }

    /// The word as it stands in an op.
    #[inline]
    pub const fn raw(self) -> u32 {
        self.0.get()
    }

    /// Is there a duration?
    #[inline]
    pub const fn is_some(self) -> bool {
        self.raw() != 0
    }

    /// Its ticks; `None` if they are found where they are needed.
    #[inline]
    pub const fn known(self) -> Option<u32> {
        let raw = self.raw();
        if raw <= MAX_TICKS { Some(raw) } else { None }
    }

    /// What it says. A number that no record can have, which no loaded ROM has, is none.
    #[inline]
    pub const fn read(self) -> HowLong {
        let raw = self.raw();
        if raw == 0 {
            HowLong::Nothing
        } else if raw <= MAX_TICKS {
            HowLong::Ticks(raw)
        } else {
            match DurationId::from_index((raw & !COMPUTED) as usize) {
                Some(id) => HowLong::Computed(id),
                None => HowLong::Nothing,
            }
        }
    }
}

/// Ticks of a time in seconds at a rate: rounded up, at least 1, at most [`MAX_TICKS`]; 1 for what
/// is no number (LANG-3). One product of two f32, as in expressions (CODE-4).
#[inline]
pub fn ticks_of_seconds(seconds: f32, tick_rate: u16) -> u32 {
    let exact = seconds * f32::from(tick_rate);
    // Toward zero; NaN and what is negative are 0, what is too large is the largest.
    let whole = exact as u32;
    let up = whole.saturating_add(u32::from(exact > whole as f32));
    up.clamp(1, MAX_TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lang_3_seconds_become_ticks_rounded_up() {
        assert_eq!(ticks_of_seconds(0.1, 60), 6);
        assert_eq!(ticks_of_seconds(0.101, 60), 7);
        assert_eq!(ticks_of_seconds(1.0, 60), 60);
        assert_eq!(ticks_of_seconds(0.0, 60), 1);
        assert_eq!(ticks_of_seconds(0.001, 60), 1);
        assert_eq!(ticks_of_seconds(-3.0, 60), 1);
        assert_eq!(ticks_of_seconds(f32::NAN, 60), 1);
        assert_eq!(ticks_of_seconds(f32::NEG_INFINITY, 60), 1);
        assert_eq!(ticks_of_seconds(f32::INFINITY, 60), MAX_TICKS);
        assert_eq!(ticks_of_seconds(1e9, 60), MAX_TICKS);
        assert_eq!(ticks_of_seconds(3e7, 60), 1_800_000_000);
    }

    #[test]
    fn lang_3_a_word_is_ticks_or_a_record() {
        let third = DurationId::from_index(3).unwrap();
        for (word, meant, known) in [
            (DurationWord::NOTHING, HowLong::Nothing, Some(0)),
            (DurationWord::ticks(7), HowLong::Ticks(7), Some(7)),
            (
                DurationWord::ticks(u32::MAX),
                HowLong::Ticks(MAX_TICKS),
                Some(MAX_TICKS),
            ),
            (
                DurationWord::computed(third),
                HowLong::Computed(third),
                None,
            ),
        ] {
            assert_eq!((word.read(), word.known()), (meant, known));
            assert_eq!(DurationWord::from_raw(word.raw()), word);
        }
        assert_eq!(DurationWord::from_raw(u32::MAX).read(), HowLong::Nothing);
    }
}
