//! Chosen agents of an app are recorded while the others live, and run again by anybody.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{
    AgentState, AgentTape, AgentVariant, Config, Ram, Ram64, Ram128, Taped, Tapes, WorldBrains,
    statewright,
};
use statewright_tape::{
    FlightOptions, Proof, Record, RecordingOptions, ReplayError, SealedProgram, Tape, TapeInput,
    Trouble, rewrite,
};
use zerocopy::IntoBytes;

use crate::common::*;

/// Hears soldiers, in a machine of another tier, and answers louder each time.
#[derive(Component, Board, Default)]
struct Crier {
    heard: i32,
    #[board(skip)]
    soldier: AgentId,
}

const CRIER: &str = r#"{ "machine": "Crier", "tier": "standard", "events": { "Noise": { "payload": "i32" } },
  "blackboard": { "heard": "i32" }, "initial": "cry",
  "states": { "cry": { "transitions": [{ "on": "Noise", "if": "MayAnswer", "do": ["Answer", "heard += event"], "to": "breathe" }] },
    "breathe": { "transitions": [{ "after": "2t", "to": "cry" }] } } }"#;

#[functions]
impl Crier {
    #[guard]
    fn may_answer(&self, cx: &mut GuardCx) -> bool {
        !(self.heard as u32 + cx.agent().index()).is_multiple_of(3)
    }

    #[action]
    fn answer(&self, cx: &mut ActionCx) {
        assert!(self.heard >= 0, "its voice breaks");
        let loudness = 4 + cx.rng().below(4) as i32;
        cx.send(self.soldier, crier().event("Noise").unwrap(), loudness);
    }
}

fn crier() -> &'static Machine {
    use std::sync::OnceLock;
    static MACHINE: OnceLock<Machine> = OnceLock::new();
    MACHINE.get_or_init(|| Machine::from_text("crier.sw.json", CRIER).unwrap())
}

const SOLDIERS: u32 = 30;
const CRIERS: u32 = 8;

fn shout(mut tell: Tell, events: Res<Events>, state: Res<AgentState>) {
    let now = state.now() as u32;
    // Now and then nobody says anything.
    if now % 50 < 35 {
        let to = |number: u32| AgentId::new((now * 7 + number * 3) % SOLDIERS, 1);
        tell.send(to(0), events.noise, 5_i32);
        tell.send(to(1), events.help, to(2));
        tell.send(to(3), events.noise, 9_i32);
    }
    if now.is_multiple_of(60) {
        tell.broadcast(events.noise, 6_i32);
    }
}

/// Tables change, and somebody who is taped writes its blackboard from outside.
fn stir(
    mut commands: Commands,
    mut soldiers: Query<(Entity, &AgentNumber, &mut Soldier)>,
    state: Res<AgentState>,
) {
    let now = state.now() as u32;
    for (entity, number, mut soldier) in &mut soldiers {
        if now % 90 == number.0 * 3 {
            soldier.alarms += 1;
            commands.entity(entity).insert(Position(1.0));
        }
    }
}

fn battle() -> App {
    let mut app = app();
    app.add_agents(Crier::functions);
    app.add_systems(Update, (shout, stir).before(StatewrightSystems::Intake));
    let cry = add_machine(&mut app, crier().clone());
    let agent = soldier(&app);
    let world = app.world_mut();
    for number in 0..SOLDIERS {
        let friend = |by: u32| AgentId::new((number + by) % SOLDIERS, 1);
        let friends = vec![
            AgentId::new(SOLDIERS + number % CRIERS, 1),
            friend(1),
            friend(4),
        ];
        let board = Soldier {
            friends,
            ..Soldier::default()
        };
        world.spawn((agent.clone(), AgentNumber(number), board));
    }
    for number in 0..CRIERS {
        let board = Crier {
            soldier: AgentId::new(number * 3, 1),
            heard: 0,
        };
        let agent = Agent::<Crier>::new(cry.clone());
        world.spawn((agent, AgentNumber(SOLDIERS + number), board));
    }
    app.update();
    app
}

fn entity(app: &mut App, number: u32) -> Entity {
    let mut all = app.world_mut().query::<(Entity, &AgentNumber)>();
    let found = all.iter(app.world()).find(|(_, own)| own.0 == number);
    found.expect("it is there").0
}

fn tape(app: &mut App, numbers: &[u32]) {
    for &number in numbers {
        let entity = entity(app, number);
        app.world_mut().entity_mut(entity).insert(Taped);
    }
}

fn tapes(app: &mut App) -> Mut<'_, Tapes> {
    app.world_mut().resource_mut::<Tapes>()
}

