//! Messages of agents, after each tick (CMD-4).
//!
//! ```text
//!  of guards     to guards, guards, guards │ to a boss │ to a squad │ to guards   one run each
//!  of bosses     to guards │ to bosses, bosses
//! ```

use statewright_kernel::Event;
use statewright_rom::ids::EventId;

use super::World;
use super::groups::GroupId;
use super::undelivered::{CrowdIndex, Failure, Reason};
use crate::agent_id::CrowdNumber;
use crate::context::Context;
use crate::crowd::{Envelope, Message};

/// Messages of the last tick, by crowd of the sender.
#[derive(Debug, Default)]
pub(super) struct Post {
    outgoing: Vec<Vec<Message>>,
}

impl Post {
    /// A tick of so many crowds begins.
    pub(super) fn begin(&mut self, crowds: usize) {
        self.outgoing.resize_with(crowds, Vec::new);
        self.outgoing.iter_mut().for_each(Vec::clear);
    }

    /// Where messages of a crowd go.
    pub(super) fn of(&mut self, crowd: usize) -> &mut Vec<Message> {
        &mut self.outgoing[crowd]
    }
}

/// How many messages were put into mailboxes, and how many nobody gets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivered {
    pub(super) messages: usize,
    pub(super) undelivered: u64,
}

impl<C: Context + ?Sized> World<C> {
    /// Puts the messages of all crowds into mailboxes, in the order of crowds, senders and emission.
    pub(super) fn deliver(&mut self) -> Delivered {
        let outgoing = std::mem::take(&mut self.post.outgoing);
        let mut delivered = Delivered::default();
        for place in 0..self.order.len() {
            let from = self.order[place];
            let Some(list) = outgoing.get(from) else {
                continue;
            };
            // Most go to the same crowd as the one before: it is looked for once.
            let runs = list.chunk_by(|one, next| one.receivers() == next.receivers());
            for run in runs {
                self.deliver_run(from, run, &mut delivered);
            }
        }
        self.post.outgoing = outgoing;
        delivered
    }

    /// Messages for one crowd, or for groups.
    fn deliver_run(&mut self, from: usize, run: &[Message], delivered: &mut Delivered) {
        let Some(first) = run.first() else { return };
        let number = first.receivers();
        if number == CrowdNumber::GROUPS {
            let run = run.iter();
            return run.for_each(|message| self.deliver_to_group(from, message, delivered));
        }
        let to = self.index_of(number);
        if to == Some(from)
            && let Some(Some(member)) = self.members.get_mut(from)
        {
            member.deliver_own(run);
            delivered.messages += run.len();
            return;
        }
        let unknown = to.ok_or(Reason::NoCrowd(number));
        for message in run {
            let sent = unknown.and_then(|to| self.deliver_to(from, to, message.envelope));
            self.note(from, message.envelope.event.id(), sent, delivered);
        }
    }

    /// To all members who are there, in the order in which they joined. An agent who speaks to its
    /// own group does not hear itself.
    fn deliver_to_group(&mut self, from: usize, message: &Message, delivered: &mut Delivered) {
        let Message {
            from: sender,
            envelope,
        } = *message;
        let Some(members) = GroupId::of(envelope.to).and_then(|group| self.take_members(group))
        else {
            return self.note(from, envelope.event.id(), Err(Reason::NoGroup), delivered);
        };
        for &agent in members.list.iter().filter(|&&agent| agent != sender) {
            let number = agent.crowd();
            let to = self.index_of(number).ok_or(Reason::NoCrowd(number));
            let envelope = Envelope {
                to: agent,
                ..envelope
            };
            let sent = to.and_then(|to| self.deliver_to(from, to, envelope));
            self.note(from, envelope.event.id(), sent, delivered);
        }
        self.groups.put_back(members);
    }

    /// Counts what became of a message.
    fn note(
        &mut self,
        from: usize,
        event: Option<EventId>,
        sent: Result<(), Reason>,
        delivered: &mut Delivered,
    ) {
        match sent {
            Ok(()) => delivered.messages += 1,
            Err(reason) => {
                delivered.undelivered += 1;
                let failure = Failure::new(from, event, reason);
                *self.failed.entry(failure).or_default() += 1;
            }
        }
    }

    /// Puts an event of one crowd into a mailbox of another, or of the same.
    fn deliver_to(&mut self, from: usize, to: usize, envelope: Envelope) -> Result<(), Reason> {
        let event = self.translate(from, to, envelope.event)?;
        if let Some(Some(member)) = self.members.get_mut(to) {
            member.deliver(Envelope { event, ..envelope });
        }
        Ok(())
    }

    fn index_of(&self, number: CrowdNumber) -> Option<usize> {
        let mut members = self.members();
        members.find_map(|(index, member)| (member.number() == number).then_some(index))
    }

    /// The receiver's own event, in the class that it has there.
    fn translate(&self, from: usize, to: usize, event: Event) -> Result<Event, Reason> {
        if from == to {
            return Ok(event);
        }
        let unknown = Reason::Unknown(CrowdIndex::At(to));
        let id = event.id().ok_or(unknown)?;
        let there = self.links.event(from, to, id).ok_or(unknown)?;
        let machine = self.members.get(to).and_then(Option::as_ref);
        let known = machine.map(|member| member.machine().event_type(there));
        let class = known.and_then(Result::ok).ok_or(unknown)?.class;
        Ok(Event::new(there, class).with_words(event.payload.map(|word| word.get())))
    }
}
