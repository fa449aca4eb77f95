//! What transitions that are code change in an instance: leaves, timers, results, clocks (EXEC-1,
//! RAM-7).

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::{CallSite, Fuse, Host};
use crate::context::TakenFor;
use crate::instance::event::{Class, Event};
use crate::instance::{Instance, RawParts};
use crate::tick::Tick;

/// Which transition it is, and why.
impl Fuse<'_, '_> {
    /// A transition is carried out from now on.
    #[inline(always)]
    pub fn taking(&mut self, transition: u16) {
        self.cx.fixed_transition = TransitionId::new(transition);
    }

    /// It is done. Deferred events may be taken again.
    #[inline(always)]
    pub fn taken<I: Instance>(&mut self, moved: bool) {
        self.cx.fixed_transition = None;
        if moved && self.has_queued::<I>() {
            self.cx.clear_marks();
        }
    }

    #[inline(always)]
    fn has_queued<I: Instance>(&self) -> bool {
        I::view(&self.cx.ram).is_none_or(|instance| instance.header().event_count != 0)
    }

    /// A timer is why.
    #[inline(always)]
    pub fn because_of_timer(&mut self, timer: u16) {
        self.cx.fixed_cause = TimerId::new(timer).map_or(TakenFor::Nothing, TakenFor::Timer);
    }

    /// Keeps an event of the inbox for later (EVT-5).
    #[inline(never)]
    pub fn defer(&mut self, event: &Event) {
        let mut event = *event;
        event.stamp.set(self.cx.now);
        event.class = event.class.min(Class::Critical as u8);
        event.flags = 0;
        self.cx.defer(event, None);
    }

    /// The timer that fires first of those whose slots are due; 0xFFFF if none of them fires.
    #[inline(never)]
    pub fn due_timer(&self, due: u8) -> u16 {
        let due = self.cx.due_timer(due);
        due.map_or(NONE, |due| due.timer.raw())
    }
}

