//! What happened, counted (SYS-8). The caller owns them; the kernel only adds.

/// Counters of one definition or batch; they wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events taken, timers included.
    pub events: u64,
    /// Events taken that nobody handled or deferred.
    pub unhandled: u64,
    /// Events marked as deferred.
    pub deferred: u64,
    /// Deferrals refused for lack of a place: the event was dropped (EVT-5).
    pub deferrals_refused: u64,
    /// Events removed because of their age (EVT-5).
    pub expired: u64,
    /// Events that replaced the payload of a queued one (EVT-3).
    pub coalesced: u64,
    /// Events dropped, by class (EVT-3, SYS-10).
    pub dropped: [u64; 4],
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
    /// Instances reset because they belong to another machine (RAM-6).
    pub resets: u64,
    /// Commands dropped by the host's budget (CMD-2).
    pub commands_dropped: u64,
}

impl Counters {
    /// What the numbers of [`Self::values`] mean.
    pub const NAMES: [&'static str; 22] = [
        "events",
        "unhandled",
        "deferred",
        "deferrals_refused",
        "expired",
        "coalesced",
        "dropped_low",
        "dropped_normal",
        "dropped_interrupt",
        "dropped_critical",
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
        "resets",
        "commands_dropped",
    ];

    /// All of them, in the order of [`Self::NAMES`].
    pub fn values(&self) -> [u64; 22] {
        let mut copy = *self;
        copy.cells().map(|cell| *cell)
    }

    /// From such a list.
    pub fn from_values(values: [u64; 22]) -> Self {
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

    fn cells(&mut self) -> [&mut u64; 22] {
        let [d0, d1, d2, d3] = &mut self.dropped;
        let [e0, e1, e2, e3] = &mut self.evicted;
        [
            &mut self.events,
            &mut self.unhandled,
            &mut self.deferred,
            &mut self.deferrals_refused,
            &mut self.expired,
            &mut self.coalesced,
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

/// Adds one to the counter of a class.
#[inline]
pub(crate) fn count_class(counters: &mut [u64; 4], class: u8) {
    if let Some(counter) = counters.get_mut(usize::from(class.min(3))) {
        count(counter);
    }
}
