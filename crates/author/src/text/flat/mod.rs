//! Owns the flat shape of a machine file: a list of states that name their children, and a
//! list of transitions.
//!
//! The stages are the files: `tree` links states to their parents and finds the root, `region` puts
//! children into regions, `transition` gives each state its transitions, `build` makes the graph.
//! Problems are SW0013 and SW0014, and the few of form that depend on several states.

mod build;
mod region;
mod transition;
mod tree;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jsonc_parser::ast::{Object, Value};

use super::check::report;
use super::extract::Reader;
use super::parse::has_key;
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::Machine;
use crate::span::Name;

/// Names that are compared for "did you mean"; a file may have many thousands.
const MOST_SUGGESTED: usize = 1000;

/// A machine of the flat shape.
pub(crate) fn machine(reader: &Reader, object: &Object, out: &mut Diagnostics) -> Machine {
    let nodes = nodes(reader, object, out);
    let mut tree = tree::link(reader, object, &nodes, out);
    let regions = region::assign(reader, &nodes, &tree, out);
    let transitions = transition::distribute(reader, object, &nodes, out);
    tree.cut_too_deep(&nodes, out);
    let mut machine = reader.machine_head(object);
    machine.root = build::Builder {
        reader,
        nodes: &nodes,
        tree: &tree,
        regions: &regions,
        transitions,
    }
    .root(object, out);
    if !has_key(object, "events") {
        machine.events = build::implied_events(&machine);
    }
    machine
}

/// The states of the list, in order, and where to find them by name.
struct Nodes<'v, 't> {
    list: Vec<FlatState<'v, 't>>,
    by_name: HashMap<String, usize>,
}

/// A state of the list.
struct FlatState<'v, 't> {
    name: Name,
    object: &'v Object<'t>,
}

impl Nodes<'_, '_> {
    fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    fn name(&self, node: usize) -> &str {
        &self.list[node].name.value
    }

    /// Reports a state that does not exist (SW0101).
    fn unknown(&self, name: &Name, out: &mut Diagnostics, help: impl FnOnce() -> String) {
        report(out, DiagnosticCode::UnknownState, name.span, |bare| {
            let known = self
                .list
                .iter()
                .take(MOST_SUGGESTED)
                .map(|node| node.name.value.as_str());
            let message = format!("no state has the id `{}`", name.value);
            let problem = Diagnostic { message, ..bare }
                .label("not in `states`")
                .suggest(&name.value, known);
            if problem.help.is_some() {
                problem
            } else {
                problem.help(help())
            }
        });
    }
}

/// Takes the states that have a name; of two with the same name the first (SW0109).
fn nodes<'v, 't>(reader: &Reader, object: &'v Object<'t>, out: &mut Diagnostics) -> Nodes<'v, 't> {
    let mut nodes = Nodes {
        list: Vec::new(),
        by_name: HashMap::new(),
    };
    for state in reader.objects(reader.field(object, "states")) {
        let Some(name) = reader.name(state, "id") else {
            continue;
        };
        match nodes.by_name.entry(name.value.clone()) {
            Entry::Occupied(first) => twice(&name, &nodes.list[*first.get()].name, out),
            Entry::Vacant(free) => {
                free.insert(nodes.list.len());
                nodes.list.push(FlatState {
                    name,
                    object: state,
                });
            }
        }
    }
    nodes
}

fn twice(second: &Name, first: &Name, out: &mut Diagnostics) {
    report(out, DiagnosticCode::DuplicateName, second.span, |bare| {
        let message = format!("two states have the id `{}`", second.value);
        Diagnostic { message, ..bare }
            .label("again")
            .related(first.span, "first given here")
            .help("in the flat shape every id is used once in the whole file")
    });
}

/// The word of a state's `type`.
fn type_of(reader: &Reader, state: &Object) -> Option<Name> {
    reader.name(state, "type")
}

/// The region objects of a state that have a name.
fn region_objects<'v, 't>(reader: &Reader, state: &'v Object<'t>) -> Vec<(Name, &'v Object<'t>)> {
    let list: Option<&Value> = reader.field(state, "regions");
    reader
        .objects(list)
        .filter_map(|region| Some((reader.name(region, "name")?, region)))
        .collect()
}
