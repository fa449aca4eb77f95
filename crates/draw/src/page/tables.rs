//! The tables of a page.

use serde_json::Value;

use super::{Docs, Html};
use crate::chart::{Chart, Kind, Node, list, text};
use crate::outline::all_lines;
use crate::words::duration;

/// Ends a line inside a cell. Names cannot have it: it is spelled out in them.
const BREAK: &str = "\n";

pub(super) fn all(out: &mut Html, chart: &Chart, docs: &Docs) {
    states(out, chart, docs);
    events(out, chart, docs);
    transitions(out, chart);
    data(out, chart, docs);
}

fn states(out: &mut Html, chart: &Chart, docs: &Docs) {
    out.heading("states", "States");
    let lines = all_lines(chart);
    let rows: Vec<Vec<String>> = chart
        .states
        .iter()
        .zip(lines)
        .map(|(state, mut lines)| {
            let kind = match state.kind {
                Kind::Atomic => "atomic",
                Kind::Compound => "compound",
                Kind::Orthogonal => "orthogonal",
                Kind::Final => "final",
                Kind::Choice => "choice",
            };
            for &history in &state.histories {
                let found = &chart.histories[history];
                let names: Vec<String> = found
                    .default
                    .iter()
                    .map(|&node| chart.node_name(node))
                    .collect();
                let other = if names.is_empty() {
                    "the initial state".to_owned()
                } else {
                    names.join(", ")
                };
                let depth = if found.deep { "deep" } else { "shallow" };
                lines.push(format!("{depth} history {}, else {other}", found.name));
            }
            lines.extend(state.branches.iter().map(|branch| {
                let targets: Vec<String> = branch
                    .targets
                    .iter()
                    .map(|&node| path(chart, node))
                    .collect();
                format!("{} → {}", branch.label.line(), targets.join(", "))
            }));
            vec![
                state.path.clone(),
                kind.to_owned(),
                docs.get("state", &state.path),
                lines.join(BREAK),
            ]
        })
        .collect();
    out.table(&["State", "Kind", "What it is for", "What it does"], &rows);
}

fn path(chart: &Chart, node: Node) -> String {
    match node {
        Node::State(state) => chart.states[state].path.clone(),
        Node::History(history) => {
            let found = &chart.histories[history];
            format!("{}/{}", chart.states[found.owner].path, found.name)
        }
    }
}

fn events(out: &mut Html, chart: &Chart, docs: &Docs) {
    out.heading("events", "Events");
    let rate = chart.model["tick_rate"].as_u64().unwrap_or(60).max(1);
    let rows: Vec<Vec<String>> = list(&chart.model["events"])
        .iter()
        .map(|event| {
            let name = text(&event["name"]);
            let mut more = Vec::new();
            more.extend(
                (event["coalesce"] == true).then(|| "a newer one replaces a queued one".to_owned()),
            );
            more.extend(
                (event["indirect"] == true).then(|| "index into the blackboard".to_owned()),
            );
            more.extend(
                event["ttl"]
                    .as_u64()
                    .map(|ticks| format!("good for {}", duration(ticks, rate))),
            );
            let mut by: Vec<&str> = chart
                .transitions
                .iter()
                .filter(|one| one.label.trigger == name)
                .map(|one| chart.states[one.source].path.as_str())
                .collect();
            by.dedup();
            let payload = event["payload"].as_str().unwrap_or("").to_owned();
            vec![
                name.clone(),
                text(&event["class"]),
                payload,
                more.join(BREAK),
                docs.get("event", &name),
                by.join(BREAK),
            ]
        })
        .collect();
    out.table(
        &[
            "Event",
            "Class",
            "Payload",
            "More",
            "What it means",
            "Taken in",
        ],
        &rows,
    );
}

fn transitions(out: &mut Html, chart: &Chart) {
    out.heading("transitions", "Transitions");
    let rows: Vec<Vec<String>> = chart
        .transitions
        .iter()
        .map(|one| {
            let targets: Vec<String> = one.targets.iter().map(|&node| path(chart, node)).collect();
            let trigger = if one.label.trigger.is_empty() {
                "always".to_owned()
            } else {
                one.label.trigger.clone()
            };
            let guard = one.label.guard.clone().unwrap_or_default();
            let (effects, marks) = (one.label.effects.join(BREAK), one.label.marks.join(BREAK));
            vec![
                chart.states[one.source].path.clone(),
                trigger,
                guard,
                effects,
                targets.join(BREAK),
                marks,
            ]
        })
        .collect();
    out.table(&["From", "When", "If", "Does", "To", "More"], &rows);
}

fn data(out: &mut Html, chart: &Chart, docs: &Docs) {
    let model = &chart.model;
    out.heading("data", "Blackboard");
    let row = |one: &Value, kind: &'static str, fields: &[&str]| -> Vec<String> {
        let name = text(&one["name"]);
        let doc = docs.get(kind, &name);
        let values = fields.iter().map(|&field| shown(&one[field]));
        std::iter::once(name.clone())
            .chain(values)
            .chain([doc])
            .collect()
    };
    let mut section = |field: &str,
                       kind: &'static str,
                       title: Option<&str>,
                       fields: &[&str],
                       columns: &[&str]| {
        let rows: Vec<Vec<String>> = list(&model[field])
            .iter()
            .map(|one| row(one, kind, fields))
            .collect();
        if rows.is_empty() && title.is_some() {
            return;
        }
        title
            .into_iter()
            .for_each(|title| out.heading(field, title));
        out.table(columns, &rows);
    };
    section(
        "blackboard",
        "key",
        None,
        &["type", "default"],
        &["Key", "Type", "At start", "What it is for"],
    );
    let columns = ["Parameter", "Type", "Value", "What it is for"];
    section(
        "parameters",
        "parameter",
        Some("Parameters"),
        &["type", "value"],
        &columns,
    );
    section(
        "variants",
        "variant",
        Some("Variants"),
        &["values"],
        &["Variant", "Values", "What it is for"],
    );
    section(
        "timers",
        "timer",
        Some("Timers of the machine"),
        &["instances", "class"],
        &["Timer", "At once", "Class", "What it is for"],
    );
    section(
        "channels",
        "channel",
        Some("Channels"),
        &["release", "lane"],
        &["Channel", "Release command", "Lane", "What it is for"],
    );
    section(
        "lanes",
        "lane",
        Some("Lanes"),
        &["merge", "critical"],
        &["Lane", "Merge rule", "Critical", "What it is for"],
    );
    section(
        "functions",
        "function",
        Some("Functions"),
        &["kind"],
        &["Function", "Kind", "What it does"],
    );
}

/// A value as people read it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(value) => if *value { "yes" } else { "no" }.to_owned(),
        Value::Object(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{} = {}", crate::escape::visible(name), shown(value)))
                .collect();
            parts.join(BREAK)
        }
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
