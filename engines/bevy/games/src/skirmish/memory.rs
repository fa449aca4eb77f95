//! The last seconds, tick by tick: all brains as bytes, what is under way to them, and where everybody is.

use std::collections::VecDeque;

use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{Inbox, WorldBrains};

use super::{Order, Orders, Position, RATE, Tracers};

/// So far the game goes back at once.
pub const SECONDS: u32 = 5;

/// What was after each of the last ticks.
#[derive(Resource, Default)]
pub struct Memory {
    moments: VecDeque<Moment>,
}

struct Moment {
    brains: Vec<u8>,
    inbox: Inbox,
    places: Vec<(StableId, Position)>,
    tracers: Tracers,
}

impl Memory {
    /// How many ticks it goes back.
    pub fn ticks(&self) -> usize {
        self.moments.len().saturating_sub(1)
    }
}

/// After each tick.
pub fn remember(world: &mut World) {
    let Ok(brains) = world.snapshot_brains() else {
        return;
    };
    let moment = Moment {
        brains,
        inbox: world.resource::<Inbox>().clone(),
        places: world
            .query::<(&StableId, &Position)>()
            .iter(world)
            .map(|(&id, &position)| (id, position))
            .collect(),
        tracers: world.resource::<Tracers>().clone(),
    };
    let moments = &mut world.resource_mut::<Memory>().moments;
    moments.push_back(moment);
    // The present, and as many ticks before it.
    while moments.len() > (SECONDS * RATE) as usize + 1 {
        moments.pop_front();
    }
}

/// Before a tick, if the player wants to.
pub fn rewind(world: &mut World) {
    let mut orders = world.resource_mut::<Orders>();
    let wanted = orders.take(|order| (order == Order::Rewind).then_some(()));
    if wanted.is_empty() {
        return;
    }
    // What comes after it has not happened.
    let mut moments = std::mem::take(&mut world.resource_mut::<Memory>().moments);
    moments.truncate(1);
    let Some(moment) = moments.front() else {
        return;
    };
    if let Err(error) = world.restore_brains(&moment.brains) {
        log::error!("time does not go back: {error}");
        return;
    }
    let mut people = world.query::<(&StableId, &mut Position)>();
    let places: std::collections::HashMap<_, _> = moment.places.iter().copied().collect();
    for (id, mut position) in people.iter_mut(world) {
        if let Some(&place) = places.get(id) {
            *position = place;
        }
    }
    world.insert_resource(moment.inbox.clone());
    world.insert_resource(moment.tracers.clone());
    world.resource_mut::<Memory>().moments = moments;
}
