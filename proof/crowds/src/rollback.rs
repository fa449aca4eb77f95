//! Rollback: after every tick a snapshot, on for some ticks, back, and on again: the same bytes. And the
//! same by frames: going back by what has changed is going back by a whole snapshot.

use std::collections::VecDeque;

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

/// What a run of crowds that go back came to.
#[derive(Clone, Copy, Default)]
pub struct Rewound {
    /// How often they went back.
    pub times: u64,
    /// Over how many ticks.
    pub ticks: u64,
}

/// How far crowds go back at most.
const FRAMES: usize = 9;

/// Runs the machine of a seed, and goes back now and then: one crowd by its frames, one by a snapshot.
/// Whatever happens to both afterwards, they stay the same.
pub fn rewind(seed: u64, ticks: u64) -> Result<Rewound, String> {
    let machine = machine_of(seed)?;
    let world = World::new(&machine, seed, 12);
    let mut crowds = [crowd_of(&machine, seed)?, crowd_of(&machine, seed)?];
    crowds[0].keep_frames(FRAMES);
    crowds[0].keep_digest(true);
    let (mut outside, mut rng) = (Outside::new(seed), Rng::new(seed ^ 0xBAC4));
    outside.know(crowds[0].agents().collect::<Vec<_>>());
    let mut saved = VecDeque::from([(crowds[0].now(), crowds[0].snapshot())]);
    let mut back = Rewound::default();
    for round in 0..ticks {
        outside.happen(&mut crowds);
        if rng.chance(4) {
            let ticks = rng.below(saved.len() as u32) as usize;
            saved.truncate(saved.len() - ticks);
            let (tick, snapshot) = saved.back().ok_or("the first one stays")?;
            let [one, other] = &mut crowds;
            let wrong =
                |error: &dyn std::fmt::Display| format!("seed {seed}, round {round}: {error}");
            one.rewind(*tick).map_err(|error| wrong(&error))?;
            other.restore(snapshot).map_err(|error| wrong(&error))?;
            if one.snapshot() != *snapshot {
                return Err(wrong(&format!("{ticks} ticks back is not what it was")));
            }
            (back.times, back.ticks) = (back.times + 1, back.ticks + ticks as u64);
            outside.happen(&mut crowds);
        }
        crowds.iter_mut().for_each(|crowd| _ = crowd.tick(&world));
        let [one, other] = &crowds;
        if one.snapshot() != other.snapshot() || one.digest() != other.digest() {
            return Err(format!(
                "seed {seed}, round {round}: a crowd that went back by frames is not what one is that was restored"
            ));
        }
        saved.push_back((one.now(), one.snapshot()));
        if saved.len() > FRAMES + 1 {
            saved.pop_front();
        }
    }
    Ok(back)
}