/// Bytes of the instance.
impl Fuse<'_, '_> {
    /// Code that works on another tier has come to no configuration before: nothing is written then, and no
    /// alarm is needed at every place that writes.
    #[inline(always)]
    fn with_parts<I: Instance>(&mut self, work: impl FnOnce(RawParts<'_>)) {
        let _ = I::with(&mut self.cx.ram, |instance| work(instance.raw_parts()));
    }

    /// What is the innermost active state on a line.
    #[inline(always)]
    pub fn put_leaf<I: Instance, const N: usize>(&mut self, leaf: u16) {
        self.with_parts::<I>(|parts| {
            if let Some(cell) = parts.leaves.get_mut(N) {
                cell.set(leaf);
            }
        });
    }

    /// A state on a line counts as entered in this tick (TICK-5).
    #[inline(always)]
    pub fn mark_fresh(&mut self, line: u8, depth: u8) {
        self.cx.mark_fresh_at(line, depth);
    }

    /// Was a state at this place of the tree entered in this tick?
    #[inline(always)]
    pub fn is_fresh(&self, line: u8, depth: u8) -> bool {
        self.cx.is_fresh(line, depth)
    }

    /// Clears bits of a slot.
    #[inline(always)]
    pub fn clear_bits<I: Instance>(&mut self, slot: u8, bits: u16) {
        self.with_parts::<I>(|parts| {
            if let Some(cell) = parts.slots.get_mut(usize::from(slot)) {
                cell.set(cell.get() & !bits);
            }
        });
    }

    /// Clears slots.
    #[inline(always)]
    pub fn clear_slots<I: Instance>(&mut self, first: u8, count: u8) {
        let first = usize::from(first);
        self.with_parts::<I>(|parts| {
            let slots = parts.slots.get_mut(first..first.wrapping_add(count.into()));
            slots.unwrap_or_default().fill(U16::new(0));
        });
    }

    /// Writes a slot.
    #[inline(always)]
    pub fn put_slot<I: Instance>(&mut self, slot: u8, value: u16) {
        self.with_parts::<I>(|parts| {
            if let Some(cell) = parts.slots.get_mut(usize::from(slot)) {
                cell.set(value);
            }
        });
    }

    /// The clock of a state begins.
    #[inline(always)]
    pub fn start_clock<I: Instance>(&mut self, timer: u8) {
        let now = self.cx.now;
        self.with_parts::<I>(|parts| {
            if let Some(cell) = parts.timers.get_mut(usize::from(timer)) {
                cell.set(now);
            }
        });
    }

    /// A timer runs so many ticks.
    #[inline(always)]
    pub fn arm<I: Instance>(&mut self, timer: u8, ticks: u32) {
        let deadline = self.cx.now.wrapping_add(ticks);
        self.with_parts::<I>(|parts| {
            if let Some(cell) = parts.timers.get_mut(usize::from(timer)) {
                cell.set(deadline);
                parts.header.armed |= 1_u8.checked_shl(timer.into()).unwrap_or(0);
            }
        });
    }

    /// Timers and clocks of a mask end.
    #[inline(always)]
    pub fn disarm<I: Instance>(&mut self, mask: u8) {
        self.with_parts::<I>(|parts| {
            parts.header.armed &= !mask;
            for (number, cell) in (0_u32..).zip(parts.timers) {
                if mask & 1_u8.checked_shl(number).unwrap_or(0) != 0 {
                    cell.set(0);
                }
            }
        });
    }

    /// An `every` is taken: its deadline moves on by so many ticks, past now (LANG-2).
    #[inline(always)]
    pub fn move_on<I: Instance>(&mut self, timer: u8, ticks: u32) {
        let now = self.cx.now;
        self.with_parts::<I>(|parts| {
            if let Some(cell) = parts.timers.get_mut(usize::from(timer)) {
                let late = now.wrapping_sub(cell.get());
                let missed = late.wrapping_sub(late.checked_rem(ticks).unwrap_or(0));
                let next = cell.get().wrapping_add(missed).wrapping_add(ticks);
                cell.set(next);
                parts.header.armed |= 1_u8.checked_shl(timer.into()).unwrap_or(0);
            }
        });
    }
}

/// What is left to the tables.
impl Fuse<'_, '_> {
    /// Carries out a transition whose way is found at run time. A fault is looked at after it.
    #[inline(never)]
    pub fn carry_out(&mut self, host: &mut dyn Host, transition: u16) {
        let cause = self.cx.fixed_cause.cause();
        let Some(id) = self.cx.proved(TransitionId::new(transition)) else {
            return;
        };
        if let Err(fault) = Tick::new(self.cx, host, None).commit_found(id, cause) {
            self.cx.raise(fault);
        }
    }

    /// Records the history points of a state that is about to be left (EXEC-4).
    #[inline(never)]
    pub fn record(&mut self, state: u16) {
        if let Some(state) = self.cx.proved(StateId::new(state)) {
            self.cx.record_points(state);
        }
    }

    /// Frees the channels of a state that is left (CODE-7).
    #[inline(never)]
    pub fn release(&mut self, host: &mut dyn Host, call: &'static CallSite) {
        let site = self.cx.fixed_site(call);
        Tick::new(self.cx, host, None).release_channels(&site);
    }

    /// What begins when the transition is taken, just before its effect.
    #[inline(never)]
    pub fn begin_transition(&mut self, host: &mut dyn Host) {
        let cause = self.cx.fixed_cause.cause();
        let candidate = self
            .cx
            .fixed_transition
            .and_then(|id| self.cx.candidate(id));
        if let Some(candidate) = candidate {
            Tick::new(self.cx, host, None).begin(&candidate, cause);
        }
    }

    /// Arms the timers of a state that is entered whose durations are found now.
    #[inline(never)]
    pub fn arm_computed(&mut self, host: &mut dyn Host, call: &'static CallSite) {
        let site = self.cx.fixed_site(call);
        Tick::new(self.cx, host, None).arm_computed_timers(&site);
    }

    /// An `every` is taken whose duration is found now.
    #[inline(never)]
    pub fn move_on_computed(&mut self, host: &mut dyn Host, timer: u16) {
        let found = TimerId::new(timer).and_then(|id| Some((id, self.cx.rom.timer(id)?)));
        if let Some((timer, record)) = self.cx.proved(found)
            && let Some(slot) = self.cx.proved(TimerSlot::new(record.place))
        {
            Tick::new(self.cx, host, None).move_on(timer, record, slot);
        }
    }
}
