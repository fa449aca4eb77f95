//! What a tracer is told (SYS-3, SEL-7). One test when off.

use statewright_rom::ids::{EventId, FunctionId, KeyId, StateId, TimerId, TransitionId};
use statewright_rom::layout::OpRecord;

use crate::counters::Loss;
use crate::fault::Fault;
use crate::host::{Cause, Mode, Status};

/// Why a candidate was not taken (SEL-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Its cooldown runs.
    Cooldown,
    /// No free frame for a push.
    StackFull,
    /// No frame for a pop.
    StackEmpty,
    /// The guard said no, with a code of its own (0 for expressions).
    GuardFalse(u16),
    /// The guard has not been true long enough.
    Debounce,
    /// Its score is too low.
    BelowThreshold,
    /// A state that it would leave has not been active long enough.
    MinActive,
    /// A state that it would leave is not ready.
    ExitNotReady,
    /// Another one was found first.
    NotReached,
    /// Another winner leaves the same states (SEL-4).
    LostConflict,
    /// An interrupt stands alone (SEL-2).
    Outranked,
    /// It won, and means that nothing happens (LANG-6).
    Stays,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trace {
    /// A selection begins.
    Select(Cause),
    /// A candidate was not taken.
    Rejected(TransitionId, Reason),
    /// A transition was accepted.
    Taken(TransitionId),
    /// A transition was accepted that leads to this leaf, or stays there: `Taken` and `Leaf` in
    /// one, in outlines only.
    Jumped(TransitionId, StateId),
    /// A transition waits in its source's slot until it may leave (SEL-6).
    Latched(TransitionId),
    /// An event was marked as deferred.
    Deferred(EventId),
    /// Nobody handled an event.
    Unhandled(EventId),
    /// An event was lost on its way, or became part of another one; `None` for a number that no
    /// event has.
    Lost(Option<EventId>, Loss),
    /// A leaf is active now: it was entered or resumed.
    Leaf(StateId),
    /// A state was entered.
    Entered(StateId),
    /// A state was exited.
    Exited(StateId),
    /// A push suspended a state (EXEC-8).
    Suspended(StateId),
    /// A pop brought a state back (EXEC-8).
    Resumed(StateId),
    /// A timer was taken.
    Fired(TimerId),
    /// A timer runs from now on, until a tick.
    TimerSet(TimerId, u32),
    /// A timer was stopped. Leaving a state ends its timers without a word.
    TimerStopped(TimerId),
    /// A guard was asked: one of a transition, of a branch or of leaving a state.
    Guard {
        /// The state that it belongs to.
        state: StateId,
        /// The transition that is judged.
        transition: Option<TransitionId>,
        /// Whether it holds.
        holds: bool,
        /// Its own code.
        code: u16,
    },
    /// An expression of a guard or score read a key; told before the guard that it belongs to.
    Read(KeyId, [u32; 3]),
    /// An expression asked a guard function, one of perhaps several; likewise.
    Asked {
        /// The function.
        function: FunctionId,
        /// Whether it holds.
        holds: bool,
        /// Its own code.
        code: u16,
    },
    /// An expression asked a value function, which gave these words (LANG-11); likewise.
    Gave(FunctionId, [u32; 3]),
    /// What a candidate scored (SEL-3).
    Scored(TransitionId, f32),
    /// So many random numbers were drawn (CODE-6): by a function, or by an expression and the functions
    /// that it asks.
    Drew(Option<FunctionId>, u32),
    /// An action or activity has returned.
    Called(FunctionId),
    /// So many of the notes before found no room in the list of what is to be told.
    LostNotes(u32),
    /// An activity was called; what a canceled one says does not count.
    Activity(StateId, Mode, Status),
    /// The instance started.
    Started,
    /// A built-in action that the host is not called for comes next: `raise`, `send` to itself,
    /// `start`, `stop`, `clear_history`, an assignment to scratch.
    Action(OpRecord),
    /// The tick was clamped.
    Clamped,
    /// The fail-safe was entered.
    FailSafe,
    /// The instance ended.
    Terminated,
    /// A fault ended the instance.
    Faulted(Fault),
}
