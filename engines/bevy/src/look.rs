//! Looking at agents from systems.

use bevy_ecs::entity::Entity;
use bevy_ecs::system::{Query, Res, SystemParam};
use statewright::{AgentId, Instance, Machine, StateHandle};

use crate::agent::{Ram, Ram64, Ram128, Ram256, StableId};
use crate::roster::Agents;
use crate::state::AgentState;

/// What agents do: a parameter of systems that only look. Everything is `None` or `false` for an entity
/// that is no agent, or whose machine is not loaded yet.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_statewright::prelude::*;
///
/// fn show(brains: Brains, agents: Query<Entity, With<StableId>>) {
///     for entity in &agents {
///         println!("{}", brains.path(entity).unwrap_or_default());
///     }
/// }
/// # bevy_ecs::system::assert_is_system(show);
/// ```
#[derive(SystemParam)]
pub struct Brains<'w, 's> {
    agents: Res<'w, Agents>,
    state: Res<'w, AgentState>,
    bodies: Query<
        'w,
        's,
        (
            &'static StableId,
            Option<&'static Ram64>,
            Option<&'static Ram128>,
            Option<&'static Ram256>,
        ),
    >,
}

/// Work on an instance of any tier.
trait Look {
    type Found;

    fn look<I: Instance>(&self, machine: &Machine, instance: &I) -> Option<Self::Found>;
}

impl Brains<'_, '_> {
    /// Who lives on an entity.
    pub fn agent(&self, entity: Entity) -> Option<AgentId> {
        let (id, ..) = self.bodies.get(entity).ok()?;
        id.slot().map(|_| id.get())
    }

    /// The machine that an entity runs.
    pub fn machine(&self, entity: Entity) -> Option<&Machine> {
        self.agents.machine(self.agent(entity)?)
    }

    /// The next tick.
    pub fn now(&self) -> u64 {
        self.state.now()
    }

    /// Is a state of the entity's agent active? A state of another machine never is.
    pub fn is_in(&self, entity: Entity, state: StateHandle) -> bool {
        self.look(entity, &IsIn(state)).unwrap_or(false)
    }

    /// The same by the path of the state, which is looked up each time: for tools and tests.
    pub fn is_in_path(&self, entity: Entity, path: &str) -> bool {
        let state = self
            .machine(entity)
            .and_then(|machine| machine.state(path).ok());
        state.is_some_and(|state| self.is_in(entity, state))
    }

    /// The paths of its active leaves, for people: `patrol/walk`, several with ` + ` between them.
    pub fn path(&self, entity: Entity) -> Option<String> {
        self.look(entity, &Path)
    }

    /// Its active leaves.
    pub fn leaves(&self, entity: Entity) -> Option<Vec<StateHandle>> {
        self.look(entity, &Leaves)
    }

    /// Ticks since it entered a state; `None` if the state is not active or has no clock.
    pub fn ticks_in(&self, entity: Entity, state: StateHandle) -> Option<u32> {
        self.look(entity, &TicksIn(state, self.state.now()))
    }

    /// The same in seconds of the machine's own rate.
    pub fn seconds_in(&self, entity: Entity, state: StateHandle) -> Option<f32> {
        let rate = self.machine(entity)?.rom().header().tick_rate.get();
        Some(self.ticks_in(entity, state)? as f32 / f32::from(rate.max(1)))
    }

    /// Has it ended, by itself or by a fault?
    pub fn has_ended(&self, entity: Entity) -> bool {
        self.look(entity, &Ended).unwrap_or(false)
    }

    fn look<L: Look>(&self, entity: Entity, look: &L) -> Option<L::Found> {
        let (id, small, middle, large) = self.bodies.get(entity).ok()?;
        let machine = self.agents.machine(id.slot().map(|_| id.get())?)?;
        match (small, middle, large) {
            (Some(ram), ..) => look.look(machine, ram.instance()),
            (_, Some(ram), _) => look.look(machine, ram.instance()),
            (_, _, Some(ram)) => look.look(machine, ram.instance()),
            (None, None, None) => None,
        }
    }
}

struct IsIn(StateHandle);

impl Look for IsIn {
    type Found = bool;

    fn look<I: Instance>(&self, machine: &Machine, instance: &I) -> Option<bool> {
        machine.is_in(instance, self.0).ok()
    }
}

struct Path;

impl Look for Path {
    type Found = String;

    fn look<I: Instance>(&self, machine: &Machine, instance: &I) -> Option<String> {
        Some(machine.path_of(instance))
    }
}

struct Leaves;

impl Look for Leaves {
    type Found = Vec<StateHandle>;

    fn look<I: Instance>(&self, machine: &Machine, instance: &I) -> Option<Vec<StateHandle>> {
        Some(machine.leaves_of(instance).collect())
    }
}

struct TicksIn(StateHandle, u64);

impl Look for TicksIn {
    type Found = u32;

    fn look<I: Instance>(&self, machine: &Machine, instance: &I) -> Option<u32> {
        machine.ticks_in_state(instance, self.0, self.1).ok()?
    }
}

struct Ended;

impl Look for Ended {
    type Found = bool;

    fn look<I: Instance>(&self, _: &Machine, instance: &I) -> Option<bool> {
        let flags = instance.header().flags.get();
        Some(flags & statewright::flag::ENDED != 0)
    }
}
