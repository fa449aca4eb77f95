//! Two machines side by side: what changed, and what a hot reload would do with running agents
//! (SYS-5).
//!
//! Comes in: two descriptions. Goes out: a [`Comparison`], which prints itself or becomes JSON.
//! Things are matched by stable id, then by name; a state or event that only has another name is
//! renamed, and what refers to it does not count.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::changes::{
    Change, ChangeKind, Item, change, compare_lists, fields, is_reordered, matches,
};
use super::text::{items, text, timer_use};

/// The difference of two machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The machines behave the same and have the same names.
    pub same: bool,
    /// The structure hash differs: instance bytes mean something else (ROM-5).
    pub structure_changed: bool,
    /// The parameter hash differs (ROM-5).
    pub parameters_changed: bool,
    /// What is different.
    pub changes: Vec<Change>,
    /// What a hot reload would do.
    pub reload: Reload,
}

/// What a hot reload does with running agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reload {
    /// How much is kept.
    pub kind: ReloadKind,
    /// In one sentence.
    pub summary: String,
    /// States whose agents are reset, because nothing in the new machine has their stable id.
    pub states_gone: Vec<String>,
    /// What else is lost where it was in use.
    pub lost: Vec<String>,
}

/// How much a hot reload keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReloadKind {
    /// Nothing to do.
    Nothing,
    /// New behavior, same instance bytes.
    Parameters,
    /// Instances are mapped by stable id or reset.
    Structure,
}

/// Compares two described ROMs.
pub fn compare(a: &Value, b: &Value) -> Comparison {
    let hash = |value: &Value, key: &str| value["layout"]["hashes"][key].clone();
    let structure_changed = hash(a, "structure") != hash(b, "structure");
    let parameters_changed = hash(a, "parameters") != hash(b, "parameters");
    let mut changes = Vec::new();
    let followed = followed(a, b);
    let b = followed.as_ref().unwrap_or(b);
    settings(&a["model"], &b["model"], &mut changes);
    declarations(a, b, &mut changes);
    states(a, b, &mut changes);
    let reload = reload(a, b, structure_changed, parameters_changed);
    let same = changes.is_empty() && !structure_changed && !parameters_changed;
    Comparison {
        same,
        structure_changed,
        parameters_changed,
        changes,
        reload,
    }
}

/// Single values of the machine.
fn settings(a: &Value, b: &Value, changes: &mut Vec<Change>) {
    const LISTS: [&str; 10] = [
        "events",
        "blackboard",
        "parameters",
        "variants",
        "channels",
        "lanes",
        "timers",
        "observers",
        "functions",
        "states",
    ];
    let skip: Vec<&str> = LISTS.into_iter().chain(["policies", "budgets"]).collect();
    let mut different = fields(a, b, &skip);
    for group in ["policies", "budgets"] {
        different.extend(fields(&a[group], &b[group], &[]));
    }
    if !different.is_empty() {
        let name = a["machine"].as_str().unwrap_or_default();
        changes.push(Change {
            fields: different,
            ..change(ChangeKind::Changed, "machine", name)
        });
    }
}

/// Things of a list, with stable ids if there are any.
fn list<'v>(
    values: &'v [Value],
    ids: &'v [Value],
    name: impl Fn(&'v Value) -> String,
) -> Vec<Item<'v>> {
    let item = |(index, value): (usize, &'v Value)| Item {
        id: ids.get(index).and_then(Value::as_str),
        name: name(value),
        value,
    };
    values.iter().enumerate().map(item).collect()
}

fn declarations(a: &Value, b: &Value, changes: &mut Vec<Change>) {
    let kinds = [
        ("events", "event"),
        ("blackboard", "blackboard key"),
        ("parameters", "parameter"),
        ("variants", "variant"),
        ("channels", "channel"),
        ("lanes", "lane"),
        ("timers", "timer"),
        ("observers", "observer"),
        ("functions", "function"),
    ];
    for (key, what) in kinds {
        let name = |item: &Value| match key {
            "observers" => format!("on {}", item["event"].as_str().unwrap_or("*")),
            _ => text(item, "name").to_owned(),
        };
        // Timers of the machine come first in the table of all timers.
        let ids = |side: &'_ Value| items(&side["layout"]["stable_ids"], key).to_vec();
        let (ids_a, ids_b) = (ids(a), ids(b));
        let (a, b) = (
            list(items(&a["model"], key), &ids_a, name),
            list(items(&b["model"], key), &ids_b, name),
        );
        let found = compare_lists(what, &a, &b, &[], changes);
        if is_reordered(&found) {
            changes.push(change(ChangeKind::Reordered, key, ""));
        }
    }
}

/// Things of a description, with their stable ids and what they are called by.
fn named_items<'v>(side: &'v Value, group: &str, key: &str) -> Vec<Item<'v>> {
    let ids = items(&side["layout"]["stable_ids"], group);
    list(items(&side["model"], group), ids, |item| {
        text(item, key).to_owned()
    })
}

