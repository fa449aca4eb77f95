//! The villager written by hand: what he does is one enum, wishes are weighed every second.

use statewright::prelude::*;
use statewright::{Event, StateHandle};

use super::Word;
use super::file::states;
use super::functions::{Home, Say, Villager};
use crate::by_hand::{Chance, Hand, Out, is_due};

type Says<'o, 'a> = &'a mut Out<'o, Word>;

const BREAD: Symbol = Symbol::of("bread");
const HIDE: Symbol = Symbol::of("hide");
const WISH_TICKS: u32 = 10;
const PAUSE_TICKS: u32 = 30;

/// Events, in the order of the file.
mod event {
    pub(super) const ALARM: u16 = 0;
    pub(super) const ALL_CLEAR: u16 = 1;
    pub(super) const FED: u16 = 2;
    pub(super) const DAWN: u16 = 3;
    pub(super) const DUSK: u16 = 4;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Unborn,
    Busy,
    Idle,
    AtHome,
    Eating,
    Sleeping,
    Hiding,
}

/// A villager.
#[derive(Clone, Debug)]
pub struct HandVillager {
    board: Villager,
    chance: Chance,
    doing: Doing,
    /// What to go on with when the danger is over.
    before: Doing,
    /// When he began what he does.
    since: u32,
    /// When the day began: hunger grows from the tick after that on.
    day_since: u32,
    /// When wishes are weighed again, or hiding is over.
    clock: u32,
    /// A log is split.
    is_done: bool,
}

impl Hand for HandVillager {
    type Board = Villager;
    type Command = Word;

    fn new(board: Villager, chance: u32) -> Self {
        Self {
            board,
            chance: Chance(chance),
            doing: Doing::Unborn,
            before: Doing::Busy,
            since: 0,
            day_since: 0,
            clock: 0,
            is_done: false,
        }
    }

    #[inline]
    fn tick(&mut self, now: u32, event: Option<&Event>, out: &mut Out<'_, Word>) {
        if self.doing == Doing::Unborn {
            self.begin_day(Doing::Busy, now, out);
        }
        self.go_on(now, out);
        let is_alarm = |event: &&Event| event.id.get() == event::ALARM;
        let (alarm, other) = (
            event.filter(is_alarm),
            event.filter(|event| !is_alarm(event)),
        );
        if alarm.is_some() {
            self.hide(now, out);
        }
        if is_due(self.clock, now) {
            self.ring(now, out);
            self.go_on(now, out);
        }
        if let Some(event) = other {
            self.hear(event, now, out);
            self.go_on(now, out);
        }
        self.act(now, out);
    }

    fn board(&self) -> &Villager {
        &self.board
    }

    fn chance(&self) -> u32 {
        self.chance.0
    }

    fn leaves(&self) -> Vec<StateHandle> {
        vec![match self.doing {
            Doing::Unborn => return Vec::new(),
            Doing::Busy => states::DAY_CHORES_WORKING_BUSY,
            Doing::Idle => states::DAY_CHORES_WORKING_IDLE,
            Doing::AtHome => states::DAY_CHORES_RESTING,
            Doing::Eating => states::DAY_EATING,
            Doing::Sleeping => states::DAY_SLEEPING,
            Doing::Hiding => states::HIDING,
        }]
    }
}

impl HandVillager {
    /// Between two logs there is a pause.
    #[inline]
    fn go_on(&mut self, now: u32, out: Says<'_, '_>) {
        if self.doing == Doing::Busy && self.is_done {
            out.count();
            self.begin(Doing::Idle, now);
        }
        if self.doing == Doing::Idle && now - self.since >= PAUSE_TICKS {
            out.count();
            self.begin(Doing::Busy, now);
        }
    }

    /// The clock rings: the danger is over, or wishes are weighed.
    fn ring(&mut self, now: u32, out: Says<'_, '_>) {
        if self.doing == Doing::Hiding {
            self.come_out(now, out);
            return;
        }
        self.clock += WISH_TICKS;
        let Some(wish) = self.strongest_wish() else {
            return;
        };
        self.leave();
        out.count();
        self.begin_wish(wish, now, out);
    }

