//! The pedestrian written by hand: one enum, one deadline, one cooldown.

use statewright::{Event, StateHandle};

use super::Word;
use super::file::states;
use super::functions::Person;
use crate::by_hand::{Hand, Out, is_due};

/// Louder bangs frighten.
pub(super) const BRAVE: f32 = 0.4;
/// In a better mood people chat.
pub(super) const CHATTY: f32 = 0.6;
/// Between two chats.
pub(super) const COOLDOWN_TICKS: u32 = 600;

/// Events, in the order of the file.
pub(super) mod event {
    pub(in super::super) const ARRIVED: u16 = 0;
    pub(in super::super) const LIGHT_RED: u16 = 1;
    pub(in super::super) const LIGHT_GREEN: u16 = 2;
    pub(in super::super) const BANG: u16 = 3;
    pub(in super::super) const GREETED: u16 = 4;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Walking,
    Waiting,
    Chatting,
    LookingAround,
    Panic,
}

impl Doing {
    /// How long it lasts at most.
    fn ticks(self) -> Option<u32> {
        match self {
            Self::Walking => None,
            Self::Waiting => Some(300),
            Self::Chatting => Some(80),
            Self::LookingAround => Some(30),
            Self::Panic => Some(200),
        }
    }
}

/// A pedestrian.
#[derive(Clone, Debug)]
pub struct HandPerson {
    board: Person,
    chance: u32,
    doing: Doing,
    /// What to go on with after a panic.
    before: Doing,
    ends: Option<u32>,
    chats_again: Option<u32>,
    is_born: bool,
}

impl Hand for HandPerson {
    type Board = Person;
    type Command = Word;

    fn new(board: Person, chance: u32) -> Self {
        Self {
            board,
            chance,
            doing: Doing::Walking,
            before: Doing::Walking,
            ends: None,
            chats_again: None,
            is_born: false,
        }
    }

    #[inline]
    fn tick(&mut self, now: u32, event: Option<&Event>, out: &mut Out<'_, Word>) {
        if !self.is_born {
            self.is_born = true;
            self.begin(Doing::Walking, now, out);
        }
        let is_bang = |event: &&Event| event.id.get() == event::BANG;
        if let Some(bang) = event.filter(is_bang)
            && bang.f32() > BRAVE
        {
            self.panic(bang.f32(), now, out);
        }
        if let Some(end) = self.ends
            && is_due(end, now)
        {
            self.end(now, out);
        }
        if let Some(event) = event {
            self.hear(event.id.get(), now, out);
        }
    }

    fn board(&self) -> &Person {
        &self.board
    }

    fn chance(&self) -> u32 {
        self.chance
    }

    fn leaves(&self) -> Vec<StateHandle> {
        vec![match self.doing {
            Doing::Walking => states::STROLLING_WALKING,
            Doing::Waiting => states::STROLLING_WAITING,
            Doing::Chatting => states::STROLLING_CHATTING,
            Doing::LookingAround => states::STROLLING_LOOKING_AROUND,
            Doing::Panic => states::PANIC,
        }]
    }
}

impl HandPerson {
    fn panic(&mut self, loudness: f32, now: u32, out: &mut Out<'_, Word>) {
        if self.doing != Doing::Panic {
            self.before = self.doing;
        }
        self.board.fear = loudness;
        out.count();
        self.begin(Doing::Panic, now, out);
    }

    /// What was done lasted long enough.
    fn end(&mut self, now: u32, out: &mut Out<'_, Word>) {
        let next = match self.doing {
            Doing::Panic => self.before,
            _ => Doing::Walking,
        };
        match self.doing {
            Doing::Waiting => self.board.mood -= 0.1,
            Doing::Chatting => self.board.mood += 0.1,
            Doing::Panic => self.board.fear = 0.0,
            Doing::Walking | Doing::LookingAround => {}
        }
        out.count();
        self.begin(next, now, out);
    }

    fn hear(&mut self, event: u16, now: u32, out: &mut Out<'_, Word>) {
        let next = match (self.doing, event) {
            (Doing::Walking, event::LIGHT_RED) if !self.board.hurry => Doing::Waiting,
            (Doing::Walking, event::ARRIVED) => Doing::LookingAround,
            (Doing::Waiting, event::LIGHT_GREEN) => Doing::Walking,
            (Doing::Walking, event::GREETED) if self.wants_to_chat(now) => {
                self.chats_again = Some(now + COOLDOWN_TICKS);
                Doing::Chatting
            }
            _ => return,
        };
        out.count();
        self.begin(next, now, out);
    }

    fn wants_to_chat(&self, now: u32) -> bool {
        let may = self.chats_again.is_none_or(|again| is_due(again, now));
        may && self.board.mood > CHATTY
    }

    fn begin(&mut self, doing: Doing, now: u32, out: &mut Out<'_, Word>) {
        self.doing = doing;
        self.ends = doing.ticks().map(|ticks| now + ticks);
        match doing {
            Doing::Walking => out.say(Word::Walk),
            Doing::Waiting => out.say(Word::Stand),
            Doing::Panic => out.say(Word::Run(self.board.fear)),
            Doing::Chatting | Doing::LookingAround => {}
        }
    }
}
