//! What is counted while agents run: turns, and how many agents are where, over time.

use statewright::prelude::*;

/// Most points in time at which agents are counted.
const MOST_SAMPLES: u64 = 240;

/// How many agents were in each leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// After this tick.
    pub tick: u64,
    /// By number of the state; 0 for those that are no leaves.
    pub leaves: Vec<u64>,
    /// Agents that had ended.
    pub ended: u64,
}

/// Counts of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) samples: Vec<Sample>,
    /// Turns of agents.
    pub(crate) turns: u64,
    /// Ticks between two samples.
    step: u64,
}

impl Tally {
    pub(crate) fn new(ticks: u64) -> Self {
        Self {
            step: ticks.div_ceil(MOST_SAMPLES).max(1),
            ..Self::default()
        }
    }

    /// Counts where everybody is, if it is time to.
    pub(crate) fn sample<B: Board, C>(&mut self, crowd: &Crowd<B, C>, tick: u64, is_last: bool) {
        let is_known = self
            .samples
            .last()
            .is_some_and(|sample| sample.tick == tick);
        if !is_known && (is_last || tick.is_multiple_of(self.step)) {
            self.samples.push(Sample {
                tick,
                leaves: crowd.population(),
                ended: crowd.ended() as u64,
            });
        }
    }
}
