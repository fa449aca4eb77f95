//! Choice states (EXEC-7): no circles, no way out of the transition's domain.

use std::collections::HashSet;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;
use statewright_author::span::Span;
use statewright_rom::layout::MAX_DEPTH;

use super::Planned;
use crate::model::{Branch, Model};
use statewright_rom::ids::TransitionId;

use crate::index::{HistoryIndex, IndexVec, RegionIndex, StateIndex};
use crate::tree::Target;

/// Longest way through choices; the loader has the same limit.
const MAX_CHOICES_IN_A_ROW: usize = MAX_DEPTH;

/// Choices that a choice leads to, directly or by the defaults of history points.
fn next_choices<'m>(
    model: &'m Model<'_>,
    choice: StateIndex,
) -> impl Iterator<Item = StateIndex> + 'm {
    let branches = &model.branches[model.resolved[choice].branches.clone()];
    let mut targets: Vec<Target> = branches
        .iter()
        .flat_map(|branch| branch.entry.targets.iter().copied())
        .collect();
    let mut at = 0;
    // A default lies inside the owner of its point, so each point is met once on a way; other ways
    // may meet it again.
    while let Some(&target) = targets.get(at) {
        at += 1;
        if let Target::History(history) = target {
            let defaults = model.history_defaults[history]
                .targets
                .iter()
                .filter(|d| !targets.contains(d));
            let defaults: Vec<Target> = defaults.copied().collect();
            targets.extend(defaults);
        }
    }
    targets
        .into_iter()
        .filter_map(|target| as_choice(model, target))
}

fn as_choice(model: &Model<'_>, target: Target) -> Option<StateIndex> {
    match target {
        Target::State(state) if model.tree.states[state].kind == StateKind::Choice => Some(state),
        _ => None,
    }
}

/// Reports circles, and ways that are too long.
pub fn check_cycles(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let lengths = walk(model, |from, to| diagnostics.push(cycle(model, from, to)));
    for (choice, &length) in lengths.enumerate() {
        if length == MAX_CHOICES_IN_A_ROW + 1 {
            diagnostics.push(too_long(model, choice));
        }
    }
}

/// For each choice, how many choices can follow each other from it on, itself included; 0 for other
/// states.
pub fn choice_lengths(model: &Model<'_>) -> IndexVec<StateIndex, usize> {
    walk(model, |_, _| {})
}

/// Follows all choices, depth first; steps that close a circle are told and left out.
fn walk(
    model: &Model<'_>,
    mut closes_circle: impl FnMut(StateIndex, StateIndex),
) -> IndexVec<StateIndex, usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut lengths = IndexVec::filled(0, &model.tree.states);
    let mut marks = IndexVec::filled(Mark::New, &model.tree.states);
    for start in model.tree.states.indices() {
        if model.tree.states[start].kind != StateKind::Choice || marks[start] != Mark::New {
            continue;
        }
        // An explicit stack: (choice, choices still to visit).
        let mut stack = vec![(start, next_choices(model, start).collect::<Vec<_>>())];
        marks[start] = Mark::Open;
        while let Some((choice, open)) = stack.last_mut() {
            let choice = *choice;
            match open.pop().map(|next| (next, marks[next])) {
                Some((next, Mark::Open)) => closes_circle(choice, next),
                Some((next, Mark::New)) => {
                    marks[next] = Mark::Open;
                    stack.push((next, next_choices(model, next).collect()));
                }
                Some((_, Mark::Done)) => {}
                None => {
                    lengths[choice] = 1 + next_choices(model, choice)
                        .map(|next| lengths[next])
                        .max()
                        .unwrap_or(0);
                    marks[choice] = Mark::Done;
                    stack.pop();
                }
            }
        }
    }
    lengths
}

fn cycle(model: &Model<'_>, from: StateIndex, to: StateIndex) -> Diagnostic {
    let text = format!(
        "choice `{}` leads back to choice `{}`",
        model.tree.path(from),
        model.tree.path(to)
    );
    let mut branches = model.branches[model.resolved[from].branches.clone()].iter();
    let span = branches.find_map(|branch| branch_target(branch, Target::State(to)));
    Diagnostic::new(
        DiagnosticCode::ChoiceCycle,
        span.unwrap_or(model.tree.states[from].authored.name.span),
        text,
    )
    .label("closes a circle")
    .related(model.tree.states[to].authored.name.span, "leads here again")
    .help("let one of the branches lead to a state")
}

fn too_long(model: &Model<'_>, from: StateIndex) -> Diagnostic {
    let text = format!("more than {MAX_CHOICES_IN_A_ROW} choices follow each other");
    Diagnostic::new(
        DiagnosticCode::ChoiceCycle,
        model.tree.states[from].authored.name.span,
        text,
    )
    .label("starts here")
    .help("put a state between them")
}

/// Where a branch names a target.
fn branch_target(branch: &Branch<'_>, target: Target) -> Option<Span> {
    let at = branch
        .entry
        .targets
        .iter()
        .position(|&other| other == target)?;
    branch.authored.targets.get(at).map(|name| name.span)
}

