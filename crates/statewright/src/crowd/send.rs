//! Events from the host.

use statewright_kernel::{Class, Event};
use statewright_rom::ids::EventId;

use super::{Crowd, Envelope, Input, Missing};
use crate::board::Board;
use crate::context::Context;
use crate::value::{AgentId, Payload};

/// Sending.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Sends an event: the agent has it in its next tick. Its class is that of its type.
    #[inline]
    pub fn send(
        &mut self,
        agent: AgentId,
        event: EventId,
        payload: impl Payload,
    ) -> Result<(), Missing> {
        let class = self.program.machine().event_class(event);
        self.send_as(agent, event, class, payload)
    }

    /// Sends an event in a class of its own.
    #[inline]
    pub fn send_as(
        &mut self,
        agent: AgentId,
        event: EventId,
        class: Class,
        payload: impl Payload,
    ) -> Result<(), Missing> {
        self.agents.index(agent)?;
        self.enter(Input::Send(Envelope {
            to: agent,
            event: Event::new(event, class).with_words(payload.words()),
        }));
        Ok(())
    }

    /// Sends an event to every agent.
    pub fn broadcast(&mut self, event: EventId, payload: impl Payload) {
        let class = self.program.machine().event_class(event);
        self.enter(Input::Broadcast(
            Event::new(event, class).with_words(payload.words()),
        ));
    }
}
