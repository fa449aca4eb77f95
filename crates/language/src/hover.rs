//! What is said about something at a place: what it is, what the author says, and who pays for it.

use std::fmt::Write;
use std::ops::Range;

use statewright_author::graph::StateKind;
use statewright_author::text::shape::{Field, Item};
use statewright_compile::DEFAULT_TICK_RATE;
use statewright_compile::lookup::States;

use crate::analysis::Analysis;
use crate::names::Thing;

/// What is said about something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is said about.
    pub range: Range<usize>,
    /// Markdown.
    pub text: String,
}

impl Analysis {
    /// What is said about what stands at a place.
    pub fn hover(&self, place: usize) -> Option<Hover> {
        if let Some(name) = self.occurrence(place) {
            return Some(Hover {
                range: name.range.clone(),
                text: self.describe(&self.names.things[name.thing]),
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
        let mut durations = self.names.durations.iter();
        let (range, duration) = durations.find(|(range, _)| covers(range))?;
        let ticks = duration.ticks(self.tick_rate())?;
        Some(Hover {
            range: range.clone(),
            text: format!("{ticks} ticks at {} ticks per second", self.tick_rate()),
        })
    }

    /// Ticks per second.
    pub(crate) fn tick_rate(&self) -> u32 {
        let given = self.machine.tick_rate.as_ref();
        given.map_or(DEFAULT_TICK_RATE, |rate| rate.value)
    }

    fn describe(&self, thing: &Thing) -> String {
        let mut text = match thing.item {
            Item::State | Item::History => self.describe_state(thing),
            item => {
                let detail = self.detail(item, &thing.name);
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
            None if thing.item == Item::Function => text.push_str("\n\nProvided by the game."),
            None => text.push_str("\n\nNot declared."),
        }
        text + &self.payments(thing)
    }

    fn describe_state(&self, thing: &Thing) -> String {
        let states = States::new(&self.machine);
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
        let states = States::new(&self.machine);
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
        let machine = &self.machine;
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
                    .map(|function| {
                        let parameters = function.parameters.iter();
                        let parameters: Vec<String> = parameters
                            .map(|(name, ty)| format!("{}: {}", name.value, ty.value))
                            .collect();
                        format!("{}({})", function.kind.value, parameters.join(", "))
                    })
            }
            Item::Event => {
                let event = machine.events.iter().find(|event| event.name.value == name);
                event
                    .and_then(|event| event.payload.as_ref())
                    .map(|payload| {
                        let range = payload.span.start as usize..payload.span.end as usize;
                        let written = self.repaired.text.get(range).unwrap_or_default();
                        written.trim_matches('"').to_owned()
                    })
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
}
