//! The trap written by hand: one enum and two deadlines.

use statewright::{Event, StateHandle};

use super::Word;
use super::file::states;
use super::functions::Trap;
use crate::by_hand::{Chance, Hand, Out, is_due};

const CREAK_TICKS: u32 = 60;

/// Events, in the order of the file.
mod event {
    pub(super) const STEP: u16 = 0;
    pub(super) const JAM: u16 = 1;
    pub(super) const OIL: u16 = 2;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Unbuilt,
    Hidden,
    Warning,
    Out,
    Retracting,
    Jammed,
}

/// A trap.
#[derive(Clone, Debug)]
pub struct HandTrap {
    board: Trap,
    chance: Chance,
    doing: Doing,
    ends: u32,
    /// When it creaks again; of hidden traps only.
    creaks: u32,
}

impl Hand for HandTrap {
    type Board = Trap;
    type Command = Word;

    fn new(board: Trap, chance: u32) -> Self {
        Self {
            board,
            chance: Chance(chance),
            doing: Doing::Unbuilt,
            ends: 0,
            creaks: 0,
        }
    }

    #[inline]
    fn tick(&mut self, now: u32, event: Option<&Event>, out: &mut Out<'_, Word>) {
        if self.doing == Doing::Unbuilt {
            self.begin(Doing::Hidden, now, out);
        }
        if self.doing == Doing::Hidden && is_due(self.creaks, now) {
            self.creaks += CREAK_TICKS;
            out.count();
            out.say(Word::Creak);
        }
        if is_due(self.ends, now) {
            let next = match self.doing {
                Doing::Hidden => Doing::Warning,
                Doing::Warning => Doing::Out,
                Doing::Out => Doing::Retracting,
                Doing::Retracting | Doing::Jammed | Doing::Unbuilt => Doing::Hidden,
            };
            self.go(next, now, out);
        }
        if let Some(event) = event {
            self.hear(event.id.get(), now, out);
        }
    }

    fn board(&self) -> &Trap {
        &self.board
    }

    fn chance(&self) -> u32 {
        self.chance.0
    }

    fn leaves(&self) -> Vec<StateHandle> {
        vec![match self.doing {
            Doing::Unbuilt => return Vec::new(),
            Doing::Hidden => states::WORKING_HIDDEN,
            Doing::Warning => states::WORKING_WARNING,
            Doing::Out => states::WORKING_OUT,
            Doing::Retracting => states::WORKING_RETRACTING,
            Doing::Jammed => states::JAMMED,
        }]
    }
}

impl HandTrap {
    fn hear(&mut self, event: u16, now: u32, out: &mut Out<'_, Word>) {
        match (self.doing, event) {
            (Doing::Hidden, event::STEP) => self.go(Doing::Warning, now, out),
            (Doing::Jammed, event::OIL) => self.go(Doing::Hidden, now, out),
            (Doing::Jammed, _) => {}
            (_, event::JAM) => self.go(Doing::Jammed, now, out),
            _ => {}
        }
    }

    fn go(&mut self, doing: Doing, now: u32, out: &mut Out<'_, Word>) {
        out.count();
        self.begin(doing, now, out);
    }

    fn begin(&mut self, doing: Doing, now: u32, out: &mut Out<'_, Word>) {
        self.doing = doing;
        let ticks = match doing {
            Doing::Hidden | Doing::Unbuilt => 180,
            Doing::Warning => 15,
            Doing::Out => 30,
            Doing::Retracting => 30 + self.chance.below(31),
            Doing::Jammed => 300,
        };
        self.ends = now + ticks;
        match doing {
            Doing::Hidden | Doing::Unbuilt => self.creaks = now + CREAK_TICKS,
            Doing::Warning => out.say(Word::Click),
            Doing::Out => {
                let damage = self.board.damage;
                out.say(Word::Hit(self.board.stab(damage)));
            }
            Doing::Retracting => out.say(Word::Grind),
            Doing::Jammed => self.board.damage += 1,
        }
    }
}
