//! Target sets (EXEC-3): several targets must lie in different regions; and transitions between
//! regions (EXEC-2).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{StateKind, TransitionKind};
use statewright_author::span::{Name, Span};

use statewright_rom::layout::MAX_LEAVES;

use crate::index::StateIndex;
use crate::model::{Model, Transition};
use crate::tree::Target;

/// Checks all sets of targets.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for transition in model.transitions.iter().filter(|t| !t.is_repeated()) {
        check_set(
            model,
            &transition.targets,
            &transition.target_spans(),
            diagnostics,
        );
        check_cross_region(model, transition, diagnostics);
    }
    for branch in &model.branches {
        check_set(
            model,
            &branch.entry.targets,
            &spans(&branch.authored.targets),
            diagnostics,
        );
    }
    for (region, entry) in model.initials.enumerate() {
        let initial = model.tree.regions[region].authored.initial.as_ref();
        check_set(
            model,
            &entry.targets,
            &initial.map_or_else(Vec::new, |i| spans(&i.targets)),
            diagnostics,
        );
    }
    for (history, entry) in model.history_defaults.enumerate() {
        check_set(
            model,
            &entry.targets,
            &spans(&model.tree.histories[history].authored.default),
            diagnostics,
        );
    }
}

/// Where an agent goes on when it cannot go on where it is (TICK-4, SYS-5): a state at which the
/// machine ends is rarely meant.
pub fn check_entries(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let machine = model.machine;
    let entries = [
        ("fail_safe", &machine.fail_safe, model.fail_safe),
        ("reload_entry", &machine.reload_entry, model.reload_entry),
    ];
    for (field, name, node) in entries {
        let (Some(name), Some(Target::State(state))) = (name, node) else {
            continue;
        };
        let node = &model.tree.states[state];
        if state == StateIndex::ROOT {
            diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::RootTarget,
                    name.span,
                    format!("the root cannot be the `{field}`"),
                )
                .label("always active")
                .help(
                    "name a state inside the machine, or leave the field out for the initial state",
                ),
            );
        } else if node.kind == StateKind::Final && node.parent == Some(StateIndex::ROOT) {
            diagnostics.push(
                Diagnostic::new(DiagnosticCode::EntryEnds, name.span, format!("`{field}` ends the machine"))
                    .label("a final state of the root")
                    .help("name a state from which the agent can go on, or leave the field out for the initial state"),
            );
        }
    }
}

fn spans(names: &[Name]) -> Vec<Span> {
    names.iter().map(|name| name.span).collect()
}

/// `spans` has one span for each target, if all were found.
fn check_set(model: &Model<'_>, targets: &[Target], spans: &[Span], diagnostics: &mut Diagnostics) {
    if spans.len() != targets.len() {
        return;
    }
    if targets.len() > MAX_LEAVES {
        let text = format!(
            "{} targets, but at most {MAX_LEAVES} regions can be active",
            targets.len()
        );
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::IllegalTargets, spans[MAX_LEAVES], text)
                .label("one too many"),
        );
        return;
    }
    for (position, &a) in targets.iter().enumerate() {
        for (before, &b) in targets[..position].iter().enumerate() {
            if let Some(why) = conflict(model, b, a) {
                let text = format!(
                    "`{}` and `{}` cannot be targets together",
                    model.tree.target_path(b),
                    model.tree.target_path(a)
                );
                diagnostics.push(
                    Diagnostic::new(DiagnosticCode::IllegalTargets, spans[position], text)
                        .label(why)
                        .related(spans[before], "not with this one")
                        .help(
                            "several targets must lie in different regions of one orthogonal state",
                        ),
                );
                return;
            }
        }
    }
}

/// Why two targets exclude each other.
fn conflict(model: &Model<'_>, a: Target, b: Target) -> Option<&'static str> {
    let tree = &model.tree;
    let (x, y) = (tree.anchor(a), tree.anchor(b));
    let common = tree.common_ancestor(x, y);
    let is_choice =
        |node| matches!(node, Target::State(state) if tree.states[state].kind == StateKind::Choice);
    if x == y {
        Some("the same target twice")
    } else if is_choice(a) || is_choice(b) {
        Some("a choice must be the only target")
    } else if common == x || common == y {
        Some("one lies inside the other")
    } else if tree.states[common].kind != StateKind::Orthogonal {
        Some("only one of them can be active")
    } else {
        let region = |inner| {
            tree.child_towards(common, inner)
                .and_then(|child| tree.states[child].region)
        };
        (region(x) == region(y)).then_some("both lie in the same region")
    }
}

/// A transition between regions leaves and re-enters the whole orthogonal state, which is rarely
/// meant.
fn check_cross_region(
    model: &Model<'_>,
    transition: &Transition<'_>,
    diagnostics: &mut Diagnostics,
) {
    if transition.kind != TransitionKind::External || transition.authored.stack.is_some() {
        return;
    }
    for (&target, span) in transition.targets.iter().zip(transition.target_spans()) {
        let anchor = model.tree.anchor(target);
        let common = model.tree.common_ancestor(transition.source, anchor);
        if model.tree.states[common].kind != StateKind::Orthogonal
            || common == transition.source
            || common == anchor
        {
            continue;
        }
        let region = |inner| {
            model
                .tree
                .child_towards(common, inner)
                .and_then(|child| model.tree.states[child].region)
        };
        if region(transition.source) == region(anchor) {
            continue;
        }
        let (from, to) = (
            model.tree.path(transition.source),
            model.tree.target_path(target),
        );
        let whole = model.tree.path(common);
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::CrossRegion,
                span,
                format!("`{from}` and `{to}` lie in different regions"),
            )
            .label(format!("leaves and re-enters all of `{whole}`"))
            .help(format!(
                "to change only the other region, move this transition to `{whole}`"
            )),
        );
        return;
    }
}
