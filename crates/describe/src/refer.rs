//! References between things of a description: by number for programs, by name for people.

use std::fmt;

use serde::{Serialize, Serializer};
use statewright_rom::ids::{EventId, HistoryId, StateId};

/// A number with its name. As text it is the name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named<I> {
    /// The number in the ROM.
    pub id: I,
    /// The name, or the number as a name.
    pub name: String,
}

/// A state, by its path.
pub type StateRef = Named<StateId>;

/// An event.
pub type EventRef = Named<EventId>;

impl<I> fmt::Display for Named<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl<I> Serialize for Named<I> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.name)
    }
}

/// Where a transition, a branch or an initial leads.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Target {
    /// A state; maybe a choice.
    State(StateRef),
    /// A history point, by its path.
    History(Named<HistoryId>),
}

impl Target {
    /// Its path.
    pub fn path(&self) -> &str {
        match self {
            Self::State(state) => &state.name,
            Self::History(point) => &point.name,
        }
    }
}

/// Paths with ` + ` between them.
pub(crate) fn joined(targets: &[Target]) -> String {
    let paths: Vec<&str> = targets.iter().map(Target::path).collect();
    paths.join(" + ")
}

/// The state, or the combination of states, that the machine goes to on its own account. As text
/// one path, or several with ` + ` between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrance(pub Vec<Target>);

impl fmt::Display for Entrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(&self.0))
    }
}

impl Serialize for Entrance {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// What is called differently in another machine.
pub(crate) trait Rename {
    fn state(&self, state: &mut StateRef);
    fn event(&self, event: &mut EventRef);
}

/// Renames the states among targets. History points keep their paths.
pub(crate) fn rename_targets(targets: &mut [Target], rename: &dyn Rename) {
    for target in targets {
        match target {
            Target::State(state) => rename.state(state),
            Target::History(_) => {}
        }
    }
}
