//! R4, a villager: score groups with `stay` on a clock, update lists, work as a part that other
//! machines use, too, a scorer in Rust, history, and an activity that ends.

pub mod functions;
pub mod hand;

use statewright::Instance128;
use statewright::prelude::*;

use super::events::{Kind, floats};
use super::machine::Real;
use functions::{Home, Say, Villager, Wood};

statewright::machine!(
    /// The villager.
    pub mod file = "machines/villager.sw.json",
    functions = crate::villager::functions::Villager,
);

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VillagerMachine;

/// What a villager says; all of it comes from user code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// A log is split.
    Wood(Wood),
    /// The day is over.
    Home(Home),
    /// Something to hear.
    Say(Say),
}

impl Real for VillagerMachine {
    const NAME: &'static str = "R4 villager";
    const EVENTS: &'static [Kind] = &[
        Kind::plain(1),
        Kind::plain(3),
        Kind::new(4, |random| floats([random.below(5) as f32 / 10.0])),
        Kind::plain(4),
        Kind::plain(2),
    ];
    type Instance = Instance128;
    type Board = Villager;
    type Command = Word;
    type Hand = hand::HandVillager;

    fn machine() -> Machine {
        file::machine()
    }

    fn functions() -> Functions<Villager, ()> {
        Villager::functions()
    }

    fn board(place: usize) -> Villager {
        Villager {
            hunger: (place % 5) as f32 * 0.1,
            fatigue: (place % 7) as f32 * 0.1,
            ..Villager::default()
        }
    }

    fn command(command: &CommandRef<'_>, _: &Machine) -> Option<Word> {
        let wood = command.get().map(Word::Wood);
        wood.or_else(|| command.get().map(Word::Home))
            .or_else(|| command.get().map(Word::Say))
    }
}
