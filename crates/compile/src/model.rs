//! The resolved machine: every name replaced by an index, all sugar expanded, all code compiled.
//!
//! Comes in from the resolve pass; the check, allocate and lower passes read it. Everything is
//! counted by the types of [`crate::index`]; transitions lie in declaration order here and in
//! selection order in the ROM.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use statewright_author::graph::{self, Machine, StackOperation, TransitionKind};
use statewright_author::span::{Span, Spanned};
pub use statewright_rom::layout::{DurationWord, TimerKind};

use crate::actions::ActionTables;
use crate::index::{
    ActionListIndex, BranchIndex, ChannelIndex, ConditionIndex, DeclaredFunctionIndex, EventIndex,
    ExpressionIndex, HistoryIndex, IndexRange, IndexVec, KeyIndex, LaneIndex, ParameterIndex,
    RegionIndex, StateIndex, StringIndex, TimerIndex, TransitionIndex, TransitionSetIndex,
};
use crate::names::Declarations;
use crate::tree::{Target, Tree};

/// A resolved machine.
#[derive(Debug)]
pub struct Model<'a> {
    /// As written.
    pub machine: &'a Machine,
    /// The states.
    pub tree: Tree<'a>,
    /// The other declarations.
    pub names: Declarations<'a>,
    /// Ticks per second.
    pub tick_rate: u32,
    /// Functions, lists of actions, expressions.
    pub actions: ActionTables,
    /// What belongs to each state.
    pub resolved: IndexVec<StateIndex, ResolvedState>,
    /// All transitions, by source, in declaration order.
    pub transitions: IndexVec<TransitionIndex, Transition<'a>>,
    /// All branches, by choice.
    pub branches: IndexVec<BranchIndex, Branch<'a>>,
    /// Where each region starts.
    pub initials: IndexVec<RegionIndex, Entry>,
    /// Default of each history point; no targets = the initial of the owner.
    pub history_defaults: IndexVec<HistoryIndex, Entry>,
    /// Timers, firing ones first.
    pub timers: IndexVec<TimerIndex, Timer<'a>>,
    /// Observers.
    pub observers: Vec<Observer>,
    /// Release command (text) and lane of each channel.
    pub channel_commands: IndexVec<ChannelIndex, (StringIndex, LaneIndex)>,
    /// TICK-4.
    pub fail_safe: Option<Target>,
    /// SYS-5.
    pub reload_entry: Option<Target>,
    /// Values of keys and parameters.
    pub data: Data,
    /// What was seen in use.
    pub usage: Usage,
}

/// What belongs to a state besides its transitions.
#[derive(Clone, Debug, Default)]
pub struct ResolvedState {
    /// Runs when it is entered.
    pub entry: Option<ActionListIndex>,
    /// Runs when it is left.
    pub exit: Option<ActionListIndex>,
    /// Runs when a push suspends it.
    pub suspend: Option<ActionListIndex>,
    /// Runs when a pop brings it back.
    pub resume: Option<ActionListIndex>,
    /// Runs every tick, before the activity.
    pub update: Option<ActionListIndex>,
    /// Runs every tick.
    pub activity: Option<ConditionIndex>,
    /// Must hold for it to be left.
    pub exit_ready: Option<ConditionIndex>,
    /// A literal or a parameter.
    pub min_active: DurationWord,
    /// Events.
    pub defers: Vec<(EventIndex, Span)>,
    /// Channels.
    pub owns: Vec<(ChannelIndex, Span)>,
    /// Its transitions.
    pub transitions: IndexRange<TransitionIndex>,
    /// Its branches.
    pub branches: IndexRange<BranchIndex>,
    /// Why the state needs a clock (RAM-7).
    pub clock: Option<&'static str>,
}

/// Targets and the effect on the way.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// In the order written.
    pub targets: Vec<Target>,
    /// The effect.
    pub effect: Option<ActionListIndex>,
}

