//! Cells for things that live as long as a state is active, shared between states that never are
//! together (RAM-5). A cell is a timer, a slot of the instance, or two bits of one.
//!
//! The tree gives the best sharing directly, so this is linear: what a state needs lies before what
//! its children need, children of one region lie over each other (one is active at a time), regions
//! of an orthogonal state lie one after the other (all are).
//!
//! ```text
//! root     1 timer            timer   0      1       2      3      4
//! ├── idle     1                     root   idle
//! └── fight    1                     root   fight   walk   walk   aim
//!     ├─ legs: walk 2, run 1         root   fight   run    –      aim
//!     └─ arms: aim 1
//!
//! from the leaves up  need: walk 2, run 1, aim 1; fight 1 + max(2, 1) + 1 = 4; root 1 + max(1, 4)
//! from the root down  base: root 0; idle 1, fight 1; walk 2, run 2; aim 1 + 1 + 2 = 4
//! ```
//!
//! Seven timers are asked for, five are there. No greedy search could do with fewer: root, fight,
//! walk and aim are alive together and use all five.
//!
//! Children that a push keeps alive together cannot lie over each other. There the tree no longer
//! tells, and each child takes the lowest offset that overlaps no earlier one it conflicts with:
//!
//! ```text
//! patrol 2 (suspended by a push to talk), talk 1, trade 2 (talk leads to it), sleep 3
//!
//! offset   0        1        2       3
//!          patrol   patrol   talk
//!                            trade   trade
//!          sleep    sleep    sleep           never runs above patrol, so it may lie over it
//! ```

use super::interference::PushConflicts;
use crate::index::{IndexVec, RegionIndex, StateIndex};
use crate::tree::Tree;

/// First cell of each state, and how many cells there are in all.
#[derive(Debug, Default)]
pub struct Packing {
    /// Per state: where its own cells start.
    pub base: IndexVec<StateIndex, u32>,
    /// How many cells the machine needs.
    pub total: u32,
}

/// Gives each state `own[state]` consecutive cells.
pub fn pack(
    tree: &Tree<'_>,
    own: &IndexVec<StateIndex, u32>,
    conflicts: &PushConflicts,
) -> Packing {
    let mut need = IndexVec::filled(0, &tree.states);
    let mut offset = IndexVec::filled(0, &tree.states);
    // Pre-order backwards: children before parents.
    for state in tree.states.indices().rev() {
        let mut regions = 0;
        for region in tree.states[state].regions.clone() {
            regions += pack_children(tree, region, &need, &mut offset, conflicts);
        }
        need[state] = own[state] + regions;
    }
    let mut base = IndexVec::filled(0, &tree.states);
    for state in tree.states.indices() {
        let mut start = base[state] + own[state];
        for region in tree.states[state].regions.clone() {
            let children = &tree.regions[region].children;
            for &child in children {
                base[child] = start + offset[child];
            }
            start += children
                .iter()
                .map(|&child| offset[child] + need[child])
                .max()
                .unwrap_or(0);
        }
    }
    Packing {
        base,
        total: need.first().copied().unwrap_or(0),
    }
}

/// Offsets of the children of a region from its start; returns what the region needs.
fn pack_children(
    tree: &Tree<'_>,
    region: RegionIndex,
    need: &IndexVec<StateIndex, u32>,
    offset: &mut IndexVec<StateIndex, u32>,
    conflicts: &PushConflicts,
) -> u32 {
    let children = &tree.regions[region].children;
    if conflicts.concern(region) {
        for (position, &child) in children.iter().enumerate() {
            offset[child] = lowest_offset(child, &children[..position], need, offset, conflicts);
        }
    }
    children
        .iter()
        .map(|&child| offset[child] + need[child])
        .max()
        .unwrap_or(0)
}

/// The lowest offset at which a child overlaps no earlier one that it conflicts with.
fn lowest_offset(
    child: StateIndex,
    earlier: &[StateIndex],
    need: &IndexVec<StateIndex, u32>,
    offset: &IndexVec<StateIndex, u32>,
    conflicts: &PushConflicts,
) -> u32 {
    let mut taken: Vec<(u32, u32)> = earlier
        .iter()
        .filter(|&&other| need[other] > 0 && conflicts.conflict(child, other))
        .map(|&other| (offset[other], offset[other] + need[other]))
        .collect();
    taken.sort_unstable();
    let mut at = 0;
    for (start, end) in taken {
        if at + need[child] <= start {
            break;
        }
        at = at.max(end);
    }
    at
}

/// Leaf number of each region, and how many leaves each state needs (RAM-4).
#[derive(Debug, Default)]
pub struct Leaves {
    /// Per region.
    pub region: IndexVec<RegionIndex, u32>,
    /// Per state: leaves that it and what is inside it use.
    pub need: IndexVec<StateIndex, u32>,
}

/// Assigns leaf numbers: an orthogonal state's first region keeps the number of the region around
/// it.
pub fn number_leaves(tree: &Tree<'_>) -> Leaves {
    let mut need = IndexVec::filled(1, &tree.states);
    let region_need = |need: &IndexVec<StateIndex, u32>, region: RegionIndex| {
        tree.regions[region]
            .children
            .iter()
            .map(|&child| need[child])
            .max()
            .unwrap_or(1)
    };
    for state in tree.states.indices().rev() {
        let regions = tree.states[state].regions.clone();
        if !regions.is_empty() {
            need[state] = regions.map(|region| region_need(&need, region)).sum();
        }
    }
    let mut region_leaf = IndexVec::filled(0, &tree.regions);
    for state in &tree.states {
        let mut leaf = state.region.map_or(0, |region| region_leaf[region]);
        for region in state.regions.clone() {
            region_leaf[region] = leaf;
            leaf += region_need(&need, region);
        }
    }
    Leaves {
        region: region_leaf,
        need,
    }
}
