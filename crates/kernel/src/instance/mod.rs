//! Instances: 64, 128 or 256 plain bytes per agent (RAM-1 to RAM-3).

use zerocopy::byteorder::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use statewright_rom::Rom;
use statewright_rom::layout::{NONE, Tier};

use crate::events::time::is_due;

mod any;
pub(crate) mod check;
pub(crate) mod event;
mod header;
pub(crate) mod leaves;
mod places;
pub(crate) mod ram;
pub(crate) mod rng;

pub use any::{AnyInstance, ByTier};
use event::Event;
pub use header::{Header, flag};
use ram::{AnySlot, Ram, bit};

mod sealed {
    pub trait Sealed {}
}

/// The parts of an instance of any tier (RAM-2).
#[doc(hidden)]
#[derive(Debug)]
pub struct RawParts<'i> {
    /// The header.
    pub header: &'i mut Header,
    /// The leaves.
    pub leaves: &'i mut [U16],
    /// The timers.
    pub timers: &'i mut [U32],
    /// The slots.
    pub slots: &'i mut [U16],
    /// The event places.
    pub events: &'i mut [Event],
}

/// An instance of any tier.
pub trait Instance: sealed::Sealed + Copy + FromBytes + IntoBytes + Immutable {
    /// Its tier.
    const TIER: Tier;

    /// A new instance of a machine, not yet started; `None` if the machine has another tier
    /// (SYS-10).
    fn new(rom: &Rom<'_>, seed: u64, agent: u64) -> Option<Self> {
        if rom.header().tier == Self::TIER {
            Some(Self::of_machine(rom.machine_id(), seed, agent))
        } else {
            None
        }
    }

    /// The same for callers who know that the machine with this id ([`Rom::machine_id`]) has this
    /// tier.
    fn of_machine(machine: u32, seed: u64, agent: u64) -> Self;

    /// The header.
    fn header(&self) -> &Header;

    /// The header, for hosts that clear flags or mark an agent as traced.
    fn header_mut(&mut self) -> &mut Header;

    /// The whole as one view, the same for all tiers.
    #[doc(hidden)]
    fn ram(&mut self) -> Ram<'_>;

    /// What is behind a view; `None` if it is of another tier.
    #[doc(hidden)]
    fn view<'r>(ram: &'r Ram<'_>) -> Option<&'r Self>;

