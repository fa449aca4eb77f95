//! The states of a described ROM as an indented tree with their transitions.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use super::text::{items, set_flags, text, texts};

/// The tree of states.
pub(super) fn states(out: &mut String, model: &Value) {
    let mut depths: HashMap<&str, usize> = HashMap::new();
    let mut first_of: HashMap<&str, &str> = HashMap::new();
    for state in items(model, "states") {
        let path = text(state, "path");
        let depth = depths.get(path).copied().unwrap_or(0);
        for region in items(state, "regions") {
            let (name, children) = (region["name"].as_str(), texts(region, "children"));
            first_of.extend(children.first().copied().zip(name));
            let inside = depth + 1 + usize::from(name.is_some());
            depths.extend(children.into_iter().map(|child| (child, inside)));
        }
        if let Some(region) = first_of.get(path) {
            let _ = writeln!(out, "{}region {region}", indent(depth - 1));
        }
        self::state(out, state, depth);
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth + 1)
}

fn state(out: &mut String, state: &Value, depth: usize) {
    let path = text(state, "path");
    let name = path.rsplit('/').next().unwrap_or(path);
    let kind = text(state, "kind");
    let kind = if kind == "atomic" {
        String::new()
    } else {
        format!(" ({kind})")
    };
    let _ = writeln!(out, "{}{name}{kind}", indent(depth));
    let space = format!("{}  ", indent(depth));
    for region in items(state, "regions") {
        let of = region["name"]
            .as_str()
            .map_or(String::new(), |name| format!(" of {name}"));
        let initial = &region["initial"];
        let _ = write!(
            out,
            "{space}initial{of} {}",
            texts(initial, "to").join(" + ")
        );
        effect(out, initial);
        if let Some(frames) = region["stack"].as_u64() {
            let _ = writeln!(out, "{space}stack{of} {frames}");
        }
    }
    parts(out, state, &space);
    for point in items(state, "history") {
        let _ = write!(
            out,
            "{space}{} history {}",
            depth_word(point),
            text(point, "name")
        );
        let default = texts(point, "default");
        if !default.is_empty() {
            let _ = write!(out, ", else {}", default.join(" + "));
        }
        if point["restore_on_entry"] == Value::Bool(true) {
            let _ = write!(out, ", restored on entry");
        }
        effect(out, point);
    }
    for transition in items(state, "transitions") {
        self::transition(out, transition, &space);
    }
    for branch in items(state, "branches") {
        let condition = branch["if"]
            .as_str()
            .map_or("else".to_owned(), |guard| format!("if {guard}"));
        let _ = write!(
            out,
            "{space}{condition} -> {}",
            texts(branch, "to").join(" + ")
        );
        effect(out, branch);
    }
}

fn depth_word(point: &Value) -> &'static str {
    if point["deep"] == Value::Bool(true) {
        "deep"
    } else {
        "shallow"
    }
}

/// Actions after what they belong to, and the end of the line.
fn effect(out: &mut String, value: &Value) {
    let actions = texts(value, "do");
    if !actions.is_empty() {
        let _ = write!(out, "  do {}", actions.join("; "));
    }
    out.push('\n');
}

/// Everything of a state that fits on a line each.
fn parts(out: &mut String, state: &Value, space: &str) {
    for key in ["entry", "exit", "suspend", "resume"] {
        let actions = texts(state, key);
        if !actions.is_empty() {
            let _ = writeln!(out, "{space}{key} {}", actions.join("; "));
        }
    }
    for (key, shown) in [("activity", "activity"), ("exit_ready", "exit ready if")] {
        if let Some(code) = state[key].as_str() {
            let _ = writeln!(out, "{space}{shown} {code}");
        }
    }
    if let Some(ticks) = state["min_active"].as_u64() {
        let _ = writeln!(out, "{space}active at least {ticks}t");
    }
    for (key, shown) in [("defer", "defers"), ("owns", "owns")] {
        let names = texts(state, key);
        if !names.is_empty() {
            let _ = writeln!(out, "{space}{shown} {}", names.join(", "));
        }
    }
    for timer in items(state, "timers") {
        let fires = timer["event"]
            .as_str()
            .map_or(String::new(), |event| format!(", fires as {event}"));
        let _ = writeln!(
            out,
            "{space}has timer {} ({}{fires})",
            text(timer, "name"),
            text(timer, "class")
        );
    }
    for scratch in items(state, "scratch") {
        let slots = scratch["slots"].as_u64().unwrap_or_default();
        let plural = if slots == 1 { "" } else { "s" };
        let _ = writeln!(
            out,
            "{space}has scratch {} ({slots} slot{plural})",
            text(scratch, "name")
        );
    }
    if state["clock"] == Value::Bool(true) {
        let _ = writeln!(out, "{space}keeps its time");
    }
    if state["history_reset_on_done"] == Value::Bool(true) {
        let _ = writeln!(out, "{space}forgets history when done");
    }
}

fn transition(out: &mut String, transition: &Value, space: &str) {
    let _ = write!(out, "{space}{}", text(transition, "trigger"));
    if let Some(guard) = transition["if"].as_str() {
        let _ = write!(out, " if {guard}");
    }
    let to = texts(transition, "to");
    if !to.is_empty() {
        let _ = write!(out, " -> {}", to.join(" + "));
    }
    let facts = facts(transition);
    if !facts.is_empty() {
        let _ = write!(out, "  [{}]", facts.join(", "));
    }
    effect(out, transition);
}

/// What is not usual about a transition.
fn facts(transition: &Value) -> Vec<String> {
    let mut facts: Vec<String> = Vec::new();
    facts.extend(
        transition["name"]
            .as_str()
            .map(|name| format!("named {name}")),
    );
    if text(transition, "kind") == "local" {
        facts.push("local".to_owned());
    }
    facts.extend(transition["stack"].as_str().map(str::to_owned));
    facts.extend(
        transition["priority"]
            .as_u64()
            .filter(|&p| p > 0)
            .map(|p| format!("priority {p}")),
    );
    facts.extend(
        set_flags(transition, &["interrupt", "latch"])
            .into_iter()
            .map(str::to_owned),
    );
    if let Some(score) = transition["score"].as_str() {
        facts.push(format!(
            "score {score} at least {}",
            transition["threshold"]
        ));
    }
    for key in ["cooldown", "debounce"] {
        facts.extend(
            transition[key]
                .as_u64()
                .map(|ticks| format!("{key} {ticks}t")),
        );
    }
    facts
}
