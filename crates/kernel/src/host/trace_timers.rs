//! What a tracer is traced_timers of timers that begin or end (SYS-3). Runs only while tracing.
//!
//! Timers are started and stopped where no tracer is at hand, and user code may do it. So what runs
//! is compared with what the tracer knows: whenever a state is entered or left, before a selection,
//! and at the end of a tick.

use statewright_rom::ids::{StateId, TimerId, TimerSlot};
use statewright_rom::layout::{MAX_TIMERS, TimerKind, TimerRecord};

use crate::context::Context;
use crate::host::trace::Trace;
use crate::tick::Tick;

/// The timers that a tracer knows to run: one bit per timer slot, and their deadlines.
pub(crate) struct TracedTimers {
    armed: u8,
    deadlines: [u32; MAX_TIMERS],
}

impl TracedTimers {
    /// The tracer knows what runs now.
    #[cold]
    pub(crate) fn new(cx: &Context<'_>) -> Self {
        let mut deadlines = [0; MAX_TIMERS];
        for (deadline, time) in deadlines.iter_mut().zip(cx.ram.timers()) {
            *deadline = time.get();
        }
        Self {
            armed: cx.ram.header().armed,
            deadlines,
        }
    }

    /// Is it still as the tracer knows it?
    fn is_true(&self, cx: &Context<'_>) -> bool {
        let same = |slot: TimerSlot| self.deadlines.get(slot.index()) == Some(&cx.time(slot));
        let mut armed = cx.ram.timer_slots().filter(|&slot| cx.ram.is_armed(slot));
        self.armed == cx.ram.header().armed && armed.all(same)
    }

    fn deadline(&self, slot: TimerSlot) -> Option<u32> {
        self.deadlines
            .get(slot.index())
            .copied()
            .filter(|_| self.armed & slot.bit() != 0)
    }

    /// What has become of a timer since: the deadline of a new run, or `None` if it was stopped.
    fn news_of(&self, record: &TimerRecord, cx: &Context<'_>) -> Option<Option<u32>> {
        let slots = record.timer_slots();
        let now = |slot: TimerSlot| cx.ram.is_armed(slot).then(|| cx.time(slot));
        let known = |new: &u32| {
            let mut before = slots.clone().filter_map(|slot| self.deadline(slot));
            before.any(|other| other == *new)
        };
        let mut running = slots.clone().filter_map(now);
        if let Some(new) = running.find(|deadline| !known(deadline)) {
            return Some(Some(new));
        }
        let ran = slots.clone().any(|slot| self.deadline(slot).is_some());
        let runs = slots.clone().any(|slot| now(slot).is_some());
        (ran && !runs).then_some(None)
    }
}

impl Context<'_> {
    /// Do its places belong to a timer now? Those of a machine-level one always do.
    fn has_its_places(&self, record: &TimerRecord) -> bool {
        match record.kind.get() {
            TimerKind::Machine => true,
            TimerKind::After | TimerKind::Every | TimerKind::State | TimerKind::Debounce => {
                StateId::read(record.owner).is_some_and(|owner| self.is_active(owner))
            }
            TimerKind::Clock => false,
        }
    }
}

impl Tick<'_, '_> {
    /// The tracer knows what runs now.
    #[cold]
    pub(crate) fn mark_timers(&mut self) {
        if let Some(traced_timers) = &mut self.traced_timers {
            **traced_timers = TracedTimers::new(self.cx);
        }
    }

    /// Tells the tracer of timers that began or were stopped; those in the places of a state that
    /// was left are not worth a word.
    #[cold]
    #[inline(never)]
    pub(crate) fn trace_timers(&mut self, left: u8) {
        let Some(traced_timers) = &mut self.traced_timers else {
            return;
        };
        traced_timers.armed &= !left;
        if !self.host.is_outline() && !traced_timers.is_true(self.cx) {
            for (index, record) in self.cx.rom.timers().iter().enumerate() {
                let news = if self.cx.has_its_places(record) {
                    traced_timers.news_of(record, self.cx)
                } else {
                    None
                };
                let Some((timer, news)) = TimerId::from_index(index).zip(news) else {
                    continue;
                };
                self.host.trace(&match news {
                    Some(deadline) => Trace::TimerSet(timer, deadline),
                    None => Trace::TimerStopped(timer),
                });
            }
        }
        self.mark_timers();
    }

    /// Tells the tracer of a state that is a leaf.
    #[cold]
    pub(crate) fn trace_leaf(&mut self, state: StateId) {
        if self
            .cx
            .rom
            .state(state)
            .is_some_and(|record| record.region_count == 0)
        {
            self.host.trace(&Trace::Leaf(state));
        }
    }
}
