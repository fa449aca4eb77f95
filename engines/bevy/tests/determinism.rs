//! Threads, the order in which entities were spawned and kinds added, the tables they lie in and the order
//! of unordered systems change nothing that can be seen.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use bevy_app::prelude::*;
use bevy_asset::Handle;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, BevyPool, Problems, Taped, Tapes, WorldBrains, statewright};
use bevy_tasks::TaskPoolBuilder;
use statewright::trace::Level;
use statewright::{Class, TickSettings};
use statewright_tape::{FlightOptions, RecordingOptions};

use crate::common::*;

/// Somebody with another blackboard and machine, who hears soldiers and answers.
#[derive(Component, Board, Default, Clone, Debug, PartialEq, statewright::Saved)]
struct Crier {
    heard: i32,
    #[board(skip)]
    soldier: AgentId,
}

const CRIER: &str = r#"{ "machine": "Crier", "tier": "standard",
  "events": { "Noise": { "payload": "i32" } },
  "blackboard": { "heard": "i32" },
  "states": { "cry": { "transitions": [{ "on": "Noise", "do": ["Answer", "heard += event"] }] } } }"#;

/// The same in the largest tier.
const HERALD: &str = r#"{ "machine": "Herald", "tier": "hero",
  "events": { "Noise": { "payload": "i32" } },
  "blackboard": { "heard": "i32" }, "initial": "wait",
  "states": { "wait": { "transitions": [{ "on": "Noise", "do": "heard += event", "to": "cry" }] },
    "cry": { "entry": "Answer", "transitions": [{ "after": "2t", "to": "wait" }] } } }"#;

/// Criers look at soldiers, who have a tick of their own.
#[derive(bevy_ecs::system::SystemParam)]
struct Street<'w, 's> {
    soldiers: Query<'w, 's, &'static Soldier>,
}

#[functions(context = Street<'_, '_>)]
impl Crier {
    #[action]
    fn answer(&self, street: &Street, cx: &mut ActionCx) {
        // The event of its own machine that soldiers know by name.
        let machine = &machines()[cx.agent().index() as usize % 2];
        cx.send(self.soldier, machine.event("Noise").unwrap(), 5);
        let fights: u32 = street.soldiers.iter().map(|one| one.strikes).sum();
        let count = 1000 + cx.rng().below(9) + fights * 16;
        cx.emit(Strike { count });
    }
}

/// Those of criers with an even and with an odd number.
fn machines() -> &'static [Machine; 2] {
    use std::sync::OnceLock;
    static MACHINES: OnceLock<[Machine; 2]> = OnceLock::new();
    MACHINES.get_or_init(|| {
        [CRIER, HERALD].map(|text| Machine::from_text("crier.sw.json", text).unwrap())
    })
}

const SOLDIERS: u32 = 40;
const CRIERS: u32 = 6;
const ALL: u32 = SOLDIERS + CRIERS;

/// Other tables.
#[derive(Component)]
struct Red;
#[derive(Component)]
struct Blue;

/// Small and good enough.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for place in (1..list.len()).rev() {
            list.swap(place, self.below(place + 1));
        }
    }
}

#[derive(Resource, Default)]
struct Seen {
    stream: Vec<(u64, AgentId, u8, Vec<u8>)>,
}

fn see(wishes: AgentCommands, state: Res<AgentState>, mut seen: ResMut<Seen>) {
    for wish in wishes.iter() {
        let command = wish.command;
        let lane = command.lane().number();
        seen.stream
            .push((state.now(), wish.agent, lane, command.bytes().to_vec()));
    }
}

/// Three systems that nothing orders speak to the same agents in the same tick.
fn shout(mut tell: Tell, events: Res<Events>, state: Res<AgentState>) {
    let now = state.now() as u32;
    let to = |number: u32| AgentId::new((now * 7 + number * 3) % SOLDIERS, 1);
    tell.send(to(0), events.noise, 4_i32);
    tell.send(to(0), events.noise, 1_i32);
    tell.send_as(to(1), events.noise, Class::Critical, 9_i32);
}

