//! Which tick comes, and who has a turn in it (SYS-2).

use statewright_kernel::{InboxEvent, Sleep};

use super::agent_set::AgentSet;
use super::wake::WakeSet;

/// Which tick comes, and who has a turn in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    /// The next tick. Agents see its low half.
    pub(super) now: u64,
    wake: WakeSet,
    /// Agents whose exits run in the next tick.
    pub(super) stopping: AgentSet,
    /// Who has a turn, and who of them stops, in order; kept for their memory.
    pub(super) turns: Vec<u32>,
    pub(super) stops: Vec<u32>,
}

/// Between ticks.
impl Schedule {
    /// How many agents are awake.
    pub(super) fn awake(&self) -> usize {
        self.wake.count()
    }

    /// An agent has a turn in the next tick.
    pub(super) fn wake(&mut self, index: usize) {
        self.wake.wake(index);
    }

    /// An agent has none, and no time wakes it: it is gone or paused.
    pub(super) fn put_to_sleep(&mut self, index: usize) {
        self.wake.put_to_sleep(index);
    }

    /// An agent has one if it does not sleep.
    pub(super) fn settle(&mut self, index: usize, sleep: Sleep) {
        self.wake.settle(index, sleep, self.now.wrapping_sub(1));
    }

    /// Who is awake.
    pub(super) fn awake_now(&self) -> &AgentSet {
        self.wake.awake()
    }

    /// Time went back to when these were awake, and nobody else.
    pub(super) fn awake_again(&mut self, awake: &AgentSet) {
        self.wake.awake_like(awake);
    }

    /// May anybody wait for a tick?
    pub(super) fn knows_deadlines(&self) -> bool {
        self.wake.knows_deadlines()
    }

    /// Time went back to now: does everybody who waits still wait for the right tick?
    pub(super) fn can_go_back(&self) -> bool {
        self.wake.reaches_back_to(self.now)
    }

    /// An agent is stopped in the next tick.
    pub(super) fn stop(&mut self, index: usize) {
        self.stopping.insert(index);
        self.wake.wake(index);
    }

    /// It is not: it is reset or gone.
    pub(super) fn do_not_stop(&mut self, index: usize) {
        self.stopping.remove(index);
    }

    /// Who is awake follows from the agents: these, by index, and those that stop.
    pub(super) fn wake_by_state(&mut self, agents: impl Iterator<Item = (usize, Sleep)>) {
        self.wake.clear();
        let last = self.now.wrapping_sub(1);
        agents.for_each(|(index, sleep)| self.wake.begin(index, sleep, last));
        for index in self.stopping.iter() {
            self.wake.wake(index as usize);
        }
    }
}

/// Ticks.
impl Schedule {
    /// Lists who has a turn. Nothing has happened yet: the tick may be refused.
    pub(super) fn list_turns(&mut self) {
        self.wake.wake_due(self.now);
        self.stopping.list(&mut self.stops);
        for &index in &self.stops {
            self.wake.wake(index as usize);
        }
        self.wake.list(&mut self.turns);
    }

    /// The tick takes place. Those who have had their turn sleep unless they say otherwise.
    pub(super) fn begin_tick(&mut self, sleeping: bool, inbox: &[InboxEvent]) {
        self.stopping.clear();
        if sleeping {
            self.wake.put_all_to_sleep();
        } else {
            let receivers = inbox.iter().map(|event| event.place as usize);
            receivers.for_each(|index| self.wake.wake(index));
        }
    }

    /// What agents said after their turns; the next tick comes.
    pub(super) fn end_tick(&mut self, awake_next: impl Iterator<Item = (u32, Sleep)>) {
        let (wake, now) = (&mut self.wake, self.now);
        awake_next.for_each(|(index, sleep)| wake.settle(index as usize, sleep, now));
        self.now += 1;
    }
}
