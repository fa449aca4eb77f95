//! Which records are shown: by agent, state, event, tick and level. The words mean what they mean
//! to the recorder.

use std::collections::{BTreeMap, BTreeSet};

use statewright::ids::EventId;
use statewright_author::names::visible;
use statewright_author::similar;
use statewright_symbols::{SymbolKind, SymbolTable, UnknownName};
use statewright_trace::file::Reading;
use statewright_trace::{Cause, Kind, Legend, Record};

use super::Entry;
use crate::args::Trace;
use crate::error::CliError;

/// States and events by their numbers in one version of the machine.
struct Named {
    states: BTreeSet<u16>,
    events: BTreeSet<u16>,
    /// Whether none was asked for.
    any_state: bool,
    any_event: bool,
}

impl Named {
    /// What was asked for as this version has it; what it does not have is not there.
    fn new(args: &Trace, legend: &Legend) -> Self {
        let names: Vec<&str> = legend.symbols.names(SymbolKind::State).collect();
        let found = args
            .state
            .iter()
            .filter_map(|name| find_state(name, &names).ok());
        let states: Vec<u16> = found.collect();
        let inside = |state: &u16| states.iter().any(|&outer| legend.is_around(outer, *state));
        let events = args.event.iter();
        Self {
            states: (0..legend.states.len() as u16).filter(inside).collect(),
            events: events
                .filter_map(|name| find_event(name, &legend.symbols).ok())
                .collect(),
            any_state: args.state.is_empty(),
            any_event: args.event.is_empty(),
        }
    }
}

/// What was asked for.
pub(super) struct Chosen {
    agents: BTreeSet<u32>,
    /// What was named, in each version of the machine.
    named: Vec<Named>,
    from: u64,
    to: u64,
    level: u8,
}

impl Chosen {
    /// Checks what was asked for against the trace.
    pub(super) fn new(args: &Trace, reading: &Reading<'_>) -> Result<Self, CliError> {
        let legends = (0..=reading.reloads.len()).map(|version| reading.legend_of(version));
        let legends: Vec<&Legend> = legends.collect();
        let agents: BTreeSet<u32> = args.agent.iter().copied().collect();
        if !agents.is_empty() {
            let known: BTreeSet<u32> = reading
                .records()
                .map(|(_, record)| record.agent.get())
                .collect();
            agents
                .iter()
                .try_for_each(|&agent| check_agent(agent, &known))?;
        }
        let (from, to) = (args.from.unwrap_or(0), args.to.unwrap_or(u64::MAX));
        if from > to {
            let text = format!("`--from {from}` lies behind `--to {to}`: no tick is between them");
            return Err(CliError::new(text).help("exchange the two"));
        }
        for name in &args.state {
            in_some(&legends, |legend| {
                let names: Vec<&str> = legend.symbols.names(SymbolKind::State).collect();
                find_state(name, &names)
            })?;
        }
        for name in &args.event {
            in_some(&legends, |legend| find_event(name, &legend.symbols))?;
        }
        let named = legends.iter().map(|legend| Named::new(args, legend));
        Ok(Self {
            agents,
            named: named.collect(),
            from,
            to,
            level: args.level,
        })
    }

    /// The records that were asked for.
    pub(super) fn entries(&self, reading: &Reading<'_>) -> Vec<Entry> {
        // Per agent: the tick, and whether what happens now was caused by a chosen event.
        let mut open: BTreeMap<u32, (u64, bool)> = BTreeMap::new();
        let mut entries = Vec::new();
        for (version, tick, record) in reading.told() {
            let agent = record.agent.get();
            let is_near = (self.from..=self.to).contains(&tick);
            if !is_near || (!self.agents.is_empty() && !self.agents.contains(&agent)) {
                continue;
            }
            let open = open.entry(agent).or_insert((tick, false));
            if open.0 != tick {
                *open = (tick, false);
            }
            let legend = reading.legend_of(version);
            let named = self.named.get(version);
            if named.is_some_and(|named| self.passes(record, (legend, named), &mut open.1)) {
                entries.push(Entry {
                    version,
                    tick,
                    record: *record,
                });
            }
        }
        entries
    }

    fn passes(&self, record: &Record, (legend, named): (&Legend, &Named), open: &mut bool) -> bool {
        let Some(kind) = record.kind() else {
            return false;
        };
        let subject = record.subject.get();
        match kind {
            // What was lost opens nothing: the search that goes on has its own event.
            Kind::EventLost if !named.any_event => {
                return named.events.contains(&subject) && kind.level() as u8 <= self.level;
            }
            Kind::Event | Kind::Unhandled | Kind::Deferred => {
                *open = named.events.contains(&subject)
            }
            Kind::Transition | Kind::Latched => match record.cause() {
                Some(Cause::Event(event)) => *open = named.events.contains(&event),
                _ => *open = false,
            },
            Kind::Timer => *open = false,
            Kind::Present
            | Kind::Started
            | Kind::Leaf
            | Kind::Terminated
            | Kind::Faulted
            | Kind::Panicked
            | Kind::Clamped
            | Kind::FailSafe
            | Kind::Lost
            | Kind::Despawned
            | Kind::Entered
            | Kind::Exited
            | Kind::Suspended
            | Kind::Resumed
            | Kind::TimerSet
            | Kind::TimerStopped
            | Kind::Guard
            | Kind::Activity
            | Kind::Rejected
            | Kind::EventLost
            | Kind::Wrote
            | Kind::Command
            | Kind::More
            | Kind::Read
            | Kind::Asked
            | Kind::Score
            | Kind::Gave
            | Kind::Drew => {}
        }
        let by_event = is_life(kind) || named.any_event || *open;
        let by_state = named.any_state
            || state_of(kind, record, legend).is_none_or(|s| named.states.contains(&s));
        by_event && by_state && kind.level() as u8 <= self.level
    }
}

