//! Whether a table is that of a given ROM.

use std::fmt;

use statewright_rom::Rom;
use xxhash_rust::xxh3::xxh3_64;

use crate::table::{SymbolKind, SymbolTable};

/// Names that are not those of a ROM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongNames {
    /// There are more or fewer than the ROM has things.
    Count {
        /// `states`, `events` and so on.
        list: &'static str,
        /// How many names there are.
        found: usize,
        /// How many the ROM has.
        expected: usize,
    },
    /// The ROM knows this one by another name.
    Name {
        /// `keys`, `functions` and so on.
        list: &'static str,
        /// Its number.
        index: usize,
        /// The name.
        name: String,
    },
}

impl fmt::Display for WrongNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the names belong to another machine or version: ")?;
        match self {
            Self::Count {
                list,
                found,
                expected,
            } => write!(f, "{found} {list}, but the ROM has {expected}"),
            Self::Name { list, index, name } => write!(
                f,
                "`{name}` is not the name of number {index} of the {list} in the ROM"
            ),
        }
    }
}

impl std::error::Error for WrongNames {}

impl SymbolTable {
    /// Whether the table was made with exactly this ROM: both hashes are the same.
    pub fn belongs_to(&self, rom: &Rom<'_>) -> bool {
        self.structure_hash == rom.structure_hash() && self.parameter_hash == rom.parameter_hash()
    }

    /// Whether the names can be those of a ROM, whatever it was made with. A list without names is
    /// right. Of most things the ROM knows only how many there are, of some the hashes of their
    /// names.
    pub fn check(&self, rom: &Rom<'_>) -> Result<(), WrongNames> {
        SymbolKind::ALL.iter().try_for_each(|&kind| {
            self.check_count(kind, count(rom, kind))?;
            self.check_hashes(kind, rom)
        })
    }

    /// The table of a ROM, whose hashes it has from now on.
    pub fn tied_to(mut self, rom: &Rom<'_>) -> Result<Self, WrongNames> {
        self.check(rom)?;
        self.structure_hash = rom.structure_hash();
        self.parameter_hash = rom.parameter_hash();
        Ok(self)
    }

    fn check_count(&self, kind: SymbolKind, expected: usize) -> Result<(), WrongNames> {
        let found = self.list(kind).len();
        if found == 0 || found == expected {
            return Ok(());
        }
        Err(WrongNames::Count {
            list: kind.list(),
            found,
            expected,
        })
    }

    fn check_hashes(&self, kind: SymbolKind, rom: &Rom<'_>) -> Result<(), WrongNames> {
        let wrong = |&(index, name): &(usize, &str)| {
            known_hash(rom, kind, index).is_some_and(|known| known != hash(kind, name))
        };
        match self.names(kind).enumerate().find(wrong) {
            Some((index, name)) => Err(WrongNames::Name {
                list: kind.list(),
                index,
                name: name.to_owned(),
            }),
            None => Ok(()),
        }
    }
}

/// How many of a kind a ROM has.
fn count(rom: &Rom<'_>, kind: SymbolKind) -> usize {
    match kind {
        SymbolKind::State => rom.states().len(),
        SymbolKind::Region => rom.regions().len(),
        SymbolKind::Event => rom.events().len(),
        SymbolKind::Timer => rom.timers().len(),
        SymbolKind::Transition => rom.transitions().len(),
        SymbolKind::History => rom.history().len(),
        SymbolKind::Scratch => rom.scratch().len(),
        SymbolKind::Function => rom.linker().len(),
        SymbolKind::Key => rom.keys().len(),
        SymbolKind::Parameter => rom.parameters().len(),
        SymbolKind::Variant => rom.variants().len(),
        SymbolKind::Lane => rom.lanes().len(),
        SymbolKind::Channel => rom.channels().len(),
    }
}

/// The hash that a ROM has of the name of a number, if it has one.
fn known_hash(rom: &Rom<'_>, kind: SymbolKind, index: usize) -> Option<u64> {
    match kind {
        SymbolKind::State
        | SymbolKind::Region
        | SymbolKind::Event
        | SymbolKind::Timer
        | SymbolKind::Transition
        | SymbolKind::History
        | SymbolKind::Scratch => None,
        SymbolKind::Function => rom
            .linker()
            .get(index)
            .map(|record| record.hash.get().into()),
        SymbolKind::Key => rom.keys().get(index).map(|record| record.name_hash.get()),
        SymbolKind::Parameter => {
            let record = rom.parameters().get(index);
            record.map(|record| record.name_hash.get())
        }
        SymbolKind::Variant => rom
            .variants()
            .get(index)
            .map(|record| record.name_hash.get()),
        SymbolKind::Lane => rom.lanes().get(index).map(|record| record.name_hash.get()),
        SymbolKind::Channel => rom
            .channels()
            .get(index)
            .map(|record| record.name_hash.get()),
    }
}

/// The hash of a name as a ROM has it.
fn hash(kind: SymbolKind, name: &str) -> u64 {
    let whole = xxh3_64(name.as_bytes());
    match kind {
        // The table of functions holds half of the hash (ROM-8).
        SymbolKind::Function => u64::from(whole as u32),
        // The plain variant has no name.
        SymbolKind::Variant if name.is_empty() => 0,
        _ => whole,
    }
}
