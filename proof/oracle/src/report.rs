//! What a tick reports, and counters (SEL-7, SYS-8).

use std::collections::BTreeMap;

use crate::world::Cause;

/// What became of a transition whose trigger matched (SEL-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Accepted and carried out.
    Taken,
    /// Its cooldown runs.
    Cooldown,
    /// No free frame for a push.
    StackFull,
    /// No frame for a pop.
    StackEmpty,
    /// Its guard is false, with the guard's own code.
    GuardFalse(u16),
    /// The guard has not been true for long enough.
    Debounce,
    /// Its score is too low.
    BelowThreshold,
    /// A state of the exit set must stay longer.
    MinActive,
    /// A state of the exit set is not ready to be left.
    ExitNotReady,
    /// Never asked, or outscored.
    NotReached,
    /// Its exit set meets that of an accepted one.
    LostConflict,
    /// An interrupt stands alone.
    Outranked,
    /// It won, and means that nothing happens (LANG-6).
    Stayed,
}

/// One selection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The event, the timer or nothing (an eventless round).
    pub cause: Cause,
    /// One outcome for each transition of an active state whose trigger matched.
    pub outcomes: BTreeMap<usize, Outcome>,
}

/// Why an agent was quarantined (EVT-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quarantine {
    /// No place for an event.
    QueueOverflow,
    /// No place for a machine-level timer.
    TimerOverflow,
    /// Too many microsteps in one tick.
    MicrostepCap,
}

/// What one tick did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TickReport {
    /// How many events of the inbox were taken, from its front; the rest is to be offered again
    /// (EVT-4).
    pub inbox_taken: usize,
    /// Every selection, in order.
    pub selections: Vec<Selection>,
    /// Counted microsteps.
    pub microsteps: u32,
    /// Events that counted against the cap.
    pub events: u32,
    /// The tick was clamped.
    pub clamped: bool,
    /// The fail-safe was entered.
    pub fail_safe: bool,
    /// The instance terminated in this tick.
    pub terminated: bool,
    /// The instance was quarantined in this tick.
    pub quarantine: Option<Quarantine>,
}

/// What happened so far. By class: Low, Normal, Interrupt, Critical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events, timers included, that were taken.
    pub events: u64,
    /// Of them, those that neither were handled nor deferred.
    pub unhandled: u64,
    /// Of them, those that were deferred.
    pub deferred: u64,
    /// Deferrals for which there was no place; also counted as dropped.
    pub deferral_refused: u64,
    /// Events that were too old.
    pub expired: u64,
    /// Events that replaced a queued one.
    pub coalesced: u64,
    /// Events dropped because the agent has ended (SYS-10).
    pub dropped_ended: u64,
    /// Events dropped because the queue was full, by class (EVT-3).
    pub dropped_overflow: [u64; 4],
    /// Events that made place for others.
    pub evicted: [u64; 4],
    /// Counted microsteps.
    pub microsteps: u64,
    /// Transitions carried out.
    pub transitions: u64,
    /// Clamped ticks.
    pub clamps: u64,
    /// Fail-safes entered.
    pub fail_safes: u64,
    /// Terminations, those by `stop` included.
    pub terminations: u64,
    /// Quarantines.
    pub quarantines: u64,
    /// Commands dropped.
    pub command_drops: u64,
    /// Resets.
    pub resets: u64,
}
