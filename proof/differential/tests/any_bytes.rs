//! Any bytes are a legal instance, and any ROM that loads may run: the kernel runs it or
//! quarantines it with a reason; it never panics, never leaves its tables, never loops without
//! bound (SYS-10, ROM-2, RAM-6).

mod common;

use std::sync::atomic::{AtomicU64, Ordering};

use common::{Dice, random_tick};
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_kernel::{Counters, Instance, Instance64, Instance128, Instance256, flag};
use statewright_rom::layout::Tier;
use statewright_rom::{Rom, seal};

/// Machines, and damaged instances of each: over a million in all.
const MACHINES: u64 = 520;
const CASES: u64 = 2_000;

/// Runs something for each number on all processors.
fn on_all(numbers: u64, work: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers {
                        return;
                    }
                    work(number);
                }
            });
        }
    });
}

#[test]
fn sys_10_a_million_damaged_instances_run_or_are_quarantined() {
    let (cases, quarantined, survived) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    on_all(MACHINES, |seed| {
        let compiled = CompiledCase::new(of_seed(seed)).unwrap();
        let rom = compiled.output.rom.as_rom();
        let (bad, good) = match rom.tier() {
            Tier::Crowd => damage::<Instance64>(&rom, seed),
            Tier::Standard => damage::<Instance128>(&rom, seed),
            Tier::Hero => damage::<Instance256>(&rom, seed),
        };
        cases.fetch_add(bad + good, Ordering::Relaxed);
        quarantined.fetch_add(bad, Ordering::Relaxed);
        survived.fetch_add(good, Ordering::Relaxed);
    });
    let (cases, quarantined, survived) = (
        cases.into_inner(),
        quarantined.into_inner(),
        survived.into_inner(),
    );
    assert!(cases >= 1_000_000, "{cases}");
    // Both ends are reached: the check sees damage, and not everything is damage.
    assert!(
        quarantined > cases / 20 && survived > cases / 20,
        "{quarantined} quarantined, {survived} not"
    );
}

/// Damages instances in every stage of their life; how many were quarantined and how many ran on.
fn damage<I: Instance>(rom: &Rom<'_>, seed: u64) -> (u64, u64) {
    let mut host = Dice::new(seed + 1);
    let mut counters = Counters::default();
    let mut healthy = I::new(rom, seed, 3).unwrap();
    let (mut bad, mut good) = (0, 0);
    for case in 0..CASES {
        if case % 8 == 0 {
            random_tick(rom, &mut healthy, &mut host, case as u32, &mut counters);
            if healthy.header().flags.get() & flag::ENDED != 0 {
                healthy = I::new(rom, seed ^ case, 3).unwrap();
            }
        }
        let mut instance = damaged(&healthy, &host, rom);
        for now in 0..3 {
            random_tick(
                rom,
                &mut instance,
                &mut host,
                case as u32 + now,
                &mut counters,
            );
        }
        if instance.header().has(flag::QUARANTINED) {
            bad += 1
        } else {
            good += 1
        }
    }
    (bad, good)
}

/// Some bytes of an instance changed, or all of them; the machine id mostly stays, or nothing would
/// run.
fn damaged<I: Instance>(healthy: &I, host: &Dice, rom: &Rom<'_>) -> I {
    let mut instance = *healthy;
    let bytes = instance.as_mut_bytes();
    let all = bytes.len() as u64;
    match host.below(8) {
        0 => bytes
            .iter_mut()
            .for_each(|byte| *byte = host.below(256) as u8),
        1 => bytes[16..]
            .iter_mut()
            .for_each(|byte| *byte = host.below(256) as u8),
        _ => {
            for _ in 0..=host.below(4) {
                let place = host.below(all) as usize;
                bytes[place] = if host.below(2) == 0 {
                    host.below(256) as u8
                } else {
                    bytes[place] ^ 1 << host.below(8)
                };
            }
        }
    }
    if host.below(50) != 0 {
        bytes[..4].copy_from_slice(&rom.machine_id().to_le_bytes());
        // Ended or paused instances are not looked at.
        bytes[4] &= 0b1111_0001;
    }
    I::read_from_bytes(bytes).unwrap()
}

/// Every bit of every sample, with the checksum made good again: what still loads runs without harm
/// (ROM-2).
#[test]
fn rom_2_damaged_roms_that_load_run_safely() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines/golden");
    let mut loaded = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let count = AtomicU64::new(0);
        on_all(bytes.len() as u64, |place| {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[place as usize] ^= 1 << bit;
                seal(&mut damaged);
                if let Ok(rom) = Rom::from_bytes(&damaged) {
                    count.fetch_add(1, Ordering::Relaxed);
                    run_some_ticks(&rom, place * 8 + bit);
                }
            }
        });
        loaded += count.into_inner();
    }
    assert!(loaded > 10_000, "{loaded} damaged ROMs loaded");
}

fn run_some_ticks(rom: &Rom<'_>, seed: u64) {
    match rom.tier() {
        Tier::Crowd => run_instance::<Instance64>(rom, seed),
        Tier::Standard => run_instance::<Instance128>(rom, seed),
        Tier::Hero => run_instance::<Instance256>(rom, seed),
    }
}

fn run_instance<I: Instance>(rom: &Rom<'_>, seed: u64) {
    let mut host = Dice::new(seed);
    let mut counters = Counters::default();
    let mut instance = I::new(rom, seed, 3).unwrap();
    for now in 0..6 {
        random_tick(rom, &mut instance, &mut host, now * 40, &mut counters);
    }
}
