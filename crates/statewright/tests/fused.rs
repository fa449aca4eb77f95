//! Machines as code: taken where it may be, the same as the tables to the last byte.

use statewright::prelude::*;
use statewright::trace::{Level, Settings};
use statewright::{
    Counters, Event, InboxEvent, Instance, Instance64, Instance128, Sleep, Slices, SlicesOutput,
    Turn, World,
};

/// The blackboard.
#[derive(Clone, Debug, Default, PartialEq, Board)]
pub struct Sentry {
    health: i32,
    heat: f32,
    alarmed: bool,
    #[board(skip)]
    steps: u32,
    #[board(skip)]
    counted: i32,
    #[board(skip)]
    seen: Vec<String>,
}

#[functions]
impl Sentry {
    #[activity]
    fn patrol(&mut self, mode: Mode) -> Status {
        if mode == Mode::Cancel {
            self.steps = 0;
            return Status::Running;
        }
        self.steps += 1;
        match self.steps % 7 {
            5 => Status::Succeeded,
            6 => Status::Failed,
            _ => Status::Running,
        }
    }

    /// Keeps what it is told about its call: all of that is the same, too.
    #[activity]
    fn aim(&mut self, shots: i32, cx: &mut ActionCx) -> Status {
        let call = format!("{shots} {:?} {}", cx.state(), cx.tick());
        self.seen.push(call);
        self.steps += 1;
        if self.steps.is_multiple_of(9) {
            Status::Succeeded
        } else {
            Status::Running
        }
    }

    #[guard]
    fn sees_intruder(&self, cx: &GuardCx) -> bool {
        (cx.tick() + self.steps).is_multiple_of(3) && cx.transition().is_some()
    }

    #[guard(rng)]
    fn lucky(&self, cx: &mut GuardCx<'_, '_, '_>) -> bool {
        cx.rng().is_some_and(|mut rng| rng.chance(0.9))
    }

    #[value]
    fn danger(&self) -> f32 {
        self.heat
    }

    #[action]
    fn count(&mut self, by: i32) {
        self.counted += by;
        assert!(self.counted < 5_000, "has counted for too long");
    }
}

statewright::machine!(
    mod sentry = "tests/machines/sentry.sw.json",
    functions = Sentry,
    // Nobody falls who lies already.
    warnings = allow,
);
statewright::machine!(
    mod by_tables = "tests/machines/sentry.sw.json",
    functions = Sentry,
    fused = false,
    warnings = allow,
);

#[test]
fn machines_are_fused_with_the_functions_of_their_type_alone() {
    let fused = |machine: Machine, functions| {
        let program = machine.bind::<Sentry, ()>(functions);
        program.unwrap().is_fused()
    };
    assert!(fused(sentry::machine(), Sentry::functions()));
    assert!(!fused(by_tables::machine(), Sentry::functions()));
    // More functions do not matter, others do.
    let more = Sentry::functions().action("more", |_, _, _| {});
    assert!(fused(sentry::machine(), more));
    let path = "tests/machines/sentry.sw.json";
    assert!(!fused(
        Machine::from_file(path).unwrap(),
        Sentry::functions()
    ));
    let program = sentry::machine().bind(Sentry::functions()).unwrap();
    assert!(!program.interpreted().is_fused());
}

fn boards(count: usize) -> Vec<Sentry> {
    let board = |number: usize| Sentry {
        health: 20 + 10 * (number as i32 % 9),
        heat: number as f32 * 0.1,
        ..Sentry::default()
    };
    (0..count).map(board).collect()
}

/// What is left of a run.
#[derive(Debug, PartialEq)]
struct Ran {
    instances: Vec<Instance128>,
    boards: Vec<Sentry>,
    counters: Counters,
    turns: usize,
    /// Who stays awake, tick by tick.
    awake: Vec<(u32, Sleep)>,
}

/// Bytes and blackboards after so many ticks; `fused` says by tick which way it goes.
fn run(ticks: u64, fused: impl Fn(u64) -> bool) -> Ran {
    let machine = sentry::machine();
    let bind = || machine.bind::<Sentry, ()>(Sentry::functions()).unwrap();
    let programs = [bind(), bind().interpreted()];
    let (noise, relief) = (sentry::events::NOISE, sentry::events::RELIEF);
    let rom = machine.rom();
    let new = |agent| Instance128::new(&rom, 7, agent).unwrap();
    let mut instances: Vec<Instance128> = (0..40).map(new).collect();
    let mut boards = boards(40);
    let (mut output, mut counters) = (SlicesOutput::default(), Counters::default());
    let (mut turns, mut awake) = (0, Vec::new());
    for tick in 0..ticks {
        let place = (tick * 7 % 40) as u32;
        let event = match tick % 3 {
            0 => machine.make_event(noise, 15).unwrap(),
            _ => machine.make_event(relief, ()).unwrap(),
        };
        let inbox = [InboxEvent { place, event }];
        let slices = Slices {
            tick,
            inbox: &inbox,
            ..Slices::default()
        };
        let program = &programs[usize::from(!fused(tick))];
        program
            .tick_slices(&mut instances, &mut boards, &(), slices, &mut output)
            .unwrap();
        counters.add(output.counters());
        turns += output.turns();
        awake.extend(output.awake_next());
    }
    Ran {
        instances,
        boards,
        counters,
        turns,
        awake,
    }
}

