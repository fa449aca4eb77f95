//! Random machines run without a panic, keep a legal configuration, and give the same twice.

use std::collections::BTreeSet;

use statewright_author::graph::Machine;
use statewright_generator::{Size, machine};
use statewright_oracle::{
    Actor, Call, Class, Command, Event, Mode, Oracle, Rng, Snapshot, Status, Tier, ValueType,
    Verdict, World,
};

/// A world whose answers follow from a seed and from what was asked before.
struct Chance {
    rng: Rng,
    keys: Vec<[u32; 3]>,
    events: usize,
    calls: u64,
}

impl World for Chance {
    fn guard(&mut self, _: &Call<'_>, rng: &mut Rng) -> Verdict {
        self.calls += 1;
        if self.calls.is_multiple_of(5) {
            rng.next_u32();
        }
        Verdict {
            holds: !self.rng.next_u32().is_multiple_of(3),
            code: 1,
        }
    }

    fn score(&mut self, _: &Call<'_>, _: &mut Rng) -> f32 {
        self.calls += 1;
        (self.rng.next_u32() % 8) as f32 / 4.0
    }

    fn value(&mut self, _: &Call<'_>, ty: ValueType, _: &mut Rng) -> Vec<u32> {
        self.calls += 1;
        (0..ty.words()).map(|_| self.rng.next_u32() % 2).collect()
    }

    fn action(&mut self, _: &Call<'_>, actor: &mut Actor<'_>) {
        self.calls += 1;
        if self.events > 0 && self.rng.next_u32().is_multiple_of(4) {
            let event = self.rng.next_u32() as usize % self.events;
            actor.post(event, None, [1, 2, 3, 4], self.calls.is_multiple_of(2));
        }
    }

    fn activity(&mut self, _: &Call<'_>, _: Mode, _: &mut Actor<'_>) -> Status {
        self.calls += 1;
        [Status::Running, Status::Succeeded, Status::Failed][self.rng.next_u32() as usize % 3]
    }

    fn command(&mut self, _: &Command) -> bool {
        self.calls += 1;
        !self.rng.next_u32().is_multiple_of(8)
    }

    fn read_key(&mut self, key: usize) -> [u32; 3] {
        self.keys[key]
    }

    fn write_key(&mut self, key: usize, words: [u32; 3]) {
        self.keys[key] = words;
    }
}

fn run(machine: &Machine, tier: Tier, seed: u32, ticks: u32) -> (Vec<Snapshot>, u64, [u64; 6]) {
    let mut oracle = Oracle::new(machine, tier, 1, seed);
    let keys = vec![[0; 3]; machine.blackboard.len()];
    let mut world = Chance {
        rng: Rng(seed),
        keys,
        events: machine.events.len(),
        calls: 0,
    };
    let mut chance = Rng(seed ^ 0x5555);
    let mut snapshots = Vec::new();
    // Deadlines wrap on the way.
    let mut now = u32::MAX - ticks / 2;
    for _ in 0..ticks {
        let events = machine.events.len();
        let mut inbox = Vec::new();
        for _ in 0..chance.next_u32() % 3 {
            if events > 0 {
                let id = chance.next_u32() as usize % events;
                if chance.next_u32().is_multiple_of(2) {
                    oracle.post(now, id, None, [chance.next_u32() % 5, 0, 0, 0]);
                } else {
                    inbox.push(Event {
                        id,
                        class: Class::Normal,
                        ..Event::default()
                    });
                }
            }
        }
        match chance.next_u32() % 40 {
            0 => oracle.pause(now),
            1 => oracle.stop(&mut world, now, 0),
            _ => {}
        }
        if chance.next_u32().is_multiple_of(3) {
            oracle.resume(now);
        }
        if chance.next_u32().is_multiple_of(20)
            && (oracle.snapshot().flags.terminated || oracle.snapshot().flags.quarantined)
        {
            oracle.reset();
        }
        oracle.tick(&mut world, now, 0, &inbox);
        let snapshot = oracle.snapshot();
        let leaves: BTreeSet<usize> = snapshot.leaves.iter().copied().collect();
        let live =
            snapshot.flags.started && !snapshot.flags.terminated && !snapshot.flags.quarantined;
        assert_eq!(leaves.is_empty(), !live);
        snapshots.push(snapshot);
        now = now.wrapping_add(1 + chance.next_u32() % 4);
    }
    let counters = oracle.counters();
    let seen = [
        counters.transitions,
        counters.deferred,
        counters.fail_safes,
        counters.terminations,
        counters.quarantines,
        counters.expired,
    ];
    (snapshots, world.calls, seen)
}

#[test]
fn random_machines_run() {
    let seeds: u64 = std::env::var("ORACLE_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(300);
    let mut seen = [0; 6];
    let mut features = [0_usize; 6];
    let from: u64 = std::env::var("ORACLE_FROM")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    for seed in from..from + seeds {
        let machine = machine(seed, Size::of_seed(seed));
        let tier = machine
            .tier
            .as_ref()
            .map_or(Tier::Hero, |tier| tier.value)
            .max(Tier::Standard);
        let ran = std::panic::catch_unwind(|| run(&machine, tier, seed as u32 + 1, 60));
        let Ok(first) = ran else {
            panic!("seed {seed}")
        };
        if seed % 16 == 0 {
            assert_eq!(
                first,
                run(&machine, tier, seed as u32 + 1, 60),
                "seed {seed}"
            );
        }
        for (sum, count) in seen.iter_mut().zip(first.2) {
            *sum += count;
        }
        for snapshot in &first.0 {
            features[0] += usize::from(!snapshot.frames.is_empty());
            features[1] += usize::from(!snapshot.latched.is_empty());
            features[2] += usize::from(snapshot.history.iter().any(Option::is_some));
            features[3] += usize::from(!snapshot.debounces.is_empty());
            features[4] += usize::from(!snapshot.results.is_empty());
            features[5] += usize::from(snapshot.frames.values().any(|frames| frames.len() > 1));
        }
    }
    println!("seen {seen:?}, features {features:?}");
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    assert!(features[..5].iter().all(|&count| count > 0), "{features:?}");
}

#[test]
fn a_huge_machine_runs() {
    let machine = machine(3, Size::HUGE);
    let (snapshots, calls, _) = run(&machine, Tier::Hero, 9, 20);
    assert!(snapshots.len() == 20 && calls > 0);
}

#[test]
fn an_oracle_may_go_to_another_thread() {
    fn moves<T: Send + Sync + Clone>() {}
    moves::<Oracle>();
}
