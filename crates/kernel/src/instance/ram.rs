//! One view of an instance of any tier (RAM-2). What the ids of a ROM lead to in it: `places`.

use zerocopy::byteorder::little_endian::{U16, U32};

use statewright_rom::ids::{LeafId, TimerSlot};
use statewright_rom::layout::NONE;

use crate::instance::event::Event;
use crate::instance::{Header, Instance, Instance64, Instance128, Instance256, flag};

/// An instance of any tier.
#[derive(Debug)]
pub enum Ram<'a> {
    /// None: between two agents of a batch. A header without anything behind it. A reference as the others are: so
    /// the header of all of them is found at the same place, without a look at which it is.
    Detached(&'a mut Header),
    /// Crowd.
    Crowd(&'a mut Instance64),
    /// Standard.
    Standard(&'a mut Instance128),
    /// Hero.
    Hero(&'a mut Instance256),
}

/// Where a reference to an instance of any tier lies.
#[derive(Debug)]
pub enum AnySlot<'r, 'a> {
    /// Crowd.
    Crowd(&'r mut &'a mut Instance64),
    /// Standard.
    Standard(&'r mut &'a mut Instance128),
    /// Hero.
    Hero(&'r mut &'a mut Instance256),
}

/// One accessor for all tiers, for looking and for writing.
macro_rules! part {
    ($part:ident $part_mut:ident $element:ty) => {
        #[inline]
        pub(crate) fn $part(&self) -> &[$element] {
            match self {
                Self::Detached(_) => &[],
                Self::Crowd(instance) => &instance.$part,
                Self::Standard(instance) => &instance.$part,
                Self::Hero(instance) => &instance.$part,
            }
        }

        #[inline]
        pub(crate) fn $part_mut(&mut self) -> &mut [$element] {
            match self {
                Self::Detached(_) => &mut [],
                Self::Crowd(instance) => &mut instance.$part,
                Self::Standard(instance) => &mut instance.$part,
                Self::Hero(instance) => &mut instance.$part,
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
            Self::Detached(header) => header,
            Self::Crowd(instance) => &instance.header,
            Self::Standard(instance) => &instance.header,
            Self::Hero(instance) => &instance.header,
        }
    }

    #[inline]
    pub(crate) fn header_mut(&mut self) -> &mut Header {
        match self {
            Self::Detached(header) => header,
            Self::Crowd(instance) => &mut instance.header,
            Self::Standard(instance) => &mut instance.header,
            Self::Hero(instance) => &mut instance.header,
        }
    }
}

/// How the parts of an attached instance are found: by its type where that is known, else by a look at its tier.
pub(crate) trait Seen {
    fn leaves<'r>(ram: &'r Ram<'_>) -> &'r [U16]
    where
        Self: 'r;
    fn slots<'r>(ram: &'r Ram<'_>) -> &'r [U16]
    where
        Self: 'r;
}

impl<I: Instance> Seen for I {
    #[inline(always)]
    fn leaves<'r>(ram: &'r Ram<'_>) -> &'r [U16]
    where
        Self: 'r,
    {
        I::view(ram).map_or(&[], I::raw_leaves)
    }

    #[inline(always)]
    fn slots<'r>(ram: &'r Ram<'_>) -> &'r [U16]
    where
        Self: 'r,
    {
        I::view(ram).map_or(&[], I::raw_slots)
    }
}

/// Any tier.
pub(crate) struct AnyTier;

impl Seen for AnyTier {
    #[inline]
    fn leaves<'r>(ram: &'r Ram<'_>) -> &'r [U16]
    where
        Self: 'r,
    {
        ram.leaves()
    }

    #[inline]
    fn slots<'r>(ram: &'r Ram<'_>) -> &'r [U16]
    where
        Self: 'r,
    {
        ram.slots()
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
        self.clear_flag(flag::WORK | flag::POLLS | flag::PAUSED | flag::INCOMPLETE);
        self.set_flag(flag::QUARANTINED);
    }
}

/// Leaves.
impl Ram<'_> {
    /// All leaf ids of the tier.
    #[inline]
    pub(crate) fn leaf_ids(&self) -> impl Iterator<Item = LeafId> + Clone + use<> {
        LeafId::run(0, self.leaves().len() as u8)
    }

    pub(crate) fn clear_leaves(&mut self) {
        self.leaves_mut().fill(U16::new(NONE));
    }
}

/// Timers.
impl Ram<'_> {
    /// All timer slots of the tier.
    #[inline]
    pub(crate) fn timer_slots(&self) -> impl Iterator<Item = TimerSlot> + Clone + use<> {
        TimerSlot::run(0, self.timers().len() as u8)
    }

    #[inline]
    pub(crate) fn is_armed(&self, slot: TimerSlot) -> bool {
        self.header().armed & slot.bit() != 0
    }

    /// Replaces the times of all slots of a mask by `now - time`: a time that runs becomes one that
    /// stands still, and back (SYS-9).
    pub(crate) fn turn_times(&mut self, mask: u8, now: u32) {
        for (slot, time) in self.timer_slots().zip(self.timers_mut()) {
            if mask & slot.bit() != 0 {
                time.set(now.wrapping_sub(time.get()));
            }
        }
    }

    /// Disarms all slots of a mask, clocks included.
    pub(crate) fn disarm_all(&mut self, mask: u8) {
        if mask == 0 {
            return;
        }
        self.header_mut().armed &= !mask;
        let (mut rest, timers) = (mask, self.timers_mut());
        // Bound: the bits.
        while rest != 0 {
            if let Some(time) = timers.get_mut(rest.trailing_zeros() as usize) {
                time.set(0);
            }
            rest &= rest.wrapping_sub(1);
        }
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

    /// Puts an event behind the others; whether there was a place.
    pub(crate) fn push_event(&mut self, event: Event) -> bool {
        let count = self.header().event_count;
        let Some(cell) = self.events_mut().get_mut(usize::from(count)) else {
            return false;
        };
        *cell = event;
        self.header_mut().event_count = count.saturating_add(1);
        true
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
