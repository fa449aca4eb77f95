//! What the machine declares besides states, found by name: events, keys, parameters, channels,
//! lanes, timers, functions and transition sets.

use std::cell::Cell;
use std::collections::HashMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Change, Diagnostic, Diagnostics, Fix};
use statewright_author::graph::Machine;
use statewright_author::span::Name;
use statewright_rom::layout::{BuiltInLane, MAX_CHANNELS, MAX_LANES, MAX_RECORDS};

use crate::index::{
    ChannelIndex, DeclaredFunctionIndex, EventIndex, Index, IndexVec, KeyIndex, LaneIndex,
    MachineTimerIndex, ParameterIndex, TransitionSetIndex, UserLaneIndex, VariantIndex,
};
use crate::lanes;
use crate::tree::{check_case, duplicate_name, too_many};

/// A word with `a` or `an`, as it is spoken: an action, an i32, an f32.
pub fn with_article(word: &str) -> String {
    let an = word.starts_with(['a', 'e', 'i', 'o']) || word.starts_with("f32");
    format!("{} {word}", if an { "an" } else { "a" })
}

/// Names of one kind of declaration.
#[derive(Debug)]
pub struct NameIndex<'a, I> {
    what: &'static str,
    unknown: DiagnosticCode,
    field: &'static str,
    names: IndexVec<I, &'a str>,
    found: HashMap<&'a str, I>,
    suggestions: Cell<usize>,
}

/// "Did you mean" looks at every name, so it is offered only so often.
const MAX_SUGGESTIONS: usize = 20;

impl<'a, I: Index> NameIndex<'a, I> {
    fn new(
        what: &'static str,
        unknown: DiagnosticCode,
        field: &'static str,
        names: impl Iterator<Item = &'a Name>,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let mut index = Self {
            what,
            unknown,
            field,
            names: IndexVec::default(),
            found: HashMap::new(),
            suggestions: Cell::new(0),
        };
        let mut declared: IndexVec<I, &'a Name> = IndexVec::default();
        let mut folded = HashMap::new();
        for name in names {
            match index.found.get(name.value.as_str()) {
                Some(&first) => diagnostics.push(duplicate_name(what, name, declared[first].span)),
                None => {
                    index.found.insert(&name.value, declared.next_index());
                    check_case(&mut folded, name, diagnostics);
                }
            }
            index.names.push(&name.value);
            declared.push(name);
        }
        index
    }

    /// The declaration of a name.
    pub fn get(&self, name: &str) -> Option<I> {
        self.found.get(name).copied()
    }

    /// All names, in declaration order.
    pub fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// The declaration of a name that must exist.
    pub fn find(&self, name: &Name, diagnostics: &mut Diagnostics) -> Option<I> {
        let found = self.get(&name.value);
        if found.is_none() {
            diagnostics.push(self.not_found(name));
        }
        found
    }

    /// The problem with a name that is not declared.
    pub fn not_found(&self, name: &Name) -> Diagnostic {
        let declaration = match self.field {
            "blackboard" => format!("\"{}\": \"i32\"", name.value),
            "parameters" => format!("\"{}\": 1.0", name.value),
            "transition_sets" => format!("\"{}\": [ … ]", name.value),
            _ => format!("\"{}\"", name.value),
        };
        self.not_found_among(name, self.names.iter().copied(), &declaration)
    }

    /// The same with the names that could have been meant and what its declaration would look like.
    pub fn not_found_among<'n>(
        &self,
        name: &Name,
        known: impl Iterator<Item = &'n str>,
        declaration: &str,
    ) -> Diagnostic {
        let text = format!("no {} named `{}`", self.what, name.value);
        let problem = Diagnostic::new(self.unknown, name.span, text).label("not declared");
        let problem = match self.suggestions.replace(self.suggestions.get() + 1) {
            0..MAX_SUGGESTIONS => problem.suggest(&name.value, known),
            _ => problem,
        };
        let declare = format!("add `{declaration}` to `\"{}\"`", self.field);
        let problem = problem.fix(Fix {
            title: format!("Declare the {} `{}`", self.what, name.value),
            change: Change::Declare {
                field: self.field,
                entry: declaration.replace("[ … ]", "[]"),
            },
        });
        match &problem.help {
            Some(help) => {
                let help = format!("{help} If not, {declare}");
                problem.help(help)
            }
            None => problem.help(declare),
        }
    }
}

/// Everything that is found by name.
#[derive(Debug)]
pub struct Declarations<'a> {
    /// Events.
    pub events: NameIndex<'a, EventIndex>,
    /// Blackboard keys.
    pub keys: NameIndex<'a, KeyIndex>,
    /// Machine-wide parameters.
    pub parameters: NameIndex<'a, ParameterIndex>,
    /// Variants.
    pub variants: NameIndex<'a, VariantIndex>,
    /// Channels.
    pub channels: NameIndex<'a, ChannelIndex>,
    /// User lanes.
    pub lanes: NameIndex<'a, UserLaneIndex>,
    /// Machine-level timers.
    pub timers: NameIndex<'a, MachineTimerIndex>,
    /// Declared functions.
    pub functions: NameIndex<'a, DeclaredFunctionIndex>,
    /// Transition sets.
    pub sets: NameIndex<'a, TransitionSetIndex>,
}

