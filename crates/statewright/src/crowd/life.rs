//! Life of the agents of a crowd: spawn, despawn, stop, reset, pause (SYS-9, SYS-10).

use std::fmt;

use statewright_kernel as kernel;
use statewright_rom::ids::VariantId;

use super::store::with_instances;
use super::{Crowd, Missing};
use crate::board::Board;
use crate::value::AgentId;

/// Why an agent was not added; the crowd is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpawnError {
    /// There are 2^32 agents already.
    TooMany,
    /// The blackboard is one of another machine.
    BoardDoesNotFit {
        /// Name of the crowd's machine.
        machine: String,
    },
    /// The machine has no such variant: it is one of another machine.
    UnknownVariant {
        /// Name of the crowd's machine.
        machine: String,
        /// The variant.
        variant: VariantId,
    },
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => f.write_str("a crowd has at most 2^32 agents"),
            Self::BoardDoesNotFit { machine } => write!(
                f,
                "the blackboard was made for another machine than `{machine}`, with other keys: make it with the machine of the crowd"
            ),
            Self::UnknownVariant { machine, variant } => {
                write!(
                    f,
                    "`{machine}` has no variant {variant}: it is one of another machine"
                )
            }
        }
    }
}

impl std::error::Error for SpawnError {}

/// Life.
impl<B: Board, C> Crowd<B, C> {
    /// Adds an agent; it starts in its first tick.
    ///
    /// # Panics
    ///
    /// If the blackboard is one of another machine, or if there are 2^32 agents already;
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
    pub fn spawn_as(&mut self, board: B, variant: VariantId) -> AgentId {
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
        if !board.fits(self.program.machine()) {
            return Err(SpawnError::BoardDoesNotFit {
                machine: self.machine().name().to_owned(),
            });
        }
        let place = self
            .free
            .last()
            .map_or(self.lives.len(), |&place| place as usize);
        let index = u32::try_from(place).map_err(|_| SpawnError::TooMany)?;
        self.free.pop();
        self.put(board, place);
        Ok(AgentId::new(index, self.lives[place]))
    }

    /// Adds an agent with a variant, or nothing if it cannot be one of this crowd.
    pub fn try_spawn_as(&mut self, board: B, variant: VariantId) -> Result<AgentId, SpawnError> {
        let known = self.machine().rom().variants().len().max(1);
        if variant.index() >= known {
            return Err(SpawnError::UnknownVariant {
                machine: self.machine().name().to_owned(),
                variant,
            });
        }
        let agent = self.try_spawn(board)?;
        self.variants.resize(self.lives.len(), VariantId::PLAIN);
        self.variants[agent.index() as usize] = variant;
        Ok(agent)
    }

    /// A new agent begins at a free place, or one behind the last.
    fn put(&mut self, board: B, place: usize) {
        match self.boards.get_mut(place) {
            Some(old) => *old = board,
            None => {
                self.boards.push(board);
                self.lives.push(0);
            }
        }
        self.lives[place] = self.lives[place].wrapping_add(1);
        // Each agent has random numbers of its own, also where another one was before.
        self.store
            .put(self.program.machine().id(), self.seed, self.spawned, place);
        self.spawned += 1;
        if let Some(variant) = self.variants.get_mut(place) {
            *variant = VariantId::PLAIN;
        }
        self.wake.wake(place);
    }

    /// Removes an agent at once; nothing of it runs. What it owns is not released:
    /// [`Self::held_channels`] tells before. Its blackboard is dropped when somebody else takes
    /// its place.
    pub fn despawn(&mut self, agent: AgentId) -> Result<(), Missing> {
        let place = self.place(agent)?;
        self.lives[place] = self.lives[place].wrapping_add(1);
        self.free.push(place as u32);
        self.stopping.remove(&(place as u32));
        self.wake.put_to_sleep(place);
        self.mail.doubt();
        self.tracing.despawned(place);
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
        let place = self.place(agent)?;
        self.stopping.insert(agent.index());
        self.wake.wake(place);
        Ok(())
    }

    /// Makes an agent as new; nothing of it runs (SYS-10).
    pub fn reset(&mut self, agent: AgentId) -> Result<(), Missing> {
        let place = self.place(agent)?;
        let rom = self.program.machine().rom();
        with_instances!(&mut self.store, list => kernel::reset(&rom, &mut list[place]));
        self.stopping.remove(&agent.index());
        self.wake.wake(place);
        Ok(())
    }

    /// Stops time for an agent (SYS-9).
    pub fn pause(&mut self, agent: AgentId) -> Result<(), Missing> {
        let (place, now) = (self.place(agent)?, self.now as u32);
        let rom = self.program.machine().rom();
        with_instances!(&mut self.store, list => kernel::pause(&rom, &mut list[place], now));
        self.wake.put_to_sleep(place);
        Ok(())
    }

    /// Lets its time go on.
    pub fn resume(&mut self, agent: AgentId) -> Result<(), Missing> {
        let (place, now) = (self.place(agent)?, self.now as u32);
        let rom = self.program.machine().rom();
        with_instances!(&mut self.store, list => kernel::resume(&rom, &mut list[place], now));
        self.wake.wake(place);
        Ok(())
    }
}