fn states(a: &Value, b: &Value, changes: &mut Vec<Change>) {
    let (first, second_items) = (
        named_items(a, "states", "path"),
        named_items(b, "states", "path"),
    );
    let second = items(&b["model"], "states");
    let found = compare_lists(
        "state",
        &first,
        &second_items,
        &["transitions", "regions"],
        changes,
    );
    if is_reordered(&found) {
        changes.push(change(ChangeKind::Reordered, "states", ""));
    }
    for part in [&REGIONS, &TRANSITIONS] {
        let (ids_a, ids_b) = (part.ids(a), part.ids(b));
        for (index, place) in found.iter().enumerate() {
            let Some(place) = *place else { continue };
            part.compare(
                (first[index].value, ids_a[index]),
                (&second[place], ids_b[place]),
                changes,
            );
        }
    }
}

/// What states have lists of.
struct Part {
    key: &'static str,
    what: &'static str,
    skip: &'static [&'static str],
    shown: fn(&Value) -> String,
}

/// Children that come and go are changes of their own.
const REGIONS: Part = Part {
    key: "regions",
    what: "region",
    skip: &["children"],
    shown: region_shown,
};
const TRANSITIONS: Part = Part {
    key: "transitions",
    what: "transition",
    skip: &[],
    shown: transition_shown,
};

fn region_shown(region: &Value) -> String {
    region["name"]
        .as_str()
        .map_or(String::new(), |name| format!(": {name}"))
}

fn transition_shown(transition: &Value) -> String {
    let to: Vec<&str> = items(transition, "to")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let arrow = if to.is_empty() {
        String::new()
    } else {
        format!(" -> {}", to.join(" + "))
    };
    format!(": {}{arrow}", text(transition, "trigger"))
}

impl Part {
    /// Stable ids by state: the table has them one state after the other.
    fn ids<'v>(&self, side: &'v Value) -> Vec<&'v [Value]> {
        let mut rest = items(&side["layout"]["stable_ids"], self.key);
        let states = items(&side["model"], "states").iter();
        let own = states.map(|state| {
            let (own, others) = rest.split_at(items(state, self.key).len().min(rest.len()));
            rest = others;
            own
        });
        own.collect()
    }

    /// Compares what a state has in both machines.
    fn compare(&self, a: (&Value, &[Value]), b: (&Value, &[Value]), changes: &mut Vec<Change>) {
        let path = text(a.0, "path");
        let shown = |item: &Value| format!("{path}{}", (self.shown)(item));
        let (first, second) = (items(a.0, self.key), items(b.0, self.key));
        let found = compare_lists(
            self.what,
            &list(first, a.1, shown),
            &list(second, b.1, shown),
            self.skip,
            changes,
        );
        if is_reordered(&found) {
            changes.push(change(
                ChangeKind::Reordered,
                &format!("{} of", self.key),
                path,
            ));
        }
    }
}

/// What the first machine calls differently: names of the second one with those of the first.
struct Renames {
    states: HashMap<String, String>,
    events: HashMap<String, String>,
}

/// The second machine with states and events called as in the first where they are meant, so that a
/// new name is no change of all that refers to it. `None` if nothing has another name.
fn followed(a: &Value, b: &Value) -> Option<Value> {
    let renames = Renames {
        states: renamed(a, b, "states", "path"),
        events: renamed(a, b, "events", "name"),
    };
    if renames.states.is_empty() && renames.events.is_empty() {
        return None;
    }
    let mut followed = b.clone();
    renames.follow(&mut followed["model"]);
    Some(followed)
}

/// Names of a group that differ where the stable ids are the same.
fn renamed(a: &Value, b: &Value, group: &str, key: &str) -> HashMap<String, String> {
    let (first, second) = (named_items(a, group, key), named_items(b, group, key));
    let found = matches(&first, &second);
    let pairs = first
        .iter()
        .zip(found)
        .filter_map(|(item, place)| Some((&second.get(place?)?.name, &item.name)));
    pairs
        .filter(|(b, a)| b != a)
        .map(|(b, a)| (b.clone(), a.clone()))
        .collect()
}

