//! Choices, history and two regions that react together, as code: the same as the tables to the last byte.

use statewright::prelude::*;
use statewright::{Counters, InboxEvent, Instance, Instance64, Sleep, Slices, SlicesOutput};

/// The blackboard.
#[derive(Clone, Debug, Default, PartialEq, Board)]
pub struct Walker {
    value: i32,
    #[board(skip)]
    steps: Vec<u8>,
}

#[functions]
impl Walker {
    #[action]
    fn enter(&mut self) {
        self.steps.push(1);
    }

    #[action]
    fn leave(&mut self) {
        self.steps.push(2);
        self.value = self.value.wrapping_add(5) % 1_000;
    }

    #[guard]
    fn is_big(&self) -> bool {
        self.value % 7 > 4
    }
}

statewright::machine!(
    mod ways = "tests/machines/ways.sw.json",
    functions = Walker,
    warnings = allow,
);
statewright::machine!(
    mod pair = "tests/machines/pair.sw.json",
    functions = Walker,
    warnings = allow,
);

/// What is left of a run.
#[derive(Debug, PartialEq)]
struct Ran {
    instances: Vec<Instance64>,
    boards: Vec<Walker>,
    counters: Counters,
    turns: usize,
    awake: Vec<(u32, Sleep)>,
}

const AGENTS: u32 = 40;

fn run(machine: &Machine, fused: impl Fn(u64) -> bool) -> Ran {
    let program = machine.bind::<Walker, ()>(Walker::functions()).unwrap();
    assert!(program.is_fused());
    let by_tables = machine.bind::<Walker, ()>(Walker::functions()).unwrap();
    let programs = [program, by_tables.interpreted()];
    let rom = machine.rom();
    let new = |agent| Instance64::new(&rom, 3, agent).unwrap();
    let mut ran = Ran {
        instances: (0..AGENTS.into()).map(new).collect(),
        boards: vec![Walker::default(); AGENTS as usize],
        counters: Counters::default(),
        turns: 0,
        awake: Vec::new(),
    };
    let events = ["Go", "Flip", "Deep"].map(|name| machine.event(name).unwrap());
    let mut output = SlicesOutput::default();
    for tick in 0..500 {
        // All combinations come: nobody, neighbors, everybody, and several for one agent.
        let of_agent = |place: u32| {
            let number = (tick as u32 * 31 + place * 17 + tick as u32 * place % 11) % 9;
            let all = tick % 10 == 3;
            let count = if all {
                1
            } else {
                [1, 1, 1, 2, 0, 0, 0, 0, 0][number as usize]
            };
            (0..count).map(move |more| (place, (number + more) as usize % 3))
        };
        let inbox = (0..AGENTS).flat_map(of_agent).map(|(place, number)| {
            let event = machine.make_event(events[number], ()).unwrap();
            InboxEvent { place, event }
        });
        let inbox: Vec<InboxEvent> = inbox.collect();
        let slices = Slices {
            tick,
            inbox: &inbox,
            ..Slices::default()
        };
        let program = &programs[usize::from(!fused(tick))];
        let (instances, boards) = (&mut ran.instances, &mut ran.boards);
        let done = program.tick_slices(instances, boards, &(), slices, &mut output);
        done.unwrap();
        ran.counters.add(output.counters());
        ran.turns += output.turns();
        ran.awake.extend(output.awake_next());
    }
    ran
}

fn check(run: impl Fn(&dyn Fn(u64) -> bool) -> Ran, transitions: u64) {
    let by_tables = run(&|_| false);
    assert!(
        by_tables.counters.transitions > transitions,
        "{:?}",
        by_tables.counters
    );
    assert!(by_tables.boards.iter().all(|board| board.steps.len() > 20));
    assert!(run(&|_| true) == by_tables);
    assert!(run(&|tick| tick * tick % 5 < 2) == by_tables);
}

#[test]
fn exec_4_exec_7_history_and_choices_as_code_do_what_tables_do() {
    check(|fused| run(&ways::machine(), fused), 3_000);
}

/// That they do react together on bytes alone is counted by `proof/fused`.
#[test]
fn sel_4_two_regions_that_react_together_do_what_tables_do() {
    // By tables an event that nobody handles is a turn of its agent if that has several leaves; by code it is none.
    let but_for_turns = |fused: &dyn Fn(u64) -> bool| Ran {
        turns: 0,
        ..run(&pair::machine(), fused)
    };
    check(but_for_turns, 3_000);
}
