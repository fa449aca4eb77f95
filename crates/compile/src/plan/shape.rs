//! The tree as the base tables describe it, with the few questions that plans ask.

use statewright_rom::ids::{RegionId, StateId, TargetSetId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use crate::index::{Index, IndexRange, IndexVec};
use crate::tables::Tables;

/// Parents, regions and ranges of all states.
#[derive(Debug)]
pub struct Shape {
    parents: IndexVec<StateId, Option<StateId>>,
    ends: IndexVec<StateId, usize>,
    kinds: IndexVec<StateId, StateKind>,
    regions: IndexVec<StateId, IndexRange<RegionId>>,
    region_of: IndexVec<StateId, Option<RegionId>>,
    region_owner: IndexVec<RegionId, StateId>,
}

impl Shape {
    /// Reads the tree.
    pub fn new(tables: &Tables) -> Self {
        let mut shape = Self {
            parents: tables
                .states
                .iter()
                .map(|s| StateId::read(s.parent))
                .collect(),
            ends: tables
                .states
                .iter()
                .map(|s| usize::from(s.subtree_end.get()))
                .collect(),
            kinds: tables.states.iter().map(|s| s.kind.get()).collect(),
            regions: IndexVec::default(),
            region_of: tables
                .states
                .iter()
                .map(|s| RegionId::read(s.region))
                .collect(),
            region_owner: tables.regions.iter().map(|r| state_in(r.owner)).collect(),
        };
        for state in &tables.states {
            let first = RegionId::read(state.first_region).map_or(0, RegionId::index);
            let end = first + usize::from(state.region_count);
            shape
                .regions
                .push(IndexRange::new(Index::new(first), Index::new(end)));
        }
        shape
    }

    /// Whether `inner` lies strictly inside `outer`.
    pub fn is_inside(&self, inner: StateId, outer: StateId) -> bool {
        inner > outer && inner.index() < self.ends[outer]
    }

    /// The state around a state.
    pub fn parent(&self, state: StateId) -> Option<StateId> {
        self.parents[state]
    }

    /// What a state is.
    pub fn kind(&self, state: StateId) -> StateKind {
        self.kinds[state]
    }

    /// Regions of a state.
    pub fn regions(&self, state: StateId) -> IndexRange<RegionId> {
        self.regions[state].clone()
    }

    /// The region a state is a child of.
    pub fn region_of(&self, state: StateId) -> Option<RegionId> {
        self.region_of[state]
    }

    /// One value for each region, all the same.
    pub fn per_region<T: Clone>(&self, value: T) -> IndexVec<RegionId, T> {
        IndexVec::filled(value, &self.region_owner)
    }

    /// The state that has a region.
    pub fn owner(&self, region: RegionId) -> StateId {
        self.region_owner[region]
    }

    /// The region of `outer` in which `inner` lies.
    pub fn region_towards(&self, outer: StateId, inner: StateId) -> Option<RegionId> {
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
    pub fn path_down(&self, outer: StateId, inner: StateId) -> Vec<StateId> {
        let up = std::iter::successors(Some(inner), |&at| self.parents[at]);
        let mut path: Vec<StateId> = up.take_while(|&at| at != outer).collect();
        path.reverse();
        path
    }

    /// All states, in pre-order.
    pub fn states(&self) -> IndexRange<StateId> {
        self.kinds.indices()
    }
}

/// The state in a field that always names one.
pub fn state_in(field: U16) -> StateId {
    StateId::read(field).unwrap_or(StateId::ROOT)
}

/// The targets of the set in a field; none if there is no set.
pub fn targets(tables: &Tables, set: U16) -> &[TargetRecord] {
    let Some(set) = TargetSetId::read(set) else {
        return &[];
    };
    let record = &tables.target_sets[set.index()];
    let first = record.first.get() as usize;
    &tables.targets[first..first + usize::from(record.count.get())]
}