    /// What he would rather do; of equal wishes the first counts, and staying comes first.
    fn strongest_wish(&self) -> Option<Doing> {
        let Villager {
            hunger, fatigue, ..
        } = self.board;
        let stay = match self.doing {
            Doing::Eating => hunger + 0.3,
            Doing::Sleeping => fatigue + 0.3,
            _ => 0.35,
        };
        let mut best = (stay, None);
        let mut weigh = |score: f32, wish: Doing| {
            if score > best.0 {
                best = (score, Some(wish));
            }
        };
        if hunger >= 0.4 {
            weigh(hunger, Doing::Eating);
        }
        if fatigue >= 0.5 {
            weigh(fatigue, Doing::Sleeping);
        }
        if matches!(self.doing, Doing::Eating | Doing::Sleeping) {
            weigh(self.board.duty(), Doing::Busy);
        }
        best.1
    }

    fn hear(&mut self, event: &Event, now: u32, out: Says<'_, '_>) {
        match (event.id.get(), self.doing) {
            (event::ALL_CLEAR, Doing::Hiding) => self.come_out(now, out),
            (event::FED, _) => {
                out.count();
                self.board.hunger = (self.board.hunger - event.f32()).max(0.0);
            }
            (event::DUSK, Doing::Busy | Doing::Idle) => {
                self.leave();
                out.count();
                self.begin(Doing::AtHome, now);
                let fatigue = self.board.fatigue;
                out.say(Word::Home(Home { fatigue }));
            }
            (event::DAWN, Doing::AtHome) => {
                out.count();
                self.begin(Doing::Busy, now);
            }
            _ => {}
        }
    }

    fn act(&mut self, now: u32, out: Says<'_, '_>) {
        if self.doing == Doing::Hiding {
            return;
        }
        if self.since != now {
            match self.doing {
                Doing::Busy => self.work(out),
                Doing::Eating => self.board.hunger = (self.board.hunger - 0.03).max(0.0),
                Doing::Sleeping => self.board.fatigue = (self.board.fatigue - 0.02).max(0.0),
                _ => {}
            }
        }
        if self.day_since != now {
            self.board.hunger = (self.board.hunger + 0.004).min(1.0);
            self.board.fatigue = (self.board.fatigue + 0.002).min(1.0);
        }
    }

    fn work(&mut self, out: Says<'_, '_>) {
        let (status, wood) = self.board.chop();
        self.is_done = status == Status::Succeeded;
        if let Some(wood) = wood {
            out.say(Word::Wood(wood));
        }
    }
}

/// Leaving and beginning.
impl HandVillager {
    fn leave(&mut self) {
        if self.doing == Doing::Busy && !self.is_done {
            self.board.strokes = 0;
        }
    }

    fn begin(&mut self, doing: Doing, now: u32) {
        (self.doing, self.since, self.is_done) = (doing, now, false);
    }

    /// One of the wishes; the clock begins anew.
    fn begin_wish(&mut self, wish: Doing, now: u32, out: Says<'_, '_>) {
        self.begin(wish, now);
        self.clock = now + WISH_TICKS;
        if wish == Doing::Eating {
            out.say(Word::Say(Say { line: BREAD }));
        }
    }

    fn begin_day(&mut self, wish: Doing, now: u32, out: Says<'_, '_>) {
        self.day_since = now;
        self.begin_wish(wish, now, out);
    }

    fn hide(&mut self, now: u32, out: Says<'_, '_>) {
        self.leave();
        self.before = match self.doing {
            Doing::Hiding => self.before,
            Doing::Eating | Doing::Sleeping => self.doing,
            _ => Doing::Busy,
        };
        out.count();
        self.begin(Doing::Hiding, now);
        self.clock = now + 50 + self.chance.below(31);
        out.say(Word::Say(Say { line: HIDE }));
    }

    fn come_out(&mut self, now: u32, out: Says<'_, '_>) {
        out.count();
        self.begin_day(self.before, now, out);
    }
}
