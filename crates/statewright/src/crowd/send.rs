//! Events from the host.

use statewright_kernel::{Class, Event};

use super::{Crowd, Envelope, Input};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;
use crate::event::{EventFor, SendError, WrongEvent};
use crate::payload::Payload;

/// Sending.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Sends an event: the agent has it in its next tick. Its class is that of its type.
    ///
    /// An event of another machine, or one that carries something else, is an error, and so is an
    /// agent that is gone or of another crowd; nothing is sent then. With events of
    /// `machine!` the compiler sees to the payload.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::from_text("dog", r#"{ "machine": "Dog",
    ///   "events": { "Hit": { "payload": "i32" } }, "states": { "sit": {} } }"#)?;
    /// let mut dogs = Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1);
    /// let (dog, hit) = (dogs.spawn(()), machine.event("Hit")?);
    /// dogs.send(dog, hit, 5)?;
    ///
    /// let wrong = dogs.send(dog, hit, 2.5_f32).unwrap_err();
    /// assert_eq!(wrong.to_string(), "event `Hit` of `Dog` carries i32, not f32");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn send<P: Payload>(
        &mut self,
        agent: AgentId,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<(), SendError> {
        let event = self.program.machine().make_event(event, payload)?;
        self.send_event(agent, event)
    }

    /// Sends an event in a class of its own.
    #[inline]
    pub fn send_as<P: Payload>(
        &mut self,
        agent: AgentId,
        event: impl EventFor<P>,
        class: Class,
        payload: P,
    ) -> Result<(), SendError> {
        let machine = self.program.machine();
        let (id, _) = machine.check_event(event.handle(), P::KIND)?;
        self.send_event(agent, Event::new(id, class).with_words(payload.words()))
    }

    #[inline(always)]
    pub(crate) fn send_event(&mut self, to: AgentId, event: Event) -> Result<(), SendError> {
        self.agents.index(to)?;
        self.enter(Input::Send(Envelope { to, event }));
        Ok(())
    }

    /// Sends an event to every agent.
    pub fn broadcast<P: Payload>(
        &mut self,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<(), WrongEvent> {
        let event = self.program.machine().make_event(event, payload)?;
        self.enter(Input::Broadcast(event));
        Ok(())
    }
}
