//! Owns the transitions of the flat shape: each goes to its source, or becomes a branch if that is
//! a choice.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::{Nodes, type_of};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::{Branch, Transition, TransitionKind};
use crate::span::Spanned;
use crate::text::check::{opening, report};
use crate::text::extract::{Reader, transition_kind};
use crate::text::parse::{has_key, span};

/// What the list of transitions gives to one state.
#[derive(Default)]
pub(super) struct Given {
    pub(super) transitions: Vec<Transition>,
    pub(super) branches: Vec<Branch>,
}

const TRIGGERS: &[&str] = &["trigger", "after", "every", "timer", "when"];

/// Gives every transition to its source.
pub(super) fn distribute(
    reader: &Reader,
    machine: &Object,
    nodes: &Nodes,
    out: &mut Diagnostics,
) -> Vec<Given> {
    let mut given: Vec<Given> = nodes.list.iter().map(|_| Given::default()).collect();
    let choices: Vec<bool> = nodes
        .list
        .iter()
        .map(|node| is_choice(reader, node.object))
        .collect();
    for object in reader.objects(reader.field(machine, "transitions")) {
        let Some(source) = reader.name(object, "source") else {
            continue;
        };
        let has_trigger = TRIGGERS.iter().any(|key| has_key(object, key));
        let Some(at) = nodes.find(&source.value) else {
            nodes.unknown(&source, out, || {
                format!("add `{{ \"id\": \"{}\" }}` to `states`", source.value)
            });
            continue;
        };
        if has_trigger {
            given[at].transitions.extend(transition(reader, object));
        } else if choices[at] {
            given[at].branches.push(branch(reader, object));
        } else {
            no_trigger(object, out);
        }
    }
    given
}

fn is_choice(reader: &Reader, state: &Object) -> bool {
    has_key(state, "choice") || type_of(reader, state).is_some_and(|ty| ty.value == "choice")
}

fn transition(reader: &Reader, object: &Object) -> Option<Transition> {
    let internal = reader.boolean(object, "isInternal").filter(|is| is.value);
    let internal = internal.map(|is| Spanned::new(TransitionKind::Internal, is.span));
    Some(Transition {
        trigger: reader.trigger(object, "trigger")?,
        targets: reader.names(object, "target"),
        kind: internal.or_else(|| reader.word(object, "kind", transition_kind)),
        guard: reader.code(object, "guard"),
        effect: reader.actions(object, effect_key(object)),
        interrupt: reader.mark(object, "isInterrupt"),
        ..reader.transition_rest(object)
    })
}

fn branch(reader: &Reader, object: &Object) -> Branch {
    Branch {
        guard: reader.code(object, "guard"),
        targets: reader.names(object, "target"),
        effect: reader.actions(object, effect_key(object)),
        span: span(object.range()),
    }
}

fn effect_key(object: &Object) -> &'static str {
    if has_key(object, "effect") {
        "effect"
    } else {
        "action"
    }
}

fn no_trigger(object: &Object, out: &mut Diagnostics) {
    report(out, DiagnosticCode::MissingField, opening(object), |bare| {
        let message =
            "a transition needs one of the fields `trigger`, `after`, `timer` or `when`".into();
        Diagnostic { message, ..bare }
            .label("has none of them")
            .help("for a transition without an event write `\"when\": \"always\"` or `\"when\": \"done\"`")
    });
}
