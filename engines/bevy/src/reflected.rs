//! What an agent is doing, as a component that is reflected (feature `reflect`): for inspectors and the
//! remote protocol, to which the bytes of an instance say nothing.
//!
//! Nobody pays for it who does not ask: only entities with [`AgentView`] are looked at, in
//! [`Debug`](StatewrightSystems::Debug), after each tick.

use bevy_app::{App, Plugin};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::system::Query;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use crate::look::Brains;
use crate::plugin::{later, schedule_of};
use crate::sets::StatewrightSystems;

/// Registers [`AgentView`] and keeps it up to date.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_statewright::{AgentViewsPlugin, StatewrightPlugin};
///
/// App::new().add_plugins((StatewrightPlugin::default(), AgentViewsPlugin));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentViewsPlugin;

impl Plugin for AgentViewsPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<AgentView>();
        later(app, |app| {
            let schedule = schedule_of(app);
            app.add_systems(schedule, see.in_set(StatewrightSystems::Debug));
        });
    }
}

/// What the agent of this entity is doing, in words. Put it on whoever is to be seen: a program does so
/// with `AgentView::default()`, `bevy_remote` with `world.insert_components` and an empty value, an
/// inspector with its button for components. It is for reading: what is written into it is overwritten and
/// changes no agent.
///
/// It sees what an agent does between two ticks. A state that is entered and left within one, and a
/// transition back into the same states, it does not see: [`StateChanged`](crate::StateChanged) tells these.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, PartialEq)]
#[type_path = "bevy_statewright"]
pub struct AgentView {
    /// Who it is. Empty, as everything here, while there is no agent on the entity or its machine is not
    /// loaded.
    pub agent: String,
    /// Name of its machine.
    pub machine: String,
    /// Paths of its active leaves, one per region.
    pub states: Vec<String>,
    /// The first tick after which it was seen in these states.
    pub since: u64,
    /// Ticks since it entered them, as [`Brains::ticks_in`] counts. A view that is put on later counts from
    /// there.
    pub ticks: u64,
    /// The same in seconds of the machine's own rate.
    pub seconds: f32,
    /// The last change that was seen: `idle -> alert/look`.
    pub last_change: String,
    /// How many were seen.
    pub changes: u64,
    /// Has it ended, by itself or by a fault?
    pub has_ended: bool,
}

/// Views are brought up to date.
fn see(brains: Brains<'_, '_>, mut views: Query<'_, '_, (Entity, &mut AgentView)>) {
    for (entity, mut view) in &mut views {
        let now = next(&brains, entity, &view).unwrap_or_default();
        view.set_if_neq(now);
    }
}

/// What there is to be seen after a tick; `None` if there is nobody.
fn next(brains: &Brains<'_, '_>, entity: Entity, before: &AgentView) -> Option<AgentView> {
    let (agent, machine) = (brains.agent(entity)?, brains.machine(entity)?);
    let leaves = brains.leaves(entity)?.into_iter();
    let states: Vec<String> = leaves
        .map(|leaf| machine.state_name(leaf).to_owned())
        .collect();
    let rate = machine.rom().header().tick_rate.get().max(1);
    let (agent, machine) = (agent.to_string(), machine.name().to_owned());
    // The tick that has just been.
    let tick = brains.now().saturating_sub(1);
    let is_same = before.agent == agent && before.machine == machine;
    // Time may have gone back.
    let goes_on = is_same && before.states == states && before.since <= tick;
    let since = if goes_on { before.since } else { tick };
    let ticks = brains.now() - since;
    let (mut last_change, mut changes) = match is_same {
        true => (before.last_change.clone(), before.changes),
        false => Default::default(),
    };
    if is_same && before.states != states {
        last_change = format!("{} -> {}", before.states.join(" + "), states.join(" + "));
        changes += 1;
    }
    Some(AgentView {
        agent,
        machine,
        states,
        since,
        ticks,
        seconds: ticks as f32 / f32::from(rate),
        last_change,
        changes,
        has_ended: brains.has_ended(entity),
    })
}
