//! The machine written by hand: one agent is 64 bytes, states and events meet in a `match`.
//!
//! Generic over how callbacks are called, so that `hand64` and `hand_call` differ in nothing else.

use std::hint::black_box;

use crate::board::{Board, Totals};
use crate::callbacks::state::*;
use crate::contenders::Contender;
use crate::script::event::*;
use crate::script::{Script, Tick};

/// How callbacks are called.
pub trait Calls {
    /// An exit.
    fn exit<const STATE: u8>(board: &mut Board);
    /// An effect.
    fn effect<const EVENT: u8>(board: &mut Board);
    /// An entry.
    fn enter<const STATE: u8>(board: &mut Board);
    /// The activity.
    fn aim(board: &mut Board);
    /// The guard.
    fn ready(board: &Board) -> bool;
}

/// One agent, as large as an instance of the crowd tier.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Agent {
    state: u8,
    mood: u8,
    /// Something is to be done in the next tick.
    busy: u8,
    armed: u8,
    deadline: u32,
    board: Board,
}

const _: () = assert!(size_of::<Agent>() == 64);

/// Exits from the inside, the effect, entries from the outside; ends in the state entered last.
macro_rules! go {
    ($calls:ident, $board:ident: exit $($exit:ident)*, do $effect:ident, enter $($enter:ident)*) => {{
        $( $calls::exit::<$exit>($board); )*
        $calls::effect::<$effect>($board);
        $( $calls::enter::<$enter>($board); )*
        [$( $enter ),*][[$( $enter ),*].len() - 1]
    }};
}

/// The state after an event. `GUARDED` is the machine in which LOW_HP and HEALED ask a guard.
#[inline(always)]
fn next_state<C: Calls, const GUARDED: bool>(state: u8, event: u8, board: &mut Board) -> u8 {
    match (state, event) {
        (IDLE, SIGHT) => go!(C, board: exit IDLE, do SIGHT, enter COMBAT APPROACH),
        (IDLE, DIE) => go!(C, board: exit IDLE, do DIE, enter DEAD),
        (PATROL, SIGHT) => go!(C, board: exit PATROL, do SIGHT, enter COMBAT APPROACH),
        (PATROL, DIE) => go!(C, board: exit PATROL, do DIE, enter DEAD),
        (APPROACH, IN_RANGE) => go!(C, board: exit APPROACH, do IN_RANGE, enter ATTACK WINDUP),
        (APPROACH, LOST) => go!(C, board: exit APPROACH COMBAT, do LOST, enter PATROL),
        (APPROACH, DIE) => go!(C, board: exit APPROACH COMBAT, do DIE, enter DEAD),
        (WINDUP, SWING) => go!(C, board: exit WINDUP, do SWING, enter STRIKE),
        (WINDUP, LOW_HP) if !GUARDED || C::ready(board) => {
            go!(C, board: exit WINDUP ATTACK, do LOW_HP, enter RETREAT)
        }
        (WINDUP, LOST) => go!(C, board: exit WINDUP ATTACK COMBAT, do LOST, enter PATROL),
        (WINDUP, DIE) => go!(C, board: exit WINDUP ATTACK COMBAT, do DIE, enter DEAD),
        (STRIKE, SWING) => go!(C, board: exit STRIKE, do SWING, enter WINDUP),
        (STRIKE, LOW_HP) if !GUARDED || C::ready(board) => {
            go!(C, board: exit STRIKE ATTACK, do LOW_HP, enter RETREAT)
        }
        (STRIKE, LOST) => go!(C, board: exit STRIKE ATTACK COMBAT, do LOST, enter PATROL),
        (STRIKE, DIE) => go!(C, board: exit STRIKE ATTACK COMBAT, do DIE, enter DEAD),
        (RETREAT, HEALED) if !GUARDED || C::ready(board) => {
            go!(C, board: exit RETREAT, do HEALED, enter ATTACK WINDUP)
        }
        (RETREAT, LOST) => go!(C, board: exit RETREAT COMBAT, do LOST, enter PATROL),
        (RETREAT, DIE) => go!(C, board: exit RETREAT COMBAT, do DIE, enter DEAD),
        (DEAD, DIE) => go!(C, board: exit DEAD, do DIE, enter DEAD),
        _ => state,
    }
}