#[test]
fn an_agent_may_go_by_code_in_one_tick_and_by_tables_in_the_next() {
    let by_tables = run(1_500, |_| false);
    let transitions = by_tables.counters.transitions;
    assert!(transitions > 2_000, "{transitions} transitions");
    assert!(by_tables.boards.iter().any(|board| board.seen.len() > 20));
    assert!(run(1_500, |_| true) == by_tables);
    assert!(run(1_500, |tick| tick * tick % 5 < 2) == by_tables);
}

#[test]
fn tick_3_a_panic_in_code_costs_one_agent_and_names_the_function() {
    let program = sentry::machine().bind(Sentry::functions()).unwrap();
    assert!(program.is_fused());
    let mut crowd = Crowd::new(program, 1);
    let mut tired = boards(2);
    tired.iter_mut().for_each(|board| board.health = 100);
    tired[0].counted = 4_990;
    let agents: Vec<AgentId> = tired.into_iter().map(|board| crowd.spawn(board)).collect();
    let mut told = None;
    for _ in 0..40 {
        crowd.tick(&());
        told = told.or(crowd.panicked().next().map(ToString::to_string));
    }
    let told = told.expect("somebody has counted for too long");
    assert!(told.contains("count") || told.contains("Count"), "{told}");
    assert!(crowd.has_ended(agents[0]).unwrap());
    assert!(!crowd.has_ended(agents[1]).unwrap());
}

#[test]
fn code_3_variants_and_changed_parameters_count_in_code_too() {
    let program = sentry::machine().bind(Sentry::functions()).unwrap();
    let machine = sentry::machine();
    let mut crowd = Crowd::new(program, 1);
    let [brave, coward] = [60, 60].map(|health| {
        crowd.spawn(Sentry {
            health,
            ..Sentry::default()
        })
    });
    let variant = machine.variant("coward").unwrap();
    crowd.set_variant(coward, variant).unwrap();
    let resting = sentry::states::RESTING;
    let mut rested = [false; 2];
    for _ in 0..60 {
        crowd.tick(&());
        for (rested, agent) in rested.iter_mut().zip([brave, coward]) {
            *rested |= crowd.is_in(agent, resting).unwrap();
        }
    }
    assert_eq!(rested, [false, true]);
}

/// Which way its functions were called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Board)]
pub struct Witness {
    #[board(skip)]
    by_code: u32,
    #[board(skip)]
    by_tables: u32,
}

/// What code calls.
#[functions]
impl Witness {
    #[action]
    fn count(&mut self) {
        self.by_code += 1;
    }

    /// Is given its agent, so that this has to be attached.
    #[action]
    fn note(&mut self, _cx: &mut ActionCx) {
        self.by_code += 1;
    }

    #[activity]
    fn pulse(&mut self) -> Status {
        self.by_code += 1;
        Status::Running
    }
}

statewright::machine!(mod witness = "tests/machines/witness.sw.json", functions = Witness);

/// A program whose code and whose tables call different functions: code those of the type, as constants, tables those
/// of the list that is bound. Only here does anybody say of a list by hand that it is that of the type.
fn witnesses() -> Program<Witness, ()> {
    let functions = Functions::<Witness, ()>::new()
        .action("Count", |me, (), _| me.by_tables += 1)
        .action("Note", |me, (), _| me.by_tables += 1)
        .activity("Pulse", |me, (), mode, _| {
            me.by_tables += u32::from(mode == Mode::Run);
            Status::Running
        });
    let functions = statewright::macros::fusing(functions);
    let program = witness::machine().bind(functions).unwrap();
    assert!(program.is_fused());
    program
}

/// What comes to each agent, tick by tick: at rest, while it polls, and at last its timer.
const COMES: [Option<&str>; 10] = [
    None,
    Some("Tap"),
    Some("Look"),
    Some("Go"),
    None,
    Some("Tap"),
    None,
    None,
    Some("Tap"),
    None,
];
/// So many functions are called for that: for five events, a timer, and three times the activity.
const CALLS: u32 = 9;
const WITNESSES: usize = 20;

