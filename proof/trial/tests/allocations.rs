//! A million agent-ticks of machines that use every feature: not one allocation.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use common::{Dice, random_tick};
use statewright_kernel::{Counters, Instance, Instance64, Instance128, Instance256, flag, reset};
use statewright_rom::Rom;
use statewright_rom::layout::feature;
use statewright_trial::machine::{Subject, of_seed};

/// Counts what is asked for.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[expect(unsafe_code, reason = "a global allocator cannot be had otherwise")]
// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const MACHINES: u64 = 250;
const TICKS: u32 = 4_000;

#[test]
fn a_million_ticks_allocate_nothing() {
    let mut features = 0;
    let mut counters = Counters::default();
    let mut ticks = 0;
    for seed in 0..MACHINES {
        let subject = Subject::new(of_seed(seed)).unwrap();
        let rom = subject.output.rom.as_rom();
        features |= rom.header().features.get();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        match rom.header().tier {
            0 => run::<Instance64>(&rom, seed, &mut counters),
            1 => run::<Instance128>(&rom, seed, &mut counters),
            _ => run::<Instance256>(&rom, seed, &mut counters),
        }
        ticks += u64::from(TICKS);
        let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert_eq!(allocated, 0, "seed {seed}");
    }
    assert_eq!(ticks, 1_000_000);
    assert!(ALLOCATIONS.load(Ordering::Relaxed) > 1_000, "the allocator counts");
    // Everything was in use: see `feature` of the ROM.
    let rare = feature::DENSE_ROWS;
    assert_eq!(features | rare, feature::ALL, "features never used: {:b}", !features & feature::ALL);
    assert!(counters.transitions > 100_000 && counters.events > 100_000, "{counters:?}");
    assert!(counters.clamps > 0 && counters.fail_safes > 0 && counters.deferred > 0, "{counters:?}");
    assert!(counters.coalesced > 0 && counters.expired > 0 && counters.evicted[0] > 0, "{counters:?}");
}

fn run<I: Instance>(rom: &Rom<'_>, seed: u64, counters: &mut Counters) {
    let mut host = Dice::new(seed + 7);
    let mut instance = I::new(rom, seed, 3).unwrap();
    for now in 0..TICKS {
        random_tick(rom, &mut instance, &mut host, now, counters);
        if instance.header().flags.get() & flag::ENDED != 0 {
            reset(rom, &mut instance);
        }
    }
}
