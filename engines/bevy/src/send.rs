//! Events for agents, from systems (EVT-1, EVT-4).
//!
//! The order in which an agent hears what is sent in one tick depends neither on threads nor on the
//! order in which unordered systems happen to run:
//!
//! 1. what was left over from the tick before, then messages of agents, in the order of senders
//! 2. [`Signal`]s, by their [`order`](Signal::order), then by event and payload
//! 3. what systems [`Tell`], system by system in the order of their names, each in the order in which it
//!    spoke since the last tick
//!
//! A system that was added twice, and closures of one function, have one name: what they said first comes
//! first, then what they said second, each time by event and payload.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicU64, Ordering as Atomic};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bevy_ecs::entity::Entity;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::message::Message;
use bevy_ecs::observer::On;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Local, Res, SystemName, SystemParam};
use statewright::{AgentId, Class, EventFor, EventHandle, Payload, PayloadKind, Symbol};

use crate::agent::Group;

/// Who is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// The agent that lives on an entity.
    Entity(Entity),
    /// An agent, or a group by its [receiver](Group::receiver).
    Agent(AgentId),
    /// All agents of a group.
    Group(Group),
    /// All agents.
    All,
}

impl From<Entity> for Target {
    fn from(entity: Entity) -> Self {
        Self::Entity(entity)
    }
}

impl From<AgentId> for Target {
    fn from(agent: AgentId) -> Self {
        Self::Agent(agent)
    }
}

impl From<Group> for Target {
    fn from(group: Group) -> Self {
        Self::Group(group)
    }
}

/// Sends events to agents: a parameter of systems. Many systems may have one and run side by side.
/// What is sent before [`Intake`](crate::StatewrightSystems::Intake) is heard in the tick that follows.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_statewright::prelude::*;
/// use statewright::EventHandle;
///
/// #[derive(Resource)]
/// struct Events { hit: EventHandle }
///
/// fn hurt(mut tell: Tell, events: Res<Events>, targets: Query<Entity, With<StableId>>) {
///     for target in &targets {
///         tell.send(target, events.hit, 5);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(hurt);
/// ```
#[derive(SystemParam)]
pub struct Tell<'w, 's> {
    inbox: Res<'w, Inbox>,
    name: SystemName,
    source: Local<'s, Source>,
}

/// Who speaks, and how often it spoke since the last intake. What it said before must not count: where
/// frames were rolled back it would have spoken more often than elsewhere, and come behind another system of its name.
#[derive(Debug, Default)]
struct Source {
    name: Option<u32>,
    /// The round in which it spoke.
    round: u64,
    said: u64,
}

impl Tell<'_, '_> {
    /// Sends an event to an agent, a group or everybody. One that its machine does not know, or that
    /// carries something else, is counted in [`Problems`](crate::Problems).
    pub fn send<P: Payload>(&mut self, to: impl Into<Target>, event: impl EventFor<P>, payload: P) {
        self.put(to.into(), event, None, payload);
    }

    /// The same in a class of its own.
    pub fn send_as<P: Payload>(
        &mut self,
        to: impl Into<Target>,
        event: impl EventFor<P>,
        class: Class,
        payload: P,
    ) {
        self.put(to.into(), event, Some(class), payload);
    }

    /// Sends an event to every agent that knows it.
    pub fn broadcast<P: Payload>(&mut self, event: impl EventFor<P>, payload: P) {
        self.put(Target::All, event, None, payload);
    }

    fn put<P: Payload>(
        &mut self,
        to: Target,
        event: impl EventFor<P>,
        class: Option<Class>,
        payload: P,
    ) {
        let name = &self.name;
        let source = &mut *self.source;
        let number = *source
            .name
            .get_or_insert_with(|| Symbol::of(&name.to_string()).0);
        let mut sent = self.inbox.sent();
        if source.round != sent.round {
            (source.round, source.said) = (sent.round, 0);
        }
        source.said += 1;
        sent.told.push(Told {
            to,
            event: event.handle(),
            kind: P::KIND,
            words: payload.words(),
            class,
            order: i32::MAX,
            source: (number, source.said),
        });
    }
}

