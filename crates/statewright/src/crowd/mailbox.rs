//! Events under way to agents.

use statewright_kernel::{Event, InboxEvent};

use super::Roster;
use crate::agent_id::{AgentId, CrowdNumber};

/// An event on its way to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The receiver.
    pub to: AgentId,
    /// The event.
    pub event: Event,
}

/// An event that one agent sent to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) from: AgentId,
    pub(crate) envelope: Envelope,
}

impl Message {
    /// The crowd that it goes to, or that of all groups.
    pub(crate) fn receivers(&self) -> CrowdNumber {
        self.envelope.to.crowd()
    }
}

/// Events for the next tick, in the order in which they were sent: what the last tick left over,
/// then messages of agents, then what the host sends (EVT-4, CMD-4). They lie as the kernel wants
/// them, so that where they were sent in the order of agents nothing is copied.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    events: Vec<InboxEvent>,
    /// The generation of each receiver.
    generations: Vec<u32>,
    /// An event stands before an earlier one of a later index.
    unsorted: bool,
    /// Some receivers may be gone.
    doubtful: bool,
    /// Kept for their memory.
    keys: Vec<u64>,
    spare: (Vec<InboxEvent>, Vec<u32>),
}

impl Mailbox {
    /// To an agent of the crowd that is there.
    #[inline(always)]
    pub(super) fn send(&mut self, envelope: Envelope) {
        let place = envelope.to.index();
        self.unsorted |= self.events.last().is_some_and(|last| last.place > place);
        self.events.push(InboxEvent {
            place,
            event: envelope.event,
        });
        self.generations.push(envelope.to.generation());
    }

    /// To an agent of the crowd that may be gone.
    pub(super) fn send_unchecked(&mut self, envelope: Envelope) {
        self.doubtful = true;
        self.send(envelope);
    }

    /// Somebody is gone.
    pub(super) fn doubt(&mut self) {
        self.doubtful |= !self.events.is_empty();
    }

    /// All envelopes, in the order in which they were sent, if the last tick was not refused.
    /// They are for agents of this crowd.
    pub(super) fn envelopes(
        &self,
        crowd: CrowdNumber,
    ) -> impl ExactSizeIterator<Item = Envelope> + '_ {
        let envelopes = self.events.iter().zip(&self.generations);
        envelopes.map(move |(event, &generation)| Envelope {
            to: AgentId::pack(crowd, event.place, generation),
            event: event.event,
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// These envelopes and no others.
    pub(super) fn replace(&mut self, envelopes: impl IntoIterator<Item = Envelope>) {
        self.clear();
        envelopes
            .into_iter()
            .for_each(|envelope| self.send_unchecked(envelope));
    }

    /// Sorts the envelopes by index and drops those to agents that are gone: how many.
    /// Nothing is delivered yet.
    pub(super) fn prepare(&mut self, roster: Roster<'_>) -> u64 {
        let before = self.events.len();
        if self.doubtful {
            self.drop_lost(roster);
        }
        if self.unsorted {
            self.sort();
        }
        (before - self.events.len()) as u64
    }

    fn drop_lost(&mut self, roster: Roster<'_>) {
        let mut kept = 0;
        for index in 0..self.events.len() {
            let (event, generation) = (self.events[index], self.generations[index]);
            if roster.has(AgentId::pack(roster.number, event.place, generation)) {
                (self.events[kept], self.generations[kept]) = (event, generation);
                kept += 1;
            }
        }
        self.events.truncate(kept);
        self.generations.truncate(kept);
        self.doubtful = false;
    }

    /// By index, and for each index in the order in which they were sent: index and number as one
    /// key.
    fn sort(&mut self) {
        self.keys.clear();
        self.keys.extend(
            (0_u64..)
                .zip(&self.events)
                .map(|(number, event)| u64::from(event.place) << 32 | number),
        );
        self.keys.sort_unstable();
        let (events, generations) = &mut self.spare;
        events.clear();
        generations.clear();
        events.extend(
            self.keys
                .iter()
                .map(|&key| self.events[key as u32 as usize]),
        );
        generations.extend(
            self.keys
                .iter()
                .map(|&key| self.generations[key as u32 as usize]),
        );
        std::mem::swap(&mut self.events, events);
        std::mem::swap(&mut self.generations, generations);
        self.unsorted = false;
    }

    /// What was prepared.
    pub(super) fn inbox(&self) -> &[InboxEvent] {
        &self.events
    }

    /// What was prepared is delivered.
    pub(super) fn deliver(&mut self) -> Vec<InboxEvent> {
        std::mem::take(&mut self.events)
    }

    /// Gives the memory back. There are no envelopes after it.
    pub(super) fn delivered(&mut self, inbox: Vec<InboxEvent>) {
        self.events = inbox;
        self.clear();
    }

    fn clear(&mut self) {
        self.events.clear();
        self.generations.clear();
        (self.unsorted, self.doubtful) = (false, false);
    }
}

#[cfg(test)]
mod tests {
    use statewright_kernel::Class;
    use statewright_rom::ids::EventId;

    use super::*;

    fn envelope(place: u32, generation: u32, number: i32) -> Envelope {
        let event = Event::new(EventId::from_index(0).unwrap(), Class::Normal).with_i32(number);
        Envelope {
            to: AgentId::new(place, generation),
            event,
        }
    }

    fn roster(generations: &[u32]) -> Roster<'_> {
        Roster {
            number: CrowdNumber::NONE,
            generations,
        }
    }

    fn prepared(mailbox: &Mailbox) -> Vec<(u32, i32)> {
        mailbox
            .inbox()
            .iter()
            .map(|event| (event.place, event.event.i32()))
            .collect()
    }

    #[test]
    fn evt_4_envelopes_are_sorted_by_index_and_keep_their_order() {
        let mut mailbox = Mailbox::default();
        let places = [5, 2, 5, 0, 2, 9, 0, 5];
        (0..)
            .zip(places)
            .for_each(|(number, place)| mailbox.send(envelope(place, 1, number)));
        assert_eq!(mailbox.len(), 8);
        // All were checked when they were sent: nobody looks whether they are there.
        assert_eq!(mailbox.prepare(roster(&[])), 0);
        assert_eq!(
            prepared(&mailbox),
            [
                (0, 3),
                (0, 6),
                (2, 1),
                (2, 4),
                (5, 0),
                (5, 2),
                (5, 7),
                (9, 5)
            ]
        );
        let inbox = mailbox.deliver();
        mailbox.delivered(inbox);
        assert_eq!(mailbox.len(), 0);
    }

    #[test]
    fn cmd_4_envelopes_to_those_who_are_gone_are_dropped_and_their_successors_get_none() {
        let mut mailbox = Mailbox::default();
        mailbox.send(envelope(4, 1, 0));
        mailbox.doubt();
        mailbox.send(envelope(4, 3, 1));
        mailbox.send_unchecked(envelope(1, 1, 2));
        assert_eq!(mailbox.prepare(roster(&[0, 2, 0, 0, 3])), 2);
        assert_eq!(prepared(&mailbox), [(4, 1)]);
        assert_eq!(
            mailbox
                .envelopes(CrowdNumber::NONE)
                .map(|envelope| envelope.to)
                .collect::<Vec<_>>(),
            [AgentId::new(4, 3)]
        );
    }
}
