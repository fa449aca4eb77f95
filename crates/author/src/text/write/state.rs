//! Owns the writing of states and regions.

use super::action::{actions, add_actions};
use super::declare::timers;
use super::node::{JsonNode, Object, literal, map, name};
use super::transition::{any_transition, branch, decision, transitions};
use crate::graph::{HistoryPoint, Initial, PartUse, Region, Scratch, State};
use crate::span::{Name, Spanned};
use crate::text::shape::ObjectKind;
use crate::value::Literal;

fn state(state: &State) -> (String, JsonNode) {
    let mut object = Object::new(ObjectKind::State);
    object
        .id(&state.id)
        .doc(&state.doc)
        .flag("final", state.is_final.is_some());
    object.maybe(
        "choice",
        state
            .choice
            .as_ref()
            .map(|branches| JsonNode::List(branches.iter().map(branch).collect())),
    );
    object.names_or_map("timers", timers(&state.timers));
    behavior(state, &mut object);
    object.meta(&state.meta);
    (state.name.value.clone(), object.done_state())
}

/// What the root has, too.
pub(super) fn behavior(state: &State, object: &mut Object) {
    object.flag("muted", state.muted);
    add_actions(object, "entry", &state.entry);
    add_actions(object, "exit", &state.exit);
    add_actions(object, "suspend", &state.suspend);
    add_actions(object, "resume", &state.resume);
    add_actions(object, "update", &state.update);
    object.name("activity", state.activity.as_ref());
    object
        .names("defer", &state.defers)
        .names("owns", &state.owns);
    let scratches = JsonNode::Object {
        members: state.scratch.iter().map(scratch).collect(),
        open: false,
    };
    object.maybe("scratch", (!state.scratch.is_empty()).then_some(scratches));
    object
        .code("exit_ready", state.exit_ready.as_ref())
        .shown("min_active", state.min_active.as_ref());
    object.flag("clock", state.clock);
    object.list("transitions", transitions(&state.transitions));
    object.list("decisions", state.decisions.iter().map(decision).collect());
    match &state.part {
        Some(part) => use_of_part(part, object),
        None => {
            object.names("use", &state.uses);
        }
    }
    object.list(
        "any_state",
        state.any_state.iter().map(any_transition).collect(),
    );
    object.map("history", state.history.iter().map(history));
    object.word(
        "history_reset",
        state.history_reset_on_done.then_some("on_done"),
    );
    match &state.regions[..] {
        [] => {}
        [only] if only.name.is_none() => region(only, object),
        several => {
            object.map("regions", several.iter().map(named_region));
        }
    }
}

fn use_of_part(part: &PartUse, object: &mut Object) {
    object.name("use", Some(&part.file));
    let value =
        |(name, value): &(Name, Spanned<Literal>)| (name.value.clone(), literal(&value.value));
    object.map("with", part.with.iter().map(value));
    let renamed = |(from, to): &(Name, Name)| (from.value.clone(), name(to));
    object.map("map", part.map.iter().map(renamed));
}

fn named_region(each: &Region) -> (String, JsonNode) {
    let mut object = Object::new(ObjectKind::Region);
    object.id(&each.id);
    region(each, &mut object);
    (
        each.name
            .as_ref()
            .map_or_else(String::new, |name| name.value.clone()),
        object.done_open(),
    )
}

fn region(region: &Region, object: &mut Object) {
    object
        .count("stack", &region.stack_depth)
        .maybe("initial", region.initial.as_ref().map(initial));
    object.put("states", map(region.states.iter().map(state)));
}

fn initial(initial: &Initial) -> JsonNode {
    let mut object = Object::new(ObjectKind::Initial);
    object.targets("to", &initial.targets);
    if initial.targets.is_empty() {
        object.put("to", JsonNode::List(Vec::new()));
    }
    add_actions(&mut object, "do", &initial.effect);
    object.or_only("to")
}

fn history(point: &HistoryPoint) -> (String, JsonNode) {
    let mut object = Object::new(ObjectKind::History);
    object
        .id(&point.id)
        .flag("deep", point.deep)
        .targets("default", &point.default);
    object.maybe(
        "do",
        (!point.effect.is_empty()).then(|| actions(&point.effect)),
    );
    object.word("restore", point.restore_on_entry.then_some("on_entry"));
    (point.name.value.clone(), object.done())
}

fn scratch(scratch: &Scratch) -> (String, JsonNode) {
    let mut object = Object::new(ObjectKind::Scratch);
    object.id(&scratch.id);
    let name = scratch.name.value.clone();
    if scratch.ty.is_some() {
        object.shown("type", scratch.ty.as_ref());
        return (name, object.or_only("type"));
    }
    object.put("slots", JsonNode::Scalar(scratch.slots.value.to_string()));
    (name, object.or_only("slots"))
}
