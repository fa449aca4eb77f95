//! Events of the host, for one agent of any crowd.

use statewright_kernel::Event;

use super::{Member, World, WorldInput};
use crate::agent_id::AgentId;
use crate::context::Context;
use crate::crowd::{Envelope, Missing};
use crate::event::{EventFor, SendError};
use crate::handle::EventHandle;
use crate::machine::Machine;
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

    /// What an agent gets for an event of whichever machine.
    pub(super) fn event_for<P: Payload>(
        &self,
        agent: AgentId,
        event: EventHandle,
        payload: P,
    ) -> Result<Event, SendError> {
        let (index, member) = self.known(agent)?;
        let own = self.event_of((index, member.machine()), event);
        Ok(member.machine().make_event(own, payload)?)
    }

    /// The event that a crowd has for one of whichever machine.
    fn event_of(&self, (to, machine): (usize, &Machine), event: EventHandle) -> EventHandle {
        let number = |member: &Member<C>| member.machine().resolve(event).ok();
        let mut members = self.members();
        let from = members.find_map(|(from, member)| Some((from, number(member)?)));
        let linked = from.and_then(|(from, id)| self.links.event(from, to, id));
        linked.and_then(|id| machine.handle(id)).unwrap_or(event)
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
            None => Err(Missing::Gone(envelope.to).into()),
        };
        debug_assert!(sent.is_ok(), "it was checked: {sent:?}");
    }
}