/// What starts a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trigger {
    /// An event.
    Event(EventIndex),
    /// Any event.
    Any,
    /// A firing timer.
    Timer(TimerIndex),
    /// Eventless.
    Always,
    /// Eventless.
    Done,
    /// Eventless.
    Failed,
}

impl Trigger {
    /// Whether it needs no event.
    pub fn is_eventless(self) -> bool {
        matches!(self, Self::Always | Self::Done | Self::Failed)
    }

    /// The event, if it is one.
    pub fn event(self) -> Option<EventIndex> {
        match self {
            Self::Event(event) => Some(event),
            Self::Any | Self::Timer(_) | Self::Always | Self::Done | Self::Failed => None,
        }
    }
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Transition<'a> {
    /// As written; made up for a decision.
    pub authored: Cow<'a, graph::Transition>,
    /// The state it belongs to.
    pub source: StateIndex,
    /// Where it is written, if several states may have it.
    pub shared: Option<Shared>,
    /// Its place in the list of events that it was written with (LANG-1); the others of the list
    /// stand beside it.
    pub place: Option<usize>,
    /// Trigger.
    pub trigger: Trigger,
    /// In the order written.
    pub targets: Vec<Target>,
    /// EXEC-2.
    pub kind: TransitionKind,
    /// EXEC-8, with the region whose stack it is.
    pub stack: Option<(StackOperation, RegionIndex)>,
    /// The guard.
    pub guard: Option<ConditionIndex>,
    /// It is a branch of a decision.
    pub decided: bool,
    /// The guard can never hold.
    pub never: bool,
    /// The effect.
    pub effect: Option<ActionListIndex>,
    /// 0 to 15.
    pub priority: u8,
    /// The score.
    pub score: Option<ConditionIndex>,
    /// Least score.
    pub threshold: f32,
    /// What computes it instead (LANG-12).
    pub threshold_code: Option<ExpressionIndex>,
    /// Of any form.
    pub cooldown: DurationWord,
    /// A literal or a parameter.
    pub debounce: DurationWord,
}

/// A list of transitions that several states may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shared {
    /// A named set.
    Set(TransitionSetIndex),
    /// The any-state transitions of a state.
    Any(StateIndex),
}

impl Transition<'_> {
    /// The span to point at: its trigger. The whole transition may fill the screen.
    pub fn span(&self) -> Span {
        let listed = self
            .place
            .and_then(|place| self.authored.trigger.events().get(place));
        let trigger = match listed {
            Some(event) => event.span,
            None => trigger_span(&self.authored.trigger),
        };
        if trigger == Span::default() {
            self.authored.span
        } else {
            trigger
        }
    }

    /// Whether another one of its list stands before it and is like it in all but the event: what
    /// has been said of that one has been said (LANG-1).
    pub fn is_repeated(&self) -> bool {
        self.place.is_some_and(|place| place > 0)
    }

    /// Where each of its targets is written.
    pub fn target_spans(&self) -> Vec<Span> {
        let plain = self.authored.targets.iter();
        let spans: Vec<Span> = plain
            .chain(self.authored.sync.iter().map(|(_, target)| target))
            .map(|n| n.span)
            .collect();
        // A target that was not found is reported; then the rest cannot be told apart.
        if spans.len() == self.targets.len() {
            spans
        } else {
            vec![self.span(); self.targets.len()]
        }
    }
}

/// Where a trigger is written.
pub fn trigger_span(trigger: &graph::Trigger) -> Span {
    match trigger {
        graph::Trigger::Event(name) | graph::Trigger::Timer(name) => name.span,
        graph::Trigger::Events(events) => events.span,
        graph::Trigger::After(duration) | graph::Trigger::Every(duration) => duration.span,
        graph::Trigger::Any(span)
        | graph::Trigger::Always(span)
        | graph::Trigger::Done(span)
        | graph::Trigger::Failed(span) => *span,
    }
}

/// A branch of a choice.
#[derive(Clone, Debug)]
pub struct Branch<'a> {
    /// As written.
    pub authored: &'a graph::Branch,
    /// The choice.
    pub owner: StateIndex,
    /// The guard.
    pub guard: Option<ConditionIndex>,
    /// Targets and effect.
    pub entry: Entry,
}

