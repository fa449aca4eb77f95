//! Completion (EXEC-6, SEL-1): `done` and `failed` that can never be.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;

use crate::index::{IndexVec, RegionIndex, StateIndex};
use crate::model::{Model, Trigger};

/// Checks `done` and `failed` transitions.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let completes = completable(model);
    for transition in &model.transitions {
        let source = model.tree.states[transition.source].authored;
        let (what, possible, help) = match transition.trigger {
            Trigger::Done => (
                "complete",
                completes[transition.source] || source.activity.is_some(),
                match model.tree.states[transition.source].kind {
                    StateKind::Orthogonal => {
                        "let each region have a state with `\"final\": true`, or add an `activity`"
                    }
                    StateKind::Compound => {
                        "let one of its states have `\"final\": true`, or add an `activity`"
                    }
                    StateKind::Atomic | StateKind::Final | StateKind::Choice => {
                        "add an `activity`, or states inside of which one has `\"final\": true`"
                    }
                },
            ),
            Trigger::Failed => (
                "fail",
                source.activity.is_some(),
                "add an `activity`: its function reports success or failure",
            ),
            _ => continue,
        };
        let authored = &transition.authored;
        let leads_nowhere =
            authored.targets.is_empty() && authored.sync.is_empty() && authored.stack.is_none();
        // `stay` does not go with these triggers and is reported as that.
        if leads_nowhere && authored.stay.is_none() {
            diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::NeedsTarget,
                    transition.span(),
                    "a `done` or `failed` transition has no target",
                )
                .label("stays true, so it would be taken again and again")
                .help(match source.name.value.as_str() {
                    "" => "add `\"to\"`".to_owned(),
                    name => {
                        format!("add `\"to\"`; to start the state over, write `\"to\": \"{name}\"`")
                    }
                }),
            );
        }
        if !possible {
            let text = format!(
                "state `{}` can never {what}",
                model.tree.path(transition.source)
            );
            diagnostics.push(
                Diagnostic::new(DiagnosticCode::NeverCompletes, transition.span(), text)
                    .label("never taken")
                    .help(help),
            );
        }
    }
}

/// Which states complete by their children alone.
fn completable(model: &Model<'_>) -> IndexVec<StateIndex, bool> {
    let tree = &model.tree;
    let mut completes = IndexVec::filled(false, &tree.states);
    for state in tree.states.indices().rev() {
        let node = &tree.states[state];
        let region_ends = |region: RegionIndex| {
            tree.regions[region]
                .children
                .iter()
                .any(|&child| ends(model, &completes, child, node.kind))
        };
        completes[state] = match node.kind {
            StateKind::Compound | StateKind::Orthogonal => node.regions.clone().all(region_ends),
            StateKind::Atomic | StateKind::Final | StateKind::Choice => false,
        };
    }
    completes
}

/// A final child ends a region; in an orthogonal state a nested state that completes does, too.
fn ends(
    model: &Model<'_>,
    completes: &IndexVec<StateIndex, bool>,
    child: StateIndex,
    parent: StateKind,
) -> bool {
    let kind = model.tree.states[child].kind;
    kind == StateKind::Final || (parent == StateKind::Orthogonal && completes[child])
}
