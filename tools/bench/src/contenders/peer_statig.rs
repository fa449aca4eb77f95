//! The machine in the crate `statig`: hierarchy with superstates, entry and exit actions; effects
//! run in the handler.
//!
//! Death stands in each of the outermost states. A superstate for the root would be closer to the
//! machine file, but would cost `statig` nearly twice the instructions: it is shown at its best.

use std::hint::black_box;

use statig::prelude::*;

use crate::board::{Board, Totals};
use crate::callbacks::state::*;
use crate::callbacks::{effect, enter, exit};
use crate::contenders::Contender;
use crate::script::event::*;
use crate::script::{Script, Tick};

struct Fighter {
    board: Board,
}

impl Fighter {
    /// Runs the effect and goes on.
    #[inline]
    fn go<const EVENT: u8>(&mut self, to: State) -> Outcome<State> {
        effect::<EVENT>(&mut self.board);
        Transition(to)
    }
}

#[state_machine(initial = "State::idle()")]
impl Fighter {
    #[state(entry_action = "enter_idle", exit_action = "exit_idle")]
    fn idle(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            SIGHT => self.go::<SIGHT>(State::approach()),
            DIE => self.go::<DIE>(State::dead()),
            _ => Super,
        }
    }

    #[state(entry_action = "enter_patrol", exit_action = "exit_patrol")]
    fn patrol(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            SIGHT => self.go::<SIGHT>(State::approach()),
            DIE => self.go::<DIE>(State::dead()),
            _ => Super,
        }
    }

    #[superstate(entry_action = "enter_combat", exit_action = "exit_combat")]
    fn combat(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            LOST => self.go::<LOST>(State::patrol()),
            DIE => self.go::<DIE>(State::dead()),
            _ => Super,
        }
    }

    #[state(
        superstate = "combat",
        entry_action = "enter_approach",
        exit_action = "exit_approach"
    )]
    fn approach(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            IN_RANGE => self.go::<IN_RANGE>(State::windup()),
            _ => Super,
        }
    }

    #[superstate(
        superstate = "combat",
        entry_action = "enter_attack",
        exit_action = "exit_attack"
    )]
    fn attack(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            LOW_HP => self.go::<LOW_HP>(State::retreat()),
            _ => Super,
        }
    }

    #[state(
        superstate = "attack",
        entry_action = "enter_windup",
        exit_action = "exit_windup"
    )]
    fn windup(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            SWING => self.go::<SWING>(State::strike()),
            _ => Super,
        }
    }

    #[state(
        superstate = "attack",
        entry_action = "enter_strike",
        exit_action = "exit_strike"
    )]
    fn strike(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            SWING => self.go::<SWING>(State::windup()),
            _ => Super,
        }
    }

    #[state(
        superstate = "combat",
        entry_action = "enter_retreat",
        exit_action = "exit_retreat"
    )]
    fn retreat(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            HEALED => self.go::<HEALED>(State::windup()),
            _ => Super,
        }
    }

    #[state(entry_action = "enter_dead", exit_action = "exit_dead")]
    fn dead(&mut self, event: &u8) -> Outcome<State> {
        match *event {
            DIE => self.go::<DIE>(State::dead()),
            _ => Super,
        }
    }

    #[action]
    fn enter_idle(&mut self) {
        enter::<IDLE>(&mut self.board);
    }

    #[action]
    fn exit_idle(&mut self) {
        exit::<IDLE>(&mut self.board);
    }

    #[action]
    fn enter_patrol(&mut self) {
        enter::<PATROL>(&mut self.board);
    }

    #[action]
    fn exit_patrol(&mut self) {
        exit::<PATROL>(&mut self.board);
    }

    #[action]
    fn enter_combat(&mut self) {
        enter::<COMBAT>(&mut self.board);
    }

    #[action]
    fn exit_combat(&mut self) {
        exit::<COMBAT>(&mut self.board);
    }

    #[action]
    fn enter_approach(&mut self) {
        enter::<APPROACH>(&mut self.board);
    }

    #[action]
    fn exit_approach(&mut self) {
        exit::<APPROACH>(&mut self.board);
    }

    #[action]
    fn enter_attack(&mut self) {
        enter::<ATTACK>(&mut self.board);
    }

    #[action]
    fn exit_attack(&mut self) {
        exit::<ATTACK>(&mut self.board);
    }

    #[action]
    fn enter_windup(&mut self) {
        enter::<WINDUP>(&mut self.board);
    }

    #[action]
    fn exit_windup(&mut self) {
        exit::<WINDUP>(&mut self.board);
    }

    #[action]
    fn enter_strike(&mut self) {
        enter::<STRIKE>(&mut self.board);
    }

    #[action]
    fn exit_strike(&mut self) {
        exit::<STRIKE>(&mut self.board);
    }

    #[action]
    fn enter_retreat(&mut self) {
        enter::<RETREAT>(&mut self.board);
    }

    #[action]
    fn exit_retreat(&mut self) {
        exit::<RETREAT>(&mut self.board);
    }

    #[action]
    fn enter_dead(&mut self) {
        enter::<DEAD>(&mut self.board);
    }

    #[action]
    fn exit_dead(&mut self) {
        exit::<DEAD>(&mut self.board);
    }
}

/// Many machines.
pub struct Fighters {
    machines: Vec<InitializedStateMachine<Fighter>>,
    script: Script,
    singles: Option<Vec<u8>>,
    events: u64,
}

impl Fighters {
    /// New machines, idle.
    pub fn new(agents: usize) -> Self {
        let new = |_| {
            Fighter {
                board: Board::default(),
            }
            .uninitialized_state_machine()
            .init()
        };
        Self {
            machines: (0..agents).map(new).collect(),
            script: Script::default(),
            singles: None,
            events: 0,
        }
    }
}

impl Contender for Fighters {
    fn bytes_per_agent(&self) -> usize {
        size_of::<InitializedStateMachine<Fighter>>()
    }

    fn load(&mut self, script: &Script) {
        self.script.clone_from(script);
        self.singles = script.singles();
    }

    fn run(&mut self, ticks: usize) {
        self.events += self.script.events(ticks);
        if let Some(events) = &self.singles {
            events
                .iter()
                .cycle()
                .take(ticks)
                .for_each(|event| black_box(&mut self.machines[0]).handle(event));
            return;
        }
        for tick in self.script.ticks.iter().cycle().take(ticks) {
            match black_box(tick) {
                Tick::Quiet => {}
                Tick::All(events) => {
                    self.machines
                        .iter_mut()
                        .zip(events)
                        .for_each(|(machine, event)| machine.handle(event));
                }
                Tick::Some(events) => {
                    events
                        .iter()
                        .for_each(|(place, event)| self.machines[*place as usize].handle(event));
                }
            }
        }
    }

    fn totals(&self) -> Option<Totals> {
        Some(Totals::of(
            self.machines.iter().map(|machine| &machine.inner().board),
            self.events,
        ))
    }
}
