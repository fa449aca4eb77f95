//! Rollback: after every tick a snapshot, on for some ticks, back, and on again: the same bytes.

use statewright_generator::Rng;

use crate::outside::Outside;
use crate::user::World;
use crate::wake::{crowd_of, machine_of};

/// Runs the machine of a seed with a rollback after every tick. How many ticks were repeated.
pub fn run(seed: u64, ticks: u64) -> Result<u64, String> {
    let machine = machine_of(seed)?;
    let world = World::new(&machine, seed, 12);
    let mut crowds = [crowd_of(&machine, seed)?];
    crowds[0].keep_digest(true);
    let (mut outside, mut rng) = (Outside::new(seed), Rng::new(seed ^ 0x5EED));
    outside.know(crowds[0].agents().collect::<Vec<_>>());
    let mut repeated = 0;
    for tick in 0..ticks {
        crowds[0].tick(&world);
        // What happened since the tick is in the snapshot, too.
        outside.happen(&mut crowds);
        let crowd = &mut crowds[0];
        let saved = crowd.snapshot();
        let ahead = 1 + rng.below(16);
        let first: Vec<Vec<u8>> = (0..ahead)
            .map(|_| (crowd.tick(&world), crowd.snapshot()).1)
            .collect();
        // Into a crowd that has nothing in common with it but the machine.
        let mut other = crowd_of(&machine, seed)?;
        for _ in 0..tick % 3 {
            other.tick(&world);
        }
        other
            .restore(&saved)
            .map_err(|error| format!("seed {seed}, tick {tick}: {error}"))?;
        crowd
            .restore(&saved)
            .map_err(|error| format!("seed {seed}, tick {tick}: {error}"))?;
        for (step, expected) in first.iter().enumerate() {
            crowd.tick(&world);
            other.tick(&world);
            repeated += 2;
            // The one kept its digest over the restore, the other looks at all agents.
            let differs = crowd.digest() != other.digest();
            if crowd.snapshot() != *expected || other.snapshot() != *expected || differs {
                return Err(format!(
                    "seed {seed}, tick {tick}: {step} ticks after going back something differs"
                ));
            }
        }
        crowd
            .restore(&saved)
            .map_err(|error| format!("seed {seed}, tick {tick}: {error}"))?;
    }
    Ok(repeated)
}
