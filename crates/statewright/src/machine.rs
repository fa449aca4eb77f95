//! A compiled machine with the names behind its numbers.

use std::fmt;
use std::sync::{Arc, OnceLock};

use statewright_kernel::{Class, Counters, Event};
use statewright_rom::ids::*;
use statewright_rom::layout::{BuiltInLane, EventRecord, PayloadKind, ScratchRecord};
use statewright_rom::{LoadError, OwnedRom, Rom};
use statewright_symbols::{
    SymbolId, SymbolKind, SymbolTable, UnknownName, WrongNames, machine_id, stable_ids,
};

use crate::blackboard::Shape;
use crate::commands::Lane;
use crate::counters::SharedCounters;
use crate::event::{EventFor, EventType, WrongEvent};
use crate::fused::AnyFused;
use crate::handle::{
    EventHandle, Handle, NameIn, Origin, Resolver, ScratchHandle, StateHandle, WrongHandle,
};
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
    /// What its instances know it by.
    id: u32,
    /// What handles mean here, by kind.
    resolvers: [Resolver; SymbolKind::ALL.len()],
    /// Where handles without a name come from.
    origin: &'static Origin,
    counters: SharedCounters,
    /// Of schema-checked blackboards, from the first one on.
    shape: OnceLock<Arc<Shape>>,
    /// What the compiler warned of, a line each.
    warnings: Vec<String>,
    /// As code.
    fused: Option<AnyFused>,
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
    use statewright_author::parts::{self, NOT_A_FILE, NOT_UTF8, NoFiles, PartFiles};
    use statewright_author::render::{Style, render_text, warning_lines};
    use statewright_compile::{Options, Output, compile_with};

    impl Machine {
        /// Compiles a machine file, with the parts that it uses (LANG-5).
        pub fn from_file(path: impl AsRef<Path>) -> Result<Self, MachineError> {
            let path = path.as_ref().display().to_string();
            match std::fs::read_to_string(&path) {
                Ok(text) => Self::from_texts(&path, &text, &Disk),
                Err(error) => Err(MachineError::Read { path, error }),
            }
        }

        /// Compiles the text of a machine file that uses no parts; the name is for messages.
        pub fn from_text(name: &str, text: &str) -> Result<Self, MachineError> {
            Self::from_texts(name, text, &NoFiles)
        }

        /// Compiles the text of a machine file that uses parts (LANG-5), which `parts` has by their
        /// paths: the folder of `name` and the path that stands under `use`.
        ///
        /// ```
        /// use std::collections::HashMap;
        /// use statewright::Machine;
        ///
        /// let guard = r#"{
        ///     "machine": "Guard", "states": { "nap": { "use": "parts/nap.sw.json" } }
        /// }"#;
        /// let nap = r#"{ "machine": "Nap", "states": { "snoring": {} } }"#;
        /// let parts = HashMap::from([("parts/nap.sw.json", nap)]);
        /// let machine = Machine::from_texts("guard.sw.json", guard, &parts)?;
        /// assert!(machine.state("nap/snoring").is_ok());
        /// # Ok::<(), statewright::MachineError>(())
        /// ```
        pub fn from_texts(
            name: &str,
            text: &str,
            parts: &dyn PartFiles,
        ) -> Result<Self, MachineError> {
            let (machine, problems) = parts::read(name, text, parts);
            Self::compile(&machine, problems)
        }

        /// Compiles a machine written in Rust.
        pub fn build(
            name: &str,
            describe: impl FnOnce(&mut MachineBuilder),
        ) -> Result<Self, MachineError> {
            Self::build_with(name, &NoFiles, describe)
        }

        /// Compiles a machine written in Rust that uses parts (LANG-5), which `parts` has by the
        /// paths that it says.
        pub fn build_with(
            name: &str,
            parts: &dyn PartFiles,
            describe: impl FnOnce(&mut MachineBuilder),
        ) -> Result<Self, MachineError> {
            let (mut machine, mut problems) = graph::Machine::build(name, describe);
            parts::join(&mut machine, parts, &mut problems);
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

    /// Reads parts by their paths.
    struct Disk;

    impl PartFiles for Disk {
        fn read(&self, name: &str) -> Result<String, String> {
            let found = std::fs::metadata(name).map_err(|error| error.to_string())?;
            if !found.is_file() && !found.is_dir() {
                return Err(NOT_A_FILE.to_owned());
            }
            let bytes = std::fs::read(name).map_err(|error| error.to_string())?;
            String::from_utf8(bytes).map_err(|_| NOT_UTF8.to_owned())
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

    /// The same of a payload whose type nobody knows any more: its kind (`None` for whatever the event
    /// carries) and its words.
    pub fn make_event_of(
        &self,
        event: EventHandle,
        kind: Option<PayloadKind>,
        words: [u32; 4],
    ) -> Result<Event, WrongEvent> {
        let (id, class) = self.check_event(event, kind)?;
        Ok(Event::new(id, class).with_words(words))
    }

    /// The number here of an event that is sent with a kind of payload (`None` for any), and its
    /// class.
    #[inline]
    pub(crate) fn check_event(
        &self,
        event: EventHandle,
        given: Option<PayloadKind>,
    ) -> Result<(EventId, Class), WrongEvent> {
        let id = self.resolve(event)?;
        let known = self.event_type(id)?;
        match given {
            Some(given) if given != known.payload => Err(self.wrong_payload(id, given)),
            _ => Ok((id, known.class)),
        }
    }

    /// What an event of this very machine is; `None` for one of another version or machine.
    #[inline(always)]
    pub(crate) fn own_event(&self, event: EventHandle) -> Option<&EventType> {
        let known = self.shared.events.get(event.id().index());
        known.filter(|known| known.stable == event.stable_id())
    }

    /// Numbers of its events.
    pub(crate) fn event_ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.shared.events.len()).map_while(EventId::from_index)
    }

    /// The same event with the name that it has here, for messages.
    pub(crate) fn with_name(&self, event: EventHandle) -> EventHandle {
        let id = self.resolve(event).ok();
        let named = id.and_then(|id| self.named(id, self.shared.symbols.of(id)?).ok());
        named.unwrap_or(event)
    }

    /// What an event is.
    #[inline]
    pub(crate) fn event_type(&self, id: EventId) -> Result<EventType, WrongEvent> {
        let known = self.shared.events.get(id.index());
        known.copied().ok_or_else(|| self.unknown_event(id.raw()))
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
                pub fn $name(&self, name: &str) -> Result<Handle<$id>, UnknownName> {
                    self.named(self.shared.symbols.find(name)?, name)
                }
            )+
        }
    };
}

