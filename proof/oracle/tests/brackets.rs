//! Entries, exits, suspensions and resumptions of random machines fit together (EXEC-1, EXEC-8):
//! parents before children, children before parents, nothing twice, and the leaves are what the
//! callbacks say.

use std::collections::BTreeSet;

use statewright_author::graph::{Action, ActionKind, Machine, State};
use statewright_author::span::{Name, Span};
use statewright_generator::{Size, machine};
use statewright_oracle::{
    Actor, Call, Command, Mode, Oracle, Rng, Status, Tier, ValueType, Verdict, World,
};

/// Follows the configuration by callbacks alone.
struct Follower {
    rng: Rng,
    keys: Vec<[u32; 3]>,
    parents: Vec<Option<usize>>,
    active: BTreeSet<usize>,
    suspended: BTreeSet<usize>,
    steps: usize,
}

impl Follower {
    fn children_among<'a>(
        &'a self,
        state: usize,
        set: &'a BTreeSet<usize>,
    ) -> impl Iterator<Item = usize> + 'a {
        set.iter()
            .copied()
            .filter(move |&child| self.parents[child] == Some(state))
    }

    fn step(&mut self, what: &str, state: usize) {
        self.steps += 1;
        let (active, suspended) = (
            self.active.contains(&state),
            self.suspended.contains(&state),
        );
        match what {
            "+" => {
                assert!(!active && !suspended, "{state} is entered once");
                assert!(
                    self.parents[state].is_none_or(|parent| self.active.contains(&parent)),
                    "parents first"
                );
                self.active.insert(state);
            }
            "-" => {
                assert!(active || suspended, "{state} is exited once");
                assert_eq!(
                    self.children_among(state, &self.active).count(),
                    0,
                    "children first"
                );
                assert_eq!(
                    self.children_among(state, &self.suspended).count(),
                    0,
                    "suspended children first"
                );
                self.active.remove(&state);
                self.suspended.remove(&state);
            }
            "~" => {
                assert!(active);
                assert_eq!(
                    self.children_among(state, &self.active).count(),
                    0,
                    "children first"
                );
                self.active.remove(&state);
                self.suspended.insert(state);
            }
            "^" => {
                assert!(suspended);
                assert!(
                    self.parents[state].is_none_or(|parent| self.active.contains(&parent)),
                    "parents first"
                );
                self.suspended.remove(&state);
                self.active.insert(state);
            }
            _ => {}
        }
    }

    fn leaves(&self) -> Vec<usize> {
        let parents: BTreeSet<usize> = self
            .active
            .iter()
            .filter_map(|&state| self.parents[state])
            .collect();
        self.active
            .iter()
            .copied()
            .filter(|state| !parents.contains(state))
            .collect()
    }
}

impl World for Follower {
    fn guard(&mut self, _: &Call<'_>, _: &mut Rng) -> Verdict {
        Verdict {
            holds: !self.rng.next_u32().is_multiple_of(3),
            code: 1,
        }
    }

    fn score(&mut self, _: &Call<'_>, _: &mut Rng) -> f32 {
        (self.rng.next_u32() % 8) as f32 / 4.0
    }

    fn value(&mut self, _: &Call<'_>, ty: ValueType, _: &mut Rng) -> Vec<u32> {
        (0..ty.words()).map(|_| self.rng.next_u32() % 2).collect()
    }

    fn action(&mut self, call: &Call<'_>, actor: &mut Actor<'_>) {
        if matches!(call.function, "+" | "-" | "~") && self.active.contains(&call.state) {
            assert!(
                actor.is_active(call.state),
                "active until after the exit action"
            );
        }
        self.step(call.function, call.state);
        if matches!(call.function, "+" | "^") {
            assert!(
                actor.is_active(call.state),
                "active from before the entry action"
            );
        }
    }

