//! Events under way to agents.

use statewright_kernel::{Event, InboxEvent};

use crate::value::AgentId;

/// An event for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) to: AgentId,
    pub(crate) event: Event,
}

/// Events for the next tick, in the order in which they were sent: what the last tick left over, then messages of agents, then what the
/// host sends (EVT-4, CMD-4).
#[derive(Clone, Debug, Default)]
pub(crate) struct Mail {
    pub(crate) letters: Vec<Letter>,
    /// Letters from here on are the host's.
    pub(crate) from_host: usize,
    /// Sorted for the kernel.
    inbox: Vec<InboxEvent>,
}

impl Mail {
    /// Of the host.
    pub(crate) fn send(&mut self, letter: Letter) {
        self.letters.push(letter);
    }

    /// Sorts all letters for the kernel; `false` from `is_alive` leaves a letter out. Nothing is delivered yet.
    pub(crate) fn sort(&mut self, is_alive: impl Fn(AgentId) -> bool) {
        self.inbox.clear();
        let alive = self.letters.iter().filter(|letter| is_alive(letter.to));
        self.inbox.extend(alive.map(|letter| InboxEvent { place: letter.to.index(), event: letter.event }));
        if !self.inbox.is_sorted_by_key(|event| event.place) {
            self.inbox.sort_by_key(|event| event.place);
        }
    }

    /// What was sorted, before it is delivered.
    pub(crate) fn inbox(&self) -> &[InboxEvent] {
        &self.inbox
    }

    /// The letters are delivered. How many were left out.
    pub(crate) fn deliver(&mut self) -> u64 {
        let lost = self.letters.len() - self.inbox.len();
        self.letters.clear();
        self.from_host = 0;
        lost as u64
    }

    /// What was sorted.
    pub(crate) fn take_inbox(&mut self) -> Vec<InboxEvent> {
        std::mem::take(&mut self.inbox)
    }

    /// Gives the memory back.
    pub(crate) fn give_back(&mut self, inbox: Vec<InboxEvent>) {
        self.inbox = inbox;
    }
}
