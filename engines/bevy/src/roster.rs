//! Who lives on which entity, who is awake, and whose turn it is: all that follows from entities and
//! from [`AgentState`], and can be found again.

use std::collections::HashMap;

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use statewright::{AgentId, Counters, Event, EventHandle, EventLinks, Machine, Sleep, WakeSet};

use crate::agent::StableId;
use crate::problems::Problems;
use crate::sort::Sorter;
use crate::state::{AgentState, Letter};

/// No machine yet.
pub(crate) const NO_PROGRAM: u16 = u16::MAX;

/// All agents of an app. User functions may read it: `agents.entity(cx.agent())` is the entity that an
/// agent lives on.
#[derive(Resource, Default)]
pub struct Agents {
    /// By index of the agent.
    entities: Vec<Option<Entity>>,
    /// Numbers of programs, by index of the agent.
    pub(crate) programs: Vec<u16>,
    /// Numbers of variants, by index of the agent.
    pub(crate) variants: Vec<u16>,
    /// Has any agent ever had another variant than the plain one?
    pub(crate) has_variants: bool,
    pub(crate) awake: WakeSet,
    /// Machines that agents run, by number of the program.
    pub(crate) machines: Vec<Program>,
    links: HashMap<(u16, u16), EventLinks>,
    by_receiver: Sorter<(u32, Event)>,
    by_sender: Sorter<(AgentId, u16, AgentId, Event)>,
    /// By number of the kind.
    pub(crate) turns: Vec<Turns>,
    /// Agents that were put on an entity since the last intake.
    pub(crate) newcomers: Vec<Entity>,
    pub(crate) departures: Vec<(StableId, Entity)>,
    pub(crate) revariants: Vec<Entity>,
    /// Agents that are stopped in the next tick, and those that are to be reset.
    pub(crate) stopping: Vec<AgentId>,
    /// Entities are others than before: everything here is to be found again.
    pub(crate) is_stale: bool,
    /// Counts how often it was.
    pub(crate) epoch: u64,
    /// The tick that must come next, if time did not go back.
    pub(crate) expected: u64,
    /// Automatic ids begin here.
    pub(crate) numbers_from: u32,
    pub(crate) most_agents: u32,
    totals: Counters,
    last_counters: Counters,
    last_turns: usize,
    count: usize,
}

/// A machine that is bound to the functions of a kind.
pub(crate) struct Program {
    pub(crate) machine: Machine,
    pub(crate) kind: u16,
}

/// Whose turn it is, of one kind.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Indices of agents, ascending.
    pub(crate) awake: Vec<u32>,
    /// Events by index of the agent, in order.
    pub(crate) inbox: Vec<(u32, Event)>,
    pub(crate) stopping: Vec<u32>,
}

/// What the kinds left of a tick, for whoever puts it together. Apart from [`Agents`], which user functions
/// may read while agents think.
#[derive(Resource, Debug, Default)]
pub(crate) struct Outcome {
    /// Agents whose bytes changed since the last intake, by index.
    pub(crate) changed: Vec<u32>,
    pub(crate) settled: Vec<(u32, Sleep)>,
    /// By index of the agent.
    pub(crate) left: Vec<(u32, Event)>,
    /// Sender, its program, receiver, event.
    pub(crate) sent: Vec<(AgentId, u16, AgentId, Event)>,
    pub(crate) turns: usize,
    pub(crate) counters: Counters,
}

impl Agents {
    /// Nobody yet.
    pub(crate) fn new(numbers_from: u32, most_agents: u32) -> Self {
        Self {
            numbers_from,
            most_agents,
            ..Self::default()
        }
    }
}

impl Outcome {
    /// A tick begins.
    pub(crate) fn begin(&mut self) {
        self.settled.clear();
        self.left.clear();
        self.sent.clear();
        (self.turns, self.counters) = (0, Counters::default());
    }
}

/// Reading.
impl Agents {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many have a turn in the next tick, besides those that are sent something.
    pub fn awake(&self) -> usize {
        self.awake.count()
    }

    /// The entity that an agent lives on. It may be gone since the last intake.
    pub fn entity(&self, agent: AgentId) -> Option<Entity> {
        self.entities.get(agent.index() as usize).copied().flatten()
    }

    /// The machine that an agent runs, if it is loaded.
    pub fn machine(&self, agent: AgentId) -> Option<&Machine> {
        self.program(agent.index() as usize)
            .map(|program| &program.machine)
    }

    /// What happened to all agents since the app began.
    pub fn counters(&self) -> &Counters {
        &self.totals
    }

    /// What happened in the last tick.
    pub fn last_counters(&self) -> &Counters {
        &self.last_counters
    }

    /// How many agents something happened to in the last tick.
    pub fn last_turns(&self) -> usize {
        self.last_turns
    }

    /// An agent is stopped in the next tick: it leaves all its states, with their exit actions, and ends.
    /// Its entity stays.
    pub fn stop(&mut self, agent: AgentId) {
        self.stopping.push(agent);
    }

    /// An agent has a turn in the next tick: for whoever changed its instance (paused, resumed or reset it
    /// by the methods of [`Machine`]), or a blackboard that its conditions look at. One that is gone has
    /// none.
    pub fn wake(&mut self, agent: AgentId) {
        if self.machine(agent).is_some() {
            self.awake.wake(agent.index() as usize);
        }
    }

