//! Typed indices of the compiler, and lists that only the right one opens.
//!
//! Two numberings meet in the compiler, and both would be plain `usize`:
//!
//! ```text
//! authored tree and model                 ROM
//! StateIndex 2                            StateId 2        the same number, both in pre-order
//! TransitionIndex 0, 1, 2 (as declared)   TransitionId …   in the order of selection (SEL-3)
//! FunctionIndex   0, 1, 2 (first use)     FunctionId …     in the order of the linker table (ROM-8)
//! ```
//!
//! A transition that is looked up by the wrong one of the two is a transition of another state, and
//! nothing says so. So everything before `lower` counts with the types below, which have no upper
//! limit (a machine with too many states is still checked to its end), and what comes after counts
//! with [`statewright_rom::ids`], which fit the records. `lower` is where one becomes the other.

use std::fmt;
use std::hash::Hash;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops;

use statewright_rom::ids::{
    HistoryId, RegionId, StateExtraId, StateId, TransitionExtraId, TransitionId,
};

/// A number that says what it counts.
pub trait Index: Copy + Eq + Ord + Hash + fmt::Debug {
    /// The item at a position of its list.
    fn new(position: usize) -> Self;

    /// The position in its list.
    fn position(self) -> usize;
}

/// Defines index types.
macro_rules! indices {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(usize);

        impl Index for $name {
            fn new(position: usize) -> Self {
                Self(position)
            }

            fn position(self) -> usize {
                self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

indices! {
    /// A state, in pre-order; the root is [`StateIndex::ROOT`].
    StateIndex,
    /// A region, by owner in pre-order.
    RegionIndex,
    /// A history point, by owner in pre-order.
    HistoryIndex,
    /// A transition, by source, as declared and with sugar expanded.
    TransitionIndex,
    /// Targets that are entered together, in the order of first use.
    TargetSetIndex,
    /// A branch of a choice, by choice, as declared.
    BranchIndex,
    /// A timer of the model: declared or made up.
    TimerIndex,
    /// A declared event.
    EventIndex,
    /// A declared blackboard key.
    KeyIndex,
    /// A declared parameter.
    ParameterIndex,
    /// A declared variant.
    VariantIndex,
    /// A declared channel.
    ChannelIndex,
    /// A lane, the built-in ones first.
    LaneIndex,
    /// A declared lane.
    UserLaneIndex,
    /// A timer declared at the top of the machine.
    MachineTimerIndex,
    /// A function declared at the top of the machine.
    DeclaredFunctionIndex,
    /// A declared transition set.
    TransitionSetIndex,
    /// A user function, in the order of first use.
    FunctionIndex,
    /// A guard, score or activity, in the order of first use.
    ConditionIndex,
    /// A list of actions, in the order of first use.
    ActionListIndex,
    /// A text, in the order of first use.
    StringIndex,
    /// A compiled expression, in the order of first use.
    ExpressionIndex,
    /// A duration that is found where it is needed.
    DurationIndex,
}

impl StateIndex {
    /// The root.
    pub const ROOT: Self = Self(0);

    /// The state after it in pre-order: its first child, if it has one.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Both number the states in pre-order.
impl From<StateId> for StateIndex {
    fn from(id: StateId) -> Self {
        Self(id.index())
    }
}

/// Ids of the ROM open lists that have one item per record of a table.
macro_rules! rom_ids {
    ($($name:ident),+ $(,)?) => {$(
        impl Index for $name {
            fn new(position: usize) -> Self {
                Self::from_index(position).expect("no table has more than MAX_RECORDS records")
            }

            fn position(self) -> usize {
                self.index()
            }
        }
    )+};
}

rom_ids!(
    StateId,
    RegionId,
    TransitionId,
    HistoryId,
    StateExtraId,
    TransitionExtraId,
);

/// A list that is opened by its own kind of index.
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<I>,
}

impl<I: Index, T> IndexVec<I, T> {
    /// As many items as another list has, all the same.
    pub fn filled<U>(item: T, like: &IndexVec<I, U>) -> Self
    where
        T: Clone,
    {
        Self::from(vec![item; like.len()])
    }

    /// Adds an item and says where it lies.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// Where the next item will lie.
    pub fn next_index(&self) -> I {
        I::new(self.items.len())
    }

    /// All indices, in order.
    pub fn indices(&self) -> IndexRange<I> {
        IndexRange::new(I::new(0), self.next_index())
    }

    /// All items, each with its index.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items
            .iter()
            .enumerate()
            .map(|(position, item)| (I::new(position), item))
    }

    /// An item that may not be there.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.position())
    }

    /// An item that may not be there.
    pub fn get_mut(&mut self, index: I) -> Option<&mut T> {
        self.items.get_mut(index.position())
    }
}

impl<I, T> ops::Deref for IndexVec<I, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<I, T> ops::DerefMut for IndexVec<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<I, T: Clone> Clone for IndexVec<I, T> {
    fn clone(&self) -> Self {
        Self::from(self.items.clone())
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<I, T: PartialEq> PartialEq for IndexVec<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<I, T: Eq> Eq for IndexVec<I, T> {}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self {
            items,
            index: PhantomData,
        }
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        Self::from(Vec::from_iter(items))
    }
}

impl<I, T> Extend<T> for IndexVec<I, T> {
    fn extend<S: IntoIterator<Item = T>>(&mut self, items: S) {
        self.items.extend(items);
    }
}

impl<'v, I, T> IntoIterator for &'v IndexVec<I, T> {
    type Item = &'v T;
    type IntoIter = std::slice::Iter<'v, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'v, I, T> IntoIterator for &'v mut IndexVec<I, T> {
    type Item = &'v mut T;
    type IntoIter = std::slice::IterMut<'v, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<I: Index, T> ops::Index<I> for IndexVec<I, T> {
    type Output = T;

    fn index(&self, index: I) -> &T {
        &self.items[index.position()]
    }
}

impl<I: Index, T> ops::IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.position()]
    }
}

