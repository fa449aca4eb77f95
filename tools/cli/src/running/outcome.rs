//! What a run came to, ready to be shown.

use std::time::Duration;

use statewright::trace::{Legend, Trigger};
use statewright::{Counters, Kind};
use statewright_symbols::SymbolKind;

use super::tally::Sample;

/// Everything that a report shows.
pub(crate) struct Outcome {
    pub(crate) legend: Legend,
    /// How many records went into the trace, if one was written.
    pub(crate) traced: Option<u64>,
    pub(crate) agents: u32,
    pub(crate) ticks: u64,
    pub(crate) wanted_ticks: u64,
    pub(crate) seed: u64,
    pub(crate) sent: u64,
    pub(crate) turns: u64,
    pub(crate) counters: Counters,
    /// Time in ticks alone, and of the whole run.
    pub(crate) ticking: Duration,
    pub(crate) elapsed: Duration,
    pub(crate) instance_bytes: usize,
    pub(crate) board_bytes: usize,
    /// Most memory of the process so far, where the system tells.
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) samples: Vec<Sample>,
    /// By number.
    pub(crate) transitions: Vec<u64>,
    /// By number: how often the state or one inside it was entered.
    pub(crate) visits: Vec<u64>,
    pub(crate) functions: Vec<(String, Kind, u64)>,
    pub(crate) stub_guards: &'static str,
    /// Agents that have ended.
    pub(crate) ended: u64,
}

/// How many agents are in a state over time.
pub(crate) struct Series<'o> {
    pub(crate) state: u16,
    pub(crate) name: &'o str,
    pub(crate) counts: Vec<u64>,
}

impl Outcome {
    /// How many agents had ended over time.
    pub(crate) fn ended_series(&self) -> Vec<u64> {
        self.samples.iter().map(|sample| sample.ended).collect()
    }

    /// Whether an agent can be in several leaves at once, one per region.
    pub(crate) fn has_regions(&self) -> bool {
        self.samples
            .iter()
            .any(|sample| sample.leaves.iter().sum::<u64>() + sample.ended > self.agents.into())
    }

    /// Leaves by their share at the end, most first; those where nobody ever was are left out.
    pub(crate) fn series(&self) -> Vec<Series<'_>> {
        let leaves = (0_u16..)
            .zip(&self.legend.states)
            .filter(|(_, state)| state.is_leaf);
        let mut series: Vec<Series<'_>> = leaves
            .map(|(number, _)| {
                let count =
                    |sample: &Sample| sample.leaves.get(usize::from(number)).copied().unwrap_or(0);
                Series {
                    state: number,
                    name: self.legend.state(number),
                    counts: self.samples.iter().map(count).collect(),
                }
            })
            .filter(|series| series.counts.iter().any(|&count| count != 0))
            .collect();
        series.sort_by_key(|series| {
            (
                std::cmp::Reverse(series.counts.last().copied()),
                series.state,
            )
        });
        series
    }

    /// Transitions that were taken, most first.
    pub(crate) fn hottest(&self) -> Vec<(u16, u64)> {
        let mut taken: Vec<(u16, u64)> = (0..)
            .zip(self.transitions.iter().copied())
            .filter(|(_, count)| *count != 0)
            .collect();
        taken.sort_by_key(|&(number, count)| (std::cmp::Reverse(count), number));
        taken
    }

    /// States that were never active.
    pub(crate) fn never_visited(&self) -> Vec<&str> {
        let states = self.legend.symbols.names(SymbolKind::State);
        states
            .zip(&self.visits)
            .filter(|(_, visits)| **visits == 0)
            .map(|(path, _)| path)
            .collect()
    }

    /// Transitions that were never taken.
    pub(crate) fn never_taken(&self) -> Vec<u16> {
        (0..)
            .zip(&self.transitions)
            .filter(|(_, count)| **count == 0)
            .map(|(number, _)| number)
            .collect()
    }

    /// A transition in words: `idle -> alert on Noise`.
    pub(crate) fn transition(&self, number: u16) -> String {
        let (way, legend) = (self.legend.way(number), &self.legend);
        let Some(transition) = legend.transitions.get(usize::from(number)) else {
            return way;
        };
        let trigger = legend.trigger(transition.trigger);
        match transition.trigger {
            Trigger::Event(_) | Trigger::Any => format!("{way} on {trigger}"),
            Trigger::Done | Trigger::Failed => format!("{way} when {trigger}"),
            // `after 15s to …`: where to has been said.
            Trigger::Timer(_) => format!(
                "{way} {}",
                trigger.split(" to `").next().unwrap_or(&trigger)
            ),
            Trigger::Always => format!("{way} {trigger}"),
        }
    }

    /// Nanoseconds per agent and tick.
    pub(crate) fn nanoseconds(&self) -> f64 {
        self.ticking.as_nanos() as f64 / self.agent_ticks().max(1) as f64
    }

    /// Agents times ticks.
    pub(crate) fn agent_ticks(&self) -> u64 {
        u64::from(self.agents) * self.ticks
    }

    /// Things that a designer should know of, with their counts; only those that happened.
    pub(crate) fn troubles(&self) -> Vec<(&'static str, u64)> {
        let counters = &self.counters;
        let all = [
            ("ticks were cut short by a cap", counters.clamps),
            ("times the fail-safe was entered", counters.fail_safes),
            ("agents were ended by a fault", counters.quarantines),
            ("events were dropped", counters.dropped.iter().sum()),
            (
                "queued events made room for others",
                counters.evicted.iter().sum(),
            ),
            ("events expired", counters.expired),
            ("commands found no room", counters.commands_dropped),
        ];
        all.into_iter().filter(|(_, count)| *count != 0).collect()
    }
}

/// Most memory of this process so far, in bytes; `None` where the system does not tell.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}
