//! The number of a name, or what was probably meant.

use std::fmt;

use statewright_rom::Rom;
use statewright_rom::ids::StateId;
use statewright_text::similar::closest;

use crate::table::{SymbolId, SymbolKind, SymbolTable};

/// A name that a machine does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was looked for: `event`, `state` and so on.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The name that was probably meant.
    pub closest: Option<String>,
    /// The paths of all that have this name, if it is not known of which one is spoken.
    pub several: Vec<String>,
}

impl UnknownName {
    /// With the known name that is closest, if it is close enough to be a slip.
    pub fn new<'k>(
        what: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Self {
        Self {
            what,
            name: name.to_owned(),
            closest: closest(name, known).map(str::to_owned),
            several: Vec::new(),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.several.is_empty() {
            let (what, name, paths) = (self.what, &self.name, self.several.join("`, `"));
            return write!(
                f,
                "the machine has several {what}s named `{name}`: `{paths}`"
            );
        }
        write!(f, "the machine has no {} named `{}`", self.what, self.name)?;
        match &self.closest {
            Some(closest) => write!(f, "; did you mean `{closest}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownName {}

impl SymbolTable {
    /// The first of a kind with a name: of states a path.
    pub fn find<I: SymbolId>(&self, name: &str) -> Result<I, UnknownName> {
        let mut names = self.names(I::KIND);
        let place = names.clone().position(|known| known == name);
        place
            .and_then(I::from_index)
            .ok_or_else(|| UnknownName::new(I::KIND.word(), name, names.by_ref()))
    }

    /// The state with a path, or with the end of one that no other state's path has.
    pub fn find_state(&self, path: &str) -> Result<StateId, UnknownName> {
        let unknown = match self.find(path) {
            Ok(state) => return Ok(state),
            Err(unknown) => unknown,
        };
        let ends_so = |known: &str| known.strip_suffix(path).is_some_and(|on| on.ends_with('/'));
        let names = || self.names(SymbolKind::State);
        let mut found = names().enumerate().filter(|(_, known)| ends_so(known));
        match (found.next(), found.next()) {
            (Some((place, _)), None) => StateId::from_index(place).ok_or(unknown),
            (None, _) => Err(UnknownName {
                closest: unknown.closest.or_else(|| self.closest_state(path)),
                ..unknown
            }),
            (Some(_), Some(_)) => Err(UnknownName {
                several: names()
                    .filter(|known| ends_so(known))
                    .map(str::to_owned)
                    .collect(),
                ..unknown
            }),
        }
    }

    /// The same, where the names of regions may stand in the path, as in a machine file: `combat/movement/idle`
    /// (LANG-7).
    pub fn find_state_in(&self, rom: &Rom<'_>, path: &str) -> Result<StateId, UnknownName> {
        let unknown = match self.find_state(path) {
            Err(unknown) if unknown.several.is_empty() => unknown,
            found => return found,
        };
        let parts: Vec<&str> = path.split('/').collect();
        let found: Vec<StateId> = (1..rom.states().len())
            .filter_map(StateId::from_index)
            .filter(|&state| self.leads_up(rom, &parts, state))
            .collect();
        match found[..] {
            [] => Err(unknown),
            [only] => Ok(only),
            _ => {
                let paths = found.iter().filter_map(|&state| self.of(state));
                Err(UnknownName {
                    several: paths.map(str::to_owned).collect(),
                    ..unknown
                })
            }
        }
    }

    /// Whether a path, read from its end, leads up from a state; regions may be left out.
    fn leads_up(&self, rom: &Rom<'_>, parts: &[&str], state: StateId) -> bool {
        let path = self.of(state).unwrap_or_default();
        let own = path.rfind('/').map_or(path, |at| &path[at + 1..]);
        let Some((&last, rest)) = parts.split_last() else {
            return true;
        };
        let Some(record) = rom.state(state).filter(|_| last == own) else {
            return false;
        };
        let around = |rest: &[&str]| {
            let parent = StateId::read(record.parent);
            rest.is_empty() || parent.is_some_and(|parent| self.leads_up(rom, rest, parent))
        };
        let region = self.name(SymbolKind::Region, usize::from(record.region.get()));
        let in_region = rest
            .split_last()
            .is_some_and(|(&name, rest)| Some(name) == region && around(rest));
        in_region || around(rest)
    }

    /// The path whose last name is closest to what was asked for.
    fn closest_state(&self, name: &str) -> Option<String> {
        let last = |path: &'_ str| path.rfind('/').map_or(0, |at| at + 1);
        let names = || self.names(SymbolKind::State);
        let found = closest(name, names().map(|path| &path[last(path)..]))?;
        let path = names().find(|path| &path[last(path)..] == found)?;
        Some(path.to_owned())
    }
}
