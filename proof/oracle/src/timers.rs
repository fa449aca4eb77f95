//! Timers (EVT-7, EVT-9): due ones are events themselves and never queued.

use statewright_author::value::Class;

use crate::oracle::Oracle;
use crate::report::Quarantine;

/// Longest time that compares with wrap-around.
const LONGEST: u32 = statewright_author::limits::MAX_DURATION_TICKS;

/// Whether a deadline has passed.
pub(crate) fn is_due(deadline: u32, now: u32) -> bool {
    now.wrapping_sub(deadline) < 1 << 31
}

impl Oracle {
    fn has_due(&self, timer: usize, now: u32) -> bool {
        self.timers
            .get(&timer)
            .is_some_and(|list| list.iter().any(|&deadline| is_due(deadline, now)))
    }

    /// The first due timer of a class, in declaration order.
    pub(crate) fn due_timer_of_class(&self, class: Class, now: u32) -> Option<usize> {
        (0..self.model.timers.len())
            .find(|&timer| self.model.timers[timer].class == class && self.has_due(timer, now))
    }

    /// The due timer with the earliest deadline, then in declaration order (EVT-10).
    pub(crate) fn due_timer_by_deadline(&self, now: u32) -> Option<usize> {
        let late = |&timer: &usize| {
            let due = self
                .timers
                .get(&timer)?
                .iter()
                .filter(|&&deadline| is_due(deadline, now));
            due.map(|&deadline| now.wrapping_sub(deadline)).max()
        };
        let due =
            (0..self.model.timers.len()).filter_map(|timer| late(&timer).map(|by| (timer, by)));
        due.min_by_key(|&(timer, by)| (std::cmp::Reverse(by), timer))
            .map(|(timer, _)| timer)
    }

    /// Takes a due timer: it is disarmed. Of one name the first started goes, with `internal_first`
    /// the most overdue.
    pub(crate) fn take_timer(&mut self, timer: usize, now: u32) {
        let by_deadline = self.model.internal_first;
        let list = self.timers.get_mut(&timer).expect("a due timer is armed");
        let due = (0..list.len()).filter(|&at| is_due(list[at], now));
        let place = if by_deadline {
            due.min_by_key(|&at| (std::cmp::Reverse(now.wrapping_sub(list[at])), at))
        } else {
            due.min()
        };
        list.remove(place.expect("a due timer"));
        if list.is_empty() {
            self.timers.remove(&timer);
        }
    }

    /// Starts a named timer, or an `after` timer on entry. A timer of a state that is not active
    /// does not start.
    pub(crate) fn start_timer(&mut self, timer: usize, ticks: u32, now: u32) {
        let declared = &self.model.timers[timer];
        let deadline = now.wrapping_add(ticks.clamp(1, LONGEST));
        match declared.owner {
            Some(owner) => {
                if self.active.contains(&owner) {
                    self.timers.insert(timer, vec![deadline]);
                }
            }
            None => {
                let instances = declared.instances;
                let list = self.timers.entry(timer).or_default();
                if list.len() >= instances {
                    if self.model.internal_first {
                        self.fault.get_or_insert(Quarantine::TimerOverflow);
                        return;
                    }
                    list.remove(0);
                }
                list.push(deadline);
            }
        }
    }

    /// Ends all of a name.
    pub(crate) fn stop_timer(&mut self, timer: usize) {
        self.timers.remove(&timer);
    }

    /// Leaving a state disarms its timers and the debounces of its transitions.
    pub(crate) fn disarm(&mut self, state: usize) {
        let model = self.model.clone();
        for timer in &model.states[state].timers {
            self.timers.remove(timer);
        }
        for transition in &model.states[state].transitions {
            self.debounces.remove(transition);
        }
    }
}
