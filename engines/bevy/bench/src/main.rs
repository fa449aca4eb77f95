//! What agents cost beside those of `bevy_gearbox`: the same machine, the same messages, transitions counted
//! on both sides. Before a figure is printed it is asserted that both did the same work. What the plugin
//! costs beside the calls that it makes is the example `cost`.
//!
//! `cargo run --release --manifest-path engines/bevy/Cargo.toml -p bevy_statewright_bench`

mod gearbox;
mod ours;

use std::time::{Duration, Instant};

use statewright_memory::{Counting, in_use};

#[global_allocator]
static HEAP: Counting = Counting;

/// Machines of the other crate take long to spawn.
const AGENTS: usize = 10_000;
const MANY: usize = 100_000;
const ROUNDS: usize = 30;
/// Rounds in which everything finds its size.
const FIRST: usize = 5;

fn main() {
    alone();
    beside();
}

/// Bytes per agent that are there after something and were not before.
fn bytes(agents: usize, before: usize) -> f64 {
    (in_use() - before) as f64 / agents as f64
}

/// What an agent is more than an entity with the same two components: if all come at once, for whom lists
/// have grown once and for all, and if they come by and by.
fn alone() {
    for (wave, how) in [(MANY, "at once"), (1000, "a thousand at a time")] {
        let mut app = ours::App::new();
        let before = in_use();
        for _ in 0..MANY / wave {
            app.spawn(wave);
        }
        let ours = bytes(MANY, before);
        let before = in_use();
        let world = ours::bare(MANY, wave);
        let bare = bytes(MANY, before);
        assert!(bare > 64.0, "the heap is counted");
        println!(
            "{MANY} agents that come {how}: {ours:.0} bytes each, {bare:.0} of them an entity with instance and blackboard, {:.0} more (bar 48)",
            ours - bare
        );
        drop(world);
    }
}

fn beside() {
    let mut app = ours::App::new();
    let before = in_use();
    (0..AGENTS / 1000).for_each(|_| app.spawn(1000));
    let ours = bytes(AGENTS, before);
    let mut other = gearbox::App::new();
    let before = in_use();
    (0..AGENTS / 1000).for_each(|_| other.spawn(1000));
    let theirs = bytes(AGENTS, before);
    println!(
        "{AGENTS} agents: {ours:.0} bytes each beside {theirs:.0}, {:.1} x less (bar 100 x)",
        theirs / ours
    );

    let begun = [app.transitions(), other.transitions()];
    let mut times = [Duration::MAX; 2];
    for round in 0..FIRST + ROUNDS {
        let start = Instant::now();
        app.signal();
        app.update();
        let middle = Instant::now();
        other.signal();
        other.update();
        let end = Instant::now();
        if round >= FIRST {
            times[0] = times[0].min(middle - start);
            times[1] = times[1].min(end - middle);
        }
    }
    let did = [app.transitions() - begun[0], other.transitions() - begun[1]];
    let all = ((FIRST + ROUNDS) * AGENTS) as u64;
    assert_eq!(did, [all, all], "both did the same work");
    let alert = [app.in_alert(), other.in_alert()];
    assert_eq!(
        alert, [AGENTS; 2],
        "and are where an odd count of events leads"
    );
    let each = times.map(|time| time.as_secs_f64() * 1e9 / AGENTS as f64);
    println!(
        "{all} transitions on each side, sending included: {:.0} ns each beside {:.0} ns, {:.1} x faster (bar 20 x)",
        each[0],
        each[1],
        each[1] / each[0]
    );
}
