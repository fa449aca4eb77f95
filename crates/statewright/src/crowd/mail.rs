//! Events under way to agents.

use statewright_kernel::{Event, InboxEvent};

use crate::value::AgentId;

/// An event for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) to: AgentId,
    pub(crate) event: Event,
}

/// Events for the next tick, in the order in which they were sent: what the last tick left over,
/// then messages of agents, then what the host sends (EVT-4, CMD-4). They lie as the kernel wants
/// them, so that where they were sent in the order of agents nothing is copied.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mail {
    events: Vec<InboxEvent>,
    /// The life of each receiver.
    lives: Vec<u32>,
    /// An event stands before an earlier one of a later place.
    unsorted: bool,
    /// Some receivers may be gone.
    doubtful: bool,
    /// Kept for their memory.
    keys: Vec<u64>,
    spare: (Vec<InboxEvent>, Vec<u32>),
}

impl Mail {
    /// To an agent that is there.
    #[inline]
    pub(crate) fn send(&mut self, letter: Letter) {
        let place = letter.to.index();
        self.unsorted |= self.events.last().is_some_and(|last| last.place > place);
        self.events.push(InboxEvent {
            place,
            event: letter.event,
        });
        self.lives.push(letter.to.generation());
    }

    /// To an agent that may be gone.
    pub(crate) fn send_unchecked(&mut self, letter: Letter) {
        self.doubtful = true;
        self.send(letter);
    }

    /// Somebody is gone.
    pub(crate) fn doubt(&mut self) {
        self.doubtful |= !self.events.is_empty();
    }

    /// All letters, in the order in which they were sent, if the last tick was not refused.
    pub(crate) fn letters(&self) -> impl ExactSizeIterator<Item = Letter> + '_ {
        let letters = self.events.iter().zip(&self.lives);
        letters.map(|(event, &life)| Letter {
            to: AgentId::new(event.place, life),
            event: event.event,
        })
    }

    /// These letters and no others.
    pub(crate) fn replace(&mut self, letters: impl IntoIterator<Item = Letter>) {
        self.clear();
        letters
            .into_iter()
            .for_each(|letter| self.send_unchecked(letter));
    }

    /// Sorts the letters by place and drops those that `is_alive` says `false` to: how many.
    /// Nothing is delivered yet.
    pub(crate) fn prepare(&mut self, is_alive: impl Fn(AgentId) -> bool) -> u64 {
        let before = self.events.len();
        if self.doubtful {
            self.drop_lost(is_alive);
        }
        if self.unsorted {
            self.sort();
        }
        (before - self.events.len()) as u64
    }

    fn drop_lost(&mut self, is_alive: impl Fn(AgentId) -> bool) {
        let mut kept = 0;
        for index in 0..self.events.len() {
            let (event, life) = (self.events[index], self.lives[index]);
            if is_alive(AgentId::new(event.place, life)) {
                (self.events[kept], self.lives[kept]) = (event, life);
                kept += 1;
            }
        }
        self.events.truncate(kept);
        self.lives.truncate(kept);
        self.doubtful = false;
    }

    /// By place, and for each place in the order in which they were sent: place and number as one
    /// key.
    fn sort(&mut self) {
        self.keys.clear();
        self.keys.extend(
            (0_u64..)
                .zip(&self.events)
                .map(|(number, event)| u64::from(event.place) << 32 | number),
        );
        self.keys.sort_unstable();
        let (events, lives) = &mut self.spare;
        events.clear();
        lives.clear();
        events.extend(
            self.keys
                .iter()
                .map(|&key| self.events[key as u32 as usize]),
        );
        lives.extend(self.keys.iter().map(|&key| self.lives[key as u32 as usize]));
        std::mem::swap(&mut self.events, events);
        std::mem::swap(&mut self.lives, lives);
        self.unsorted = false;
    }

    /// What was prepared.
    pub(crate) fn inbox(&self) -> &[InboxEvent] {
        &self.events
    }

    /// What was prepared is delivered.
    pub(crate) fn deliver(&mut self) -> Vec<InboxEvent> {
        std::mem::take(&mut self.events)
    }

    /// Gives the memory back. There are no letters after it.
    pub(crate) fn delivered(&mut self, inbox: Vec<InboxEvent>) {
        self.events = inbox;
        self.clear();
    }

    fn clear(&mut self) {
        self.events.clear();
        self.lives.clear();
        (self.unsorted, self.doubtful) = (false, false);
    }
}

#[cfg(test)]
mod tests {
    use statewright_kernel::Class;
    use statewright_rom::ids::EventId;

    use super::*;

    fn letter(place: u32, life: u32, number: i32) -> Letter {
        let event = Event::new(EventId::from_index(0).unwrap(), Class::Normal).with_i32(number);
        Letter {
            to: AgentId::new(place, life),
            event,
        }
    }

    fn prepared(mail: &Mail) -> Vec<(u32, i32)> {
        mail.inbox()
            .iter()
            .map(|event| (event.place, event.event.i32()))
            .collect()
    }

    #[test]
    fn evt_4_letters_are_sorted_by_place_and_keep_their_order() {
        let mut mail = Mail::default();
        let places = [5, 2, 5, 0, 2, 9, 0, 5];
        (0..)
            .zip(places)
            .for_each(|(number, place)| mail.send(letter(place, 1, number)));
        assert_eq!(mail.letters().len(), 8);
        assert_eq!(mail.prepare(|_| panic!("all were checked when sent")), 0);
        assert_eq!(
            prepared(&mail),
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
        let inbox = mail.deliver();
        mail.delivered(inbox);
        assert_eq!(mail.letters().len(), 0);
    }

    #[test]
    fn cmd_4_letters_to_those_who_are_gone_are_dropped_and_their_successors_get_none() {
        let mut mail = Mail::default();
        mail.send(letter(4, 1, 0));
        mail.doubt();
        mail.send(letter(4, 3, 1));
        mail.send_unchecked(letter(1, 1, 2));
        let is_alive = |agent: AgentId| agent == AgentId::new(4, 3);
        assert_eq!(mail.prepare(is_alive), 2);
        assert_eq!(prepared(&mail), [(4, 1)]);
        assert_eq!(
            mail.letters().map(|letter| letter.to).collect::<Vec<_>>(),
            [AgentId::new(4, 3)]
        );
    }
}
