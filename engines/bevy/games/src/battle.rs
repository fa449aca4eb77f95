//! The battle: fighters are hit, call for help, shoot and fall; medics come, and send them home.
//!
//! ```text
//!  players ── Noise, Hit ──▶ fighters ── Help ──▶ fighters, medics
//!                                ▲                       │
//!                                └──── Calm, Noise ◀─────┘
//!  fighters ── Shoot, Fall ──▶ the game: somebody is hit, somebody is gone, and another one comes
//! ```

use std::sync::OnceLock;

use bevy_asset::{Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_statewright::AgentState;
use bevy_statewright::prelude::*;
use statewright::EventHandle;

/// 64 bytes each.
const FIGHTER: &str = r#"{ "machine": "Fighter", "tier": "crowd",
  "events": { "Noise": { "payload": "i32" }, "Hit": { "payload": "i32" },
              "Help": { "payload": "entity", "class": "interrupt" }, "Calm": {} },
  "blackboard": { "health": { "type": "i32", "default": 12 }, "shots": { "type": "i32" } },
  "initial": "alive",
  "states": {
    "alive": { "initial": "idle",
      "transitions": [
        { "on": "Hit", "do": "health -= event" },
        { "when": "always", "if": "health <= 0", "to": "fallen" } ],
      "states": {
        "idle": { "clock": true, "transitions": [
          { "on": "Noise", "if": "event > 3", "to": "alert/look", "do": "Call" },
          { "on": "Help", "if": "IsBrave", "to": "alert/fight" } ] },
        "alert": { "initial": "look", "transitions": [{ "on": "Calm", "to": "idle" }], "states": {
          "look": { "transitions": [
            { "after": "7t", "to": "idle" }, { "on": "Help", "to": "fight" },
            { "on": "Noise", "if": "event > 6", "to": "fight" } ] },
          "fight": { "entry": "Draw", "transitions": [
            { "on": "Noise", "do": ["Call", "shots += 1"] }, { "after": "11t", "to": "look" } ] } } } } },
    "fallen": { "entry": "Die" } } }"#;

/// 128 bytes each.
const MEDIC: &str = r#"{ "machine": "Medic", "tier": "standard",
  "events": { "Help": { "payload": "entity", "class": "interrupt" }, "Calm": {}, "Noise": { "payload": "i32" } },
  "blackboard": { "treated": { "type": "i32" } },
  "initial": "wait",
  "states": {
    "wait": { "transitions": [{ "on": "Help", "do": ["Treat", "treated += 1"], "to": "tired" }] },
    "tired": { "transitions": [{ "after": "40t", "to": "wait" }] } } }"#;

pub const FIGHTERS: u32 = 160;
pub const MEDICS: u32 = 40;
pub const AGENTS: u32 = FIGHTERS + MEDICS;

/// All fighters of a side.
pub const RED: Group = Group::new(1);
pub const BLUE: Group = Group::new(2);

/// A fighter's blackboard.
#[derive(Component, Board, statewright::Saved, Clone, Debug, Hash, PartialEq)]
pub struct Fighter {
    pub health: i32,
    pub shots: i32,
    /// Whom it calls.
    #[board(skip)]
    pub friends: [AgentId; 3],
}

impl Default for Fighter {
    fn default() -> Self {
        Self {
            health: 12,
            shots: 0,
            friends: [AgentId::default(); 3],
        }
    }
}

/// A medic's blackboard.
#[derive(Component, Board, statewright::Saved, Clone, Debug, Default, Hash, PartialEq)]
pub struct Medic {
    pub treated: i32,
}

/// What agents see of the world.
#[derive(SystemParam)]
pub struct Field<'w> {
    pub weather: Res<'w, Weather>,
}

/// How bad the weather is. `cheat` is what a game must not have: something that no rollback takes back.
#[derive(Resource, Default)]
pub struct Weather {
    pub fog: u32,
    pub cheat: Option<Cheat>,
}

/// From this tick on, an agent hits harder each time that it is asked, also when frames run again.
#[derive(Clone, Copy, Debug)]
pub struct Cheat {
    pub agent: AgentId,
    pub asked: &'static std::sync::atomic::AtomicU32,
}

/// A shot at somebody.
#[derive(Clone, Copy, Debug, PartialEq, statewright::Command)]
#[command(lane = GAMEPLAY)]
pub struct Shoot {
    pub at: u32,
    pub by: i32,
}

