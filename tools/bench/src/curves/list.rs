//! The curves that are drawn.

use statewright_measure::random::Random;

use crate::curves::generate::{regions, ring, towers, transitions};
use crate::curves::{Axes, Curve, Point, Series, Task};
use crate::script::{Script, Tick};
use crate::workload::Workload;

/// Agents of the curves whose subject is the machine.
pub const AGENTS: usize = 1_000;

/// What costs are compared with where the machine is a generated one.
const HAND: &str = "one hand-written transition (hand64)";

const FIRST: u8 = 0;
const SECOND: u8 = 1;
const UNHANDLED: u8 = 2;

/// One event for everybody, in every tick.
fn same(text: String, event: u8) -> Task {
    Task::Generated {
        text,
        warm_up: Script::default(),
        script: Script::same_for_all(AGENTS, &[event]),
        moves: event != UNHANDLED,
    }
}

/// A choice of two events, different for each agent and tick.
fn mixed(text: String, moves: bool) -> Task {
    let random = |seed, ticks: usize| {
        let mut random = Random::new(seed);
        let mut tick = || Tick::All((0..AGENTS).map(|_| random.below(2) as u8).collect());
        Script {
            ticks: (0..ticks).map(|_| tick()).collect(),
        }
    };
    let script = if moves {
        random(2, 16)
    } else {
        Script::same_for_all(AGENTS, &[UNHANDLED])
    };
    Task::Generated {
        text,
        warm_up: random(1, 64),
        script,
        moves,
    }
}

fn series(name: &'static str, xs: &[usize], task: impl Fn(usize) -> Task) -> Series {
    Series {
        name,
        points: xs.iter().map(|&x| Point { x, task: task(x) }).collect(),
    }
}

fn depth() -> Curve {
    // A root alone has nowhere to go.
    let depths: Vec<usize> = (2..=16).collect();
    Curve {
        file: "depth",
        title: "Cost by depth of the tree",
        axes: Axes {
            x: "depth of the leaf, root included",
            unit: HAND,
            log_x: false,
            log_y: false,
        },
        series: vec![
            series("across all levels", &depths, |depth| {
                same(towers(depth), SECOND)
            }),
            series("between siblings at the bottom", &depths, |depth| {
                same(towers(depth), FIRST)
            }),
            series("an event that nobody handles", &depths, |depth| {
                same(towers(depth), UNHANDLED)
            }),
        ],
    }
}

fn by_regions() -> Curve {
    let counts: Vec<usize> = (1..=8).collect();
    Curve {
        file: "regions",
        title: "Cost by number of active regions",
        // A jump and the slow path are a hundred times apart.
        axes: Axes {
            x: "regions",
            unit: HAND,
            log_x: false,
            log_y: true,
        },
        series: vec![
            series("all regions react", &counts, |count| {
                same(regions(count), SECOND)
            }),
            series("one region reacts", &counts, |count| {
                same(regions(count), FIRST)
            }),
            series("an event that nobody handles", &counts, |count| {
                same(regions(count), UNHANDLED)
            }),
        ],
    }
}

fn by_transitions() -> Curve {
    let counts = [1, 2, 4, 8, 16, 32, 64];
    Curve {
        file: "transitions",
        title: "Cost by transitions per state",
        axes: Axes {
            x: "transitions per state",
            unit: HAND,
            log_x: true,
            log_y: true,
        },
        series: vec![
            series("the others have guards that fail first", &counts, |count| {
                same(transitions(count, true), FIRST)
            }),
            series("the others have other events", &counts, |count| {
                same(transitions(count, false), FIRST)
            }),
        ],
    }
}

fn size() -> Curve {
    let sizes = [10, 32, 100, 320, 1_024, 4_096];
    Curve {
        file: "size",
        title: "Cost by size of the machine",
        axes: Axes {
            x: "states",
            unit: HAND,
            log_x: true,
            log_y: false,
        },
        series: vec![
            series(
                "agents spread over all states, mixed transitions",
                &sizes,
                |size| mixed(ring(size), true),
            ),
            series("an event that nobody handles", &sizes, |size| {
                mixed(ring(size), false)
            }),
        ],
    }
}

fn agents() -> Curve {
    let sizes = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
    let of = |name, workload| series(name, &sizes, |agents| Task::Table { workload, agents });
    Curve {
        file: "agents",
        title: "Cost by number of agents",
        axes: Axes {
            x: "agents",
            unit: "hand64 doing the same",
            log_x: true,
            log_y: true,
        },
        series: vec![
            of("W2: a transition each", Workload::W2),
            of("W3: an event that nobody handles", Workload::W3),
            of("W6: random events, mixed states", Workload::W6),
            of("W1: nothing to do", Workload::W1),
        ],
    }
}

/// All of them.
pub fn all() -> Vec<Curve> {
    vec![depth(), by_regions(), by_transitions(), size(), agents()]
}
