//! Words for everything in a machine, made once. Nothing here can move a cursor or hide text:
//! control and invisible characters are written as their numbers.

use std::collections::HashMap;

use statewright::Machine;
use statewright_author::names::visible;
use statewright_describe::{
    Description, Length, StackUse, State, Target, Threshold, TimerPlace, Transition, Trigger,
};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::{RegionRecord, StateKind, TimerKind, TimerRecord};
use statewright_symbols::{Symbol, SymbolId, SymbolKind, SymbolTable};
use statewright_text::quoted;

/// A transition in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransitionWords {
    /// Its name; none without one.
    pub name: Option<String>,
    /// Path of its source.
    pub source: String,
    /// What it waits for: `on Hit`, `after 30t`, `always`.
    pub trigger: String,
    /// Its guard.
    pub guard: Option<String>,
    /// Its score.
    pub score: Option<String>,
    /// The least score that counts.
    pub threshold: Option<String>,
    /// Where it leads; empty for one that is internal or stays.
    pub targets: Vec<String>,
    /// Trigger, guard and targets in one line.
    pub line: String,
}

/// Names and words by number.
#[derive(Clone, Debug)]
pub struct Names {
    /// Names as they can be shown; what has none is called by its number. The machine's own table
    /// has them as they were given.
    pub symbols: SymbolTable,
    /// What states are called in short: their names, or their paths where several have one name.
    pub called: Vec<String>,
    /// Timers: names, or what they are for.
    pub timers: Vec<String>,
    /// Transitions.
    pub transitions: Vec<TransitionWords>,
}

/// A call without arguments as machine files write it: without parentheses.
pub(crate) fn bare(call: &str) -> String {
    visible(
        call.strip_suffix("()")
            .filter(|name| !name.contains(['(', ' ']))
            .unwrap_or(call),
    )
}

impl Names {
    /// Collects them.
    pub fn new(machine: &Machine, given: Option<SymbolTable>) -> Self {
        let rom = machine.rom();
        let symbols = shown_symbols(&rom, given);
        let Description { model, layout, .. } = Description::visible(&rom, Some(&symbols));
        let (states, lengths) = (model.states, layout.timers);
        let rate = u32::from(rom.header().tick_rate.get());
        let timers = (0_usize..)
            .zip(rom.timers())
            .map(|(index, record)| timer_words(&symbols, index, record, rate, &lengths));
        Self {
            timers: timers.collect(),
            transitions: states
                .iter()
                .flat_map(|state| state.transitions.iter().map(move |one| (state, one)))
                .map(|(state, one)| transition_words(state, one, rate))
                .collect(),
            called: called(&symbols),
            symbols,
        }
    }

    fn name(&self, id: impl SymbolId) -> &str {
        self.symbols.of(id).unwrap_or("?")
    }

    /// Path of a state.
    pub fn state(&self, state: StateId) -> &str {
        self.name(state)
    }

    /// Name of an event.
    pub fn event(&self, event: EventId) -> &str {
        self.name(event)
    }

    /// Name of a state, or its path if several have that name.
    pub fn called(&self, state: StateId) -> &str {
        self.called.get(state.index()).map_or("?", String::as_str)
    }

    /// Name of a blackboard key.
    pub fn key(&self, key: KeyId) -> &str {
        self.name(key)
    }

    /// Name of a parameter.
    pub fn parameter(&self, parameter: ParameterId) -> &str {
        self.name(parameter)
    }

    /// Name of scratch; none without names.
    pub fn scratch(&self, scratch: ScratchId) -> String {
        let name = self.symbols.of(scratch);
        name.map_or_else(|| format!("scratch {scratch}"), str::to_owned)
    }

    /// Name of a variant; none for the plain one.
    pub fn variant(&self, variant: VariantId) -> Option<&str> {
        Some(self.name(variant)).filter(|_| variant != VariantId::PLAIN)
    }

    /// Name of a user function.
    pub fn function(&self, function: FunctionId) -> &str {
        self.name(function)
    }

    /// Name of a timer, or what it is for.
    pub fn timer(&self, timer: TimerId) -> &str {
        self.timers.get(timer.index()).map_or("?", String::as_str)
    }

    /// Name of a region; none for the only one of a compound state.
    pub fn region(&self, region: RegionId) -> Option<&str> {
        self.symbols.of(region)
    }

    /// A transition in words.
    pub fn transition(&self, transition: TransitionId) -> Option<&TransitionWords> {
        self.transitions.get(transition.index())
    }
}