/// An event for the agent of an entity: written as a Bevy message, or triggered as an entity event.
/// Signals of one tick have no sender: they are heard by their `order`, then by event and payload.
#[derive(Message, EntityEvent, Clone, Copy, Debug)]
pub struct Signal {
    /// Who hears it.
    pub entity: Entity,
    /// The event.
    pub event: EventHandle,
    /// What it carries.
    pub kind: Option<PayloadKind>,
    /// What it carries, as words.
    pub words: [u32; 4],
    /// The lowest is heard first.
    pub order: i32,
}

impl Signal {
    /// An event for the agent of an entity.
    pub fn new<P: Payload>(entity: Entity, event: impl EventFor<P>, payload: P) -> Self {
        Self {
            entity,
            event: event.handle(),
            kind: P::KIND,
            words: payload.words(),
            order: 0,
        }
    }

    /// Heard before those of a higher number, and behind those of a lower one.
    #[must_use]
    pub fn in_order(self, order: i32) -> Self {
        Self { order, ..self }
    }
}

/// Signals that are triggered go the way of those that are written.
pub(crate) fn hear_signal(signal: On<'_, '_, Signal>, inbox: Option<Res<'_, Inbox>>) {
    // A world that was cleared has none.
    if let Some(inbox) = inbox {
        inbox.put(Told::of_signal(&signal));
    }
}

/// What was sent since the last intake.
#[derive(Resource, Debug, Default)]
pub struct Inbox {
    sent: Mutex<Sent>,
}

#[derive(Debug)]
struct Sent {
    /// From one intake to the next; no other one has its number, however often time goes back.
    round: u64,
    told: Vec<Told>,
}

impl Sent {
    fn new(told: Vec<Told>) -> Self {
        static ROUNDS: AtomicU64 = AtomicU64::new(1);
        let round = ROUNDS.fetch_add(1, Atomic::Relaxed);
        Self { round, told }
    }
}

impl Default for Sent {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

/// For rollback: what was sent is part of the world.
impl Clone for Inbox {
    fn clone(&self) -> Self {
        let told = self.sent().told.clone();
        Self {
            sent: Mutex::new(Sent::new(told)),
        }
    }
}

impl Inbox {
    fn sent(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, told: Told) {
        self.sent().told.push(told);
    }

    /// Everything, for a list that is empty: the two lists change places, and nothing is copied.
    pub(crate) fn take(&self, empty: &mut Vec<Told>) {
        debug_assert!(empty.is_empty(), "what was taken before is done");
        let mut sent = self.sent();
        let next = Sent::new(std::mem::take(empty));
        *empty = std::mem::replace(&mut *sent, next).told;
    }
}

/// One event on its way in.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) to: Target,
    pub(crate) event: EventHandle,
    pub(crate) kind: Option<PayloadKind>,
    pub(crate) words: [u32; 4],
    pub(crate) class: Option<Class>,
    order: i32,
    /// Number of the system's name, and how often it has spoken.
    source: (u32, u64),
}

impl Told {
    pub(crate) fn of_signal(signal: &Signal) -> Self {
        Self {
            to: Target::Entity(signal.entity),
            event: signal.event,
            kind: signal.kind,
            words: signal.words,
            class: None,
            // What systems tell comes behind all signals.
            order: signal.order.min(i32::MAX - 1),
            source: (0, 0),
        }
    }

    /// The order of sending, for everybody who hears it.
    pub(crate) fn order(one: &Self, other: &Self) -> Ordering {
        let key = |told: &Self| {
            let class = told.class.map_or(0, |class| class as u8 + 1);
            let what = (told.event.stable_id(), told.words, class);
            (told.order, told.source, what)
        };
        key(one).cmp(&key(other)).then(one.to.cmp(&other.to))
    }
}
