//! The workloads: which machine, which situation, which events.

use std::fmt;

use clap::ValueEnum;
use statewright_measure::random::Random;

use crate::board::Totals;
use crate::machines::{FIGHTER, FIGHTER_ACTIVITY, FIGHTER_MOOD, FIGHTER_TIMER};
use crate::script::{Script, Tick, event};

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Workload {
    /// Nothing to do.
    W1,
    /// One event per agent and tick, a transition across two levels with four callbacks.
    W2,
    /// One event per agent and tick that nobody handles.
    W3,
    /// One event per agent and tick, a transition between siblings with three callbacks.
    W4,
    /// One agent in a hundred gets an event.
    W5,
    /// A random event per agent and tick, agents in mixed states.
    W6,
    /// W1 with one armed timer per agent.
    W1Timer,
    /// One activity per agent that runs every tick.
    W1Activity,
    /// W2 with two active leaves and one guard that runs.
    W2Regions,
}

/// One agent in so many gets an event in W5.
pub const RECEIVER_SHARE: usize = 100;
/// Ticks of random events that bring agents into mixed states.
const MIXING_TICKS: usize = 24;

impl Workload {
    /// Its name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::W1 => "W1",
            Self::W2 => "W2",
            Self::W3 => "W3",
            Self::W4 => "W4",
            Self::W5 => "W5",
            Self::W6 => "W6",
            Self::W1Timer => "W1 timer",
            Self::W1Activity => "W1 activity",
            Self::W2Regions => "W2 regions",
        }
    }

    /// What it is, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::W1 => "nothing to do",
            Self::W2 => "a transition across two levels for each agent",
            Self::W3 => "an event that nobody handles for each agent",
            Self::W4 => "one agent, to and fro between siblings",
            Self::W5 => "one agent in a hundred gets an event; us per tick",
            Self::W6 => "a random event for each agent, mixed states",
            Self::W1Timer => "W1 with one armed timer per agent",
            Self::W1Activity => "one activity per agent, and nothing else",
            Self::W2Regions => "W2 with two active leaves and a guard that runs",
        }
    }

    /// Text of its machine file.
    pub fn machine(self) -> &'static str {
        match self {
            Self::W1Timer => FIGHTER_TIMER,
            Self::W1Activity => FIGHTER_ACTIVITY,
            Self::W2Regions => FIGHTER_MOOD,
            _ => FIGHTER,
        }
    }

    /// Brings new agents into the situation that the workload starts from.
    pub fn warm_up(self, agents: usize) -> Script {
        let mut script = Script::same_for_all(agents, &[event::SIGHT, event::IN_RANGE]);
        if self == Self::W6 {
            script
                .ticks
                .extend(random_ticks(agents, MIXING_TICKS, u64::MAX));
        }
        script
    }

    /// The events of a round; only W5 and W6 differ from round to round.
    pub fn script(self, agents: usize, round: u64) -> Script {
        match self {
            Self::W1 | Self::W1Timer | Self::W1Activity => Script {
                ticks: vec![Tick::Quiet],
            },
            Self::W2 | Self::W2Regions => {
                Script::same_for_all(agents, &[event::LOW_HP, event::HEALED])
            }
            Self::W3 => Script::same_for_all(agents, &[event::NOP]),
            Self::W4 => Script::same_for_all(agents, &[event::SWING]),
            Self::W5 => Script {
                ticks: (0..2)
                    .map(|tick| receivers(agents, round * 2 + tick))
                    .collect(),
            },
            Self::W6 => Script {
                ticks: random_ticks(agents, random_script_ticks(agents), round).collect(),
            },
        }
    }

    /// How many ticks a round has: enough for the clock, and even, so that W2 ends where it began.
    pub fn ticks(self, agents: usize) -> usize {
        match (self, agents) {
            (Self::W5, _) => 2,
            (_, 0..=31) => 16_384,
            (_, 32..=32_767) => (65_536 / agents).next_multiple_of(2),
            _ => 2,
        }
    }

    /// Whether anybody gets events.
    pub fn has_events(self) -> bool {
        !matches!(self, Self::W1 | Self::W1Timer | Self::W1Activity)
    }

    /// Whether these totals show what the workload is about: exits, effects, entries and events, or
    /// that there were none.
    pub fn has_happened(self, totals: &Totals) -> bool {
        let moves = self.has_events() && self != Self::W3;
        let runs = moves || self == Self::W1Activity;
        let found =
            [totals.exits, totals.effects, totals.entries, totals.events].map(|sum| sum != 0);
        found == [moves, runs, moves, self.has_events()]
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Long enough not to be learned, short enough for the cache.
fn random_script_ticks(agents: usize) -> usize {
    (16_384 / agents.max(1)).clamp(2, 4096)
}

/// Death is left out: it would be the end of the work.
fn random_ticks(agents: usize, ticks: usize, seed: u64) -> impl Iterator<Item = Tick> {
    let mut random = Random::new(seed);
    (0..ticks).map(move |_| {
        Tick::All(
            (0..agents)
                .map(|_| random.below(u32::from(event::DIE)) as u8)
                .collect(),
        )
    })
}

fn receivers(agents: usize, seed: u64) -> Tick {
    let mut random = Random::new(seed);
    let mut places: Vec<u32> = (0..agents / RECEIVER_SHARE)
        .map(|_| random.below(agents as u32))
        .collect();
    places.sort_unstable();
    places.dedup();
    Tick::Some(
        places
            .into_iter()
            .map(|place| (place, event::SWING))
            .collect(),
    )
}
