//! The state of a run, and the way in.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::document::Document;
use crate::expression::{Surroundings, Value};
use crate::happening::{Happening, Outcome, Peaks};

/// A macrostep has at most so many microsteps.
pub(crate) const MOST_MICROSTEPS: usize = 256;
/// A call begins at most so many macrosteps; only sends without delay make more than one.
pub(crate) const MOST_MACROSTEPS: usize = 256;
/// So many delayed sends may wait.
pub(crate) const MOST_PENDING: usize = 1024;

/// A run of a document.
#[derive(Clone, Debug)]
pub struct Interpreter<'d> {
    pub(crate) document: &'d Document,
    /// Active states, composite ones too, in document order.
    pub(crate) configuration: BTreeSet<usize>,
    pub(crate) internal_queue: VecDeque<String>,
    pub(crate) external_queue: VecDeque<String>,
    pub(crate) history_value: BTreeMap<usize, Vec<usize>>,
    pub(crate) datamodel: Vec<Value>,
    pub(crate) running: bool,
    pub(crate) endless: bool,
    pub(crate) microsteps: usize,
    pub(crate) pending: Vec<Pending>,
    pub(crate) now_ms: u64,
    pub(crate) sends: u64,
    pub(crate) log: Vec<Happening>,
    pub(crate) peaks: Peaks,
    pub(crate) last: BTreeSet<usize>,
    started: bool,
}

/// A delayed send that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    pub due_ms: u64,
    /// How many sends there were before it: those due at the same time go in the order they were
    /// sent.
    pub order: u64,
    pub event: String,
    pub id: Option<String>,
}

impl<'d> Interpreter<'d> {
    /// A run that has not started.
    pub fn new(document: &'d Document) -> Self {
        Interpreter {
            document,
            configuration: BTreeSet::new(),
            internal_queue: VecDeque::new(),
            external_queue: VecDeque::new(),
            history_value: BTreeMap::new(),
            datamodel: document
                .data
                .iter()
                .map(|data| data.value.clone())
                .collect(),
            running: false,
            endless: false,
            microsteps: 0,
            pending: Vec::new(),
            now_ms: 0,
            sends: 0,
            log: Vec::new(),
            peaks: Peaks::default(),
            last: BTreeSet::new(),
            started: false,
        }
    }

    /// Enters the initial states and goes on until nothing is left to do. A second call does
    /// nothing.
    pub fn start(&mut self) -> Outcome {
        if !self.started {
            self.started = true;
            self.interpret();
        }
        self.outcome()
    }

    /// Sends an external event and goes on until nothing is left to do. Before the start and after
    /// the end it does nothing.
    pub fn send(&mut self, event: &str) -> Outcome {
        if self.running && !self.endless {
            self.enqueue_external(event.to_string());
            self.main_event_loop();
        }
        self.outcome()
    }

    /// Lets time pass. Sends that come due are external events, each with its macrostep, by due
    /// time and then by the order they were sent.
    pub fn advance(&mut self, milliseconds: u64) -> Outcome {
        let until_ms = self.now_ms.saturating_add(milliseconds);
        while self.running && !self.endless {
            let first = self
                .pending
                .iter()
                .filter(|one| one.due_ms <= until_ms)
                .min_by_key(|one| (one.due_ms, one.order));
            let Some(first) = first.cloned() else { break };
            let tie = self
                .pending
                .iter()
                .any(|one| one.due_ms == first.due_ms && one.event != first.event);
            self.peaks.ties += usize::from(tie);
            self.pending.retain(|one| one.order != first.order);
            self.now_ms = first.due_ms;
            self.enqueue_external(first.event);
            self.main_event_loop();
        }
        self.now_ms = until_ms;
        self.outcome()
    }

    /// Ids of the active states that have none inside, in document order. Empty before the start
    /// and after the end.
    pub fn configuration(&self) -> Vec<String> {
        self.leaves(&self.configuration)
    }

    /// The last configuration before the run ended; empty if it did not.
    pub fn ended_in(&self) -> Vec<String> {
        self.leaves(&self.last)
    }

    /// Whether a top-level final was reached.
    pub fn terminated(&self) -> bool {
        self.started && !self.running
    }

    /// What happened since the last call.
    pub fn take_log(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.log)
    }

    /// The value of a data element.
    pub fn value(&self, id: &str) -> Option<&Value> {
        let variable = self.document.data.iter().position(|data| data.id == id)?;
        self.datamodel.get(variable)
    }

    /// What the run needed so far.
    pub fn peaks(&self) -> Peaks {
        self.peaks
    }

    fn outcome(&self) -> Outcome {
        match (self.endless, self.terminated()) {
            (true, _) => Outcome::Endless,
            (false, true) => Outcome::Ended,
            (false, false) => Outcome::Stable,
        }
    }

    fn leaves(&self, active: &BTreeSet<usize>) -> Vec<String> {
        let leaves = active
            .iter()
            .filter(|&&state| self.document.is_atomic_state(state));
        leaves
            .map(|&state| self.document.states[state].id.clone())
            .collect()
    }
}

impl Surroundings for Interpreter<'_> {
    fn variable(&self, variable: usize) -> Value {
        self.datamodel[variable].clone()
    }

    fn is_active(&self, state: usize) -> bool {
        self.configuration.contains(&state)
    }
}