/// Runs a tape without its game, and says what it came to: ticks, and the bytes of agents at its end.
fn replay(tape: &[u8]) -> Result<(u64, Vec<(AgentId, Vec<u8>)>), ReplayError> {
    let tape = Tape::read(tape).unwrap();
    let sealed = SealedProgram::of(&tape)?;
    let mut replay = sealed.replay(&tape, 0)?;
    let verified = replay.run(|crowd| sealed.tick(crowd))?;
    let crowd = replay.crowd();
    let bytes = |agent| (agent, crowd.instance_bytes(agent).unwrap().to_vec());
    Ok((verified.ticks, crowd.agents().map(bytes).collect()))
}

/// The same of the app.
fn here(app: &mut App, numbers: &[u32]) -> Vec<(AgentId, Vec<u8>)> {
    let one = |&number: &u32| {
        let entity = entity(app, number);
        let world = app.world();
        let small = world
            .get::<Ram64>(entity)
            .map(|ram| ram.instance().as_bytes());
        let middle = world
            .get::<Ram128>(entity)
            .map(|ram| ram.instance().as_bytes());
        let id = world.get::<StableId>(entity).unwrap().get();
        (id, small.or(middle).unwrap().to_vec())
    };
    numbers.iter().map(one).collect()
}

fn of<'t>(tapes: &'t [AgentTape], machine: &str) -> &'t AgentTape {
    let found = tapes.iter().find(|tape| tape.machine == machine);
    found.expect("it was recorded")
}

#[test]
fn chosen_entities_of_two_kinds_run_again_without_the_others_and_without_the_game() {
    for proof in [Proof::Ticks, Proof::Bytes] {
        let mut app = battle();
        tape(&mut app, &[3, 9, 12, SOLDIERS + 1, SOLDIERS + 4]);
        (0..20).for_each(|_| app.update());
        let options = RecordingOptions {
            proof,
            ..RecordingOptions::default()
        };
        tapes(&mut app).record(options);
        (0..120).for_each(|_| app.update());
        // Others are chosen meanwhile.
        tape(&mut app, &[17]);
        let gone = entity(&mut app, 9);
        app.world_mut().entity_mut(gone).remove::<Taped>();
        (0..180).for_each(|_| app.update());
        let all = tapes(&mut app).finish().unwrap();
        assert_eq!(all.len(), 2);
        let (squad, criers) = (of(&all, "Squad"), of(&all, "Crier"));
        let (ticks, agents) = replay(&squad.bytes).unwrap();
        // It began with the first turn of one of them.
        assert!(
            ticks > 290 && ticks == squad.summary.unwrap().ticks,
            "{ticks}"
        );
        assert_eq!(agents, here(&mut app, &[3, 12, 17]));
        let (ticks, agents) = replay(&criers.bytes).unwrap();
        assert!(
            ticks > 290 && ticks == criers.summary.unwrap().ticks,
            "{ticks}"
        );
        assert_eq!(agents, here(&mut app, &[SOLDIERS + 1, SOLDIERS + 4]));
        assert!(squad.summary.unwrap().inputs > 100, "{:?}", squad.summary);
        assert!(criers.summary.unwrap().inputs > 100, "{:?}", criers.summary);
        assert_eq!(problems(&app), []);
        // Nothing is recorded any more.
        app.update();
        assert_eq!(tapes(&mut app).finish().unwrap(), []);
    }
}

#[test]
fn a_flipped_input_is_told() {
    let mut app = battle();
    tape(&mut app, &[0, 3, 6, 9, 12]);
    tapes(&mut app).record(RecordingOptions::default());
    (0..150).for_each(|_| app.update());
    let all = tapes(&mut app).finish().unwrap();
    let bytes = &of(&all, "Squad").bytes;
    assert!(replay(bytes).unwrap().0 > 140);
    let tape = Tape::read(bytes).unwrap();
    let is_event = |record: &Record| matches!(record, Record::Input(TapeInput::Send(..)));
    let (mut flips, mut told) = (0, 0);
    for flipped in 1.. {
        let (mut events, mut was_there) = (0, false);
        let (other, _) = rewrite(&tape, &(0..=1000), |record, bytes| {
            events += usize::from(is_event(record));
            let is_it = is_event(record) && events == flipped;
            was_there |= is_it;
            let mut bytes = bytes.to_vec();
            *bytes.last_mut().unwrap() ^= 0x80;
            is_it.then_some(bytes)
        })
        .unwrap();
        if !was_there {
            break;
        }
        flips += 1;
        told += usize::from(replay(&other).is_err());
    }
    // What nobody listens to changes nothing.
    assert!(flips > 50 && told * 4 > flips, "{told} of {flips}");
}