fn event_of(machine: &Machine, tick: usize) -> Option<Event> {
    let event = machine.event(COMES[tick]?).unwrap();
    Some(machine.make_event(event, ()).unwrap())
}

fn in_slices(program: Program<Witness, ()>) -> Vec<Witness> {
    let (machine, rom) = (program.machine(), program.machine().rom());
    let new = |agent| Instance64::new(&rom, 3, agent).unwrap();
    let mut instances: Vec<Instance64> = (0..WITNESSES as u64).map(new).collect();
    let mut boards = vec![Witness::default(); WITNESSES];
    let mut output = SlicesOutput::default();
    for tick in 0..COMES.len() {
        let event = event_of(machine, tick).into_iter();
        let inbox: Vec<InboxEvent> = event
            .flat_map(|event| (0..WITNESSES as u32).map(move |place| InboxEvent { place, event }))
            .collect();
        let slices = Slices {
            tick: tick as u64,
            inbox: &inbox,
            ..Slices::default()
        };
        let done = program.tick_slices(&mut instances, &mut boards, &(), slices, &mut output);
        done.unwrap();
    }
    boards
}

fn crowd_of(program: Program<Witness, ()>) -> (Crowd<Witness, ()>, Vec<AgentId>) {
    let mut crowd = Crowd::new(program, 3);
    let agents = (0..WITNESSES).map(|_| crowd.spawn(Witness::default()));
    let agents = agents.collect();
    (crowd, agents)
}

fn boards_of(crowd: &Crowd<Witness, ()>, agents: &[AgentId]) -> Vec<Witness> {
    let board = |&agent| *crowd.board(agent).unwrap();
    agents.iter().map(board).collect()
}

fn run_crowd((mut crowd, agents): (Crowd<Witness, ()>, Vec<AgentId>)) -> Vec<Witness> {
    for comes in COMES {
        if let Some(name) = comes {
            let event = crowd.machine().event(name).unwrap();
            crowd.broadcast(event, ()).unwrap();
        }
        crowd.tick(&());
    }
    boards_of(&crowd, &agents)
}

fn in_a_crowd(program: Program<Witness, ()>) -> Vec<Witness> {
    run_crowd(crowd_of(program))
}

fn in_a_world(program: Program<Witness, ()>) -> Vec<Witness> {
    let (crowd, agents) = crowd_of(program);
    let mut world = World::<()>::new();
    let key = world.join_unsaved("witnesses", crowd).unwrap();
    for comes in COMES {
        if let Some(name) = comes {
            let event = world[key].machine().event(name).unwrap();
            world[key].broadcast(event, ()).unwrap();
        }
        world.tick(&());
    }
    boards_of(&world[key], &agents)
}

#[test]
fn agents_of_slices_crowds_and_worlds_go_by_code_of_their_own_accord() {
    type Way = fn(Program<Witness, ()>) -> Vec<Witness>;
    for way in [in_slices as Way, in_a_crowd, in_a_world] {
        let [by_code, by_tables] = [witnesses(), witnesses().interpreted()].map(way);
        assert_eq!(by_code.len(), WITNESSES);
        for (by_code, by_tables) in by_code.into_iter().zip(by_tables) {
            assert_eq!((by_code.by_code, by_code.by_tables), (CALLS, 0));
            assert_eq!((by_tables.by_code, by_tables.by_tables), (0, CALLS));
        }
    }
}

#[test]
fn agents_that_are_traced_go_by_tables() {
    let (mut crowd, agents) = crowd_of(witnesses());
    let outline = Settings::new(Level::Outline);
    crowd.set_trace(Some(outline)).unwrap();
    for board in run_crowd((crowd, agents)) {
        assert_eq!((board.by_code, board.by_tables), (0, CALLS));
    }
}

/// The board of an agent that is ticked by itself.
fn alone(program: &Program<Witness, ()>) -> Witness {
    let machine = program.machine();
    let mut solo = program.solo();
    let mut instance = Instance64::new(&machine.rom(), 3, 0).unwrap();
    let mut board = Witness::default();
    for tick in 0..COMES.len() {
        let events: Vec<Event> = event_of(machine, tick).into_iter().collect();
        let turn = Turn {
            tick: tick as u64,
            events: &events,
            ..Turn::default()
        };
        solo.tick(&mut instance, &mut board, &(), turn).unwrap();
    }
    board
}

#[test]
fn an_agent_by_itself_takes_single_events_at_rest_by_code_and_goes_by_tables_otherwise() {
    let board = alone(&witnesses());
    // A tap at the beginning and one at the end: other events need more than its bytes, or it polls.
    assert_eq!((board.by_code, board.by_tables), (2, CALLS - 2));
    let board = alone(&witnesses().interpreted());
    assert_eq!((board.by_code, board.by_tables), (0, CALLS));
}
