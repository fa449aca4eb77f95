//! What programs hold of a machine: states, events, timers, keys and so on, each with the stable id
//! that it is known by, so that none is taken for another (HASH-3).
//!
//! ```text
//!  machine.state("idle")  ─┐                    in its own machine: one compare, at its number
//!  machine! { states::IDLE }├─▶ Handle<StateId> ─ in another version: found by its stable id
//!  crowd.leaves(agent)    ─┘                    in another machine: refused, by both names
//! ```
//!
//! A number alone would be a state of every machine.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

use statewright_rom::ids::*;
use statewright_symbols::{SymbolId, SymbolKind};
use xxhash_rust::xxh3::xxh3_64;

use crate::machine::Machine;

/// Something of a machine, by the type of its number: a constant of
/// [`machine!`](macro@crate::machine), or looked up by name, as with
/// [`Machine::state`](crate::Machine::state). A program of another version of the machine finds it by
/// its stable id, or says that it is gone; one of another machine refuses it.
#[derive(Clone, Copy)]
pub struct Handle<I> {
    id: I,
    stable: u64,
    origin: &'static Origin,
}

/// An event of a machine; [`TypedEvent`](crate::TypedEvent) also knows what it carries.
pub type EventHandle = Handle<EventId>;
/// A state of a machine.
pub type StateHandle = Handle<StateId>;
/// A timer of a machine.
pub type TimerHandle = Handle<TimerId>;
/// A blackboard key of a machine.
pub type KeyHandle = Handle<KeyId>;
/// A parameter of a machine.
pub type ParameterHandle = Handle<ParameterId>;
/// A variant of a machine's parameters.
pub type VariantHandle = Handle<VariantId>;
/// A channel of a machine.
pub type ChannelHandle = Handle<ChannelId>;
/// Scratch of a state.
pub type ScratchHandle = Handle<ScratchId>;

/// Where a handle comes from, for messages.
#[derive(Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Origin {
    /// Name of the thing; empty if it was asked for by number.
    pub name: &'static str,
    /// Name of its machine; empty if that has none.
    pub machine: &'static str,
    /// Stable id of its machine.
    pub stable: u64,
}

impl Origin {
    /// The one with these names. Each is kept once for as long as the program runs, which is why
    /// handles can be copied; there are as many as a program asks for names.
    pub(crate) fn of(name: &str, machine: &str, stable: u64) -> &'static Self {
        static KNOWN: LazyLock<Mutex<HashMap<u64, &'static Origin>>> =
            LazyLock::new(Mutex::default);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = xxh3_64(name.as_bytes()) ^ stable;
        while let Some(found) = known.get(&key) {
            if found.parts() == (name, machine, stable) {
                return found;
            }
            key = key.wrapping_add(1);
        }
        let keep = |text: &str| -> &'static str { Box::leak(text.into()) };
        let new: &'static Self = Box::leak(Box::new(Self {
            name: keep(name),
            machine: keep(machine),
            stable,
        }));
        known.insert(key, new);
        new
    }

    fn parts(&self) -> (&str, &str, u64) {
        (self.name, self.machine, self.stable)
    }
}

impl<I: SymbolId> Handle<I> {
    /// What the macro writes.
    #[doc(hidden)]
    pub const fn of_macro(id: I, stable: u64, origin: &'static Origin) -> Self {
        Self { id, stable, origin }
    }

    /// Its number in its machine.
    pub const fn id(self) -> I {
        self.id
    }

    /// What it is known by in every version of its machine (ROM-6). Keys, parameters, variants and
    /// channels are known by machine and name.
    pub const fn stable_id(self) -> u64 {
        self.stable
    }
}

impl VariantHandle {
    /// The plain one, which every machine has.
    pub const PLAIN: Self = Self {
        id: VariantId::PLAIN,
        stable: 0,
        origin: &Origin {
            name: "plain",
            machine: "",
            stable: 0,
        },
    };
}

/// The same thing, if perhaps of another version of its machine.
impl<I> PartialEq for Handle<I> {
    fn eq(&self, other: &Self) -> bool {
        self.stable == other.stable
    }
}

impl<I> Eq for Handle<I> {}

impl<I> Hash for Handle<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.stable.hash(state);
    }
}

impl<I: SymbolId> fmt::Debug for Handle<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({self})")
    }
}

