//! Apps and agents that the tests share.

use bevy_app::prelude::*;
use bevy_asset::{Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Problem, Problems, Ram, Ram64, Ram128, Ram256};
use statewright::{EventHandle, Payload};

/// Soldiers: they hear noise, call each other, fight, and rest.
pub const SQUAD: &str = r#"{ "machine": "Squad", "tier": "crowd",
  "events": { "Noise": { "payload": "i32" }, "Help": { "payload": "entity", "class": "interrupt" }, "Calm": {} },
  "parameters": { "deaf": 3 }, "variants": { "sharp": { "deaf": 0 } },
  "blackboard": { "alarms": { "type": "i32" } },
  "initial": "idle",
  "states": {
    "idle": { "clock": true, "transitions": [
      { "on": "Noise", "if": "event > deaf", "to": "alert/look", "do": ["Call", "alarms += 1"] },
      { "on": "Help", "if": "IsBrave", "to": "alert/fight" } ] },
    "alert": { "initial": "look", "states": {
      "look": { "entry": { "emit": "Look", "lane": "audio" }, "transitions": [
        { "after": "4t", "to": "idle" }, { "on": "Help", "to": "fight" },
        { "when": "always", "if": "alarms > 5", "to": "fight" } ] },
      "fight": { "entry": "Draw", "exit": ["alarms = 0"], "transitions": [
        { "on": "Noise", "do": "Call" }, { "on": "Calm", "to": "idle" }, { "after": "9t", "to": "idle" } ] } } } } }"#;

/// A soldier's blackboard.
#[derive(Component, Board, Default, Clone, Debug, PartialEq, statewright::Saved)]
pub struct Soldier {
    pub alarms: i32,
    #[board(skip)]
    pub friends: Vec<AgentId>,
    #[board(skip)]
    pub strikes: u32,
}

/// Where it is.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Position(pub f32);

/// What soldiers want.
#[derive(Clone, Copy, Debug, PartialEq, statewright::Command)]
#[command(lane = GAMEPLAY)]
pub struct Strike {
    pub count: u32,
}

/// What soldiers know of the world.
#[derive(bevy_ecs::system::SystemParam)]
pub struct Field<'w, 's> {
    pub fear: Res<'w, Fear>,
    pub positions: Query<'w, 's, &'static Position>,
}

/// How afraid everybody is.
#[derive(Resource, Default)]
pub struct Fear(pub u32);

/// Events of the machine.
#[derive(Resource, Clone, Copy)]
pub struct Events {
    pub noise: EventHandle,
    pub help: EventHandle,
    pub calm: EventHandle,
}

#[functions(context = Field<'_, '_>)]
impl Soldier {
    #[guard]
    fn is_brave(&self, field: &Field, cx: &mut GuardCx) -> bool {
        !(cx.agent().index() + field.fear.0).is_multiple_of(5)
    }

    #[action]
    fn call(&mut self, field: &Field, cx: &mut ActionCx) {
        let (noise, help) = events();
        let near = field.positions.iter().count() as u32;
        if !self.friends.is_empty() {
            let place = cx.rng().below(self.friends.len() as u32) as usize;
            cx.send(self.friends[place], help, cx.agent());
            cx.send(self.friends[0], noise, 2 + (near.min(1) as i32));
        }
    }

    #[action]
    fn draw(&mut self, cx: &mut ActionCx) {
        self.strikes += cx.rng().below(3) + 1;
        cx.emit(Strike {
            count: self.strikes,
        });
    }
}

/// The machine's events, for functions.
fn events() -> (EventHandle, EventHandle) {
    use std::sync::OnceLock;
    static EVENTS: OnceLock<(EventHandle, EventHandle)> = OnceLock::new();
    *EVENTS.get_or_init(|| {
        let machine = squad();
        (
            machine.event("Noise").unwrap(),
            machine.event("Help").unwrap(),
        )
    })
}

pub fn squad() -> Machine {
    Machine::from_text("squad.sw.json", SQUAD).unwrap()
}

/// The machine in an app.
#[derive(Resource, Clone)]
pub struct Squad(pub Handle<MachineAsset>);