/// Somebody is gone.
#[derive(Clone, Copy, Debug, PartialEq, statewright::Command)]
#[command(lane = NAVIGATION)]
pub struct Fall {
    pub shots: i32,
}

#[functions(context = Field<'_>)]
impl Fighter {
    #[guard]
    fn is_brave(&self, field: &Field, cx: &mut GuardCx) -> bool {
        !(cx.agent().index() + field.weather.fog).is_multiple_of(7)
    }

    #[action]
    fn call(&mut self, cx: &mut ActionCx) {
        let place = cx.rng().below(3) as usize;
        cx.send(self.friends[place], events().help, cx.agent());
    }

    #[action]
    fn draw(&mut self, field: &Field, cx: &mut ActionCx) {
        let at = cx.rng().below(FIGHTERS);
        let by = 1 + cx.rng().below(3) as i32;
        self.shots += 1;
        if let Some(cheat) = field.weather.cheat
            && cheat.agent == cx.agent()
        {
            let asked = cheat
                .asked
                .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            self.shots += asked as i32;
        }
        cx.emit(Shoot { at, by });
    }

    #[action]
    fn die(&mut self, cx: &mut ActionCx) {
        cx.emit(Fall { shots: self.shots });
    }
}

#[functions(context = Field<'_>)]
impl Medic {
    #[action]
    fn treat(&mut self, cx: &mut ActionCx) {
        let fighter = AgentId::new(cx.rng().below(FIGHTERS), 1);
        let side = if self.treated % 2 == 0 { RED } else { BLUE };
        // Events of its own machine; fighters know them by name.
        let [calm, noise] = medic_events();
        cx.send(fighter, calm, ());
        cx.send(side.receiver(), noise, 5_i32);
    }
}

/// Events of fighters.
#[derive(Clone, Copy)]
pub struct Events {
    pub noise: EventHandle,
    pub hit: EventHandle,
    pub help: EventHandle,
    pub calm: EventHandle,
}

pub fn events() -> Events {
    static EVENTS: OnceLock<Events> = OnceLock::new();
    *EVENTS.get_or_init(|| {
        let machine = fighter();
        let event = |name| machine.event(name).expect("the machine has it");
        Events {
            noise: event("Noise"),
            hit: event("Hit"),
            help: event("Help"),
            calm: event("Calm"),
        }
    })
}

fn medic_events() -> [EventHandle; 2] {
    static EVENTS: OnceLock<[EventHandle; 2]> = OnceLock::new();
    *EVENTS.get_or_init(|| {
        let machine = medic();
        ["Calm", "Noise"].map(|name| machine.event(name).expect("the machine has it"))
    })
}

pub fn fighter() -> Machine {
    Machine::from_text("fighter.sw.json", FIGHTER).expect("it has no mistakes")
}

pub fn medic() -> Machine {
    Machine::from_text("medic.sw.json", MEDIC).expect("it has no mistakes")
}

/// Another fighter: it takes more to alarm it, and there is a state more.
pub fn changed_fighter() -> Machine {
    let text = FIGHTER.replace("\"event > 3\"", "\"event > 4\"").replace(
        "\"fallen\": {",
        "\"cheering\": { \"entry\": \"Draw\" }, \"fallen\": {",
    );
    Machine::from_text("fighter.sw.json", &text).expect("it has no mistakes")
}

/// The machines in an app.
#[derive(Resource, Clone)]
pub struct Machines {
    pub fighter: Handle<MachineAsset>,
    pub medic: Handle<MachineAsset>,
}

impl FromWorld for Machines {
    fn from_world(world: &mut World) -> Self {
        let mut machines = world.resource_mut::<Assets<MachineAsset>>();
        Self {
            fighter: machines.add(fighter()),
            medic: machines.add(medic()),
        }
    }
}

/// Tables differ by these.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Red;
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Blue;
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Veteran;

/// What a fighter is made of. Red ones are even.
pub fn new_fighter(machines: &Machines, number: u32) -> impl Bundle + use<> {
    let near = |by: u32| AgentId::new((number + by) % FIGHTERS, 1);
    let medic = AgentId::new(FIGHTERS + number % MEDICS, 1);
    let friends = [near(1), near(17), medic];
    let side = if number.is_multiple_of(2) { RED } else { BLUE };
    (
        Agent::<Fighter>::new(machines.fighter.clone()),
        AgentNumber(number),
        Fighter {
            friends,
            ..Fighter::default()
        },
        Groups(vec![side]),
    )
}

