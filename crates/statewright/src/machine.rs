//! A compiled machine with the names behind its numbers.

use std::fmt;
use std::sync::{Arc, OnceLock};

use statewright_kernel::{Class, Counters, Event};
use statewright_rom::ids::*;
use statewright_rom::layout::{BuiltInLane, EventRecord, PayloadKind, ScratchRecord, StableGroup};
use statewright_rom::{LoadError, OwnedRom, Rom};
use statewright_symbols::{SymbolId, SymbolKind, SymbolTable, UnknownName, WrongNames};

use crate::blackboard::Shape;
use crate::counters::SharedCounters;
use crate::event::{EventFor, EventHandle, EventType, WrongEvent};
use crate::payload::Payload;
use crate::value::Symbol;

/// A compiled machine. Cheap to clone: all clones share one block of bytes.
#[derive(Clone, Debug)]
pub struct Machine {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    rom: OwnedRom,
    symbols: SymbolTable,
    /// What each event is.
    events: Vec<EventType>,
    id: u32,
    counters: SharedCounters,
    /// Of schema-checked blackboards, from the first one on.
    shape: OnceLock<Arc<Shape>>,
    /// What the compiler warned of, a line each.
    warnings: Vec<String>,
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

#[cfg(feature = "compile")]
mod compiled {
    use std::path::Path;

    use super::*;
    use statewright_author::builder::MachineBuilder;
    use statewright_author::graph;
    use statewright_author::render::{Style, render_text, warning_lines};
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
                Some(output) => {
                    let warnings = warning_lines(&problems, &machine.source);
                    Ok(Self::new(output.rom, output.symbols, warnings))
                }
                None => Err(MachineError::Mistakes {
                    report: render_text(&problems, &machine.source, Style::default()),
                    errors: problems.errors(),
                }),
            }
        }
    }

    impl From<Output> for Machine {
        fn from(output: Output) -> Self {
            Self::new(output.rom, output.symbols, Vec::new())
        }
    }
}

/// Events.
impl Machine {
    /// The event with a name.
    pub fn event(&self, name: &str) -> Result<EventHandle, UnknownName> {
        let id = self.shared.symbols.find(name)?;
        let unknown = || UnknownName::new("event", name, std::iter::empty());
        self.event_at(id).ok_or_else(unknown)
    }

    /// The event with a number; `None` past the last.
    pub fn event_at(&self, id: EventId) -> Option<EventHandle> {
        let rom = self.rom();
        let stable = rom.stable_ids_of(StableGroup::Events).get(id.index())?;
        Some(EventHandle::new(id, self.id(), stable.id.get()))
    }

    /// An event as instances hold it, for inboxes of the host's own
    /// ([`Slices::inbox`](crate::Slices::inbox)). Its class is that of its type.
    #[inline]
    pub fn make_event<P: Payload>(
        &self,
        event: impl EventFor<P>,
        payload: P,
    ) -> Result<Event, WrongEvent> {
        let (id, class) = self.check_event(event.handle(), P::KIND)?;
        Ok(Event::new(id, class).with_words(payload.words()))
    }

    /// The number here of an event that is sent with a kind of payload (`None` for any), and its
    /// class.
    #[inline]
    pub(crate) fn check_event(
        &self,
        event: EventHandle,
        given: Option<PayloadKind>,
    ) -> Result<(EventId, Class), WrongEvent> {
        let id = if event.machine() == self.id() {
            event.id()
        } else {
            self.find_event(event)?
        };
        let known = self.event_type(id)?;
        match given {
            Some(given) if given != known.payload => Err(self.wrong_payload(id, given)),
            _ => Ok((id, known.class)),
        }
    }

    /// What an event is.
    #[inline]
    pub(crate) fn event_type(&self, id: EventId) -> Result<EventType, WrongEvent> {
        let known = self.shared.events.get(id.index());
        known.copied().ok_or_else(|| self.unknown_event(id.raw()))
    }

