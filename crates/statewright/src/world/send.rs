//! Events of the host, for one agent of any crowd, or for all.

use statewright_kernel::Event;
use statewright_rom::layout::PayloadKind;

use super::conflicts::Conflict;
use super::{Entered, Member, Told, World, WorldInput};
use crate::agent_id::AgentId;
use crate::context::Context;
use crate::crowd::{Envelope, Missing};
use crate::event::{EventFor, SendError, WrongEvent};
use crate::handle::EventHandle;
use crate::payload::Payload;

impl<C: Context + ?Sized> World<C> {
    /// Sends an event to an agent of any crowd: it has it in its next tick. The event may be one of
    /// any machine in this world that knows it by the same name or stable id.
    pub fn send<P: Payload>(
        &mut self,
        agent: AgentId,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<(), SendError> {
        let event = self.event_for(agent, event.handle(), payload)?;
        self.enter(WorldInput::Send(Envelope { to: agent, event }));
        Ok(())
    }

    /// Sends an event to all agents of all crowds that know it, by the same name or stable id. Those
    /// whose machine does not know it, or with another payload, are left out, and counted.
    pub fn broadcast<P: Payload>(
        &mut self,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<Told, WrongEvent> {
        let (event, payload) = (event.handle(), payload.words());
        self.check_spoken(event, P::KIND)?;
        match self.enter(WorldInput::Broadcast { event, payload }) {
            Entered::Told(told) => Ok(told),
            Entered::Done | Entered::Agent(_) | Entered::Group(_) => Ok(Told::default()),
        }
    }

    /// An event for everybody.
    pub(super) fn tell_all(&mut self, event: EventHandle, payload: [u32; 4]) -> Told {
        let mut told = Told::default();
        for place in 0..self.order.len() {
            let index = self.order[place];
            let Some(Some(member)) = self.members.get(index) else {
                continue;
            };
            let own = self.event_of((index, member), event);
            let made = own.and_then(|own| member.machine().make_event(own, payload));
            let heard = match &made {
                Ok(_) => &mut told.reached,
                Err(WrongEvent::Conflict { .. }) => &mut told.conflicting,
                Err(_) => &mut told.unknown,
            };
            *heard += member.len();
            if let (Ok(event), Some(Some(member))) = (made, self.members.get_mut(index)) {
                member.broadcast(event);
            }
        }
        told
    }

    /// The event is one of a machine of this world and carries this.
    pub(super) fn check_spoken(
        &self,
        event: EventHandle,
        kind: Option<PayloadKind>,
    ) -> Result<(), WrongEvent> {
        let mut refused = WrongEvent::NoMachine(event);
        for (_, member) in self.members() {
            match member.machine().check_event(event, kind) {
                Ok(_) => return Ok(()),
                Err(error @ WrongEvent::Payload { .. }) => refused = error,
                Err(
                    WrongEvent::OtherMachine { .. }
                    | WrongEvent::Unknown { .. }
                    | WrongEvent::NoMachine(_)
                    | WrongEvent::Conflict { .. },
                ) => {}
            }
        }
        Err(refused)
    }

    /// What an agent gets for an event of whichever machine.
    pub(super) fn event_for<P: Payload>(
        &self,
        agent: AgentId,
        event: EventHandle,
        payload: P,
    ) -> Result<Event, SendError> {
        let (index, member) = self.known(agent)?;
        let own = self.event_of((index, member), event)?;
        Ok(member.machine().make_event(own, payload)?)
    }

    /// The event that a crowd has for one of whichever machine. One that it does not have stays what
    /// it is, for the crowd's machine to refuse it.
    pub(super) fn event_of(
        &self,
        (to, receiver): (usize, &Member<C>),
        event: EventHandle,
    ) -> Result<EventHandle, WrongEvent> {
        let number = |member: &Member<C>| member.machine().resolve(event).ok();
        let mut members = self.members();
        let from = members.find_map(|(from, member)| Some((from, member, number(member)?)));
        let Some((from, sender, id)) = from else {
            return Ok(event);
        };
        let linked = self.links.event(from, to, id);
        match linked.and_then(|id| receiver.machine().handle(id)) {
            Some(own) => Ok(own),
            None => match Conflict::find(sender, receiver, id) {
                Some(conflict) => Err(conflict.into()),
                None => Ok(sender.machine().with_name(event)),
            },
        }
    }

    /// The agent is there, and its machine has such an event.
    pub(super) fn check_envelope(&self, envelope: &Envelope) -> Result<(), SendError> {
        let (_, member) = self.known(envelope.to)?;
        Ok(member.check_number(&envelope.event)?)
    }

    /// An event for an agent who is there: through the door of its crowd.
    pub(super) fn post_event(&mut self, envelope: Envelope) {
        let found = self.known(envelope.to).map(|(index, _)| index);
        let member = found
            .ok()
            .and_then(|index| self.members.get_mut(index)?.as_mut());
        let sent = match member {
            Some(member) => member.send_event(envelope),
            None => Err(Missing::of_no_crowd(envelope.to).into()),
        };
        debug_assert!(sent.is_ok(), "it was checked: {sent:?}");
    }
}
