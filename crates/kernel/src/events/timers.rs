//! Timers: which is due, arming, starting, stopping (EVT-7, EVT-9). A timer slot is shared by
//! timers that can never run together, so whose it is follows from the configuration.

use statewright_rom::ids::{StateId, TimerId, TimerSlot};
use statewright_rom::layout::{MAX_TICKS, StateRecord, TimerKind, TimerRecord, policy};

use crate::context::Context;
use crate::events::time::is_due;
use crate::fault::Fault;
use crate::instance::ram::bit;

/// What is left of arming the timers of a state that is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arming {
    /// Nothing.
    Done,
    /// Those whose durations are found now (LANG-3).
    Computed,
}

/// A timer whose deadline has passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub(crate) timer: TimerId,
    pub(crate) slot: TimerSlot,
    pub(crate) class: u8,
    deadline: u32,
}

/// What is due.
impl Context<'_> {
    /// Timers whose deadline has passed, one bit per timer slot.
    #[inline]
    pub(crate) fn due_mask(&self) -> u8 {
        let armed = self.ram.header().armed;
        if armed == 0 {
            return 0;
        }
        let slots = (0_u8..).zip(self.ram.timers());
        slots.fold(0, |mask, (number, time)| {
            let due = armed & bit(number) != 0 && is_due(time.get(), self.now);
            mask | if due { bit(number) } else { 0 }
        })
    }

    /// The due timer that is next: highest class, then declaration order; with `internal_first` by
    /// deadline (EVT-10).
    pub(crate) fn due_timer(&self, due: u8) -> Option<Due> {
        if due == 0 {
            return None;
        }
        if due.is_power_of_two()
            && let Some(alone) = self.due_alone(due)
        {
            return Some(alone);
        }
        let by_deadline = self.has_policy(policy::INTERNAL_FIRST);
        let mut best = self.due_machine_timers(due, by_deadline);
        // A place belongs to one timer at a time: where one is due, nobody else has to be looked for.
        let alone = due.is_power_of_two();
        if alone && best.is_some() {
            return best;
        }
        // In no order: which of them is next does not depend on where its state stands.
        for &leaf in self.ram.leaves() {
            let mut at = StateId::read(leaf);
            // Bound: the depth of the tree.
            while let Some((state, record)) = at.and_then(|at| Some((at, self.rom.state(at)?))) {
                if record.timer_mask & due != 0 {
                    best = self
                        .due_timers_of(state, due)
                        .fold(best, |best, due| self.earlier(best, due, by_deadline));
                    if alone && best.is_some() {
                        return best;
                    }
                }
                at = StateId::read(record.parent);
            }
        }
        best
    }

    /// The timer of a place that alone is due, if it belongs to a state: a place belongs to one timer at a time,
    /// so that nobody else has to be looked for.
    #[inline]
    fn due_alone(&self, due: u8) -> Option<Due> {
        let (states, timers) = (self.rom.states(), self.rom.timers());
        if timers.first()?.kind == TimerKind::Machine {
            return None;
        }
        for leaf in self.ram.leaves() {
            let mut at = leaf.get();
            // Bound: the depth of the tree.
            while let Some(record) = states.get(usize::from(at)) {
                if record.timer_mask & due != 0 {
                    let first = usize::from(record.first_timer.get());
                    let own = first..first.saturating_add(usize::from(record.timer_count));
                    let fires = |timer: &TimerRecord| {
                        bit(timer.place) == due && of_its_state(timer.kind.get())
                    };
                    let found = own
                        .zip(timers.get(first..)?)
                        .find(|(_, timer)| fires(timer));
                    if let Some((index, timer)) = found {
                        return self.due(index, timer, TimerSlot::new(timer.place)?);
                    }
                }
                at = record.parent.get();
            }
        }
        None
    }

    fn due_machine_timers(&self, mask: u8, by_deadline: bool) -> Option<Due> {
        let machine = (0..)
            .zip(self.rom.timers())
            .take_while(|(_, timer)| timer.kind == TimerKind::Machine);
        let mut best = None;
        for (index, record) in machine {
            for slot in record.timer_slots().filter(|slot| mask & slot.bit() != 0) {
                if let Some(due) = self.due(index, record, slot) {
                    best = self.earlier(best, due, by_deadline);
                }
            }
        }
        best
    }

    fn due_timers_of(&self, state: StateId, mask: u8) -> impl Iterator<Item = Due> + '_ {
        let record = self
            .state(state)
            .filter(|record| record.timer_mask & mask != 0);
        let first = record.map_or(0, |record| usize::from(record.first_timer.get()));
        let timers = if record.is_some() {
            self.rom.timers_of(state)
        } else {
            &[]
        };
        (first..).zip(timers).filter_map(move |(index, timer)| {
            let slot = self.proved(TimerSlot::new(timer.place))?;
            let due = mask & slot.bit() != 0 && of_its_state(timer.kind.get());
            if due {
                self.due(index, timer, slot)
            } else {
                None
            }
        })
    }

    fn due(&self, index: usize, record: &TimerRecord, slot: TimerSlot) -> Option<Due> {
        let timer = self.proved(TimerId::from_index(index))?;
        Some(Due {
            timer,
            slot,
            class: record.class.raw(),
            deadline: self.time(slot),
        })
    }

    fn earlier(&self, best: Option<Due>, other: Due, by_deadline: bool) -> Option<Due> {
        let Some(best) = best else { return Some(other) };
        let late = |due: &Due| self.now.wrapping_sub(due.deadline);
        // The slots of one name lie in start order.
        let order = |due: &Due| (due.timer, due.slot);
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

/// Running them.
impl Context<'_> {
    /// Ends one run of a timer; the runs of a machine-level name stay in start order.
    pub(crate) fn take_timer(&mut self, timer: TimerId, slot: TimerSlot) {
        let Some(record) = self.proved(self.rom.timer(timer)) else {
            return;
        };
        if record.kind != TimerKind::Machine {
            return self.disarm(slot);
        }
        let mut runs = record
            .timer_slots()
            .skip_while(|&other| other != slot)
            .peekable();
        // Bound: the slots of the timer.
        while let Some(at) = runs.next() {
            match runs.peek().filter(|&&next| self.ram.is_armed(next)) {
                Some(&next) => self.arm(at, self.time(next)),
                None => self.disarm(at),
            }
        }
    }

    /// Starts a named timer (EVT-9). User code may name one that the machine does not have: none is
    /// started then.
    pub(crate) fn start_timer(&mut self, timer: TimerId, ticks: u32) {
        let Some(record) = self.rom.timer(timer) else {
            return;
        };
        let deadline = self.now.wrapping_add(ticks.clamp(1, MAX_TICKS));
        match record.kind.get() {
            TimerKind::State if self.owner_is_active(record) => {
                record
                    .timer_slots()
                    .take(1)
                    .for_each(|slot| self.arm(slot, deadline));
            }
            TimerKind::Machine => self.start_machine_timer(timer, record, deadline),
            // The owner sleeps, or nobody starts it by name.
            TimerKind::State
            | TimerKind::After
            | TimerKind::Every
            | TimerKind::Clock
            | TimerKind::Debounce => {}
        }
    }

    fn start_machine_timer(&mut self, timer: TimerId, record: &TimerRecord, deadline: u32) {
        let free = |cx: &Self| record.timer_slots().find(|&slot| !cx.ram.is_armed(slot));
        if free(self).is_none() {
            if self.has_policy(policy::INTERNAL_FIRST) {
                self.raise(Fault::TimerOverflow);
                return;
            }
            if let Some(first) = self.proved(record.timer_slots().next()) {
                self.take_timer(timer, first);
            }
        }
        if let Some(slot) = self.proved(free(self)) {
            self.arm(slot, deadline);
        }
    }

    /// Stops a named timer: all runs of the name (EVT-9); none of a name that there is not.
    pub(crate) fn stop_timer(&mut self, timer: TimerId) {
        let Some(record) = self.rom.timer(timer) else {
            return;
        };
        let runs = match record.kind.get() {
            TimerKind::State => self.owner_is_active(record),
            TimerKind::Machine => true,
            TimerKind::After | TimerKind::Every | TimerKind::Clock | TimerKind::Debounce => false,
        };
        if runs {
            record.timer_slots().for_each(|slot| self.disarm(slot));
        }
    }

    /// The slot of a state's timer belongs to it only while the state is active.
    fn owner_is_active(&self, record: &TimerRecord) -> bool {
        self.proved(StateId::read(record.owner))
            .is_some_and(|owner| self.is_active(owner))
    }

    /// Arms the `after` and `every` timers of a state that is entered (SEL-1, LANG-2), as far as
    /// their durations are in the ROM.
    pub(crate) fn arm_entry_timers(&mut self, record: &StateRecord) -> Arming {
        let mut arming = Arming::Done;
        for timer in self.rom.timers_in(record) {
            if !timer.kind.get().is_armed_on_entry() {
                continue;
            }
            let Some(ticks) = timer.duration.known() else {
                arming = Arming::Computed;
                continue;
            };
            if let Some(slot) = timer.timer_slots().next() {
                self.arm(slot, self.now.wrapping_add(ticks.max(1)));
            }
        }
        arming
    }
}

/// Does a timer belong to a state that is active, and fire?
const fn of_its_state(kind: TimerKind) -> bool {
    match kind {
        TimerKind::After | TimerKind::Every | TimerKind::State => true,
        TimerKind::Machine | TimerKind::Clock | TimerKind::Debounce => false,
    }
}
