//! What is said about something at a place: what it is, what the author says, and who pays for it.

use std::fmt::Write;
use std::ops::Range;

use statewright_author::graph::{Function, Machine, StateKind};
use statewright_author::span::Span;
use statewright_author::text::shape::{Field, Item};
use statewright_compile::lookup::States;

use crate::analysis::Analysis;
use crate::built_in::describe;
use crate::files::Files;
use crate::hint::ticks;
use crate::names::Thing;
use crate::parts::declaration;

/// What is said about something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is said about.
    pub range: Range<usize>,
    /// Markdown.
    pub text: String,
}

impl Analysis {
    /// What is said about what stands at a place. Of a function also where its code stands in Rust, as
    /// far as sidecars know.
    pub fn hover(&self, place: usize, files: &dyn Files) -> Option<Hover> {
        if let Some(name) = self.occurrence(place) {
            let thing = &self.names.things[name.thing];
            let mut text = self.describe(thing);
            for code in self.code_of(thing, files) {
                _ = write!(text, "\n\nWritten in `{}`.", code.shown);
            }
            return Some(Hover {
                range: name.range.clone(),
                text,
            });
        }
        let covers = |range: &Range<usize>| (range.start..=range.end).contains(&place);
        let fields = self.names.fields.iter();
        if let Some((range, field)) = fields.clone().find(|(range, _)| covers(range)) {
            return Some(Hover {
                range: range.clone(),
                text: self.describe_field(field),
            });
        }
        let mut built_ins = self.names.built_ins.iter();
        if let Some((range, name)) = built_ins.find(|(range, _)| covers(range)) {
            let (call, doc) = describe(name)?;
            return Some(Hover {
                range: range.clone(),
                text: format!("`{call}`\n\n{doc}"),
            });
        }
        if let Some(hover) = self.part_hover(place) {
            return Some(hover);
        }
        let mut durations = self.names.durations.iter();
        let (range, duration) = durations.find(|(range, _)| covers(range))?;
        let ticks = ticks(duration, self.machine.ticks_per_second())?;
        Some(Hover {
            range: range.clone(),
            text: format!(
                "{ticks} at {} ticks per second",
                self.machine.ticks_per_second()
            ),
        })
    }

    /// What the file of a part says about itself, and what can be set in it.
    fn part_hover(&self, place: usize) -> Option<Hover> {
        let mut paths = self.names.part_paths.iter();
        let (range, path) = paths.find(|(range, _)| (range.start..=range.end).contains(&place))?;
        let Some(part) = self.parts.machine(&self.name, path) else {
            return Some(Hover {
                range: range.clone(),
                text: "There is no such file.".to_owned(),
            });
        };
        let mut text = format!("part `{}`", part.name.value);
        if let Some(doc) = &part.doc {
            _ = write!(text, "\n\n{doc}");
        }
        for parameter in &part.parameters {
            let (name, ty) = (&parameter.name.value, parameter.ty.value);
            _ = write!(text, "\n- parameter `{name}: {ty}`");
            if let Some(doc) = &parameter.doc {
                _ = write!(text, ": {doc}");
            }
        }
        Some(Hover {
            range: range.clone(),
            text,
        })
    }

    fn describe(&self, thing: &Thing) -> String {
        let mut text = match thing.item {
            Item::State | Item::History => self.describe_state(thing),
            item => {
                let detail = detail(self.machine_of(thing), item, &thing.name);
                let space = if detail.is_empty() { "" } else { ": " };
                format!("{} `{}{space}{detail}`", item.word(), thing.name)
            }
        };
        match &thing.declared {
            Some(declared) => {
                if let Some(doc) = &declared.doc {
                    _ = write!(text, "\n\n{doc}");
                }
            }
            None if thing.elsewhere.is_some() => self.describe_elsewhere(thing, &mut text),
            None if thing.item == Item::Function => text.push_str("\n\nProvided by the game."),
            None => text.push_str("\n\nNot declared."),
        }
        text + &self.payments(thing)
    }

    /// The machine that knows a thing by its name.
    fn machine_of(&self, thing: &Thing) -> &Machine {
        let file = thing.part.as_ref().or(match thing.item {
            Item::Parameter => thing.elsewhere.as_ref().map(|place| &place.file),
            _ => None,
        });
        let part = file.and_then(|file| self.parts.of_file(file));
        part.unwrap_or(self.whole())
    }

    /// What the file of a part says about something.
    fn describe_elsewhere(&self, thing: &Thing, text: &mut String) {
        let declared = declaration(self.machine_of(thing), thing.item, &thing.name);
        if let Some((_, Some(doc))) = declared {
            _ = write!(text, "\n\n{doc}");
        }
        if let Some(place) = &thing.elsewhere {
            let file = place.file.rsplit('/').next().unwrap_or_default();
            _ = write!(text, "\n\nDeclared in the part `{file}`.");
        }
    }

