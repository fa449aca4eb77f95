//! Who is awake, and who wakes when (SYS-2): a bit per agent, and at most one deadline (WAKE-1).
//!
//! Together an eighth of a byte per agent, and in crowds with timers less than 5 bytes more, twice
//! that at worst with the room that vectors keep.

use statewright_kernel::Sleep;

use super::agent_set::AgentSet;
use super::deadlines::Deadlines;

/// Who has something to do, by index: agents that sleep cost nothing. A crowd has its own; hosts of
/// slices keep one and give its [list](Self::list) to each tick ([`Slices::awake`](crate::Slices::awake)).
///
/// ```
/// use statewright::{Sleep, WakeSet};
///
/// let mut awake = WakeSet::default();
/// awake.wake(7);
/// awake.settle(3, Sleep::Until(12), 10);
/// let mut turns = Vec::new();
/// awake.wake_due(11);
/// awake.list(&mut turns);
/// assert_eq!(turns, [7]);
/// awake.wake_due(12);
/// awake.list(&mut turns);
/// assert_eq!(turns, [3, 7]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct WakeSet {
    awake: AgentSet,
    /// Who sleeps until when. Somebody who is awake may have one, too, of the past: waking somebody
    /// for nothing changes nothing.
    waiting: Deadlines,
}

impl WakeSet {
    /// How many are awake.
    pub fn count(&self) -> usize {
        self.awake.len()
    }

    /// An agent is awake.
    #[inline]
    pub fn wake(&mut self, index: usize) {
        self.awake.insert(index);
    }

    /// No time wakes an agent: it is gone, or its time stands still.
    pub fn put_to_sleep(&mut self, index: usize) {
        self.awake.remove(index);
        self.waiting.remove(index);
    }

    /// The same where nobody is awake and nobody waits yet.
    #[inline]
    pub(super) fn begin(&mut self, index: usize, sleep: Sleep, now: u64) {
        if sleep != Sleep::Asleep {
            self.settle(index, sleep, now);
        }
    }

    /// Is an agent awake?
    pub fn contains(&self, index: usize) -> bool {
        self.awake.contains(index)
    }

    /// After the tick `now` of an agent.
    #[inline]
    pub fn settle(&mut self, index: usize, sleep: Sleep, now: u64) {
        match sleep {
            Sleep::Awake => self.wake(index),
            Sleep::Asleep => self.put_to_sleep(index),
            Sleep::Until(deadline) => {
                self.awake.remove(index);
                let tick = now.wrapping_add(deadline.wrapping_sub(now as u32).into());
                self.waiting.set(index, tick, now.wrapping_add(1));
            }
        }
    }

    /// Who is awake.
    pub(super) fn awake(&self) -> &AgentSet {
        &self.awake
    }

    /// These are awake, and nobody else. Who waits goes on waiting.
    pub(super) fn awake_like(&mut self, awake: &AgentSet) {
        self.awake.become_like(awake);
    }

    /// Has anybody ever waited for a tick?
    pub(super) fn knows_deadlines(&self) -> bool {
        self.waiting.has_numbers()
    }

    /// Can a tick that was already come again?
    pub(super) fn reaches_back_to(&self, tick: u64) -> bool {
        self.waiting.counts_from() <= tick
    }

    /// Wakes everybody whose time has come.
    pub fn wake_due(&mut self, now: u64) {
        let Self { awake, waiting } = self;
        waiting.take_due(now, |index| _ = awake.insert(index));
    }

    /// Everybody who is awake, in order.
    pub fn list(&self, indices: &mut Vec<u32>) {
        self.awake.list(indices);
    }

    /// Nobody is awake; those who wait go on waiting.
    pub fn put_all_to_sleep(&mut self) {
        self.awake.clear();
    }

    /// Nobody is awake and nobody waits.
    pub fn clear(&mut self) {
        self.awake.clear();
        self.waiting.clear();
    }
}
