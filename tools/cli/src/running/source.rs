//! Where events come from: a random source by a seed, or a script.

use statewright::Value;
use statewright::ids::{EventId, KeyId};
use statewright::prelude::*;
use statewright_rom::layout::{payload, value_type};
use statewright_step::{carried_type, mix};

use super::script::{Deed, Line, Whom};
use super::world::{Room, Words, World};

/// A stream of numbers (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Below a bound that is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// From 0 up to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Places of a crowd, each with a probability, in order: jumps from one to the next instead of
    /// asking for each.
    fn places(&mut self, agents: u32, share: f64) -> impl Iterator<Item = u32> {
        let mut at = -1.0_f64;
        // The logarithm of the chance to be passed over.
        let passed = (1.0 - share.min(1.0)).ln();
        std::iter::from_fn(move || {
            if share <= 0.0 {
                return None;
            }
            let gap = if passed == f64::NEG_INFINITY {
                0.0
            } else {
                ((1.0 - self.unit()).ln() / passed).floor()
            };
            at += gap + 1.0;
            (at < f64::from(agents)).then_some(at as u32)
        })
    }
}

/// An event that the random source may send.
struct Choice {
    event: EventId,
    /// The number of the type that it carries.
    carries: u8,
}

/// What happens to the agents.
pub(crate) struct Source {
    dice: Dice,
    /// Events per agent and tick.
    rate: f64,
    choices: Vec<Choice>,
    script: Vec<Line>,
    /// Events that were sent.
    pub(crate) sent: u64,
}

impl Source {
    /// `rate` events of any kind per agent and tick, and the lines of a script.
    pub(crate) fn new(machine: &Machine, seed: u64, rate: f64, script: Vec<Line>) -> Self {
        let rom = machine.rom();
        // What the machine raises itself is not for others to send.
        let is_sent = |name: &str| !name.starts_with("done.") && !name.starts_with("error.");
        let choices = (0..rom.events().len()).filter_map(|place| {
            let event =
                EventId::from_index(place).filter(|&event| is_sent(machine.event_name(event)))?;
            Some(Choice {
                event,
                carries: carried_type(&rom, event),
            })
        });
        Self {
            dice: Dice::new(seed),
            rate,
            choices: choices.collect(),
            script,
            sent: 0,
        }
    }

    /// Sends what is due before a tick. All agents are in their first life.
    pub(crate) fn happen<S: Room>(&mut self, crowd: &mut Crowd<Words<S>, World>, tick: u64) {
        let count = crowd.len() as u32;
        let Self {
            dice,
            choices,
            script,
            sent,
            ..
        } = self;
        for line in script.iter().filter(|line| line.when.is(tick)) {
            match line.whom {
                Whom::All => {
                    (0..count).for_each(|place| *sent += act(crowd, agent(place), line.deed))
                }
                Whom::Agent(place) => *sent += act(crowd, agent(place), line.deed),
                Whom::Share(share) => {
                    let mut places = Dice::new(dice.next());
                    for place in places.places(count, share) {
                        *sent += act(crowd, agent(place), line.deed);
                    }
                }
            }
        }
        if choices.is_empty() {
            return;
        }
        // Whole events for everybody, and one more for some.
        for _ in 0..self.rate.floor() as u64 {
            for place in 0..count {
                *sent += send_any(crowd, agent(place), dice, choices, count);
            }
        }
        let mut places = Dice::new(dice.next());
        for place in places.places(count, self.rate.fract()) {
            *sent += send_any(crowd, agent(place), dice, choices, count);
        }
    }
}

/// The agent at a place: all are in their first life.
fn agent(place: u32) -> AgentId {
    AgentId::from_words([place, 1, 0])
}

/// One deed; how many events it sent.
fn act<S: Room>(crowd: &mut Crowd<Words<S>, World>, agent: AgentId, deed: Deed) -> u64 {
    match deed {
        Deed::Send(event, words) => u64::from(crowd.send(agent, event, words).is_ok()),
        Deed::Set(key, words) => {
            let field = KeyId::from_index(key).map_or(usize::MAX, |key| crowd.program().field(key));
            // Agents of a run never leave.
            let _ = crowd.edit_board(agent, |board| board.write(field, words));
            0
        }
    }
}

fn send_any<S: Room>(
    crowd: &mut Crowd<Words<S>, World>,
    agent: AgentId,
    dice: &mut Dice,
    choices: &[Choice],
    agents: u32,
) -> u64 {
    let choice = &choices[dice.below(choices.len() as u64) as usize];
    let words = payload(choice.carries, dice, agents);
    u64::from(crowd.send(agent, choice.event, words).is_ok())
}

/// Something small of what an event carries.
fn payload(carries: u8, dice: &mut Dice, agents: u32) -> [u32; 4] {
    let mut number = || ((dice.below(201) as f32 - 100.0) / 10.0).to_bits();
    match carries {
        value_type::I32 | payload::U32 | payload::U64 => [dice.below(101) as u32, 0, 0, 0],
        value_type::BOOL => [dice.below(2) as u32, 0, 0, 0],
        value_type::ENTITY => [dice.below(agents.into()) as u32, 1, 0, 0],
        value_type::F32 => [number(), 0, 0, 0],
        value_type::VEC2 => [number(), number(), 0, 0],
        value_type::VEC3 => [number(), number(), number(), 0],
        payload::VEC4 => [number(), number(), number(), number()],
        _ => [0; 4],
    }
}
