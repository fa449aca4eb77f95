//! Ten million agent-ticks of machines that use every feature, alone and in batches, traced and
//! not: not one allocation.
//!
//! Without optimization a tenth of them; `cargo xtask test` runs all of them in release.

mod common;

use common::{Dice, random_event, random_tick};
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_kernel::{
    Batch, Counters, Event, InboxEvent, Instance, Instance64, Instance128, Instance256, Mismatch,
    SortedInbox, Visit, flag, post, reset, tick_batch,
};
use statewright_memory::{Counting, allocations};
use statewright_rom::Rom;
use statewright_rom::layout::{Tier, feature};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Machines of the generator, and one whose transitions are jumps.
const MACHINES: u64 = 249;
/// Agents of a batch.
const AGENTS: usize = 8;
/// Ticks of each machine: half of them one agent alone, half of them a batch.
const TICKS: u64 = if cfg!(debug_assertions) {
    4_000
} else {
    40_000
};

const JUMPS: &str = r#"{
  "machine": "Jumps", "tier": "crowd", "initial": "a", "events": ["Go", "Back", "Nobody"],
  "states": {
    "a": { "exit": "LeaveA", "transitions": [{ "on": "Go", "do": "Effect", "to": "b" }] },
    "b": { "entry": "EnterB", "transitions": [{ "on": "Back", "to": "a" }, { "on": "Go", "do": "Again" }] } } }"#;

/// What was in use: a run in which nothing happens proves nothing.
#[derive(Default)]
struct Used {
    features: u32,
    machines_with_jumps: u64,
    ticks: u64,
    posts: u64,
    traced_calls: u64,
    fired: u64,
    calls: u64,
    left_in_inbox: u64,
    counters: Counters,
}

#[test]
fn ten_million_ticks_allocate_nothing() {
    let mut used = Used::default();
    for seed in 0..=MACHINES {
        let graph = if seed == MACHINES {
            statewright_author::text::read("jumps.sw.json", JUMPS).0
        } else {
            of_seed(seed)
        };
        let compiled = CompiledCase::new(graph).unwrap();
        let rom = compiled.output.rom.as_rom();
        used.features |= rom.header().features.get();
        used.machines_with_jumps += u64::from(!rom.jumps().is_empty());
        let before = allocations();
        match rom.tier() {
            Tier::Crowd => run::<Instance64>(&rom, seed, &mut used),
            Tier::Standard => run::<Instance128>(&rom, seed, &mut used),
            Tier::Hero => run::<Instance256>(&rom, seed, &mut used),
        }
        let allocated = allocations() - before;
        assert_eq!(allocated, 0, "seed {seed}");
    }
    assert_eq!(used.ticks, (MACHINES + 1) * TICKS);
    assert!(allocations() > 1_000, "the allocator counts");
    check(&used);
}

/// Everything was in use: features of the ROM, jumps, counters.
fn check(used: &Used) {
    let rare = feature::DENSE_ROWS;
    assert_eq!(
        used.features | rare,
        feature::ALL,
        "features never used: {:b}",
        !used.features & feature::ALL
    );
    let counters = &used.counters;
    let often = [
        used.posts,
        used.traced_calls,
        used.calls,
        counters.transitions,
        counters.events,
        counters.unhandled,
    ];
    assert!(often.iter().all(|&count| count > 100_000), "{often:?}");
    let sometimes = [
        used.machines_with_jumps,
        used.fired,
        used.left_in_inbox,
        counters.clamps,
        counters.fail_safes,
    ];
    assert!(sometimes.iter().all(|&count| count > 0), "{sometimes:?}");
    let rarely = [
        counters.deferred,
        counters.coalesced,
        counters.expired,
        counters.evicted[0],
        counters.terminations,
    ];
    assert!(rarely.iter().all(|&count| count > 0), "{counters:?}");
    println!(
        "{} agent-ticks, 0 allocations: {} events, {} transitions, {} calls of user code, {} posts, {} timers fired while traced, \
         {} machines with jumps, {} clamped ticks, {} fail-safes",
        used.ticks,
        counters.events,
        counters.transitions,
        used.calls,
        used.posts,
        used.fired,
        used.machines_with_jumps,
        counters.clamps,
        counters.fail_safes
    );
}

fn run<I: Instance>(rom: &Rom<'_>, seed: u64, used: &mut Used) {
    let mut host = Dice::new(seed + 7);
    alone::<I>(rom, seed, &mut host, used);
    together::<I>(rom, seed, &mut host, used);
    used.calls += host.calls.get();
    used.traced_calls += host.traced;
    used.fired += host.fired;
}

/// One agent, every other tick traced.
fn alone<I: Instance>(rom: &Rom<'_>, seed: u64, host: &mut Dice, used: &mut Used) {
    let mut instance = I::new(rom, seed, 3).unwrap();
    for now in 0..(TICKS / 2) as u32 {
        host.tracing = now % 2 == 1;
        random_tick(rom, &mut instance, host, now, &mut used.counters);
        start_again(rom, &mut instance);
    }
    used.ticks += TICKS / 2;
}

/// A batch with an inbox and posts, every other tick traced.
fn together<I: Instance>(rom: &Rom<'_>, seed: u64, host: &mut Dice, used: &mut Used) {
    let mut instances: [I; AGENTS] =
        std::array::from_fn(|agent| I::new(rom, seed, agent as u64).unwrap());
    let mut inbox = [InboxEvent {
        place: 0,
        event: Event::default(),
    }; AGENTS * 3];
    for now in 0..(TICKS / 2) as u32 / AGENTS as u32 {
        host.tracing = now % 2 == 1;
        let count = fill(rom, host, &mut inbox);
        let batch = Batch {
            first_place: 0,
            first_agent: 0,
            tick: now,
            variants: &[],
            inbox: SortedInbox::new(&inbox[..count]).unwrap(),
            visit: if now % 8 == 7 {
                Visit::WithEvents
            } else {
                Visit::All
            },
            mismatch: Mismatch::Quarantine,
        };
        let done = |_: usize, _: &_, left: &[InboxEvent]| used.left_in_inbox += left.len() as u64;
        tick_batch(rom, &mut instances, host, &batch, &mut used.counters, done).unwrap();
        for instance in &mut instances {
            start_again(rom, instance);
            if host.below(4) == 0
                && let Some((id, class)) = random_event(rom, host)
            {
                // A machine that must not lose events says no when its queue is full (EVT-10).
                let posted = post(
                    rom,
                    instance,
                    now,
                    id,
                    Some(class),
                    [1, 0, 0, 0],
                    &mut used.counters,
                );
                used.posts += u64::from(posted.is_ok());
            }
        }
        used.ticks += AGENTS as u64;
    }
}

/// Up to three events per agent, in the order of the agents; how many.
fn fill(rom: &Rom<'_>, host: &Dice, inbox: &mut [InboxEvent]) -> usize {
    let mut count = 0;
    for place in 0..AGENTS as u32 {
        for _ in 0..host.below(4) {
            if let Some((id, class)) = random_event(rom, host) {
                inbox[count] = InboxEvent {
                    place,
                    event: Event::new(id, class).with_i32(host.below(7) as i32),
                };
                count += 1;
            }
        }
    }
    count
}

fn start_again<I: Instance>(rom: &Rom<'_>, instance: &mut I) {
    if instance.header().flags.get() & flag::ENDED != 0 {
        reset(rom, instance);
    }
}