impl<I: Index, T> ops::Index<IndexRange<I>> for IndexVec<I, T> {
    type Output = [T];

    fn index(&self, range: IndexRange<I>) -> &[T] {
        &self.items[range.start.position()..range.end.position()]
    }
}

/// Consecutive indices. Like a `Range`, which can only count over numbers that are bare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRange<I> {
    /// The first.
    pub start: I,
    /// One past the last.
    pub end: I,
}

impl<I: Index> IndexRange<I> {
    /// From `start` up to but without `end`.
    pub fn new(start: I, end: I) -> Self {
        Self { start, end }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}

impl<I: Index> Default for IndexRange<I> {
    fn default() -> Self {
        Self::new(I::new(0), I::new(0))
    }
}

impl<I: Index> Iterator for IndexRange<I> {
    type Item = I;

    fn next(&mut self) -> Option<I> {
        let next = self.start;
        (self.start < self.end).then(|| {
            self.start = I::new(next.position() + 1);
            next
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.end.position().saturating_sub(self.start.position());
        (count, Some(count))
    }
}

impl<I: Index> DoubleEndedIterator for IndexRange<I> {
    fn next_back(&mut self) -> Option<I> {
        (self.start < self.end).then(|| {
            self.end = I::new(self.end.position() - 1);
            self.end
        })
    }
}

impl<I: Index> ExactSizeIterator for IndexRange<I> {}
impl<I: Index> FusedIterator for IndexRange<I> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_from_both_ends() {
        let mut list: IndexVec<StateIndex, &str> = IndexVec::default();
        assert!(list.indices().is_empty());
        for name in ["root", "idle", "combat"] {
            list.push(name);
        }
        let inner = IndexRange::new(StateIndex::new(1), list.next_index());
        assert_eq!(&list[inner.clone()], ["idle", "combat"]);
        assert_eq!(inner.len(), 2);
        let backwards: Vec<&str> = list.indices().rev().map(|state| list[state]).collect();
        assert_eq!(backwards, ["combat", "idle", "root"]);
    }
}
