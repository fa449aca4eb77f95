//! What an instance is (RAM-1 to RAM-3, SYS-10).

mod common;

use common::{Dice, random_tick};
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_kernel::{
    Counters, Event, Header, Instance, Instance64, Instance128, Instance256, flag,
};
use statewright_rom::layout::{TIERS, Tier};

/// Plain bytes can be copied, sent, and read again anywhere.
fn is_plain<
    T: Copy + zerocopy::FromBytes + zerocopy::IntoBytes + zerocopy::Immutable + Send + Sync,
>() -> (usize, usize) {
    (size_of::<T>(), align_of::<T>())
}

#[test]
fn ram_1_instances_are_plain_bytes_of_an_exact_size() {
    assert_eq!(is_plain::<Instance64>(), (64, 64));
    assert_eq!(is_plain::<Instance128>(), (128, 64));
    assert_eq!(is_plain::<Instance256>(), (256, 64));
    assert_eq!(is_plain::<Event>(), (24, 1));
    assert_eq!(is_plain::<Header>(), (16, 1));
}

#[test]
fn ram_2_the_tiers_are_those_of_the_compiler() {
    let sizes: Vec<u16> = TIERS.iter().map(|tier| tier.bytes).collect();
    assert_eq!(sizes, [64, 128, 256]);
    assert_eq!(
        [Instance64::TIER, Instance128::TIER, Instance256::TIER],
        [Tier::Crowd, Tier::Standard, Tier::Hero]
    );
}

/// A run is a function of bytes: copied in the middle, both copies go on alike.
#[test]
fn ram_1_a_copy_of_the_bytes_is_a_copy_of_the_agent() {
    let mut compared = 0;
    for seed in 0..60 {
        let compiled = CompiledCase::new(of_seed(seed)).unwrap();
        let rom = compiled.output.rom.as_rom();
        if rom.tier() != Tier::Hero {
            continue;
        }
        let mut counters = Counters::default();
        let mut host = Dice::new(seed);
        let mut instance = Instance256::new(&rom, seed, 3).unwrap();
        for now in 0..20 {
            random_tick(&rom, &mut instance, &mut host, now, &mut counters);
        }
        let bytes: [u8; 256] = zerocopy::transmute!(instance);
        let mut copy: Instance256 = zerocopy::transmute!(bytes);
        let mut second_host = host.clone();
        for now in 20..60 {
            random_tick(&rom, &mut instance, &mut host, now, &mut counters);
            random_tick(&rom, &mut copy, &mut second_host, now, &mut counters);
            assert_eq!(instance, copy, "seed {seed}, tick {now}");
        }
        compared += 1;
    }
    assert!(compared > 10);
}

#[test]
fn sys_10_a_new_instance_has_a_rng_of_its_own_that_is_never_zero() {
    let compiled = CompiledCase::new(of_seed(1)).unwrap();
    let rom = compiled.output.rom.as_rom();
    let rng = |seed: u64, agent: u64| match rom.tier() {
        Tier::Crowd => Instance64::new(&rom, seed, agent)
            .unwrap()
            .header()
            .rng
            .get(),
        Tier::Standard => Instance128::new(&rom, seed, agent)
            .unwrap()
            .header()
            .rng
            .get(),
        Tier::Hero => Instance256::new(&rom, seed, agent)
            .unwrap()
            .header()
            .rng
            .get(),
    };
    let states: std::collections::BTreeSet<u32> = (0..1000).map(|agent| rng(7, agent)).collect();
    assert_eq!(states.len(), 1000, "agents have different numbers");
    assert!(!states.contains(&0));
    assert_eq!(rng(7, 3), rng(7, 3));
    assert_ne!(rng(7, 3), rng(8, 3));
}

#[test]
fn sys_10_a_new_instance_has_no_flags() {
    let compiled = CompiledCase::new(of_seed(1)).unwrap();
    let rom = compiled.output.rom.as_rom();
    let flags = match rom.tier() {
        Tier::Crowd => Instance64::new(&rom, 1, 1).unwrap().header().flags.get(),
        Tier::Standard => Instance128::new(&rom, 1, 1).unwrap().header().flags.get(),
        Tier::Hero => Instance256::new(&rom, 1, 1).unwrap().header().flags.get(),
    };
    assert_eq!(flags & flag::ALL, 0);
}
