//! The number of a name, or what was probably meant.

use std::fmt;

use statewright_text::similar::closest;

use crate::table::{SymbolId, SymbolTable};

/// A name that a machine does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// What was looked for: `event`, `state` and so on.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The name that was probably meant.
    pub closest: Option<String>,
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
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
}