/// Names for everything that has a number, safe to show.
fn shown_symbols(rom: &Rom<'_>, given: Option<SymbolTable>) -> SymbolTable {
    let nameless = || SymbolTable {
        machine: "(without names)".to_owned(),
        ..SymbolTable::default()
    };
    let mut symbols = given
        .unwrap_or_else(nameless)
        .visible()
        .with_numbers(SymbolKind::State, rom.states().len())
        .with_numbers(SymbolKind::Event, rom.events().len())
        .with_numbers(SymbolKind::Function, rom.linker().len())
        .with_numbers(SymbolKind::Key, rom.keys().len())
        .with_numbers(SymbolKind::Parameter, rom.parameters().len())
        .with_numbers(SymbolKind::Variant, rom.variants().len());
    if let Some(root) = symbols.states.first_mut() {
        root.name = "root".to_owned();
    }
    let region = |(index, record): (usize, &RegionRecord)| {
        let owner = StateId::read(record.owner).and_then(|owner| rom.state(owner));
        // The only region of a compound state goes without a name.
        let is_only = owner.is_some_and(|owner| owner.kind == StateKind::Compound);
        match is_only {
            true => Symbol::default(),
            false => Symbol::named(symbols.shown(SymbolKind::Region, index)),
        }
    };
    symbols.regions = rom.regions().iter().enumerate().map(region).collect();
    symbols
}

/// A duration as people wrote it.
fn time(length: &Length, rate: u32) -> String {
    length.shown(|ticks| duration(ticks, rate))
}

/// Name of a timer, or what it is for.
fn timer_words(
    symbols: &SymbolTable,
    index: usize,
    record: &TimerRecord,
    rate: u32,
    places: &[TimerPlace],
) -> String {
    let owner = StateId::read(record.owner).and_then(|owner| symbols.of(owner));
    let owner = owner.unwrap_or("");
    match record.kind.get() {
        TimerKind::After | TimerKind::Every => {
            let length = places.get(index).and_then(|place| place.length.as_ref());
            let time = length.map_or_else(String::new, |length| time(length, rate));
            format!("{} {time} in {owner}", record.kind.get())
        }
        TimerKind::Debounce => format!("debounce in {owner}"),
        TimerKind::Clock => format!("clock of {owner}"),
        TimerKind::State | TimerKind::Machine => {
            symbols.shown(SymbolKind::Timer, index).into_owned()
        }
    }
}

fn called(symbols: &SymbolTable) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut count: HashMap<String, u32> = HashMap::new();
    let paths = symbols.names(SymbolKind::State);
    paths
        .clone()
        .for_each(|path| *count.entry(name(path)).or_default() += 1);
    paths
        .map(|path| match count[&name(path)] {
            1 => name(path),
            _ => path.to_owned(),
        })
        .collect()
}

fn transition_words(state: &State, transition: &Transition, rate: u32) -> TransitionWords {
    let paths = transition.to.iter().map(Target::path);
    let targets: Vec<String> = paths.map(str::to_owned).collect();
    let trigger = match &transition.trigger {
        // With the time that people wrote.
        Trigger::After { length, .. } => format!("after {}", time(length, rate)),
        Trigger::Every { length, .. } => format!("every {}", time(length, rate)),
        Trigger::Event(_)
        | Trigger::Any
        | Trigger::Timer(_)
        | Trigger::Always
        | Trigger::Done
        | Trigger::Failed => transition.trigger.to_string(),
    };
    let guard = transition.guard.as_deref().map(bare);
    let mut line = format!("{}: {trigger}", state.path);
    if let Some(guard) = &guard {
        line.push_str(&format!(" if {guard}"));
    }
    match (transition.stack, targets.is_empty()) {
        (Some(StackUse::Pop), _) => line.push_str(" -> back (pop)"),
        (stack, false) => {
            line.push_str(&format!(" -> {}", targets.join(" + ")));
            line.push_str(if stack.is_some() { " (push)" } else { "" });
        }
        (_, true) if transition.stay => line.push_str(" (stays)"),
        (_, true) => line.push_str(" (internal)"),
    }
    TransitionWords {
        name: transition.name.clone(),
        source: state.path.clone(),
        trigger,
        guard,
        score: transition.score.as_deref().map(bare),
        threshold: transition.threshold.as_ref().map(|least| match least {
            Threshold::Number(_) => least.to_string(),
            Threshold::Code(code) => quoted(&visible(code)),
        }),
        targets,
        line,
    }
}

/// Ticks as the shortest time that means them: `1.5s`, or `7t` where no round number of
/// milliseconds does.
pub(crate) fn duration(ticks: u32, rate: u32) -> String {
    let millis = u64::from(ticks) * 1000;
    let rate = u64::from(rate.max(1));
    if !millis.is_multiple_of(rate) {
        return format!("{ticks}t");
    }
    match millis / rate {
        millis if millis.is_multiple_of(1000) => format!("{}s", millis / 1000),
        millis if millis > 1000 => format!("{}s", millis as f64 / 1000.0),
        millis => format!("{millis}ms"),
    }
}
