//! What one round of a workload delivers: a short list of ticks that is run through in circles.

/// Events, in the order of the machine files.
pub mod event {
    #![allow(missing_docs, reason = "the names of the machine file")]
    pub const SIGHT: u8 = 0;
    pub const LOST: u8 = 1;
    pub const IN_RANGE: u8 = 2;
    pub const SWING: u8 = 3;
    pub const LOW_HP: u8 = 4;
    pub const HEALED: u8 = 5;
    pub const DIE: u8 = 6;
    pub const NOP: u8 = 7;
    pub const ALARM: u8 = 8;
    pub const REST: u8 = 9;
}

/// The events of one tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tick {
    /// None.
    Quiet,
    /// One for each agent.
    All(Vec<u8>),
    /// Some agents get one: place and event, sorted by place.
    Some(Vec<(u32, u8)>),
}

impl Tick {
    /// How many events it has.
    pub fn events(&self) -> usize {
        match self {
            Self::Quiet => 0,
            Self::All(events) => events.len(),
            Self::Some(events) => events.len(),
        }
    }
}

/// Ticks that are run through in circles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The ticks.
    pub ticks: Vec<Tick>,
}

impl Script {
    /// Each event in turn for all agents.
    pub fn same_for_all(agents: usize, events: &[u8]) -> Self {
        Self {
            ticks: events
                .iter()
                .map(|&event| Tick::All(vec![event; agents]))
                .collect(),
        }
    }

    /// The events of an agent that is alone and gets one in every tick: without a list per tick
    /// there is less around what is measured.
    pub fn singles(&self) -> Option<Vec<u8>> {
        let single = |tick: &Tick| match tick {
            Tick::All(events) if events.len() == 1 => events.first().copied(),
            _ => None,
        };
        self.ticks.iter().map(single).collect()
    }

    /// Events of so many ticks.
    pub fn events(&self, ticks: usize) -> u64 {
        let sum = |ticks: &[Tick]| ticks.iter().map(|tick| tick.events() as u64).sum::<u64>();
        let len = self.ticks.len().max(1);
        (ticks / len) as u64 * sum(&self.ticks) + sum(&self.ticks[..ticks % len])
    }
}