fn whisper(mut tell: Tell, events: Res<Events>, state: Res<AgentState>) {
    let now = state.now() as u32;
    let to = |number: u32| AgentId::new((now * 7 + number * 3) % SOLDIERS, 1);
    tell.send(to(0), events.help, to(2));
    tell.send(to(1), events.calm, ());
    if now.is_multiple_of(9) {
        tell.send(Group::new(3), events.noise, 8_i32);
    }
    if now.is_multiple_of(13) {
        tell.broadcast(events.noise, 7_i32);
    }
}

fn signal(
    mut signals: MessageWriter<Signal>,
    mut commands: Commands,
    agents: Query<(Entity, &StableId)>,
    events: Res<Events>,
    state: Res<AgentState>,
) {
    let now = state.now() as u32;
    for (entity, id) in &agents {
        // Whoever has not begun has no id yet.
        if id.get() == AgentId::new(now * 7 % SOLDIERS, id.get().generation().max(1)) {
            signals.write(Signal::new(entity, events.noise, 6_i32).in_order(2));
            signals.write(Signal::new(entity, events.calm, ()));
            commands.trigger(Signal::new(entity, events.help, AgentId::new(1, 1)));
        }
    }
}

/// Somebody goes, and somebody comes, in any table.
fn come_and_go(
    mut commands: Commands,
    agents: Query<(Entity, &AgentNumber, &Agent<Soldier>)>,
    state: Res<AgentState>,
) {
    let now = state.now() as u32;
    if !now.is_multiple_of(6) {
        return;
    }
    let gone = now * 5 % SOLDIERS;
    for (entity, number, agent) in &agents {
        if number.0 == gone {
            commands.entity(entity).despawn();
            commands.spawn((agent.clone(), *number, Red, Groups(vec![Group::new(3)])));
        }
        if number.0 == (gone + 11) % SOLDIERS {
            commands.entity(entity).insert(Blue);
        }
    }
}

#[derive(PartialEq)]
struct Outcome {
    stream: Vec<(u64, AgentId, u8, Vec<u8>)>,
    bytes: Vec<(u32, Vec<u8>)>,
    boards: Vec<(u32, String)>,
    hashes: Vec<u64>,
    /// Every tenth tick.
    brains: Vec<Vec<u8>>,
    lost: [u64; 4],
}

fn run(seed: u64, threads: usize, ticks: usize) -> Outcome {
    run_with(seed, threads, ticks, |_| {})
}

/// The same in an app to which something is added.
fn run_with(seed: u64, threads: usize, ticks: usize, extra: impl FnOnce(&mut App)) -> Outcome {
    let mut dice = Dice(seed);
    let pool = TaskPoolBuilder::new().num_threads(threads).build();
    let settings = TickSettings {
        chunk_size: [3, 7, 1024][dice.below(3)],
        ..TickSettings::default()
    };
    let plugin = StatewrightPlugin {
        seed: 99,
        settings,
        pool: BevyPool(Some(Arc::new(pool))),
        parallel: threads > 1,
        ..StatewrightPlugin::default()
    };
    // Kinds are added in any order.
    let is_first = dice.below(2) == 0;
    let add = |app: &mut App, is_now: bool| {
        if is_now {
            app.add_agents(Crier::functions);
        }
    };
    let mut app = app_after(|app| add(app, is_first), plugin);
    add(&mut app, !is_first);
    app.save_boards::<Soldier>()
        .save_boards::<Crier>()
        .init_resource::<Seen>();
    let criers = machines()
        .clone()
        .map(|machine| add_machine(&mut app, machine));
    let mut adders: Vec<fn(&mut App)> = vec![
        |app| _ = app.add_systems(Update, shout.before(StatewrightSystems::Intake)),
        |app| _ = app.add_systems(Update, whisper.before(StatewrightSystems::Intake)),
        |app| _ = app.add_systems(Update, signal.before(StatewrightSystems::Intake)),
        |app| _ = app.add_systems(Update, come_and_go.after(StatewrightSystems::Emit)),
        |app| _ = app.add_systems(Update, see.in_set(StatewrightSystems::Commit)),
        |app| _ = app.mark_state::<Red>("alert/fight"),
    ];
    dice.shuffle(&mut adders);
    adders.into_iter().for_each(|add| add(&mut app));
    extra(&mut app);
    spawn(&mut app, &criers, &mut dice);
    let (mut hashes, mut brains) = (Vec::new(), Vec::new());
    for tick in 0..ticks {
        app.update();
        if tick % 10 == 0 {
            brains.push(app.world().snapshot_brains().unwrap());
        }
        let mut hasher = std::hash::DefaultHasher::new();
        app.world().resource::<AgentState>().hash(&mut hasher);
        hashes.push(hasher.finish());
    }
    let problems = app.world().resource::<Problems>();
    assert_eq!(problems.iter().next(), None);
    let lost = [
        problems.lost_to_nobody,
        problems.lost_not_ready,
        problems.lost_unknown,
        problems.lost_surplus,
    ];
    let bytes = bytes(&mut app);
    let world = app.world_mut();
    let mut soldiers = world.query::<(&StableId, &Soldier)>();
    let mut boards: Vec<(u32, String)> = soldiers
        .iter(world)
        .map(|(id, board)| (id.get().index(), format!("{board:?}")))
        .collect();
    let mut criers = world.query::<(&StableId, &Crier)>();
    boards.extend(
        criers
            .iter(world)
            .map(|(id, board)| (id.get().index(), format!("{board:?}"))),
    );
    boards.sort();
    let stream = std::mem::take(&mut world.resource_mut::<Seen>().stream);
    Outcome {
        stream,
        bytes,
        boards,
        hashes,
        brains,
        lost,
    }
}

