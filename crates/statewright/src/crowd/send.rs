//! Events from the host.

use statewright_kernel::{Class, Event};
use statewright_rom::layout::PayloadKind;

use super::{Crowd, Envelope, Input};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;
use crate::event::{EventFor, SendError, WrongEvent};
use crate::handle::EventHandle;
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
    #[inline(always)]
    pub fn send<P: Payload>(
        &mut self,
        agent: AgentId,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<(), SendError> {
        let (event, words) = (event.handle(), payload.words());
        match self.own_class(event, P::KIND) {
            Some(class) if self.agents.roster().has(agent) => {
                let event = Event::new(event.id(), class).with_words(words);
                self.enter_sent(Envelope { to: agent, event });
                Ok(())
            }
            _ => self.send_rarely(agent, event, (P::KIND, words)),
        }
    }

    /// The class of an event of this very machine that carries this. Errors are told elsewhere, so
    /// that they cost nothing where there is none.
    #[inline(always)]
    fn own_class(&self, event: EventHandle, given: Option<PayloadKind>) -> Option<Class> {
        let known = self.program.machine().own_event(event)?;
        let fits = given.is_none_or(|given| given == known.payload);
        fits.then_some(known.class)
    }

    /// An event of another version of the machine, or one that is refused.
    #[cold]
    #[inline(never)]
    fn send_rarely(
        &mut self,
        agent: AgentId,
        event: EventHandle,
        (kind, words): (Option<PayloadKind>, [u32; 4]),
    ) -> Result<(), SendError> {
        let (id, class) = self.program.machine().check_event(event, kind)?;
        self.send_event(agent, Event::new(id, class).with_words(words))
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
        self.enter_sent(Envelope { to, event });
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
