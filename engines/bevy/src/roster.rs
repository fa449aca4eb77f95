//! Who lives on which entity, who is awake, and whose turn it is: all that follows from entities and
//! from [`AgentState`], and can be found again.

use std::any::TypeId;
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
    /// Of those who live there: an id of somebody who is gone must not mean its successor.
    generations: Vec<u32>,
    /// Numbers of programs, by index of the agent.
    pub(crate) programs: Vec<u16>,
    /// Numbers of variants, by index of the agent.
    pub(crate) variants: Vec<u16>,
    /// Has any agent ever had another variant than the plain one?
    pub(crate) has_variants: bool,
    pub(crate) awake: WakeSet,
    /// Machines that agents run, by number of the program.
    pub(crate) machines: Vec<Program>,
    /// How many agents run each of them.
    users: Vec<u32>,
    links: HashMap<(u16, u16), EventLinks>,
    by_receiver: Sorter<(u32, Event)>,
    by_sender: Sorter<(AgentId, u16, AgentId, Event)>,
    /// By number of the kind.
    pub(crate) turns: Vec<Turns>,
    /// Types of their blackboards, by number of the kind.
    kinds: Vec<TypeId>,
    /// Agents that were put on an entity since the last intake.
    pub(crate) newcomers: Vec<Entity>,
    pub(crate) departures: Vec<(StableId, Entity)>,
    pub(crate) partings: Vec<Parting>,
    pub(crate) revariants: Vec<Entity>,
    /// Entities are others than before: everything here is to be found again.
    pub(crate) is_stale: bool,
    /// Counts how often it was.
    pub(crate) epoch: u64,
    /// Counts how often somebody ended.
    pub(crate) ends: u64,
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

/// An Agent was taken off an entity, or went with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parting {
    pub(crate) entity: Entity,
    /// Type of the blackboard that it was an Agent of.
    pub(crate) kind: TypeId,
    /// How many newcomers there were: those behind came later.
    pub(crate) before: usize,
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
    /// Entities that go on without being agents, since the last intake.
    pub(crate) gone: Vec<Entity>,
    pub(crate) settled: Vec<(u32, Sleep)>,
    /// By index of the agent.
    pub(crate) left: Vec<(u32, Event)>,
    /// Sender, its program, receiver, event.
    pub(crate) sent: Vec<(AgentId, u16, AgentId, Event)>,
    /// Agents that were stopped, by index.
    pub(crate) stopped: Vec<u32>,
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
        self.stopped.clear();
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
        let slot = agent.index() as usize;
        let entity = (*self.entities.get(slot)?)?;
        // Ids of groups and of crowds are no agents' either.
        let own = AgentId::new(agent.index(), self.generations[slot]);
        (own == agent).then_some(entity)
    }

    /// The machine that an agent runs, if it is loaded.
    pub fn machine(&self, agent: AgentId) -> Option<&Machine> {
        self.entity(agent)?;
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

    /// Is an agent one of the kind with this blackboard? Nobody knows of one whose machine is not loaded.
    pub(crate) fn may_be_of(&self, slot: usize, kind: TypeId) -> bool {
        let own = self.program(slot).map(|program| usize::from(program.kind));
        own.is_none_or(|own| self.kinds.get(own) == Some(&kind))
    }

    /// A kind is added: its number.
    pub(crate) fn add_kind<B: 'static>(&mut self) -> u16 {
        let number = self.kinds.len() as u16;
        self.kinds.push(TypeId::of::<B>());
        self.turns.push(Turns::default());
        number
    }
}

/// Agents come and go.
impl Agents {
    /// An agent lives on an entity.
    pub(crate) fn place(&mut self, agent: AgentId, entity: Entity) {
        let slot = agent.index() as usize;
        if self.entities.len() <= slot {
            self.entities.resize(slot + 1, None);
            self.generations.resize(slot + 1, 0);
            self.programs.resize(slot + 1, NO_PROGRAM);
            self.variants.resize(slot + 1, 0);
        }
        self.count += usize::from(self.entities[slot].is_none());
        self.entities[slot] = Some(entity);
        self.generations[slot] = agent.generation();
    }

    /// It lives no more.
    pub(crate) fn clear(&mut self, slot: usize) {
        if let Some(entity) = self.entities.get_mut(slot) {
            self.count -= usize::from(entity.take().is_some());
            self.ends += 1;
            self.set_program(slot, NO_PROGRAM);
            self.variants[slot] = 0;
            self.awake.put_to_sleep(slot);
        }
    }

    /// Nobody is known; machines stay.
    pub(crate) fn forget(&mut self) {
        self.entities.fill(None);
        self.programs.fill(NO_PROGRAM);
        self.users.fill(0);
        self.variants.fill(0);
        self.awake.clear();
        self.count = 0;
        self.epoch += 1;
        self.is_stale = false;
        self.newcomers.clear();
        self.departures.clear();
        self.partings.clear();
        self.revariants.clear();
    }

    /// An agent runs a program from now on.
    pub(crate) fn run(&mut self, slot: usize, program: u16) {
        self.set_program(slot, program);
        self.awake.wake(slot);
    }

    /// It has none, until its machine is loaded.
    pub(crate) fn run_nothing(&mut self, slot: usize) {
        self.set_program(slot, NO_PROGRAM);
        self.awake.put_to_sleep(slot);
    }

    fn set_program(&mut self, slot: usize, program: u16) {
        let before = std::mem::replace(&mut self.programs[slot], program);
        if let Some(users) = self.users.get_mut(usize::from(before)) {
            *users -= 1;
        }
        if let Some(users) = self.users.get_mut(usize::from(program)) {
            *users += 1;
        }
    }

    /// Does any agent run a program?
    pub(crate) fn is_run(&self, program: u16) -> bool {
        self.users
            .get(usize::from(program))
            .is_some_and(|&users| users > 0)
    }

    /// One more machine that agents of a kind may run: its number. `None` if there are as many as numbers.
    pub(crate) fn add_machine(&mut self, machine: Machine, kind: u16) -> Option<u16> {
        let number = u16::try_from(self.machines.len()).ok();
        let number = number.filter(|&number| number != NO_PROGRAM)?;
        self.machines.push(Program { machine, kind });
        self.users.push(0);
        Some(number)
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
        last.stopped.sort_unstable();
        state.forget_stops(&last.stopped);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Agent;

    #[derive(bevy_ecs::component::Component, statewright::Board, Default)]
    struct Dummy;

    fn row<T>(_: &[T]) -> usize {
        size_of::<T>()
    }

    #[test]
    fn an_agent_costs_its_instance_its_blackboard_and_52_bytes() {
        let (agents, state) = (Agents::default(), AgentState::default());
        let beside = row(&agents.entities)
            + row(&agents.generations)
            + row(&agents.programs)
            + row(&agents.variants)
            + row(&state.generations);
        let own = size_of::<Agent<Dummy>>() + size_of::<StableId>();
        assert_eq!(own + beside, 52);
    }
}
