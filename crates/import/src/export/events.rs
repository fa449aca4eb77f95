//! Event descriptors. An event of a machine is one name; a descriptor of SCXML is the beginning of
//! many. A list of descriptors is written only if it hears exactly what the transitions hear.

use std::collections::BTreeSet;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::names::OTHER_EVENTS;
use statewright_author::span::{Name, Span};

use super::names::ExportNames;
use super::problem::refused;

/// What can be heard in a machine, and in its document.
#[derive(Debug)]
pub(super) struct Events<'a> {
    declared: BTreeSet<&'a str>,
    /// Done events that the document raises and the machine does not.
    silent: Vec<String>,
    has_timers: bool,
}

impl<'a> Events<'a> {
    pub(super) fn read(machine: &'a Machine, names: &ExportNames<'_>, raises_done: bool) -> Self {
        let declared: BTreeSet<&str> = machine
            .events
            .iter()
            .map(|event| event.name.value.as_str())
            .collect();
        let inside = names.states.iter().filter(|entry| entry.parent.is_some());
        let completing = inside.filter(|entry| names.can_complete(entry.state));
        let done = completing.map(|entry| format!("done.state.{}", entry.state.name.value));
        let silent = done
            .filter(|name| !raises_done || !declared.contains(name.as_str()))
            .collect();
        Self {
            declared,
            silent,
            has_timers: !machine.timers.is_empty(),
        }
    }

    /// The descriptors that hear these events and no others.
    pub(super) fn descriptors(&self, heard: &[&Name], out: &mut Diagnostics) -> String {
        let set: BTreeSet<&str> = heard.iter().map(|name| name.value.as_str()).collect();
        let span = heard.first().map(|name| name.span).unwrap_or_default();
        if set.contains(OTHER_EVENTS) {
            if set != self.declared {
                out.push(refused(
                    span,
                    format!("all unknown events (`{OTHER_EVENTS}`), but not all known ones"),
                    "`*` hears everything, and nothing else hears names that nobody knows",
                    "let the transition hear every event, or leave this one out",
                ));
            }
            self.check_silent(span, "*", |_| true, out);
            return "*".to_owned();
        }
        for name in heard {
            self.check(name, &set, out);
        }
        let is_shortest = |name: &&&str| {
            !set.iter()
                .any(|other| other != *name && begins(other, name))
        };
        set.iter()
            .filter(is_shortest)
            .copied()
            .collect::<Vec<&str>>()
            .join(" ")
    }

    /// `*` for `any`.
    pub(super) fn any(&self, span: Span, out: &mut Diagnostics) -> String {
        if self.has_timers {
            out.push(refused(
                span,
                "`any` in a machine with timers",
                "`any` does not hear timers, but `*` hears the events that they become",
                "name the events that are meant",
            ));
        }
        self.check_silent(span, "*", |_| true, out);
        "*".to_owned()
    }

    /// An event that is raised or sent.
    pub(super) fn name<'n>(&self, name: &'n Name, out: &mut Diagnostics) -> &'n str {
        if !is_event(&name.value) {
            out.push(bad_name(name));
        }
        &name.value
    }

    fn check(&self, name: &Name, set: &BTreeSet<&str>, out: &mut Diagnostics) {
        let around = set
            .iter()
            .any(|other| *other != name.value && begins(other, &name.value));
        if around {
            return;
        }
        if !is_event(&name.value) {
            return out.push(bad_name(name));
        }
        let others = self
            .declared
            .iter()
            .filter(|other| begins(&name.value, other) && !set.contains(**other));
        for other in others {
            out.push(refused(
                name.span,
                format!("the event `{}` without `{other}`", name.value),
                "a descriptor of SCXML hears every event that begins with it, up to a dot",
                "rename one of the two events",
            ));
        }
        self.check_silent(
            name.span,
            &name.value,
            |done| begins(&name.value, done),
            out,
        );
    }

    fn check_silent(
        &self,
        span: Span,
        heard: &str,
        hears: impl Fn(&str) -> bool,
        out: &mut Diagnostics,
    ) {
        for done in self.silent.iter().filter(|done| hears(done)) {
            out.push(refused(
                span,
                format!("`{heard}` without `{done}`"),
                "a document raises that event when the state is complete; this machine does not",
                "declare the event and use `\"done_events\": true`, or name the events that are meant",
            ));
        }
    }
}

/// Whether a name is a beginning of another, by whole tokens.
fn begins(beginning: &str, name: &str) -> bool {
    name.strip_prefix(beginning)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn is_event(name: &str) -> bool {
    !name.is_empty()
        && !name.ends_with('.')
        && !name.contains(|c: char| c.is_whitespace() || c == '*')
}

fn bad_name(name: &Name) -> statewright_author::diagnostic::Diagnostic {
    refused(
        name.span,
        format!("the event name `{}`", name.value),
        "a name of an event has no spaces and no `*`, and does not end with a dot",
        "give the event another name",
    )
}
