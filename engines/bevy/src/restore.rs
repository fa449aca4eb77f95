//! Brains of a snapshot come back: at once where the machine of an agent is known, else as soon as it is.
//!
//! ```text
//!  restore_brains ──▶ machine known?  yes: instance, blackboard and events are put in their places
//!                                     no:  SavedBrain on the entity ──▶ adopt, when the agent begins
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::system::EntityCommands;
use bevy_ecs::world::World;
use statewright::{AgentId, Event, Fate, Instance, Instance64, Instance128, Instance256};
use statewright::{Machine, Reload};

use crate::agent::{AllRams, Ram, Ram64, Ram128, Ram256, StableId};
use crate::everybody::with_everybody;
use crate::kind::hashes;
use crate::roster::Agents;
use crate::saved_boards::Boards;
use crate::snapshot::{AnyInstance, BrainsRestored, Read, ReadAgent};
use crate::state::{AgentState, Letter};

/// A snapshot while agents come back from it.
pub(crate) struct Source {
    read: Read,
    /// By number of the machine in the snapshot and hashes of that of today.
    plans: Mutex<HashMap<(u16, [u64; 2]), Arc<Reload>>>,
}

/// The brain of an agent whose machine is not known yet: one that was spawned for this snapshot, or whose
/// machine is still being loaded.
#[derive(Component, Clone)]
#[component(clone_behavior = Ignore)]
pub(crate) struct SavedBrain {
    source: Arc<Source>,
    /// Place of the agent in the snapshot.
    place: usize,
    /// Events that were under way to it.
    letters: Vec<Event>,
}

/// What became of an instance.
pub(crate) enum Back {
    /// It has the bytes that it had.
    Same(AnyInstance),
    /// It is one of another version of its machine.
    Mapped(AnyInstance),
    /// It begins anew: it had not begun, or these bytes are none of an agent of its machine, or nothing of
    /// them is left in that of today.
    Anew(Option<AnyInstance>),
}

impl Source {
    fn plan(&self, machine: u16, today: &Machine) -> Option<Arc<Reload>> {
        let (_, old) = self.read.machines.get(usize::from(machine))?;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = plans.entry((machine, hashes(today)));
        Some(Arc::clone(
            plan.or_insert_with(|| Arc::new(Reload::plan(old, today))),
        ))
    }

    /// The instance that an agent of the snapshot has in the machine of today, before the tick `next`.
    fn instance(&self, agent: &ReadAgent, today: &Machine, next: u64) -> Back {
        let old = self.read.machines.get(usize::from(agent.program));
        let plan = self.plan(agent.program, today);
        let (Some((own, old)), Some(plan), Some(instance)) = (old, plan, agent.instance) else {
            return Back::Anew(None);
        };
        match instance {
            _ if !instance.is_of(old) => Back::Anew(None),
            _ if *own == hashes(today) => Back::Same(instance),
            AnyInstance::Small(one) => mapped(&plan, &one, next),
            AnyInstance::Middle(one) => mapped(&plan, &one, next),
            AnyInstance::Large(one) => mapped(&plan, &one, next),
        }
    }

    /// Puts the blackboard of an agent on its entity; `false` if it cannot be read.
    fn put_board(
        &self,
        world: &mut World,
        entity: Entity,
        agent: &ReadAgent,
        today: &Machine,
    ) -> bool {
        let Some((number, bytes)) = &agent.board else {
            return true;
        };
        // One that had not begun has no machine: its blackboard is one for that of today.
        let plan = self.plan(agent.program, today);
        let plan = plan.unwrap_or_else(|| Arc::new(Reload::plan(today, today)));
        let form = &self.read.boards[usize::from(*number)];
        let boards = world.get_resource::<Boards>().cloned().unwrap_or_default();
        boards.load(world, entity, (form, bytes), (&plan, today))
    }
}