#[test]
fn what_games_do_to_agents_from_outside_is_on_the_tape() {
    let mut app = battle();
    tape(&mut app, &[2, 3, 5]);
    tapes(&mut app).record(RecordingOptions::default());
    let machine = squad();
    (0..30).for_each(|_| app.update());
    let one = entity(&mut app, 2);
    let id = app.world().get::<StableId>(one).unwrap().get();
    let now = app.world().resource::<AgentState>().now();
    let mut ram = app.world_mut().get_mut::<Ram64>(one).unwrap();
    machine.reset_instance(ram.instance_mut());
    machine.pause_instance(ram.instance_mut(), now);
    app.world_mut()
        .resource_mut::<bevy_statewright::Agents>()
        .wake(id);
    (0..30).for_each(|_| app.update());
    let now = app.world().resource::<AgentState>().now();
    let mut ram = app.world_mut().get_mut::<Ram64>(one).unwrap();
    machine.resume_instance(ram.instance_mut(), now);
    let mut agents = app.world_mut().resource_mut::<bevy_statewright::Agents>();
    agents.wake(id);
    let mut state = app.world_mut().resource_mut::<AgentState>();
    state.stop(AgentId::new(5, 1));
    let other = entity(&mut app, 3);
    app.world_mut()
        .entity_mut(other)
        .insert(AgentVariant::new("sharp"));
    (0..30).for_each(|_| app.update());
    let mut parameters = statewright::Parameters::default();
    let (plain, deaf) = (
        statewright::VariantHandle::PLAIN,
        machine.parameter("deaf").unwrap(),
    );
    parameters.set(&machine, plain, deaf, 5).unwrap();
    let squad = app.world().resource::<Squad>().0.id();
    let mut config = app.world_mut().resource_mut::<Config>();
    config.parameters.insert(squad, parameters);
    (0..30).for_each(|_| app.update());
    // Back in time, and another way from there.
    let snapshot = app.world().snapshot_brains().unwrap();
    (0..15).for_each(|_| app.update());
    app.world_mut().restore_brains(&snapshot).unwrap();
    (0..40).for_each(|_| app.update());
    let taken = app.world_mut().entity_mut(other).take::<Soldier>().unwrap();
    (0..10).for_each(|_| app.update());
    app.world_mut().entity_mut(other).insert(taken);
    (0..30).for_each(|_| app.update());
    let all = tapes(&mut app).finish().unwrap();
    let (_, agents) = replay(&of(&all, "Squad").bytes).unwrap();
    assert_eq!(agents, here(&mut app, &[2, 3, 5]));
}

#[test]
fn the_flight_recorder_has_the_last_seconds_of_whoever_panicked() {
    let mut app = battle();
    tape(&mut app, &[3, SOLDIERS, SOLDIERS + 3]);
    let options = FlightOptions {
        ticks: Some(30),
        ..FlightOptions::default()
    };
    tapes(&mut app).fly(options);
    (0..200).for_each(|_| app.update());
    assert!(tapes(&mut app).take_incidents().is_empty());
    let dumped = tapes(&mut app).dump();
    assert_eq!(dumped.len(), 2);
    for tape in &dumped {
        let (ticks, _) = replay(&tape.bytes).unwrap();
        assert!((30..45).contains(&ticks), "{ticks}");
    }
    // Nobody watches the second one.
    for number in [SOLDIERS + 1, SOLDIERS + 3] {
        let crier = entity(&mut app, number);
        app.world_mut().get_mut::<Crier>(crier).unwrap().heard = -900 - (number as i32 - 30) % 3;
        let noise = crier_noise();
        for loudness in 0..3 {
            send(&mut app, crier, noise, loudness);
        }
    }
    (0..6).for_each(|_| app.update());
    let incidents = tapes(&mut app).take_incidents();
    let [(machine, incident)] = &incidents[..] else {
        panic!("{incidents:?}");
    };
    assert_eq!(
        (machine.as_str(), incident.trouble),
        ("Crier", Trouble::Panicked)
    );
    assert_eq!(incident.agent.map(|agent| agent.index), Some(SOLDIERS + 3));
    let (ticks, agents) = replay(&incident.tape).unwrap();
    assert!(ticks >= 30 && agents.len() == 2, "{ticks}");
    tapes(&mut app).land();
    assert!(tapes(&mut app).dump().is_empty());
}

fn crier_noise() -> statewright::EventHandle {
    crier().event("Noise").unwrap()
}

#[test]
fn a_tape_is_a_file_that_the_command_line_reads() {
    let mut app = battle();
    tape(&mut app, &[3]);
    tapes(&mut app).record(RecordingOptions::default());
    (0..40).for_each(|_| app.update());
    let all = tapes(&mut app).finish().unwrap();
    let folder =
        std::env::temp_dir().join(format!("bevy_statewright_tapes_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = of(&all, "Squad").write_to(&folder).unwrap();
    assert!(path.ends_with("Squad.swtape"), "{path:?}");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(replay(&bytes).unwrap().0 > 20);
}
