//! Events as programs hold them: with the machine that they are of and with what they carry, so
//! that neither can be taken for another (EVT-1, HASH-3).
//!
//! ```text
//!  machine.event("Hit")   ──▶ EventHandle        ── send(agent, hit, 5) ── checked when it is sent
//!  machine! { events::HIT } ▶ TypedEvent<I32>    ── send(agent, HIT, 5) ── checked by the compiler
//! ```
//!
//! What a handle is of, and how it is found in another version of its machine: [`crate::handle`].

use std::fmt;
use std::marker::PhantomData;

use statewright_kernel::Class;
use statewright_rom::ids::EventId;
use statewright_rom::layout::PayloadKind;

use crate::crowd::Missing;
use crate::handle::{EventHandle, Handle, NameIn, Origin, WrongHandle};
use crate::machine::Machine;
use crate::payload::{Payload, PayloadOf};

/// An event whose payload the compiler knows: a constant of [`machine!`](macro@crate::machine). `K` is
/// one of the kinds in [`payload`](crate::payload).
pub struct TypedEvent<K> {
    handle: EventHandle,
    kind: PhantomData<fn() -> K>,
}

impl<K> TypedEvent<K> {
    /// What the macro writes.
    #[doc(hidden)]
    pub const fn of_macro(id: EventId, stable: u64, origin: &'static Origin) -> Self {
        Self {
            handle: Handle::of_macro(id, stable, origin),
            kind: PhantomData,
        }
    }

    /// The same without its type.
    pub const fn handle(self) -> EventHandle {
        self.handle
    }

    /// Its number in its machine.
    pub const fn id(self) -> EventId {
        self.handle.id()
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

impl<K> NameIn<EventId> for TypedEvent<K> {
    fn number_in(self, machine: &Machine) -> Option<EventId> {
        self.handle.number_in(machine)
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
    /// Stable id, beside the rest: sending compares it first (HASH-3).
    pub(crate) stable: u64,
    pub(crate) class: Class,
    pub(crate) payload: PayloadKind,
}

/// Why an event is none of the machine's, or cannot carry what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongEvent {
    /// It is an event of another machine, or gone from this version.
    OtherMachine(WrongHandle),
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
    /// No machine in the world has it.
    NoMachine(EventHandle),
    /// The receiver's machine has an event of this name, or stable id, that carries something else
    /// ([`World::conflicts`](crate::World::conflicts)).
    Conflict {
        /// Name of the event.
        event: String,
        /// Name of its machine.
        machine: String,
        /// What it carries.
        carries: PayloadKind,
        /// Name of the receiver's machine.
        receiver: String,
        /// What it carries there.
        there: PayloadKind,
    },
}

impl fmt::Display for WrongEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherMachine(error) => error.fmt(f),
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
            Self::NoMachine(event) => write!(f, "{event} is none of any machine in this world"),
            Self::Conflict {
                event,
                machine,
                carries,
                receiver,
                there,
            } => write!(
                f,
                "event `{event}` of `{machine}` carries {}, but that of `{receiver}` carries {}: they are different events",
                said(*carries),
                said(*there)
            ),
        }
    }
}

/// What an event carries, for people.
pub(crate) fn said(kind: PayloadKind) -> &'static str {
    match kind {
        PayloadKind::Empty => "nothing",
        kind => kind.name(),
    }
}

impl std::error::Error for WrongEvent {}

impl From<WrongHandle> for WrongEvent {
    fn from(error: WrongHandle) -> Self {
        Self::OtherMachine(error)
    }
}

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
