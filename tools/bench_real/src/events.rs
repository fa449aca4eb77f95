//! Random events from a seed: every agent gets one in so many ticks of a hundred. All contenders
//! get the same list.

use statewright::{Event, InboxEvent, Machine, ids::EventId};
use statewright_measure::random::Random;

/// An event that may come: how often, and what it carries.
#[derive(Clone, Copy)]
pub struct Kind {
    /// How often it is chosen, beside the others.
    pub weight: u32,
    /// What it carries.
    pub payload: fn(&mut Random) -> [u32; 4],
}

impl Kind {
    /// One that carries something.
    pub const fn new(weight: u32, payload: fn(&mut Random) -> [u32; 4]) -> Self {
        Self { weight, payload }
    }

    /// One that carries nothing.
    pub const fn plain(weight: u32) -> Self {
        Self::new(weight, |_| [0; 4])
    }
}

/// The payload of a number.
pub fn whole(number: i32) -> [u32; 4] {
    [number as u32, 0, 0, 0]
}

/// The payload of up to four numbers.
pub fn floats<const N: usize>(numbers: [f32; N]) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, number) in words.iter_mut().zip(numbers) {
        *word = number.to_bits();
    }
    words
}

/// What comes in each tick, sorted by agent; nobody gets two at once.
pub type Ticks = Vec<Vec<InboxEvent>>;

/// So many ticks for so many agents; each gets an event with so many percent.
pub fn random(
    machine: &Machine,
    kinds: &[Kind],
    (agents, ticks): (usize, usize),
    percent: u32,
    seed: u64,
) -> Ticks {
    let mut random = Random::new(seed);
    let plain = plain_events(machine, kinds.len());
    let mut tick = || {
        let mut inbox = Vec::new();
        for place in 0..agents as u32 {
            if random.below(100) < percent {
                let number = choose(kinds, &mut random);
                let event = plain[number].with_words((kinds[number].payload)(&mut random));
                inbox.push(InboxEvent { place, event });
            }
        }
        inbox
    };
    (0..ticks).map(|_| tick()).collect()
}

/// One of the kinds, by weight.
fn choose(kinds: &[Kind], random: &mut Random) -> usize {
    let mut left = random.below(kinds.iter().map(|kind| kind.weight).sum());
    let is_it = |kind: &Kind| {
        let found = left < kind.weight;
        left = left.wrapping_sub(kind.weight);
        found
    };
    kinds.iter().position(is_it).unwrap_or(0)
}

/// The events of a machine, in the order of its file, each of its class.
fn plain_events(machine: &Machine, count: usize) -> Vec<Event> {
    let rom = machine.rom();
    let event = |place: usize| {
        let id = EventId::from_index(place).expect("machines have few events");
        let record = rom.event(id).expect("one kind for each event of the file");
        Event::new(id, record.class.get())
    };
    (0..count).map(event).collect()
}