/// Is something in any version of the machine? The first one says what is wrong.
fn in_some(
    legends: &[&Legend],
    find: impl Fn(&Legend) -> Result<u16, CliError>,
) -> Result<(), CliError> {
    let mut found: Vec<_> = legends.iter().map(|legend| find(legend)).collect();
    match found.iter().any(Result::is_ok) {
        true => Ok(()),
        false => found.swap_remove(0).map(drop),
    }
}

/// Is it about the agent itself, whatever events there are?
fn is_life(kind: Kind) -> bool {
    match kind {
        Kind::Present
        | Kind::Started
        | Kind::Terminated
        | Kind::Faulted
        | Kind::Panicked
        | Kind::Clamped
        | Kind::FailSafe
        | Kind::Lost
        | Kind::Despawned => true,
        Kind::Latched
        | Kind::Unhandled
        | Kind::Deferred
        | Kind::Transition
        | Kind::Leaf
        | Kind::Timer
        | Kind::Entered
        | Kind::Exited
        | Kind::Suspended
        | Kind::Resumed
        | Kind::TimerSet
        | Kind::TimerStopped
        | Kind::Event
        | Kind::Guard
        | Kind::Activity
        | Kind::Rejected
        | Kind::EventLost
        | Kind::Wrote
        | Kind::Command
        | Kind::More
        | Kind::Read
        | Kind::Asked
        | Kind::Score
        | Kind::Gave
        | Kind::Drew => false,
    }
}

/// The state that a record has to do with.
fn state_of(kind: Kind, record: &Record, legend: &Legend) -> Option<u16> {
    let subject = record.subject.get();
    match kind {
        Kind::Present
        | Kind::Leaf
        | Kind::Entered
        | Kind::Exited
        | Kind::Suspended
        | Kind::Resumed
        | Kind::Activity => Some(subject),
        Kind::Transition | Kind::Latched | Kind::Rejected | Kind::Score => legend
            .transitions
            .get(usize::from(subject))
            .map(|transition| transition.source),
        Kind::Guard => Some(record.guard().0),
        Kind::EventLost
        | Kind::Wrote
        | Kind::Command
        | Kind::More
        | Kind::Read
        | Kind::Asked
        | Kind::Gave
        | Kind::Drew => None,
        Kind::Started
        | Kind::Unhandled
        | Kind::Deferred
        | Kind::Terminated
        | Kind::Faulted
        | Kind::Panicked
        | Kind::Clamped
        | Kind::FailSafe
        | Kind::Lost
        | Kind::Despawned
        | Kind::Timer
        | Kind::TimerSet
        | Kind::TimerStopped
        | Kind::Event => None,
    }
}

/// Refuses an agent that has no records.
pub(super) fn check_agent(agent: u32, known: &BTreeSet<u32>) -> Result<(), CliError> {
    if known.contains(&agent) {
        return Ok(());
    }
    let error = CliError::new(format!("the trace has no agent {agent}"));
    let shown: Vec<String> = known.iter().take(8).map(u32::to_string).collect();
    Err(match (known.first(), known.last()) {
        (Some(_), Some(last)) if known.len() > shown.len() => error.help(format!(
            "it has {} agents: {}, … {last}",
            known.len(),
            shown.join(", ")
        )),
        (Some(_), Some(_)) => error.help(format!("it has {}", shown.join(", "))),
        _ => error.help("it has no records at all"),
    })
}

/// A state by its path, or by the end of it if there is only one.
fn find_state(name: &str, paths: &[&str]) -> Result<u16, CliError> {
    if let Some(place) = paths.iter().position(|path| *path == name) {
        return Ok(place as u16);
    }
    let end = format!("/{name}");
    let ends: Vec<usize> = (0..paths.len())
        .filter(|&place| paths[place].ends_with(&end))
        .collect();
    match ends.as_slice() {
        [only] => Ok(*only as u16),
        [] => Err(unknown("state", name, closest_state(name, paths))),
        several => {
            let list: Vec<&str> = several.iter().map(|&place| paths[place]).collect();
            let text = format!("several states are called `{}`", visible(name));
            Err(CliError::new(text).help(format!("write one of {}", list.join(", "))))
        }
    }
}

/// A state that was perhaps meant: its path is like the name, or its own name is.
fn closest_state<'p>(name: &str, paths: &[&'p str]) -> Option<&'p str> {
    let own = |path: &&'p str| path.rsplit('/').next().unwrap_or(path);
    similar::closest(name, paths.iter().copied()).or_else(|| {
        let found = similar::closest(name, paths.iter().map(own))?;
        paths.iter().copied().find(|path| own(path) == found)
    })
}

fn find_event(name: &str, symbols: &SymbolTable) -> Result<u16, CliError> {
    let found: Result<EventId, UnknownName> = symbols.find(name);
    found
        .map(EventId::raw)
        .map_err(|error| unknown(error.what, name, error.closest.as_deref()))
}

fn unknown(what: &str, name: &str, closest: Option<&str>) -> CliError {
    let error = CliError::new(format!(
        "the machine of this trace has no {what} `{}`",
        visible(name)
    ));
    match closest {
        Some(closest) => error.help(format!("did you mean `{closest}`?")),
        None => error,
    }
}
