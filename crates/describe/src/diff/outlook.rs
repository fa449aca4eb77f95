//! What becomes of agents in a reload of the structure, by the leaves in which they are (LOAD-3): those
//! that are not simply kept.
//!
//! ```text
//! leaf S of the old machine ─▶ L, where it lands in the new one: S itself, or the nearest state around it
//! completed   a region of L, or of a state around L, has nobody: no leaf beside S lands in it
//!             L is final now, or a timer begins whose duration only a tick knows
//! anew        two leaves that were active together land in two children of one region
//! ```

use std::collections::BTreeMap;

use serde::Serialize;
use statewright_rom::ids::StateId;
use statewright_rom::layout::{StateKind, TimerKind};

use super::MachineDiff;
use crate::Description;
use crate::length::Length;

/// Agents that are in some states when their machine is reloaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outlook {
    /// What becomes of them.
    pub fate: Future,
    /// Paths of leaves in the old machine: agents in any of them, or in both of two that begin anew; none
    /// means agents anywhere.
    pub states: Vec<String>,
    /// The reason.
    pub why: String,
}

/// What becomes of agents that are not simply kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Future {
    /// They keep a part of their configuration; the next tick completes it.
    Completed,
    /// They start again.
    Anew,
    /// That depends on what else an agent is in.
    Depends,
}

/// Who is not simply kept.
pub(super) fn outlook(plan: &MachineDiff, old: &Description, new: &Description) -> Vec<Outlook> {
    let view = View {
        plan,
        old: Tree::new(old),
        new: Tree::new(new),
        new_machine: new,
        old_machine: old,
    };
    let mut found: BTreeMap<(Future, String), Vec<String>> = BTreeMap::new();
    let mut all = Vec::new();
    let leaves: Vec<usize> = view.old.leaves().collect();
    for &leaf in &leaves {
        if let Some((fate, why)) = view.of_leaf(leaf, &leaves) {
            found
                .entry((fate, why))
                .or_default()
                .push(view.old.path(leaf));
        }
        let later = leaves.iter().filter(|&&other| other > leaf);
        for &other in later.filter(|&&other| view.conflict(leaf, other)) {
            all.push(Outlook {
                fate: Future::Anew,
                states: vec![view.old.path(leaf), view.old.path(other)],
                why: "they cannot be active together any more".to_owned(),
            });
        }
    }
    let completed = found
        .into_iter()
        .map(|((fate, why), states)| Outlook { fate, states, why });
    all.splice(0..0, completed);
    if view.old.has_stack() {
        all.push(Outlook {
            fate: Future::Depends,
            states: Vec::new(),
            why: "agents with suspended states are kept if the new machine could have suspended them, else they start anew".to_owned(),
        });
    }
    all
}

/// States of a machine, by number.
struct Tree<'d> {
    machine: &'d Description,
    /// The state around each, and the place of the region in it.
    parents: Vec<Option<(usize, usize)>>,
}

impl<'d> Tree<'d> {
    fn new(machine: &'d Description) -> Self {
        let states = &machine.model.states;
        let mut parents = vec![None; states.len()];
        for state in states {
            for (place, region) in state.regions.iter().enumerate() {
                for child in &region.children {
                    if let Some(parent) = parents.get_mut(child.id.index()) {
                        *parent = Some((state.id.index(), place));
                    }
                }
            }
        }
        Self { machine, parents }
    }

    fn path(&self, state: usize) -> String {
        let state = self.machine.model.states.get(state);
        state.map_or_else(String::new, |state| state.path.clone())
    }

    fn kind(&self, state: usize) -> Option<StateKind> {
        Some(self.machine.model.states.get(state)?.kind.0)
    }

    fn regions(&self, state: usize) -> usize {
        let state = self.machine.model.states.get(state);
        state.map_or(0, |state| state.regions.len())
    }

    fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        let is_leaf = |kind| matches!(kind, Some(StateKind::Atomic | StateKind::Final));
        (0..self.parents.len()).filter(move |&state| is_leaf(self.kind(state)))
    }

    fn has_stack(&self) -> bool {
        let mut states = self.machine.model.states.iter();
        states.any(|state| state.regions.iter().any(|region| region.stack.is_some()))
    }

    /// A state and those around it, the root last.
    fn up(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        let parent = |&state: &usize| Some((*self.parents.get(state)?)?.0);
        std::iter::successors(Some(state), parent)
    }

    fn is_in(&self, inner: usize, outer: usize) -> bool {
        self.up(inner).any(|state| state == outer)
    }

    /// The region of a state in which another one lies.
    fn region_towards(&self, outer: usize, inner: usize) -> Option<usize> {
        self.up(inner).find_map(|state| {
            let (parent, place) = (*self.parents.get(state)?)?;
            (parent == outer).then_some(place)
        })
    }

    /// The innermost state around both, and the region of it in which each lies.
    fn meet(&self, one: usize, other: usize) -> Option<(usize, Option<usize>, Option<usize>)> {
        let around = self.up(one).find(|&state| self.is_in(other, state))?;
        Some((
            around,
            self.region_towards(around, one),
            self.region_towards(around, other),
        ))
    }

    /// Can two leaves be active together?
    fn are_concurrent(&self, one: usize, other: usize) -> bool {
        let meet = self.meet(one, other);
        meet.is_some_and(|(_, here, there)| here.is_some() && there.is_some() && here != there)
    }
}

