//! A described ROM as readable text: what `statewright dump` prints.
//!
//! Comes in: the JSON of [`describe`](super::describe). Goes out: text with one fact per line.
//! Anything that is not of that shape is skipped, never a panic.

use std::fmt::Write;

use serde_json::Value;
use statewright_author::names;

use super::tree_text::states;

/// The same with every text made visible: names and texts of a ROM may come from anybody, and a
/// terminal must not obey them.
pub fn visible(described: &Value) -> Value {
    match described {
        Value::String(text) => names::visible(text).into(),
        Value::Array(items) => items.iter().map(visible).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (names::visible(key), visible(value)))
            .collect(),
        other => other.clone(),
    }
}

/// The text of a described ROM. Nothing hidden in names reaches it.
pub fn to_text(described: &Value) -> String {
    let described = visible(described);
    let (model, layout) = (&described["model"], &described["layout"]);
    let mut out = String::new();
    head(&mut out, model, layout);
    settings(&mut out, model);
    declarations(&mut out, model);
    let _ = writeln!(out, "\nstates");
    states(&mut out, model);
    placement(&mut out, layout);
    sections(&mut out, layout);
    out
}

/// A text of the JSON; empty if it is none.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The items of a list; none if it is no list.
pub(super) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// The texts of a list.
pub(super) fn texts<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    items(value, key).iter().filter_map(Value::as_str).collect()
}

/// The keys of flags that are set.
pub(super) fn set_flags<'k>(value: &Value, keys: &[&'k str]) -> Vec<&'k str> {
    keys.iter()
        .copied()
        .filter(|key| value[*key] == Value::Bool(true))
        .collect()
}

fn head(out: &mut String, model: &Value, layout: &Value) {
    let name = model["machine"]
        .as_str()
        .unwrap_or("(no names: debug sidecar not used)");
    let _ = writeln!(out, "machine     {name}");
    let bytes = &layout["instance_bytes"];
    let _ = writeln!(
        out,
        "tier        {} ({bytes} bytes per agent)",
        text(model, "tier")
    );
    let (size, version) = (&layout["bytes"], &layout["format_version"]);
    let _ = writeln!(
        out,
        "ROM         {size} bytes, format {version}, machine id {}",
        text(layout, "machine_id")
    );
    let hashes = &layout["hashes"];
    let _ = writeln!(out, "structure   {}", text(hashes, "structure"));
    let _ = writeln!(out, "parameters  {}", text(hashes, "parameters"));
    let _ = writeln!(out, "checksum    {}", text(hashes, "checksum"));
    let features = texts(layout, "features").join(", ");
    let _ = writeln!(
        out,
        "features    {}",
        if features.is_empty() {
            "none"
        } else {
            &features
        }
    );
    let (rows, columns, depth) = (
        text(layout, "dispatch"),
        &layout["columns"],
        &layout["max_depth"],
    );
    let _ = writeln!(
        out,
        "dispatch    {rows} rows of {columns} columns, tree {depth} deep"
    );
}

fn settings(out: &mut String, model: &Value) {
    let _ = writeln!(out, "tick rate   {} per second", model["tick_rate"]);
    let budgets = &model["budgets"];
    let _ = writeln!(
        out,
        "budgets     {} events, {} microsteps, {} command bytes per tick; fail-safe after {} clamped ticks",
        budgets["events_per_tick"],
        budgets["microsteps_per_tick"],
        budgets["command_bytes"],
        budgets["clamp_limit"]
    );
    let policies = model["policies"].as_object().into_iter().flatten();
    let on: Vec<&str> = policies
        .filter(|(_, on)| **on == Value::Bool(true))
        .map(|(name, _)| name.as_str())
        .collect();
    if !on.is_empty() {
        let _ = writeln!(out, "policies    {}", on.join(", "));
    }
    for (key, shown) in [("fail_safe", "fail-safe"), ("reload_entry", "reload at")] {
        if let Some(path) = model[key].as_str() {
            let _ = writeln!(out, "{shown:<11} {path}");
        }
    }
}

/// A heading with one line per item, unless there are none.
fn section(
    out: &mut String,
    title: &str,
    items: &[Value],
    line: impl Fn(&Value) -> (String, String),
) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    let lines: Vec<(String, String)> = items.iter().map(line).collect();
    let width = lines
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0)
        .min(40);
    for (name, rest) in lines {
        let _ = writeln!(out, "{}", format!("  {name:<width$}  {rest}").trim_end());
    }
}

