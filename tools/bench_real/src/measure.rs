//! Times: all contenders take turns round by round. Every round begins where the first one began, so
//! that all rounds do the same work, and their outcomes are compared.

use statewright_measure::clock;

use super::compare::same;
use super::machine::{Drive, Real, contenders};

/// Best rounds in ns per agent and tick, by contender.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// Name of the contender and its best round.
    pub best: Vec<(&'static str, f64)>,
    /// Transitions that each contender carried out in a round, per agent and tick.
    pub transitions: f64,
}

impl Times {
    /// Best round of a contender.
    pub fn of(&self, name: &str) -> Option<f64> {
        let found = self.best.iter().find(|(other, _)| *other == name);
        found.map(|(_, best)| *best)
    }
}

/// Best of so many rounds.
pub fn measure<R: Real>(drive: &Drive, rounds: usize) -> Result<Times, String> {
    let machine = R::machine();
    let (warm_up, ticks) = (
        drive.warm_up_ticks::<R>(&machine),
        drive.measured_ticks::<R>(&machine),
    );
    let mut all = contenders::<R>(drive.agents)?;
    for contender in &mut all {
        warm_up.iter().for_each(|inbox| contender.tick(inbox));
        contender.keep();
    }
    same(&all, "after the warm-up")?;
    let before = all[0].outcome().transitions;
    let turns = drive.turns();
    let all_turns = (drive.agents * ticks.len()) as f64;
    let mut best = vec![f64::INFINITY; all.len()];
    let (first, rest) = ticks.split_first().ok_or("nothing to measure")?;
    for round in 0..rounds {
        for number in 0..all.len() {
            let number = (number + round) % all.len();
            let contender = &mut all[number];
            contender.go_back();
            contender.tick(first);
            let start = clock::now();
            rest.iter().for_each(|inbox| contender.tick(inbox));
            let time = (clock::now() - start).as_secs_f64() * 1e9 / turns;
            best[number] = best[number].min(time);
        }
        same(&all, "after a round")?;
    }
    let names = all.iter().map(|contender| contender.name());
    Ok(Times {
        best: names.zip(best).collect(),
        transitions: (all[0].outcome().transitions - before) as f64 / all_turns,
    })
}
