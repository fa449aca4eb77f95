//! A world: crowds of different machines and blackboards with one clock, one tick, one commit and
//! one snapshot, and messages between all of them.
//!
//! ```text
//!            guards          villagers         bosses
//!  tick      ticks           ticks             ticks        one after the other, each on all threads
//!  post      ── messages of guards, of villagers, of bosses ──▶ mailboxes for the next tick
//! ```
//!
//! - `member` a crowd whose types are not known any more
//! - `links` which event of one machine is which of another, `conflicts` which only look so
//! - `groups` agents that are spoken to together, `grouping` how hosts do it
//! - `input` everything that enters from outside: one enum, one door; `send` events of the host
//! - `tick` the tick, `post` messages of agents, `undelivered` those that nobody gets
//! - `snapshot` all of it as bytes, `saving` for other versions of the game, `frames` earlier ticks to go back to
//!
//! Crowds run in the order in which they joined, which is part of snapshots. An agent hears of others only by messages, which
//! arrive in the next tick, so that the order shows nowhere but in the order of messages.

mod conflicts;
mod frames;
mod grouping;
mod groups;
mod input;
mod links;
mod member;
mod post;
mod saving;
mod send;
mod snapshot;
mod tick;
mod undelivered;

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use statewright_kernel::Counters;

use crate::agent_id::{AgentId, CrowdNumber};
use crate::board::Board;
use crate::context::Context;
use crate::crowd::{Crowd, Inspection, LookError, Missing, VariantError};
use crate::handle::{StateHandle, VariantHandle};
use crate::machine::Machine;
use crate::program::Program;
use crate::reload::{Reload, ReloadError, ReloadReport};
use crate::saved::Saved;
use frames::WorldFrames;
use groups::Groups;
pub use links::EventLinks;
use links::Links;
use member::{AnyCrowd, Member};
use post::Post;
use snapshot::Restored;
use undelivered::{CrowdIndex, Failures};

pub use conflicts::{Conflict, ConflictSide};
pub use frames::WorldRewindError;
pub use groups::{GroupError, GroupId, Told};
pub use input::{CrowdInput, Entered, WorldInput, WorldInputError};
pub use saving::SavedWorld;
pub use snapshot::{FORMAT as WORLD_FORMAT, WorldSnapshotError};
pub use tick::{WorldError, WorldTick};
pub use undelivered::Undelivered;

/// Several crowds that live in one time and speak to each other.
///
/// ```
/// use statewright::prelude::*;
/// use statewright::World;
///
/// let text = |name: &str| format!(r#"{{ "machine": "{name}", "events": {{ "Greet": {{ "payload": "entity" }} }},
///   "initial": "silent", "states": {{ "silent": {{ "transitions": [{{ "on": "Greet", "to": "glad", "do": "Answer" }}] }}, "glad": {{}} }} }}"#);
/// let [cat, dog] = ["Cat", "Dog"].map(|name| Machine::from_text(name, &text(name)).unwrap());
/// let answer = |machine: &Machine| {
///     let functions = Functions::<(), ()>::new().action("Answer", |_, _, cx| {
///         let (greet, other) = (cx.event().expect("it was greeted"), cx.payload::<AgentId>());
///         cx.send(other, greet, cx.agent());
///     });
///     Crowd::new(machine.bind(functions).unwrap(), 1)
/// };
///
/// let mut world = World::new();
/// let cats = world.join("cats", answer(&cat))?;
/// let dogs = world.join("dogs", answer(&dog))?;
/// let (tom, rex) = (world[cats].spawn(()), world[dogs].spawn(()));
/// world.tick(&());
///
/// world.send(tom, cat.event("Greet")?, rex)?;
/// world.tick(&());
/// assert_eq!((world.path(tom)?.as_str(), world.path(rex)?.as_str()), ("glad", "silent"));
/// world.tick(&());
/// assert_eq!(world.path(rex)?, "glad", "the cat's event is the dog's of the same name");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct World<C: Context + ?Sized> {
    now: u64,
    /// By the index of their keys; `None` for those that left.
    members: Vec<Option<Member<C>>>,
    /// Indices of those that are there, in the order in which they run: that in which they joined, or
    /// that of the snapshot which was restored last.
    order: Vec<usize>,
    links: Links,
    /// How often machines of the crowds had changed when they were linked.
    linked_reloads: u64,
    groups: Groups,
    post: Post,
    /// Why messages did not arrive, and how many.
    failed: Failures,
    /// Rises when a crowd leaves, by at least as often as agents went from it.
    left: u64,
    /// A snapshot that was read and has not taken effect yet.
    restored: Option<Restored>,
    /// Earlier ticks to go back to, if they are kept.
    frames: Option<WorldFrames>,
}