fn mapped<I: Instance>(plan: &Reload, old: &I, next: u64) -> Back {
    let small = || {
        let (new, mapped) = plan.instance::<I, Instance64>(old, next)?;
        Some((AnyInstance::Small(new), mapped.fate))
    };
    let middle = || {
        let (new, mapped) = plan.instance::<I, Instance128>(old, next)?;
        Some((AnyInstance::Middle(new), mapped.fate))
    };
    let large = || {
        let (new, mapped) = plan.instance::<I, Instance256>(old, next)?;
        Some((AnyInstance::Large(new), mapped.fate))
    };
    match small().or_else(middle).or_else(large) {
        Some((new, Fate::Anew(_) | Fate::Quarantined)) => Back::Anew(Some(new)),
        Some((new, Fate::Kept | Fate::Completed(_) | Fate::Unstarted | Fate::Ended)) => {
            Back::Mapped(new)
        }
        None => Back::Anew(None),
    }
}

impl SavedBrain {
    fn agent(&self) -> &ReadAgent {
        &self.source.read.agents[self.place]
    }

    /// Whose it is.
    pub(crate) fn id(&self) -> AgentId {
        self.agent().id
    }

    /// The snapshot that it is of, and its place in it.
    pub(crate) fn saved(&self) -> (&Read, &ReadAgent, &[Event]) {
        (&self.source.read, self.agent(), &self.letters)
    }

    /// Its agent begins before the tick `next`. Time has gone on meanwhile, also for its timers.
    pub(crate) fn instance(&self, today: &Machine, next: u64) -> Back {
        self.source.instance(self.agent(), today, next)
    }

    /// Events that were under way to it, in the machine of today.
    pub(crate) fn letters(&self, today: &Machine) -> impl Iterator<Item = Letter> {
        let plan = self.source.plan(self.agent().program, today);
        let (to, letters) = (self.id(), self.letters.iter());
        letters.filter_map(move |&event| {
            let event = plan.as_ref()?.event(event)?;
            Some(Letter { to, event })
        })
    }

    /// Had it begun when it was saved?
    pub(crate) fn has_begun(&self) -> bool {
        self.agent().instance.is_some()
    }

    /// How many they were.
    pub(crate) fn events(&self) -> usize {
        self.letters.len()
    }

    /// Puts its blackboard on the entity; `false` if it cannot be read.
    pub(crate) fn put_board(&self, world: &mut World, entity: Entity, today: &Machine) -> bool {
        let agent = self.agent();
        self.source.put_board(world, entity, agent, today)
    }
}

/// An instance in its component, and none of another tier.
pub(crate) fn put_instance(entity: &mut EntityCommands<'_>, instance: AnyInstance) {
    match instance {
        AnyInstance::Small(one) => _ = entity.try_insert(Ram64::new(one)),
        AnyInstance::Middle(one) => _ = entity.try_insert(Ram128::new(one)),
        AnyInstance::Large(one) => _ = entity.try_insert(Ram256::new(one)),
    }
}