/// An app whose every update is one tick.
pub fn app_with(plugin: StatewrightPlugin) -> App {
    app_after(|_| {}, plugin)
}

/// The same, with something that is added before the kind of soldiers.
pub fn app_after(add: impl FnOnce(&mut App), plugin: StatewrightPlugin) -> App {
    let mut app = App::new();
    add(&mut app);
    app.add_plugins((TaskPoolPlugin::default(), plugin.in_schedule(Update)));
    app.add_agents(Soldier::functions).init_resource::<Fear>();
    let machine = squad();
    let event = |name| machine.event(name).unwrap();
    app.insert_resource(Events {
        noise: event("Noise"),
        help: event("Help"),
        calm: event("Calm"),
    });
    let squad = add_machine(&mut app, machine);
    app.insert_resource(Squad(squad));
    app
}

pub fn app() -> App {
    app_with(StatewrightPlugin::default().with_seed(7))
}

pub fn add_machine(app: &mut App, machine: Machine) -> Handle<MachineAsset> {
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    machines.add(machine)
}

pub fn soldier(app: &App) -> Agent<Soldier> {
    Agent::new(app.world().resource::<Squad>().0.clone())
}

/// Sends an event from outside of all systems.
pub fn send<P: Payload>(
    app: &mut App,
    to: impl Into<bevy_statewright::Target>,
    event: EventHandle,
    payload: P,
) {
    let to = to.into();
    let payload = payload.words();
    let send = move |mut tell: Tell| tell.send(to, event, payload);
    app.world_mut().run_system_once(send).unwrap();
}

/// The agent of an entity ends in the next tick, with its exit actions.
pub fn stop(app: &mut App, entity: Entity) {
    let agent = app.world().get::<StableId>(entity).unwrap().get();
    app.world_mut().resource_mut::<AgentState>().stop(agent);
}

use bevy_ecs::system::RunSystemOnce;

/// Active leaves of an entity.
pub fn path(app: &mut App, entity: Entity) -> String {
    let look = move |brains: bevy_statewright::Brains| brains.path(entity);
    app.world_mut()
        .run_system_once(look)
        .unwrap()
        .unwrap_or_else(|| "nothing".to_owned())
}

pub fn problems(app: &App) -> Vec<Problem> {
    app.world().resource::<Problems>().iter().cloned().collect()
}

/// Bytes of all instances by the index of their agents.
pub fn bytes(app: &mut App) -> Vec<(u32, Vec<u8>)> {
    let world = app.world_mut();
    let mut all = bytes_of::<Ram64>(world);
    all.extend(bytes_of::<Ram128>(world));
    all.extend(bytes_of::<Ram256>(world));
    all.sort();
    all
}

fn bytes_of<R: Ram>(world: &mut World) -> Vec<(u32, Vec<u8>)> {
    let mut query = world.query::<(&StableId, &R)>();
    let all = query.iter(world);
    all.map(|(id, ram)| (id.get().index(), ram.as_bytes().to_vec()))
        .collect()
}

/// A soldier.
pub fn spawn(app: &mut App) -> Entity {
    let agent = soldier(app);
    app.world_mut().spawn(agent).id()
}

/// Events that were lost: to nobody, because nobody was ready, and because nobody knows them.
pub fn lost(app: &App) -> [u64; 3] {
    let problems = app.world().resource::<Problems>();
    [
        problems.lost_to_nobody,
        problems.lost_not_ready,
        problems.lost_unknown,
    ]
}

/// What is wrong, in words.
pub fn words(app: &App) -> Vec<String> {
    problems(app).iter().map(ToString::to_string).collect()
}

/// With the type of its payload, as systems send.
pub fn send_typed<P: statewright::Payload + Copy + Send + Sync + 'static>(
    app: &mut App,
    to: impl Into<bevy_statewright::Target>,
    event: statewright::EventHandle,
    payload: P,
) {
    let to = to.into();
    let send = move |mut tell: Tell| tell.send(to, event, payload);
    app.world_mut().run_system_once(send).unwrap();
}
