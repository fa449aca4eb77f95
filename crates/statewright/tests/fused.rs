//! Machines as code: taken where it may be, the same as the tables to the last byte.

use statewright::prelude::*;
use statewright::{Counters, Instance, Instance128, Sleep, Slices, SlicesOutput};

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
        let inbox = [statewright::InboxEvent { place, event }];
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