/// Both machines.
struct View<'d> {
    plan: &'d MachineDiff,
    old: Tree<'d>,
    new: Tree<'d>,
    old_machine: &'d Description,
    new_machine: &'d Description,
}

impl View<'_> {
    fn mapped(&self, old: usize) -> Option<usize> {
        if old == 0 {
            return Some(0);
        }
        let fate = self.plan.states.fate(StateId::from_index(old)?)?;
        fate.by_stable_id().map(StateId::index)
    }

    /// Where an agent stands that was in a state.
    fn land(&self, old: usize) -> usize {
        let stands = |state: usize| {
            let to = self.mapped(state)?;
            (self.new.kind(to) != Some(StateKind::Choice)).then_some(to)
        };
        self.old.up(old).find_map(stands).unwrap_or(0)
    }

    /// What becomes of agents in a leaf, if they are not simply kept.
    fn of_leaf(&self, leaf: usize, leaves: &[usize]) -> Option<(Future, String)> {
        let land = self.land(leaf);
        let beside: Vec<usize> = leaves
            .iter()
            .copied()
            .filter(|&other| self.old.are_concurrent(leaf, other))
            .collect();
        if let Some(fate) = self.empty_region(leaf, land, &beside) {
            return Some((fate, self.why_empty(leaf, land)));
        }
        if self.new.kind(land) == Some(StateKind::Final) {
            if self.old.kind(leaf) != Some(StateKind::Final) {
                return Some((Future::Completed, "it is final now".to_owned()));
            }
            let mut around = self.new.up(land).skip(2);
            if around.all(|state| self.new.kind(state) == Some(StateKind::Orthogonal)) {
                let fate = match beside.is_empty() {
                    true => Future::Completed,
                    false => Future::Depends,
                };
                return Some((fate, "it completes the machine now".to_owned()));
            }
        }
        self.timer_waits(leaf, land, &beside)
    }

    /// Has a region nobody that must have somebody?
    fn empty_region(&self, leaf: usize, land: usize, beside: &[usize]) -> Option<Future> {
        let mut worst = None;
        for state in self.new.up(land) {
            let own = self.new.region_towards(state, land);
            for region in (0..self.new.regions(state)).filter(|&region| Some(region) != own) {
                let lands_there = |&other: &usize| {
                    let to = self.land(other);
                    self.new.region_towards(state, to) == Some(region)
                };
                if !beside.iter().any(lands_there) {
                    return Some(Future::Completed);
                }
                if !self.is_always_filled(leaf, beside, lands_there) {
                    worst = Some(Future::Depends);
                }
            }
        }
        worst
    }

    /// Is there a region beside a leaf all of whose leaves land where somebody is needed?
    fn is_always_filled(
        &self,
        leaf: usize,
        beside: &[usize],
        lands_there: impl Fn(&usize) -> bool,
    ) -> bool {
        self.old.up(leaf).any(|state| {
            let own = self.old.region_towards(state, leaf);
            let mut others = (0..self.old.regions(state)).filter(|&region| Some(region) != own);
            others.any(|region| {
                let is_in =
                    |&&other: &&usize| self.old.region_towards(state, other) == Some(region);
                let mut inside = beside.iter().filter(is_in).peekable();
                inside.peek().is_some() && inside.all(&lands_there)
            })
        })
    }

    fn why_empty(&self, leaf: usize, land: usize) -> String {
        let why = match self.mapped(leaf) {
            None => "it is gone",
            Some(to) if to != land => "it is a choice now",
            Some(_) if self.new.regions(land) > 0 => "it has states of its own now",
            Some(_) => "a region beside it has nobody",
        };
        why.to_owned()
    }

    /// Does a timer begin whose duration only a tick can find?
    fn timer_waits(&self, leaf: usize, land: usize, beside: &[usize]) -> Option<(Future, String)> {
        let why = "a timer begins whose duration is computed";
        let mut worst = None;
        for (number, timer) in self.new_machine.layout.timers.iter().enumerate() {
            let is_computed = !matches!(timer.length, None | Some(Length::Ticks(_)));
            let starts = matches!(timer.kind.0, TimerKind::After | TimerKind::Every);
            if !is_computed || !starts || !self.new.is_in(land, timer.owner.id.index()) {
                continue;
            }
            let origins = self.plan.timers.old.iter();
            let mut origins = origins.filter(|(_, fate)| {
                let to = fate.by_stable_id();
                to.is_some_and(|to| to.index() == number)
            });
            let before = origins.next();
            let before = before.and_then(|(id, _)| self.old_machine.layout.timers.get(id.index()));
            let owner = before
                .filter(|own| {
                    use TimerKind::{After, Every, State};
                    matches!(own.kind.0, After | Every | State)
                })
                .map(|own| own.owner.id.index());
            let was_active = |state: usize| owner.is_some_and(|owner| self.old.is_in(state, owner));
            if was_active(leaf) {
                continue;
            }
            match beside.iter().any(|&other| was_active(other)) {
                true => worst = Some(Future::Depends),
                false => return Some((Future::Completed, why.to_owned())),
            }
        }
        worst.map(|fate| (fate, why.to_owned()))
    }

    /// Were two leaves active together that cannot be any more?
    fn conflict(&self, one: usize, other: usize) -> bool {
        if !self.old.are_concurrent(one, other) {
            return false;
        }
        let meet = self.new.meet(self.land(one), self.land(other));
        meet.is_some_and(|(_, here, there)| here.is_some() && here == there)
    }
}
