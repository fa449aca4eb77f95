//! R3, the pedestrian of the samples: expressions in the file, timers, a cooldown, history, and no
//! user functions.

pub mod functions;
pub mod hand;
mod peer;

use statewright::prelude::*;
use statewright::{Instance64, Type};

use super::contender::Contender;
use super::events::{Kind, floats};
use super::machine::Real;
use functions::Person;

statewright::machine!(
    /// The pedestrian of the samples.
    pub mod file = "../../machines/pedestrian.sw.json",
    functions = crate::pedestrian::functions::Person,
);

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PedestrianMachine;

/// What a pedestrian says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// Walk on.
    Walk,
    /// Stand still.
    Stand,
    /// Run, as fast as the fear is great.
    Run(f32),
}

impl Real for PedestrianMachine {
    const NAME: &'static str = "R3 pedestrian";
    const EVENTS: &'static [Kind] = &[
        Kind::plain(10),
        Kind::plain(10),
        Kind::plain(10),
        Kind::new(2, |random| floats([random.below(100) as f32 / 100.0])),
        Kind::plain(10),
    ];
    type Instance = Instance64;
    type Board = Person;
    type Command = Word;
    type Hand = hand::HandPerson;

    fn machine() -> Machine {
        file::machine()
    }

    fn functions() -> Functions<Person, ()> {
        Person::functions()
    }

    fn board(place: usize) -> Person {
        Person {
            mood: 0.3 + (place % 7) as f32 * 0.1,
            fear: 0.0,
            hurry: place.is_multiple_of(3),
        }
    }

    fn command(command: &CommandRef<'_>, machine: &Machine) -> Option<Word> {
        match command.what(&machine.rom()) {
            What::Emit { name: "Walk", .. } => Some(Word::Walk),
            What::Emit { name: "Stand", .. } => Some(Word::Stand),
            What::Emit {
                name: "Run",
                payload: Some((Type::F32, [fear, ..])),
            } => Some(Word::Run(f32::from_bits(fear))),
            _ => None,
        }
    }

    fn peer(agents: usize) -> Option<Box<dyn Contender<Self>>> {
        Some(Box::new(
            super::by_hand::ByHand::<Self, peer::StatigPerson>::new("statig", agents),
        ))
    }
}
