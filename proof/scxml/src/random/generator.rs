//! What is known while a document is written: the plan, the names, and what may still be spent.

use super::Limits;
use super::plan::Plan;
use super::rng::Rng;
use super::write::Writer;

/// Names that contents may raise freely: transitions that listen to them raise nothing without
/// fuel.
pub(super) const RAISED: [&str; 2] = ["r", "r.s"];
const EVENTS: [&str; 8] = ["a", "a.b", "a.b.c", "b", "b.x", "c.d", "c", "d"];
/// Names of delayed sends, with their ids.
const DELAYED: [(&str, &str); 2] = [("t.one", "first"), ("t.two", "second")];
const DELAYS_MS: [usize; 8] = [5, 7, 11, 13, 17, 19, 23, 29];

pub(super) struct Generator {
    pub rng: Rng,
    pub plan: Plan,
    pub writer: Writer,
    /// Names that transitions listen to and contents raise.
    pub events: Vec<String>,
    /// Integers that anything may assign. Two more have a purpose: `count` ends loops of eventless
    /// transitions, and only transitions for events from outside set it back; `fuel` ends
    /// loops of raised events and is never filled up.
    pub integers: Vec<&'static str>,
    pub count_and_fuel: bool,
    pub flag: bool,
    pub word: bool,
    pub delayed: Vec<Delayed>,
    /// How many elements `raise` and `send` may still come.
    pub raises: usize,
    pub delayed_sends: usize,
    pub transitions: usize,
}

/// A delayed send that the document may hold several times.
#[derive(Clone)]
pub(super) struct Delayed {
    pub event: &'static str,
    pub id: &'static str,
    pub delay_ms: usize,
}

impl Generator {
    pub fn new(seed: u64, limits: &Limits) -> Self {
        let mut rng = Rng::new(seed);
        let plan = Plan::new(&mut rng, limits);
        let some = rng.between(2, limits.events.min(EVENTS.len()));
        let mut events: Vec<String> = EVENTS.map(String::from).to_vec();
        while events.len() > some.max(1) {
            events.remove(rng.below(events.len()));
        }
        let integers = if limits.data { rng.below(3) } else { 0 };
        let count_and_fuel = limits.data && rng.chance(60);
        let delayed = if limits.delays && rng.chance(35) {
            rng.between(1, 2)
        } else {
            0
        };
        let mut delays = DELAYS_MS.to_vec();
        let delayed = DELAYED[..delayed].iter().map(|&(event, id)| {
            let delay_ms = delays.remove(rng.below(delays.len()));
            Delayed {
                event,
                id,
                delay_ms,
            }
        });
        let delayed: Vec<Delayed> = delayed.collect();
        let (flag, word) = (limits.data && rng.chance(30), limits.data && rng.chance(20));
        let raises = rng.between(0, limits.raises);
        let delayed_sends = if delayed.is_empty() {
            0
        } else {
            rng.between(1, 3)
        };
        Generator {
            rng,
            plan,
            writer: Writer::default(),
            events,
            integers: ["x", "y"][..integers].to_vec(),
            count_and_fuel,
            flag,
            word,
            delayed,
            raises,
            delayed_sends,
            transitions: 0,
        }
    }

    /// Whether there is something that anything may assign.
    pub fn has_data(&self) -> bool {
        !self.integers.is_empty() || self.flag || self.word
    }
}
