//! A compiled machine with the names behind its numbers.

use std::fmt;
use std::sync::{Arc, OnceLock};

use statewright_kernel::Counters;
use statewright_rom::ids::*;
use statewright_rom::layout::{BuiltInLane, ScratchRecord};
use statewright_rom::{LoadError, OwnedRom, Rom};

use crate::blackboard::Shape;
use crate::counters::SharedCounters;
use crate::names::{Names, WrongNames};

/// A compiled machine. Cheap to clone: all clones share one block of bytes.
#[derive(Clone, Debug)]
pub struct Machine {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    rom: OwnedRom,
    names: Names,
    /// Class per event.
    classes: Vec<statewright_kernel::Class>,
    id: u32,
    counters: SharedCounters,
    /// Of schema-checked blackboards, from the first one on.
    shape: OnceLock<Arc<Shape>>,
}

/// Why there is no machine.
pub enum MachineError {
    /// The file cannot be read.
    Read {
        /// Its path.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// It has mistakes: all of them, with places and remedies.
    Mistakes {
        /// The report as a person reads it.
        report: String,
        /// How many errors.
        errors: usize,
    },
    /// The bytes are no ROM.
    Rom(LoadError),
    /// The names beside a ROM are not its own.
    Names(WrongNames),
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, error } => write!(f, "cannot read {path}: {error}"),
            Self::Mistakes { report, .. } => f.write_str(report),
            Self::Rom(error) => write!(f, "{error}"),
            Self::Names(error) => write!(f, "{error}"),
        }
    }
}

/// The same text: a `main` that ends with this error shows it so.
impl fmt::Debug for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for MachineError {}

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

#[cfg(feature = "compile")]
mod compiled {
    use std::path::Path;

    use super::*;
    use statewright_author::builder::MachineBuilder;
    use statewright_author::graph;
    use statewright_author::render::{Style, render_text};
    use statewright_compile::symbols::{Symbol, Symbols};
    use statewright_compile::{Options, Output, compile_with};

    impl Machine {
        /// Compiles a machine file.
        pub fn from_file(path: impl AsRef<Path>) -> Result<Self, MachineError> {
            let path = path.as_ref().display().to_string();
            match std::fs::read_to_string(&path) {
                Ok(text) => Self::from_text(&path, &text),
                Err(error) => Err(MachineError::Read { path, error }),
            }
        }

        /// Compiles the text of a machine file; the name is for messages.
        pub fn from_text(name: &str, text: &str) -> Result<Self, MachineError> {
            let (machine, problems) = statewright_author::text::read(name, text);
            Self::compile(&machine, problems)
        }

        /// Compiles a machine written in Rust.
        pub fn build(
            name: &str,
            describe: impl FnOnce(&mut MachineBuilder),
        ) -> Result<Self, MachineError> {
            let (machine, problems) = graph::Machine::build(name, describe);
            Self::compile(&machine, problems)
        }

        fn compile(
            machine: &graph::Machine,
            problems: statewright_author::diagnostic::Diagnostics,
        ) -> Result<Self, MachineError> {
            let (output, problems) = compile_with(machine, problems, &Options::default());
            match output {
                Some(output) => Ok(output.into()),
                None => Err(MachineError::Mistakes {
                    report: render_text(&problems, &machine.source, Style::default()),
                    errors: problems.errors(),
                }),
            }
        }
    }

    impl From<Output> for Machine {
        fn from(output: Output) -> Self {
            Self::new(output.rom, Names::from(&output.symbols))
        }
    }

    impl From<&Symbols> for Names {
        fn from(symbols: &Symbols) -> Self {
            let names =
                |symbols: &[Symbol]| symbols.iter().map(|symbol| symbol.name.clone()).collect();
            Self {
                machine: symbols.machine.clone(),
                states: names(&symbols.states),
                events: names(&symbols.events),
                functions: names(&symbols.functions),
                keys: names(&symbols.keys),
                parameters: names(&symbols.parameters),
                variants: names(&symbols.variants),
                timers: names(&symbols.timers),
                lanes: names(&symbols.lanes),
                channels: names(&symbols.channels),
                scratch: names(&symbols.scratch),
            }
        }
    }
}

/// Looks names up.
macro_rules! lookups {
    ($($name:ident $field:ident $what:literal $id:ident,)+) => {
        impl Machine {
            $(
                #[doc = concat!("The ", $what, " with a name.")]
                pub fn $name(&self, name: &str) -> Result<$id, UnknownName> {
                    let place = self.shared.names.$field.iter().position(|known| known == name);
                    place.and_then($id::from_index).ok_or_else(|| unknown($what, name, &self.shared.names.$field))
                }
            )+
        }
    };
}

lookups! {
    state states "state" StateId,
    event events "event" EventId,
    key keys "blackboard key" KeyId,
    parameter parameters "parameter" ParameterId,
    variant variants "variant" VariantId,
    timer timers "timer" TimerId,
    channel channels "channel" ChannelId,
}

