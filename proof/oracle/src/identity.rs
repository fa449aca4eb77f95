//! What things are known by in every version of a machine (ROM-6), as texts: an id that is written in the
//! file, or owner, kind and name. Two things are the same if their texts are.

use std::collections::BTreeMap;

use statewright_author::graph::{self, StableId};

use crate::code::Reader;
use crate::model::Model;

/// By number, what each thing is known by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identities {
    pub(crate) machine: String,
    pub(crate) states: Vec<String>,
    pub(crate) regions: Vec<String>,
    pub(crate) points: Vec<String>,
    pub(crate) events: Vec<String>,
    pub(crate) transitions: Vec<String>,
    pub(crate) timers: Vec<String>,
    pub(crate) scratch: Vec<String>,
    pub(crate) channels: Vec<String>,
}

fn known(id: &StableId, otherwise: impl FnOnce() -> String) -> String {
    match id {
        Some(id) => format!("#{}", id.value),
        None => otherwise(),
    }
}

/// Everything but transitions and timers.
pub(crate) fn identities(reader: &Reader<'_>) -> Identities {
    let (machine, tree) = (reader.machine, &reader.tree);
    let mut ids = Identities {
        machine: known(&machine.id, || machine.name.value.clone()),
        ..Identities::default()
    };
    let event = |event: &graph::Event| known(&event.id, || format!("event {}", event.name.value));
    ids.events = machine.events.iter().map(event).collect();
    let channels = machine.channels.iter();
    ids.channels = channels.map(|one| one.name.value.clone()).collect();
    for (number, node) in tree.states.iter().enumerate() {
        let Some(parent) = node.parent else {
            ids.states.push("root".to_owned());
            continue;
        };
        // Of children of one name the first is known by that, the others with their region (LANG-7).
        let name = &node.graph.name.value;
        let is_namesake = |other: &usize| {
            let other = &tree.states[*other];
            other.parent == Some(parent) && other.graph.name.value == *name
        };
        let later = (0..number).any(|other| is_namesake(&other));
        let region = node
            .region
            .and_then(|region| tree.regions[region].graph.name.as_ref());
        let name = match region.filter(|_| later) {
            Some(region) => format!("{}/{name}", region.value),
            None => name.clone(),
        };
        let owner = &ids.states[parent];
        let id = known(&node.graph.id, || format!("({owner}).{name}"));
        ids.states.push(id);
    }
    for region in &tree.regions {
        let own = &tree.states[region.owner].regions;
        let ordinal = own
            .iter()
            .position(|&own| std::ptr::eq(tree.regions[own].graph, region.graph));
        let name = region.graph.name.as_ref();
        let name = name.map_or_else(|| format!("{ordinal:?}"), |name| name.value.clone());
        let owner = &ids.states[region.owner];
        ids.regions.push(known(&region.graph.id, || {
            format!("({owner}) region {name}")
        }));
    }
    for point in &tree.points {
        let (owner, name) = (&ids.states[point.owner], &point.graph.name.value);
        ids.points.push(known(&point.graph.id, || {
            format!("({owner}) history {name}")
        }));
    }
    for (node, owner) in tree.states.iter().zip(&ids.states) {
        let own = node.graph.scratch.iter();
        ids.scratch.extend(own.map(|scratch| {
            known(&scratch.id, || {
                format!("({owner}) scratch {}", scratch.name.value)
            })
        }));
    }
    ids
}

/// What the transitions of a state are known by, in the order in which they are written: without a name
/// by trigger and ordinal.
pub(crate) fn transitions(reader: &Reader<'_>, ids: &Identities, state: usize) -> Vec<String> {
    let own = reader.tree.states[state].graph.transitions.iter();
    let own: Vec<&graph::Transition> = own.filter(|one| !one.muted).collect();
    let owner = &ids.states[state];
    let mut ordinals: BTreeMap<String, usize> = BTreeMap::new();
    let mut lists = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    for written in reader.written(state) {
        let graph = &written.graph;
        let key = match &graph.name {
            Some(name) => format!("name {}", name.value),
            None => trigger(reader, ids, &graph.trigger),
        };
        let repeated = written.list.is_some_and(|list| !lists.insert(list));
        let count = ordinals.entry(key.clone()).or_default();
        *count += usize::from(graph.name.is_none() || !repeated);
        let is_own = own
            .iter()
            .any(|one| one.id == graph.id && one.name == graph.name);
        let id = match &graph.id {
            Some(id) if is_own => format!("#{}", id.value),
            Some(id) => format!("({owner}) shared #{}", id.value),
            None => format!("({owner}) {key} {}", *count - 1),
        };
        let in_list = written.list.is_some() && (graph.id.is_some() || graph.name.is_some());
        found.push(match &graph.trigger {
            graph::Trigger::Event(name) if in_list => {
                format!("{id} on {}", ids.events[reader.event(&name.value)])
            }
            _ => id,
        });
    }
    found
}

fn trigger(reader: &Reader<'_>, ids: &Identities, trigger: &graph::Trigger) -> String {
    match trigger {
        graph::Trigger::Event(name) => {
            format!("event {}", ids.events[reader.event(&name.value)])
        }
        graph::Trigger::After(_) => "after".to_owned(),
        graph::Trigger::Every(_) => "every".to_owned(),
        graph::Trigger::Timer(name) => format!("timer {}", name.value),
        other => format!("{:?}", std::mem::discriminant(other)),
    }
}

/// Timers: named ones by name, those of `after` and `every` by the first transition that they are for.
pub(crate) fn timers(
    reader: &Reader<'_>,
    ids: &Identities,
    model: &Model,
    by_state: &[Vec<String>],
) -> Vec<String> {
    let known_timer = |timer: &crate::model::Timer| {
        let Some(name) = &timer.name else {
            let kind = if timer.every { "every" } else { "after" };
            let owner = timer.owner.expect("only named ones belong to the machine");
            return format!("{kind} of {}", by_state[owner][timer.serves[0]]);
        };
        let (owner, list) = match timer.owner {
            None => ("machine", &reader.machine.timers),
            Some(owner) => {
                let graph = reader.tree.states[owner].graph;
                (ids.states[owner].as_str(), &graph.timers)
            }
        };
        let own = list.iter().find(|one| one.name.value == *name);
        let own = own.expect("a declared timer");
        known(&own.id, || format!("({owner}) timer {name}"))
    };
    model.timers.iter().map(known_timer).collect()
}