impl<I: SymbolId> fmt::Display for Handle<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = I::KIND.word();
        match self.origin.name {
            "" => write!(f, "{kind} {}", self.id.index())?,
            name => write!(f, "{kind} `{name}`")?,
        }
        write!(f, " of {}", Owner(self.origin))
    }
}

/// The machine of an origin, for people.
struct Owner(&'static Origin);

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.machine {
            "" => write!(f, "a machine without names ({:016x})", self.0.stable),
            name => write!(f, "`{name}`"),
        }
    }
}

/// A machine was given something that it does not have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WrongHandle {
    kind: SymbolKind,
    index: usize,
    stable: u64,
    /// Where it is from.
    origin: &'static Origin,
    /// Who was given it.
    machine: &'static Origin,
    /// Whether that has something of the same name, or nobody knows.
    namesake: bool,
}

impl WrongHandle {
    pub(crate) fn with_namesake(self, namesake: bool) -> Self {
        Self { namesake, ..self }
    }

    /// The machine that it was given to.
    pub fn machine(&self) -> &'static str {
        self.machine.machine
    }

    /// The machine that it is of.
    pub fn other_machine(&self) -> &'static str {
        self.origin.machine
    }

    /// Its name; empty if it was asked for by number.
    pub fn name(&self) -> &'static str {
        self.origin.name
    }

    /// Whether it is of another version of the machine, and gone from this one.
    pub fn is_gone(&self) -> bool {
        self.origin.stable == self.machine.stable
    }
}

impl fmt::Debug for WrongHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WrongHandle({self})")
    }
}

impl fmt::Display for WrongHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.word();
        match self.origin.name {
            "" => write!(f, "{kind} {}", self.index)?,
            name => write!(f, "{kind} `{name}`")?,
        }
        let (other, machine) = (Owner(self.origin), Owner(self.machine));
        if self.is_gone() {
            write!(
                f,
                " of another version of {machine} is gone: this version has none with its stable id {:016x}",
                self.stable
            )
        } else if self.namesake {
            write!(
                f,
                " of {other} is none of {machine}: ask {machine} for its {kind}"
            )
        } else {
            write!(
                f,
                " of {other} is none of {machine}, which has no {kind} of that name"
            )
        }
    }
}

impl std::error::Error for WrongHandle {}

/// Stable ids of one kind in one machine: the one place where handles become numbers.
#[derive(Debug)]
pub(crate) struct Resolver {
    /// By number.
    stable: Box<[u64]>,
    machine: &'static Origin,
}

impl Resolver {
    pub(crate) fn new(stable: Vec<u64>, machine: &'static Origin) -> Self {
        Self {
            stable: stable.into(),
            machine,
        }
    }

    /// The number of a handle here: one compare if it is of this version of the machine.
    #[inline]
    pub(crate) fn resolve<I: SymbolId>(&self, handle: Handle<I>) -> Result<I, WrongHandle> {
        match self.stable.get(handle.id.index()) {
            Some(&stable) if stable == handle.stable => Ok(handle.id),
            _ => self.find(handle),
        }
    }

    #[cold]
    fn find<I: SymbolId>(&self, handle: Handle<I>) -> Result<I, WrongHandle> {
        let place = self.stable.iter().position(|&one| one == handle.stable);
        place.and_then(I::from_index).ok_or(WrongHandle {
            kind: I::KIND,
            index: handle.id.index(),
            stable: handle.stable,
            origin: handle.origin,
            machine: self.machine,
            namesake: true,
        })
    }

    /// The handle of a number, without a name; `None` past the last.
    pub(crate) fn handle<I: SymbolId>(&self, id: I) -> Option<Handle<I>> {
        let stable = *self.stable.get(id.index())?;
        Some(Handle {
            id,
            stable,
            origin: self.machine,
        })
    }

    /// Whether these are the same things in the same order.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.stable == other.stable
    }
}

/// Something that has a name in a machine: a handle, or a number of that machine as records of
/// commands and traces have it.
pub trait NameIn<I>: Copy {
    /// Its number in a machine; `None` if it is one of another machine.
    fn number_in(self, machine: &Machine) -> Option<I>;
}

impl<I: SymbolId> NameIn<I> for I {
    fn number_in(self, _: &Machine) -> Option<I> {
        Some(self)
    }
}

impl<I: SymbolId> NameIn<I> for Handle<I> {
    fn number_in(self, machine: &Machine) -> Option<I> {
        machine.resolve(self).ok()
    }
}