impl Renames {
    fn follow(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.follow(item)),
            Value::Object(members) => members
                .iter_mut()
                .for_each(|(key, member)| self.member(key, member)),
            _ => {}
        }
    }

    fn member(&self, key: &str, member: &mut Value) {
        let states = |text: &str| self.states.get(text).cloned();
        let events = |text: &str| self.events.get(text).cloned();
        match key {
            "to" | "default" | "children" | "fail_safe" | "reload_entry" => {
                rewrite(member, &states)
            }
            "defer" | "event" => rewrite(member, &events),
            "trigger" => rewrite(member, &|text| {
                Some(format!("on {}", events(text.strip_prefix("on ")?)?))
            }),
            "do" | "entry" | "exit" | "suspend" | "resume" => {
                rewrite(member, &|text| self.action(text))
            }
            _ => self.follow(member),
        }
    }

    /// An action that posts an event.
    fn action(&self, text: &str) -> Option<String> {
        let (verb, rest) = text
            .split_once(' ')
            .filter(|(verb, _)| matches!(*verb, "raise" | "send"))?;
        let ends =
            |rest: &str| rest.is_empty() || rest.starts_with('(') || rest.starts_with(" to ");
        self.events
            .iter()
            .filter_map(|(new, old)| Some((old, rest.strip_prefix(new.as_str())?)))
            .filter(|(_, after)| ends(after))
            // Of names that begin alike the longest.
            .min_by_key(|(_, after)| after.len())
            .map(|(old, after)| format!("{verb} {old}{after}"))
    }
}

/// Replaces a text, or the texts of a list.
fn rewrite(value: &mut Value, new: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, new)),
        Value::String(text) => {
            if let Some(new) = new(text) {
                *text = new;
            }
        }
        _ => {}
    }
}

fn reload(a: &Value, b: &Value, structure: bool, parameters: bool) -> Reload {
    if !structure {
        let (kind, summary) = match parameters {
            false => (
                ReloadKind::Nothing,
                "nothing to do: the machine behaves the same",
            ),
            true => (
                ReloadKind::Parameters,
                "every agent goes on where it is, with the new behavior",
            ),
        };
        return Reload {
            kind,
            summary: summary.to_owned(),
            states_gone: Vec::new(),
            lost: Vec::new(),
        };
    }
    let gone = gone(a, b, "states");
    let states_gone: Vec<String> = gone
        .into_iter()
        .filter_map(|index| Some(text(items(&a["model"], "states").get(index)?, "path").to_owned()))
        .collect();
    let summary = if states_gone.iter().any(|path| path == "root") {
        "every agent is reset: the machine has another stable id"
    } else if states_gone.is_empty() {
        "every agent is kept: all states are found again by their stable ids"
    } else {
        "agents in a state that is gone are reset and enter the reload entry; all others are kept"
    };
    Reload {
        kind: ReloadKind::Structure,
        summary: summary.to_owned(),
        states_gone,
        lost: lost(a, b),
    }
}

/// Places of a group whose stable ids the second machine does not have.
fn gone(a: &Value, b: &Value, group: &str) -> Vec<usize> {
    let kept: HashSet<&str> = items(&b["layout"]["stable_ids"], group)
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let ids = items(&a["layout"]["stable_ids"], group).iter().enumerate();
    ids.filter(|(_, id)| id.as_str().is_some_and(|id| !kept.contains(id)))
        .map(|(index, _)| index)
        .collect()
}

/// What is lost besides states: queued events, running timers, history, values of keys.
fn lost(a: &Value, b: &Value) -> Vec<String> {
    let mut lost = Vec::new();
    for index in gone(a, b, "events") {
        lost.extend(
            items(&a["model"], "events")
                .get(index)
                .map(|event| format!("queued event {}", text(event, "name"))),
        );
    }
    for index in gone(a, b, "timers") {
        lost.extend(
            items(&a["layout"], "timers")
                .get(index)
                .map(|timer| format!("time of {}: {}", text(timer, "owner"), timer_use(timer))),
        );
    }
    match gone(a, b, "history").len() {
        0 => {}
        1 => lost.push("what 1 history point remembers".to_owned()),
        count => lost.push(format!("what {count} history points remember")),
    }
    let keys = |side: &Value| -> HashSet<(String, String)> {
        let key = |key: &Value| (text(key, "name").to_owned(), text(key, "type").to_owned());
        items(&side["model"], "blackboard")
            .iter()
            .map(key)
            .collect()
    };
    let kept = keys(b);
    let mut keys: Vec<_> = keys(a)
        .into_iter()
        .filter(|key| !kept.contains(key))
        .collect();
    keys.sort();
    lost.extend(
        keys.into_iter()
            .map(|(name, _)| format!("value of blackboard key {name}")),
    );
    lost
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in &self.changes {
            writeln!(f, "{change}")?;
        }
        let what = match (self.structure_changed, self.parameters_changed) {
            (false, false) if self.changes.is_empty() => "the machines are the same",
            (false, false) => "only names differ: both hashes are the same",
            (false, true) => "parameters changed, the structure is the same",
            (true, _) => "the structure changed",
        };
        writeln!(f, "{what}")?;
        writeln!(f, "reload: {}", self.reload.summary)?;
        for state in self
            .reload
            .states_gone
            .iter()
            .filter(|path| *path != "root")
        {
            writeln!(f, "  gone: state {state}")?;
        }
        for lost in &self.reload.lost {
            writeln!(f, "  lost: {lost}")?;
        }
        Ok(())
    }
}
