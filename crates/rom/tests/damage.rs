//! Holds the promise of the crate: damaged bytes are refused or harmless, and nothing panics
//! (ROM-2).

mod common;

use common::samples::{self, all};
use statewright_rom::exercise::{verdicts_agree, walk_everything};
use statewright_rom::{Rom, seal};

#[test]
fn every_truncation_is_refused() {
    for (name, tables) in all() {
        let bytes = tables.build();
        for length in 0..bytes.len() {
            assert!(
                Rom::from_bytes(&bytes[..length]).is_err(),
                "{name} cut to {length} bytes"
            );
        }
    }
}

/// As above, but the length in the header and the checksum say that nothing is missing.
#[test]
fn every_truncation_with_a_fresh_checksum_is_refused() {
    for (name, tables) in all() {
        let bytes = tables.build();
        for length in 64..bytes.len() - 8 {
            let mut cut = bytes[..length].to_vec();
            cut[32..36].copy_from_slice(&(length as u32).to_le_bytes());
            seal(&mut cut);
            assert!(
                Rom::from_bytes(&cut).is_err(),
                "{name} cut to {length} bytes"
            );
        }
    }
}

/// Flips every bit, one at a time.
fn flip_each(bytes: &[u8], mut look: impl FnMut(usize, &mut [u8])) {
    let mut damaged = bytes.to_vec();
    for bit in 0..bytes.len() * 8 {
        damaged[bit / 8] ^= 1 << (bit % 8);
        look(bit, &mut damaged);
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn every_bit_flip_is_refused() {
    for (name, tables) in all() {
        let bytes = tables.build();
        flip_each(&bytes, |bit, damaged| {
            assert!(Rom::from_bytes(damaged).is_err(), "{name}, bit {bit}")
        });
    }
}

#[test]
fn every_bit_flip_with_a_fresh_checksum_is_refused_or_harmless() {
    for (name, tables) in all() {
        let bytes = tables.build();
        let (mut refused, mut harmless) = (0, 0);
        flip_each(&bytes, |_, damaged| {
            let stored: [u8; 8] = damaged[24..32].try_into().expect("eight bytes");
            seal(damaged);
            let result = Rom::from_bytes(damaged);
            verdicts_agree(damaged, &result);
            match result {
                Ok(rom) => {
                    walk_everything(&rom);
                    harmless += 1;
                }
                Err(_) => refused += 1,
            }
            damaged[24..32].copy_from_slice(&stored);
        });
        assert!(
            refused > harmless,
            "{name}: {refused} refused, {harmless} harmless: the alarm sleeps"
        );
    }
}

/// Pairs of changed bytes reach states that single bits do not. A fixed generator, so a failure can
/// be repeated.
#[test]
fn random_damage_is_refused_or_harmless() {
    for (name, tables) in all() {
        let bytes = tables.build();
        let mut random = 0x2545_F491_4F6C_DD1D_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random as usize
        };
        for round in 0..40_000 {
            let mut damaged = bytes.clone();
            for _ in 0..2 + round % 3 {
                let (from, place) = (next() % bytes.len(), next() % bytes.len());
                damaged[place] = if next() % 2 == 0 {
                    bytes[from]
                } else {
                    next() as u8 % 16
                };
            }
            seal(&mut damaged);
            let result = Rom::from_bytes(&damaged);
            verdicts_agree(&damaged, &result);
            if let Ok(rom) = result {
                let walked = std::panic::catch_unwind(|| walk_everything(&rom));
                assert!(walked.is_ok(), "{name}, round {round}");
            }
        }
    }
}

/// The alarm itself: what loading refuses, the walk would have found.
#[test]
fn the_walk_notices_what_loading_refuses() {
    let mut tables = samples::flat();
    tables.transitions[0].effect = 9.into();
    let bytes = tables.build();
    assert!(Rom::from_bytes(&bytes).is_err());
    #[allow(
        unsafe_code,
        reason = "the point of the test: bytes that loading refuses"
    )]
    // SAFETY: nothing but the walk uses the view, and it may panic.
    let rom = unsafe { Rom::from_bytes_unchecked(&bytes) }.expect("the frame is whole");
    assert!(std::panic::catch_unwind(|| walk_everything(&rom)).is_err());
}
