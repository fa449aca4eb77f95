//! The checked load keeps at least a fifth of the speed of a plain hash over the same bytes (ROM-2).
//!
//! Measures, so it only runs when asked for, in a release build:
//! `cargo test -p statewright-rom --release --test speed -- --ignored --nocapture`.

mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use common::{Machine, Tables, samples, to};
use statewright_rom::Rom;
use statewright_rom::layout::*;
use xxhash_rust::xxh3::xxh3_64;

/// A tree of this many states, four children each, two or three arrows per state.
fn large(states: usize, events: u16, dense: bool) -> Tables {
    let mut m = Machine::new(0);
    for _ in 0..events {
        m.event();
    }
    let mut random = 1_u32;
    let mut next = move |below: u32| {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random % below
    };
    // Pre-order with an explicit way down.
    let mut way = vec![0_u16];
    while m.tables.states.len() < states {
        let parent = way[way.len() - 1];
        let state = m.atomic(parent, 0);
        let inner = way.len() < 6 && next(4) == 0;
        if inner {
            way.push(state);
        } else if way.len() > 1 && next(4) == 0 && m.tables.states.len() < states {
            way.pop();
        }
    }
    let count = m.tables.states.len() as u16;
    for source in 0..count {
        for _ in 0..2 + next(2) {
            let target = 1 + next(u32::from(count) - 1) as u16;
            m.arrow(source, next(u32::from(events)) as u16, &[to(target)], 0);
        }
    }
    functions(&mut m);
    m.dense = dense;
    m.derive();
    m.finish()
}

/// A guard and thousands of action lists; each state has an entry and an exit action.
fn functions(m: &mut Machine) {
    let actions: u16 = 500;
    m.tables.linker = vec![samples::function(1, function_kind::GUARD)];
    m.tables.linker.extend((0..actions).map(|f| samples::function(u32::from(f), function_kind::ACTION)));
    m.tables.ops = vec![samples::call(0)];
    let count = m.tables.states.len();
    for i in 0..count {
        m.tables.action_lists.push(samples::list(m.tables.ops.len() as u32, 1 + (i % 3) as u16));
        for j in 0..1 + i % 3 {
            m.tables.ops.push(samples::call(1 + ((i * 7 + j) % usize::from(actions)) as u16));
        }
        m.tables.states[i].entry = (i as u16).into();
        m.tables.states[i].exit = ((i / 2) as u16).into();
    }
}

/// The best of many rounds.
fn time(rounds: u32, mut work: impl FnMut()) -> Duration {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .min()
        .expect("at least one round")
}

#[test]
#[ignore = "measures; run it in a release build"]
fn a_checked_load_has_a_fifth_of_the_speed_of_a_hash() {
    let mut worst = f64::MAX;
    for (name, tables) in [
        ("small, dense", large(40, 20, true)),
        ("dense", large(1_000, 200, true)),
        ("dense, few columns", large(9_000, 20, true)),
        ("sorted", large(4_000, 200, false)),
        ("large, sorted", large(20_000, 500, false)),
    ] {
        let bytes = tables.build();
        Rom::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let rounds = (200_000_000 / bytes.len()).clamp(20, 2_000) as u32;
        let hash = time(rounds, || {
            black_box(xxh3_64(black_box(&bytes)));
        });
        let load = time(rounds, || {
            black_box(Rom::from_bytes(black_box(&bytes)).is_ok());
        });
        let speed = |time: Duration| bytes.len() as f64 / time.as_nanos() as f64;
        let ratio = speed(load) / speed(hash);
        println!("{name}: {} bytes, hash {:.2} GB/s, load {:.2} GB/s, ratio {ratio:.3}", bytes.len(), speed(hash), speed(load));
        worst = worst.min(ratio);
    }
    assert!(worst >= 0.2, "the load is too slow: {worst:.3} of the speed of a hash");
}