pub fn new_medic(machines: &Machines, number: u32) -> impl Bundle + use<> {
    (
        Agent::<Medic>::new(machines.medic.clone()),
        AgentNumber(FIGHTERS + number),
    )
}

/// Those who come instead of those who fell.
#[derive(Resource, Clone, Debug, Default, Hash)]
pub struct Reinforcements(pub Vec<(u64, u32)>);

/// What happened in the battle; it goes back with it.
#[derive(Resource, Clone, Copy, Debug, Default, Hash, PartialEq)]
pub struct Tally {
    pub shots: u64,
    pub fallen: u64,
    pub came: u64,
    pub promoted: u64,
}

/// What a player does before a tick.
pub type Input = u8;

/// What players do who always do the same.
pub fn input_of(player: usize, tick: u64) -> Input {
    let noise = (tick * 2 + player as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (noise >> 56) as Input
}

/// Fighters by their numbers.
pub type Numbers<'w, 's> = Query<'w, 's, (&'static AgentNumber, &'static StableId), With<Fighter>>;

/// A noise for a side, a blow for a fighter.
pub fn play(tell: &mut Tell, fighters: &Numbers, player: usize, input: Input) {
    let (kind, strength) = (input & 3, i32::from(input >> 2 & 7));
    let side = if player == 0 { RED } else { BLUE };
    let number = u32::from(input) * 5 % FIGHTERS;
    match kind {
        0 => tell.send(side, events().noise, strength),
        1 => tell_number(tell, fighters, number, strength),
        // A rest.
        _ => {}
    }
}

/// Agents are told by their ids: where frames run again, entities may be others.
fn tell_number(tell: &mut Tell, fighters: &Numbers, number: u32, strength: i32) {
    let found = fighters.iter().find(|(other, _)| other.0 == number);
    if let Some((_, id)) = found.filter(|(_, id)| id.get() != AgentId::default()) {
        tell.send(id.get(), events().hit, strength);
    }
}

/// Everybody comes.
pub fn muster(mut commands: Commands, machines: Res<Machines>) {
    for number in 0..FIGHTERS {
        enlist(&mut commands, &machines, number);
    }
    for number in 0..MEDICS {
        commands.spawn(new_medic(&machines, number));
    }
}

fn enlist(commands: &mut Commands, machines: &Machines, number: u32) {
    let mut entity = commands.spawn(new_fighter(machines, number));
    match number.is_multiple_of(2) {
        true => entity.insert(Red),
        false => entity.insert(Blue),
    };
}

pub fn change_weather(mut weather: ResMut<Weather>, state: Res<AgentState>) {
    weather.fog = state.now() as u32 / 50;
}

/// Shots hit, and whoever has shot often is a veteran.
pub fn shoot(
    wishes: AgentCommands,
    mut tell: Tell,
    mut tally: ResMut<Tally>,
    mut commands: Commands,
    fighters: Numbers,
    shooters: Query<&Fighter, Without<Veteran>>,
) {
    for (entity, shot) in wishes.of::<Shoot>() {
        tally.shots += 1;
        tell_number(&mut tell, &fighters, shot.at, shot.by);
        if shooters.get(entity).is_ok_and(|fighter| fighter.shots > 3) {
            commands.entity(entity).insert(Veteran);
            tally.promoted += 1;
        }
    }
}

/// Whoever fell is gone; another one is on the way. With rollback, too, the plain `despawn` is right: the
/// agent comes back on an entity of its own if time goes back.
pub fn bury(
    wishes: AgentCommands,
    mut commands: Commands,
    mut tally: ResMut<Tally>,
    mut next: ResMut<Reinforcements>,
    numbers: Query<&AgentNumber>,
    state: Res<AgentState>,
) {
    for (entity, _) in wishes.of::<Fall>() {
        if let Ok(number) = numbers.get(entity) {
            tally.fallen += 1;
            let due = state.now() + 5 + u64::from(number.0 % 4);
            next.0.push((due, number.0));
            commands.entity(entity).despawn();
        }
    }
}

pub fn reinforce(
    mut commands: Commands,
    mut next: ResMut<Reinforcements>,
    mut tally: ResMut<Tally>,
    machines: Res<Machines>,
    state: Res<AgentState>,
) {
    let now = state.now();
    next.0.retain(|&(due, number)| {
        if due <= now {
            enlist(&mut commands, &machines, number);
            tally.came += 1;
        }
        due > now
    });
}
