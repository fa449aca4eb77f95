//! A panic in user code leaves its instance quarantined and everything else as it was (TICK-3).

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{Dice, random_tick};
use statewright_differential::bytes::Bytes;
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_kernel::{
    Counters, Input, Instance, Instance64, Instance128, Instance256, flag, reset, tick,
};
use statewright_rom::Rom;
use statewright_rom::layout::{NONE, Tier};

#[test]
fn tick_3_a_panic_quarantines_its_agent_only() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut panics = 0;
    for seed in 0..300 {
        let compiled = CompiledCase::new(of_seed(seed)).unwrap();
        let rom = compiled.output.rom.as_rom();
        panics += match rom.tier() {
            Tier::Crowd => panic_at_every_call::<Instance64>(&rom, seed),
            Tier::Standard => panic_at_every_call::<Instance128>(&rom, seed),
            Tier::Hero => panic_at_every_call::<Instance256>(&rom, seed),
        };
    }
    assert!(panics > 3_000, "only {panics} panics");
}

/// Runs the same ticks again and again, each time with a panic one call later.
fn panic_at_every_call<I: Instance>(rom: &Rom<'_>, seed: u64) -> u64 {
    let mut panics = 0;
    for call in 1..=25 {
        let mut host = Dice::new(seed + 1);
        host.panics_at = Some(call);
        let mut counters = Counters::default();
        let mut instance = I::new(rom, seed, 3).unwrap();
        for now in 0..10 {
            let before = instance;
            let run =
                AssertUnwindSafe(|| random_tick(rom, &mut instance, &mut host, now, &mut counters));
            if catch_unwind(run).is_err() {
                assert_is_quarantined(rom, &before, &instance, &counters);
                assert_goes_on_after_reset(rom, &mut instance);
                panics += 1;
                break;
            }
        }
    }
    panics
}

fn assert_is_quarantined<I: Instance>(rom: &Rom<'_>, before: &I, after: &I, counters: &Counters) {
    assert!(after.header().has(flag::QUARANTINED));
    assert_eq!(
        (
            after.header().armed,
            after.header().event_count,
            after.header().stack_depth
        ),
        (0, 0, 0)
    );
    assert_eq!(after.header().generation, before.header().generation);
    assert_eq!(counters.quarantines, 1);
    let leaves = &after.as_bytes()[16..][..2 * usize::from(rom.capacity().leaves)];
    assert!(
        leaves.chunks(2).all(|leaf| leaf == NONE.to_le_bytes()),
        "no active leaf"
    );
    // Reads all of it; also checks that unused event places are zero.
    let snapshot = Bytes::new(rom, after.as_bytes()).snapshot();
    assert!(snapshot.leaves.is_empty() && snapshot.queue.is_empty() && snapshot.frames.is_empty());
}

/// Only reset ends quarantine.
fn assert_goes_on_after_reset<I: Instance>(rom: &Rom<'_>, instance: &mut I) {
    let mut counters = Counters::default();
    let mut host = Dice::new(9);
    let before = *instance;
    tick(rom, instance, &mut host, &Input::new(3, 100), &mut counters);
    assert_eq!(
        instance.as_bytes(),
        before.as_bytes(),
        "a quarantined agent does nothing"
    );
    assert_eq!(host.calls.get(), 0);
    let (rng, generation) = (instance.header().rng, instance.header().generation.get());
    reset(rom, instance);
    assert_eq!(
        (instance.header().rng, instance.header().generation.get()),
        (rng, generation.wrapping_add(1))
    );
    tick(rom, instance, &mut host, &Input::new(3, 101), &mut counters);
    assert!(instance.header().has(flag::STARTED));
}
