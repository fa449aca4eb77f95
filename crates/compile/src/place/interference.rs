//! Which children of a region can be alive at the same time although only one is active: those that a push suspends,
//! and those that may run above them (EXEC-8).
//!
//! A transition whose source and targets lie in the region of the stack stays in it and leaves the frames alone; any
//! other unwinds them. So what may run above a frame is found by following the former from the target of the push.

use std::collections::{BTreeMap, BTreeSet};

use statewright_author::codes::Code;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StackOperation;

use crate::model::{Model, Transition};
use crate::tree::{RegionIndex, StateIndex};

/// Pairs of children of one region that can be alive together.
#[derive(Debug, Default)]
pub struct PushConflicts {
    pairs: BTreeSet<(StateIndex, StateIndex)>,
    regions: BTreeSet<RegionIndex>,
}

impl PushConflicts {
    /// Finds the pairs; a push that could suspend a state that is already suspended is reported.
    pub fn new(model: &Model<'_>, diagnostics: &mut Diagnostics) -> Self {
        let mut conflicts = Self::default();
        let mut pushes: BTreeMap<RegionIndex, Vec<&Transition<'_>>> = BTreeMap::new();
        for transition in &model.transitions {
            if let Some((StackOperation::Push, region)) = transition.stack {
                pushes.entry(region).or_default().push(transition);
            }
        }
        for (region, pushes) in pushes {
            let moves = child_moves(model, region);
            for push in pushes {
                conflicts.add(model, region, push, &moves, diagnostics);
            }
        }
        conflicts
    }

    fn add(
        &mut self,
        model: &Model<'_>,
        region: RegionIndex,
        push: &Transition<'_>,
        moves: &BTreeMap<StateIndex, BTreeSet<StateIndex>>,
        diagnostics: &mut Diagnostics,
    ) {
        let owner = model.tree.regions[region].owner;
        let Some(suspended) = model.tree.child_towards(owner, push.source) else { return };
        let target = push.targets.first().and_then(|&t| model.tree.child_towards(owner, model.tree.anchor(t)));
        let Some(target) = target else { return };
        let above = reachable(target, moves);
        if above.contains(&suspended) {
            let name = model.tree.path(suspended);
            diagnostics.push(
                Diagnostic::new(
                    Code::SuspendsTwice,
                    push.authored.stack.as_ref().map_or(push.place(), |stack| stack.place),
                    format!("`{name}` is suspended by this push and could be entered again before it is resumed"),
                )
                .label(format!("suspends `{name}`"))
                .note(format!("from `{}` transitions lead back to `{name}` without a pop", model.tree.path(target)))
                .help("return by a transition with `\"stack\": \"pop\"`, or push to a state that does not lead back"),
            );
            return;
        }
        self.regions.insert(region);
        for other in above {
            self.pairs.insert((suspended.min(other), suspended.max(other)));
        }
    }

    /// Whether any push happens in a region.
    pub fn concern(&self, region: RegionIndex) -> bool {
        self.regions.contains(&region)
    }

    /// Whether two children of one region can be alive together.
    pub fn conflict(&self, a: StateIndex, b: StateIndex) -> bool {
        self.pairs.contains(&(a.min(b), a.max(b)))
    }
}

/// Whether two states can be alive at the same time, push and pop included.
pub fn interfere(model: &Model<'_>, conflicts: &PushConflicts, a: StateIndex, b: StateIndex) -> bool {
    if model.tree.can_be_active_together(a, b) {
        return true;
    }
    let common = model.tree.common_ancestor(a, b);
    match (model.tree.child_towards(common, a), model.tree.child_towards(common, b)) {
        (Some(a), Some(b)) => conflicts.conflict(a, b),
        _ => false,
    }
}

/// Which child of a region leads to which by a transition that stays in the region.
fn child_moves(model: &Model<'_>, region: RegionIndex) -> BTreeMap<StateIndex, BTreeSet<StateIndex>> {
    let owner = model.tree.regions[region].owner;
    let child_of = |state| {
        let child = model.tree.child_towards(owner, state)?;
        (model.tree.states[child].region == Some(region)).then_some(child)
    };
    let mut moves: BTreeMap<StateIndex, BTreeSet<StateIndex>> = BTreeMap::new();
    for transition in &model.transitions {
        let Some(from) = child_of(transition.source) else { continue };
        let targets: Option<Vec<StateIndex>> =
            transition.targets.iter().map(|&target| child_of(model.tree.anchor(target))).collect();
        if let Some(targets) = targets {
            moves.entry(from).or_default().extend(targets);
        }
    }
    for branch in &model.branches {
        let Some(from) = child_of(branch.owner) else { continue };
        let targets = branch.entry.targets.iter().filter_map(|&target| child_of(model.tree.anchor(target)));
        moves.entry(from).or_default().extend(targets);
    }
    moves
}

fn reachable(start: StateIndex, moves: &BTreeMap<StateIndex, BTreeSet<StateIndex>>) -> BTreeSet<StateIndex> {
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for &next in moves.get(&at).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}
