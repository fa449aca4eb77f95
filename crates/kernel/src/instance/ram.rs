//! One view of an instance of any tier (RAM-2). Reading past the tier gives nothing, writing past
//! it does nothing.

use zerocopy::byteorder::little_endian::{U16, U32};

use statewright_rom::ids::{SlotId, StateId};
use statewright_rom::layout::NONE;

use crate::instance::event::Event;
use crate::instance::{Header, Instance64, Instance128, Instance256, flag};

/// An instance of any tier.
#[derive(Debug)]
pub enum Ram<'a> {
    /// None: between two agents of a batch. A header without anything behind it.
    Nobody(Header),
    /// Crowd.
    Small(&'a mut Instance64),
    /// Standard.
    Middle(&'a mut Instance128),
    /// Hero.
    Large(&'a mut Instance256),
}

/// One accessor for all tiers, for looking and for writing.
macro_rules! part {
    ($part:ident $part_mut:ident $element:ty) => {
        #[inline]
        pub(crate) fn $part(&self) -> &[$element] {
            match self {
                Self::Nobody(_) => &[],
                Self::Small(instance) => &instance.$part,
                Self::Middle(instance) => &instance.$part,
                Self::Large(instance) => &instance.$part,
            }
        }

        #[inline]
        pub(crate) fn $part_mut(&mut self) -> &mut [$element] {
            match self {
                Self::Nobody(_) => &mut [],
                Self::Small(instance) => &mut instance.$part,
                Self::Middle(instance) => &mut instance.$part,
                Self::Large(instance) => &mut instance.$part,
            }
        }
    };
}

/// Parts.
impl Ram<'_> {
    part! { leaves leaves_mut U16 }
    part! { timers timers_mut U32 }
    part! { slots slots_mut U16 }
    part! { events events_mut Event }

    #[inline]
    pub(crate) fn header(&self) -> &Header {
        match self {
            Self::Nobody(header) => header,
            Self::Small(instance) => &instance.header,
            Self::Middle(instance) => &instance.header,
            Self::Large(instance) => &instance.header,
        }
    }

    #[inline]
    pub(crate) fn header_mut(&mut self) -> &mut Header {
        match self {
            Self::Nobody(header) => header,
            Self::Small(instance) => &mut instance.header,
            Self::Middle(instance) => &mut instance.header,
            Self::Large(instance) => &mut instance.header,
        }
    }
}

/// One bit of a byte; none past the eighth.
#[inline]
pub(crate) fn bit(number: u8) -> u8 {
    1_u8.checked_shl(u32::from(number)).unwrap_or(0)
}

/// Header.
impl Ram<'_> {
    #[inline]
    pub(crate) fn has(&self, flags: u16) -> bool {
        self.header().has(flags)
    }

    pub(crate) fn set_flag(&mut self, flags: u16) {
        let flags = self.header().flags.get() | flags;
        self.header_mut().flags.set(flags);
    }

    pub(crate) fn clear_flag(&mut self, flags: u16) {
        let flags = self.header().flags.get() & !flags;
        self.header_mut().flags.set(flags);
    }

    pub(crate) fn put_flag(&mut self, flags: u16, on: bool) {
        if on {
            self.set_flag(flags)
        } else {
            self.clear_flag(flags)
        }
    }
}

/// The end.
impl Ram<'_> {
    /// No leaf, no timers, no queue, no frames; rng, history and the rest of the slots stay
    /// (TICK-3).
    pub(crate) fn quarantine(&mut self) {
        self.clear_leaves();
        self.disarm_all(u8::MAX);
        self.clear_queue();
        self.header_mut().stack_depth = 0;
        self.clear_flag(flag::WORK | flag::POLLS | flag::PAUSED);
        self.set_flag(flag::QUARANTINED);
    }
}

/// Leaves.
impl Ram<'_> {
    /// The raw leaf, if there is no other.
    pub(crate) fn only_leaf(&self) -> Option<u16> {
        let (first, others) = self.leaves().split_first()?;
        if others.iter().all(|leaf| leaf.get() == NONE) {
            Some(first.get())
        } else {
            None
        }
    }

    #[inline]
    pub(crate) fn leaf(&self, number: u8) -> Option<StateId> {
        StateId::read(*self.leaves().get(usize::from(number))?)
    }

    pub(crate) fn set_leaf(&mut self, number: u8, state: Option<StateId>) {
        if let Some(leaf) = self.leaves_mut().get_mut(usize::from(number)) {
            leaf.set(StateId::to_raw(state));
        }
    }

    pub(crate) fn clear_leaves(&mut self) {
        self.leaves_mut().fill(U16::new(NONE));
    }
}