    /// What is behind a view, for as long as that is there; `None` if it is of another tier.
    #[doc(hidden)]
    fn of_ram(ram: Ram<'_>) -> Option<&mut Self>;

    /// Works on what is behind a view; `false` if it is of another tier.
    #[doc(hidden)]
    fn with(ram: &mut Ram<'_>, work: impl FnOnce(&mut Self)) -> bool;

    /// Where a reference to an instance lies, the same for all tiers.
    #[doc(hidden)]
    fn slot<'r, 'a>(slot: &'r mut &'a mut Self) -> AnySlot<'r, 'a>;

    /// The same by its type; `None` if it is of another tier.
    #[doc(hidden)]
    fn of_slot<'r, 'a>(slot: AnySlot<'r, 'a>) -> Option<&'r mut &'a mut Self>;

    /// Exchanges what is behind a view with another instance, unless it is of another tier.
    #[doc(hidden)]
    fn exchange<'a>(ram: &mut Ram<'a>, other: &mut &'a mut Self);

    /// Has the deadline of a running timer passed?
    #[doc(hidden)]
    fn has_due_timer(&self, now: u32) -> bool;

    /// Running timers whose deadline has passed, one bit per timer slot.
    #[doc(hidden)]
    fn due_timers(&self, now: u32) -> u8;

    /// The deadline of the running timer that is due first, after `now`.
    #[doc(hidden)]
    fn first_deadline(&self, now: u32) -> Option<u32>;

    /// The leaves as they lie in the bytes.
    #[doc(hidden)]
    fn raw_leaves(&self) -> &[U16];

    /// The timers as they lie in the bytes.
    #[doc(hidden)]
    fn raw_timers(&self) -> &[U32];

    /// The slots as they lie in the bytes.
    #[doc(hidden)]
    fn raw_slots(&self) -> &[U16];

    /// The event places as they lie in the bytes.
    #[doc(hidden)]
    fn raw_events(&self) -> &[Event];

    /// Everything as it lies in the bytes, for whoever writes an instance of another machine anew
    /// (LOAD-3).
    #[doc(hidden)]
    fn raw_parts(&mut self) -> RawParts<'_>;

    /// The raw leaf, if there is no other. Raw, because the table that it is looked up in refuses
    /// `NONE` anyway: a compare less where it counts.
    #[doc(hidden)]
    fn only_leaf(&self) -> Option<u16>;

    /// Are there no leaves but those of some numbers, a bit each? One compare.
    #[doc(hidden)]
    fn has_no_leaf_but(&self, numbers: u8) -> bool;

    /// All raw leaves as one number; leaves that the tier does not have are 0.
    #[doc(hidden)]
    fn all_leaves(&self) -> u128;

    /// Sets the raw first leaf.
    #[doc(hidden)]
    fn set_first_leaf(&mut self, leaf: U16);
}

macro_rules! instance {
    ($(#[$meta:meta])* $name:ident tier $tier:ident bytes $bytes:literal
     leaves $leaves:literal as $all:ty, at $leaves_at:literal timers $timers:literal at $timers_at:literal
     slots $slots:literal at $slots_at:literal events $events:literal at $events_at:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
        #[repr(C, align(64))]
        pub struct $name {
            pub(crate) header: Header,
            pub(crate) leaves: [U16; $leaves],
            pub(crate) timers: [U32; $timers],
            pub(crate) slots: [U16; $slots],
            pub(crate) events: [Event; $events],
        }

        const _: () = {
            assert!(size_of::<$name>() == $bytes && align_of::<$name>() == 64);
            assert!(core::mem::offset_of!($name, leaves) == $leaves_at);
            assert!(core::mem::offset_of!($name, timers) == $timers_at);
            assert!(core::mem::offset_of!($name, slots) == $slots_at);
            assert!(core::mem::offset_of!($name, events) == $events_at);
            // The compiler places by the same table.
            let tier = Tier::$tier.capacity();
            assert!(tier.bytes == $bytes && tier.leaves == $leaves && tier.timers == $timers);
            assert!(tier.slots == $slots && tier.events == $events);
        };

        impl sealed::Sealed for $name {}

        impl Instance for $name {
            const TIER: Tier = Tier::$tier;

            fn of_machine(machine: u32, seed: u64, agent: u64) -> Self {
                let (machine, rng) = (U32::new(machine), U32::new(rng::mix(seed, agent)));
                Self {
                    header: Header { machine, rng, ..Header::default() },
                    leaves: [U16::new(NONE); $leaves],
                    timers: [U32::new(0); $timers],
                    slots: [U16::new(0); $slots],
                    events: [Event::default(); $events],
                }
            }

            #[inline]
            fn header(&self) -> &Header {
                &self.header
            }

            fn header_mut(&mut self) -> &mut Header {
                &mut self.header
            }

            #[inline]
            fn ram(&mut self) -> Ram<'_> {
                Ram::$tier(self)
            }

            #[inline(always)]
            fn view<'r>(ram: &'r Ram<'_>) -> Option<&'r Self> {
                if let Ram::$tier(instance) = ram { Some(instance) } else { None }
            }

            #[inline(always)]
            fn of_ram(ram: Ram<'_>) -> Option<&mut Self> {
                if let Ram::$tier(instance) = ram { Some(instance) } else { None }
            }

            #[inline(always)]
            fn with(ram: &mut Ram<'_>, work: impl FnOnce(&mut Self)) -> bool {
                if let Ram::$tier(instance) = ram {
                    work(instance);
                    true
                } else {
                    false
                }
            }

            #[inline(always)]
            fn slot<'r, 'a>(slot: &'r mut &'a mut Self) -> AnySlot<'r, 'a> {
                AnySlot::$tier(slot)
            }

            #[inline(always)]
            fn of_slot<'r, 'a>(slot: AnySlot<'r, 'a>) -> Option<&'r mut &'a mut Self> {
                if let AnySlot::$tier(slot) = slot { Some(slot) } else { None }
            }

            #[inline(always)]
            fn exchange<'a>(ram: &mut Ram<'a>, other: &mut &'a mut Self) {
                if let Ram::$tier(instance) = ram {
                    core::mem::swap(instance, other);
                }
            }

            #[inline]
            fn first_deadline(&self, now: u32) -> Option<u32> {
                let armed = |&(place, _): &(u8, &U32)| self.header.armed & bit(place) != 0;
                let running = (0_u8..).zip(&self.timers).filter(armed).map(|(_, time)| time.get());
                running.min_by_key(|deadline| if is_due(*deadline, now) { 0 } else { deadline.wrapping_sub(now) })
            }

            #[inline]
            fn raw_leaves(&self) -> &[U16] {
                &self.leaves
            }

            #[inline]
            fn raw_timers(&self) -> &[U32] {
                &self.timers
            }

            #[inline]
            fn raw_slots(&self) -> &[U16] {
                &self.slots
            }

            fn raw_events(&self) -> &[Event] {
                &self.events
            }

            #[inline(always)]
            fn raw_parts(&mut self) -> RawParts<'_> {
                let Self { header, leaves, timers, slots, events } = self;
                RawParts { header, leaves, timers, slots, events }
            }

            #[inline]
            fn only_leaf(&self) -> Option<u16> {
                let [first, ..] = &self.leaves;
                if self.has_no_leaf_but(1) { Some(first.get()) } else { None }
            }

            #[inline(always)]
            fn has_no_leaf_but(&self, numbers: u8) -> bool {
                let mut known: [U16; $leaves] = [U16::new(0); $leaves];
                for (number, leaf) in (0_u8..).zip(&mut known) {
                    if numbers & bit(number) != 0 {
                        leaf.set(NONE);
                    }
                }
                let [all, known] = [self.leaves, known].map(|leaves| <$all>::from_le_bytes(zerocopy::transmute!(leaves)));
                all | known == <$all>::MAX
            }

            #[inline(always)]
            fn all_leaves(&self) -> u128 {
                <$all>::from_le_bytes(zerocopy::transmute!(self.leaves)).into()
            }

            #[inline]
            fn has_due_timer(&self, now: u32) -> bool {
                let mut armed = self.header.armed;
                let mut due = false;
                for time in &self.timers {
                    due |= armed & 1 != 0 && is_due(time.get(), now);
                    armed >>= 1;
                }
                due
            }

            #[inline]
            fn due_timers(&self, now: u32) -> u8 {
                let due = |&(place, time): &(u8, &U32)| self.header.armed & bit(place) != 0 && is_due(time.get(), now);
                (0_u8..).zip(&self.timers).filter(due).fold(0, |due, (place, _)| due | bit(place))
            }

            #[inline]
            fn set_first_leaf(&mut self, leaf: U16) {
                let [first, ..] = &mut self.leaves;
                *first = leaf;
            }
        }
    };
}

instance! {
    /// The crowd tier.
    Instance64 tier Crowd bytes 64 leaves 2 as u32, at 16 timers 2 at 20 slots 6 at 28 events 1 at 40
}
instance! {
    /// The standard tier.
    Instance128 tier Standard bytes 128 leaves 4 as u64, at 16 timers 4 at 24 slots 8 at 40 events 3 at 56
}
instance! {
    /// The hero tier.
    Instance256 tier Hero bytes 256 leaves 8 as u128, at 16 timers 8 at 32 slots 24 at 64 events 6 at 112
}
