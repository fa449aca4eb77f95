//! What a run came to, ready to be shown.

use std::cmp::Reverse;
use std::time::Duration;

use statewright::trace::{Legend, Trigger};
use statewright::{Counters, Kind, ReloadReport, SavedCrowd};
use statewright_symbols::SymbolKind;

use statewright_step::Answer;
use statewright_tape::Summary;

use crate::cost::{PerCore, Work};
use crate::groups::percent;
use crate::tally::Sample;

/// Everything that a report shows.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The names behind the numbers.
    pub legend: Legend,
    /// Agents.
    pub agents: u32,
    /// Ticks that were run.
    pub ticks: u64,
    /// Ticks that were asked for: more than were run if the run was stopped; `None` if it was to run until somebody
    /// stops it.
    pub wanted_ticks: Option<u64>,
    /// Ticks that were run when the machine was reloaded for the last time, if it was: samples,
    /// transitions, visits and calls of functions are counted from there on.
    pub reloaded_after: Option<u64>,
    /// What became of the agents of a save, if some were loaded.
    pub loaded: Option<ReloadReport>,
    /// The seed.
    pub seed: u64,
    /// Events that were sent.
    pub sent: u64,
    /// Turns of agents: those who sleep have none.
    pub turns: u64,
    /// What the kernel counted.
    pub counters: Counters,
    /// Messages and events for agents that were gone.
    pub lost_messages: u64,
    /// Time in ticks alone, by [`Plan::clock`](crate::Plan::clock).
    pub ticking: Duration,
    /// Time of the whole run.
    pub elapsed: Duration,
    /// Time that processors worked in ticks, on all threads together, but for the first tick, in
    /// which agents only start; `None` if nobody can tell.
    pub processor: Option<Duration>,
    /// Memory of all instances.
    pub instance_bytes: usize,
    /// Memory of all blackboards.
    pub board_bytes: usize,
    /// Most memory of the process so far: for the caller to fill in, where the system tells.
    pub peak_bytes: Option<u64>,
    /// How many agents were where, over time.
    pub samples: Vec<Sample>,
    /// How often each transition was taken, by number.
    pub transitions: Vec<u64>,
    /// How often each state or one inside it was entered, by number.
    pub visits: Vec<u64>,
    /// What stood in for the functions of the game.
    pub functions: Vec<FunctionCalls>,
    /// What guards answered.
    pub stub_guards: Answer,
    /// Agents that have ended.
    pub ended: u64,
    /// What the tape of the run has, if there is one.
    pub tape: Option<Summary>,
    /// The agents for a save, if they were asked for ([`Plan::saves`](crate::Plan::saves)).
    pub saved: Option<SavedCrowd<'static>>,
}

/// How often a function was called that somebody stood in for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCalls {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// How often.
    pub calls: u64,
}

/// How many agents are in a leaf over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series<'o> {
    /// The number of the state.
    pub state: u16,
    /// Its name.
    pub name: &'o str,
    /// One per sample.
    pub counts: Vec<u64>,
}

impl Series<'_> {
    /// Most at the end first.
    pub(crate) fn rank(&self) -> (Reverse<u64>, u16) {
        (Reverse(self.last()), self.state)
    }

    /// At the end.
    pub fn last(&self) -> u64 {
        self.counts.last().copied().unwrap_or(0)
    }
}

impl Outcome {
    /// So many agents as a share of all, in percent.
    pub fn percent(&self, count: u64) -> f64 {
        percent(count, self.agents.into())
    }

    /// How many agents had ended over time.
    pub fn ended_series(&self) -> Vec<u64> {
        self.samples.iter().map(|sample| sample.ended).collect()
    }

    /// Leaves by their share at the end, most first; those where nobody ever was are left out.
    pub fn series(&self) -> Vec<Series<'_>> {
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
        series.sort_by_key(Series::rank);
        series
    }

    /// How often each transition was taken; those of one list of events together, under the number
    /// of the first (LANG-1).
    pub fn written(&self) -> Vec<(u16, u64)> {
        let count = |number: usize| self.transitions.get(number).copied().unwrap_or(0);
        let lists = self.legend.written().into_iter();
        lists
            .map(|list| (list.start as u16, list.map(count).sum()))
            .collect()
    }

    /// Transitions that were taken, most first.
    pub fn hottest(&self) -> Vec<(u16, u64)> {
        let mut taken = self.written();
        taken.retain(|(_, count)| *count != 0);
        taken.sort_by_key(|&(number, count)| (Reverse(count), number));
        taken
    }

    /// States that were never active.
    pub fn never_visited(&self) -> Vec<&str> {
        let states = self.legend.symbols.names(SymbolKind::State);
        states
            .zip(&self.visits)
            .filter(|(_, visits)| **visits == 0)
            .map(|(path, _)| path)
            .collect()
    }

    /// Transitions that were never taken.
    pub fn never_taken(&self) -> Vec<u16> {
        self.written()
            .into_iter()
            .filter(|(_, count)| *count == 0)
            .map(|(number, _)| number)
            .collect()
    }

    /// A transition in words: `idle -> alert on Noise`.
    pub fn transition(&self, number: u16) -> String {
        let (way, legend) = (self.legend.way(number), &self.legend);
        let Some(transition) = legend.transitions.get(usize::from(number)) else {
            return way;
        };
        let trigger = legend.triggers(number);
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
    pub fn nanoseconds(&self) -> f64 {
        self.ticking.as_nanos() as f64 / self.agent_ticks().max(1) as f64
    }

    /// How many agents one core could carry at the tick rate of the machine, by what this run took:
    /// with stand-ins for the functions of the game, which do hardly anything.
    pub fn agents_per_core(&self) -> PerCore {
        let work = Work {
            agents: self.agents,
            ticks: self.ticks.saturating_sub(1),
            tick_rate: self.legend.tick_rate,
            processor: self.processor,
        };
        work.per_core()
    }

    /// Agents times ticks.
    pub fn agent_ticks(&self) -> u64 {
        u64::from(self.agents) * self.ticks
    }

    /// Things that a designer should know of, with their counts; only those that happened.
    pub fn troubles(&self) -> Vec<(&'static str, u64)> {
        let counters = &self.counters;
        let [low, normal, interrupt, critical] = counters.dropped_overflow;
        let all = [
            ("ticks were cut short by a cap", counters.clamps),
            ("times the fail-safe was entered", counters.fail_safes),
            ("agents were ended by a fault", counters.quarantines),
            (
                "agents met what cannot be: please report it",
                counters.impossible,
            ),
            (
                "events came for agents that had ended",
                counters.dropped_ended,
            ),
            ("events of class low found the queue full", low),
            ("events of class normal found the queue full", normal),
            ("events of class interrupt found the queue full", interrupt),
            ("events of class critical found the queue full", critical),
            (
                "events were to be deferred and found no room",
                counters.deferrals_refused,
            ),
            (
                "events were more than the caps let through",
                counters.dropped_surplus,
            ),
            (
                "events are unknown to the machine",
                counters.dropped_unknown,
            ),
            (
                "messages were for agents that were gone",
                self.lost_messages,
            ),
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
