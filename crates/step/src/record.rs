//! What a step did, in order.

use statewright_kernel::{Cause, Event, Loss, Mode, Reason, Status, Wait};
use statewright_rom::ids::*;

/// What made a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// The agent came to life.
    Start,
    /// An event was sent and a tick run.
    Send,
    /// An event was queued; no tick.
    Post,
    /// A tick.
    Tick,
    /// Some time passed: several ticks as one step.
    After,
    /// A blackboard key was written from outside; no tick.
    Set,
    /// A function was told what to answer; no tick.
    Stub,
    /// Back.
    Undo,
    /// Forth.
    Redo,
    /// To a snapshot.
    Restore,
}

impl CommandKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Start,
        Self::Send,
        Self::Post,
        Self::Tick,
        Self::After,
        Self::Set,
        Self::Stub,
        Self::Undo,
        Self::Redo,
        Self::Restore,
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Send => "send",
            Self::Post => "post",
            Self::Tick => "tick",
            Self::After => "after",
            Self::Set => "set",
            Self::Stub => "tell",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::Restore => "restore",
        }
    }
}

/// What kind of action ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// A function that nobody provides: only recorded.
    Call,
    /// A built-in action on the agent itself.
    BuiltIn,
    /// A write to the blackboard.
    Write,
    /// A command for the world outside.
    Command,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum StepEvent {
    /// A search for transitions begins.
    Select(Cause),
    /// A guard function was asked.
    Asked {
        /// The call.
        call: String,
        /// Its answer.
        holds: bool,
        /// The code of a no.
        code: u16,
    },
    /// A scorer was asked.
    Scored {
        /// The call.
        call: String,
        /// Its answer.
        score: f32,
    },
    /// A value function was asked (LANG-11).
    Gave {
        /// The call.
        call: String,
        /// What it gave.
        value: String,
    },
    /// The expression of a guard or score read a key.
    Read {
        /// The key.
        name: String,
        /// What it held.
        value: String,
    },
    /// What a candidate scored.
    Score(TransitionId, f32),
    /// User code drew so many random numbers (CODE-6): a function, or those of an expression.
    Drew(Option<FunctionId>, u32),
    /// An event was lost on its way.
    Lost(Option<EventId>, Loss),
    /// A candidate was not taken.
    Rejected(TransitionId, Reason),
    /// A transition was taken.
    Taken(TransitionId),
    /// An event waits for a change.
    Deferred(EventId),
    /// Nobody handled an event.
    Unhandled(EventId),
    /// A state was entered.
    Entered(StateId),
    /// A state was exited.
    Exited(StateId),
    /// A timer fired.
    Fired(TimerId),
    /// An action ran.
    Did {
        /// What kind of action.
        kind: ActionKind,
        /// In words.
        words: String,
        /// The state that it belongs to, if known.
        state: Option<StateId>,
    },
    /// An activity was called.
    Activity {
        /// The call.
        call: String,
        /// Whether it ran or was canceled.
        mode: Mode,
        /// What it said.
        status: Status,
        /// Its state.
        state: StateId,
    },
    /// A cap was reached (TICK-4).
    Clamped,
    /// The fail-safe was entered (TICK-4).
    FailSafe,
    /// The agent ended.
    Terminated,
}

/// A candidate and what became of it (SEL-7).
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Number of the search in its step.
    pub search: usize,
    /// What the search was for, in words.
    pub cause: String,
    /// The transition.
    pub transition: TransitionId,
    /// Why not; none for one that was taken.
    pub reason: Option<Reason>,
    /// The same in words.
    pub words: String,
}

/// The agent after a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentState {
    /// Active leaves, in the order of the tree; those that it ended in, once it has ended by
    /// itself.
    pub leaves: Vec<StateId>,
    /// Leaves that a push suspended.
    pub suspended: Vec<StateId>,
    /// Queued events.
    pub queue: Vec<Event>,
    /// Running timers.
    pub timers: Vec<Wait>,
    /// Words of all blackboard keys.
    pub board: Vec<[u32; 3]>,
    /// Ended by itself.
    pub terminated: bool,
    /// Not run any more (TICK-3).
    pub quarantined: bool,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its number; the start is 0.
    pub number: u64,
    /// What made it.
    pub kind: CommandKind,
    /// The tick that ran last.
    pub tick: u32,
    /// The event that was sent or queued, with its payload.
    pub event: Option<(EventId, [u32; 4])>,
    /// What happened.
    pub log: Vec<StepEvent>,
    /// Every candidate and what became of it.
    pub candidates: Vec<Candidate>,
    /// What else is worth knowing: drops, clamps, faults, values that were set.
    pub notes: Vec<String>,
    /// The agent afterwards.
    pub after: AgentState,
}

impl Step {
    /// Whether nothing happened that anybody would want to see.
    pub fn is_quiet(&self) -> bool {
        let quiet = |event: &StepEvent| {
            matches!(
                event,
                StepEvent::Select(_)
                    | StepEvent::Asked { .. }
                    | StepEvent::Scored { .. }
                    | StepEvent::Gave { .. }
                    | StepEvent::Read { .. }
                    | StepEvent::Score(..)
                    | StepEvent::Rejected(..)
            ) || matches!(
                event,
                StepEvent::Activity {
                    mode: Mode::Run,
                    status: Status::Running,
                    ..
                }
            )
        };
        matches!(self.kind, CommandKind::Tick | CommandKind::After)
            && self.notes.is_empty()
            && self.log.iter().all(quiet)
    }
}