    fn activity(&mut self, call: &Call<'_>, mode: Mode, _: &mut Actor<'_>) -> Status {
        let lives = self.active.contains(&call.state);
        assert!(lives || (mode == Mode::Cancel && self.suspended.contains(&call.state)));
        [Status::Running, Status::Succeeded, Status::Failed][self.rng.next_u32() as usize % 3]
    }

    fn command(&mut self, _: &Command) -> bool {
        true
    }

    fn read_key(&mut self, key: usize) -> [u32; 3] {
        self.keys[key]
    }

    fn write_key(&mut self, key: usize, words: [u32; 3]) {
        self.keys[key] = words;
    }
}

/// Every state tells what happens to it: last of its entry, suspend and resume actions, last of its
/// exit actions.
fn tell(state: &mut State) {
    let call = |name: &str| {
        let function = Name::new(name.to_owned(), Span::default());
        Action {
            kind: ActionKind::Call {
                function,
                arguments: Vec::new(),
            },
            muted: false,
            span: Span::default(),
        }
    };
    if state.choice.is_none() {
        state.entry.insert(0, call("+"));
        state.resume.insert(0, call("^"));
        state.exit.push(call("-"));
        state.suspend.push(call("~"));
    }
    state
        .regions
        .iter_mut()
        .flat_map(|region| &mut region.states)
        .for_each(tell);
}

fn parents(state: &State, parent: Option<usize>, list: &mut Vec<Option<usize>>) {
    let number = list.len();
    list.push(parent);
    for child in state
        .regions
        .iter()
        .flat_map(|region| &region.states)
        .filter(|child| !child.muted)
    {
        parents(child, Some(number), list);
    }
}

fn run(mut machine: Machine, seed: u32) -> usize {
    let mut list = Vec::new();
    parents(&machine.root, None, &mut list);
    tell(&mut machine.root);
    let mut world = Follower {
        rng: Rng(seed),
        keys: vec![[0; 3]; machine.blackboard.len()],
        parents: list,
        active: BTreeSet::new(),
        suspended: BTreeSet::new(),
        steps: 0,
    };
    let mut oracle = Oracle::new(&machine, Tier::Hero, 1, seed);
    let mut chance = Rng(seed ^ 0x77);
    let mut now = 5;
    for _ in 0..50 {
        for _ in 0..chance.next_u32() % 3 {
            if !machine.events.is_empty() {
                oracle.post(
                    now,
                    chance.next_u32() as usize % machine.events.len(),
                    None,
                    [0; 4],
                );
            }
        }
        oracle.tick(&mut world, now, 0, &[]);
        let snapshot = oracle.snapshot();
        if snapshot.flags.quarantined || snapshot.flags.terminated {
            assert!(
                snapshot.flags.quarantined
                    || (world.active.is_empty() && world.suspended.is_empty())
            );
            oracle.reset();
            world.active.clear();
            world.suspended.clear();
        } else {
            assert_eq!(snapshot.leaves, world.leaves());
            let framed: BTreeSet<usize> = snapshot
                .frames
                .values()
                .flatten()
                .flat_map(|frame| frame.states.iter().copied())
                .collect();
            assert_eq!(framed, world.suspended);
        }
        now += 1 + chance.next_u32() % 40;
    }
    if oracle.snapshot().flags.started {
        oracle.stop(&mut world, now, 0);
        assert!(world.active.is_empty() && world.suspended.is_empty());
    }
    world.steps
}

#[test]
fn entries_and_exits_fit_together() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (from, seeds): (u64, u64) = (
        number("ORACLE_FROM").unwrap_or(0),
        number("ORACLE_SEEDS").unwrap_or(300),
    );
    let mut steps = 0;
    for seed in from..from + seeds {
        let machine = machine(seed, Size::of_seed(seed));
        let ran = std::panic::catch_unwind(|| run(machine, seed as u32 + 1));
        let Ok(count) = ran else {
            panic!("seed {seed}")
        };
        steps += count;
    }
    assert!(steps > 1000, "{steps}");
}