/// Everything fits: it takes effect.
pub(crate) fn put_back(world: &mut World, mut read: Read) -> BrainsRestored {
    let mut restored = BrainsRestored::default();
    let numbers_from = world.resource::<Agents>().numbers_from;
    let mut state = read.state.clone();
    state.find_free(numbers_from);
    let letters = std::mem::take(&mut state.letters);
    read.state.letters.clear();
    let source = Arc::new(Source {
        read,
        plans: Mutex::default(),
    });
    let saved = &source.read.agents;
    // Who lives where, before anybody is moved.
    let mut query = with_everybody(world, World::query::<(Entity, &StableId)>);
    let here: Vec<(Entity, AgentId)> = query
        .iter(world)
        .map(|(entity, id)| (entity, id.get()))
        .collect();
    let mut places: HashMap<AgentId, Entity> = HashMap::with_capacity(here.len());
    for &(entity, id) in &here {
        // Of two entities with an id the first has it, as in every intake.
        places.entry(id).or_insert(entity);
    }
    let machines = machines_of_today(world, saved);
    let mut waiting = sort_letters(&source, &machines, letters, &mut state, &mut restored);
    for (place, agent) in saved.iter().enumerate() {
        let Some(&entity) = places.get(&agent.id) else {
            restored.missing.push(agent.id);
            state.end(agent.id, numbers_from);
            continue;
        };
        match &machines[place] {
            Some(today) => put_one(world, entity, (&source, agent), today, &mut restored),
            None => {
                restored.not_ready += 1;
                let brain = SavedBrain {
                    source: Arc::clone(&source),
                    place,
                    letters: waiting.remove(&agent.id).unwrap_or_default(),
                };
                world.entity_mut(entity).remove::<AllRams>().insert(brain);
            }
        }
    }
    // Of agents that are on no entity.
    restored.lost_events += waiting.values().map(Vec::len).sum::<usize>();
    let known: HashSet<AgentId> = saved.iter().map(|one| one.id).collect();
    for (entity, id) in here {
        if !known.contains(&id) {
            restored.strangers += 1;
            world
                .entity_mut(entity)
                .remove::<(AllRams, SavedBrain)>()
                .insert(StableId::default());
        }
    }
    world.resource_mut::<Agents>().is_stale = true;
    *world.resource_mut::<AgentState>() = state;
    restored
}

/// The machines that agents of the snapshot run today, as far as they are known.
fn machines_of_today(world: &World, saved: &[ReadAgent]) -> Vec<Option<Machine>> {
    let agents = world.resource::<Agents>();
    let all = saved.iter().map(|one| agents.machine(one.id).cloned());
    all.collect()
}

/// Events under way mean those of the machines of today. Those for agents whose machine is not known are
/// kept with them.
fn sort_letters(
    source: &Source,
    machines: &[Option<Machine>],
    letters: Vec<Letter>,
    state: &mut AgentState,
    restored: &mut BrainsRestored,
) -> HashMap<AgentId, Vec<Event>> {
    let saved = source.read.agents.iter();
    let by_id: HashMap<AgentId, (&ReadAgent, &Option<Machine>)> = saved
        .zip(machines)
        .map(|(one, today)| (one.id, (one, today)))
        .collect();
    let mut waiting: HashMap<AgentId, Vec<Event>> = HashMap::new();
    for letter in letters {
        let found = match by_id.get(&letter.to) {
            Some((_, None)) => {
                waiting.entry(letter.to).or_default().push(letter.event);
                continue;
            }
            Some((one, Some(today))) => source
                .plan(one.program, today)
                .and_then(|plan| plan.event(letter.event)),
            None => None,
        };
        match found {
            Some(event) => state.letters.push(Letter { event, ..letter }),
            None => restored.lost_events += 1,
        }
    }
    waiting
}

/// An agent whose machine is known.
fn put_one(
    world: &mut World,
    entity: Entity,
    (source, agent): (&Source, &ReadAgent),
    today: &Machine,
    restored: &mut BrainsRestored,
) {
    let next = source.read.state.now;
    let instance = match source.instance(agent, today, next) {
        Back::Same(instance) => {
            restored.same += 1;
            Some(instance)
        }
        Back::Mapped(instance) => {
            restored.mapped += 1;
            Some(instance)
        }
        Back::Anew(instance) => {
            restored.anew += 1;
            instance
        }
    };
    let mut target = world.entity_mut(entity);
    target.remove::<SavedBrain>();
    match instance {
        Some(AnyInstance::Small(one)) => {
            target.remove::<(Ram128, Ram256)>().insert(Ram64::new(one));
        }
        Some(AnyInstance::Middle(one)) => {
            target.remove::<(Ram64, Ram256)>().insert(Ram128::new(one));
        }
        Some(AnyInstance::Large(one)) => {
            target.remove::<(Ram64, Ram128)>().insert(Ram256::new(one));
        }
        None => _ = target.remove::<AllRams>(),
    }
    let is_read = source.put_board(world, entity, agent, today);
    restored.boards_refused += usize::from(!is_read);
}
