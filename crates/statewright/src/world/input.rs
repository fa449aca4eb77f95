//! Everything that enters a world from outside: one enum, one door.
//!
//! ```text
//!  send, despawn, join_group, …   ── checked ──▶ WorldInput ──▶ World::enter ──▶ groups, time
//!  World::apply (any WorldInput)  ── checked ──▶                     │
//!                                                                    ▼ what is for one crowd
//!  world[key].spawn, …            ── checked ──▶ Input ────────▶ Crowd::enter ──▶ agents, …
//! ```
//!
//! What is for the agents of one crowd goes through the door of that crowd, whoever brings it; all
//! else through this one. Ticks are no inputs, nor are messages of agents: they follow from what
//! entered. Crowds that join and leave are none either: they are what inputs are for, as a machine
//! and its functions are for a crowd.

use std::any::Any;
use std::fmt;

use super::frames::WorldRewindError;
use super::groups::{GroupError, GroupId, Told};
use super::snapshot::WorldSnapshotError;
use super::{CrowdKey, NotHere, World};
use crate::agent_id::AgentId;
use crate::context::Context;
use crate::crowd::{Envelope, Input, InputError, Missing, VariantError};
use crate::event::SendError;
use crate::handle::{EventHandle, VariantHandle};

/// Something that enters a world from outside. [`World::apply`] takes any of them; the methods of a
/// world that change it each make one.
#[derive(Debug)]
pub enum WorldInput<'i> {
    /// An input of one of its crowds.
    Crowd(CrowdInput),
    /// An event for an agent of any crowd, by its number in the agent's machine.
    Send(Envelope),
    /// An agent of any crowd is taken away.
    Despawn(AgentId),
    /// An agent of any crowd ends in its next tick, with all its exits.
    Stop(AgentId),
    /// An agent of any crowd becomes as new.
    Reset(AgentId),
    /// An agent of any crowd gets another variant of its machine's parameters.
    SetVariant(AgentId, VariantHandle),
    /// An event for all agents of all crowds that know it.
    Broadcast {
        /// An event of any machine in the world.
        event: EventHandle,
        /// What it carries, as the words of its type.
        payload: [u32; 4],
    },
    /// A group begins. It gets the place that was freed last, or the next one.
    NewGroup,
    /// A group ends.
    DissolveGroup(GroupId),
    /// An agent becomes the last member of a group.
    JoinGroup(GroupId, AgentId),
    /// An agent is no member of a group any more.
    LeaveGroup(GroupId, AgentId),
    /// An event for all members of a group.
    SendToGroup {
        /// The group.
        group: GroupId,
        /// An event of any machine in the world.
        event: EventHandle,
        /// What it carries, as the words of its type.
        payload: [u32; 4],
    },
    /// The next tick of a world without crowds.
    StartAt(u64),
    /// The world becomes what the bytes of a snapshot hold.
    Restore(&'i [u8]),
    /// The world is again what it was before an earlier tick ([`World::rewind`]).
    Rewind(u64),
    /// The world becomes what a save holds ([`World::load_saved`], which reads it).
    Load,
}

/// An input of one crowd of a world, whatever its blackboards are.
pub struct CrowdInput {
    pub(super) crowd: usize,
    /// An [`Input`] of its blackboards.
    pub(super) input: Box<dyn Any + Send>,
}

impl CrowdInput {
    /// For the crowd with this key.
    pub fn new<B: Send + 'static>(key: CrowdKey<B>, input: Input<B>) -> Self {
        Self {
            crowd: key.index,
            input: Box::new(input),
        }
    }
}

impl fmt::Debug for CrowdInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrowdInput")
            .field("crowd", &self.crowd)
            .finish_non_exhaustive()
    }
}

/// What an input gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// Nothing that the host would have to know.
    Done,
    /// An agent began.
    Agent(AgentId),
    /// A group began.
    Group(GroupId),
    /// Members of a group were spoken to, or all agents.
    Told(Told),
}

/// Why an input was refused; the world is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldInputError {
    /// There is no such crowd in the world, or it has other blackboards.
    NotHere(NotHere),
    /// The crowd refuses it.
    Crowd(InputError),
    /// The event cannot be sent.
    Send(SendError),
    /// There is no such agent.
    Missing(Missing),
    /// The agent cannot have the variant.
    Variant(VariantError),
    /// The group cannot do it.
    Group(GroupError),
    /// Time cannot begin there: there are crowds in the world.
    StartAt(u64),
    /// The snapshot is refused.
    Restore(WorldSnapshotError),
    /// The world cannot go back that far.
    Rewind(WorldRewindError),
}

impl fmt::Display for WorldInputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotHere(error) => error.fmt(f),
            Self::Crowd(error) => error.fmt(f),
            Self::Send(error) => error.fmt(f),
            Self::Missing(error) => error.fmt(f),
            Self::Variant(error) => error.fmt(f),
            Self::Group(error) => error.fmt(f),
            Self::StartAt(tick) => write!(
                f,
                "time cannot begin at tick {tick}: a world with crowds cannot change its time"
            ),
            Self::Restore(error) => error.fmt(f),
            Self::Rewind(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WorldInputError {}

macro_rules! from_errors {
    ($($error:ident => $variant:ident),*) => {
        $(impl From<$error> for WorldInputError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        })*
    };
}

