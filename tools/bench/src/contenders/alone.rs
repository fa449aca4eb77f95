//! One agent with its machine as code, ticked by itself (`Program::solo`).

use std::slice::from_ref;

use statewright::ids::EventId;
use statewright::{Class, Counters, Event, Instance, Instance64, Program, Turn};

use crate::board::{Board, Totals};
use crate::contenders::Contender;
use crate::script::Script;

/// The agent.
pub struct Alone {
    program: Program<Board, ()>,
    instance: Instance64,
    board: Board,
    /// One event per tick.
    events: Vec<Event>,
    now: u64,
    counters: Counters,
}

impl Alone {
    /// The agent of a program, started.
    pub fn of(program: Program<Board, ()>) -> Result<Self, String> {
        let instance = Instance64::new(&program.machine().rom(), 1, 0);
        let mut alone = Self {
            program,
            instance: instance.ok_or("not of this tier")?,
            board: Board::default(),
            events: Vec::new(),
            now: 1,
            counters: Counters::default(),
        };
        let (instance, board) = (&mut alone.instance, &mut alone.board);
        let started = alone
            .program
            .solo()
            .tick(instance, board, &(), Turn::default());
        started.map_err(|error| error.to_string())?;
        Ok(alone)
    }
}

impl Contender for Alone {
    fn bytes_per_agent(&self) -> usize {
        size_of::<Instance64>() + size_of::<Board>()
    }

    fn load(&mut self, script: &Script) {
        let event = |number: u8| {
            let id = EventId::new(number.into()).expect("event numbers are small");
            Event::new(id, Class::Normal)
        };
        let events = script.singles().expect("one event in every tick");
        self.events = events.into_iter().map(event).collect();
    }

    fn run(&mut self, ticks: usize) {
        let mut solo = self.program.solo();
        let mut events = self.events.iter().cycle();
        for event in events.by_ref().take(ticks) {
            let turn = Turn {
                tick: self.now,
                events: from_ref(event),
                ..Turn::default()
            };
            let done = solo.tick(&mut self.instance, &mut self.board, &(), turn);
            assert!(done.is_ok_and(|done| done.left.is_empty()), "it is taken");
            self.now += 1;
        }
        self.counters.add(&solo.counters());
    }

    fn totals(&self) -> Option<Totals> {
        let boards = std::iter::once(&self.board);
        Some(Totals::of(boards, self.counters.events))
    }
}