    /// An event of another version of this machine has the same stable id (HASH-3).
    #[cold]
    fn find_event(&self, event: EventHandle) -> Result<EventId, WrongEvent> {
        let rom = self.rom();
        let mut known = rom.stable_ids_of(StableGroup::Events).iter();
        let found = known.position(|known| known.id.get() == event.stable_id());
        let found = found.and_then(EventId::from_index);
        found.ok_or_else(|| WrongEvent::OtherMachine {
            event,
            machine: self.name().to_owned(),
            id: self.id(),
        })
    }

    #[cold]
    pub(crate) fn unknown_event(&self, event: u16) -> WrongEvent {
        WrongEvent::Unknown {
            event,
            machine: self.name().to_owned(),
            events: self.shared.events.len(),
        }
    }

    #[cold]
    pub(crate) fn wrong_payload(&self, event: EventId, given: PayloadKind) -> WrongEvent {
        let known = self.shared.events.get(event.index());
        WrongEvent::Payload {
            event: self.event_name(event).to_owned(),
            machine: self.name().to_owned(),
            carries: known.map_or(PayloadKind::Empty, |known| known.payload),
            given,
        }
    }
}

/// Looks names up.
macro_rules! lookups {
    ($($name:ident $what:literal $id:ident,)+) => {
        impl Machine {
            $(
                #[doc = concat!("The ", $what, " with a name.")]
                pub fn $name(&self, name: &str) -> Result<$id, UnknownName> {
                    self.shared.symbols.find(name)
                }
            )+
        }
    };
}

lookups! {
    state "state" StateId,
    key "blackboard key" KeyId,
    parameter "parameter" ParameterId,
    variant "variant" VariantId,
    timer "timer" TimerId,
    channel "channel" ChannelId,
}

impl Machine {
    /// A finished ROM, after all its proofs, with its names; [`SymbolTable::default`] has none. Names
    /// of another machine are refused, as far as the ROM can tell ([`SymbolTable::check`]).
    pub fn from_rom(bytes: Vec<u8>, symbols: SymbolTable) -> Result<Self, MachineError> {
        let rom = OwnedRom::from_vec(bytes).map_err(MachineError::Rom)?;
        let symbols = symbols
            .tied_to(&rom.as_rom())
            .map_err(MachineError::Names)?;
        Ok(Self::new(rom, symbols, Vec::new()))
    }

    /// With the warnings of whoever compiled it.
    #[cfg(feature = "macros")]
    pub(crate) fn with_warnings(self, warnings: Vec<String>) -> Self {
        let (rom, symbols) = (&self.shared.rom, &self.shared.symbols);
        Self::new(rom.clone(), symbols.clone(), warnings)
    }

