//! What is counted while agents run: transitions, leaves that were entered, and how many agents are where, over time.

use statewright::prelude::*;
use statewright::trace::{Kind, Record};

/// Most points in time at which agents are counted.
const MOST_SAMPLES: u64 = 240;

/// How many agents were in each leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// After this tick.
    pub(crate) tick: u64,
    /// By number of the state; 0 for those that are no leaves.
    pub(crate) leaves: Vec<u64>,
    /// Agents that had ended.
    pub(crate) ended: u64,
}

/// Counts of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// How often each transition was taken.
    pub(crate) transitions: Vec<u64>,
    /// How often each leaf was entered.
    pub(crate) entered: Vec<u64>,
    pub(crate) samples: Vec<Sample>,
    /// Turns of agents.
    pub(crate) turns: u64,
    /// Ticks between two samples.
    step: u64,
}

impl Tally {
    pub(crate) fn new(machine: &Machine, ticks: u64) -> Self {
        let rom = machine.rom();
        Self {
            transitions: vec![0; rom.transitions().len()],
            entered: vec![0; rom.states().len()],
            step: ticks.div_ceil(MOST_SAMPLES).max(1),
            ..Self::default()
        }
    }

    /// Counts what a tick recorded.
    pub(crate) fn count<'r>(&mut self, records: impl IntoIterator<Item = &'r Record>) {
        let raise = |counts: &mut Vec<u64>, number: u16| {
            if let Some(count) = counts.get_mut(usize::from(number)) {
                *count += 1;
            }
        };
        for record in records {
            match record.kind() {
                Some(Kind::Transition) => {
                    raise(&mut self.transitions, record.subject.get());
                    if let Some(leaf) = record.leaf() {
                        raise(&mut self.entered, leaf);
                    }
                }
                Some(Kind::Leaf | Kind::Present) => raise(&mut self.entered, record.subject.get()),
                _ => {}
            }
        }
    }

    /// Counts where everybody is, if it is time to.
    pub(crate) fn sample<B: Board, C>(&mut self, crowd: &Crowd<B, C>, tick: u64, is_last: bool) {
        let is_known = self.samples.last().is_some_and(|sample| sample.tick == tick);
        if !is_known && (is_last || tick.is_multiple_of(self.step)) {
            let ended = crowd.agents().filter(|&agent| crowd.has_ended(agent) == Ok(true)).count() as u64;
            self.samples.push(Sample { tick, leaves: crowd.population(), ended });
        }
    }
}