fn spawn(app: &mut App, criers: &[Handle<MachineAsset>; 2], dice: &mut Dice) {
    let agent = soldier(app);
    let mut numbers: Vec<u32> = (0..ALL).collect();
    dice.shuffle(&mut numbers);
    for number in numbers {
        let mut entity = app.world_mut().spawn(AgentNumber(number));
        if number < SOLDIERS {
            let near = |by: u32| AgentId::new((number + by) % SOLDIERS, 1);
            let crier = AgentId::new(SOLDIERS + number % CRIERS, 1);
            let friends = vec![crier, near(1), near(7), near(19)];
            entity.insert((
                agent.clone(),
                Soldier {
                    friends,
                    ..Soldier::default()
                },
            ));
        } else {
            let soldier = AgentId::new(number % SOLDIERS, 1);
            entity.insert((
                Agent::<Crier>::new(criers[number as usize % 2].clone()),
                Crier { soldier, heard: 0 },
            ));
        }
        // Tables differ from run to run, and change nothing.
        match dice.below(3) {
            0 => _ = entity.insert(Red),
            1 => _ = entity.insert((Blue, Position(1.0))),
            _ => {}
        }
        if number.is_multiple_of(4) {
            entity.insert(Groups(vec![Group::new(3)]));
        }
    }
    app.world_mut().spawn(Position(2.0));
}

#[test]
fn a_hundred_orders_of_systems_and_spawns_are_one_on_1_2_4_and_8_threads() {
    let first = run(1, 1, 120);
    assert!(first.stream.len() > 1000, "{}", first.stream.len());
    let strikes = first
        .stream
        .iter()
        .filter(|(_, agent, ..)| agent.index() >= SOLDIERS);
    assert!(strikes.count() > 50, "criers are heard and answer");
    assert!(
        first.lost.iter().take(3).sum::<u64>() > 0,
        "{:?}",
        first.lost
    );
    for seed in 2..=101 {
        let threads = [1, 2, 4, 8][seed as usize % 4];
        let other = run(seed, threads, 120);
        let place = first
            .hashes
            .iter()
            .zip(&other.hashes)
            .position(|(one, other)| one != other);
        assert_eq!(
            place, None,
            "seed {seed}, {threads} threads: the state differs after this tick"
        );
        assert!(other == first, "seed {seed}, {threads} threads");
    }
}