impl<'a> Declarations<'a> {
    /// Reads the declarations and reports what is declared twice.
    pub fn new(machine: &'a Machine, diagnostics: &mut Diagnostics) -> Self {
        let d = diagnostics;
        let m = machine;
        let names = Self {
            events: NameIndex::new(
                "event",
                DiagnosticCode::UnknownEvent,
                "events",
                m.events.iter().map(|e| &e.name),
                d,
            ),
            keys: NameIndex::new(
                "blackboard key",
                DiagnosticCode::UnknownKey,
                "blackboard",
                m.blackboard.iter().map(|k| &k.name),
                d,
            ),
            parameters: NameIndex::new(
                "parameter",
                DiagnosticCode::UnknownParameter,
                "parameters",
                m.parameters.iter().map(|p| &p.name),
                d,
            ),
            variants: NameIndex::new(
                "variant",
                DiagnosticCode::UnknownParameter,
                "variants",
                m.variants.iter().map(|v| &v.name),
                d,
            ),
            channels: NameIndex::new(
                "channel",
                DiagnosticCode::UnknownChannel,
                "channels",
                m.channels.iter().map(|c| &c.name),
                d,
            ),
            lanes: NameIndex::new(
                "lane",
                DiagnosticCode::UnknownLane,
                "lanes",
                m.lanes.iter().map(|l| &l.name),
                d,
            ),
            timers: NameIndex::new(
                "timer",
                DiagnosticCode::UnknownTimer,
                "timers",
                m.timers.iter().map(|t| &t.name),
                d,
            ),
            functions: NameIndex::new(
                "function",
                DiagnosticCode::UndeclaredFunction,
                "functions",
                m.functions.iter().map(|f| &f.name),
                d,
            ),
            sets: NameIndex::new(
                "transition set",
                DiagnosticCode::UnknownTransitionSet,
                "transition_sets",
                m.transition_sets.iter().map(|s| &s.name),
                d,
            ),
        };
        names.check_shared(machine, d);
        names.check_sizes(machine, d);
        lanes::check(machine, d);
        names
    }

    /// Names that expressions and `lane` fields cannot tell apart.
    fn check_shared(&self, machine: &Machine, diagnostics: &mut Diagnostics) {
        for parameter in &machine.parameters {
            if let Some(key) = self.keys.get(&parameter.name.value) {
                let first = machine.blackboard[key.position()].name.span;
                diagnostics.push(duplicate_name(
                    "blackboard key or parameter",
                    &parameter.name,
                    first,
                ));
            }
        }
        for lane in &machine.lanes {
            if BuiltInLane::NAMES.contains(&lane.name.value.as_str()) {
                let text = format!("lane `{}` exists already", lane.name.value);
                diagnostics.push(
                    Diagnostic::new(DiagnosticCode::DuplicateName, lane.name.span, text)
                        .label("every machine has this lane")
                        .help("use it without declaring it, or choose another name"),
                );
            }
        }
    }

    fn check_sizes(&self, machine: &Machine, diagnostics: &mut Diagnostics) {
        let span = machine.name.span;
        // Events and timers share the trigger numbers below the special ones.
        for (what, count, most) in [
            ("events", machine.events.len(), MAX_RECORDS / 2),
            ("parameters", machine.parameters.len(), MAX_RECORDS / 2),
            ("blackboard keys", machine.blackboard.len(), MAX_RECORDS / 3),
            ("variants", machine.variants.len(), MAX_RECORDS - 1),
        ] {
            if count > most {
                diagnostics.push(too_many(what, count, most, span));
            }
        }
        if machine.channels.len() > MAX_CHANNELS {
            let text = format!(
                "{} channels, but at most {MAX_CHANNELS} fit",
                machine.channels.len()
            );
            let at = machine.channels[MAX_CHANNELS].name.span;
            let problem =
                Diagnostic::new(DiagnosticCode::TableFull, at, text).label("one too many");
            diagnostics.push(problem.help("let states share channels"));
        }
        if machine.lanes.len() + BuiltInLane::COUNT > MAX_LANES {
            let most = MAX_LANES - BuiltInLane::COUNT;
            let text = format!(
                "{} lanes, but at most {most} fit beside the built-in ones",
                machine.lanes.len()
            );
            diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::TableFull,
                    machine.lanes[most].name.span,
                    text,
                )
                .label("one too many")
                .help("let commands share lanes: a command has a name of its own"),
            );
        }
    }

    /// A lane, built-in or declared.
    pub fn lane(&self, name: &Name, diagnostics: &mut Diagnostics) -> Option<LaneIndex> {
        if let Some(built_in) = BuiltInLane::NAMES
            .iter()
            .position(|&lane| lane == name.value)
        {
            return Some(LaneIndex::new(built_in));
        }
        if let Some(declared) = self.lanes.get(&name.value) {
            return Some(LaneIndex::new(BuiltInLane::COUNT + declared.position()));
        }
        let shown = diagnostics.has_room();
        let known = BuiltInLane::NAMES
            .iter()
            .copied()
            .chain(self.lanes.names().iter().copied())
            .filter(|_| shown);
        let problem = Diagnostic::new(
            DiagnosticCode::UnknownLane,
            name.span,
            format!("no lane named `{}`", name.value),
        )
        .label("not declared")
        .suggest(&name.value, known);
        diagnostics.push(match problem.help {
            Some(_) => problem,
            None => problem.help(format!(
                "use one of {}, or declare it under `\"lanes\"`",
                BuiltInLane::NAMES.join(", ")
            )),
        });
        None
    }
}
