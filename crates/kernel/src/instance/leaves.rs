//! Active leaves in the order of the tree.
//!
//! Leaf ids say where a leaf lies in the bytes of an instance (RAM-4); rules speak of the order of
//! the tree. A [`Rank`] is a position in that order, and sets of leaves are masks of ranks.

use statewright_rom::ids::StateId;
use statewright_rom::layout::{MAX_LEAVES, NONE};

use super::ram::bit;

/// Position of an active leaf in the order of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u8);

impl Rank {
    pub(crate) const FIRST: Self = Self(0);

    /// The rank of a bit in a mask.
    #[inline]
    pub(crate) fn of_bit(number: u32) -> Self {
        Self(number as u8)
    }

    /// The rank behind.
    #[inline]
    pub(crate) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// As an index of a list with an element per leaf.
    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Its bit in a mask.
    #[inline]
    pub(crate) fn bit(self) -> u8 {
        bit(self.0)
    }
}

/// Up to eight leaves in the order of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaves {
    /// Raw; `NONE` behind the last.
    states: [u16; MAX_LEAVES],
    count: u8,
}

impl Default for Leaves {
    fn default() -> Self {
        Self {
            states: [NONE; MAX_LEAVES],
            count: 0,
        }
    }
}

impl Leaves {
    /// Adds a leaf where it stands in the tree; one past the eighth is left out.
    #[inline]
    pub(crate) fn insert(&mut self, leaf: StateId) {
        let mut moved = leaf.raw();
        let count = usize::from(self.count).saturating_add(1);
        // `NONE` is greater than any leaf.
        for state in self.states.iter_mut().take(count) {
            if *state > moved {
                core::mem::swap(state, &mut moved);
            }
        }
        self.count = count.min(MAX_LEAVES) as u8;
    }

    /// Leaves that are in the order of the tree.
    #[inline]
    pub(crate) fn in_order(leaves: impl Iterator<Item = u16>) -> Self {
        let mut all = Self::default();
        for (cell, leaf) in all.states.iter_mut().zip(leaves) {
            *cell = leaf;
            all.count = all.count.saturating_add(1);
        }
        all
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (Rank, StateId)> + Clone + use<> {
        let leaves = *self;
        (0..self.count)
            .map(Rank)
            .filter_map(move |rank| Some((rank, leaves.get(rank)?)))
    }

    pub(crate) fn get(&self, rank: Rank) -> Option<StateId> {
        StateId::new(*self.states.get(rank.index())?)
    }

    pub(crate) fn len(&self) -> u8 {
        self.count
    }

    /// All of them, one bit per rank.
    #[inline]
    pub(crate) fn mask(&self) -> u8 {
        (0..self.count).fold(0, |mask, rank| mask | bit(rank))
    }

    /// Leaves inside a range of states, one bit per rank.
    #[inline]
    pub(crate) fn mask_in(&self, first: u16, end: u16) -> u8 {
        let ranks = (0_u8..).zip(self.states).take(usize::from(self.count));
        ranks
            .filter(|&(_, leaf)| first <= leaf && leaf < end)
            .fold(0, |mask, (rank, _)| mask | bit(rank))
    }
}