/// Timers.
impl Ram<'_> {
    #[inline]
    pub(crate) fn is_armed(&self, place: u8) -> bool {
        self.header().armed & bit(place) != 0
    }

    /// The deadline of a running timer, or the entry tick of a clock.
    #[inline]
    pub(crate) fn time(&self, place: u8) -> u32 {
        self.timers()
            .get(usize::from(place))
            .map_or(0, |time| time.get())
    }

    pub(crate) fn set_time(&mut self, place: u8, time: u32) {
        if let Some(cell) = self.timers_mut().get_mut(usize::from(place)) {
            cell.set(time);
        }
    }

    pub(crate) fn arm(&mut self, place: u8, deadline: u32) {
        if usize::from(place) < self.timers().len() {
            self.header_mut().armed |= bit(place);
            self.set_time(place, deadline);
        }
    }

    pub(crate) fn disarm(&mut self, place: u8) {
        self.header_mut().armed &= !bit(place);
        self.set_time(place, 0);
    }

    /// Disarms all places of a mask, clocks included.
    pub(crate) fn disarm_all(&mut self, mask: u8) {
        if mask == 0 {
            return;
        }
        self.header_mut().armed &= !mask;
        for (place, time) in (0_u8..).zip(self.timers_mut().iter_mut()) {
            if mask & bit(place) != 0 {
                time.set(0);
            }
        }
    }
}

/// Slots.
impl Ram<'_> {
    #[inline]
    pub(crate) fn slot(&self, slot: u8) -> u16 {
        self.slots()
            .get(usize::from(slot))
            .map_or(0, |slot| slot.get())
    }

    pub(crate) fn set_slot(&mut self, slot: u8, value: u16) {
        if let Some(cell) = self.slots_mut().get_mut(usize::from(slot)) {
            cell.set(value);
        }
    }

    /// Two slots as one number, the low half first.
    pub(crate) fn wide_slot(&self, slot: u8) -> u32 {
        u32::from(self.slot(slot)) | u32::from(self.slot(slot.saturating_add(1))) << 16
    }

    pub(crate) fn set_wide_slot(&mut self, slot: u8, value: u32) {
        self.set_slot(slot, value as u16);
        self.set_slot(slot.saturating_add(1), (value >> 16) as u16);
    }

    pub(crate) fn clear_slots(&mut self, first: u8, count: u8) {
        let first = usize::from(first);
        let end = first
            .saturating_add(usize::from(count))
            .min(self.slots().len());
        if let Some(slots) = self.slots_mut().get_mut(first..end) {
            slots.fill(U16::new(0));
        }
    }

    pub(crate) fn has_slot(&self, slot: u8) -> Option<SlotId> {
        SlotId::new(slot).filter(|slot| slot.index() < self.slots().len())
    }
}

/// The queue.
impl Ram<'_> {
    #[inline]
    pub(crate) fn queue(&self) -> &[Event] {
        self.events()
            .get(..usize::from(self.header().event_count))
            .unwrap_or(&[])
    }

    pub(crate) fn queue_mut(&mut self) -> &mut [Event] {
        let count = usize::from(self.header().event_count);
        self.events_mut().get_mut(..count).unwrap_or(&mut [])
    }

    pub(crate) fn push_event(&mut self, event: Event) {
        let count = self.header().event_count;
        if let Some(place) = self.events_mut().get_mut(usize::from(count)) {
            *place = event;
            self.header_mut().event_count = count.saturating_add(1);
        }
    }

    /// Takes an event out; those after it move up, and the place that gets free is zeroed.
    pub(crate) fn remove_event(&mut self, position: usize) -> Option<Event> {
        let count = usize::from(self.header().event_count);
        let rest = self.events_mut().get_mut(position..count)?;
        let event = *rest.first()?;
        // Not `rotate_left`: it takes 256 bytes of stack.
        rest.copy_within(1.., 0);
        *rest.last_mut()? = Event::default();
        self.header_mut().event_count = self.header().event_count.saturating_sub(1);
        Some(event)
    }

    pub(crate) fn clear_queue(&mut self) {
        self.events_mut().fill(Event::default());
        self.header_mut().event_count = 0;
        self.clear_flag(flag::WORK);
    }
}
