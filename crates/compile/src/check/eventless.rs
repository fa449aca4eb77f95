//! Chains of eventless transitions: circles that never end, circles that may not end, and how long
//! a chain can get (TICK-4 stops all of them at run time).

use std::collections::{BTreeSet, HashMap};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;
use statewright_rom::ids::{StateId, TransitionId};
use statewright_rom::layout::{NONE, PlanStepKind, TIERS};

use super::Planned;
use crate::index::{ConditionIndex, StateIndex, TransitionIndex};
use crate::lower::INTERNAL_FIRST_MICROSTEPS;
use crate::model::{Transition, Trigger};

/// Machines with more eventless transitions than this are not analyzed.
const MAX_ANALYZED: usize = 4096;

/// Different guards for which circles are looked for.
const MAX_GUARDS: usize = 64;

/// How long a chain of eventless microsteps can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chains {
    /// At most so many in a row.
    Bounded(usize),
    /// Guards decide: some lead in a circle.
    Circular,
    /// Too many transitions to tell.
    Unknown,
}

/// One transition, and the links that may follow it.
pub(super) struct Link {
    pub(super) transition: TransitionIndex,
    pub(super) next: Vec<usize>,
}

/// Reports circles and long chains.
pub fn check(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    let Some(links) = links(planned) else { return };
    let model = planned.model;
    let of = |link: usize| &model.transitions[links[link].transition];
    // Debounce, cooldown and minimum times end a circle within the tick.
    let at_once = |link: usize| {
        let transition = of(link);
        let held = model.resolved[transition.source].min_active.is_some()
            && transition.authored.interrupt.is_none();
        transition.trigger == Trigger::Always
            && !transition.cooldown.is_some()
            && !transition.debounce.is_some()
            && !held
    };
    let unguarded = |link: usize| at_once(link) && is_free(of(link));
    if let Some(circle) = find_circle(&links, unguarded) {
        diagnostics.push(describe(
            planned,
            &links,
            &circle,
            DiagnosticCode::AlwaysCycle,
        ));
        return;
    }
    let circular = find_circle(&links, |link| of(link).trigger == Trigger::Always).is_some();
    let guards: BTreeSet<ConditionIndex> = (0..links.len())
        .filter(|_| circular)
        .filter_map(|link| of(link).guard)
        .collect();
    for guard in guards.into_iter().take(MAX_GUARDS) {
        let same =
            |link: usize| at_once(link) && (of(link).guard == Some(guard) || is_free(of(link)));
        if let Some(circle) = find_circle(&links, same) {
            diagnostics.push(describe(
                planned,
                &links,
                &circle,
                DiagnosticCode::PossibleLivelock,
            ));
        }
    }
}

/// Reports a chain that is longer than a tick of the tier allows.
pub fn check_length(planned: &Planned<'_, '_>, tier: usize, diagnostics: &mut Diagnostics) {
    let Some(links) = links(planned) else { return };
    let Some(lengths) = lengths(&links) else {
        return;
    };
    let cap = usize::from(cap(planned, tier));
    // The first of the longest ones.
    let Some((start, &length)) = lengths
        .iter()
        .enumerate()
        .max_by_key(|&(link, &length)| (length, usize::MAX - link))
    else {
        return;
    };
    if length > cap {
        let text = format!(
            "up to {length} eventless transitions may follow each other, but a tick allows {cap} microsteps"
        );
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::LongChain,
                planned.model.transitions[links[start].transition].span(),
                text,
            )
            .label("the longest chain starts here")
            .note("the rest waits for the next tick, and this one counts as clamped")
            .help(format!(
                "shorten the chain, or write `\"budgets\": {{ \"microsteps_per_tick\": {length} }}`"
            )),
        );
    }
}

/// How long chains can get, for the report.
pub fn chains(planned: &Planned<'_, '_>) -> Chains {
    let Some(links) = links(planned) else {
        return Chains::Unknown;
    };
    match lengths(&links) {
        Some(lengths) => Chains::Bounded(lengths.into_iter().max().unwrap_or(0)),
        None => Chains::Circular,
    }
}

/// Microsteps that a tick allows (RAM-2, EVT-10).
fn cap(planned: &Planned<'_, '_>, tier: usize) -> u16 {
    let machine = planned.model.machine;
    match (
        &machine.budgets.microsteps_per_tick,
        &machine.policies.internal_first,
    ) {
        (Some(cap), _) => cap.value as u16,
        (None, Some(on)) if on.value => INTERNAL_FIRST_MICROSTEPS as u16,
        (None, _) => TIERS[tier].microsteps_per_tick,
    }
}

/// Whether nothing but its trigger holds a transition back.
pub(super) fn is_free(transition: &Transition<'_>) -> bool {
    transition.guard.is_none()
        && !transition.cooldown.is_some()
        && !transition.debounce.is_some()
        && transition.score.is_none()
}

/// Whether it makes an eventless microstep: one that means to stay makes none (LANG-6).
fn is_step(transition: &Transition<'_>) -> bool {
    transition.trigger.is_eventless() && transition.authored.stay.is_none()
}

