//! Damage to the ROM of every sample (ROM-2): each truncation and each flipped bit is refused; with
//! a recomputed checksum it is refused, or every accessor stays in range.
//!
//! `crates/rom/tests/damage.rs` does the same to hand-made ROMs, and compares the fast checks with
//! slow ones.

use std::path::Path;

use crate::common::{caught, compiled, for_each_seed, machines, random};
use statewright_compile::{Options, compile_text};
use statewright_generator::Rng;
use statewright_rom::exercise::{verdicts_agree, walk_everything};
use statewright_rom::{Rom, checksum, seal};

/// Bytes that the header says how to check: the checksum itself.
const CHECKSUM: std::ops::Range<usize> = 24..32;

/// Name and ROM of each sample.
fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines");
    let mut samples: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".sw.json"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let (output, _) = compile_text(&name, &text, &Options::default());
            (
                name.clone(),
                output
                    .unwrap_or_else(|| panic!("{name} compiles"))
                    .rom
                    .into_bytes()
                    .into_vec(),
            )
        })
        .collect();
    samples.sort();
    assert!(!samples.is_empty());
    samples
}

/// Runs a check for every number below `count`, on all processors.
fn in_parallel(count: usize, check: impl Fn(&mut dyn Iterator<Item = usize>) + Sync) {
    let threads = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .clamp(2, 16);
    std::thread::scope(|scope| {
        for part in 0..threads {
            let check = &check;
            scope.spawn(move || check(&mut (part..count).step_by(threads)));
        }
    });
}

#[test]
fn every_truncation_is_refused() {
    for (name, bytes) in samples() {
        in_parallel(bytes.len(), |lengths| {
            for length in lengths {
                assert!(
                    Rom::from_bytes(&bytes[..length]).is_err(),
                    "{name} cut to {length} bytes"
                );
            }
        });
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(Rom::from_bytes(&longer).is_err(), "{name} with a byte more");
    }
}

/// The same, with a header that agrees.
#[test]
fn every_truncation_with_a_fresh_checksum_is_refused() {
    for (name, bytes) in samples() {
        // The last bytes may be those of the last section alone: cut inside a record or from one
        // that is counted.
        in_parallel(bytes.len(), |lengths| {
            for length in lengths {
                let mut cut = bytes[..length].to_vec();
                if length >= 64 {
                    cut[32..36].copy_from_slice(&(length as u32).to_le_bytes());
                    seal(&mut cut);
                }
                assert!(
                    Rom::from_bytes(&cut).is_err(),
                    "{name} cut to {length} bytes"
                );
            }
        });
    }
}

#[test]
fn every_bit_flip_is_refused() {
    for (name, bytes) in samples() {
        in_parallel(bytes.len() * 8, |bits| {
            let mut damaged = bytes.clone();
            for bit in bits {
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(Rom::from_bytes(&damaged).is_err(), "{name}, bit {bit}");
                damaged[bit / 8] ^= 1 << (bit % 8);
            }
        });
    }
}

#[test]
fn every_bit_flip_with_a_fresh_checksum_is_refused_or_harmless() {
    for (name, bytes) in samples() {
        let loaded = std::sync::atomic::AtomicUsize::new(0);
        in_parallel(bytes.len() * 8, |bits| {
            let mut damaged = bytes.clone();
            for bit in bits.filter(|bit| !CHECKSUM.contains(&(bit / 8))) {
                damaged[bit / 8] ^= 1 << (bit % 8);
                seal(&mut damaged);
                if let Ok(rom) = Rom::from_bytes(&damaged) {
                    walk_everything(&rom);
                    loaded.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
                damaged[bit / 8] ^= 1 << (bit % 8);
            }
        });
        let (loaded, all) = (loaded.into_inner(), bytes.len() * 8);
        println!(
            "{name}: {} bytes, {loaded} of {all} damaged ROMs load and stay in range",
            bytes.len()
        );
        // The alarm works: literals and durations may be anything, indices may not.
        assert!(loaded > 0 && loaded < all, "{name}: {loaded} of {all}");
    }
}

/// Random machines reach tables that no sample has; several changed bytes reach what single bits do
/// not.
#[test]
fn random_damage_of_random_machines_is_refused_or_harmless() {
    for_each_seed(machines(1000), |seed| {
        let bytes = compiled(&random(seed))?.rom.into_bytes().into_vec();
        let mut rng = Rng::new(seed);
        for round in 0..40 {
            let mut damaged = bytes.clone();
            for _ in 0..rng.between(1, 4) {
                let at = rng.below(bytes.len() as u32) as usize;
                damaged[at] = match rng.below(4) {
                    0 => bytes[rng.below(bytes.len() as u32) as usize],
                    1 => bytes[at].wrapping_add(1),
                    2 => bytes[at].wrapping_sub(1),
                    _ => rng.one(&[0, 1, 2, 0x7F, 0xFE, 0xFF]),
                };
            }
            seal(&mut damaged);
            caught(|| {
                let result = Rom::from_bytes(&damaged);
                verdicts_agree(&damaged, &result);
                result.ok().map(|rom| walk_everything(&rom))
            })
            .map_err(|problem| format!("round {round}: {problem}"))?;
        }
        Ok(())
    });
}

/// The alarm works: an undamaged ROM loads, and its checksum is what `seal` would write.
#[test]
fn undamaged_roms_load() {
    for (name, bytes) in samples() {
        walk_everything(&Rom::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")));
        let stored = u64::from_le_bytes(bytes[CHECKSUM].try_into().unwrap());
        assert_eq!(stored, checksum(&bytes), "{name}");
    }
}
