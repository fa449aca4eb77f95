//! Owns the last step of the flat shape: from linked states to the graph.

use std::collections::HashSet;

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::transition::Given;
use super::tree::Tree;
use super::{Nodes, region_objects, type_of};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::{Branch, Event, Machine, Region, State, Transition, Trigger};
use crate::span::Name;
use crate::text::check::{opening, report};
use crate::text::extract::Reader;
use crate::text::parse::{has_key, span};

/// Everything that is known before the graph is made.
pub(super) struct Builder<'b, 'v, 't> {
    pub(super) reader: &'b Reader<'b>,
    pub(super) nodes: &'b Nodes<'v, 't>,
    pub(super) tree: &'b Tree,
    pub(super) regions: &'b [usize],
    pub(super) transitions: Vec<Given>,
}

impl Builder<'_, '_, '_> {
    /// The root: a state of the list, or one implied by the machine's `initial`.
    pub(super) fn root(mut self, machine: &Object, out: &mut Diagnostics) -> State {
        let initial = self.reader.initial(machine);
        let Some(root) = self.tree.root else {
            let states = self.states(&self.tree.top, out);
            let region = Region {
                span: span(machine.range()),
                initial,
                states,
                ..Region::default()
            };
            return State {
                span: span(machine.range()),
                regions: vec![region],
                ..State::default()
            };
        };
        let mut state = self.state(root, out);
        let Some(initial) = initial else { return state };
        match state.regions.first_mut() {
            Some(region) if region.initial.is_none() && region.name.is_none() => {
                region.initial = Some(initial)
            }
            _ => two_initials(machine, &state.name, out),
        }
        state
    }

    fn states(&mut self, list: &[usize], out: &mut Diagnostics) -> Vec<State> {
        list.iter().map(|&node| self.state(node, out)).collect()
    }

    /// A state with everything below it; the depth is bounded by [`Tree::cut_too_deep`].
    fn state(&mut self, node: usize, out: &mut Diagnostics) -> State {
        let (reader, object) = (self.reader, self.nodes.list[node].object);
        let ty = type_of(reader, object);
        let word = ty.as_ref().map_or("", |ty| ty.value.as_str());
        let given = std::mem::take(&mut self.transitions[node]);
        self.check_type(node, &ty, out);
        State {
            name: self.nodes.list[node].name.clone(),
            span: span(object.range()),
            id: reader.id(object, "stable_id"),
            doc: reader.text(object, "doc"),
            is_final: ty.as_ref().filter(|_| word == "final").map(|ty| ty.span),
            choice: self.choice(object, word, given.branches),
            regions: self.regions_of(node, word, out),
            entry: reader.actions(object, "onEntry"),
            exit: reader.actions(object, "onExit"),
            activity: reader.code(object, "onUpdate"),
            transitions: given.transitions,
            timers: reader.timers(object),
            meta: reader.meta(object),
            ..reader.state_rest(object)
        }
    }

    /// Branches: those of the `choice` field, then the transitions that leave the choice.
    fn choice(
        &self,
        object: &Object,
        word: &str,
        from_transitions: Vec<Branch>,
    ) -> Option<Vec<Branch>> {
        let field = self.reader.field(object, "choice");
        if field.is_none() && word != "choice" {
            return None;
        }
        let mut branches = self.reader.branches(field);
        branches.extend(from_transitions);
        Some(branches)
    }

    fn regions_of(&mut self, node: usize, word: &str, out: &mut Diagnostics) -> Vec<Region> {
        let (reader, tree) = (self.reader, self.tree);
        let object = self.nodes.list[node].object;
        let named = region_objects(reader, object);
        let children = &tree.children[node];
        if named.is_empty() {
            let has_region = !children.is_empty()
                || word == "composite"
                || has_key(object, "initial")
                || has_key(object, "stack");
            let states = self.states(children, out);
            return has_region
                .then(|| self.region(object, None, states))
                .into_iter()
                .collect();
        }
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); named.len()];
        for &child in children {
            inside[self.regions[child]].push(child);
        }
        let parts = named.into_iter().zip(inside);
        parts
            .map(|((name, region), list)| {
                let states = self.states(&list, out);
                self.region(region, Some(name), states)
            })
            .collect()
    }

    fn region(&self, object: &Object, name: Option<Name>, states: Vec<State>) -> Region {
        let id = name.as_ref().and_then(|_| self.reader.id(object, "id"));
        let (initial, stack_depth) = (
            self.reader.initial(object),
            self.reader.count(object, "stack"),
        );
        Region {
            name,
            id,
            span: span(object.range()),
            initial,
            stack_depth,
            states,
        }
    }

    /// A type that contradicts what the state has (SW0006, SW0007).
    fn check_type(&self, node: usize, ty: &Option<Name>, out: &mut Diagnostics) {
        let Some(ty) = ty else { return };
        let object = self.nodes.list[node].object;
        let inside = ["children", "regions", "choice"]
            .into_iter()
            .find(|key| has_key(object, key));
        match (ty.value.as_str(), inside) {
            ("parallel", _) if !has_key(object, "regions") => {
                report(out, DiagnosticCode::MissingField, opening(object), |bare| {
                    let message = "a parallel state needs the field `regions`".into();
                    let help = "add `\"regions\": [{ \"name\": \"A\", \"initial\": \"a\" }, …]`";
                    Diagnostic { message, ..bare }
                        .label("without `regions`")
                        .help(help)
                });
            }
            ("leaf", Some(key)) => report(out, DiagnosticCode::BadValue, ty.span, |bare| {
                let message = format!("a leaf has no `{key}`");
                Diagnostic { message, ..bare }
                    .label("not a leaf")
                    .help("write `\"type\": \"composite\"`, or leave it out")
            }),
            _ => {}
        }
    }
}

fn two_initials(machine: &Object, root: &Name, out: &mut Diagnostics) {
    let Some(property) = machine.get("initial") else {
        return;
    };
    report(
        out,
        DiagnosticCode::FieldsExclude,
        span(property.name.range()),
        |bare| {
            let message = format!("the root `{}` says itself where it starts", root.value);
            Diagnostic { message, ..bare }
                .label("a second `initial`")
                .related(root.span, "this state is the root")
                .help("remove `initial` from the machine or from the root")
        },
    );
}

/// The events that triggers name, in the order of the file: a flat file need not declare them.
pub(super) fn implied_events(machine: &Machine) -> Vec<Event> {
    let mut names = Vec::new();
    for set in &machine.transition_sets {
        from_transitions(&set.transitions, &mut names);
    }
    from_state(&machine.root, &mut names);
    names.sort_by_key(|name| name.span);
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.value.as_str()));
    names
        .into_iter()
        .map(|name| Event {
            name: name.clone(),
            ..Event::default()
        })
        .collect()
}

fn from_state<'m>(state: &'m State, names: &mut Vec<&'m Name>) {
    from_transitions(&state.transitions, names);
    let decisions = state.decisions.iter().map(|decision| &decision.trigger);
    let any_state = state.any_state.iter().map(|any| &any.transition.trigger);
    names.extend(decisions.chain(any_state).flat_map(Trigger::events));
    for child in state.regions.iter().flat_map(|region| &region.states) {
        from_state(child, names);
    }
}

fn from_transitions<'m>(transitions: &'m [Transition], names: &mut Vec<&'m Name>) {
    names.extend(
        transitions
            .iter()
            .flat_map(|transition| transition.trigger.events()),
    );
}
