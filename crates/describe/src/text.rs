//! A description as readable text: what `statewright dump` prints, one fact per line.

use std::fmt::Write;

use crate::Description;
use crate::action::list;
use crate::kinds::{LaneKey, LaneScope, PayloadKind, Word};
use crate::layout::Layout;
use crate::model::Model;
use crate::tree_text::states;

/// The text of a description. Nothing is cleaned here: only one with visible names is safe to show.
pub(crate) fn text(described: &Description) -> String {
    let Description { model, layout } = described;
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

fn head(out: &mut String, model: &Model, layout: &Layout) {
    let name = model.machine.as_deref();
    let name = name.unwrap_or("(no names: debug sidecar not used)");
    let _ = writeln!(out, "machine     {name}");
    let bytes = layout.instance_bytes;
    let _ = writeln!(out, "tier        {} ({bytes} bytes per agent)", model.tier);
    let (size, version) = (layout.bytes, layout.format_version);
    let id = layout.machine_id;
    let _ = writeln!(
        out,
        "ROM         {size} bytes, format {version}, machine id {id}"
    );
    let _ = writeln!(out, "structure   {}", layout.hashes.structure);
    let _ = writeln!(out, "parameters  {}", layout.hashes.parameters);
    let _ = writeln!(out, "checksum    {}", layout.hashes.checksum);
    let features = match layout.features.join(", ") {
        features if features.is_empty() => "none".to_owned(),
        features => features,
    };
    let _ = writeln!(out, "features    {features}");
    let (rows, columns, depth) = (layout.dispatch.name(), layout.columns, layout.max_depth);
    let _ = writeln!(
        out,
        "dispatch    {rows} rows of {columns} columns, tree {depth} deep"
    );
}

fn settings(out: &mut String, model: &Model) {
    let _ = writeln!(out, "tick rate   {} per second", model.tick_rate);
    let budgets = &model.budgets;
    let _ = writeln!(
        out,
        "budgets     {} events, {} microsteps, {} command bytes per tick; fail-safe after {} clamped ticks",
        budgets.events_per_tick,
        budgets.microsteps_per_tick,
        budgets.command_bytes,
        budgets.clamp_limit
    );
    let on: Vec<&str> = model.policies.on().collect();
    if !on.is_empty() {
        let _ = writeln!(out, "policies    {}", on.join(", "));
    }
    let entrances = [
        (&model.fail_safe, "fail-safe"),
        (&model.reload_entry, "reload at"),
    ];
    for (entrance, shown) in entrances {
        if let Some(path) = entrance {
            let _ = writeln!(out, "{shown:<11} {path}");
        }
    }
}

/// A heading with one line per item, unless there are none.
fn section<T>(out: &mut String, title: &str, items: &[T], line: impl Fn(&T) -> (String, String)) {
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

/// A name and what is said of it.
fn named<const N: usize>(name: &str, facts: [Option<String>; N]) -> (String, String) {
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    (name.to_owned(), facts.join(", "))
}

fn flag(is_set: bool, word: &str) -> Option<String> {
    is_set.then(|| word.to_owned())
}

fn declarations(out: &mut String, model: &Model) {
    section(out, "events", &model.events, |event| {
        let payload =
            |payload: Word<PayloadKind>| format!("{payload} ({} bytes)", event.payload_bytes);
        let facts = [
            Some(event.class.to_string()),
            event.payload.map(payload),
            event.ttl.map(|ttl| format!("good for {ttl}t")),
            flag(event.coalesce, "coalesce"),
            flag(event.indirect, "indirect"),
            flag(event.ephemeral, "ephemeral"),
        ];
        named(&event.name, facts)
    });
    section(out, "blackboard", &model.blackboard, |key| {
        named(&key.name, [Some(format!("{} = {}", key.ty, key.default))])
    });
    section(out, "parameters", &model.parameters, |parameter| {
        let value = format!("{} = {}", parameter.ty, parameter.value);
        named(&parameter.name, [Some(value)])
    });
    section(out, "variants", &model.variants, |variant| {
        let values = variant.values.iter();
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        named(&variant.name, [Some(values.join(", "))])
    });
    section(out, "channels", &model.channels, |channel| {
        let release = format!("released by {} on lane {}", channel.release, channel.lane);
        named(&channel.name, [Some(release)])
    });
    section(out, "lanes", &model.lanes, |lane| {
        let facts = [
            Some(lane.merge.to_string()),
            flag(lane.critical, "critical"),
            flag(lane.key.0 == LaneKey::Name, "by name"),
            flag(lane.scope.0 == LaneScope::Crowd, "of the whole crowd"),
            lane.cap
                .map(|cap| format!("at most {cap} per agent and tick")),
        ];
        named(&lane.name, facts)
    });
    section(out, "timers of the machine", &model.timers, |timer| {
        let facts = [
            Some(format!("{} at once", timer.instances)),
            Some(timer.class.to_string()),
            timer
                .event
                .as_ref()
                .map(|event| format!("fires as {event}")),
        ];
        named(&timer.name, facts)
    });
    section(out, "observers", &model.observers, |observer| {
        (observer.shown(), list(&observer.actions))
    });
    section(out, "functions", &model.functions, |function| {
        let facts = [
            Some(function.kind.to_string()),
            function.returns.map(|ty| format!("gives {ty}")),
            flag(function.rng, "uses the rng"),
        ];
        named(&function.name, facts)
    });
}

fn placement(out: &mut String, layout: &Layout) {
    let (used, capacity) = (&layout.used, &layout.capacity);
    let _ = writeln!(
        out,
        "\nplacement: {} of {} leaves, {} of {} timers, {} of {} slots",
        used.leaves, capacity.leaves, used.timers, capacity.timers, used.slots, capacity.slots
    );
    let run = |what: &str, first: u8, count: u8| match count {
        0 | 1 => format!("{what} {first}"),
        _ => format!("{what}s {first}-{}", first + count - 1),
    };
    let mut lines: Vec<(String, String)> = Vec::new();
    for leaf in &layout.leaves {
        let owner = match &leaf.region {
            Some(region) => format!("{}: {region}", leaf.state),
            None => leaf.state.to_string(),
        };
        lines.push((format!("leaf {}", leaf.leaf), owner));
    }
    for timer in &layout.timers {
        let what = format!("{}: {}", timer.owner, timer.purpose());
        lines.push((run("timer", timer.place, timer.count), what));
    }
    for slots in &layout.slots {
        let name = slots.name.as_deref().unwrap_or_default();
        let what = format!("{}: {} {name}", slots.owner, slots.what.name());
        let place = run("slot", slots.slot, slots.count);
        lines.push((place, what.trim_end().to_owned()));
    }
    for (place, what) in lines {
        let _ = writeln!(out, "  {place:<12}  {what}");
    }
}

fn sections(out: &mut String, layout: &Layout) {
    let _ = writeln!(out, "\nsections              offset  record   count");
    for section in &layout.sections {
        let _ = writeln!(
            out,
            "  {:<18}  {:>6}  {:>6}  {:>6}",
            section.name.unwrap_or_default(),
            section.offset,
            section.record_size,
            section.count
        );
    }
}
