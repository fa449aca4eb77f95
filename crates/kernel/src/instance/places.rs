//! What the ids of a ROM lead to in an instance: leaves, timers, slots, event places (RAM-2).
//!
//! The loader has proved that every place fits the tier of its machine. A place past the end would
//! be a mistake of the kernel: reading it gives nothing, writing it does nothing, and the alarm is
//! raised (`impossible`).

use zerocopy::byteorder::little_endian::U16;

use statewright_rom::ids::{LeafId, SlotId, StateId, TimerSlot};

use crate::context::Context;
use crate::instance::event::Event;

/// Leaves.
impl Context<'_> {
    #[inline]
    pub(crate) fn leaf(&self, id: LeafId) -> Option<StateId> {
        StateId::read(*self.proved(self.ram.leaves().get(id.index()))?)
    }

    #[inline]
    pub(crate) fn set_leaf(&mut self, id: LeafId, state: Option<StateId>) {
        match self.ram.leaves_mut().get_mut(id.index()) {
            Some(leaf) => leaf.set(StateId::to_raw(state)),
            None => self.impossible("a leaf behind the last of the tier"),
        }
    }
}

/// Timers.
impl Context<'_> {
    /// The deadline of a running timer, or the entry tick of a clock.
    #[inline]
    pub(crate) fn time(&self, slot: TimerSlot) -> u32 {
        let time = self.proved(self.ram.timers().get(slot.index()));
        time.map_or(0, |time| time.get())
    }

    pub(crate) fn set_time(&mut self, slot: TimerSlot, time: u32) {
        match self.ram.timers_mut().get_mut(slot.index()) {
            Some(cell) => cell.set(time),
            None => self.impossible("a timer behind the last of the tier"),
        }
    }

    pub(crate) fn arm(&mut self, slot: TimerSlot, deadline: u32) {
        self.ram.header_mut().armed |= slot.bit();
        self.set_time(slot, deadline);
    }

    pub(crate) fn disarm(&mut self, slot: TimerSlot) {
        self.ram.header_mut().armed &= !slot.bit();
        self.set_time(slot, 0);
    }
}

/// Slots.
impl Context<'_> {
    #[inline]
    pub(crate) fn slot(&self, slot: SlotId) -> u16 {
        let slot = self.proved(self.ram.slots().get(slot.index()));
        slot.map_or(0, |slot| slot.get())
    }

    pub(crate) fn set_slot(&mut self, slot: SlotId, value: u16) {
        match self.ram.slots_mut().get_mut(slot.index()) {
            Some(cell) => cell.set(value),
            None => self.impossible("a slot behind the last of the tier"),
        }
    }

    /// Two slots as one number, the low half first.
    pub(crate) fn wide_slot(&self, slot: SlotId) -> u32 {
        u32::from(self.slot(slot)) | u32::from(self.slot(slot.offset(1))) << 16
    }

    pub(crate) fn set_wide_slot(&mut self, slot: SlotId, value: u32) {
        self.set_slot(slot, value as u16);
        self.set_slot(slot.offset(1), (value >> 16) as u16);
    }

    pub(crate) fn clear_slots(&mut self, first: SlotId, count: u8) {
        let first = first.index();
        let end = first.saturating_add(usize::from(count));
        match self.ram.slots_mut().get_mut(first..end) {
            Some(slots) => slots.fill(U16::new(0)),
            None => self.impossible("slots behind the last of the tier"),
        }
    }
}

/// Event places.
impl Context<'_> {
    /// Queues an event; whoever does has made room for it.
    pub(crate) fn push_event(&mut self, event: Event) {
        if !self.ram.push_event(event) {
            self.impossible("an event was let in without a place");
        }
    }

    /// Takes the event at a position of the queue out.
    pub(crate) fn remove_event(&mut self, position: usize) -> Option<Event> {
        let removed = self.ram.remove_event(position);
        self.proved(removed)
    }
}