impl<C: Context + ?Sized> fmt::Debug for World<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("tick", &self.now)
            .field("crowds", &self.names().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl<C: Context + ?Sized> Default for World<C> {
    fn default() -> Self {
        Self {
            now: 0,
            members: Vec::new(),
            order: Vec::new(),
            links: Links::default(),
            linked_reloads: 0,
            groups: Groups::default(),
            post: Post::default(),
            failed: Failures::new(),
            left: 0,
            restored: None,
            frames: None,
        }
    }
}

/// A crowd of a world, with the type of its blackboards.
pub struct CrowdKey<B> {
    index: usize,
    board: PhantomData<fn() -> B>,
}

impl<B> Clone for CrowdKey<B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for CrowdKey<B> {}

impl<B> fmt::Debug for CrowdKey<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CrowdKey({})", self.index)
    }
}

/// Why a crowd cannot join; the world is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// A crowd of this name is there.
    SameName(String),
    /// Ids of its agents could be taken for those of another crowd.
    SameNumber {
        /// The number.
        number: CrowdNumber,
        /// The crowd that has it.
        other: String,
    },
    /// It lives in another time.
    OtherTime {
        /// Its next tick.
        crowd: u64,
        /// That of the world.
        world: u64,
    },
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SameName(name) => write!(f, "there is a crowd `{name}` in the world already"),
            Self::SameNumber { number, other } => write!(
                f,
                "the crowd has number {number}, as `{other}` has: give it another by `Crowd::numbered`, or another seed"
            ),
            Self::OtherTime { crowd, world } => {
                let (late, behind) = if crowd < world {
                    ("crowd alone", world - crowd)
                } else {
                    ("world without it", crowd - world)
                };
                write!(
                    f,
                    "the next tick of the crowd is {crowd}, that of the world {world}: tick the {late} {behind} more {}; \
                     only a crowd that never had an agent takes the time of the world",
                    if behind == 1 { "time" } else { "times" }
                )
            }
        }
    }
}

impl std::error::Error for JoinError {}

/// The crowd left the world, or was never in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotHere;

impl fmt::Display for NotHere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the crowd is not in this world: it left, or the key is one of another world")
    }
}

impl std::error::Error for NotHere {}

/// Crowds.
impl<C: Context + ?Sized> World<C> {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with another first tick than 0.
    ///
    /// # Panics
    ///
    /// If there are crowds in it.
    #[must_use]
    pub fn starting_at(mut self, tick: u64) -> Self {
        match self.apply(WorldInput::StartAt(tick)) {
            Ok(_) => self,
            Err(error) => panic!("{error}"),
        }
    }

    /// Adds a crowd under a name of its own. Its events are linked with those of the other crowds:
    /// the same stable id or the same name, and the same payload;
    /// [`conflicts`](Self::conflicts) lists those that carry different things. A crowd that never
    /// had an agent takes the time of the world.
    pub fn join<B>(&mut self, name: &str, crowd: Crowd<B, C>) -> Result<CrowdKey<B>, JoinError>
    where
        B: Board + Saved + Send + Sync + 'static,
        C: 'static,
    {
        self.add(name, crowd, |crowd| Member::saved(name, crowd))
    }

    /// The same with blackboards that cannot be saved: the world has no snapshots then.
    pub fn join_unsaved<B>(
        &mut self,
        name: &str,
        crowd: Crowd<B, C>,
    ) -> Result<CrowdKey<B>, JoinError>
    where
        B: Board + Send + Sync + 'static,
        C: 'static,
    {
        self.add(name, crowd, |crowd| Member::unsaved(name, crowd))
    }

    fn add<B: Board>(
        &mut self,
        name: &str,
        mut crowd: Crowd<B, C>,
        member: impl FnOnce(Crowd<B, C>) -> Member<C>,
    ) -> Result<CrowdKey<B>, JoinError> {
        if self.members().any(|(_, other)| other.name == name) {
            return Err(JoinError::SameName(name.to_owned()));
        }
        let number = crowd.number();
        if let Some((_, other)) = self.members().find(|(_, other)| other.number() == number) {
            let other = other.name.clone();
            return Err(JoinError::SameNumber { number, other });
        }
        if crowd.now() != self.now && !crowd.take_time(self.now) {
            return Err(JoinError::OtherTime {
                crowd: crowd.now(),
                world: self.now,
            });
        }
        let index = self.members.len();
        self.members.push(Some(member(crowd)));
        self.order.push(index);
        self.forget_frames();
        self.link_again();
        Ok(CrowdKey {
            index,
            board: PhantomData,
        })
    }

