//! The shape of a described machine: states, regions, history points, transitions and branches.

use serde::Serialize;
use statewright_rom::ids::*;

use crate::action::Action;
use crate::kinds::{EventClass, ScratchType, StateKind, Word};
use crate::length::Length;
use crate::model::Trigger;
use crate::refer::{EventRef, Named, StateRef, Target, joined};

/// A state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct State {
    /// Its number.
    #[serde(skip)]
    pub id: StateId,
    /// `combat/attack`; `root` for the root.
    pub path: String,
    /// What it is.
    pub kind: Word<StateKind>,
    /// Its regions.
    pub regions: Vec<Region>,
    /// Its history points.
    pub history: Vec<History>,
    /// Whether its history points forget when it is done.
    pub history_reset_on_done: bool,
    /// What is done on entry.
    pub entry: Vec<Action>,
    /// What is done on exit.
    pub exit: Vec<Action>,
    /// What is done when it is suspended.
    pub suspend: Vec<Action>,
    /// What is done when it goes on.
    pub resume: Vec<Action>,
    /// Every tick, before the activity.
    pub update: Vec<Action>,
    /// The call of its activity.
    pub activity: Option<String>,
    /// Events that wait, in the order of their declaration.
    pub defer: Vec<EventRef>,
    /// Channels it owns, in the order of their declaration.
    pub owns: Vec<Named<ChannelId>>,
    /// Its named timers.
    pub timers: Vec<StateTimer>,
    /// Its scratch.
    pub scratch: Vec<Scratch>,
    /// What must hold for it to be left; none always holds.
    pub exit_ready: Option<String>,
    /// How long it stays at least.
    pub min_active: Option<Length>,
    /// Whether its time in state is kept, for whatever reason (RAM-7).
    pub clock: bool,
    /// In the order of selection (SEL-3): priority, then declaration.
    pub transitions: Vec<Transition>,
    /// Branches of a choice.
    pub branches: Vec<Branch>,
}

impl State {
    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// A region.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Region {
    /// Its number.
    #[serde(skip)]
    pub id: RegionId,
    /// Its name; none for the only one.
    pub name: Option<String>,
    /// Where it starts.
    pub initial: Initial,
    /// How many states can be suspended.
    pub stack: Option<u8>,
    /// The states in it.
    pub children: Vec<StateRef>,
}

/// Where a region starts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Initial {
    /// What is entered.
    pub to: Vec<Target>,
    /// What is done on the way.
    #[serde(rename = "do")]
    pub actions: Vec<Action>,
}

/// A history point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    /// Its number.
    #[serde(skip)]
    pub id: HistoryId,
    /// Its name in its state.
    pub name: String,
    /// Whether it remembers leaves.
    pub deep: bool,
    /// Where it leads while nothing is remembered; nothing is the initial.
    pub default: Vec<Target>,
    /// What is done on the way.
    #[serde(rename = "do")]
    pub actions: Vec<Action>,
    /// Whether entering its state restores it.
    pub restore_on_entry: bool,
}

/// A named timer of a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateTimer {
    /// Its number.
    #[serde(skip)]
    pub id: TimerId,
    /// Its name.
    pub name: String,
    /// How urgent it is.
    pub class: Word<EventClass>,
    /// What it fires as, if that is an event.
    pub event: Option<EventRef>,
}

/// Scratch of a state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scratch {
    /// Its number.
    #[serde(skip)]
    pub id: ScratchId,
    /// Its name.
    pub name: String,
    /// How many slots it has.
    pub slots: u8,
    /// What expressions read (LANG-8).
    #[serde(rename = "type")]
    pub ty: Option<Word<ScratchType>>,
}

/// The least score that counts (SEL-3).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Threshold {
    /// Always the same.
    Number(f64),
    /// An expression (LANG-12).
    Code(String),
}

impl std::fmt::Display for Threshold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => crate::value::Value::Float(*number).fmt(f),
            Self::Code(code) => f.write_str(code),
        }
    }
}

/// What a transition leaves (EXEC-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TransitionKind {
    /// Nothing.
    Internal,
    /// What is inside its source.
    Local,
    /// Its source, too.
    External,
}

impl TransitionKind {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::Local => "local",
            Self::External => "external",
        }
    }
}

/// What a transition does with the stack of its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StackUse {
    /// Suspends what is active.
    Push,
    /// Goes back to what was suspended.
    Pop,
}

impl StackUse {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Pop => "pop",
        }
    }
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transition {
    /// Its number.
    #[serde(skip)]
    pub id: TransitionId,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it waits for.
    pub trigger: Trigger,
    /// What must hold; none for one that always holds, too.
    #[serde(rename = "if")]
    pub guard: Option<String>,
    /// Where it leads, in the order of the tree.
    pub to: Vec<Target>,
    /// What is done on the way.
    #[serde(rename = "do")]
    pub actions: Vec<Action>,
    /// What it leaves.
    pub kind: TransitionKind,
    /// What it does with the stack.
    pub stack: Option<StackUse>,
    /// Its priority.
    pub priority: u8,
    /// Whether it comes before all others.
    pub interrupt: bool,
    /// How good it is: expression or call.
    pub score: Option<String>,
    /// How good it must be; none without a score.
    pub threshold: Option<Threshold>,
    /// Whether nothing happens if it wins.
    pub stay: bool,
    /// How long until it can be taken again.
    pub cooldown: Option<Length>,
    /// How long its guard must have held.
    pub debounce: Option<Length>,
    /// Whether it waits until it may leave.
    pub latch: bool,
    /// Whether it was written in one list of events with the one before it, whose cooldown it shares
    /// (LANG-1).
    pub listed: bool,
}

impl State {
    /// Its transitions as they were written: those of one list of events together (LANG-1).
    pub fn written(&self) -> impl Iterator<Item = &[Transition]> {
        self.transitions.chunk_by(|_, next| next.listed)
    }
}

impl Transition {
    /// Trigger and targets: `on Hit -> flee`.
    pub fn shown(&self) -> String {
        if self.to.is_empty() {
            self.trigger.to_string()
        } else {
            format!("{} -> {}", self.trigger, joined(&self.to))
        }
    }
}

/// A branch of a choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Branch {
    /// What must hold; none is the last resort.
    #[serde(rename = "if")]
    pub guard: Option<String>,
    /// Where it leads.
    pub to: Vec<Target>,
    /// What is done on the way.
    #[serde(rename = "do")]
    pub actions: Vec<Action>,
}