/// Where timers of a kind stand in the table: by rank, then by owner. Those of the machine come
/// first.
pub const fn timer_rank(kind: TimerKind) -> u8 {
    match kind {
        TimerKind::Machine => 0,
        TimerKind::State | TimerKind::After | TimerKind::Every => 1,
        TimerKind::Clock => 2,
        TimerKind::Debounce => LAST_TIMER_RANK,
    }
}

/// The highest rank.
pub const LAST_TIMER_RANK: u8 = 3;

const _: () = {
    let mut at = 0;
    while at < TimerKind::COUNT {
        assert!(timer_rank(TimerKind::ALL[at]) <= LAST_TIMER_RANK);
        at += 1;
    }
};

/// A timer.
#[derive(Clone, Debug)]
pub struct Timer<'a> {
    /// What it is.
    pub kind: TimerKind,
    /// The state that owns it.
    pub owner: StateIndex,
    /// Its declaration, if it has a name.
    pub authored: Option<&'a graph::Timer>,
    /// Its transition; of several that share it, the one declared first.
    pub transition: Option<TransitionIndex>,
    /// Transitions that share an `after` or `every` with the first.
    pub sharing: Vec<TransitionIndex>,
    /// Duration, where the machine says it.
    pub duration: DurationWord,
    /// Fires as this event.
    pub event: Option<EventIndex>,
    /// How many may run at once.
    pub instances: u32,
}

/// An observer.
#[derive(Clone, Debug)]
pub struct Observer {
    /// The event; `None` is any.
    pub event: Option<EventIndex>,
    /// What it does.
    pub actions: Option<ActionListIndex>,
}

/// Values of keys and parameters, as words.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// Start value of each key.
    pub keys: IndexVec<KeyIndex, [u32; 3]>,
    /// Value of each parameter, plain first, then per variant.
    pub parameters: Vec<IndexVec<ParameterIndex, [u32; 3]>>,
}

/// What the machine was seen to use; for warnings.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// Events that an action posts, with the first span.
    pub posted: Vec<Spanned<EventIndex>>,
    /// Events that a trigger, deferral or observer names.
    pub handled: BTreeSet<EventIndex>,
    /// A trigger or an observer names any event.
    pub handles_any: bool,
    /// Timers that are started.
    pub started: BTreeSet<TimerIndex>,
    /// Ranges of durations, which are drawn (LANG-3).
    pub rng_ranges: BTreeSet<String>,
    /// Transition sets.
    pub sets: BTreeSet<TransitionSetIndex>,
    /// Declared functions.
    pub functions: BTreeSet<DeclaredFunctionIndex>,
    /// Blackboard keys that an expression reads or an action writes.
    pub keys: RefCell<BTreeSet<KeyIndex>>,
    /// Parameters that expressions, durations and parts use.
    pub parameters: RefCell<BTreeSet<ParameterIndex>>,
    /// Blackboard writes: key, state whose code it is, span.
    pub writes: Vec<(KeyIndex, StateIndex, Span)>,
    /// Commands.
    pub emits: Vec<EmitUse>,
    /// Texts that draw random numbers (LANG-11).
    pub random: BTreeSet<String>,
}

/// Code that emits a command.
#[derive(Clone, Copy, Debug)]
pub struct EmitUse {
    /// Where it goes.
    pub lane: LaneIndex,
    /// Its name.
    pub command: StringIndex,
    /// The state whose code it is.
    pub writer: StateIndex,
    /// What the code runs for; none if that may be anything.
    pub trigger: Option<Trigger>,
    /// Where it is written.
    pub span: Span,
}

/// Targets as messages show them.
pub fn targets_shown(model: &Model<'_>, targets: &[Target]) -> String {
    if targets.is_empty() {
        return "nothing".to_owned();
    }
    let paths: Vec<String> = targets
        .iter()
        .map(|&target| format!("`{}`", model.tree.target_path(target)))
        .collect();
    paths.join(" and ")
}