    /// Takes a crowd out of the world. Messages to its agents are lost from now on, and
    /// [counted](Self::undelivered).
    pub fn leave<B>(&mut self, key: CrowdKey<B>) -> Result<Crowd<B, C>, NotHere>
    where
        B: Board + 'static,
        C: 'static,
    {
        self.crowd(key)?;
        let member = self.members.get_mut(key.index).and_then(Option::take);
        let member = member.ok_or(NotHere)?;
        self.order.retain(|&index| index != key.index);
        self.forget_frames();
        // Whoever was in a group is gone, also if the crowd comes back.
        self.groups.forget(member.number());
        self.left += member.departures() + 1;
        let crowd = member.into_crowd().ok_or(NotHere)?;
        let gone = CrowdIndex::At(key.index);
        self.failed = undelivered::moved(&self.failed, |index| {
            if index == gone {
                CrowdIndex::Left
            } else {
                index
            }
        });
        self.link_again();
        Ok(crowd)
    }

    /// Another version of the machine of a crowd takes the place of the one that runs
    /// ([`Crowd::reload`]). Its events are linked anew with those of the other crowds.
    pub fn reload<B>(
        &mut self,
        key: CrowdKey<B>,
        program: impl Into<Arc<Program<B, C>>>,
        plan: Reload,
    ) -> Result<ReloadReport, ReloadError>
    where
        B: Board + 'static,
        C: 'static,
    {
        let crowd = self
            .crowd_mut(key)
            .map_err(|NotHere| ReloadError::NotHere)?;
        let report = crowd.reload(program, plan)?;
        self.link_reloaded();
        Ok(report)
    }

    /// Events are linked anew if a crowd changed its machine since.
    fn link_reloaded(&mut self) {
        let reloads = self.members().map(|(_, member)| member.reloads()).sum();
        if self.linked_reloads != reloads {
            self.linked_reloads = reloads;
            self.link_again();
        }
    }

    fn link_again(&mut self) {
        let machines: Vec<Option<&Machine>> = self
            .members
            .iter()
            .map(|member| member.as_ref().map(|member| member.machine()))
            .collect();
        self.links.update(&machines);
    }

    /// A crowd; `world[key]` is the same for those who know that it is there.
    pub fn crowd<B>(&self, key: CrowdKey<B>) -> Result<&Crowd<B, C>, NotHere>
    where
        B: Board + 'static,
        C: 'static,
    {
        let member = self.members.get(key.index).and_then(Option::as_ref);
        member.and_then(Member::crowd).ok_or(NotHere)
    }

    /// A crowd, to spawn, send and change. Its ticks belong to the world: one that is ticked or
    /// restored alone lives in another time, and the world says so at its next tick.
    pub fn crowd_mut<B>(&mut self, key: CrowdKey<B>) -> Result<&mut Crowd<B, C>, NotHere>
    where
        B: Board + 'static,
        C: 'static,
    {
        let member = self.members.get_mut(key.index).and_then(Option::as_mut);
        member.and_then(Member::crowd_mut).ok_or(NotHere)
    }

    /// Names of the crowds, in the order in which they run.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members().map(|(_, member)| member.name.as_str())
    }

    /// The name of the crowd with a number.
    pub fn name_of(&self, number: CrowdNumber) -> Option<&str> {
        let mut members = self.members();
        let found = members.find(|(_, member)| member.number() == number);
        found.map(|(_, member)| member.name.as_str())
    }

    /// Those that are there, in the order in which they run.
    fn members(&self) -> impl Iterator<Item = (usize, &Member<C>)> {
        let order = self.order.iter();
        order.filter_map(|&index| Some((index, self.members.get(index)?.as_ref()?)))
    }
}

impl<B: Board + 'static, C: Context + ?Sized + 'static> Index<CrowdKey<B>> for World<C> {
    type Output = Crowd<B, C>;

    /// The crowd.
    ///
    /// # Panics
    ///
    /// If it left the world.
    fn index(&self, key: CrowdKey<B>) -> &Crowd<B, C> {
        self.crowd(key).unwrap_or_else(|error| panic!("{error}"))
    }
}

