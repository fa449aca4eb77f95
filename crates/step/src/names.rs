//! Words for everything in a machine, made once. Nothing here can move a cursor or hide text:
//! control and invisible characters are written as their numbers.

use std::collections::HashMap;

use serde_json::Value;
use statewright::Machine;
use statewright_author::names::visible;
use statewright_compile::describe;
use statewright_compile::symbols::Symbols;
use statewright_rom::ids::*;
use statewright_rom::layout::{TimerKind, TimerRecord};

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
    /// Where it leads; empty for one that stays.
    pub targets: Vec<String>,
    /// Trigger, guard and targets in one line.
    pub line: String,
}

/// Names by number.
#[derive(Clone, Debug)]
pub struct Names {
    /// The machine.
    pub machine: String,
    /// Paths of states; the root is `root`.
    pub states: Vec<String>,
    /// What states are called in short: their names, or their paths where several have one name.
    pub called: Vec<String>,
    /// Events.
    pub events: Vec<String>,
    /// Blackboard keys.
    pub keys: Vec<String>,
    /// User functions.
    pub functions: Vec<String>,
    /// Timers: names, or what they are for.
    pub timers: Vec<String>,
    /// Parameter variants; the first is the plain one and has no name.
    pub variants: Vec<String>,
    /// Regions; empty for the only region of a compound state.
    pub regions: Vec<String>,
    /// Transitions.
    pub transitions: Vec<TransitionWords>,
    symbols: Option<Symbols>,
}

/// A call without arguments as machine files write it: without parentheses.
pub(crate) fn bare(call: &str) -> String {
    visible(
        call.strip_suffix("()")
            .filter(|name| !name.contains(['(', ' ']))
            .unwrap_or(call),
    )
}

/// A text of the description.
fn text(value: &Value) -> String {
    visible(value.as_str().unwrap_or_default())
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn names_of(value: &Value, key: &str) -> Vec<String> {
    list(value, key)
        .iter()
        .map(|item| text(&item["name"]))
        .collect()
}

impl Names {
    /// Collects them.
    pub fn new(machine: &Machine, symbols: Option<Symbols>) -> Self {
        let rom = machine.rom();
        let described = describe::describe(&rom, symbols.as_ref());
        let (model, layout) = (&described["model"], &described["layout"]);
        let states: Vec<String> = list(model, "states")
            .iter()
            .map(|state| text(&state["path"]))
            .collect();
        let rate = u32::from(rom.header().tick_rate.get());
        let given = |index: usize| {
            symbols
                .as_ref()
                .and_then(|symbols| symbols.timers.get(index))
        };
        let timer = |(index, record): (usize, &TimerRecord)| {
            let owner = states
                .get(usize::from(record.owner.get()))
                .map_or("", String::as_str);
            match record.kind.get() {
                TimerKind::After => {
                    format!("after {} in {owner}", duration(record.ticks.get(), rate))
                }
                TimerKind::Debounce => format!("debounce in {owner}"),
                TimerKind::Clock => format!("clock of {owner}"),
                TimerKind::State | TimerKind::Machine => given(index)
                    .map_or_else(|| format!("timer_{index}"), |symbol| visible(&symbol.name)),
            }
        };
        let timers = rom.timers().iter().enumerate().map(timer).collect();
        let variants = std::iter::once(String::new())
            .chain(names_of(model, "variants"))
            .collect();
        Self {
            machine: model["machine"]
                .as_str()
                .map_or_else(|| "(without names)".to_owned(), visible),
            events: names_of(model, "events"),
            keys: names_of(model, "blackboard"),
            functions: names_of(layout, "functions"),
            timers,
            variants,
            regions: list(layout, "leaves")
                .iter()
                .map(|region| text(&region["region"]))
                .collect(),
            transitions: list(model, "states")
                .iter()
                .flat_map(|state| transitions(state, rate))
                .collect(),
            called: called(&states),
            states,
            symbols,
        }
    }

    /// Path of a state.
    pub fn state(&self, state: StateId) -> &str {
        self.states.get(state.index()).map_or("?", String::as_str)
    }

    /// Name of an event.
    pub fn event(&self, event: EventId) -> &str {
        self.events.get(event.index()).map_or("?", String::as_str)
    }

    /// Name of a state, or its path if several have that name.
    pub fn called(&self, state: StateId) -> &str {
        self.called.get(state.index()).map_or("?", String::as_str)
    }

    /// Name of a blackboard key.
    pub fn key(&self, key: KeyId) -> &str {
        self.keys.get(key.index()).map_or("?", String::as_str)
    }

    /// Name of a user function.
    pub fn function(&self, function: FunctionId) -> &str {
        self.functions
            .get(function.index())
            .map_or("?", String::as_str)
    }

    /// Name of a timer, or what it is for.
    pub fn timer(&self, timer: TimerId) -> &str {
        self.timers.get(timer.index()).map_or("?", String::as_str)
    }

    /// Name of a region; none for the only one of a compound state.
    pub fn region(&self, region: RegionId) -> Option<&str> {
        self.regions
            .get(region.index())
            .map(String::as_str)
            .filter(|name| !name.is_empty())
    }

    /// A transition in words.
    pub fn transition(&self, transition: TransitionId) -> Option<&TransitionWords> {
        self.transitions.get(transition.index())
    }

    /// Names as the sidecar has them.
    pub(crate) fn symbols(&self) -> Option<&Symbols> {
        self.symbols.as_ref()
    }
}

fn called(paths: &[String]) -> Vec<String> {
    let name = |path: &String| path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut count: HashMap<String, u32> = HashMap::new();
    paths
        .iter()
        .for_each(|path| *count.entry(name(path)).or_default() += 1);
    paths
        .iter()
        .map(|path| {
            if count[&name(path)] == 1 {
                name(path)
            } else {
                path.clone()
            }
        })
        .collect()
}

fn transitions(state: &Value, rate: u32) -> impl Iterator<Item = TransitionWords> + '_ {
    list(state, "transitions").iter().map(move |transition| {
        let source = text(&state["path"]);
        let optional = |key: &str| transition[key].as_str().map(visible);
        let targets: Vec<String> = list(transition, "to").iter().map(text).collect();
        let trigger = in_seconds(&text(&transition["trigger"]), rate);
        let guard = transition["if"].as_str().map(bare);
        let mut line = format!("{source}: {trigger}");
        if let Some(guard) = &guard {
            line.push_str(&format!(" if {guard}"));
        }
        match (transition["stack"].as_str(), targets.is_empty()) {
            (Some("pop"), _) => line.push_str(" -> back (pop)"),
            (stack, false) => {
                line.push_str(&format!(" -> {}", targets.join(" + ")));
                line.push_str(if stack.is_some() { " (push)" } else { "" });
            }
            (_, true) => line.push_str(" (stays)"),
        }
        TransitionWords {
            name: optional("name"),
            source,
            trigger,
            guard,
            score: transition["score"].as_str().map(bare),
            targets,
            line,
        }
    })
}

/// `after 90t` with the time that people wrote.
fn in_seconds(trigger: &str, rate: u32) -> String {
    let ticks = trigger
        .strip_prefix("after ")
        .and_then(|rest| rest.strip_suffix('t')?.parse().ok());
    ticks.map_or_else(
        || trigger.to_owned(),
        |ticks| format!("after {}", duration(ticks, rate)),
    )
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