from_errors!(NotHere => NotHere, InputError => Crowd, SendError => Send, Missing => Missing, VariantError => Variant, GroupError => Group, WorldSnapshotError => Restore, WorldRewindError => Rewind);

/// The door.
impl<C: Context + ?Sized> World<C> {
    /// Lets an input of any kind enter, as the method of its kind would.
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::{CrowdInput, Entered, Input, World, WorldInput};
    ///
    /// let machine = Machine::from_text("ant", r#"{ "machine": "Ant", "states": { "walk": {} } }"#)?;
    /// let mut world: World<()> = World::new();
    /// let ants = world.join("ants", Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1))?;
    /// let spawn = Input::Spawn { board: (), variant: None };
    /// let Entered::Agent(ant) = world.apply(WorldInput::Crowd(CrowdInput::new(ants, spawn)))? else {
    ///     unreachable!("an agent begins");
    /// };
    /// assert_eq!(world[ants].agents().next(), Some(ant));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&mut self, input: WorldInput<'_>) -> Result<Entered, WorldInputError> {
        self.check(&input)?;
        Ok(self.enter(input))
    }

    fn check_crowd_input(&self, input: &CrowdInput) -> Result<(), WorldInputError> {
        let member = self.members.get(input.crowd).and_then(Option::as_ref);
        let member = member.ok_or(NotHere)?;
        Ok(member.check_any(&*input.input).ok_or(NotHere)??)
    }

    /// Through the door of its crowd.
    fn enter_crowd(&mut self, input: CrowdInput) -> Entered {
        let member = self.members.get_mut(input.crowd).and_then(Option::as_mut);
        let entered = member.and_then(|member| member.enter_any(input.input));
        entered.map_or(Entered::Done, Entered::Agent)
    }

    /// May an input enter? A snapshot is read here, and takes effect when it enters.
    fn check(&mut self, input: &WorldInput<'_>) -> Result<(), WorldInputError> {
        match input {
            WorldInput::Crowd(input) => self.check_crowd_input(input)?,
            WorldInput::Send(envelope) => self.check_envelope(envelope)?,
            WorldInput::Despawn(agent) | WorldInput::Stop(agent) | WorldInput::Reset(agent) => {
                self.known(*agent)?;
            }
            WorldInput::SetVariant(agent, variant) => self.check_variant(*agent, *variant)?,
            WorldInput::Broadcast { event, .. } => {
                self.check_spoken(*event, None).map_err(SendError::Event)?;
            }
            WorldInput::NewGroup => drop(self.groups.next_id().ok_or(GroupError::TooMany)?),
            WorldInput::DissolveGroup(group) => drop(self.groups.members(*group)?),
            WorldInput::JoinGroup(group, agent) => self.check_join(*group, *agent)?,
            WorldInput::LeaveGroup(group, agent) => self.check_leave(*group, *agent)?,
            WorldInput::SendToGroup { group, event, .. } => {
                self.check_group_event(*group, *event, None)?;
            }
            WorldInput::StartAt(tick) if !self.members.is_empty() => {
                return Err(WorldInputError::StartAt(*tick));
            }
            WorldInput::StartAt(_) => {}
            WorldInput::Restore(snapshot) => self.prepare_restore(snapshot)?,
            WorldInput::Rewind(tick) => self.check_rewind(*tick)?,
            WorldInput::Load if self.restored.is_none() => {
                let error = WorldSnapshotError::Content("no save was read");
                return Err(WorldInputError::Restore(error));
            }
            WorldInput::Load => {}
        }
        Ok(())
    }

    /// Carries out an input that was checked: each input that takes effect comes by here, once, in
    /// order.
    #[inline(always)]
    pub(super) fn enter(&mut self, input: WorldInput<'_>) -> Entered {
        match input {
            WorldInput::Crowd(input) => return self.enter_crowd(input),
            WorldInput::Send(envelope) => self.post_event(envelope),
            WorldInput::Despawn(agent) => self.change(agent, |crowd| crowd.despawn(agent)),
            WorldInput::Stop(agent) => self.change(agent, |crowd| crowd.stop(agent)),
            WorldInput::Reset(agent) => self.change(agent, |crowd| crowd.reset(agent)),
            WorldInput::SetVariant(agent, variant) => {
                self.change(agent, |crowd| crowd.set_variant(agent, variant))
            }
            WorldInput::Broadcast { event, payload } => {
                return Entered::Told(self.tell_all(event, payload));
            }
            WorldInput::NewGroup => {
                return self.groups.add().map_or(Entered::Done, Entered::Group);
            }
            WorldInput::DissolveGroup(group) => self.groups.remove(group),
            WorldInput::JoinGroup(group, agent) => self.groups.join(group, agent),
            WorldInput::LeaveGroup(group, agent) => self.groups.leave(group, agent),
            WorldInput::SendToGroup {
                group,
                event,
                payload,
            } => return Entered::Told(self.tell_group(group, event, payload)),
            WorldInput::StartAt(tick) => self.now = tick,
            WorldInput::Restore(_) | WorldInput::Load => self.complete_restore(),
            WorldInput::Rewind(tick) => self.become_earlier(tick),
        }
        Entered::Done
    }
}
