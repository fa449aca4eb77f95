//! How long user functions take, by a clock of the host's. Nothing that agents do depends on it.

use std::fmt;
use std::sync::Arc;

use statewright_rom::ids::FunctionId;

use super::output::TickOutput;
use crate::agent_id::AgentId;

/// Slow calls that are kept; more are counted only.
const KEPT: usize = 1024;

/// What measures user functions: a clock of the host's, in whatever unit it counts.
#[derive(Clone)]
pub struct Timing {
    clock: Arc<dyn Fn() -> u64 + Send + Sync>,
    budget: u64,
}

impl Timing {
    /// With a clock that never goes back; several threads may ask it at once.
    pub fn new(clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self {
            clock: Arc::new(clock),
            budget: u64::MAX,
        }
    }

    /// Calls that take longer than this are listed.
    #[must_use]
    pub fn with_budget(mut self, budget: u64) -> Self {
        self.budget = budget;
        self
    }

    pub(super) fn now(&self) -> u64 {
        (self.clock)()
    }
}

impl fmt::Debug for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timing")
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// How long the calls of one function took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionTime {
    /// How many calls there were. One that panics is not among them.
    pub calls: u64,
    /// All of them together.
    pub total: u64,
    /// The longest.
    pub worst: u64,
}

impl FunctionTime {
    fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.total = self.total.saturating_add(other.total);
        self.worst = self.worst.max(other.worst);
    }
}

/// A call that took longer than the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowCall {
    /// The low half of the tick.
    pub tick: u32,
    /// Who called.
    pub agent: AgentId,
    /// The function.
    pub function: FunctionId,
    /// How long it took.
    pub time: u64,
}

/// What measures the agents of a crowd, or of slices, and what it found so far.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    pub(crate) timing: Option<Timing>,
    pub(crate) times: CallTimes,
}

impl Measured {
    /// Adds what a tick took, if it was measured.
    pub(crate) fn add(&mut self, tick: &TickOutput) {
        if self.timing.is_some() {
            tick.add_times(&mut self.times);
        }
    }
}

/// How long all calls took, of one chunk and tick or of many.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTimes {
    /// By number of the function.
    functions: Vec<FunctionTime>,
    slow: Vec<SlowCall>,
    slow_count: u64,
}

impl CallTimes {
    /// Without anything.
    pub(crate) fn clear(&mut self) {
        self.functions.clear();
        self.slow.clear();
        self.slow_count = 0;
    }

    /// One more call.
    pub(super) fn note(&mut self, timing: &Timing, call: SlowCall) {
        let one = FunctionTime {
            calls: 1,
            total: call.time,
            worst: call.time,
        };
        self.add_function(call.function.index(), &one);
        if call.time > timing.budget {
            self.slow_count = self.slow_count.saturating_add(1);
            self.keep(&call);
        }
    }

    /// What another chunk, or another tick, took.
    pub(crate) fn add(&mut self, other: &Self) {
        for (function, time) in other.functions.iter().enumerate() {
            self.add_function(function, time);
        }
        self.slow_count = self.slow_count.saturating_add(other.slow_count);
        other.slow.iter().for_each(|call| self.keep(call));
    }

    fn add_function(&mut self, function: usize, time: &FunctionTime) {
        if self.functions.len() <= function {
            self.functions.resize(function + 1, FunctionTime::default());
        }
        if let Some(own) = self.functions.get_mut(function) {
            own.add(time);
        }
    }

    fn keep(&mut self, call: &SlowCall) {
        if self.slow.len() < KEPT {
            self.slow.push(*call);
        }
    }

    /// Functions that were called, by number.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (FunctionId, FunctionTime)> {
        let called = self.functions.iter().enumerate();
        let called = called.filter(|(_, time)| time.calls > 0);
        called.filter_map(|(number, time)| Some((FunctionId::from_index(number)?, *time)))
    }

    /// The first slow calls.
    pub(crate) fn slow(&self) -> &[SlowCall] {
        &self.slow
    }

    /// How many slow calls there were.
    pub(crate) fn slow_count(&self) -> u64 {
        self.slow_count
    }
}
