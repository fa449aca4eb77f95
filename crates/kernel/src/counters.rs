//! What happened, counted (SYS-8). The caller owns them; the kernel only adds.

use crate::instance::event::Class;

statewright_rom::numbers! {
    /// Why an event never reached the transitions of its receiver. Traces hold its number.
    Loss: u8 {
        /// The receiver has ended (SYS-10).
        Ended = 0 "its receiver had ended",
        /// The queue had no room for its class (EVT-3).
        Overflow = 1 "the queue had no room for it",
        /// Nobody handled it, somebody deferred it, and the queue had no room (EVT-5).
        Deferral = 2 "it was to be deferred, and the queue had no room",
        /// More were left over from a tick than one cap's worth (EVT-4).
        Surplus = 3 "more events were left over than one tick takes",
        /// The machine does not have it.
        Unknown = 4 "the machine does not know it",
        /// It was older than its type may be (EVT-5).
        Expired = 5 "it was too old when it was looked at",
        /// A more urgent one took its place (EVT-3).
        Evicted = 6 "a more urgent event took its place in the queue",
        /// Its payload went to one of its type that was queued already (EVT-3).
        Coalesced = 7 "its payload replaced that of one that was queued already",
    }
}

/// Counters of one definition or batch; they wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events taken, timers included.
    pub events: u64,
    /// Events taken that nobody handled or deferred.
    pub unhandled: u64,
    /// Events marked as deferred.
    pub deferred: u64,
    /// Events dropped because nobody could keep them for later: deferral found no room (EVT-5).
    pub deferrals_refused: u64,
    /// Events removed because of their age (EVT-5).
    pub expired: u64,
    /// Events that replaced the payload of a queued one (EVT-3).
    pub coalesced: u64,
    /// Events dropped because their receiver has ended (SYS-10).
    pub dropped_ended: u64,
    /// Events dropped because more were left over than one cap's worth (EVT-4).
    pub dropped_surplus: u64,
    /// Events dropped because the machine does not have them.
    pub dropped_unknown: u64,
    /// Events dropped because the queue had no room, by class (EVT-3).
    pub dropped_overflow: [u64; 4],
    /// Events evicted, by class (EVT-3).
    pub evicted: [u64; 4],
    /// Committed selections.
    pub microsteps: u64,
    /// Transitions carried out.
    pub transitions: u64,
    /// Clamped ticks (TICK-4).
    pub clamps: u64,
    /// Fail-safes (TICK-4).
    pub fail_safes: u64,
    /// Instances that ended by themselves or were stopped.
    pub terminations: u64,
    /// Instances quarantined.
    pub quarantines: u64,
    /// Instances quarantined because something happened that was ruled out, of those above.
    pub impossible: u64,
    /// Instances reset because they belong to another machine (RAM-6).
    pub resets: u64,
    /// Commands dropped by the host's budget (CMD-2).
    pub commands_dropped: u64,
}

impl Counters {
    /// What the numbers of [`Self::values`] mean.
    pub const NAMES: [&'static str; 26] = [
        "events",
        "unhandled",
        "deferred",
        "deferrals_refused",
        "expired",
        "coalesced",
        "dropped_ended",
        "dropped_surplus",
        "dropped_unknown",
        "dropped_overflow_low",
        "dropped_overflow_normal",
        "dropped_overflow_interrupt",
        "dropped_overflow_critical",
        "evicted_low",
        "evicted_normal",
        "evicted_interrupt",
        "evicted_critical",
        "microsteps",
        "transitions",
        "clamps",
        "fail_safes",
        "terminations",
        "quarantines",
        "impossible",
        "resets",
        "commands_dropped",
    ];

    /// All of them, in the order of [`Self::NAMES`].
    pub fn values(&self) -> [u64; 26] {
        let mut copy = *self;
        copy.cells().map(|cell| *cell)
    }

    /// From such a list.
    pub fn from_values(values: [u64; 26]) -> Self {
        let mut counters = Self::default();
        for (cell, value) in counters.cells().into_iter().zip(values) {
            *cell = value;
        }
        counters
    }

    /// Adds those of another part.
    pub fn add(&mut self, other: &Self) {
        for (cell, value) in self.cells().into_iter().zip(other.values()) {
            *cell = cell.wrapping_add(value);
        }
    }

    /// All events that were dropped, for whatever reason. Those that expired, were evicted or
    /// coalesced were let in first and are not among them.
    pub fn dropped(&self) -> u64 {
        let overflow = self.dropped_overflow.iter();
        overflow
            .chain([
                &self.dropped_ended,
                &self.dropped_surplus,
                &self.dropped_unknown,
                &self.deferrals_refused,
            ])
            .fold(0, |sum, count| sum.wrapping_add(*count))
    }

    /// Counts an event of a class that was lost.
    pub fn lose(&mut self, loss: Loss, class: Class) {
        count(match loss {
            Loss::Ended => &mut self.dropped_ended,
            Loss::Overflow => of_class(&mut self.dropped_overflow, class),
            Loss::Deferral => &mut self.deferrals_refused,
            Loss::Surplus => &mut self.dropped_surplus,
            Loss::Unknown => &mut self.dropped_unknown,
            Loss::Expired => &mut self.expired,
            Loss::Evicted => of_class(&mut self.evicted, class),
            Loss::Coalesced => &mut self.coalesced,
        });
    }

    fn cells(&mut self) -> [&mut u64; 26] {
        let [d0, d1, d2, d3] = &mut self.dropped_overflow;
        let [e0, e1, e2, e3] = &mut self.evicted;
        [
            &mut self.events,
            &mut self.unhandled,
            &mut self.deferred,
            &mut self.deferrals_refused,
            &mut self.expired,
            &mut self.coalesced,
            &mut self.dropped_ended,
            &mut self.dropped_surplus,
            &mut self.dropped_unknown,
            d0,
            d1,
            d2,
            d3,
            e0,
            e1,
            e2,
            e3,
            &mut self.microsteps,
            &mut self.transitions,
            &mut self.clamps,
            &mut self.fail_safes,
            &mut self.terminations,
            &mut self.quarantines,
            &mut self.impossible,
            &mut self.resets,
            &mut self.commands_dropped,
        ]
    }
}

/// Adds one.
#[inline]
pub(crate) fn count(counter: &mut u64) {
    *counter = counter.wrapping_add(1);
}

/// The counter of a class.
fn of_class([low, normal, interrupt, critical]: &mut [u64; 4], class: Class) -> &mut u64 {
    match class {
        Class::Low => low,
        Class::Normal => normal,
        Class::Interrupt => interrupt,
        Class::Critical => critical,
    }
}
