//! Events under way to agents.

use std::ops::Range;

use statewright_kernel::{Event, InboxEvent};

use super::Roster;
use super::agent_set::AgentSet;
use crate::agent_id::{AgentId, CrowdNumber};

/// An event on its way to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The receiver.
    pub to: AgentId,
    /// The event.
    pub event: Event,
}

/// Events that were sent to agents of a crowd one after the other ([`Observer::sent`](super::Observer::sent)).
#[derive(Clone, Debug)]
pub struct Sent<'c> {
    events: &'c [InboxEvent],
    /// Of the receivers, if some may be gone.
    generations: &'c [u32],
    roster: Roster<'c>,
    which: Which<'c>,
}

/// Places of the events that count.
#[derive(Clone, Debug)]
enum Which<'c> {
    All(Range<usize>),
    Some(std::slice::Iter<'c, usize>),
}

impl<'c> Sent<'c> {
    /// Those at these places alone.
    pub(super) fn limited_to(self, places: &'c [usize]) -> Self {
        let which = Which::Some(places.iter());
        Self { which, ..self }
    }

    /// All of them behind others: what [`Extend`] does, in one short loop where everybody counts and is there.
    pub fn append_to(self, list: &mut Vec<Envelope>) {
        match &self.which {
            Which::All(range) if self.generations.is_empty() => {
                let events = self.events.get(range.clone()).unwrap_or_default();
                let roster = self.roster;
                list.extend(events.iter().map(|event| Envelope {
                    to: roster.at(event.place as usize),
                    event: event.event,
                }));
            }
            Which::All(_) | Which::Some(_) => list.extend(self),
        }
    }
}

impl Iterator for Sent<'_> {
    type Item = Envelope;

    #[inline]
    fn next(&mut self) -> Option<Envelope> {
        let at = match &mut self.which {
            Which::All(places) => places.next(),
            Which::Some(places) => places.next().copied(),
        }?;
        let InboxEvent { place, event } = *self.events.get(at)?;
        let to = match self.generations.get(at) {
            Some(&sent) => self.roster.id(place, sent),
            None => self.roster.at(place as usize),
        };
        Some(Envelope { to, event })
    }
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

/// One in so many is looked for by itself.
const FEW: usize = 32;

/// Events for the next tick, in the order in which they were sent: what the last tick left over,
/// then messages of agents, then what the host sends (EVT-4, CMD-4). They lie as the kernel wants
/// them, so that where they were sent in the order of agents nothing is copied.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    events: Vec<InboxEvent>,
    /// The generation of each receiver, if some may be gone; else they are those of the roster, and
    /// nobody takes them down.
    generations: Vec<u32>,
    /// The highest index so far; while some receivers may be gone, more than any index, so that one
    /// test tells both.
    ordered_from: u32,
    /// The highest index so far, while some receivers may be gone.
    last: u32,
    /// An event stands before an earlier one of a later index.
    unsorted: bool,
    /// Some receivers may be gone.
    doubtful: bool,
    /// Kept for their memory.
    keys: Vec<u64>,
    spare: Vec<InboxEvent>,
}

impl Mailbox {
    /// To an agent of the crowd that is there.
    #[inline(always)]
    pub(super) fn send(&mut self, envelope: Envelope) {
        let place = envelope.to.index();
        // Nearly always in order, to somebody who is there.
        if place < self.ordered_from {
            self.note(envelope.to);
        } else {
            self.ordered_from = place;
        }
        self.events.push(InboxEvent {
            place,
            event: envelope.event,
        });
    }

    /// Out of order, or to somebody who may be gone.
    #[inline(never)]
    fn note(&mut self, to: AgentId) {
        if !self.doubtful {
            self.unsorted = true;
            return;
        }
        self.generations.push(to.generation());
        self.unsorted |= to.index() < self.last;
        self.last = self.last.max(to.index());
    }

    fn become_doubtful(&mut self) {
        if !self.doubtful {
            self.doubtful = true;
            self.last = std::mem::replace(&mut self.ordered_from, u32::MAX);
        }
    }

    /// To an agent of the crowd that may be gone.
    pub(super) fn send_unchecked(&mut self, envelope: Envelope, roster: Roster<'_>) {
        self.doubt(roster);
        self.become_doubtful();
        self.send(envelope);
    }

    /// Somebody goes: all receivers so far are still in the roster.
    pub(super) fn doubt(&mut self, roster: Roster<'_>) {
        if !self.doubtful && !self.events.is_empty() {
            self.become_doubtful();
            let events = self.events.iter();
            let generations = events.map(|event| roster.at(event.place as usize).generation());
            self.generations.extend(generations);
        }
    }

    /// All envelopes, in the order in which they were sent, if the last tick was not refused.
    pub(super) fn envelopes<'m>(&'m self, roster: Roster<'m>) -> Sent<'m> {
        self.envelopes_from(0, roster)
    }

    /// The same without so many that were sent first.
    pub(super) fn envelopes_from<'m>(&'m self, first: usize, roster: Roster<'m>) -> Sent<'m> {
        let events = self.events.get(first..).unwrap_or_default();
        Sent {
            events,
            generations: self.generations.get(first..).unwrap_or_default(),
            roster,
            which: Which::All(0..events.len()),
        }
    }

    /// Where events for some agents stand among those that were sent behind so many.
    pub(super) fn find(&self, first: usize, agents: &AgentSet, places: &mut Vec<usize>) {
        let events = self.events.get(first..).unwrap_or_default();
        places.clear();
        if self.unsorted || agents.len() * FEW > events.len() {
            let own = events.iter().enumerate();
            let own = own.filter(|(_, event)| agents.contains(event.place as usize));
            places.extend(own.map(|(at, _)| at));
            return;
        }
        for index in agents.iter() {
            let start = events.partition_point(|event| event.place < index);
            let own = events[start..].iter();
            let count = own.take_while(|event| event.place == index).count();
            places.extend(start..start + count);
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// These envelopes and no others.
    pub(super) fn replace(&mut self, envelopes: impl IntoIterator<Item = Envelope>) {
        self.clear();
        self.become_doubtful();
        envelopes
            .into_iter()
            .for_each(|envelope| self.send(envelope));
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
            if roster.has(roster.id(event.place, generation)) {
                self.events[kept] = event;
                kept += 1;
            }
        }
        self.events.truncate(kept);
        self.generations.clear();
        self.doubtful = false;
        self.ordered_from = self.last;
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
        let sorted = self.keys.iter();
        let sorted = sorted.map(|&key| self.events[key as u32 as usize]);
        self.spare.clear();
        self.spare.extend(sorted);
        std::mem::swap(&mut self.events, &mut self.spare);
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
        (self.ordered_from, self.last) = (0, 0);
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
        Roster::new(CrowdNumber::NONE, generations)
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
    fn cmd_4_envelopes_limited_to_who_are_gone_are_dropped_and_their_successors_get_none() {
        let mut mailbox = Mailbox::default();
        mailbox.send(envelope(4, 1, 0));
        mailbox.doubt(roster(&[0, 2, 0, 0, 1]));
        let now = roster(&[0, 2, 0, 0, 3]);
        mailbox.send(envelope(4, 3, 1));
        mailbox.send_unchecked(envelope(1, 1, 2), now);
        assert_eq!(mailbox.prepare(now), 2);
        assert_eq!(prepared(&mailbox), [(4, 1)]);
        assert_eq!(
            mailbox
                .envelopes(now)
                .map(|envelope| envelope.to)
                .collect::<Vec<_>>(),
            [AgentId::new(4, 3)]
        );
    }
}
