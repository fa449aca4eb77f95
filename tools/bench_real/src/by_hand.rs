//! Agents written by hand: a struct each, all in a vector, and a vector that commands are pushed to.

use std::hint::black_box;

use statewright::{Event, InboxEvent, Instance, StateHandle};

use super::contender::{Contender, Outcome, sorted};
use super::machine::{Real, SEED};

/// One agent.
pub trait Hand: Clone {
    /// Its blackboard.
    type Board;
    /// What it says.
    type Command;

    /// A new one; `chance` is what its random numbers begin with.
    fn new(board: Self::Board, chance: u32) -> Self;

    /// One tick, with at most one event from outside.
    fn tick(&mut self, now: u32, event: Option<&Event>, out: &mut Out<'_, Self::Command>);

    /// Its blackboard.
    fn board(&self) -> &Self::Board;

    /// The state of its random numbers.
    fn chance(&self) -> u32;

    /// The states that it is in, as the machine file calls them; none if it ended.
    fn leaves(&self) -> Vec<StateHandle>;
}

/// What an agent leaves behind in a tick.
pub struct Out<'o, C> {
    place: u32,
    commands: &'o mut Vec<(u32, C)>,
    transitions: &'o mut u64,
}

impl<C> Out<'_, C> {
    /// Something for the game to do.
    #[inline]
    pub fn say(&mut self, command: C) {
        self.commands.push((self.place, command));
    }

    /// A transition was carried out.
    #[inline]
    pub fn count(&mut self) {
        *self.transitions += 1;
    }
}

/// What one handler of a peer leaves behind: it cannot hold on to an [`Out`]. It carries out one
/// transition and says one thing, at most.
#[derive(Debug)]
pub struct Turn<C> {
    /// The tick.
    pub now: u32,
    said: Option<C>,
    moved: bool,
}

impl<C> Turn<C> {
    /// Nothing has happened yet.
    #[inline]
    pub fn new(now: u32) -> Self {
        let (said, moved) = (None, false);
        Self { now, said, moved }
    }

    /// Something for the game to do.
    #[inline]
    pub fn say(&mut self, command: C) {
        self.said = Some(command);
    }

    /// A transition was carried out.
    #[inline]
    pub fn count(&mut self) {
        self.moved = true;
    }

    /// Hands everything on.
    #[inline]
    pub fn end(self, out: &mut Out<'_, C>) {
        if self.moved {
            out.count();
        }
        if let Some(said) = self.said {
            out.say(said);
        }
    }
}

/// Random numbers as agents of Statewright have them (CODE-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance(pub u32);

impl Chance {
    #[inline]
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A number in [0, 1).
    #[inline]
    pub fn float(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 24) as f32
    }

    /// A number up to a bound, which is left out.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(bound)) >> 32) as u32
    }
}

/// Has a tick come? Ticks wrap.
#[inline]
pub fn is_due(deadline: u32, now: u32) -> bool {
    now.wrapping_sub(deadline) as i32 >= 0
}

/// Many agents.
pub struct ByHand<R: Real, H = <R as Real>::Hand> {
    name: &'static str,
    agents: Vec<H>,
    commands: Vec<(u32, R::Command)>,
    transitions: u64,
    now: u32,
    kept: (Vec<H>, u64, u32),
}

impl<R: Real, H: Hand<Board = R::Board, Command = R::Command>> ByHand<R, H> {
    /// So many agents, under this name.
    pub fn new(name: &'static str, agents: usize) -> Self {
        let machine = R::machine();
        let rom = machine.rom();
        let new = |place: usize| {
            let like = R::Instance::new(&rom, SEED, place as u64).expect("the tier fits");
            H::new(R::board(place), like.header().rng.get())
        };
        let mut all = Self {
            name,
            agents: (0..agents).map(new).collect(),
            commands: Vec::new(),
            transitions: 0,
            now: 0,
            kept: (Vec::new(), 0, 0),
        };
        all.tick(&[]);
        all.keep();
        all
    }
}

impl<R: Real, H: Hand<Board = R::Board, Command = R::Command>> Contender<R> for ByHand<R, H> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn tick(&mut self, inbox: &[InboxEvent]) {
        self.commands.clear();
        let mut out = Out {
            place: 0,
            commands: &mut self.commands,
            transitions: &mut self.transitions,
        };
        let mut events = inbox;
        for agent in &mut self.agents {
            let event = match events {
                [first, rest @ ..] if first.place == out.place => {
                    events = rest;
                    Some(&first.event)
                }
                _ => None,
            };
            agent.tick(self.now, event, &mut out);
            out.place += 1;
        }
        black_box(&self.commands);
        self.now = self.now.wrapping_add(1);
    }

    fn keep(&mut self) {
        self.kept = (self.agents.clone(), self.transitions, self.now);
    }

    fn go_back(&mut self) {
        self.agents.clone_from(&self.kept.0);
        (self.transitions, self.now) = (self.kept.1, self.kept.2);
    }

    fn outcome(&self) -> Outcome<R> {
        let agents = self.agents.iter();
        Outcome {
            leaves: agents
                .clone()
                .map(|agent| sorted(agent.leaves().into_iter()))
                .collect(),
            boards: agents.clone().map(|agent| agent.board().clone()).collect(),
            chances: agents.map(Hand::chance).collect(),
            commands: self.commands.clone(),
            transitions: self.transitions,
        }
    }
}