    fn new(rom: OwnedRom, symbols: SymbolTable, warnings: Vec<String>) -> Self {
        let (id, events) = {
            let rom = rom.as_rom();
            let event = |event: &EventRecord| EventType {
                class: event.class.get(),
                payload: event.carries(),
            };
            (rom.machine_id(), rom.events().iter().map(event).collect())
        };
        let (counters, shape) = (SharedCounters::default(), OnceLock::new());
        Self {
            shared: Arc::new(Shared {
                rom,
                symbols,
                events,
                id,
                counters,
                shape,
                warnings,
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

    /// Hash of everything that instances, crowds and ids of programs hold as a number (ROM-5):
    /// machines with equal ones mean the same by it.
    pub fn structure_hash(&self) -> u64 {
        self.rom().header().head.structure_hash.get()
    }

    /// The bytes of the ROM.
    pub fn bytes(&self) -> &[u8] {
        self.shared.rom.as_bytes()
    }

    /// Names and spans of everything in it.
    pub fn symbols(&self) -> &SymbolTable {
        &self.shared.symbols
    }

    /// What the compiler warned of, a line each: `guard.sw.json:3:12: event `Seen` is never used
    /// [SW0402]`. Kept for a machine made from a file, a text, the builder or by `machine!`; a ROM
    /// loaded from bytes has none, because warnings are no part of it.
    pub fn warnings(&self) -> &[String] {
        &self.shared.warnings
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.shared.symbols.machine
    }

    /// The path of a state, for people.
    pub fn state_name(&self, state: StateId) -> &str {
        self.name_of(state)
    }

    /// All states with their paths, each before those inside it; the root, whose path is empty, is not
    /// among them.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let text = r#"{ "machine": "Dog", "initial": "yard", "states": {
    ///   "yard": { "initial": "sit", "states": { "sit": {}, "run": {} } }, "house": {} } }"#;
    /// let machine = Machine::from_text("dog.sw.json", text)?;
    /// let paths: Vec<&str> = machine.states().map(|(_, path)| path).collect();
    /// assert_eq!(paths, ["yard", "yard/sit", "yard/run", "house"]);
    /// assert!(machine.states().all(|(state, path)| machine.state(path).ok() == Some(state)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn states(&self) -> impl Iterator<Item = (StateId, &str)> {
        let all = 1..self.rom().states().len();
        let states = all.filter_map(StateId::from_index);
        states.map(|state| (state, self.state_name(state)))
    }

    /// The name of an event, for people.
    pub fn event_name(&self, event: impl Into<EventId>) -> &str {
        self.name_of(event.into())
    }

    /// The name of a channel, for people.
    pub fn channel_name(&self, channel: ChannelId) -> &str {
        self.name_of(channel)
    }

    fn name_of(&self, id: impl SymbolId) -> &str {
        self.shared.symbols.of(id).unwrap_or("?")
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

    /// The name of a function; its number if there are no names.
    pub fn function_name(&self, function: FunctionId) -> String {
        let name = self.shared.symbols.of(function);
        name.map_or_else(|| format!("function {function}"), str::to_owned)
    }

    /// The scratch of a state with a name.
    pub fn scratch(&self, state: StateId, name: &str) -> Result<ScratchId, UnknownName> {
        let rom = self.rom();
        let is_own = |record: &ScratchRecord| StateId::read(record.owner) == Some(state);
        let all = rom
            .scratch()
            .iter()
            .zip(self.shared.symbols.names(SymbolKind::Scratch));
        let own = all.enumerate().filter(|(_, (record, _))| is_own(record));
        let mut own = own.map(|(index, (_, known))| (index, known));
        let found = own.clone().find(|(_, known)| *known == name);
        found
            .and_then(|(index, _)| ScratchId::from_index(index))
            .ok_or_else(|| {
                let known = own.by_ref().map(|(_, known)| known);
                UnknownName::new("scratch of this state", name, known)
            })
    }

    /// The symbol of a text that the machine has; [`Symbol::of`] makes that of any text.
    pub fn symbol(&self, text: &str) -> Result<Symbol, UnknownName> {
        let (rom, symbol) = (self.rom(), Symbol::of(text));
        // Another text may have the number of one of the machine's.
        if rom.symbol(symbol.0) == Some(text) {
            return Ok(symbol);
        }
        let strings = (0..rom.strings().len()).filter_map(StringId::from_index);
        let known = strings.filter_map(|id| rom.string(id));
        Err(UnknownName::new("symbol", text, known))
    }

    /// The text of a symbol; `None` if the machine has none with its number.
    pub fn symbol_text(&self, symbol: Symbol) -> Option<&str> {
        self.rom().symbol(symbol.0)
    }

    /// The lane with a name: a built-in one or one of the machine's own.
    pub fn lane(&self, name: &str) -> Result<LaneId, UnknownName> {
        let own = self.shared.symbols.names(SymbolKind::Lane);
        let mut known = BuiltInLane::NAMES.into_iter().chain(own);
        let place = known.clone().position(|known| known == name);
        place
            .and_then(LaneId::from_index)
            .ok_or_else(|| UnknownName::new(SymbolKind::Lane.word(), name, known.by_ref()))
    }
}
