//! Choice states (EXEC-7): no circles, no way out of the transition's domain.

use std::collections::HashSet;

use statewright_author::codes::Code;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;
use statewright_author::place::Place;
use statewright_rom::layout::MAX_DEPTH;

use super::Planned;
use crate::model::{Branch, Model};
use crate::tree::{Node, StateIndex};

/// Longest way through choices; the loader has the same limit.
const MAX_CHOICES_IN_A_ROW: usize = MAX_DEPTH;

/// Choices that a choice leads to directly.
fn next_choices<'m>(model: &'m Model<'_>, choice: StateIndex) -> impl Iterator<Item = StateIndex> + 'm {
    let branches = &model.branches[model.parts[choice].branches.clone()];
    branches.iter().flat_map(|branch| &branch.entry.targets).filter_map(|&target| as_choice(model, target))
}

fn as_choice(model: &Model<'_>, target: Node) -> Option<StateIndex> {
    match target {
        Node::State(state) if model.tree.states[state].kind == StateKind::Choice => Some(state),
        _ => None,
    }
}

/// Reports circles, and ways that are too long.
pub fn check_cycles(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    // Longest way from each choice on; `None` while it is being walked.
    let mut length: Vec<Option<usize>> = vec![Some(0); model.tree.states.len()];
    let mut done = vec![false; model.tree.states.len()];
    for start in 0..model.tree.states.len() {
        if model.tree.states[start].kind != StateKind::Choice || done[start] {
            continue;
        }
        // Depth-first with an explicit stack: (choice, choices still to visit).
        let mut stack = vec![(start, next_choices(model, start).collect::<Vec<_>>())];
        length[start] = None;
        while let Some((choice, open)) = stack.last_mut() {
            let choice = *choice;
            match open.pop() {
                Some(next) if length[next].is_none() && !done[next] => {
                    diagnostics.push(cycle(model, choice, next));
                }
                Some(next) if !done[next] => {
                    length[next] = None;
                    stack.push((next, next_choices(model, next).collect()));
                }
                Some(_) => {}
                None => {
                    let longest = next_choices(model, choice).filter_map(|next| length[next]).max().unwrap_or(0);
                    length[choice] = Some(longest + 1);
                    done[choice] = true;
                    stack.pop();
                    if longest + 1 == MAX_CHOICES_IN_A_ROW + 1 {
                        diagnostics.push(too_long(model, choice));
                    }
                }
            }
        }
    }
}

fn cycle(model: &Model<'_>, from: StateIndex, to: StateIndex) -> Diagnostic {
    let text = format!("choice `{}` leads back to choice `{}`", model.tree.path(from), model.tree.path(to));
    let mut branches = model.branches[model.parts[from].branches.clone()].iter();
    let place = branches.find_map(|branch| branch_target(branch, Node::State(to)));
    Diagnostic::new(Code::ChoiceCycle, place.unwrap_or(model.tree.states[from].authored.name.place), text)
        .label("closes a circle")
        .related(model.tree.states[to].authored.name.place, "leads here again")
        .help("let one of the branches lead to a state")
}

fn too_long(model: &Model<'_>, from: StateIndex) -> Diagnostic {
    let text = format!("more than {MAX_CHOICES_IN_A_ROW} choices follow each other");
    Diagnostic::new(Code::ChoiceCycle, model.tree.states[from].authored.name.place, text)
        .label("starts here")
        .help("put a state between them")
}

/// Where a branch names a target.
fn branch_target(branch: &Branch<'_>, target: Node) -> Option<Place> {
    let at = branch.entry.targets.iter().position(|&other| other == target)?;
    branch.authored.targets.get(at).map(|name| name.place)
}

/// Every branch that a transition may take must stay inside its domain. Each branch is reported once.
pub fn check_domains(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    let model = planned.model;
    let mut reported = HashSet::new();
    for (place, &from) in planned.order.iter().enumerate() {
        let transition = &model.transitions[from];
        let domain = usize::from(planned.tables.transitions[place].domain.get());
        let mut open: Vec<StateIndex> = transition.targets.iter().filter_map(|&t| as_choice(model, t)).collect();
        let mut seen = open.clone();
        while let Some(choice) = open.pop() {
            for branch in &model.branches[model.parts[choice].branches.clone()] {
                for &target in &branch.entry.targets {
                    let inside = match target {
                        Node::State(state) => model.tree.is_inside(state, domain),
                        Node::History(h) => model.tree.contains(domain, model.tree.histories[h].owner),
                    };
                    let place = branch_target(branch, target).unwrap_or(branch.authored.place);
                    if !inside && reported.insert((choice, target, place)) {
                        let (to, within) = (model.tree.node_path(target), model.tree.path(domain));
                        let text =
                            format!("choice `{}` may lead out of `{within}`, to `{to}`", model.tree.path(choice));
                        diagnostics.push(
                            Diagnostic::new(Code::ChoiceLeavesDomain, place, text)
                                .label("leads outside")
                                .related(transition.place(), format!("stays inside `{within}`"))
                                .help(format!(
                                    "move the choice to the level of `{to}`, or use a state with `always` transitions"
                                )),
                        );
                    }
                    if let Some(next) = as_choice(model, target)
                        && !seen.contains(&next)
                    {
                        seen.push(next);
                        open.push(next);
                    }
                }
            }
        }
    }
}
