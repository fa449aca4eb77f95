//! Owns the writing of transitions, any-state transitions, decisions and branches.

use super::action::add_actions;
use super::node::{JsonNode, Object, name};
use crate::graph::{
    AnyTransition, Branch, Decision, DecisionBranch, StackOperation, Transition, TransitionKind,
    Trigger,
};
use crate::text::shape::ObjectKind;

/// A list of transitions.
pub(super) fn transitions(list: &[Transition]) -> Vec<JsonNode> {
    list.iter()
        .map(|each| transition(each, ObjectKind::Transition).done())
        .collect()
}

fn transition(transition: &Transition, shape: ObjectKind) -> Object {
    let kind = transition.kind.as_ref().map(|kind| match kind.value {
        TransitionKind::Internal => "internal",
        TransitionKind::Local => "local",
        TransitionKind::External => "external",
    });
    let stack = transition.stack.as_ref().map(|stack| match stack.value {
        StackOperation::Push => "push",
        StackOperation::Pop => "pop",
    });
    let mut object = Object::new(shape);
    object
        .name("name", transition.name.as_ref())
        .id(&transition.id)
        .doc(&transition.doc);
    trigger(&transition.trigger, &mut object);
    object
        .code("if", transition.guard.as_ref())
        .targets("to", &transition.targets);
    let sync = transition
        .sync
        .iter()
        .map(|(region, target)| (region.value.clone(), name(target)));
    let sync = JsonNode::Object {
        members: sync.collect(),
        open: false,
    };
    object.maybe("sync", (!transition.sync.is_empty()).then_some(sync));
    add_actions(&mut object, "do", &transition.effect);
    object.word("kind", kind).word("stack", stack);
    object
        .count("priority", &transition.priority)
        .flag("interrupt", transition.interrupt.is_some());
    object.code("score", transition.score.as_ref());
    object.code("threshold", transition.threshold.as_ref());
    object
        .flag("stay", transition.stay.is_some())
        .shown("cooldown", transition.cooldown.as_ref())
        .shown("debounce", transition.debounce.as_ref());
    object
        .flag("latch", transition.latch.is_some())
        .flag("muted", transition.muted)
        .meta(&transition.meta);
    object
}

fn trigger(trigger: &Trigger, object: &mut Object) {
    match trigger {
        Trigger::Event(event) => object.name("on", Some(event)),
        Trigger::Events(events) => object.names("on", &events.value),
        Trigger::Any(_) => object.word("on", Some("*")),
        Trigger::After(duration) => object.shown("after", Some(duration)),
        Trigger::Every(duration) => object.shown("every", Some(duration)),
        Trigger::Timer(timer) => object.name("timer", Some(timer)),
        Trigger::Always(_) => object.word("when", Some("always")),
        Trigger::Done(_) => object.word("when", Some("done")),
        Trigger::Failed(_) => object.word("when", Some("failed")),
    };
}

/// An any-state transition.
pub(super) fn any_transition(any: &AnyTransition) -> JsonNode {
    let mut object = transition(&any.transition, ObjectKind::AnyTransition);
    object
        .names("include", &any.include)
        .names("exclude", &any.exclude);
    object.done()
}

/// A decision; without a trigger it is always tried.
pub(super) fn decision(decision: &Decision) -> JsonNode {
    let mut object = Object::new(ObjectKind::Decision);
    if !matches!(decision.trigger, Trigger::Always(_)) {
        trigger(&decision.trigger, &mut object);
    }
    object.code("if", Some(&decision.guard));
    object
        .maybe("then", decision.then.as_ref().map(decision_branch))
        .maybe("else", decision.otherwise.as_ref().map(decision_branch));
    add_actions(&mut object, "do", &decision.effect);
    object
        .count("priority", &decision.priority)
        .flag("muted", decision.muted);
    object.done()
}

fn decision_branch(branch: &DecisionBranch) -> JsonNode {
    let mut object = Object::new(ObjectKind::DecisionBranch);
    object
        .name("to", Some(&branch.target))
        .flag("reenter", branch.reenter.is_some());
    object.or_only("to")
}

/// A branch of a choice.
pub(super) fn branch(branch: &Branch) -> JsonNode {
    let mut object = Object::new(ObjectKind::Branch);
    object
        .code("if", branch.guard.as_ref())
        .targets("to", &branch.targets);
    add_actions(&mut object, "do", &branch.effect);
    object.done()
}
