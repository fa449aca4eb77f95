//! The interpreter: a resolved machine and one instance of it, in plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use statewright_author::graph;
use statewright_author::value::Tier;

use crate::entry::Settled;
use crate::model::Model;
use crate::queue::Event;
use crate::report::{Counters, Quarantine, TickReport};
use crate::resolve::resolve;
use crate::snapshot::{Flags, Frame};
use crate::world::{Call, Cause, Rng, Status, World};

/// The reference interpreter of one agent.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub(crate) model: Arc<Model>,
    pub(crate) agent: u64,
    pub(crate) counters: Counters,
    pub(crate) flags: Flags,
    pub(crate) rng: Rng,
    pub(crate) generation: u16,
    pub(crate) clamped: u8,
    /// Every active state, leaves and those around them.
    pub(crate) active: BTreeSet<usize>,
    /// States entered or resumed in this tick (TICK-5).
    pub(crate) entered: BTreeSet<usize>,
    /// What each history point remembers (EXEC-4).
    pub(crate) history: Vec<Option<Vec<usize>>>,
    /// Where defaults of history points lead that are entered in this microstep (EXEC-7).
    pub(crate) foreseen: BTreeMap<usize, Settled>,
    /// Deadlines of running timers, in start order (EVT-7, EVT-9).
    pub(crate) timers: BTreeMap<usize, Vec<u32>>,
    /// Entry ticks of active states that have a clock.
    pub(crate) clocks: BTreeMap<usize, u32>,
    /// Timers that begin as soon as somebody can say how long they last (LOAD-4).
    pub(crate) pending: BTreeSet<usize>,
    /// Deadlines of debounces, by transition.
    pub(crate) debounces: BTreeMap<usize, u32>,
    /// Ready ticks of cooldowns, by transition.
    pub(crate) cooldowns: BTreeMap<usize, u32>,
    /// Results of activities, by state.
    pub(crate) results: BTreeMap<usize, Status>,
    /// Stored transitions, by source (SEL-6).
    pub(crate) latched: BTreeMap<usize, usize>,
    pub(crate) scratch: Vec<Vec<u16>>,
    pub(crate) queue: Vec<Event>,
    /// Suspended frames, by region; the last is the top (EXEC-8).
    pub(crate) frames: BTreeMap<usize, Vec<Frame>>,
    /// Something happened that quarantines the agent as soon as the microstep is over (EVT-10).
    pub(crate) fault: Option<Quarantine>,
    /// Why it is quarantined.
    pub(crate) quarantined_by: Option<Quarantine>,
    /// Callbacks of a tick are running (TICK-7).
    pub(crate) in_tick: bool,
    /// An observer runs: it may post and emit, nothing else (EVT-8).
    pub(crate) observing: bool,
}

/// What one call of the host gives.
pub(crate) struct Env<'w> {
    pub(crate) world: &'w mut dyn World,
    pub(crate) tick: u32,
    pub(crate) variant: usize,
    pub(crate) report: TickReport,
}

impl<'w> Env<'w> {
    pub(crate) fn new(world: &'w mut dyn World, tick: u32, variant: usize) -> Self {
        Self {
            world,
            tick,
            variant,
            report: TickReport::default(),
        }
    }
}

/// Whom code belongs to (CODE-1).
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) state: usize,
    pub(crate) transition: Option<usize>,
    pub(crate) cause: Cause,
}

impl Oracle {
    /// An instance that has not started.
    pub fn new(machine: &graph::Machine, tier: Tier, agent: u64, rng: u32) -> Self {
        let model = resolve(machine, tier);
        Self {
            agent,
            counters: Counters::default(),
            flags: Flags::default(),
            rng: Rng(rng),
            generation: 0,
            clamped: 0,
            active: BTreeSet::new(),
            entered: BTreeSet::new(),
            history: vec![None; model.points.len()],
            foreseen: BTreeMap::new(),
            timers: BTreeMap::new(),
            clocks: BTreeMap::new(),
            pending: BTreeSet::new(),
            debounces: BTreeMap::new(),
            cooldowns: BTreeMap::new(),
            results: BTreeMap::new(),
            latched: BTreeMap::new(),
            scratch: model
                .scratch
                .iter()
                .map(|scratch| vec![0; scratch.slots])
                .collect(),
            queue: Vec::new(),
            frames: BTreeMap::new(),
            fault: None,
            quarantined_by: None,
            in_tick: false,
            observing: false,
            model: Arc::new(model),
        }
    }

    /// What happened so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Why the agent is quarantined, if it is.
    pub fn quarantined_by(&self) -> Option<Quarantine> {
        self.quarantined_by
    }

    /// Whether there is anything left to do at all.
    pub(crate) fn running(&self) -> bool {
        !self.flags.terminated && !self.flags.quarantined
    }

    /// What user code is told.
    pub(crate) fn call<'a>(
        &self,
        env: &Env<'_>,
        function: &'a str,
        arguments: &'a [crate::world::Argument],
        site: &Site,
    ) -> Call<'a> {
        let state = &self.model.states[site.state];
        Call {
            function,
            arguments,
            agent: self.agent,
            tick: env.tick,
            variant: env.variant,
            state: site.state,
            region: state.region,
            transition: site.transition,
            cause: site.cause.clone(),
            active: self.active.iter().copied().collect(),
            ticks_in_state: state
                .has_clock
                .then(|| self.ticks_in_state(site.state, env.tick)),
        }
    }
}
