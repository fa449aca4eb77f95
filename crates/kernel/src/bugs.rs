//! Mistakes on purpose (feature `deliberate-bugs`): each is one that an engine like this has been
//! seen to make. The differential test must catch every one of them; without the feature none
//! exists and every test below is constant.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bug {
    /// Regions are exited from the last to the first.
    ExitOrder = 1,
    /// History is taken after the exits.
    HistoryAfterExits,
    /// Two winners conflict only if they have the same source region.
    ConflictBySource,
    /// Leaving a state leaves its timers running.
    TimerSurvivesExit,
    /// Priorities are ignored between winners.
    ArbitrationByOrderOnly,
    /// Effects run after the entries.
    EffectsLast,
    /// Default children get no entry action.
    NoDefaultEntryAction,
    /// A self-transition does nothing.
    SelfTransitionIgnored,
    /// Regions without a target are not entered.
    OtherRegionsNotEntered,
    /// Deferred marks stay after a change of configuration.
    MarksStay,
    /// A deferral takes the last general place.
    DeferralTakesLastPlace,
    /// The newest event is evicted instead of the oldest.
    EvictNewest,
    /// Coalescing keeps the old payload.
    CoalesceKeepsPayload,
    /// `after` is armed again when its guard was false.
    AfterFiresAgain,
    /// A cooldown ends when the source is left.
    CooldownEndsOnExit,
    /// Debounce is not cleared when the guard is seen false.
    DebounceKeepsRunning,
    /// Min-active is asked of the source only.
    MinActiveOfSourceOnly,
    /// The second stored latch replaces the first.
    LatchReplaced,
    /// An orthogonal state is complete when one region is.
    DoneTooEarly,
    /// An activity is canceled although it has a result.
    CancelAfterResult,
    /// An activity runs in the tick of its entry.
    ActivityRunsAtOnce,
    /// Timers of suspended states keep running.
    SuspendedTimersRun,
    /// Popping records history.
    PopRecordsHistory,
    /// The queue is kept by the fail-safe.
    FailSafeKeepsQueue,
    /// Observers run for deferred events.
    ObserversSeeDeferred,
    /// A choice takes its last branch.
    ChoiceTakesLast,
    /// An interrupt is asked for its exit conditions.
    InterruptWaits,
    /// Equal scores: the last declared wins.
    LastOfEqualScores,
    /// Channels are released before the exit action.
    ReleaseBeforeExit,
    /// The rng is put back when a guard says no.
    RngRestoredOnFalse,
    /// The last op of a jump is left out.
    JumpSkipsLastStep,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 31] = [
        Self::ExitOrder,
        Self::HistoryAfterExits,
        Self::ConflictBySource,
        Self::TimerSurvivesExit,
        Self::ArbitrationByOrderOnly,
        Self::EffectsLast,
        Self::NoDefaultEntryAction,
        Self::SelfTransitionIgnored,
        Self::OtherRegionsNotEntered,
        Self::MarksStay,
        Self::DeferralTakesLastPlace,
        Self::EvictNewest,
        Self::CoalesceKeepsPayload,
        Self::AfterFiresAgain,
        Self::CooldownEndsOnExit,
        Self::DebounceKeepsRunning,
        Self::MinActiveOfSourceOnly,
        Self::LatchReplaced,
        Self::DoneTooEarly,
        Self::CancelAfterResult,
        Self::ActivityRunsAtOnce,
        Self::SuspendedTimersRun,
        Self::PopRecordsHistory,
        Self::FailSafeKeepsQueue,
        Self::ObserversSeeDeferred,
        Self::ChoiceTakesLast,
        Self::InterruptWaits,
        Self::LastOfEqualScores,
        Self::ReleaseBeforeExit,
        Self::RngRestoredOnFalse,
        Self::JumpSkipsLastStep,
    ];
}

#[cfg(feature = "deliberate-bugs")]
mod switch {
    use core::sync::atomic::{AtomicU8, Ordering};

    static CURRENT: AtomicU8 = AtomicU8::new(0);

    /// Switches one mistake on, or all of them off.
    pub fn set(bug: Option<super::Bug>) {
        CURRENT.store(bug.map_or(0, |bug| bug as u8), Ordering::SeqCst);
    }

    #[inline]
    pub(crate) fn has(bug: super::Bug) -> bool {
        CURRENT.load(Ordering::Relaxed) == bug as u8
    }

    /// Is any of them on? Mistakes are made the general way.
    #[inline]
    pub(crate) fn has_any() -> bool {
        CURRENT.load(Ordering::Relaxed) != 0
    }
}

#[cfg(not(feature = "deliberate-bugs"))]
mod switch {
    #[inline(always)]
    pub(crate) const fn has(_: super::Bug) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) const fn has_any() -> bool {
        false
    }
}

#[cfg(feature = "deliberate-bugs")]
pub use switch::set;
pub(crate) use switch::{has, has_any};
