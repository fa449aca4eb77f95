//! Life of the agents of a crowd: spawn, despawn, stop, reset, pause (SYS-9, SYS-10).

use statewright_rom::ids::VariantId;

use super::agents::has_variant;
use super::{Crowd, Input, Missing, SpawnError, VariantError};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;
use crate::handle::VariantHandle;

/// Life.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Adds an agent; it starts in its first tick.
    ///
    /// # Panics
    ///
    /// If the blackboard is one of another machine, or if there are 2^28 agents already;
    /// [`Self::try_spawn`] says so instead.
    pub fn spawn(&mut self, board: B) -> AgentId {
        self.try_spawn(board)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Adds an agent with a variant of the machine's parameters (CODE-3).
    ///
    /// # Panics
    ///
    /// If the machine has no such variant, and as [`Self::spawn`]; [`Self::try_spawn_as`] says so
    /// instead.
    pub fn spawn_as(&mut self, board: B, variant: VariantHandle) -> AgentId {
        self.try_spawn_as(board, variant)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Adds an agent, or nothing if it cannot be one of this crowd.
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::{Blackboard, SpawnError};
    ///
    /// let cat = r#"{ "machine": "Cat", "blackboard": { "lives": { "type": "i32" } }, "states": { "sit": {} } }"#;
    /// let [cat, dog] = [("cat", cat.to_owned()), ("dog", cat.replace("lives", "bones"))]
    ///     .map(|(name, text)| Machine::from_text(name, &text).unwrap());
    /// let mut cats = Crowd::new(cat.bind(Functions::<Blackboard, ()>::new())?, 1);
    /// assert!(cats.try_spawn(Blackboard::new(&cat)).is_ok());
    /// assert_eq!(cats.try_spawn(Blackboard::new(&dog)), Err(SpawnError::BoardDoesNotFit { machine: "Cat".to_owned() }));
    /// assert_eq!(cats.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_spawn(&mut self, board: B) -> Result<AgentId, SpawnError> {
        let agent = self.check_spawn(&board, None)?;
        self.enter(Input::Spawn {
            board,
            variant: None,
        });
        Ok(agent)
    }

    /// Adds an agent with a variant, or nothing if it cannot be one of this crowd.
    pub fn try_spawn_as(
        &mut self,
        board: B,
        variant: VariantHandle,
    ) -> Result<AgentId, SpawnError> {
        let variant = self.machine().resolve(variant);
        let variant = Some(variant.map_err(SpawnError::Variant)?);
        let agent = self.check_spawn(&board, variant)?;
        self.enter(Input::Spawn { board, variant });
        Ok(agent)
    }

    /// The id that an agent would have; why it cannot be one of this crowd.
    pub(super) fn check_spawn(
        &self,
        board: &B,
        variant: Option<VariantId>,
    ) -> Result<AgentId, SpawnError> {
        let machine = self.machine();
        if let Some(variant) = variant.filter(|&variant| !has_variant(machine, variant)) {
            return Err(SpawnError::UnknownVariant {
                machine: machine.name().to_owned(),
                variant,
            });
        }
        if !board.fits(machine) {
            return Err(SpawnError::BoardDoesNotFit {
                machine: machine.name().to_owned(),
            });
        }
        self.agents.next_id().ok_or(SpawnError::TooMany)
    }

    /// Removes an agent at once; nothing of it runs. What it owns is not released:
    /// [`Self::held_channels`] tells before. Its blackboard is dropped when somebody else takes
    /// its index.
    pub fn despawn(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.agents.index(agent)?;
        self.enter(Input::Despawn(agent));
        Ok(())
    }

    /// Ends an agent in its next tick: at its turn all its exits run instead, and what it owns is
    /// released; then it is terminated and stays in the crowd until it is despawned or reset
    /// (SYS-10). Events on their way to it are dropped, and counted. One that has not started
    /// runs nothing, and one that has ended stays as it is. A pause does not put it off;
    /// [`Self::reset`] and [`Self::despawn`] before that tick come instead of it.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// struct Lamp { lit: bool }
    /// impl Board for Lamp {}
    ///
    /// let machine = Machine::build("Lamp", |m| {
    ///     m.state("on", |s| {
    ///         s.exit("SwitchOff");
    ///     });
    /// })?;
    /// let off = Functions::new().action("SwitchOff", |me: &mut Lamp, _: &(), _| me.lit = false);
    /// let mut lamps = Crowd::new(machine.bind(off)?, 1);
    /// let lamp = lamps.spawn(Lamp { lit: true });
    /// lamps.tick(&());
    ///
    /// lamps.stop(lamp)?;
    /// assert_eq!((lamps.board(lamp)?.lit, lamps.has_ended(lamp)?), (true, false));
    /// lamps.tick(&());
    /// assert_eq!((lamps.board(lamp)?.lit, lamps.has_ended(lamp)?), (false, true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stop(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.agents.index(agent)?;
        self.enter(Input::Stop(agent));
        Ok(())
    }

    /// Makes an agent as new; nothing of it runs (SYS-10).
    pub fn reset(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.agents.index(agent)?;
        self.enter(Input::Reset(agent));
        Ok(())
    }

    /// Stops time for an agent (SYS-9).
    pub fn pause(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.agents.index(agent)?;
        self.enter(Input::Pause(agent));
        Ok(())
    }

    /// Lets its time go on.
    pub fn resume(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.agents.index(agent)?;
        self.enter(Input::Resume(agent));
        Ok(())
    }

    /// The variant of an agent's parameters (CODE-3).
    pub fn variant(&self, agent: AgentId) -> Result<VariantHandle, Missing> {
        let variant = self.agents.variant(self.agents.index(agent)?);
        let known = self.machine().handle(variant);
        Ok(known.unwrap_or(VariantHandle::PLAIN))
    }

    /// Gives an agent another variant of the machine's parameters: from its next tick on guards,
    /// durations and expressions see these. A timer that runs keeps its deadline.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let text = r#"{ "machine": "Dog", "parameters": { "brave": false },
    ///   "variants": { "hero": { "brave": true } }, "initial": "sit",
    ///   "states": { "sit": { "transitions": [{ "when": "always", "if": "brave", "to": "bark" }] }, "bark": {} } }"#;
    /// let machine = Machine::from_text("dog", text)?;
    /// let mut dogs = Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1);
    /// let dog = dogs.spawn(());
    /// dogs.tick(&());
    /// assert_eq!(dogs.path(dog)?, "sit");
    ///
    /// dogs.set_variant(dog, machine.variant("hero")?)?;
    /// dogs.tick(&());
    /// assert_eq!(dogs.path(dog)?, "bark");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_variant(
        &mut self,
        agent: AgentId,
        variant: VariantHandle,
    ) -> Result<(), VariantError> {
        let variant = self.checked_variant(agent, variant)?;
        self.enter(Input::SetVariant(agent, variant));
        Ok(())
    }

    /// A variant that an agent who is there may get.
    pub(crate) fn checked_variant(
        &self,
        agent: AgentId,
        variant: VariantHandle,
    ) -> Result<VariantId, VariantError> {
        let variant = self.machine().resolve(variant);
        let variant = variant.map_err(VariantError::Variant)?;
        self.check_variant(agent, variant)?;
        Ok(variant)
    }

    pub(super) fn check_variant(
        &self,
        agent: AgentId,
        variant: VariantId,
    ) -> Result<(), VariantError> {
        self.agents.index(agent)?;
        if !has_variant(self.machine(), variant) {
            return Err(VariantError::UnknownVariant {
                machine: self.machine().name().to_owned(),
                variant,
            });
        }
        Ok(())
    }

    /// Clears the marks that stay until the host has seen them (SYS-2). An agent that was clamped
    /// sleeps again afterwards.
    pub fn clear_flags(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.agents.index(agent)?;
        self.enter(Input::ClearFlags(agent));
        Ok(())
    }
}
