//! Groups as hosts use them: made, joined, left, spoken to.

use statewright_rom::layout::PayloadKind;

use super::groups::{GroupError, GroupId, Members, Told};
use super::{Entered, World, WorldInput};
use crate::agent_id::AgentId;
use crate::context::Context;
use crate::crowd::Envelope;
use crate::event::{EventFor, SendError, WrongEvent};
use crate::handle::EventHandle;
use crate::payload::Payload;

impl<C: Context + ?Sized> World<C> {
    /// A new group without members.
    pub fn new_group(&mut self) -> Result<GroupId, GroupError> {
        let group = self.groups.next_id().ok_or(GroupError::TooMany)?;
        self.enter(WorldInput::NewGroup);
        Ok(group)
    }

    /// The group is no more; its members stay where they are.
    pub fn dissolve_group(&mut self, group: GroupId) -> Result<(), GroupError> {
        self.groups.members(group)?;
        self.enter(WorldInput::DissolveGroup(group));
        Ok(())
    }

    /// An agent of any crowd becomes the last member of a group.
    pub fn join_group(&mut self, group: GroupId, agent: AgentId) -> Result<(), GroupError> {
        self.check_join(group, agent)?;
        self.enter(WorldInput::JoinGroup(group, agent));
        Ok(())
    }

    /// An agent is no member of a group any more.
    pub fn leave_group(&mut self, group: GroupId, agent: AgentId) -> Result<(), GroupError> {
        self.check_leave(group, agent)?;
        self.enter(WorldInput::LeaveGroup(group, agent));
        Ok(())
    }

    /// Members of a group who are there, in the order in which they joined.
    pub fn group(&self, group: GroupId) -> Result<impl Iterator<Item = AgentId>, GroupError> {
        let members = self.groups.members(group)?.iter().copied();
        Ok(members.filter(|&agent| self.contains(agent)))
    }

    /// Sends an event to all members of a group, in the order in which they joined. Those whose
    /// machine does not know it, or with another payload, are left out, and counted. If nobody is left in the group, that is
    /// an error.
    pub fn send_to_group<P: Payload>(
        &mut self,
        group: GroupId,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<Told, GroupError> {
        let (event, payload) = (event.handle(), payload.words());
        self.check_group_event(group, event, P::KIND)?;
        let entered = self.enter(WorldInput::SendToGroup {
            group,
            event,
            payload,
        });
        match entered {
            Entered::Told(told) => Ok(told),
            Entered::Done | Entered::Agent(_) | Entered::Group(_) => Ok(Told::default()),
        }
    }
}

/// What is refused.
impl<C: Context + ?Sized> World<C> {
    pub(super) fn check_join(&self, group: GroupId, agent: AgentId) -> Result<(), GroupError> {
        let members = self.groups.members(group)?;
        if !self.contains(agent) {
            return Err(GroupError::Missing(agent));
        }
        if members.contains(&agent) {
            return Err(GroupError::Member(agent));
        }
        Ok(())
    }

    pub(super) fn check_leave(&self, group: GroupId, agent: AgentId) -> Result<(), GroupError> {
        let members = self.groups.members(group)?;
        if members.contains(&agent) {
            Ok(())
        } else {
            Err(GroupError::NoMember(agent))
        }
    }

    /// The event is one of a machine of this world and carries this; somebody is in the group.
    pub(super) fn check_group_event(
        &self,
        group: GroupId,
        event: EventHandle,
        kind: Option<PayloadKind>,
    ) -> Result<(), GroupError> {
        let spoken = self.check_spoken(event, kind);
        spoken.map_err(GroupError::Event)?;
        let mut members = self.group(group)?;
        members.next().map(drop).ok_or(GroupError::Nobody(group))
    }
}

/// What is carried out.
impl<C: Context + ?Sized> World<C> {
    /// An event for all who are there.
    pub(super) fn tell_group(
        &mut self,
        group: GroupId,
        event: EventHandle,
        payload: [u32; 4],
    ) -> Told {
        let mut told = Told::default();
        let Some(members) = self.take_members(group) else {
            return told;
        };
        for &to in &members.list {
            match self.event_for(to, event, payload) {
                Ok(event) => {
                    self.post_event(Envelope { to, event });
                    told.reached += 1;
                }
                Err(SendError::Event(WrongEvent::Conflict { .. })) => told.conflicting += 1,
                Err(_) => told.unknown += 1,
            }
        }
        self.groups.put_back(members);
        told
    }

    /// Members of a group who are there, to be put back. Whether all of them still are is asked only
    /// if anybody went since it was asked last.
    pub(super) fn take_members(&mut self, group: GroupId) -> Option<Members> {
        let departures = self.departures();
        let mut members = self.groups.take(group)?;
        if members.seen != Some(departures) {
            members.list.retain(|&agent| self.contains(agent));
            members.seen = Some(departures);
        }
        Some(members)
    }

    /// Rises whenever anybody goes.
    fn departures(&self) -> u64 {
        let crowds = self.members().map(|(_, member)| member.departures());
        self.left + crowds.sum::<u64>()
    }
}
