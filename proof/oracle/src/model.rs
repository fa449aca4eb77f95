//! The machine with every name replaced by a number (NAME-2).

use std::collections::{BTreeMap, BTreeSet};

use statewright_author::expr::Expr;
use statewright_author::graph::{Payload, StackOperation, StateKind};
use statewright_author::value::{Class, Literal, ScratchType, ValueType};

/// Where something leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    State(usize),
    Point(usize),
}

/// An expression and the state from which its names are looked up.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) expr: Expr,
    pub(crate) scope: usize,
}

/// How long.
#[derive(Clone, Debug)]
pub(crate) enum Delay {
    Ticks(u32),
    /// Least and most ticks.
    Range(u32, u32),
    Seconds(Code),
}

#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) function: String,
    pub(crate) arguments: Vec<Given>,
}

/// An argument as it is written (LANG-4).
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) name: Option<String>,
    pub(crate) value: GivenValue,
}

#[derive(Clone, Debug)]
pub(crate) enum GivenValue {
    Literal(Literal),
    Code(Code),
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Call(CallSite),
    Set {
        key: usize,
        value: Code,
    },
    Add {
        key: usize,
        value: Code,
    },
    SetScratch {
        scratch: usize,
        value: Code,
    },
    AddScratch {
        scratch: usize,
        value: Code,
    },
    Raise {
        event: usize,
        payload: Option<Code>,
    },
    Send {
        event: usize,
        payload: Option<Code>,
        to: Option<Code>,
    },
    Emit {
        name: String,
        lane: usize,
        payload: Option<Code>,
    },
    StartTimer {
        timer: usize,
        after: Delay,
    },
    StopTimer {
        timer: usize,
    },
    ClearHistory {
        state: usize,
    },
    If {
        condition: Code,
        then: Vec<Action>,
        otherwise: Vec<Action>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) guard: Option<Code>,
    pub(crate) targets: Vec<Target>,
    pub(crate) effect: Vec<Action>,
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) kind: StateKind,
    pub(crate) parent: Option<usize>,
    /// The region it is a child of.
    pub(crate) region: Option<usize>,
    /// One past its last descendant.
    pub(crate) end: usize,
    /// Its place in post-order.
    pub(crate) post: usize,
    pub(crate) regions: Vec<usize>,
    pub(crate) points: Vec<usize>,
    pub(crate) reset_on_done: bool,
    pub(crate) entry: Vec<Action>,
    pub(crate) exit: Vec<Action>,
    pub(crate) suspend: Vec<Action>,
    pub(crate) resume: Vec<Action>,
    /// Every tick, before the activity (LANG-10).
    pub(crate) update: Vec<Action>,
    pub(crate) activity: Option<CallSite>,
    /// In the order of their numbers: priority, then declaration.
    pub(crate) transitions: Vec<usize>,
    pub(crate) defers: BTreeSet<usize>,
    /// Timers it owns, named ones and those of `after` and `every`.
    pub(crate) timers: Vec<usize>,
    /// Channels it owns, in the order of their numbers.
    pub(crate) owns: Vec<usize>,
    pub(crate) scratch: Vec<usize>,
    pub(crate) exit_ready: Option<Code>,
    pub(crate) min_active: Option<Delay>,
    pub(crate) has_clock: bool,
    pub(crate) branches: Vec<Branch>,
}

#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub(crate) owner: usize,
    pub(crate) children: Vec<usize>,
    pub(crate) initial: Vec<Target>,
    pub(crate) effect: Vec<Action>,
    pub(crate) stack: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) owner: usize,
    pub(crate) deep: bool,
    pub(crate) default: Vec<Target>,
    pub(crate) effect: Vec<Action>,
    pub(crate) on_entry: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    Event(usize),
    Any,
    /// `after`, `every` and named timers alike.
    Timer(usize),
    Always,
    Done,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Internal,
    Local,
    External,
    Push,
    /// Of this region.
    Pop(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub(crate) source: usize,
    pub(crate) trigger: Trigger,
    pub(crate) targets: Vec<Target>,
    pub(crate) kind: Kind,
    pub(crate) guard: Option<Code>,
    pub(crate) effect: Vec<Action>,
    pub(crate) priority: u32,
    pub(crate) interrupt: bool,
    pub(crate) score: Option<Code>,
    pub(crate) threshold: Option<Code>,
    pub(crate) cooldown: Option<Delay>,
    pub(crate) debounce: Option<Delay>,
    pub(crate) latch: bool,
    /// Nothing happens if it wins (LANG-6).
    pub(crate) stay: bool,
    /// The list of events it was written with; the others of its source with the same number share
    /// its cooldown (LANG-1).
    pub(crate) list: Option<usize>,
}

