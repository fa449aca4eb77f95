//! Events as programs hold them: with the machine that they are of and with what they carry, so
//! that neither can be taken for another (EVT-1, HASH-3).
//!
//! ```text
//!  machine.event("Hit")   ──▶ EventHandle        ── send(agent, hit, 5) ── checked when it is sent
//!  machine! { events::HIT } ▶ TypedEvent<I32>    ── send(agent, HIT, 5) ── checked by the compiler
//! ```
//!
//! A number alone would be an event of every machine. A handle has the machine's id beside it, and
//! the event's stable id: for another version of its machine it is looked up by that.

use std::fmt;
use std::marker::PhantomData;

use statewright_kernel::Class;
use statewright_rom::ids::EventId;
use statewright_rom::layout::PayloadKind;

use crate::crowd::Missing;
use crate::payload::{Payload, PayloadOf};

/// An event of a machine, from [`Machine::event`](crate::Machine::event).
#[derive(Clone, Copy)]
pub struct EventHandle {
    id: EventId,
    machine: u32,
    stable: u64,
    /// Names of event and machine, where they are constants: for messages.
    names: Option<&'static [&'static str; 2]>,
}

impl EventHandle {
    pub(crate) const fn new(id: EventId, machine: u32, stable: u64) -> Self {
        Self {
            id,
            machine,
            stable,
            names: None,
        }
    }

    /// Its number in its machine.
    pub const fn id(self) -> EventId {
        self.id
    }

    /// What instances know its machine by.
    pub(crate) const fn machine(self) -> u32 {
        self.machine
    }

    /// Its stable id (ROM-6).
    pub const fn stable_id(self) -> u64 {
        self.stable
    }
}

impl PartialEq for EventHandle {
    fn eq(&self, other: &Self) -> bool {
        (self.machine, self.id) == (other.machine, other.id)
    }
}

impl Eq for EventHandle {}

impl fmt::Debug for EventHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventHandle({self})")
    }
}

impl fmt::Display for EventHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.names {
            Some([event, machine]) => write!(f, "event `{event}` of `{machine}`"),
            None => write!(f, "event {} of machine {:08x}", self.id, self.machine),
        }
    }
}

impl From<EventHandle> for EventId {
    fn from(event: EventHandle) -> Self {
        event.id
    }
}

/// An event whose payload the compiler knows: a constant of `machine!`. `K` is
/// one of the kinds in [`payload`](crate::payload).
pub struct TypedEvent<K> {
    handle: EventHandle,
    kind: PhantomData<fn() -> K>,
}

impl<K> TypedEvent<K> {
    /// What the macro writes; `names` are those of the event and of its machine.
    #[doc(hidden)]
    pub const fn of_macro(
        id: EventId,
        machine: u32,
        stable: u64,
        names: &'static [&'static str; 2],
    ) -> Self {
        Self {
            handle: EventHandle {
                names: Some(names),
                ..EventHandle::new(id, machine, stable)
            },
            kind: PhantomData,
        }
    }

    /// The same without its type.
    pub const fn handle(self) -> EventHandle {
        self.handle
    }

    /// Its number in its machine.
    pub const fn id(self) -> EventId {
        self.handle.id
    }
}

impl<K> Clone for TypedEvent<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for TypedEvent<K> {}

impl<K> fmt::Debug for TypedEvent<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handle.fmt(f)
    }
}

impl<K> From<TypedEvent<K>> for EventHandle {
    fn from(event: TypedEvent<K>) -> Self {
        event.handle
    }
}

impl<K> From<TypedEvent<K>> for EventId {
    fn from(event: TypedEvent<K>) -> Self {
        event.id()
    }
}

impl<K> PartialEq<TypedEvent<K>> for EventHandle {
    fn eq(&self, other: &TypedEvent<K>) -> bool {
        *self == other.handle
    }
}

impl<K> PartialEq for TypedEvent<K> {
    fn eq(&self, other: &Self) -> bool {
        self.handle == other.handle
    }
}

impl<K> Eq for TypedEvent<K> {}

/// An event that can be sent with a payload of type `P`, as far as the compiler can tell.
pub trait EventFor<P>: Copy + private::Sealed {
    /// The event.
    fn handle(self) -> EventHandle;
}

/// What it carries is looked at when it is sent.
impl<P: Payload> EventFor<P> for EventHandle {
    #[inline]
    fn handle(self) -> EventHandle {
        self
    }
}

impl<K, P: PayloadOf<K>> EventFor<P> for TypedEvent<K> {
    #[inline]
    fn handle(self) -> EventHandle {
        self.handle
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for super::EventHandle {}
    impl<K> Sealed for super::TypedEvent<K> {}
}

/// What a machine says of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventType {
    pub(crate) class: Class,
    pub(crate) payload: PayloadKind,
}

/// Why an event is none of the machine's, or cannot carry what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongEvent {
    /// It is an event of another machine.
    OtherMachine {
        /// The event.
        event: EventHandle,
        /// Name of the machine that it was meant for.
        machine: String,
        /// What instances know that machine by.
        id: u32,
    },
    /// The machine has no event with this number.
    Unknown {
        /// The number.
        event: u16,
        /// Name of the machine.
        machine: String,
        /// How many events it has.
        events: usize,
    },
    /// It carries something else.
    Payload {
        /// Name of the event.
        event: String,
        /// Name of the machine.
        machine: String,
        /// What it carries.
        carries: PayloadKind,
        /// What it was given.
        given: PayloadKind,
    },
}

impl fmt::Display for WrongEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherMachine { event, machine, id } => write!(
                f,
                "{event} is none of `{machine}` (machine {id:08x}): ask `{machine}` for its event"
            ),
            Self::Unknown {
                event,
                machine,
                events,
            } => write!(f, "`{machine}` has no event {event}: it has {events}"),
            Self::Payload {
                event,
                machine,
                carries,
                given,
            } => write!(
                f,
                "event `{event}` of `{machine}` carries {}, not {}",
                said(*carries),
                said(*given)
            ),
        }
    }
}

fn said(kind: PayloadKind) -> &'static str {
    match kind {
        PayloadKind::Empty => "nothing",
        kind => kind.name(),
    }
}

impl std::error::Error for WrongEvent {}

/// Why an event was not sent; nothing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendError {
    /// There is no such agent.
    Missing(Missing),
    /// The event is none of its machine's, or cannot carry this.
    Event(WrongEvent),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(error) => error.fmt(f),
            Self::Event(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SendError {}

impl From<Missing> for SendError {
    fn from(error: Missing) -> Self {
        Self::Missing(error)
    }
}

impl From<WrongEvent> for SendError {
    fn from(error: WrongEvent) -> Self {
        Self::Event(error)
    }
}