impl Machine {
    /// A finished ROM, after all its proofs, with its names; [`Names::default`] has none. Names of
    /// another machine are refused, as far as the ROM can tell ([`Names::check`]).
    pub fn from_rom(bytes: Vec<u8>, names: Names) -> Result<Self, MachineError> {
        let rom = OwnedRom::from_vec(bytes).map_err(MachineError::Rom)?;
        names.check(&rom.as_rom()).map_err(MachineError::Names)?;
        Ok(Self::new(rom, names))
    }

    fn new(rom: OwnedRom, names: Names) -> Self {
        let (id, classes) = {
            let rom = rom.as_rom();
            (
                rom.machine_id(),
                rom.events().iter().map(|event| event.class.get()).collect(),
            )
        };
        let (counters, shape) = (SharedCounters::default(), OnceLock::new());
        Self {
            shared: Arc::new(Shared {
                rom,
                names,
                classes,
                id,
                counters,
                shape,
            }),
        }
    }

    /// The view of the ROM. Reads its directory: keep it for as long as it is used.
    pub fn rom(&self) -> Rom<'_> {
        self.shared.rom.as_rom()
    }

    /// What its instances know it by.
    pub(crate) fn id(&self) -> u32 {
        self.shared.id
    }

    /// The bytes of the ROM.
    pub fn bytes(&self) -> &[u8] {
        self.shared.rom.as_bytes()
    }

    /// All names.
    pub fn names(&self) -> &Names {
        &self.shared.names
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.shared.names.machine
    }

    /// The path of a state, for people.
    pub fn state_name(&self, state: StateId) -> &str {
        self.shared
            .names
            .states
            .get(state.index())
            .map_or("?", String::as_str)
    }

    /// The name of an event, for people.
    pub fn event_name(&self, event: EventId) -> &str {
        self.shared
            .names
            .events
            .get(event.index())
            .map_or("?", String::as_str)
    }

    /// The name of a channel, for people.
    pub fn channel_name(&self, channel: ChannelId) -> &str {
        self.shared
            .names
            .channels
            .get(channel.index())
            .map_or("?", String::as_str)
    }

    /// What happened to all agents of this machine, in all crowds (SYS-8). May be read while they
    /// run.
    pub fn counters(&self) -> Counters {
        self.shared.counters.read()
    }

    /// Counts from zero again.
    pub fn reset_counters(&self) {
        self.shared.counters.reset();
    }

    /// Adds what happened in a tick of a crowd.
    pub(crate) fn count(&self, counters: &Counters) {
        self.shared.counters.add(counters);
    }

    /// Where keys lie in schema-checked blackboards; all of them share it.
    pub(crate) fn shape(&self) -> &Arc<Shape> {
        self.shared
            .shape
            .get_or_init(|| Arc::new(Shape::new(&self.rom())))
    }

    /// How many clones of this machine there are, itself included.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.shared)
    }

    /// The class of an event's type.
    #[inline]
    pub(crate) fn event_class(&self, event: EventId) -> statewright_kernel::Class {
        let class = self.shared.classes.get(event.index()).copied();
        class.unwrap_or_default()
    }

    /// The name of a function; its number if there are no names.
    pub fn function_name(&self, function: FunctionId) -> String {
        self.shared
            .names
            .functions
            .get(function.index())
            .cloned()
            .unwrap_or_else(|| format!("function {function}"))
    }

    /// The scratch of a state with a name.
    pub fn scratch(&self, state: StateId, name: &str) -> Result<ScratchId, UnknownName> {
        let (rom, names) = (self.rom(), &self.shared.names.scratch);
        let own = |record: &ScratchRecord| StateId::read(record.owner) == Some(state);
        let place = rom
            .scratch()
            .iter()
            .zip(names)
            .position(|(record, known)| own(record) && known == name);
        place.and_then(ScratchId::from_index).ok_or_else(|| {
            let names = rom
                .scratch()
                .iter()
                .zip(names)
                .filter(|(record, _)| own(record))
                .map(|(_, name)| name.clone());
            unknown("scratch of this state", name, &names.collect::<Vec<_>>())
        })
    }

    /// The lane with a name: a built-in one or one of the machine's own.
    pub fn lane(&self, name: &str) -> Result<LaneId, UnknownName> {
        let own = self.shared.names.lanes.iter().map(String::as_str);
        let mut known = BuiltInLane::NAMES.into_iter().chain(own);
        let place = known.clone().position(|known| known == name);
        let wrong = || {
            unknown(
                "lane",
                name,
                &known.by_ref().map(str::to_owned).collect::<Vec<_>>(),
            )
        };
        place.and_then(LaneId::from_index).ok_or_else(wrong)
    }
}

fn unknown(what: &'static str, name: &str, known: &[String]) -> UnknownName {
    #[cfg(feature = "compile")]
    let closest = statewright_author::similar::closest(name, known.iter().map(String::as_str))
        .map(str::to_owned);
    #[cfg(not(feature = "compile"))]
    let closest = known
        .iter()
        .find(|known| known.eq_ignore_ascii_case(name))
        .cloned();
    UnknownName {
        what,
        name: name.to_owned(),
        closest,
    }
}
