//! Which reason of each transition was told last: only changes are recorded (SEL-7).

use statewright_kernel::Reason;
use statewright_rom::ids::TransitionId;

use crate::record::reason_number;

/// The memory of one agent.
#[derive(Clone, Debug, Default)]
pub struct Reasons {
    /// Per transition: 0 none told, else reason and code.
    last: Box<[u32]>,
    /// Whose memory it is: places are used again.
    owner: u64,
    /// Random numbers drawn since (CODE-6).
    draws: u64,
}

impl Reasons {
    /// Memory for so many transitions, of an agent that is told from others by its id. Keeps what it
    /// has of the same agent.
    pub fn prepare(&mut self, transitions: usize, owner: u64) {
        if self.last.len() != transitions {
            self.last = vec![0; transitions].into_boxed_slice();
        } else if self.owner != owner {
            self.last.fill(0);
        }
        if self.owner != owner {
            self.draws = 0;
        }
        self.owner = owner;
    }

    /// How many random numbers user code of the agent drew while it was traced at level 3 (CODE-6).
    pub fn draws(&self) -> u64 {
        self.draws
    }

    pub(crate) fn drew(&mut self, draws: u32) {
        self.draws = self.draws.wrapping_add(draws.into());
    }

    /// Whether there is room for anything.
    pub fn is_empty(&self) -> bool {
        self.last.is_empty()
    }

    /// A transition was rejected; whether that is news.
    pub(crate) fn note(&mut self, transition: TransitionId, reason: Reason) -> bool {
        let (number, code) = reason_number(reason);
        let new = u32::from(number) << 16 | u32::from(code);
        match self.last.get_mut(transition.index()) {
            Some(last) => std::mem::replace(last, new) != new,
            None => true,
        }
    }

    /// A transition was taken: its next rejection is news.
    pub(crate) fn forget(&mut self, transition: TransitionId) {
        if let Some(last) = self.last.get_mut(transition.index()) {
            *last = 0;
        }
    }
}
