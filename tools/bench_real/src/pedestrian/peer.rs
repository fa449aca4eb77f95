//! The pedestrian in the crate `statig`. It has no clock: a tick is an event, and deadlines are
//! fields.

use statewright::{Event, StateHandle};
use statig::blocking::InitializedStateMachine;
use statig::prelude::*;

use super::Word;
use super::file::states;
use super::functions::Person;
use super::hand::{BRAVE, CHATTY, COOLDOWN_TICKS, event};
use crate::by_hand::{Hand, Out, Turn, is_due};

/// What a handler is given.
#[derive(Debug)]
pub enum Input {
    /// Time goes on.
    Tick,
    /// Something happened; a number if the event has one.
    Event(u16, f32),
}

/// What all states share.
#[derive(Clone, Debug)]
pub struct Walker {
    board: Person,
    ends: u32,
    chats_again: Option<u32>,
    before: State,
}

impl Walker {
    /// What everybody does when there is a bang; `from` is where to go on.
    #[inline]
    fn bang(&mut self, loudness: f32, from: State, turn: &mut Turn<Word>) -> Outcome<State> {
        if loudness > BRAVE {
            self.before = from;
            self.board.fear = loudness;
            turn.count();
            Transition(State::panic())
        } else {
            Handled
        }
    }

    #[inline]
    fn go(to: State, turn: &mut Turn<Word>) -> Outcome<State> {
        turn.count();
        Transition(to)
    }

    fn wants_to_chat(&self, now: u32) -> bool {
        let may = self.chats_again.is_none_or(|again| is_due(again, now));
        may && self.board.mood > CHATTY
    }
}

#[state_machine(initial = "State::walking()", state(derive(Clone, Debug, PartialEq)))]
impl Walker {
    #[state(entry_action = "enter_walking")]
    fn walking(&mut self, event: &Input, context: &mut Turn<Word>) -> Outcome<State> {
        match *event {
            Input::Event(event::BANG, loudness) => self.bang(loudness, State::walking(), context),
            Input::Event(event::LIGHT_RED, _) if !self.board.hurry => {
                Self::go(State::waiting(), context)
            }
            Input::Event(event::ARRIVED, _) => Self::go(State::looking_around(), context),
            Input::Event(event::GREETED, _) if self.wants_to_chat(context.now) => {
                self.chats_again = Some(context.now + COOLDOWN_TICKS);
                Self::go(State::chatting(), context)
            }
            _ => Handled,
        }
    }

    #[state(entry_action = "enter_waiting")]
    fn waiting(&mut self, event: &Input, context: &mut Turn<Word>) -> Outcome<State> {
        match *event {
            Input::Tick if is_due(self.ends, context.now) => {
                self.board.mood -= 0.1;
                Self::go(State::walking(), context)
            }
            Input::Event(event::BANG, loudness) => self.bang(loudness, State::waiting(), context),
            Input::Event(event::LIGHT_GREEN, _) => Self::go(State::walking(), context),
            _ => Handled,
        }
    }

    #[state(entry_action = "enter_chatting")]
    fn chatting(&mut self, event: &Input, context: &mut Turn<Word>) -> Outcome<State> {
        match *event {
            Input::Tick if is_due(self.ends, context.now) => {
                self.board.mood += 0.1;
                Self::go(State::walking(), context)
            }
            Input::Event(event::BANG, loudness) => self.bang(loudness, State::chatting(), context),
            _ => Handled,
        }
    }

    #[state(entry_action = "enter_looking_around")]
    fn looking_around(&mut self, event: &Input, context: &mut Turn<Word>) -> Outcome<State> {
        match *event {
            Input::Tick if is_due(self.ends, context.now) => Self::go(State::walking(), context),
            Input::Event(event::BANG, loudness) => {
                self.bang(loudness, State::looking_around(), context)
            }
            _ => Handled,
        }
    }

    #[state(entry_action = "enter_panic")]
    fn panic(&mut self, event: &Input, context: &mut Turn<Word>) -> Outcome<State> {
        match *event {
            Input::Tick if is_due(self.ends, context.now) => {
                self.board.fear = 0.0;
                Self::go(self.before.clone(), context)
            }
            Input::Event(event::BANG, loudness) => {
                let before = self.before.clone();
                self.bang(loudness, before, context)
            }
            _ => Handled,
        }
    }

    #[action]
    fn enter_walking(&mut self, context: &mut Turn<Word>) {
        context.say(Word::Walk);
    }

    #[action]
    fn enter_waiting(&mut self, context: &mut Turn<Word>) {
        self.ends = context.now + 300;
        context.say(Word::Stand);
    }

    #[action]
    fn enter_chatting(&mut self, context: &mut Turn<Word>) {
        self.ends = context.now + 80;
    }

    #[action]
    fn enter_looking_around(&mut self, context: &mut Turn<Word>) {
        self.ends = context.now + 30;
    }

    #[action]
    fn enter_panic(&mut self, context: &mut Turn<Word>) {
        self.ends = context.now + 200;
        context.say(Word::Run(self.board.fear));
    }
}

/// A pedestrian.
#[derive(Clone)]
pub struct StatigPerson {
    machine: InitializedStateMachine<Walker>,
    chance: u32,
    is_born: bool,
}

impl StatigPerson {
    #[inline]
    fn handle(&mut self, now: u32, input: &Input, out: &mut Out<'_, Word>) {
        let mut turn = Turn::new(now);
        self.machine.handle_with_context(input, &mut turn);
        turn.end(out);
    }
}

impl Hand for StatigPerson {
    type Board = Person;
    type Command = Word;

    fn new(board: Person, chance: u32) -> Self {
        let (ends, chats_again, before) = (0, None, State::walking());
        let walker = Walker {
            board,
            ends,
            chats_again,
            before,
        };
        // What is said before the first tick is said again in it.
        let machine = walker
            .uninitialized_state_machine()
            .init_with_context(&mut Turn::new(0));
        Self {
            machine,
            chance,
            is_born: false,
        }
    }

    #[inline]
    fn tick(&mut self, now: u32, event: Option<&Event>, out: &mut Out<'_, Word>) {
        if !self.is_born {
            self.is_born = true;
            out.say(Word::Walk);
        }
        let input = event.map(|event| Input::Event(event.id.get(), event.f32()));
        let is_bang = matches!(input, Some(Input::Event(event::BANG, _)));
        if let Some(bang) = input.as_ref().filter(|_| is_bang) {
            self.handle(now, bang, out);
        }
        self.handle(now, &Input::Tick, out);
        if let Some(input) = input.as_ref().filter(|_| !is_bang) {
            self.handle(now, input, out);
        }
    }

    fn board(&self) -> &Person {
        &self.machine.inner().board
    }

    fn chance(&self) -> u32 {
        self.chance
    }

    fn leaves(&self) -> Vec<StateHandle> {
        vec![match self.machine.state() {
            State::Walking {} => states::STROLLING_WALKING,
            State::Waiting {} => states::STROLLING_WAITING,
            State::Chatting {} => states::STROLLING_CHATTING,
            State::LookingAround {} => states::STROLLING_LOOKING_AROUND,
            State::Panic {} => states::PANIC,
        }]
    }
}
