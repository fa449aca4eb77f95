//! Every contender does the same work, and it is the work of the machine: compared with each other
//! in every workload, and with a model that is slow and obvious over random events.

use clap::ValueEnum;

use statewright_bench::board::Totals;
use statewright_bench::callbacks::state::*;
use statewright_bench::contenders::Kind;
use statewright_bench::measure::{Order, measure};
use statewright_bench::script::event::*;
use statewright_bench::script::{Script, Tick};
use statewright_bench::workload::Workload;
use statewright_measure::random::Random;

#[test]
fn all_contenders_do_the_same_work_in_every_workload() {
    for &workload in Workload::value_variants() {
        for agents in [1, 300] {
            let agents = if workload == Workload::W5 {
                agents * 100
            } else {
                agents
            };
            let order = Order {
                workload,
                agents,
                rounds: 2,
                kinds: Kind::value_variants().to_vec(),
            };
            let row = measure(&order).unwrap();
            assert!(row.cell(Kind::Inbox).is_some() && row.cell(Kind::Hand64).is_some());
        }
    }
}

#[test]
fn all_contenders_do_what_the_machine_says() {
    let agents = 50;
    let mut random = Random::new(7);
    let mut events = || Tick::All((0..agents).map(|_| unlikely_death(&mut random)).collect());
    let script = Script {
        ticks: (0..200).map(|_| events()).collect(),
    };
    let expected = model(&script, agents);
    for &kind in Kind::value_variants() {
        let mut contender = kind.make(Workload::W2, agents).unwrap();
        let Some(before) = contender.totals() else {
            continue;
        };
        contender.load(&script);
        contender.run(script.ticks.len());
        let found = contender.totals().unwrap() - before;
        assert_eq!(found, expected, "{}", kind.name());
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    assert!(!Kind::Statig.can(Workload::W2Regions));
    let refused = statewright_bench::instructions::once(Kind::Statig, Workload::W1, 1, 1);
    assert_eq!(refused.unwrap_err(), "statig cannot do W1");
}

fn unlikely_death(random: &mut Random) -> u8 {
    match random.below(400) {
        0 => DIE,
        number => [SIGHT, LOST, IN_RANGE, SWING, LOW_HP, HEALED, NOP][number as usize % 7],
    }
}

/// The state around a state; 0 is the root.
fn parent(state: u8) -> u8 {
    match state {
        APPROACH | ATTACK | RETREAT => COMBAT,
        WINDUP | STRIKE => ATTACK,
        _ => 0,
    }
}

/// A state and all around it, from the inside.
fn path(state: u8) -> Vec<u8> {
    std::iter::successors(Some(state), |&state| {
        Some(parent(state)).filter(|&parent| parent != 0)
    })
    .collect()
}

/// Where a state goes by itself.
fn target(state: u8, event: u8) -> Option<u8> {
    match (state, event) {
        (IDLE | PATROL, SIGHT) => Some(APPROACH),
        (COMBAT, LOST) => Some(PATROL),
        (APPROACH, IN_RANGE) => Some(WINDUP),
        (WINDUP, SWING) => Some(STRIKE),
        (STRIKE, SWING) => Some(WINDUP),
        (ATTACK, LOW_HP) => Some(RETREAT),
        (RETREAT, HEALED) => Some(WINDUP),
        (0, DIE) => Some(DEAD),
        _ => None,
    }
}

fn model(script: &Script, agents: usize) -> Totals {
    let mut totals = Totals::default();
    let mut states = vec![IDLE; agents];
    for tick in &script.ticks {
        let Tick::All(events) = tick else {
            panic!("the script has an event for everybody")
        };
        for (state, &event) in states.iter_mut().zip(events) {
            totals.events += 1;
            let takers = path(*state).into_iter().chain([0]);
            if let Some(to) = takers.filter_map(|taker| target(taker, event)).next() {
                go(state, to, &mut totals);
                totals.effects += u64::from(event) + 1;
            }
        }
    }
    totals
}

fn go(state: &mut u8, to: u8, totals: &mut Totals) {
    let (from, into) = (path(*state), path(to));
    let sum = |states: &[u8], others: &[u8], own: u8| {
        let left = states
            .iter()
            .filter(|&&state| state == own || !others.contains(&state));
        left.map(|&state| u64::from(state)).sum::<u64>()
    };
    totals.exits += sum(&from, &into, *state);
    totals.entries += sum(&into, &from, to);
    *state = to;
}
