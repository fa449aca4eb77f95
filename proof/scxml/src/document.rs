//! What a document holds: its elements as plain lists in document order. State 0 is the `scxml`
//! element itself.

use crate::expression::{Expression, Value};

/// A document that was read and found to be one this crate understands.
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) states: Vec<State>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) data: Vec<Data>,
}

/// What kind of element a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scxml,
    State,
    Parallel,
    Final,
    ShallowHistory,
    DeepHistory,
}

/// A state, parallel, final or history element, or the document itself. Its place in the list is
/// its document order.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub id: String,
    pub kind: Kind,
    pub parent: Option<usize>,
    /// State, parallel and final children.
    pub children: Vec<usize>,
    pub histories: Vec<usize>,
    /// The initial transition, also where the document leaves it out.
    pub initial: Option<usize>,
    /// In document order; the default transition of a history is its only one.
    pub transitions: Vec<usize>,
    pub onentry: Vec<Vec<Content>>,
    pub onexit: Vec<Vec<Content>>,
}

/// A transition element, or an initial one that the document implies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transition {
    pub source: usize,
    /// `None` if eventless.
    pub event: Option<Vec<Descriptor>>,
    pub cond: Option<Expression>,
    pub target: Vec<usize>,
    pub internal: bool,
    pub content: Vec<Content>,
}

/// One of the words in an event attribute: the tokens that a name has to begin with; none for `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub tokens: Vec<String>,
}

/// A data element.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub id: String,
    pub value: Value,
}

/// An element of executable content.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Raise(String),
    Send {
        event: String,
        delay_ms: u64,
        id: Option<String>,
    },
    Cancel(String),
    Log {
        label: String,
        expr: Option<Expression>,
    },
    Assign {
        variable: usize,
        expr: Expression,
    },
    /// Calls of functions outside of the document, in words.
    Call(Vec<String>),
    /// The partitions of an `if`; the `else` has no condition.
    If(Vec<(Option<Expression>, Vec<Content>)>),
}

impl Document {
    /// Names that some transition listens to, by the shortest name that fits each descriptor;
    /// sorted, each once.
    pub fn event_names(&self) -> Vec<String> {
        let descriptors = self
            .transitions
            .iter()
            .flat_map(|transition| transition.event.iter().flatten());
        let mut names: Vec<String> = descriptors
            .filter(|one| !one.tokens.is_empty())
            .map(|one| one.tokens.join("."))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Ids of all state, parallel and final elements in document order.
    pub fn state_ids(&self) -> Vec<String> {
        let real = self
            .states
            .iter()
            .skip(1)
            .filter(|state| !state.kind.is_history());
        real.map(|state| state.id.clone()).collect()
    }

    /// How many leaves can be active at once, at most.
    pub fn most_leaves(&self) -> usize {
        self.leaves_of(0)
    }

    /// How deep states are nested; 1 for a document with states at the top only.
    pub fn depth(&self) -> usize {
        let levels = (0..self.states.len()).map(|state| self.proper_ancestors(state, None).len());
        levels.max().unwrap_or(0)
    }

    fn leaves_of(&self, state: usize) -> usize {
        let inside = self.states[state]
            .children
            .iter()
            .map(|&child| self.leaves_of(child));
        match self.states[state].kind {
            Kind::Parallel => inside.sum::<usize>().max(1),
            _ => inside.max().unwrap_or(1),
        }
    }
}

impl Kind {
    pub(crate) fn is_history(self) -> bool {
        matches!(self, Kind::ShallowHistory | Kind::DeepHistory)
    }
}
