//! Which children of a region can be alive at the same time although only one is active: those that
//! a push suspends, and those that may run above them (EXEC-8).
//!
//! ```text
//!            push                           above(talk)       = { talk, trade }
//! patrol ─────────▶ talk ──▶ trade          suspended(patrol) = above(talk)
//!    ▲                │        │
//!    └────── pop ─────┴────────┘            conflicts: patrol with talk, patrol with trade
//! sleep ◀──▶ patrol                         none: sleep with anybody, talk with trade
//! ```
//!
//! A transition whose source and targets lie in the region of the stack stays in it and leaves the
//! frames alone; any other unwinds them. So what may run above a frame is found by following the
//! former from the target of the push. If that leads back to what is suspended (`talk` to `patrol`
//! without a pop), one state would be alive twice in the same cells: that is refused.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StackOperation;

use crate::index::{RegionIndex, StateIndex};
use crate::model::{Model, Transition};

/// Different targets of pushes in one region; what may run above each is found once.
const MAX_PUSH_TARGETS: usize = 64;

/// Which children of one region can be alive together.
#[derive(Debug, Default)]
pub struct PushConflicts {
    regions: BTreeSet<RegionIndex>,
    /// For each target of a push, the children that may run from there on.
    above: Vec<HashSet<StateIndex>>,
    /// For each child that is suspended, the sets that may run above it.
    suspended: HashMap<StateIndex, BTreeSet<usize>>,
}

impl PushConflicts {
    /// Finds the conflicts; a push that could suspend a state that is already suspended is
    /// reported.
    pub fn new(model: &Model<'_>, diagnostics: &mut Diagnostics) -> Self {
        let mut conflicts = Self::default();
        let mut pushes: BTreeMap<RegionIndex, Vec<&Transition<'_>>> = BTreeMap::new();
        for transition in &model.transitions {
            if let Some((StackOperation::Push, region)) = transition.stack {
                pushes.entry(region).or_default().push(transition);
            }
        }
        for (region, pushes) in pushes {
            conflicts.add_region(model, region, &pushes, diagnostics);
        }
        conflicts
    }

    fn add_region(
        &mut self,
        model: &Model<'_>,
        region: RegionIndex,
        pushes: &[&Transition<'_>],
        diagnostics: &mut Diagnostics,
    ) {
        let owner = model.tree.regions[region].owner;
        let moves = child_moves(model, region);
        let mut sets: HashMap<StateIndex, usize> = HashMap::new();
        self.regions.insert(region);
        for push in pushes {
            let target = push
                .targets
                .first()
                .and_then(|&t| model.tree.child_towards(owner, model.tree.anchor(t)));
            let (Some(suspended), Some(target)) =
                (model.tree.child_towards(owner, push.source), target)
            else {
                continue;
            };
            if sets.len() >= MAX_PUSH_TARGETS && !sets.contains_key(&target) {
                diagnostics.push(too_many_targets(push));
                return;
            }
            let set = *sets.entry(target).or_insert_with(|| {
                self.above.push(reachable(target, &moves));
                self.above.len() - 1
            });
            if self.above[set].contains(&suspended) {
                diagnostics.push(suspends_twice(model, push, suspended, target));
            } else {
                self.suspended.entry(suspended).or_default().insert(set);
            }
        }
    }

    /// Whether any push happens in a region.
    pub fn concern(&self, region: RegionIndex) -> bool {
        self.regions.contains(&region)
    }

    /// Whether two children of one region can be alive together.
    pub fn conflict(&self, a: StateIndex, b: StateIndex) -> bool {
        self.runs_above(a, b) || self.runs_above(b, a)
    }

    fn runs_above(&self, suspended: StateIndex, other: StateIndex) -> bool {
        self.suspended
            .get(&suspended)
            .is_some_and(|sets| sets.iter().any(|&set| self.above[set].contains(&other)))
    }
}

fn too_many_targets(push: &Transition<'_>) -> Diagnostic {
    let text = format!("pushes of one region go to more than {MAX_PUSH_TARGETS} different states");
    Diagnostic::new(DiagnosticCode::TableFull, push.span(), text)
        .label("one too many")
        .help("push to a few states that hold the others")
}

fn suspends_twice(
    model: &Model<'_>,
    push: &Transition<'_>,
    suspended: StateIndex,
    target: StateIndex,
) -> Diagnostic {
    let name = model.tree.path(suspended);
    let span = push
        .authored
        .stack
        .as_ref()
        .map_or(push.span(), |stack| stack.span);
    let text = format!(
        "`{name}` is suspended by this push and could be entered again before it is resumed"
    );
    Diagnostic::new(DiagnosticCode::SuspendsTwice, span, text)
        .label(format!("suspends `{name}`"))
        .note(format!("from `{}` transitions lead back to `{name}` without a pop", model.tree.path(target)))
        .help("return by a transition with `\"stack\": \"pop\"`, or push to a state that does not lead back")
}

/// Whether two states can be alive at the same time, push and pop included.
pub fn interfere(
    model: &Model<'_>,
    conflicts: &PushConflicts,
    a: StateIndex,
    b: StateIndex,
) -> bool {
    if model.tree.can_be_active_together(a, b) {
        return true;
    }
    let common = model.tree.common_ancestor(a, b);
    match (
        model.tree.child_towards(common, a),
        model.tree.child_towards(common, b),
    ) {
        (Some(a), Some(b)) => conflicts.conflict(a, b),
        _ => false,
    }
}

/// Which child of a region leads to which by a transition that stays in the region.
fn child_moves(
    model: &Model<'_>,
    region: RegionIndex,
) -> BTreeMap<StateIndex, BTreeSet<StateIndex>> {
    let owner = model.tree.regions[region].owner;
    let child_of = |state| {
        let child = model.tree.child_towards(owner, state)?;
        (model.tree.states[child].region == Some(region)).then_some(child)
    };
    let mut moves: BTreeMap<StateIndex, BTreeSet<StateIndex>> = BTreeMap::new();
    for transition in &model.transitions {
        let Some(from) = child_of(transition.source) else {
            continue;
        };
        let targets: Option<Vec<StateIndex>> = transition
            .targets
            .iter()
            .map(|&target| child_of(model.tree.anchor(target)))
            .collect();
        if let Some(targets) = targets {
            moves.entry(from).or_default().extend(targets);
        }
    }
    for branch in &model.branches {
        let Some(from) = child_of(branch.owner) else {
            continue;
        };
        let targets = branch
            .entry
            .targets
            .iter()
            .filter_map(|&target| child_of(model.tree.anchor(target)));
        moves.entry(from).or_default().extend(targets);
    }
    moves
}

fn reachable(
    start: StateIndex,
    moves: &BTreeMap<StateIndex, BTreeSet<StateIndex>>,
) -> HashSet<StateIndex> {
    let mut seen = HashSet::from([start]);
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
