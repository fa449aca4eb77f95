//! Machines by handle (SYS-7).

use std::fmt;

use crate::machine::Machine;

/// A machine of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MachineHandle {
    place: u32,
    generation: u32,
}

/// Why a registry refuses something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryError {
    /// There is a machine of this name already.
    Twice(String),
    /// The machine was unregistered.
    Gone(MachineHandle),
    /// Crowds, programs or others still hold the machine: so many.
    InUse(String, usize),
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Twice(name) => write!(
                f,
                "there is a machine named `{name}` already: unregister it first"
            ),
            Self::Gone(handle) => write!(f, "machine {} was unregistered", handle.place),
            Self::InUse(name, holders) => {
                write!(
                    f,
                    "machine `{name}` is still held by {holders} crowds, programs or clones: drop them first"
                )
            }
        }
    }
}

impl std::error::Error for RegistryError {}

/// Machines by handle and by name. Handles of machines that are gone never mean others.
///
/// ```
/// use statewright::prelude::*;
/// use statewright::{Registry, RegistryError};
///
/// let mut registry = Registry::default();
/// let light = registry.register(Machine::build("Light", |m| {
///     m.state("on", |_| {});
/// })?)?;
/// assert_eq!(registry.find("Light"), Some(light));
/// let held = registry.get(light)?.clone();
/// assert_eq!(registry.unregister(light).unwrap_err(), RegistryError::InUse("Light".to_owned(), 1));
/// drop(held);
/// registry.unregister(light)?;
/// assert_eq!(registry.get(light).unwrap_err().to_string(), "machine 0 was unregistered");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Registry {
    /// Generation and machine per place.
    places: Vec<(u32, Option<Machine>)>,
}

impl Registry {
    /// Takes a machine; its name must be new.
    pub fn register(&mut self, machine: Machine) -> Result<MachineHandle, RegistryError> {
        if self.find(machine.name()).is_some() {
            return Err(RegistryError::Twice(machine.name().to_owned()));
        }
        let place = self
            .places
            .iter()
            .position(|(_, machine)| machine.is_none())
            .unwrap_or(self.places.len());
        if place == self.places.len() {
            self.places.push((0, None));
        }
        let (generation, cell) = &mut self.places[place];
        *cell = Some(machine);
        Ok(MachineHandle {
            place: place as u32,
            generation: *generation,
        })
    }

    /// The machine of a handle.
    pub fn get(&self, handle: MachineHandle) -> Result<&Machine, RegistryError> {
        let cell = self
            .places
            .get(handle.place as usize)
            .filter(|(generation, _)| *generation == handle.generation);
        cell.and_then(|(_, machine)| machine.as_ref())
            .ok_or(RegistryError::Gone(handle))
    }

    /// The machine with a name.
    pub fn find(&self, name: &str) -> Option<MachineHandle> {
        self.iter()
            .find(|(_, machine)| machine.name() == name)
            .map(|(handle, _)| handle)
    }

    /// All machines.
    pub fn iter(&self) -> impl Iterator<Item = (MachineHandle, &Machine)> {
        (0..)
            .zip(&self.places)
            .filter_map(|(place, (generation, machine))| {
                Some((
                    MachineHandle {
                        place,
                        generation: *generation,
                    },
                    machine.as_ref()?,
                ))
            })
    }

    /// Gives a machine back, if nobody else holds it.
    pub fn unregister(&mut self, handle: MachineHandle) -> Result<Machine, RegistryError> {
        let machine = self.get(handle)?;
        match machine.holders() {
            1 => {
                let (generation, cell) = &mut self.places[handle.place as usize];
                *generation = generation.wrapping_add(1);
                cell.take().ok_or(RegistryError::Gone(handle))
            }
            holders => Err(RegistryError::InUse(machine.name().to_owned(), holders - 1)),
        }
    }

    /// Gives up all machines. The names of those that somebody still holds: they live until their
    /// last holder is gone.
    pub fn shutdown(self) -> Vec<String> {
        self.iter()
            .filter(|(_, machine)| machine.holders() > 1)
            .map(|(_, machine)| machine.name().to_owned())
            .collect()
    }
}
