//! Timers: which is due, arming, starting, stopping (EVT-7, EVT-9). A place is shared by timers
//! that can never run together, so whose it is follows from the configuration.

use statewright_rom::ids::{StateId, TimerId};
use statewright_rom::layout::{TimerKind, TimerRecord, policy};

use crate::context::Core;
use crate::events::time::is_due;
use crate::fault::Fault;
use crate::instance::ram::bit;

/// Longest time ahead that a deadline can lie.
const MAX_TICKS: u32 = i32::MAX as u32;

/// A timer whose deadline has passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub(crate) timer: TimerId,
    pub(crate) place: u8,
    pub(crate) class: u8,
    deadline: u32,
}

/// What is due.
impl Core<'_> {
    /// Places whose deadline has passed, one bit each.
    fn due_places(&self) -> u8 {
        let armed = self.ram.header().armed;
        if armed == 0 {
            return 0;
        }
        (0..self.ram.timers().len() as u8)
            .filter(|&place| armed & bit(place) != 0 && is_due(self.ram.time(place), self.now))
            .fold(0, |places, place| places | bit(place))
    }

    /// Has the deadline of a place passed?
    pub(crate) fn has_due_place(&self) -> bool {
        self.due_places() != 0
    }

    /// The due timer that is next: highest class, then declaration order; with `internal_first` by
    /// deadline (EVT-10).
    pub(crate) fn due_timer(&self) -> Option<Due> {
        let places = self.due_places();
        if places == 0 {
            return None;
        }
        let by_deadline = self.has_policy(policy::INTERNAL_FIRST);
        let mut best = self.due_machine_timers(places, by_deadline);
        for (_, leaf) in self.leaves().iter() {
            for state in self.rom.path_up(leaf) {
                best = self
                    .due_timers_of(state, places)
                    .fold(best, |best, due| self.earlier(best, due, by_deadline));
            }
        }
        best
    }

    fn due_machine_timers(&self, places: u8, by_deadline: bool) -> Option<Due> {
        let machine = (0..)
            .zip(self.rom.timers())
            .take_while(|(_, timer)| timer.kind == TimerKind::Machine);
        let mut best = None;
        for (index, record) in machine {
            for place in places_of(record).filter(|&place| places & bit(place) != 0) {
                if let Some(due) = self.due(index, record, place) {
                    best = self.earlier(best, due, by_deadline);
                }
            }
        }
        best
    }

    fn due_timers_of(&self, state: StateId, places: u8) -> impl Iterator<Item = Due> + '_ {
        let record = self
            .rom
            .state(state)
            .filter(|record| record.timer_mask & places != 0);
        let first = record.map_or(0, |record| usize::from(record.first_timer.get()));
        let timers = if record.is_some() {
            self.rom.timers_of(state)
        } else {
            &[]
        };
        (first..).zip(timers).filter_map(move |(index, timer)| {
            let due = places & bit(timer.place) != 0 && of_its_state(timer.kind.get());
            if due {
                self.due(index, timer, timer.place)
            } else {
                None
            }
        })
    }

    fn due(&self, index: usize, record: &TimerRecord, place: u8) -> Option<Due> {
        let timer = TimerId::from_index(index)?;
        Some(Due {
            timer,
            place,
            class: record.class.raw(),
            deadline: self.ram.time(place),
        })
    }

    fn earlier(&self, best: Option<Due>, other: Due, by_deadline: bool) -> Option<Due> {
        let Some(best) = best else { return Some(other) };
        let late = |due: &Due| self.now.wrapping_sub(due.deadline);
        // Places of one name lie in start order.
        let order = |due: &Due| (due.timer, due.place);
        let first = if by_deadline {
            (late(&other), core::cmp::Reverse(order(&other)))
                > (late(&best), core::cmp::Reverse(order(&best)))
        } else {
            (other.class, core::cmp::Reverse(order(&other)))
                > (best.class, core::cmp::Reverse(order(&best)))
        };
        Some(if first { other } else { best })
    }
}

/// The places of a timer.
fn places_of(record: &TimerRecord) -> core::ops::Range<u8> {
    record.place..record.place.saturating_add(record.instances)
}

/// Running them.
impl Core<'_> {
    /// Ends one run of a timer; the places of a machine-level name stay in start order.
    pub(crate) fn take_timer(&mut self, timer: TimerId, place: u8) {
        let Some(record) = self.rom.timer(timer) else {
            return;
        };
        for at in place..places_of(record).end {
            let next = at.saturating_add(1);
            if next < places_of(record).end && self.ram.is_armed(next) {
                let deadline = self.ram.time(next);
                self.ram.arm(at, deadline);
            } else {
                self.ram.disarm(at);
            }
        }
    }

    /// Starts a named timer (EVT-9).
    pub(crate) fn start_timer(&mut self, timer: TimerId, ticks: u32) {
        let Some(record) = self.rom.timer(timer) else {
            return;
        };
        let deadline = self.now.wrapping_add(ticks.clamp(1, MAX_TICKS));
        match record.kind.get() {
            TimerKind::State if self.owner_is_active(record) => {
                self.ram.arm(record.place, deadline)
            }
            TimerKind::Machine => self.start_machine_timer(timer, record, deadline),
            // The owner sleeps, or nobody starts it by name.
            TimerKind::State | TimerKind::After | TimerKind::Clock | TimerKind::Debounce => {}
        }
    }

    fn start_machine_timer(&mut self, timer: TimerId, record: &TimerRecord, deadline: u32) {
        let free = |core: &Self| places_of(record).find(|&place| !core.ram.is_armed(place));
        if free(self).is_none() {
            if self.has_policy(policy::INTERNAL_FIRST) {
                self.fault = self.fault.or(Some(Fault::TimerOverflow));
                return;
            }
            self.take_timer(timer, record.place);
        }
        if let Some(place) = free(self) {
            self.ram.arm(place, deadline);
        }
    }

    /// Stops a named timer: all runs of the name (EVT-9).
    pub(crate) fn stop_timer(&mut self, timer: TimerId) {
        let Some(record) = self.rom.timer(timer) else {
            return;
        };
        let runs = match record.kind.get() {
            TimerKind::State => self.owner_is_active(record),
            TimerKind::Machine => true,
            TimerKind::After | TimerKind::Clock | TimerKind::Debounce => false,
        };
        if runs {
            places_of(record).for_each(|place| self.ram.disarm(place));
        }
    }

    /// The place of a state's timer belongs to it only while the state is active.
    fn owner_is_active(&self, record: &TimerRecord) -> bool {
        StateId::read(record.owner).is_some_and(|owner| self.is_active(owner))
    }

    /// Arms the `after` timers of a state that is entered (SEL-1).
    pub(crate) fn arm_after_timers(&mut self, state: StateId) {
        for timer in self
            .rom
            .timers_of(state)
            .iter()
            .filter(|timer| timer.kind == TimerKind::After)
        {
            self.ram.arm(
                timer.place,
                self.now.wrapping_add(timer.ticks.get().clamp(1, MAX_TICKS)),
            );
        }
    }
}

/// Does a timer belong to a state that is active, and fire?
const fn of_its_state(kind: TimerKind) -> bool {
    match kind {
        TimerKind::After | TimerKind::State => true,
        TimerKind::Machine | TimerKind::Clock | TimerKind::Debounce => false,
    }
}