lookups! {
    event "event" EventId,
    key "blackboard key" KeyId,
    parameter "parameter" ParameterId,
    variant "variant" VariantId,
    timer "timer" TimerId,
    channel "channel" ChannelId,
}

/// Handles: what programs hold (HASH-3).
impl Machine {
    /// The state with a path, `alive/idle/patrol`; the end of one, `patrol` or `idle/patrol`, will
    /// do if no other state's path ends so.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::build("Dog", |m| {
    ///     m.initial("awake");
    ///     m.state("awake", |s| {
    ///         s.initial("sit");
    ///         s.state("sit", |_| {});
    ///         s.state("run", |_| {});
    ///     });
    ///     m.state("asleep", |s| {
    ///         s.state("run", |_| {});
    ///     });
    /// })?;
    /// assert_eq!(machine.state("sit")?, machine.state("awake/sit")?);
    /// assert_eq!(
    ///     machine.state("run").unwrap_err().to_string(),
    ///     "the machine has several states named `run`: `awake/run`, `asleep/run`"
    /// );
    /// assert_eq!(
    ///     machine.state("sitt").unwrap_err().to_string(),
    ///     "the machine has no state named `sitt`; did you mean `awake/sit`?"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state(&self, path: &str) -> Result<StateHandle, UnknownName> {
        let id = self.shared.symbols.find_state_in(&self.rom(), path)?;
        self.named(id, self.shared.symbols.of(id).unwrap_or(path))
    }

    /// The handle of a number of this machine, as records of commands, traces and the ROM have it;
    /// `None` past the last.
    #[inline]
    pub fn handle<I: SymbolId>(&self, id: I) -> Option<Handle<I>> {
        self.resolver::<I>().handle(id)
    }

    /// The number here of something that a program holds: one compare if it is of this version of
    /// the machine. Something of another version is found by its stable id; something of another
    /// machine is refused.
    #[inline]
    pub fn resolve<I: SymbolId>(&self, handle: Handle<I>) -> Result<I, WrongHandle> {
        let found = self.resolver::<I>().resolve(handle);
        found.map_err(|error| self.explain::<I>(error))
    }

    /// Without something of that name, there is nothing to ask this machine for.
    #[cold]
    fn explain<I: SymbolId>(&self, error: WrongHandle) -> WrongHandle {
        let mut names = self.shared.symbols.names(I::KIND);
        let is_nameless = self.name().is_empty() || error.name().is_empty();
        let has_namesake = is_nameless || names.any(|name| name == error.name());
        error.with_namesake(has_namesake)
    }

    #[inline]
    fn resolver<I: SymbolId>(&self) -> &Resolver {
        &self.shared.resolvers[const { I::KIND as usize }]
    }

    /// With its name, for messages.
    fn named<I: SymbolId>(&self, id: I, name: &str) -> Result<Handle<I>, UnknownName> {
        let machine = self.shared.origin;
        let origin = Origin::of(name, machine.machine, machine.stable);
        let handle = self.handle(id);
        let handle = handle.map(|handle| Handle::of_macro(id, handle.stable_id(), origin));
        handle.ok_or_else(|| UnknownName::new(I::KIND.word(), name, []))
    }
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

    /// With the warnings of whoever compiled it, and as code.
    #[cfg(feature = "macros")]
    pub(crate) fn built_in(self, warnings: Vec<String>, fused: Option<AnyFused>) -> Self {
        let (rom, symbols) = (&self.shared.rom, &self.shared.symbols);
        Self::with_code(rom.clone(), symbols.clone(), warnings, fused)
    }

    /// The machine as code, if it was compiled together with this program.
    pub(crate) fn fused(&self) -> Option<AnyFused> {
        self.shared.fused
    }

    fn new(rom: OwnedRom, symbols: SymbolTable, warnings: Vec<String>) -> Self {
        Self::with_code(rom, symbols, warnings, None)
    }

    fn with_code(
        rom: OwnedRom,
        symbols: SymbolTable,
        warnings: Vec<String>,
        fused: Option<AnyFused>,
    ) -> Self {
        let (id, events, origin, resolvers) = {
            let rom = rom.as_rom();
            let event = |(event, stable): (&EventRecord, u64)| EventType {
                stable,
                class: event.class.get(),
                payload: event.carries(),
            };
            let origin = Origin::of("", &symbols.machine, machine_id(&rom));
            let resolver =
                |place: usize| Resolver::new(stable_ids(&rom, SymbolKind::ALL[place]), origin);
            let stable = stable_ids(&rom, SymbolKind::Event);
            let events = rom.events().iter().zip(stable).map(event).collect();
            (
                rom.machine_id(),
                events,
                origin,
                std::array::from_fn(resolver),
            )
        };
        let (counters, shape) = (SharedCounters::default(), OnceLock::new());
        Self {
            shared: Arc::new(Shared {
                rom,
                symbols,
                events,
                id,
                resolvers,
                origin,
                counters,
                shape,
                warnings,
                fused,
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

    /// The path of a state, for people; `?` for one of another machine.
    pub fn state_name(&self, state: impl NameIn<StateId>) -> &str {
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
    pub fn states(&self) -> impl Iterator<Item = (StateHandle, &str)> {
        let all = 1..self.rom().states().len();
        let states = all.filter_map(StateId::from_index);
        states.filter_map(|state| Some((self.handle(state)?, self.state_name(state))))
    }

    /// The name of an event, for people; `?` for one of another machine.
    pub fn event_name(&self, event: impl NameIn<EventId>) -> &str {
        self.name_of(event)
    }

    /// The name of a channel, for people; `?` for one of another machine.
    pub fn channel_name(&self, channel: impl NameIn<ChannelId>) -> &str {
        self.name_of(channel)
    }

    fn name_of<I: SymbolId>(&self, thing: impl NameIn<I>) -> &str {
        let id = thing.number_in(self);
        id.and_then(|id| self.shared.symbols.of(id)).unwrap_or("?")
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
            .get_or_init(|| Arc::new(Shape::new(&self.rom(), self.shared.origin)))
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
    pub fn scratch(
        &self,
        state: impl NameIn<StateId>,
        name: &str,
    ) -> Result<ScratchHandle, UnknownName> {
        let (rom, state) = (self.rom(), state.number_in(self));
        let is_own = |record: &ScratchRecord| StateId::read(record.owner) == state;
        let all = rom
            .scratch()
            .iter()
            .zip(self.shared.symbols.names(SymbolKind::Scratch));
        let own = all.enumerate().filter(|(_, (record, _))| is_own(record));
        let mut own = own.map(|(index, (_, known))| (index, known));
        let found = own.clone().find(|(_, known)| *known == name);
        match found.and_then(|(index, _)| ScratchId::from_index(index)) {
            Some(id) => self.named(id, name),
            None => {
                let known = own.by_ref().map(|(_, known)| known);
                Err(UnknownName::new("scratch of this state", name, known))
            }
        }
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

    /// The name of a lane, for people; `?` for one that the machine does not have.
    pub fn lane_name(&self, lane: impl Into<Lane>) -> &str {
        let number = usize::from(lane.into().number());
        let own = || {
            let place = number.checked_sub(BuiltInLane::COUNT)?;
            self.shared.symbols.name(SymbolKind::Lane, place)
        };
        let built_in = BuiltInLane::NAMES.get(number).copied();
        built_in.or_else(own).unwrap_or("?")
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
