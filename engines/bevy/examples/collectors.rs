//! Collectors: choose the nearest coin, fetch it, deliver it, choose again. Two of them are variants: one
//! is faster, one dreams between two coins.
//!
//! The world is read while they think (`Field`), and changed when their commands are carried out
//! (`take`): two may want the same coin, and the one with the lower id gets it.

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_statewright::prelude::*;
use bevy_statewright::{Agents, statewright};
use statewright::EventHandle;

const COLLECTOR: &str = r#"{ "machine": "Collector", "tick_rate": 10, "events": ["TooLate"],
  "blackboard": { "goal": "vec2", "home": "vec2", "delivered": "i32" },
  "parameters": { "speed": 2.0, "pause": "300ms" },
  "variants": { "runner": { "speed": 5.0 }, "dreamer": { "pause": "1s" } },
  "functions": {
    "coin_left": { "kind": "value", "returns": "bool" },
    "distance": { "kind": "value", "returns": "f32", "parameters": { "to": "vec2" } },
    "Choose": "action", "PickUp": "action",
    "MoveTo": { "kind": "action", "parameters": { "goal": "vec2", "step": "f32" } } },
  "initial": "choose",
  "states": {
    "choose": { "decisions": [{ "if": "coin_left", "then": "fetch", "else": "retire" }] },
    "fetch": { "entry": "Choose", "update": "MoveTo(goal, speed / 10.0)",
      "transitions": [{ "when": "always", "if": "distance(goal) < 0.01", "do": "PickUp", "to": "deliver" }] },
    "deliver": { "update": "MoveTo(home, speed / 10.0)", "transitions": [
        { "on": "TooLate", "to": "choose" },
        { "when": "always", "if": "distance(home) < 0.01", "do": "delivered += 1", "to": "breathe" }] },
    "breathe": { "transitions": [{ "after": "pause", "to": "choose" }] },
    "retire": {} } }"#;

#[derive(Component, Clone, Copy, PartialEq)]
struct Position([f32; 2]);

#[derive(Component)]
struct Coin;

#[derive(Component, Board, Default)]
struct Collector {
    goal: [f32; 2],
    home: [f32; 2],
    delivered: i32,
}

/// What collectors see: where everybody is, and which coins still lie about.
#[derive(SystemParam)]
struct Field<'w, 's> {
    agents: Res<'w, Agents>,
    positions: Query<'w, 's, &'static Position>,
    coins: Query<'w, 's, &'static Position, With<Coin>>,
}

impl Field<'_, '_> {
    fn place_of(&self, agent: AgentId) -> [f32; 2] {
        let entity = self.agents.entity(agent);
        let position = entity.and_then(|entity| self.positions.get(entity).ok());
        position.map_or([0.0; 2], |position| position.0)
    }
}

fn between([ax, ay]: [f32; 2], [bx, by]: [f32; 2]) -> f32 {
    ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)).sqrt()
}

/// An agent wants the coin that lies here.
#[derive(Clone, Copy, statewright::Command)]
#[command(lane = GAMEPLAY)]
struct Take([f32; 2]);

/// An agent wants to be here.
#[derive(Clone, Copy, statewright::Command)]
#[command(lane = NAVIGATION)]
struct Walk([f32; 2]);

#[functions(context = Field<'_, '_>)]
impl Collector {
    #[value]
    fn coin_left(&self, field: &Field) -> bool {
        !field.coins.is_empty()
    }

    #[value]
    fn distance(&self, field: &Field, cx: &GuardCx, to: [f32; 2]) -> f32 {
        between(field.place_of(cx.agent()), to)
    }

    #[action]
    fn choose(&mut self, field: &Field, cx: &mut ActionCx) {
        let here = field.place_of(cx.agent());
        let coins = field.coins.iter().map(|coin| coin.0);
        // Where two are equally near, places decide: the order of entities is nobody's business.
        let key = |coin: &[f32; 2]| (between(here, *coin), coin[0], coin[1]);
        let near = coins.min_by(|a, b| {
            key(a)
                .partial_cmp(&key(b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        self.goal = near.unwrap_or(self.home);
    }

    #[action]
    fn pick_up(&mut self, cx: &mut ActionCx) {
        cx.emit(Take(self.goal));
    }

    #[action]
    fn move_to(&mut self, field: &Field, cx: &mut ActionCx, goal: [f32; 2], step: f32) {
        let here = field.place_of(cx.agent());
        let far = between(here, goal);
        let part = if far <= step { 1.0 } else { step / far };
        cx.emit(Walk(std::array::from_fn(|axis| {
            here[axis] + (goal[axis] - here[axis]) * part
        })));
    }
}

#[derive(Resource)]
struct TooLate(EventHandle);

/// What collectors want is done, in their order.
fn act(
    wishes: AgentCommands,
    mut tell: Tell,
    mut commands: Commands,
    mut positions: Query<&mut Position, Without<Coin>>,
    coins: Query<(Entity, &Position), With<Coin>>,
    too_late: Res<TooLate>,
) {
    for (entity, Walk(to)) in wishes.of::<Walk>() {
        if let Ok(mut position) = positions.get_mut(entity) {
            position.0 = to;
        }
    }
    let mut taken = Vec::new();
    for (entity, Take(place)) in wishes.of::<Take>() {
        let is_here =
            |(coin, position): &(Entity, &Position)| position.0 == place && !taken.contains(coin);
        match coins.iter().find(is_here) {
            Some((coin, _)) => {
                taken.push(coin);
                commands.entity(coin).despawn();
            }
            None => tell.send(entity, too_late.0, ()),
        }
    }
}

const NAMES: [&str; 3] = ["runner", "dreamer", "plain"];

/// How many coins each delivered.
pub fn run() -> [i32; 3] {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        StatewrightPlugin::default().in_schedule(Update),
    ))
    .add_agents(Collector::functions)
    .add_systems(Update, act.in_set(StatewrightSystems::Commit));
    let machine = Machine::from_text("collector.sw.json", COLLECTOR).expect("it has no mistakes");
    app.insert_resource(TooLate(machine.event("TooLate").expect("it is declared")));
    let machine = app
        .world_mut()
        .resource_mut::<Assets<MachineAsset>>()
        .add(machine);
    let mut spawn = |home: [f32; 2]| {
        let board = Collector {
            home,
            goal: home,
            delivered: 0,
        };
        let agent = Agent::<Collector>::new(machine.clone());
        app.world_mut().spawn((agent, board, Position(home))).id()
    };
    let all = [spawn([0.0, 0.0]), spawn([9.0, 0.0]), spawn([5.0, 5.0])];
    for (&entity, name) in all.iter().zip(NAMES).take(2) {
        app.world_mut()
            .entity_mut(entity)
            .insert(AgentVariant::new(name));
    }
    for coin in [[1.0, 1.0], [8.0, 1.0], [5.0, 3.0], [4.0, 0.0], [2.0, 4.0]] {
        app.world_mut().spawn((Coin, Position(coin)));
    }
    (0..80).for_each(|_| app.update());
    let world = app.world();
    all.map(|entity| {
        world
            .get::<Collector>(entity)
            .map_or(0, |one| one.delivered)
    })
}

fn main() {
    for (name, delivered) in NAMES.into_iter().zip(run()) {
        println!("{name}: {delivered} coins");
    }
}
