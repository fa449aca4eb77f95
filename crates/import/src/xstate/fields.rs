//! Owns which fields objects have, and what is said about others.

use std::collections::HashMap;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::text::json;

use crate::report::{ignored, illegal, refused, shown};

/// Fields of the machine alone.
const OF_MACHINE: &[&str] = &["context", "version", "types", "$schema"];
/// Fields of every state.
const OF_STATE: &[&str] = &[
    "id",
    "initial",
    "type",
    "states",
    "on",
    "always",
    "after",
    "onDone",
    "entry",
    "exit",
    "history",
    "target",
    "description",
    "meta",
    "tags",
    "invoke",
    "output",
    "key",
    "order",
];
/// Fields of a transition.
pub(super) const OF_TRANSITION: &[&str] = &[
    "target",
    "guard",
    "actions",
    "reenter",
    "description",
    "meta",
];

/// What versions before 5 called something, and what it is called now.
const OLD: &[(&str, &str)] = &[
    ("cond", "guard"),
    ("onEntry", "entry"),
    ("onExit", "exit"),
    ("internal", "reenter"),
    ("data", "output"),
    ("parallel", "type"),
];

/// Checks the fields of a state, or of the machine.
pub(super) fn state(object: &Object, is_root: bool, out: &mut Diagnostics) {
    let known = |key: &str| OF_STATE.contains(&key) || (is_root && OF_MACHINE.contains(&key));
    check(
        object,
        if is_root { "a machine" } else { "a state" },
        known,
        out,
    );
    for property in &object.properties {
        let span = json::span(property.name.range());
        match property.name.as_str() {
            "invoke" => out.push(
                refused(
                    span,
                    "actors cannot be imported: a machine here starts no others",
                )
                .label("invokes an actor")
                .help("call a function in `entry`, and send an event when it is done"),
            ),
            "output" => out.push(
                ignored(span, "the output of a machine is left out: it only ends")
                    .label("has no effect")
                    .help("write the result to the blackboard before the end"),
            ),
            "version" | "types" => {
                out.push(
                    ignored(span, format!("`{}` is left out", property.name.as_str()))
                        .label("has no effect"),
                );
            }
            _ => {}
        }
    }
}

/// Checks the fields of an object: unknown ones and ones that are given twice.
pub(super) fn check(
    object: &Object,
    what: &str,
    known: impl Fn(&str) -> bool,
    out: &mut Diagnostics,
) {
    let mut seen = HashMap::new();
    for property in &object.properties {
        let (key, span) = (property.name.as_str(), json::span(property.name.range()));
        if let Some(first) = seen.insert(key, property) {
            let problem = illegal(span, format!("`{}` is given twice", shown(key))).label("again");
            out.push(
                problem
                    .related(json::span(first.name.range()), "first given here")
                    .help("keep one of them"),
            );
        } else if !known(key) {
            out.push(unknown(key, what, span));
        }
    }
}

fn unknown(key: &str, what: &str, span: statewright_author::span::Span) -> Diagnostic {
    if let Some((_, new)) = OLD.iter().find(|(old, _)| *old == key) {
        let problem =
            illegal(span, format!("`{key}` is of XState before version 5")).label("an old name");
        return match key {
            "internal" => problem.help(
                "transitions stay inside by themselves now; write `\"reenter\": true` to leave",
            ),
            "parallel" => problem.help("write `\"type\": \"parallel\"`"),
            _ => problem.help(format!("write `{new}`")),
        };
    }
    let problem = illegal(
        span,
        format!("{what} of XState has no field `{}`", shown(key)),
    )
    .label("not known");
    problem.suggest(key, OF_STATE.iter().chain(OF_TRANSITION).copied())
}

/// A value of the wrong kind.
pub(super) fn wrong_kind(value: &Value, what: &str, expected: &str) -> Diagnostic {
    illegal(
        json::span(value.range()),
        format!("{what} must be {expected}"),
    )
    .label("something else")
}
