//! Index types: one per table that is referred to by number (ROM-3).
//!
//! Raw numbers come in from records, typed ones go out. A constructor refuses the number that means
//! "nothing"; it cannot know how many records a ROM has, so every accessor of [`crate::Rom`] still
//! answers with an option.

use core::fmt;

use crate::layout::{NO_LIST, NONE};
use zerocopy::byteorder::little_endian::{U16, U32};

/// Defines an index over a raw number type whose value `$none` means "nothing".
macro_rules! id {
    ($(#[$meta:meta])* $name:ident: $raw:ty, none $none:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name($raw);

        impl $name {
            /// The id of a raw number; `None` for the number that means "nothing".
            #[inline]
            pub const fn new(raw: $raw) -> Option<Self> {
                if raw == $none { None } else { Some(Self(raw)) }
            }

            /// The id of a place in a table; `None` if no id can name it.
            #[inline]
            pub const fn from_index(index: usize) -> Option<Self> {
                if index < $none as usize { Some(Self(index as $raw)) } else { None }
            }

            /// The number as stored.
            #[inline]
            pub const fn raw(self) -> $raw {
                self.0
            }

            /// The place in the table.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The stored form of an id that may be absent.
            #[inline]
            pub const fn to_raw(id: Option<Self>) -> $raw {
                match id {
                    Some(id) => id.0,
                    None => $none,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

/// Defines indices stored as u16 with `NONE`.
macro_rules! wide_ids {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        id! { $(#[$meta])* $name: u16, none NONE }

        impl $name {
            /// The id in a field of a record.
            #[inline]
            pub fn read(field: U16) -> Option<Self> {
                Self::new(field.get())
            }
        }
    )+};
}

/// Defines indices stored as u8 with `0xFF`.
macro_rules! narrow_ids {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        id! { $(#[$meta])* $name: u8, none 0xFF }

        impl $name {
            /// So many ids from a raw number on; none past the greatest.
            #[inline]
            pub fn run(first: u8, count: u8) -> impl Iterator<Item = Self> + Clone + use<> {
                (first..first.saturating_add(count)).filter_map(Self::new)
            }

            /// The id so many further on, at most the greatest.
            #[inline]
            #[must_use]
            pub const fn offset(self, by: u8) -> Self {
                match Self::new(self.0.saturating_add(by)) {
                    Some(id) => id,
                    None => Self(0xFF - 1),
                }
            }

            /// Its bit in a mask of eight; none past the eighth.
            #[inline]
            pub const fn bit(self) -> u8 {
                match 1_u8.checked_shl(self.0 as u32) {
                    Some(bit) => bit,
                    None => 0,
                }
            }
        }
    )+};
}

wide_ids! {
    /// A state. The root is [`StateId::ROOT`].
    StateId,
    /// A record of the state-extras table.
    StateExtraId,
    /// A region.
    RegionId,
    /// A record of the initials table.
    InitialId,
    /// A transition.
    TransitionId,
    /// A record of the transition-extras table.
    TransitionExtraId,
    /// A target set.
    TargetSetId,
    /// A history point.
    HistoryId,
    /// A branch of a choice.
    BranchId,
    /// An event type.
    EventId,
    /// A timer.
    TimerId,
    /// A deferral.
    DeferralId,
    /// An observer.
    ObserverId,
    /// A user function: an entry of the linker table.
    FunctionId,
    /// An action list.
    ListId,
    /// A single op: a guard, a score or an activity.
    OpId,
    /// A string.
    StringId,
    /// A blackboard key.
    KeyId,
    /// A machine-wide parameter.
    ParameterId,
    /// A variant.
    VariantId,
    /// An expression.
    ExpressionId,
    /// A duration that is found where it is needed.
    DurationId,
    /// Scratch.
    ScratchId,
    /// A leaf row of the dispatch tables.
    RowId,
    /// An entry plan.
    PlanId,
    /// A column of the dispatch tables.
    Column,
}

narrow_ids! {
    /// A leaf number: a place for an active leaf in an instance (RAM-4).
    LeafId,
    /// A place for a timer or a clock in an instance (RAM-2).
    TimerSlot,
    /// A slot of an instance.
    SlotId,
    /// A record of the stacks table.
    StackId,
    /// A command lane, the built-in ones first.
    LaneId,
    /// A channel.
    ChannelId,
}

id! {
    /// A candidate list of the dispatch tables.
    CandidateListId: u32, none NO_LIST
}

impl StateId {
    /// The root.
    pub const ROOT: Self = Self(0);
}

impl FunctionId {
    /// The first function of a machine.
    pub const FIRST: Self = Self(0);

    /// The function in a field of which the loader has proved that it names one.
    #[inline]
    pub fn read_proved(field: U16) -> Self {
        Self(field.get())
    }
}

impl VariantId {
    /// The plain values.
    pub const PLAIN: Self = Self(0);
}

impl CandidateListId {
    /// The id in a field of a record.
    #[inline]
    pub fn read(field: U32) -> Option<Self> {
        Self::new(field.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_the_absent_id() {
        assert_eq!(StateId::new(NONE), None);
        assert_eq!(StateId::read(U16::new(NONE)), None);
        assert_eq!(StateId::from_index(usize::from(NONE)), None);
        assert_eq!(StateId::from_index(65_534).map(StateId::raw), Some(65_534));
        assert_eq!(StateId::to_raw(None), NONE);
        assert_eq!(StateId::to_raw(StateId::new(7)), 7);
        assert_eq!(LeafId::new(0xFF), None);
        assert_eq!(CandidateListId::new(NO_LIST), None);
    }

    #[test]
    fn runs_and_offsets_end_at_the_greatest_id() {
        assert!(SlotId::run(253, 9).map(SlotId::raw).eq([253, 254]));
        assert!(TimerSlot::run(2, 3).map(TimerSlot::raw).eq([2, 3, 4]));
        assert_eq!(
            TimerSlot::new(250).map(|slot| slot.offset(9).raw()),
            Some(254)
        );
        assert_eq!(
            [0, 7, 8].map(|n| LeafId::new(n).map(LeafId::bit)),
            [Some(1), Some(128), Some(0)]
        );
    }
}