fn declarations(out: &mut String, model: &Value) {
    let named = |item: &Value, rest: Vec<String>| {
        (
            text(item, "name").to_owned(),
            rest.into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
        )
    };
    section(out, "events", items(model, "events"), |event| {
        let mut facts = vec![text(event, "class").to_owned()];
        facts.extend(
            event["payload"]
                .as_str()
                .map(|payload| format!("{payload} ({} bytes)", event["payload_bytes"])),
        );
        facts.extend(event["ttl"].as_u64().map(|ttl| format!("good for {ttl}t")));
        facts.extend(
            set_flags(event, &["coalesce", "indirect"])
                .into_iter()
                .map(str::to_owned),
        );
        named(event, facts)
    });
    section(out, "blackboard", items(model, "blackboard"), |key| {
        named(
            key,
            vec![format!("{} = {}", text(key, "type"), key["default"])],
        )
    });
    section(out, "parameters", items(model, "parameters"), |parameter| {
        named(
            parameter,
            vec![format!(
                "{} = {}",
                text(parameter, "type"),
                parameter["value"]
            )],
        )
    });
    section(out, "variants", items(model, "variants"), |variant| {
        let values = variant["values"].as_object().into_iter().flatten();
        named(
            variant,
            values
                .map(|(name, value)| format!("{name} = {value}"))
                .collect(),
        )
    });
    section(out, "channels", items(model, "channels"), |channel| {
        named(
            channel,
            vec![format!(
                "released by {} on lane {}",
                text(channel, "release"),
                text(channel, "lane")
            )],
        )
    });
    section(out, "lanes", items(model, "lanes"), |lane| {
        let critical = if lane["critical"] == Value::Bool(true) {
            "critical"
        } else {
            ""
        };
        named(
            lane,
            vec![text(lane, "merge").to_owned(), critical.to_owned()],
        )
    });
    section(
        out,
        "timers of the machine",
        items(model, "timers"),
        |timer| {
            let fires = timer["event"]
                .as_str()
                .map_or(String::new(), |event| format!("fires as {event}"));
            named(
                timer,
                vec![
                    format!("{} at once", timer["instances"]),
                    text(timer, "class").to_owned(),
                    fires,
                ],
            )
        },
    );
    section(out, "observers", items(model, "observers"), |observer| {
        let event = observer["event"].as_str().unwrap_or("*");
        (format!("on {event}"), texts(observer, "do").join("; "))
    });
    section(out, "functions", items(model, "functions"), |function| {
        let rng = if function["rng"] == Value::Bool(true) {
            "uses the rng"
        } else {
            ""
        };
        named(
            function,
            vec![text(function, "kind").to_owned(), rng.to_owned()],
        )
    });
}

/// `state` or `state: region`.
fn owner_shown(item: &Value, owner: &str, part: &str) -> String {
    match item[part].as_str() {
        Some(name) => format!("{}: {name}", text(item, owner)),
        None => text(item, owner).to_owned(),
    }
}

fn placement(out: &mut String, layout: &Value) {
    let (used, capacity) = (&layout["used"], &layout["capacity"]);
    let _ = writeln!(
        out,
        "\nplacement: {} of {} leaves, {} of {} timers, {} of {} slots",
        used["leaves"],
        capacity["leaves"],
        used["timers"],
        capacity["timers"],
        used["slots"],
        capacity["slots"]
    );
    let run = |what: &str, first: &Value, count: &Value| match (first.as_u64(), count.as_u64()) {
        (Some(first), Some(count)) if count > 1 => format!("{what}s {first}-{}", first + count - 1),
        _ => format!("{what} {first}"),
    };
    let mut lines: Vec<(String, String)> = Vec::new();
    for leaf in items(layout, "leaves") {
        lines.push((
            format!("leaf {}", leaf["leaf"]),
            owner_shown(leaf, "state", "region"),
        ));
    }
    for timer in items(layout, "timers") {
        let what = format!("{}: {}", text(timer, "owner"), timer_use(timer));
        lines.push((run("timer", &timer["place"], &timer["count"]), what));
    }
    for slot in items(layout, "slots") {
        let name = slot["name"].as_str().unwrap_or_default();
        let what = format!("{}: {} {name}", text(slot, "owner"), text(slot, "what"));
        lines.push((
            run("slot", &slot["slot"], &slot["count"]),
            what.trim_end().to_owned(),
        ));
    }
    for (place, what) in lines {
        let _ = writeln!(out, "  {place:<12}  {what}");
    }
}

/// What a timer is for.
pub(super) fn timer_use(timer: &Value) -> String {
    let (name, transition) = (text(timer, "name"), text(timer, "transition"));
    match text(timer, "kind") {
        "state" => format!("timer {name}"),
        "machine" => format!("timer {name} of the machine"),
        "after" => transition.to_owned(),
        "debounce" => format!("debounce of {transition}"),
        kind => kind.to_owned(),
    }
}

fn sections(out: &mut String, layout: &Value) {
    let _ = writeln!(out, "\nsections              offset  record   count");
    for section in items(layout, "sections") {
        let number = |key: &str| section[key].as_u64().unwrap_or_default();
        let _ = writeln!(
            out,
            "  {:<18}  {:>6}  {:>6}  {:>6}",
            text(section, "name"),
            number("offset"),
            number("record_size"),
            number("count")
        );
    }
}