impl<B: Board + 'static, C: Context + ?Sized + 'static> IndexMut<CrowdKey<B>> for World<C> {
    fn index_mut(&mut self, key: CrowdKey<B>) -> &mut Crowd<B, C> {
        self.crowd_mut(key)
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Agents of any crowd, by id.
impl<C: Context + ?Sized> World<C> {
    /// The next tick.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How many agents there are in all crowds.
    pub fn len(&self) -> usize {
        self.members().map(|(_, member)| member.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Is there such an agent?
    pub fn contains(&self, agent: AgentId) -> bool {
        self.member_of(agent)
            .is_some_and(|(_, member)| member.contains(agent))
    }

    /// The machine of an agent.
    pub fn machine_of(&self, agent: AgentId) -> Result<&Machine, Missing> {
        let (_, member) = self.known(agent)?;
        Ok(member.machine())
    }

    /// The paths of an agent's active leaves, for people.
    pub fn path(&self, agent: AgentId) -> Result<String, Missing> {
        self.known(agent)?.1.path(agent)
    }

    /// Is an agent in a state, or in one below it? The state is one of its machine.
    pub fn is_in(&self, agent: AgentId, state: StateHandle) -> Result<bool, LookError> {
        self.known(agent)?.1.is_in(agent, state)
    }

    /// All that there is to see of an agent, in words ([`Crowd::inspect`]).
    pub fn inspect(&self, agent: AgentId) -> Result<Inspection, Missing> {
        self.known(agent)?.1.inspect(agent)
    }

    /// Removes an agent at once; nothing of it runs ([`Crowd::despawn`]).
    pub fn despawn(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.known(agent)?;
        self.enter(WorldInput::Despawn(agent));
        Ok(())
    }

    /// Ends an agent in its next tick, with all its exits ([`Crowd::stop`]).
    pub fn stop(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.known(agent)?;
        self.enter(WorldInput::Stop(agent));
        Ok(())
    }

    /// Makes an agent as new; nothing of it runs ([`Crowd::reset`]).
    pub fn reset(&mut self, agent: AgentId) -> Result<(), Missing> {
        self.known(agent)?;
        self.enter(WorldInput::Reset(agent));
        Ok(())
    }

    /// Through the door of the crowd of an agent who is there.
    fn change<E>(
        &mut self,
        agent: AgentId,
        change: impl FnOnce(&mut dyn AnyCrowd<C>) -> Result<(), E>,
    ) {
        let found = self.known(agent).map(|(index, _)| index);
        let member = found
            .ok()
            .and_then(|index| self.members.get_mut(index)?.as_mut());
        let changed = member.map(|member| change(&mut **member));
        debug_assert!(matches!(changed, Some(Ok(()))), "{agent} was checked");
    }

    /// The variant of an agent's parameters (LANG-12).
    pub fn variant(&self, agent: AgentId) -> Result<VariantHandle, Missing> {
        self.known(agent)?.1.variant(agent)
    }

    /// Gives an agent another variant of its machine's parameters ([`Crowd::set_variant`]).
    pub fn set_variant(
        &mut self,
        agent: AgentId,
        variant: VariantHandle,
    ) -> Result<(), VariantError> {
        self.check_variant(agent, variant)?;
        self.enter(WorldInput::SetVariant(agent, variant));
        Ok(())
    }

    /// The agent is there, and its machine has such a variant.
    fn check_variant(&self, agent: AgentId, variant: VariantHandle) -> Result<(), VariantError> {
        self.known(agent)?.1.check_variant(agent, variant)
    }

    /// What happened to all agents of all crowds since they began (SYS-8).
    pub fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        self.members()
            .for_each(|(_, member)| sum.add(&member.counters()));
        sum
    }

    /// The crowd of an agent, who may be gone.
    fn member_of(&self, agent: AgentId) -> Option<(usize, &Member<C>)> {
        self.members()
            .find(|(_, member)| member.number() == agent.crowd())
    }

    /// The crowd of an agent who is there.
    fn known(&self, agent: AgentId) -> Result<(usize, &Member<C>), Missing> {
        let (index, member) = self.member_of(agent).ok_or(Missing::of_no_crowd(agent))?;
        if member.contains(agent) {
            Ok((index, member))
        } else {
            Err(Missing::Gone(agent))
        }
    }
}
