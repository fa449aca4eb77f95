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