    fn describe_state(&self, thing: &Thing) -> String {
        let states = States::new(self.whole());
        let landmark = thing
            .declared
            .as_ref()
            .and_then(|declared| states.declared_at(declared.span));
        let Some(landmark) = landmark else {
            return format!("{} `{}`", thing.item.word(), thing.name);
        };
        let kind = match landmark.kind {
            None => "history point",
            Some(StateKind::Atomic) => "state",
            Some(StateKind::Compound) => "state with states inside",
            Some(StateKind::Orthogonal) => "state with regions",
            Some(StateKind::Final) => "final state",
            Some(StateKind::Choice) => "choice",
        };
        format!("{kind} `{}`", landmark.path)
    }

    /// What the report says about a state: what it takes of each agent, and whether it sleeps.
    fn payments(&self, thing: &Thing) -> String {
        let states = States::new(self.whole());
        let landmark = thing
            .declared
            .as_ref()
            .filter(|_| thing.item == Item::State)
            .and_then(|declared| states.declared_at(declared.span));
        let (Some(landmark), Some(output)) = (landmark, &self.compiled().output) else {
            return String::new();
        };
        let report = &output.report;
        let pays = report
            .payments
            .iter()
            .filter(|payment| payment.state == landmark.path)
            .map(|payment| {
                format!(
                    "- pays {} of the {}: {}",
                    payment.count, payment.resource, payment.why
                )
            });
        let polls = report.polling_states.iter().filter_map(|line| {
            let (path, why) = line.split_once(": ")?;
            (path == landmark.path).then(|| format!("- its agents never sleep: {why}"))
        });
        let lines: Vec<String> = pays.chain(polls).collect();
        match lines.is_empty() {
            true => String::new(),
            false => format!("\n\n{}", lines.join("\n")),
        }
    }

    fn describe_field(&self, field: &Field) -> String {
        let mut text = format!("`{}`: {}", field.key, field.ty.expected());
        _ = write!(text, "\n\n{}", field.doc);
        match (field.required, field.default) {
            (true, _) => text.push_str("\n\nMust be given."),
            (false, Some(default)) => _ = write!(text, "\n\nDefault: {default}"),
            (false, None) => {}
        }
        // The first field of a file stands for the whole machine.
        if field.key == "machine"
            && let Some(output) = &self.compiled().output
        {
            _ = write!(text, "\n\n```text\n{}```", output.report);
        }
        text
    }

    /// The type of something, or another word on it.
    pub(crate) fn detail(&self, item: Item, name: &str) -> String {
        detail(self.whole(), item, name)
    }
}

/// The type of something of a machine, or another word on it.
pub(crate) fn detail(machine: &Machine, item: Item, name: &str) -> String {
    let detail = match item {
        Item::Key => {
            let key = machine.blackboard.iter().find(|key| key.name.value == name);
            key.map(|key| key.ty.value.to_string())
        }
        Item::Parameter => {
            let mut all = machine.parameters.iter();
            all.find(|parameter| parameter.name.value == name)
                .map(|parameter| parameter.ty.value.to_string())
        }
        Item::Function => {
            let mut all = machine.functions.iter();
            all.find(|function| function.name.value == name)
                .map(call_of)
        }
        Item::Event => {
            let event = machine.events.iter().find(|event| event.name.value == name);
            event
                .and_then(|event| event.payload.as_ref())
                .map(|payload| written(machine, payload.span))
        }
        Item::State
        | Item::Region
        | Item::History
        | Item::Timer
        | Item::Scratch
        | Item::Lane
        | Item::Channel
        | Item::TransitionSet
        | Item::Variant => None,
    };
    detail.unwrap_or_default()
}

/// How a function is called: `value(to: entity) -> f32`.
fn call_of(function: &Function) -> String {
    let parameters = function.parameters.iter();
    let parameters: Vec<String> = parameters
        .map(|(name, ty)| format!("{}: {}", name.value, ty.value))
        .collect();
    let returns = function.returns.as_ref();
    let returns = returns.map_or(String::new(), |ty| format!(" -> {}", ty.value));
    format!(
        "{}({}){returns}",
        function.kind.value,
        parameters.join(", ")
    )
}

/// A text or word as the file has it.
fn written(machine: &Machine, span: Span) -> String {
    let text = machine.source.text_at(span).and_then(|source| {
        let byte = |at: u32| at.saturating_sub(source.start) as usize;
        source.text.get(byte(span.start)..byte(span.end))
    });
    text.unwrap_or_default().trim_matches('"').to_owned()
}
