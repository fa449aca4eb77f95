//! What people want is done: they walk without standing on each other, shots hit, and civilians hear them.

use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;

use super::people::{Shoot, Walk, distance};
use super::{Civilian, FIELD, Machines, Position, Sights, Soldier};

/// Civilians hear shots from so far.
const LOUD: f32 = 150.0;
/// A shot is seen for so many ticks.
const SEEN: u32 = 5;

/// Shots that are still to be seen.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct Tracers(pub Vec<Tracer>);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracer {
    pub from: [f32; 2],
    pub to: [f32; 2],
    pub ticks_left: u32,
}

type Places<'w, 's> = Query<'w, 's, (&'static AgentNumber, &'static mut Position, Has<Soldier>)>;

/// Everybody is where it wants to be, as far as others leave room.
pub fn walk(wishes: AgentCommands, mut people: Places) {
    for (entity, Walk(to)) in wishes.of::<Walk>() {
        if let Ok((_, mut position, _)) = people.get_mut(entity) {
            position.0 = to;
        }
    }
    // By number: the order of tables is nobody's business.
    let mut all: Vec<_> = people.iter_mut().collect();
    all.sort_unstable_by_key(|(number, ..)| number.0);
    let mut places: Vec<([f32; 2], bool)> = all
        .iter()
        .map(|(_, position, soldier)| (position.0, *soldier))
        .collect();
    make_room(&mut places);
    for ((_, position, _), (place, _)) in all.iter_mut().zip(places) {
        let place = std::array::from_fn(|axis| place[axis].clamp(-FIELD[axis], FIELD[axis]));
        if position.0 != place {
            position.0 = place;
        }
    }
}

/// Whoever stands too near to somebody makes a small step. Soldiers want more room, most of all beside
/// them: that is where their labels are.
fn make_room(places: &mut [([f32; 2], bool)]) {
    for one in 1..places.len() {
        let (before, rest) = places.split_at_mut(one);
        let (here, is_soldier) = &mut rest[0];
        for (there, other_soldier) in before {
            let [width, height] = match (*is_soldier, *other_soldier) {
                (true, true) => [118.0, 30.0],
                (false, false) => [9.0, 9.0],
                _ => [16.0, 16.0],
            };
            let by = [here[0] - there[0], here[1] - there[1]];
            let near = (by[0] / width).abs().max((by[1] / height).abs());
            if near >= 1.0 {
                continue;
            }
            // Up or down, whichever way they already are.
            let step = if by[1] >= 0.0 { 0.6 } else { -0.6 };
            here[1] += step;
            there[1] -= step;
        }
    }
}

/// Shots hit, and are heard.
pub fn shoot(
    wishes: AgentCommands,
    mut tell: Tell,
    mut tracers: ResMut<Tracers>,
    sights: Res<Sights>,
    soldiers: Query<(&AgentNumber, &StableId), With<Soldier>>,
    civilians: Query<(&StableId, &Position), With<Civilian>>,
    machines: Machines,
) {
    let tracers = &mut tracers.0;
    tracers.retain_mut(|tracer| {
        tracer.ticks_left -= 1;
        tracer.ticks_left > 0
    });
    let (Some(hit), Some(heard)) = (machines.soldier("Hit"), machines.civilian("Shot")) else {
        return;
    };
    for (entity, shot) in wishes.of::<Shoot>() {
        let own = soldiers.get(entity).ok();
        let from = own.and_then(|(number, _)| sights.places.get(number.0 as usize));
        let (Some(&from), Some(&to)) = (from, sights.places.get(shot.at as usize)) else {
            continue;
        };
        tracers.push(Tracer {
            from,
            to,
            ticks_left: SEEN,
        });
        let target = soldiers.iter().find(|(number, _)| number.0 == shot.at);
        if let Some((_, target)) = target.filter(|_| shot.by > 0) {
            tell.send(target.get(), hit, shot.by);
        }
        for (id, place) in &civilians {
            if distance(place.0, from).min(distance(place.0, to)) < LOUD {
                tell.send(id.get(), heard, ());
            }
        }
    }
}
