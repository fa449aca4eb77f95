//! What is sent in a world: messages of agents after each tick (CMD-4), events of the host, and
//! those for groups.

use std::collections::BTreeMap;

use statewright_kernel::Event;
use statewright_rom::ids::EventId;
use statewright_rom::layout::PayloadKind;

use super::groups::{GroupError, GroupId, Told};
use super::{Member, World};
use crate::agent_id::{AgentId, CrowdNumber};
use crate::context::Context;
use crate::crowd::{Envelope, Message, Missing};
use crate::event::{EventFor, SendError, WrongEvent};
use crate::handle::EventHandle;
use crate::machine::Machine;
use crate::payload::Payload;

/// Messages of the last tick, and what became of those that nobody gets.
#[derive(Debug, Default)]
pub(super) struct Post {
    /// By crowd of the sender.
    outgoing: Vec<Vec<Message>>,
    /// Why messages did not arrive, and how many; in an order that is always the same.
    pub(super) failed: BTreeMap<Failure, u64>,
}

/// A message that nobody gets: the crowd of its sender, its event there, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Failure {
    pub(super) from: usize,
    pub(super) event: u16,
    pub(super) reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    /// The machine of this crowd does not know the event.
    Unknown(usize),
    /// There is no crowd with this number.
    NoCrowd(CrowdNumber),
    /// There is no such group.
    NoGroup,
}

/// Messages that nobody got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Name of the crowd of the senders; empty if it left the world.
    pub from: String,
    /// Name of the event in their machine.
    pub event: String,
    /// Why, in words.
    pub reason: String,
    /// How many there were since the world began.
    pub count: u64,
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

    fn fail(&mut self, from: usize, event: Option<EventId>, reason: Reason) {
        let event = event.map_or(u16::MAX, EventId::raw);
        let failure = Failure {
            from,
            event,
            reason,
        };
        *self.failed.entry(failure).or_default() += 1;
    }
}

/// Messages of agents.
impl<C: Context + ?Sized> World<C> {
    /// Puts the messages of all crowds into mailboxes, in the order of crowds, senders and emission.
    /// How many, and how many nobody gets.
    pub(super) fn deliver(&mut self) -> (usize, u64) {
        let outgoing = std::mem::take(&mut self.post.outgoing);
        let (mut messages, mut undelivered) = (0, 0);
        for (from, list) in outgoing.iter().enumerate() {
            for message in list {
                let (reached, failed) = self.deliver_one(from, message);
                messages += reached;
                undelivered += failed;
            }
        }
        self.post.outgoing = outgoing;
        (messages, undelivered)
    }

    fn deliver_one(&mut self, from: usize, message: &Message) -> (usize, u64) {
        let envelope = message.envelope;
        let Some(group) = GroupId::of(envelope.to) else {
            return match self.deliver_to(from, envelope) {
                Ok(()) => (1, 0),
                Err(reason) => {
                    self.post.fail(from, envelope.event.id(), reason);
                    (0, 1)
                }
            };
        };
        self.drop_dead(group);
        let Ok(members) = self.groups.members_mut(group).map(std::mem::take) else {
            self.post.fail(from, envelope.event.id(), Reason::NoGroup);
            return (0, 1);
        };
        let mut counts = (0, 0);
        // An agent who speaks to its own group does not hear itself.
        for &to in members.iter().filter(|&&to| to != message.from) {
            match self.deliver_to(from, Envelope { to, ..envelope }) {
                Ok(()) => counts.0 += 1,
                Err(reason) => {
                    self.post.fail(from, envelope.event.id(), reason);
                    counts.1 += 1;
                }
            }
        }
        if let Ok(own) = self.groups.members_mut(group) {
            *own = members;
        }
        counts
    }

    /// Puts an event of one crowd into a mailbox of another, or of the same.
    fn deliver_to(&mut self, from: usize, envelope: Envelope) -> Result<(), Reason> {
        let number = envelope.to.crowd();
        let to = self.index_of(number).ok_or(Reason::NoCrowd(number))?;
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
        let unknown = Reason::Unknown(to);
        let id = event.id().ok_or(unknown)?;
        let there = self.links.event(from, to, id).ok_or(unknown)?;
        let machine = self.members.get(to).and_then(Option::as_ref);
        let known = machine.map(|member| member.machine().event_type(there));
        let class = known.and_then(Result::ok).ok_or(unknown)?.class;
        Ok(Event::new(there, class).with_words(event.payload.map(|word| word.get())))
    }

    /// Messages that nobody got since the world began, by sender, event and reason: events that the
    /// receiver's machine does not know, agents of crowds that are not in this world, groups that are
    /// gone. Those for agents that were gone when they should have arrived are counted by their
    /// crowd ([`Crowd::lost_messages`](crate::Crowd::lost_messages)). For people: snapshots do not hold
    /// it, and restoring one does not change it.
    pub fn undelivered(&self) -> impl Iterator<Item = Undelivered> {
        self.post.failed.iter().map(|(failure, &count)| {
            let sender = self.members.get(failure.from).and_then(Option::as_ref);
            let event = sender.zip(EventId::new(failure.event));
            Undelivered {
                from: sender.map_or_else(String::new, |member| member.name.clone()),
                event: event.map_or_else(String::new, |(member, event)| {
                    member.machine().event_name(event).to_owned()
                }),
                reason: self.say(failure.reason),
                count,
            }
        })
    }

