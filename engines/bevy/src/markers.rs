//! Marker components for states: agents that change nothing cost nothing, and whoever stays in the state
//! stays in its table.

use std::collections::HashMap;
use std::marker::PhantomData;

use bevy_ecs::component::Component;
use bevy_ecs::query::{Has, With};
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Commands, Query, Res, ResMut};
use statewright::{Machine, StateHandle};

use crate::agent::{Ram, Ram64, Ram128, Ram256, StableId};
use crate::kind::hashes;
use crate::roster::{Agents, Outcome};
use crate::state::AgentState;

/// On entities whose agent is in a state; which one, [`mark_state`](crate::AppAgents::mark_state) says
/// for a type `T` of your own. Put on and taken off after each tick, so that functions of agents who read
/// markers see states as they were after the last one. For rollback, keep those that functions read.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_statewright::prelude::*;
///
/// struct Fighting;
///
/// fn shout(fighters: Query<Entity, With<StateMarker<Fighting>>>) {
///     let _ = fighters.iter().count();
/// }
///
/// App::new().mark_state::<Fighting>("alive/combat").add_systems(FixedUpdate, shout);
/// ```
#[derive(Component)]
#[component(clone_behavior = Ignore)]
pub struct StateMarker<T: Send + Sync + 'static>(PhantomData<fn() -> T>);

// Not derived: `T` is a name alone.
impl<T: Send + Sync + 'static> Clone for StateMarker<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for StateMarker<T> {}

impl<T: Send + Sync + 'static> Default for StateMarker<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// Which state a marker stands for.
#[derive(Resource)]
pub(crate) struct Marked<T> {
    path: &'static str,
    /// By number of the program: hashes of the machine that it was looked up in, and the state.
    states: HashMap<u16, ([u64; 2], Option<StateHandle>)>,
    tag: PhantomData<fn() -> T>,
}

impl<T> Marked<T> {
    pub(crate) fn new(path: &'static str) -> Self {
        Self {
            path,
            states: HashMap::new(),
            tag: PhantomData,
        }
    }

    /// The state in a machine.
    fn state(&mut self, program: u16, machine: &Machine) -> Option<StateHandle> {
        let own = hashes(machine);
        let known = self.states.entry(program).or_insert(([0; 2], None));
        if known.0 != own {
            *known = (own, machine.state(self.path).ok());
        }
        known.1
    }
}

type Bodies<'w, 's, T> = Query<
    'w,
    's,
    (
        &'static StableId,
        Option<&'static Ram64>,
        Option<&'static Ram128>,
        Option<&'static Ram256>,
        Has<StateMarker<T>>,
    ),
>;

/// Looks at those whose bytes changed in this tick, and those who went.
pub(crate) fn mark<T: Send + Sync + 'static>(
    mut marked: ResMut<'_, Marked<T>>,
    (agents, work): (Res<'_, Agents>, Res<'_, Outcome>),
    state: Res<'_, AgentState>,
    bodies: Bodies<'_, '_, T>,
    marks: Query<'_, '_, Option<&StableId>, With<StateMarker<T>>>,
    mut commands: Commands<'_, '_>,
) {
    // Those who are agents no longer. Others are in no state yet, or are looked at below.
    for &entity in &work.gone {
        let lives =
            |id: Option<&StableId>| id.is_some_and(|id| agents.entity(id.get()) == Some(entity));
        if marks.get(entity).is_ok_and(|id| !lives(id)) {
            commands.entity(entity).try_remove::<StateMarker<T>>();
        }
    }
    for &slot in &work.changed {
        let entity = state
            .at(slot as usize)
            .and_then(|agent| agents.entity(agent));
        let Some(entity) = entity else { continue };
        let Ok((_, small, middle, large, has)) = bodies.get(entity) else {
            continue;
        };
        let number = agents.programs[slot as usize];
        let Some(program) = agents.machines.get(usize::from(number)) else {
            continue;
        };
        let machine = &program.machine;
        let is_in = marked.state(number, machine).is_some_and(|state| {
            let found = match (small, middle, large) {
                (Some(ram), ..) => machine.is_in(ram.instance(), state),
                (_, Some(ram), _) => machine.is_in(ram.instance(), state),
                (_, _, Some(ram)) => machine.is_in(ram.instance(), state),
                (None, None, None) => Ok(false),
            };
            found.unwrap_or(false)
        });
        if is_in == has {
            continue;
        }
        let Ok(mut entity) = commands.get_entity(entity) else {
            continue;
        };
        match is_in {
            true => _ = entity.try_insert(StateMarker::<T>::default()),
            false => _ = entity.try_remove::<StateMarker<T>>(),
        }
    }
}