/// Where the branches of a choice must lead: into these regions of one state.
struct Area {
    owner: StateIndex,
    regions: Vec<RegionIndex>,
}

impl Area {
    /// What a transition leaves and enters.
    fn of_transition(planned: &Planned<'_, '_>, transition: TransitionId) -> Self {
        let owner = planned.domain(transition);
        let mask = planned.plan(transition).regions;
        let regions = planned.model.tree.states[owner].regions.clone();
        let left = regions
            .enumerate()
            .filter(|(number, _)| mask.checked_shr(*number as u32).is_some_and(|m| m & 1 != 0));
        Self {
            owner,
            regions: left.map(|(_, region)| region).collect(),
        }
    }

    /// A region that is entered by its initial.
    fn of_region(model: &Model<'_>, region: RegionIndex) -> Self {
        Self {
            owner: model.tree.regions[region].owner,
            regions: vec![region],
        }
    }

    /// A state that is entered by the default of one of its history points.
    fn of_history(model: &Model<'_>, history: HistoryIndex) -> Self {
        let owner = model.tree.histories[history].owner;
        Self {
            owner,
            regions: model.tree.states[owner].regions.clone().collect(),
        }
    }

    fn is_whole(&self, model: &Model<'_>) -> bool {
        self.regions.len() == model.tree.states[self.owner].regions.len()
    }

    fn holds(&self, model: &Model<'_>, target: Target) -> bool {
        let anchor = model.tree.anchor(target);
        if anchor == self.owner && matches!(target, Target::History(_)) {
            // Its own history point brings back every region.
            return self.is_whole(model);
        }
        let child = model.tree.child_towards(self.owner, anchor);
        child
            .and_then(|child| model.tree.states[child].region)
            .is_some_and(|region| self.regions.contains(&region))
    }

    fn shown(&self, model: &Model<'_>) -> String {
        let owner = model.tree.path(self.owner);
        let names = self
            .regions
            .iter()
            .filter_map(|&region| model.tree.regions[region].authored.name.as_ref());
        let names: Vec<&str> = names.map(|name| name.value.as_str()).collect();
        if self.is_whole(model) {
            format!("`{owner}`")
        } else {
            format!("region `{}` of `{owner}`", names.join("`, `"))
        }
    }
}

/// Every branch must stay inside what is entered on the way to its choice: the domain of a
/// transition, the region of an initial, the state of a history point. Each branch is reported
/// once.
pub fn check_domains(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    let model = planned.model;
    let mut reported = HashSet::new();
    let mut follow = |targets: &[Target], area: &dyn Fn() -> Area, from: Span| {
        let choices: Vec<StateIndex> = targets
            .iter()
            .filter_map(|&t| as_choice(model, t))
            .collect();
        if !choices.is_empty() {
            check_branches(model, choices, &area(), from, &mut reported, diagnostics);
        }
    };
    for (index, &from) in planned.order.enumerate() {
        let transition = &model.transitions[from];
        follow(
            &transition.targets,
            &|| Area::of_transition(planned, index),
            transition.span(),
        );
    }
    for (region, entry) in model.initials.enumerate() {
        let initial = model.tree.regions[region].authored.initial.as_ref();
        follow(
            &entry.targets,
            &|| Area::of_region(model, region),
            initial.map_or(Span::default(), |i| i.span),
        );
    }
    for (history, entry) in model.history_defaults.enumerate() {
        let span = model.tree.histories[history].authored.span;
        follow(&entry.targets, &|| Area::of_history(model, history), span);
    }
}

/// Follows branches from choice to choice and reports those that lead out of the area.
fn check_branches(
    model: &Model<'_>,
    mut open: Vec<StateIndex>,
    area: &Area,
    from: Span,
    reported: &mut HashSet<(StateIndex, Target, Span)>,
    diagnostics: &mut Diagnostics,
) {
    let mut seen = open.clone();
    while let Some(choice) = open.pop() {
        for branch in &model.branches[model.resolved[choice].branches.clone()] {
            for &target in &branch.entry.targets {
                let span = branch_target(branch, target).unwrap_or(branch.authored.span);
                if !area.holds(model, target) && reported.insert((choice, target, span)) {
                    diagnostics.push(leaves(model, area, (choice, target), span, from));
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

fn leaves(
    model: &Model<'_>,
    area: &Area,
    way: (StateIndex, Target),
    span: Span,
    from: Span,
) -> Diagnostic {
    let (choice, to, within) = (
        model.tree.path(way.0),
        model.tree.target_path(way.1),
        area.shown(model),
    );
    Diagnostic::new(
        DiagnosticCode::ChoiceLeavesDomain,
        span,
        format!("choice `{choice}` may lead out of {within}, to `{to}`"),
    )
    .label("leads outside")
    .related(from, format!("stays inside {within}"))
    .help(format!(
        "move the choice to the level of `{to}`, or use a state with `always` transitions"
    ))
}
