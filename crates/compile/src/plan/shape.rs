//! The tree as the base tables describe it, with the few questions that plans ask.

use std::ops::Range;

use statewright_rom::layout::*;

use crate::tables::Tables;

/// Parents, regions and ranges of all states.
#[derive(Debug)]
pub struct Shape {
    parents: Vec<Option<usize>>,
    ends: Vec<usize>,
    kinds: Vec<StateKind>,
    regions: Vec<Range<usize>>,
    region_of: Vec<Option<usize>>,
    region_owner: Vec<usize>,
}

impl Shape {
    /// Reads the tree.
    pub fn new(tables: &Tables) -> Self {
        let some = |value: u16| (value != NONE).then_some(usize::from(value));
        let mut shape = Self {
            parents: tables.states.iter().map(|s| some(s.parent.get())).collect(),
            ends: tables
                .states
                .iter()
                .map(|s| usize::from(s.subtree_end.get()))
                .collect(),
            kinds: tables.states.iter().map(|s| s.kind.get()).collect(),
            regions: Vec::new(),
            region_of: tables.states.iter().map(|s| some(s.region.get())).collect(),
            region_owner: tables
                .regions
                .iter()
                .map(|r| usize::from(r.owner.get()))
                .collect(),
        };
        for state in &tables.states {
            let first = some(state.first_region.get()).unwrap_or(0);
            shape
                .regions
                .push(first..first + usize::from(state.region_count));
        }
        shape
    }

    /// Whether `inner` lies strictly inside `outer`.
    pub fn is_inside(&self, inner: usize, outer: usize) -> bool {
        inner > outer && inner < self.ends[outer]
    }

    /// The state around a state.
    pub fn parent(&self, state: usize) -> Option<usize> {
        self.parents[state]
    }

    /// What a state is.
    pub fn kind(&self, state: usize) -> StateKind {
        self.kinds[state]
    }

    /// Regions of a state.
    pub fn regions(&self, state: usize) -> Range<usize> {
        self.regions[state].clone()
    }

    /// The region a state is a child of.
    pub fn region_of(&self, state: usize) -> Option<usize> {
        self.region_of[state]
    }

    /// How many regions there are.
    pub fn region_count(&self) -> usize {
        self.region_owner.len()
    }

    /// The state that has a region.
    pub fn owner(&self, region: usize) -> usize {
        self.region_owner[region]
    }

    /// The region of `outer` in which `inner` lies.
    pub fn region_towards(&self, outer: usize, inner: usize) -> Option<usize> {
        let mut at = inner;
        while let Some(parent) = self.parents[at] {
            if parent == outer {
                return self.region_of[at];
            }
            at = parent;
        }
        None
    }

    /// States from just below `outer` down to `inner`, both in order.
    pub fn path_down(&self, outer: usize, inner: usize) -> Vec<usize> {
        let up = std::iter::successors(Some(inner), |&at| self.parents[at]);
        let mut path: Vec<usize> = up.take_while(|&at| at != outer).collect();
        path.reverse();
        path
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }
}

/// The targets of a set.
pub fn targets(tables: &Tables, set: u16) -> &[TargetRecord] {
    if set == NONE {
        return &[];
    }
    let record = &tables.target_sets[usize::from(set)];
    let first = record.first.get() as usize;
    &tables.targets[first..first + usize::from(record.count.get())]
}
