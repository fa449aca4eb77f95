//! What the player wants: somebody is stunned, the machine file is broken and mended. Keys, tests and
//! whoever else push [`Order`]s; they are obeyed before the next tick.

use bevy_asset::AssetServer;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;

use super::people::distance;
use super::{Folder, Machines, Position, SOLDIER, SOLDIER_TEXT, Soldier};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// Everybody near a place.
    Stun { at: [f32; 2], radius: f32 },
    /// A slip in the machine file of soldiers, as if somebody saved it so.
    Break,
    /// The file as it was.
    Mend,
    /// Back by [`SECONDS`](super::SECONDS), or as far as the game goes back.
    Rewind,
}

#[derive(Resource, Debug, Default)]
pub struct Orders(pub Vec<Order>);

impl Orders {
    /// Takes those of one kind.
    pub(super) fn take<T>(&mut self, of: impl Fn(Order) -> Option<T>) -> Vec<T> {
        let taken = self.0.iter().filter_map(|&order| of(order)).collect();
        self.0.retain(|&order| of(order).is_none());
        taken
    }
}

/// What the slip is: a state that is not there.
const RIGHT: &str = r#""to": "stunned""#;
const WRONG: &str = r#""to": "stuned""#;

pub fn edit(mut orders: ResMut<Orders>, folder: Res<Folder>, assets: Res<AssetServer>) {
    let edits = orders.take(|order| match order {
        Order::Break => Some(SOLDIER_TEXT.replace(RIGHT, WRONG)),
        Order::Mend => Some(SOLDIER_TEXT.to_owned()),
        Order::Stun { .. } | Order::Rewind => None,
    });
    for text in edits {
        match std::fs::write(folder.file(SOLDIER), text) {
            // As a file watcher would: not every program has one.
            Ok(()) => assets.reload(SOLDIER),
            Err(error) => log::error!("the machine file cannot be written: {error}"),
        }
    }
}

pub fn stun(
    mut orders: ResMut<Orders>,
    mut tell: Tell,
    people: Query<(&StableId, &Position, Has<Soldier>)>,
    machines: Machines,
) {
    let stuns = orders.take(|order| match order {
        Order::Stun { at, radius } => Some((at, radius)),
        Order::Break | Order::Mend | Order::Rewind => None,
    });
    let events = (machines.soldier("Stun"), machines.civilian("Stun"));
    let (Some(soldier), Some(civilian)) = events else {
        return;
    };
    for (at, radius) in stuns {
        for (id, position, is_soldier) in &people {
            if distance(position.0, at) < radius {
                let event = if is_soldier { soldier } else { civilian };
                tell.send(id.get(), event, ());
            }
        }
    }
}
