//! What a tracer is told of timers that begin or end (SYS-3). Runs only while tracing.
//!
//! Timers are started and stopped where no tracer is at hand, and user code may do it. So what runs
//! is compared with what the tracer knows: whenever a state is entered or left, before a selection,
//! and at the end of a tick.

use statewright_rom::ids::{StateId, TimerId};
use statewright_rom::layout::{MAX_TIMERS, TimerKind, TimerRecord};

use crate::context::Core;
use crate::host::trace::Trace;
use crate::instance::ram::bit;
use crate::tick::Run;

/// The timers that a tracer knows to run: one bit per place, and their deadlines.
pub(crate) struct Told {
    armed: u8,
    deadlines: [u32; MAX_TIMERS],
}

impl Told {
    /// The tracer knows what runs now.
    #[cold]
    pub(crate) fn new(core: &Core<'_>) -> Self {
        let mut deadlines = [0; MAX_TIMERS];
        for (deadline, time) in deadlines.iter_mut().zip(core.ram.timers()) {
            *deadline = time.get();
        }
        Self {
            armed: core.ram.header().armed,
            deadlines,
        }
    }

    /// Is it still as the tracer knows it?
    fn is_true(&self, core: &Core<'_>) -> bool {
        let armed = core.ram.header().armed;
        let same =
            |place: u8| self.deadlines.get(usize::from(place)) == Some(&core.ram.time(place));
        self.armed == armed
            && (0..MAX_TIMERS as u8).all(|place| armed & bit(place) == 0 || same(place))
    }

    fn deadline(&self, place: u8) -> Option<u32> {
        self.deadlines
            .get(usize::from(place))
            .copied()
            .filter(|_| self.armed & bit(place) != 0)
    }

    /// What has become of a timer since: the deadline of a new run, or `None` if it was stopped.
    fn news_of(&self, record: &TimerRecord, core: &Core<'_>) -> Option<Option<u32>> {
        let places = record.place..record.place.saturating_add(record.instances);
        let now = |place: u8| {
            if core.ram.is_armed(place) {
                Some(core.ram.time(place))
            } else {
                None
            }
        };
        let known = |new: &u32| {
            places
                .clone()
                .filter_map(|place| self.deadline(place))
                .any(|other| other == *new)
        };
        if let Some(new) = places
            .clone()
            .filter_map(now)
            .find(|deadline| !known(deadline))
        {
            return Some(Some(new));
        }
        let ran = places.clone().any(|place| self.deadline(place).is_some());
        let runs = places.clone().any(|place| now(place).is_some());
        (ran && !runs).then_some(None)
    }
}

impl Core<'_> {
    /// Do its places belong to a timer now? Those of a machine-level one always do.
    fn has_its_places(&self, record: &TimerRecord) -> bool {
        match record.kind.get() {
            TimerKind::Machine => true,
            TimerKind::After | TimerKind::State | TimerKind::Debounce => {
                StateId::read(record.owner).is_some_and(|owner| self.is_active(owner))
            }
            TimerKind::Clock => false,
        }
    }
}

impl Run<'_, '_> {
    /// The tracer knows what runs now.
    #[cold]
    pub(crate) fn mark_timers(&mut self) {
        if let Some(told) = &mut self.told {
            **told = Told::new(self.core);
        }
    }

    /// Tells the tracer of timers that began or were stopped; those in the places of a state that
    /// was left are not worth a word.
    #[cold]
    #[inline(never)]
    pub(crate) fn trace_timers(&mut self, left: u8) {
        let Some(told) = &mut self.told else { return };
        told.armed &= !left;
        if !self.host.is_outline() && !told.is_true(self.core) {
            for (index, record) in self.core.rom.timers().iter().enumerate() {
                let news = if self.core.has_its_places(record) {
                    told.news_of(record, self.core)
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
            .core
            .rom
            .state(state)
            .is_some_and(|record| record.region_count == 0)
        {
            self.host.trace(&Trace::Leaf(state));
        }
    }
}