/// Eventless transitions, each with those whose source is active after it.
fn links(planned: &Planned<'_, '_>) -> Option<Vec<Link>> {
    let model = planned.model;
    let eventless: Vec<TransitionId> = planned
        .order
        .indices()
        .filter(|&t| is_step(&model.transitions[planned.order[t]]))
        .collect();
    if eventless.len() > MAX_ANALYZED {
        return None;
    }
    let mut by_source: HashMap<StateIndex, Vec<usize>> = HashMap::new();
    for (link, &index) in eventless.iter().enumerate() {
        by_source
            .entry(model.transitions[planned.order[index]].source)
            .or_default()
            .push(link);
    }
    let next = |index: TransitionId| -> Vec<usize> {
        active_after(planned, index)
            .iter()
            .filter_map(|state| by_source.get(state))
            .flatten()
            .copied()
            .collect()
    };
    Some(
        eventless
            .iter()
            .map(|&index| Link {
                transition: planned.order[index],
                next: next(index),
            })
            .collect(),
    )
}

/// States that are certainly active after a transition: what its plan enters, and what is around
/// its domain.
pub(super) fn active_after(planned: &Planned<'_, '_>, index: TransitionId) -> BTreeSet<StateIndex> {
    let tables = planned.tables;
    let transition = &planned.model.transitions[planned.order[index]];
    let domain = planned.domain(index);
    let mut active: BTreeSet<StateIndex> = planned
        .model
        .tree
        .ancestors(domain)
        .chain([domain])
        .collect();
    let plan = planned.plan(index).plan.get();
    if plan != NONE {
        let plan = &tables.entry_plans[usize::from(plan)];
        let first = plan.first.get() as usize;
        let steps = &tables.entry_steps[first..first + usize::from(plan.count.get())];
        active.extend(
            steps
                .iter()
                .filter(|s| s.kind == PlanStepKind::State)
                .filter_map(|s| StateId::read(s.state))
                .map(StateIndex::from),
        );
        // A final child of the root ends the agent (EXEC-6).
        let ends = |&state: &StateIndex| {
            let node = &planned.model.tree.states[state];
            node.kind == StateKind::Final && node.parent == Some(StateIndex::ROOT)
        };
        if active.iter().any(ends) {
            return BTreeSet::new();
        }
    }
    if transition.targets.is_empty() && transition.stack.is_none() {
        active.insert(transition.source);
    }
    active
}

/// A circle among the links that pass a test, as the links on it.
pub(super) fn find_circle(links: &[Link], test: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; links.len()];
    for start in 0..links.len() {
        if marks[start] != Mark::New || !test(start) {
            continue;
        }
        let mut path = vec![(start, 0)];
        marks[start] = Mark::Open;
        while let Some((at, position)) = path.last_mut() {
            let at = *at;
            let Some(&next) = links[at].next.get(*position) else {
                marks[at] = Mark::Done;
                path.pop();
                continue;
            };
            *position += 1;
            if !test(next) {
                continue;
            }
            match marks[next] {
                Mark::New => {
                    marks[next] = Mark::Open;
                    path.push((next, 0));
                }
                Mark::Open => {
                    let from = path.iter().position(|&(link, _)| link == next).unwrap_or(0);
                    return Some(path[from..].iter().map(|&(link, _)| link).collect());
                }
                Mark::Done => {}
            }
        }
    }
    None
}

/// Longest way along links from each one on, if there is no circle.
fn lengths(links: &[Link]) -> Option<Vec<usize>> {
    if find_circle(links, |_| true).is_some() {
        return None;
    }
    // No circle: repeated relaxation in depth-first finishing order.
    let mut length = vec![0usize; links.len()];
    let mut done = vec![false; links.len()];
    for start in 0..links.len() {
        let mut path = vec![(start, 0)];
        while let Some((at, position)) = path.last_mut() {
            let at = *at;
            if done[at] {
                path.pop();
                continue;
            }
            match links[at].next.get(*position) {
                Some(&next) => {
                    *position += 1;
                    if !done[next] {
                        path.push((next, 0));
                    }
                }
                None => {
                    length[at] = 1 + links[at]
                        .next
                        .iter()
                        .map(|&next| length[next])
                        .max()
                        .unwrap_or(0);
                    done[at] = true;
                    path.pop();
                }
            }
        }
    }
    Some(length)
}

fn describe(
    planned: &Planned<'_, '_>,
    links: &[Link],
    circle: &[usize],
    code: DiagnosticCode,
) -> Diagnostic {
    const MOST_SHOWN: usize = 6;
    let model = planned.model;
    let of = |link: usize| &model.transitions[links[link].transition];
    let mut names: Vec<String> = circle
        .iter()
        .take(MOST_SHOWN)
        .map(|&link| format!("`{}`", model.tree.path(of(link).source)))
        .collect();
    if circle.len() > MOST_SHOWN {
        names.push("…".to_owned());
    }
    names.push(names[0].clone());
    let first = of(circle[0]);
    let text = match code {
        DiagnosticCode::AlwaysCycle => format!(
            "`always` transitions without a guard lead in a circle: {}",
            names.join(" → ")
        ),
        _ => format!(
            "`always` transitions lead in a circle while one guard holds: {}",
            names.join(" → ")
        ),
    };
    let problem = Diagnostic::new(code, first.span(), text).label("part of the circle");
    let problem = circle[1..]
        .iter()
        .take(MOST_SHOWN)
        .fold(problem, |problem, &link| {
            problem.related(of(link).span(), "and this")
        });
    problem
        .note("a tick would take these until its cap, and be clamped")
        .help(match code {
            DiagnosticCode::AlwaysCycle => {
                "give one of them a guard, a target that ends the circle, or an event as trigger"
            }
            _ => "let one of the effects make the guard false, or use different guards",
        })
}
