//! The tables of a page.

use statewright_describe::{Event, Value};

use super::{Docs, Html};
use crate::chart::{Chart, Kind, Node, Transition};
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
    let rate = u64::from(chart.model.tick_rate.max(1));
    let row = |event: &Event| {
        let name = &event.name;
        let more = [
            event
                .coalesce
                .then(|| "a newer one replaces a queued one".to_owned()),
            event
                .indirect
                .then(|| "index into the blackboard".to_owned()),
            event.ephemeral.then(|| "not for saved games".to_owned()),
            event
                .ttl
                .map(|ticks| format!("good for {}", duration(ticks.into(), rate))),
        ];
        let more: Vec<String> = more.into_iter().flatten().collect();
        let taken = chart.transitions.iter().filter(|one| one.trigger == *name);
        let mut by: Vec<&str> = taken
            .map(|one| chart.states[one.source].path.as_str())
            .collect();
        by.dedup();
        vec![
            name.clone(),
            event.class.to_string(),
            event
                .payload
                .map_or_else(String::new, |payload| payload.to_string()),
            more.join(BREAK),
            docs.get("event", name),
            by.join(BREAK),
        ]
    };
    let rows: Vec<Vec<String>> = chart.model.events.iter().map(row).collect();
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
    // What several states share is listed once.
    let is_first = |number: usize, shared: usize| {
        let lists = &chart.shared[shared].transitions;
        lists.iter().any(|numbers| numbers.first() == Some(&number))
    };
    let rows: Vec<Vec<String>> = chart
        .drawn()
        .filter(|(number, one)| one.shared.is_none_or(|shared| is_first(*number, shared)))
        .map(|(_, one)| {
            let targets: Vec<String> = one.targets.iter().map(|&node| path(chart, node)).collect();
            let trigger = if one.label.trigger.is_empty() {
                "always".to_owned()
            } else {
                one.label.trigger.clone()
            };
            let guard = one.label.guard.clone().unwrap_or_default();
            let (effects, marks) = (one.label.effects.join(BREAK), one.label.marks.join(BREAK));
            vec![
                source(chart, one),
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

/// The state of a transition, or all that share it.
fn source(chart: &Chart, transition: &Transition) -> String {
    let path = |state: usize| chart.states[state].path.clone();
    let Some(place) = transition.shared else {
        return path(transition.source);
    };
    let shared = &chart.shared[place];
    let title = match &shared.set {
        Some(set) => format!("set {set}:"),
        None => "any state:".to_owned(),
    };
    let users = shared.users.iter().map(|&user| path(user));
    let lines: Vec<String> = std::iter::once(title).chain(users).collect();
    lines.join(BREAK)
}

fn data(out: &mut Html, chart: &Chart, docs: &Docs) {
    let model = &chart.model;
    out.heading("data", "Blackboard");
    let mut section =
        |id: &str, kind: &'static str, title: Option<&str>, columns: &[&str], rows: Vec<Row>| {
            if rows.is_empty() && title.is_some() {
                return;
            }
            title.into_iter().for_each(|title| out.heading(id, title));
            let row = |(name, values): Row| -> Vec<String> {
                let doc = docs.get(kind, &name);
                std::iter::once(name).chain(values).chain([doc]).collect()
            };
            out.table(columns, &rows.into_iter().map(row).collect::<Vec<_>>());
        };
    let columns = ["Key", "Type", "At start", "What it is for"];
    let keys = model.blackboard.iter();
    let keys = keys.map(|key| {
        (
            key.name.clone(),
            vec![key.ty.to_string(), shown(&key.default)],
        )
    });
    section("blackboard", "key", None, &columns, keys.collect());
    let columns = ["Parameter", "Type", "Value", "What it is for"];
    let parameters = model.parameters.iter();
    let parameters = parameters.map(|one| {
        (
            one.name.clone(),
            vec![one.ty.to_string(), shown(&one.value)],
        )
    });
    let title = Some("Parameters");
    section(
        "parameters",
        "parameter",
        title,
        &columns,
        parameters.collect(),
    );
    let columns = ["Variant", "Values", "What it is for"];
    let variants = model.variants.iter().map(|variant| {
        let values = variant.values.iter();
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name} = {}", shown(value)))
            .collect();
        (variant.name.clone(), vec![values.join(BREAK)])
    });
    section(
        "variants",
        "variant",
        Some("Variants"),
        &columns,
        variants.collect(),
    );
    let columns = ["Timer", "At once", "Class", "What it is for"];
    let timers = model.timers.iter();
    let timers = timers.map(|one| {
        (
            one.name.clone(),
            vec![one.instances.to_string(), one.class.to_string()],
        )
    });
    let title = Some("Timers of the machine");
    section("timers", "timer", title, &columns, timers.collect());
    let columns = ["Channel", "Release command", "Lane", "What it is for"];
    let channels = model.channels.iter();
    let channels = channels.map(|one| {
        (
            one.name.clone(),
            vec![one.release.clone(), one.lane.clone()],
        )
    });
    section(
        "channels",
        "channel",
        Some("Channels"),
        &columns,
        channels.collect(),
    );
    let columns = ["Lane", "Merge rule", "Critical", "What it is for"];
    let lanes = model.lanes.iter().map(|lane| {
        let critical = shown(&Value::Bool(lane.critical));
        (lane.name.clone(), vec![lane.merge.to_string(), critical])
    });
    section("lanes", "lane", Some("Lanes"), &columns, lanes.collect());
    let columns = ["Function", "Kind", "What it does"];
    let functions = model.functions.iter();
    let functions = functions.map(|one| (one.name.clone(), vec![one.kind.to_string()]));
    section(
        "functions",
        "function",
        Some("Functions"),
        &columns,
        functions.collect(),
    );
}

/// A name and the cells behind it.
type Row = (String, Vec<String>);

/// A value as people read it.
fn shown(value: &Value) -> String {
    match value {
        Value::Symbol(text) => text.clone(),
        Value::Bool(value) => if *value { "yes" } else { "no" }.to_owned(),
        Value::Vector(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .map(|&one| Value::Float(one).to_string())
                .collect();
            parts.join(", ")
        }
        Value::Int(_) | Value::Float(_) | Value::Entity(_) => value.to_string(),
    }
}