    fn say(&self, reason: Reason) -> String {
        match reason {
            Reason::Unknown(to) => match self.members.get(to).and_then(Option::as_ref) {
                Some(member) => format!(
                    "`{}` of crowd `{}` does not know the event, or it carries something else there",
                    member.machine().name(),
                    member.name
                ),
                None => "the crowd did not know the event, and left the world".to_owned(),
            },
            Reason::NoCrowd(CrowdNumber::NONE) => "the receiver is nobody".to_owned(),
            Reason::NoCrowd(number) => format!("crowd {number} is not in this world"),
            Reason::NoGroup => "the group is gone".to_owned(),
        }
    }
}

/// Events of the host.
impl<C: Context + ?Sized> World<C> {
    /// Sends an event to an agent of any crowd: it has it in its next tick. The event may be one of
    /// any machine in this world that knows it by the same name or stable id.
    pub fn send<P: Payload>(
        &mut self,
        agent: AgentId,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<(), SendError> {
        let (index, member) = self.known(agent)?;
        let own = self.event_of((index, member.machine()), event.handle());
        let event = member.machine().make_event(own, payload)?;
        match self.members.get_mut(index) {
            Some(Some(member)) => member.send_event(Envelope { to: agent, event }),
            _ => Err(Missing::Gone(agent).into()),
        }
    }

    /// The event that a crowd has for one of whichever machine.
    fn event_of(&self, (to, machine): (usize, &Machine), event: EventHandle) -> EventHandle {
        let number = |member: &Member<C>| member.machine().resolve(event).ok();
        let mut members = self.members();
        let from = members.find_map(|(from, member)| Some((from, number(member)?)));
        let linked = from.and_then(|(from, id)| self.links.event(from, to, id));
        linked.and_then(|id| machine.handle(id)).unwrap_or(event)
    }
}

/// Groups.
impl<C: Context + ?Sized> World<C> {
    /// A new group without members.
    pub fn new_group(&mut self) -> Result<GroupId, GroupError> {
        self.groups.add().ok_or(GroupError::TooMany)
    }

    /// The group is no more; its members stay where they are.
    pub fn dissolve_group(&mut self, group: GroupId) -> Result<(), GroupError> {
        self.groups.remove(group)
    }

    /// An agent of any crowd becomes the last member of a group.
    pub fn join_group(&mut self, group: GroupId, agent: AgentId) -> Result<(), GroupError> {
        let there = self.contains(agent);
        let members = self.groups.members_mut(group)?;
        if !there {
            return Err(GroupError::Missing(agent));
        }
        if members.contains(&agent) {
            return Err(GroupError::Member(agent));
        }
        members.push(agent);
        Ok(())
    }

    /// An agent is no member of a group any more.
    pub fn leave_group(&mut self, group: GroupId, agent: AgentId) -> Result<(), GroupError> {
        let members = self.groups.members_mut(group)?;
        let place = members.iter().position(|&member| member == agent);
        members.remove(place.ok_or(GroupError::NoMember(agent))?);
        Ok(())
    }

    /// Members of a group who are there, in the order in which they joined.
    pub fn group(&self, group: GroupId) -> Result<impl Iterator<Item = AgentId>, GroupError> {
        let members = self.groups.members(group)?.iter().copied();
        Ok(members.filter(|&agent| self.contains(agent)))
    }

    /// Sends an event to all members of a group, in the order in which they joined. Those whose
    /// machine does not know it are left out, and counted. If nobody is left in the group, that is
    /// an error.
    pub fn send_to_group<P: Payload>(
        &mut self,
        group: GroupId,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<Told, GroupError> {
        let (event, words) = (event.handle(), payload.words());
        self.check_group_event(event, P::KIND)?;
        self.drop_dead(group);
        let members = std::mem::take(self.groups.members_mut(group)?);
        let mut told = Told::default();
        for &agent in &members {
            match self.send(agent, event, words) {
                Ok(()) => told.reached += 1,
                Err(_) => told.unknown += 1,
            }
        }
        let is_empty = members.is_empty();
        *self.groups.members_mut(group)? = members;
        if is_empty {
            return Err(GroupError::Nobody(group));
        }
        Ok(told)
    }

    /// The event is one of a machine of this world and carries this.
    fn check_group_event(
        &self,
        event: EventHandle,
        kind: Option<PayloadKind>,
    ) -> Result<(), GroupError> {
        let mut refused = GroupError::Unknown(event);
        for (_, member) in self.members() {
            match member.machine().check_event(event, kind) {
                Ok(_) => return Ok(()),
                Err(error @ WrongEvent::Payload { .. }) => refused = GroupError::Event(error),
                Err(_) => {}
            }
        }
        Err(refused)
    }

    /// Members who are gone leave the group.
    fn drop_dead(&mut self, group: GroupId) {
        let Ok(mut members) = self.groups.members_mut(group).map(std::mem::take) else {
            return;
        };
        members.retain(|&agent| self.contains(agent));
        if let Ok(own) = self.groups.members_mut(group) {
            *own = members;
        }
    }
}
