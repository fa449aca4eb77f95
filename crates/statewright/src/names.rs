//! Names behind the numbers of a ROM, which holds none (ROM-7), and whether they can be those of a
//! given one.

use std::fmt;

use statewright_rom::Rom;
use xxhash_rust::xxh3::xxh3_64;

/// Names of everything in a machine, in the order of their numbers. Without them a machine runs,
/// but nothing is found by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The machine.
    pub machine: String,
    /// Paths of states.
    pub states: Vec<String>,
    /// Events.
    pub events: Vec<String>,
    /// Functions.
    pub functions: Vec<String>,
    /// Blackboard keys.
    pub keys: Vec<String>,
    /// Parameters.
    pub parameters: Vec<String>,
    /// Variants; the first is the plain one.
    pub variants: Vec<String>,
    /// Timers.
    pub timers: Vec<String>,
    /// Lanes of the machine's own.
    pub lanes: Vec<String>,
    /// Channels.
    pub channels: Vec<String>,
    /// Scratch; two states may have some of one name.
    pub scratch: Vec<String>,
}

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
        place: usize,
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
            Self::Name { list, place, name } => {
                write!(
                    f,
                    "`{name}` is not the name of number {place} of the {list} in the ROM"
                )
            }
        }
    }
}

impl std::error::Error for WrongNames {}

impl Names {
    /// Whether they can be the names of a ROM. A list without names is right: then nothing in it is
    /// found by name. Of states, events, timers and scratch the ROM knows only how many there
    /// are; of all others the hashes of their names.
    pub fn check(&self, rom: &Rom<'_>) -> Result<(), WrongNames> {
        count("states", &self.states, rom.states().len())?;
        count("events", &self.events, rom.events().len())?;
        count("timers", &self.timers, rom.timers().len())?;
        count("scratch", &self.scratch, rom.scratch().len())?;
        // The table of functions holds half of the hash (ROM-8).
        let functions = rom.linker().iter().map(|record| record.hash.get().into());
        hashes("functions", &self.functions, functions, |name| {
            u64::from(hash(name) as u32)
        })?;
        hashes(
            "keys",
            &self.keys,
            rom.keys().iter().map(|record| record.name_hash.get()),
            hash,
        )?;
        hashes(
            "parameters",
            &self.parameters,
            rom.parameters().iter().map(|record| record.name_hash.get()),
            hash,
        )?;
        hashes(
            "lanes",
            &self.lanes,
            rom.lanes().iter().map(|record| record.name_hash.get()),
            hash,
        )?;
        hashes(
            "channels",
            &self.channels,
            rom.channels().iter().map(|record| record.name_hash.get()),
            hash,
        )?;
        // The plain variant has no name.
        let variant = |name: &str| if name.is_empty() { 0 } else { hash(name) };
        hashes(
            "variants",
            &self.variants,
            rom.variants().iter().map(|record| record.name_hash.get()),
            variant,
        )
    }
}

fn hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

fn count(list: &'static str, names: &[String], expected: usize) -> Result<(), WrongNames> {
    let found = names.len();
    if found == 0 || found == expected {
        Ok(())
    } else {
        Err(WrongNames::Count {
            list,
            found,
            expected,
        })
    }
}

fn hashes(
    list: &'static str,
    names: &[String],
    known: impl ExactSizeIterator<Item = u64>,
    hash: impl Fn(&str) -> u64,
) -> Result<(), WrongNames> {
    count(list, names, known.len())?;
    match names
        .iter()
        .zip(known)
        .position(|(name, known)| hash(name) != known)
    {
        Some(place) => Err(WrongNames::Name {
            list,
            place,
            name: names[place].clone(),
        }),
        None => Ok(()),
    }
}