/// The second region.
#[inline(always)]
fn next_mood<C: Calls>(mood: u8, event: u8, board: &mut Board) -> u8 {
    match (mood, event) {
        (CALM, ALARM) => go!(C, board: exit CALM, do ALARM, enter ALERT),
        (ALERT, REST) => go!(C, board: exit ALERT, do REST, enter CALM),
        _ => mood,
    }
}

#[inline(always)]
fn take<C: Calls, const REGIONS: bool>(agent: &mut Agent, event: u8) {
    agent.state = next_state::<C, REGIONS>(agent.state, event, &mut agent.board);
    if REGIONS {
        agent.mood = next_mood::<C>(agent.mood, event, &mut agent.board);
    }
}

/// A tick without events: one look at the agent, and at its deadline if it has one. `ACTIVITY` is
/// the machine that aims in `windup`.
#[inline(always)]
fn look<C: Calls, const REGIONS: bool, const ACTIVITY: bool>(agent: &mut Agent, now: u32) {
    let due = agent.armed != 0 && (now.wrapping_sub(agent.deadline) as i32) >= 0;
    if agent.busy != 0 || due {
        agent.armed = 0;
        take::<C, REGIONS>(agent, SWING);
    }
    if ACTIVITY && agent.state == WINDUP {
        C::aim(&mut agent.board);
    }
}

/// Many agents.
pub struct Agents<C, const REGIONS: bool, const ACTIVITY: bool> {
    agents: Vec<Agent>,
    script: Script,
    singles: Option<Vec<u8>>,
    now: u32,
    events: u64,
    calls: std::marker::PhantomData<C>,
}

impl<C: Calls, const REGIONS: bool, const ACTIVITY: bool> Agents<C, REGIONS, ACTIVITY> {
    /// New agents, idle.
    pub fn new(agents: usize, timer: bool) -> Self {
        let mut board = Board::default();
        C::enter::<IDLE>(&mut board);
        if REGIONS {
            C::enter::<CALM>(&mut board);
        }
        let agent = Agent {
            state: IDLE,
            mood: CALM,
            busy: 0,
            armed: u8::from(timer),
            deadline: i32::MAX as u32,
            board,
        };
        Self {
            agents: vec![agent; agents],
            script: Script::default(),
            singles: None,
            now: 0,
            events: 0,
            calls: std::marker::PhantomData,
        }
    }
}

impl<C: Calls, const REGIONS: bool, const ACTIVITY: bool> Contender
    for Agents<C, REGIONS, ACTIVITY>
{
    fn bytes_per_agent(&self) -> usize {
        size_of::<Agent>()
    }

    fn load(&mut self, script: &Script) {
        self.script.clone_from(script);
        self.singles = script.singles();
    }

    fn run(&mut self, ticks: usize) {
        self.events += self.script.events(ticks);
        if let Some(events) = &self.singles {
            for &event in events.iter().cycle().take(ticks) {
                take::<C, REGIONS>(black_box(&mut self.agents[0]), event);
            }
            return;
        }
        for tick in self.script.ticks.iter().cycle().take(ticks) {
            match black_box(tick) {
                Tick::Quiet => self
                    .agents
                    .iter_mut()
                    .for_each(|agent| look::<C, REGIONS, ACTIVITY>(agent, self.now)),
                Tick::All(events) => {
                    self.agents
                        .iter_mut()
                        .zip(events)
                        .for_each(|(agent, &event)| take::<C, REGIONS>(agent, event));
                }
                Tick::Some(events) => {
                    for &(place, event) in events {
                        take::<C, REGIONS>(&mut self.agents[place as usize], event);
                    }
                }
            }
            self.now = self.now.wrapping_add(1);
        }
    }

    fn totals(&self) -> Option<Totals> {
        Some(Totals::of(
            self.agents.iter().map(|agent| &agent.board),
            self.events,
        ))
    }
}
