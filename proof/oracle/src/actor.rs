//! What user code may do to its own agent (CODE-1).

use statewright_author::value::Class;

use crate::oracle::Oracle;
use crate::queue::Posted;
use crate::world::Rng;

/// The agent, as its actions and activities may change it.
#[derive(Debug)]
pub struct Actor<'a> {
    pub(crate) oracle: &'a mut Oracle,
    pub(crate) tick: u32,
}

impl Actor<'_> {
    /// Posts an event to the agent itself.
    pub fn post(
        &mut self,
        event: usize,
        class: Option<Class>,
        payload: [u32; 4],
        internal: bool,
    ) -> Posted {
        let hidden = self.oracle.hides_posts();
        self.oracle
            .admit(self.tick, event, class, payload, internal, hidden)
    }

    /// Starts a named timer; nothing happens if it belongs to a state that is not active.
    pub fn start_timer(&mut self, timer: usize, ticks: u32) {
        if !self.oracle.observing {
            self.oracle.start_timer(timer, ticks, self.tick);
        }
    }

    /// Stops a timer.
    pub fn stop_timer(&mut self, timer: usize) {
        if !self.oracle.observing {
            self.oracle.stop_timer(timer);
        }
    }

    /// Forgets what the history points of a state remember.
    pub fn clear_history(&mut self, state: usize) {
        if !self.oracle.observing {
            self.oracle.clear_history(state);
        }
    }

    /// The random number generator.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.oracle.rng
    }

    /// Slots of a scratch.
    pub fn scratch(&self, scratch: usize) -> Vec<u16> {
        self.oracle.scratch[scratch].clone()
    }

    /// Writes one slot of a scratch; nothing happens if its owner is not active.
    pub fn set_scratch(&mut self, scratch: usize, slot: usize, value: u16) {
        let owner = self.oracle.model.scratch[scratch].owner;
        if self.oracle.active.contains(&owner) && !self.oracle.observing {
            self.oracle.scratch[scratch][slot] = value;
        }
    }

    /// Whether a state is active.
    pub fn is_active(&self, state: usize) -> bool {
        self.oracle.active.contains(&state)
    }

    /// A command of user code was dropped by the budget (CMD-2).
    pub fn command_dropped(&mut self, critical: bool) {
        self.oracle.note_dropped_command(critical);
    }
}

impl Oracle {
    /// Events that callbacks post in a tick stay hidden until its end (TICK-7).
    pub(crate) fn hides_posts(&self) -> bool {
        self.in_tick && self.model.posted_next_tick
    }

    pub(crate) fn note_dropped_command(&mut self, critical: bool) {
        self.counters.command_drops += 1;
        self.flags.command_dropped = true;
        self.flags.critical_dropped |= critical;
    }
}