/// Somebody is traced or taped for a while, at any level, and then somebody else.
fn watch(
    mut commands: Commands,
    agents: Query<(Entity, &StableId, Has<AgentTrace>, Has<Taped>)>,
    mut tapes: ResMut<Tapes>,
    state: Res<AgentState>,
) {
    let now = state.now() as u32;
    match now {
        10 => tapes.record(RecordingOptions::default()),
        20 => tapes.fly(FlightOptions::default()),
        90 => assert_eq!(tapes.finish().unwrap().len(), 3),
        100 => tapes.land(),
        _ => {}
    }
    for (entity, id, is_traced, is_taped) in &agents {
        let mut entity = commands.entity(entity);
        let number = id.get().index();
        if (now + number).is_multiple_of(17) {
            if is_traced {
                entity.remove::<AgentTrace>();
            } else {
                let level = [Level::Outline, Level::Steps, Level::All][now as usize % 3];
                entity.insert(AgentTrace::with_capacity(level, 20));
            }
        }
        if (now + number * 3).is_multiple_of(23) {
            if is_taped {
                entity.remove::<Taped>();
            } else {
                entity.insert(Taped);
            }
        }
    }
}

#[derive(Resource, Default)]
struct Records(usize);

fn count(traces: Query<&AgentTrace>, mut records: ResMut<Records>) {
    records.0 += traces.iter().map(AgentTrace::len).sum::<usize>();
}

#[test]
fn whoever_is_traced_or_taped_does_the_same() {
    let first = run(1, 1, 120);
    for (seed, threads) in [(3, 1), (4, 2), (5, 4)] {
        let other = run_with(seed, threads, 120, |app| {
            app.init_resource::<Records>();
            app.add_systems(Update, watch.before(StatewrightSystems::Intake));
            app.add_systems(Update, count.in_set(StatewrightSystems::Debug));
            app.add_systems(Last, |records: Res<Records>, state: Res<AgentState>| {
                assert!(state.now() < 100 || records.0 > 1000, "{}", records.0);
            });
        });
        assert!(other == first, "seed {seed}, {threads} threads");
    }
}

#[test]
fn another_seed_is_seen() {
    // The alarm works: an app that draws other numbers is not the same.
    let mut apps = [7, 8].map(|seed| app_with(StatewrightPlugin::default().with_seed(seed)));
    let bytes = apps.each_mut().map(|app| {
        let agent = soldier(app);
        app.world_mut().spawn(agent);
        app.update();
        bytes(app)
    });
    assert_ne!(bytes[0], bytes[1]);
}

const LAST_TICK: u64 = 6;

/// Systems of one name. In the last tick one makes noise and the other calls for help; before it they speak
/// from some tick on, to somebody who does not care.
fn speaker(
    is_loud: bool,
    from: u64,
) -> impl FnMut(Tell, Res<Events>, Res<AgentState>) + Send + Sync + 'static {
    move |mut tell, events, state| {
        let [deaf, hears] = [0, 1].map(|number| AgentId::new(number, 1));
        match (state.now() == LAST_TICK, is_loud) {
            (true, true) => tell.send(hears, events.noise, 9_i32),
            (true, false) => tell.send_as(hears, events.help, Class::Normal, deaf),
            (false, _) if state.now() >= from => tell.send(deaf, events.noise, 0_i32),
            (false, _) => {}
        }
    }
}

#[test]
fn how_often_a_system_spoke_before_decides_nothing() {
    // Who hears noise first is alarmed, and who is called first fights already.
    let alarms = |[loud, quiet]: [u64; 2]| {
        let mut app = app();
        let agent = soldier(&app);
        let [_, hears] = [0, 1].map(|number| {
            let soldier = (agent.clone(), AgentNumber(number));
            app.world_mut().spawn(soldier).id()
        });
        for (is_loud, from) in [(true, loud), (false, quiet)] {
            let speaker = speaker(is_loud, from).before(StatewrightSystems::Intake);
            app.add_systems(Update, speaker);
        }
        (0..=LAST_TICK).for_each(|_| app.update());
        assert_eq!(path(&mut app, hears), "alert/fight");
        app.world().get::<Soldier>(hears).unwrap().alarms
    };
    assert_eq!(alarms([0, LAST_TICK]), alarms([LAST_TICK, 0]));
}