impl Transition {
    pub(crate) fn stack(&self) -> Option<StackOperation> {
        match self.kind {
            Kind::Push => Some(StackOperation::Push),
            Kind::Pop(_) => Some(StackOperation::Pop),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Timer {
    pub(crate) name: Option<String>,
    /// `None`: the machine.
    pub(crate) owner: Option<usize>,
    /// Armed so long on entry of its owner: `after` and `every`.
    pub(crate) after: Option<Delay>,
    /// Goes on when it is taken.
    pub(crate) every: bool,
    /// Places of the transitions that it is for, in the list of its owner as written.
    pub(crate) serves: Vec<usize>,
    pub(crate) class: Class,
    pub(crate) event: Option<usize>,
    pub(crate) instances: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct EventType {
    pub(crate) name: String,
    pub(crate) payload: Option<Payload>,
    pub(crate) class: Class,
    pub(crate) coalesce: bool,
    pub(crate) ttl: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) ty: ValueType,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) ty: ValueType,
    /// Its value without a variant, then in each of them.
    pub(crate) values: Vec<Literal>,
}

#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) lane: usize,
    pub(crate) release: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Observer {
    /// `None`: any.
    pub(crate) event: Option<usize>,
    pub(crate) actions: Vec<Action>,
}

#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub(crate) name: String,
    pub(crate) owner: usize,
    pub(crate) slots: usize,
    /// What expressions read.
    pub(crate) ty: Option<ScratchType>,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) states: Vec<State>,
    pub(crate) regions: Vec<Region>,
    pub(crate) points: Vec<Point>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) timers: Vec<Timer>,
    pub(crate) events: Vec<EventType>,
    pub(crate) keys: Vec<Key>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) channels: Vec<Channel>,
    /// What things are known by in every version.
    pub(crate) ids: crate::identity::Identities,
    /// Whether a user lane is critical.
    pub(crate) critical_lanes: Vec<bool>,
    pub(crate) observers: Vec<Observer>,
    pub(crate) scratch: Vec<Scratch>,
    /// Declared functions and their parameters.
    pub(crate) functions: BTreeMap<String, Vec<(String, ValueType)>>,
    /// What value functions give.
    pub(crate) values: BTreeMap<String, ValueType>,
    /// States named in expressions, by scope and text.
    pub(crate) named_states: BTreeMap<(usize, String), usize>,
    pub(crate) fail_safe: Option<Target>,
    pub(crate) reload_entry: Option<Target>,
    pub(crate) tick_rate: u32,
    pub(crate) reverse_exits: bool,
    pub(crate) immediate_update: bool,
    pub(crate) posted_next_tick: bool,
    pub(crate) internal_first: bool,
    pub(crate) done_events: bool,
    pub(crate) scxml_details: bool,
    /// LOAD-3.
    pub(crate) reload_resets: bool,
    /// Event places (EVT-3).
    pub(crate) places: usize,
    pub(crate) events_per_tick: u32,
    pub(crate) microsteps_per_tick: u32,
    pub(crate) clamp_limit: u32,
}

impl Model {
    /// The transitions that share a cooldown with one: itself, and those of its list (LANG-1).
    pub(crate) fn listed_with(&self, transition: usize) -> Vec<usize> {
        let one = &self.transitions[transition];
        let together = |&other: &usize| {
            let other = &self.transitions[other];
            one.list.is_some() && other.list == one.list && other.source == one.source
        };
        let all = 0..self.transitions.len();
        all.filter(|other| *other == transition || together(other))
            .collect()
    }

    /// Whether `outer` is a state strictly around `inner`.
    pub(crate) fn around(&self, outer: usize, inner: usize) -> bool {
        outer < inner && inner < self.states[outer].end
    }

    /// The state and those around it, inside out.
    pub(crate) fn up(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(state), |&at| self.states[at].parent)
    }

    /// The child of `outer` that `inner` is or lies in.
    pub(crate) fn child_towards(&self, outer: usize, inner: usize) -> usize {
        self.up(inner)
            .find(|&at| self.states[at].parent == Some(outer))
            .expect("a state inside another")
    }

    /// The region of `outer` that `inner` lies in.
    pub(crate) fn region_towards(&self, outer: usize, inner: usize) -> usize {
        self.states[self.child_towards(outer, inner)]
            .region
            .expect("a child has a region")
    }

    /// Whether a state lies in a region, at any depth.
    pub(crate) fn in_region(&self, region: usize, state: usize) -> bool {
        let owner = self.regions[region].owner;
        self.around(owner, state) && self.region_towards(owner, state) == region
    }
}