    pub(crate) fn program(&self, slot: usize) -> Option<&Program> {
        self.machines.get(usize::from(*self.programs.get(slot)?))
    }
}

/// Agents come and go.
impl Agents {
    /// An agent lives on an entity.
    pub(crate) fn place(&mut self, agent: AgentId, entity: Entity) {
        let slot = agent.index() as usize;
        if self.entities.len() <= slot {
            self.entities.resize(slot + 1, None);
            self.programs.resize(slot + 1, NO_PROGRAM);
            self.variants.resize(slot + 1, 0);
        }
        self.count += usize::from(self.entities[slot].is_none());
        self.entities[slot] = Some(entity);
    }

    /// It lives no more.
    pub(crate) fn clear(&mut self, slot: usize) {
        if let Some(entity) = self.entities.get_mut(slot) {
            self.count -= usize::from(entity.take().is_some());
            self.programs[slot] = NO_PROGRAM;
            self.variants[slot] = 0;
            self.awake.put_to_sleep(slot);
        }
    }

    /// Nobody is known; machines stay.
    pub(crate) fn forget(&mut self) {
        self.entities.fill(None);
        self.programs.fill(NO_PROGRAM);
        self.variants.fill(0);
        self.awake.clear();
        self.count = 0;
        self.epoch += 1;
        self.is_stale = false;
        self.newcomers.clear();
        self.departures.clear();
        self.revariants.clear();
        self.stopping.clear();
    }

    /// An agent runs a program from now on.
    pub(crate) fn run(&mut self, slot: usize, program: u16) {
        self.programs[slot] = program;
        self.awake.wake(slot);
    }

    /// Agents of a kind have a turn.
    pub(crate) fn wake_kind(&mut self, kind: u16) {
        for slot in 0..self.programs.len() {
            if self
                .program(slot)
                .is_some_and(|program| program.kind == kind)
            {
                self.awake.wake(slot);
            }
        }
    }

    /// Another machine takes the place of one; nobody's links hold.
    pub(crate) fn set_machine(&mut self, program: u16, machine: Machine) {
        if let Some(place) = self.machines.get_mut(usize::from(program)) {
            place.machine = machine;
        }
        self.links.clear();
    }
}

/// Turns.
impl Agents {
    /// Everybody who is awake goes to the list of its kind.
    pub(crate) fn list_turns(&mut self, now: u64, list: &mut Vec<u32>) {
        for turns in &mut self.turns {
            turns.awake.clear();
            turns.inbox.clear();
            turns.stopping.clear();
        }
        self.awake.wake_due(now);
        self.awake.list(list);
        for &slot in &*list {
            let kind = self.program(slot as usize).map(|program| program.kind);
            if let Some(turns) = kind.and_then(|kind| self.turns.get_mut(usize::from(kind))) {
                turns.awake.push(slot);
            }
        }
    }

    /// Events for those who are there and know them, in the order of agents; the others are counted.
    pub(crate) fn deliver(
        &mut self,
        state: &AgentState,
        letters: &[Letter],
        problems: &mut Problems,
    ) {
        for letter in letters {
            let slot = letter.to.index();
            if !state.has(letter.to) {
                problems.lost_to_nobody += 1;
                continue;
            }
            match self.program(slot as usize).map(|program| program.kind) {
                Some(kind) => self.turns[usize::from(kind)]
                    .inbox
                    .push((slot, letter.event)),
                None => problems.lost_not_ready += 1,
            }
        }
        for turns in &mut self.turns {
            self.by_receiver.sort(&mut turns.inbox, |(slot, _)| *slot);
        }
    }

    /// What all kinds left becomes what the next tick begins with.
    pub(crate) fn finish(
        &mut self,
        last: &mut Outcome,
        state: &mut AgentState,
        problems: &mut Problems,
    ) {
        self.awake.put_all_to_sleep();
        for &(slot, sleep) in &last.settled {
            self.awake.settle(slot as usize, sleep, state.now);
        }
        self.by_receiver.sort(&mut last.left, |(slot, _)| *slot);
        for &(slot, event) in &last.left {
            if let Some(to) = state.at(slot as usize) {
                state.letters.push(Letter { to, event });
            }
        }
        // In the order of senders, each in its own.
        self.by_sender
            .sort(&mut last.sent, |(from, ..)| from.index());
        self.totals.add(&last.counters);
        problems.lost_in_tick(&last.counters);
        (self.last_counters, self.last_turns) = (last.counters, last.turns);
        state.now += 1;
        self.expected = state.now;
    }

    /// The event of the receiver's machine for one of the sender's; `None` if it does not know it.
    pub(crate) fn translate(&mut self, from: u16, to: u16, event: Event) -> Option<Event> {
        if from == to {
            return Some(event);
        }
        let Self {
            machines, links, ..
        } = self;
        let link = links.entry((from, to)).or_insert_with(|| {
            let [from, to] = [from, to].map(|number| &machines[usize::from(number)].machine);
            from.link_events(to)
        });
        link.translate(event)
    }

    /// The program whose machine an event is of.
    pub(crate) fn owner(&self, event: EventHandle) -> Option<u16> {
        let mut all = self.machines.iter();
        let place = all.position(|program| program.machine.resolve(event).is_ok())?;
        u16::try_from(place).ok()
    }
}
