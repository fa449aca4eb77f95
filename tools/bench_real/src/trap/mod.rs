//! R5, spikes in a floor: every agent has a running timer at all times, one of them draws how long it
//! lasts.

pub mod functions;
pub mod hand;

use statewright::Instance64;
use statewright::prelude::*;

use super::events::Kind;
use super::machine::Real;
use functions::{Hit, Trap};

statewright::machine!(
    /// The trap.
    pub mod file = "machines/trap.sw.json",
    functions = crate::trap::functions::Trap,
);

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrapMachine;

/// What a trap says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Word {
    /// From user code.
    Hit(Hit),
    /// It is there.
    Creak,
    /// It will strike.
    Click,
    /// It goes back.
    Grind,
}

impl Real for TrapMachine {
    const NAME: &'static str = "R5 trap";
    const EVENTS: &'static [Kind] = &[Kind::plain(8), Kind::plain(1), Kind::plain(1)];
    type Instance = Instance64;
    type Board = Trap;
    type Command = Word;
    type Hand = hand::HandTrap;

    fn machine() -> Machine {
        file::machine()
    }

    fn functions() -> Functions<Trap, ()> {
        Trap::functions()
    }

    fn board(place: usize) -> Trap {
        Trap {
            damage: 5 + (place % 3) as i32,
            strikes: 0,
        }
    }

    fn command(command: &CommandRef<'_>, machine: &Machine) -> Option<Word> {
        let emitted = || match command.what(&machine.rom()) {
            What::Emit { name: "Creak", .. } => Some(Word::Creak),
            What::Emit { name: "Click", .. } => Some(Word::Click),
            What::Emit { name: "Grind", .. } => Some(Word::Grind),
            _ => None,
        };
        command.get().map(Word::Hit).or_else(emitted)
    }
}
