//! Owns the writing of the machine itself: its own fields, policies, budgets, and the root.

use super::node::{JsonNode, Object, quoted};
use super::{declare, state};
use crate::graph::{Machine, Policies};
use crate::span::Spanned;
use crate::text::shape::ObjectKind;

/// The whole file.
pub(super) fn machine(machine: &Machine) -> JsonNode {
    let mut object = Object::new(ObjectKind::Machine);
    object
        .name("machine", Some(&machine.name))
        .id(&machine.id)
        .doc(&machine.doc);
    object
        .shown("tier", machine.tier.as_ref())
        .count("tick_rate", &machine.tick_rate);
    object
        .maybe("policies", policies(machine))
        .maybe("budgets", budgets(machine));
    object
        .name("fail_safe", machine.fail_safe.as_ref())
        .name("reload_entry", machine.reload_entry.as_ref());
    declare::all(machine, &mut object);
    state::behavior(&machine.root, &mut object);
    object.meta(&machine.meta);
    object.done_open()
}

fn policies(machine: &Machine) -> Option<JsonNode> {
    let Policies {
        reverse_exit_order,
        immediate_update,
        posted_next_tick,
        internal_first,
        done_events,
        strict_writes,
        scxml_details,
        reload_resets,
    } = &machine.policies;
    let word = |on: &Option<Spanned<bool>>, yes: &str, no: &str| {
        on.as_ref()
            .map(|on| quoted(if on.value { yes } else { no }))
    };
    let truth =
        |on: &Option<Spanned<bool>>| on.as_ref().map(|on| JsonNode::Scalar(on.value.to_string()));
    let mut object = Object::new(ObjectKind::Policies);
    object.maybe(
        "exit_order",
        word(reverse_exit_order, "reverse", "post_order"),
    );
    object.maybe("immediate_update", truth(immediate_update));
    object.maybe("posted", word(posted_next_tick, "next_tick", "same_tick"));
    object.maybe("internal_first", truth(internal_first));
    object.maybe("done_events", truth(done_events));
    object.maybe("strict_writes", truth(strict_writes));
    object.maybe("scxml_details", truth(scxml_details));
    object.maybe("reload", word(reload_resets, "reset", "keep"));
    not_empty(object.done())
}

fn budgets(machine: &Machine) -> Option<JsonNode> {
    let budgets = &machine.budgets;
    let mut object = Object::new(ObjectKind::Budgets);
    object.count("events_per_tick", &budgets.events_per_tick);
    object.count("microsteps_per_tick", &budgets.microsteps_per_tick);
    object.count("clamp_limit", &budgets.clamp_limit);
    object.count("command_bytes", &budgets.command_bytes);
    not_empty(object.done())
}

fn not_empty(node: JsonNode) -> Option<JsonNode> {
    let empty = matches!(&node, JsonNode::Object { members, .. } if members.is_empty());
    (!empty).then_some(node)
}
