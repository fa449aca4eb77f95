//! Who fights and who runs: blackboards, functions, and what people see of each other.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_statewright::prelude::*;

use super::{Position, Post, Side};

/// So far soldiers see and shoot.
const REACH: f32 = 250.0;
const SOLDIER_STEP: f32 = 2.2;
const CIVILIAN_STEP: f32 = 1.0;
const RUN: f32 = 2.6;
/// Nobody fights or runs who is down.
const FALLEN: &str = "fallen";

/// A soldier's blackboard.
#[derive(Component, Board, statewright::Saved, Clone, Debug, PartialEq)]
pub struct Soldier {
    pub health: i32,
}

impl Default for Soldier {
    fn default() -> Self {
        Self { health: 10 }
    }
}

/// A civilian's blackboard.
#[derive(Component, Board, statewright::Saved, Clone, Debug, Default, PartialEq)]
pub struct Civilian {
    /// Where it strolls to.
    #[board(skip)]
    pub goal: [f32; 2],
}

/// Where everybody was before the tick, by number, and who is to be feared.
#[derive(Resource, Default)]
pub struct Sights {
    pub places: Vec<[f32; 2]>,
    posts: Vec<[f32; 2]>,
    /// Those who stand.
    soldiers: Vec<(u32, Side)>,
    /// Sides of all soldiers, by number.
    sides: Vec<Side>,
}

/// What people see of the world.
#[derive(SystemParam)]
pub struct Field<'w> {
    sights: Res<'w, Sights>,
}

impl Field<'_> {
    fn here(&self, agent: AgentId) -> [f32; 2] {
        self.at(agent.index())
    }

    fn at(&self, number: u32) -> [f32; 2] {
        let place = self.sights.places.get(number as usize);
        place.copied().unwrap_or_default()
    }

    fn post(&self, agent: AgentId) -> [f32; 2] {
        let post = self.sights.posts.get(agent.index() as usize);
        post.copied().unwrap_or_default()
    }

    /// The nearest soldier of another side than this; of two equally near ones that with the lower number.
    fn nearest(&self, from: [f32; 2], not: Option<Side>) -> Option<(u32, f32)> {
        let others = self
            .sights
            .soldiers
            .iter()
            .filter(|(_, side)| Some(*side) != not);
        let far = others.map(|&(number, _)| (number, distance(from, self.at(number))));
        far.min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    fn enemy(&self, agent: AgentId) -> Option<(u32, f32)> {
        let side = self.sights.sides.get(agent.index() as usize);
        self.nearest(self.here(agent), side.copied())
    }
}

pub fn distance([ax, ay]: [f32; 2], [bx, by]: [f32; 2]) -> f32 {
    ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)).sqrt()
}

/// So far from here to there, but not beyond; away from there if it is negative.
fn step([ax, ay]: [f32; 2], to: [f32; 2], length: f32) -> [f32; 2] {
    let far = distance([ax, ay], to);
    if far < 0.001 {
        return [ax, ay];
    }
    let part = length.min(far) / far;
    [ax + (to[0] - ax) * part, ay + (to[1] - ay) * part]
}

/// Somebody wants to be here.
#[derive(Clone, Copy, Debug, PartialEq, statewright::Command)]
#[command(lane = NAVIGATION)]
pub struct Walk(pub [f32; 2]);

/// A shot at a soldier, by number.
#[derive(Clone, Copy, Debug, PartialEq, statewright::Command)]
#[command(lane = GAMEPLAY)]
pub struct Shoot {
    pub at: u32,
    /// Zero: it misses.
    pub by: i32,
}

#[functions(context = Field<'_>)]
impl Soldier {
    #[value]
    fn enemy_near(&self, field: &Field, cx: &GuardCx) -> bool {
        let enemy = field.enemy(cx.agent());
        enemy.is_some_and(|(_, far)| far < REACH)
    }

    #[value]
    fn at_post(&self, field: &Field, cx: &GuardCx) -> bool {
        distance(field.here(cx.agent()), field.post(cx.agent())) < 20.0
    }

    #[action]
    fn advance(&mut self, field: &Field, cx: &mut ActionCx) {
        let here = field.here(cx.agent());
        // Nobody left to fight: home.
        let goal = field.enemy(cx.agent()).map(|(number, _)| field.at(number));
        let goal = goal.unwrap_or_else(|| field.post(cx.agent()));
        cx.emit(Walk(step(here, goal, SOLDIER_STEP)));
    }

    #[action]
    fn fall_back(&mut self, field: &Field, cx: &mut ActionCx) {
        let (here, post) = (field.here(cx.agent()), field.post(cx.agent()));
        cx.emit(Walk(step(here, post, SOLDIER_STEP)));
    }

    #[action]
    fn shoot(&mut self, field: &Field, cx: &mut ActionCx) {
        if let Some((at, _)) = field.enemy(cx.agent()) {
            let by = cx.rng().below(4) as i32;
            cx.emit(Shoot { at, by });
        }
    }
}

#[functions(context = Field<'_>)]
impl Civilian {
    /// Somewhere near home.
    #[action]
    fn choose(&mut self, field: &Field, cx: &mut ActionCx) {
        let home = field.post(cx.agent());
        self.goal = home.map(|axis| axis + cx.rng().below(81) as f32 - 40.0);
    }

    #[action]
    fn walk(&mut self, field: &Field, cx: &mut ActionCx) {
        let here = field.here(cx.agent());
        cx.emit(Walk(step(here, self.goal, CIVILIAN_STEP)));
    }

    /// Away from the nearest soldier.
    #[action]
    fn run(&mut self, field: &Field, cx: &mut ActionCx) {
        let here = field.here(cx.agent());
        if let Some((number, _)) = field.nearest(here, None) {
            cx.emit(Walk(step(here, field.at(number), -RUN)));
        }
    }
}

type People<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        &'static AgentNumber,
        &'static Position,
        &'static Post,
        Option<&'static Side>,
    ),
>;

/// What people will see in this tick.
pub fn look_around(mut sights: ResMut<Sights>, brains: Brains, people: People) {
    let mut all: Vec<_> = people.iter().collect();
    all.sort_unstable_by_key(|(_, number, ..)| number.0);
    let sights = &mut *sights;
    sights.places.clear();
    sights.posts.clear();
    sights.soldiers.clear();
    sights.sides.clear();
    for (entity, number, position, post, side) in all {
        debug_assert_eq!(number.0 as usize, sights.places.len(), "nobody goes");
        sights.places.push(position.0);
        sights.posts.push(post.0);
        if let Some(&side) = side {
            sights.sides.push(side);
            if !brains.is_in_path(entity, FALLEN) {
                sights.soldiers.push((number.0, side));
            }
        }
    }
}
