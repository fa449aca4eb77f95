//! Instances of any tier, side by side.

use std::ops::Range;

use statewright_kernel::{ByTier, Instance, Instance64, Instance128, Instance256, prefetch};
use statewright_rom::Rom;
use zerocopy::IntoBytes;

/// Instances of one tier.
#[derive(Clone, Debug)]
pub(super) struct Instances(pub(super) ByTier<Vec<Instance64>, Vec<Instance128>, Vec<Instance256>>);

/// The same for instances of any tier.
macro_rules! with_instances {
    ($all:expr, $instances:ident => $work:expr) => {
        match $all {
            $crate::crowd::instances::Instances(any) => {
                statewright_kernel::on_tier!(any, $instances => $work)
            }
        }
    };
}
pub(super) use with_instances;

/// The same for two lists of one tier; for those of different tiers, which no crowd has, nothing.
macro_rules! on_same_tier {
    ($one:expr, $other:expr, ($list:ident, $source:ident) => $work:expr) => {
        match (&mut $one.0, &$other.0) {
            (ByTier::Crowd($list), ByTier::Crowd($source)) => $work,
            (ByTier::Standard($list), ByTier::Standard($source)) => $work,
            (ByTier::Hero($list), ByTier::Hero($source)) => $work,
            (ByTier::Crowd(_) | ByTier::Standard(_) | ByTier::Hero(_), _) => {
                debug_assert!(false, "instances of one machine have one tier");
            }
        }
    };
}

impl Instances {
    /// None yet, of the machine's tier.
    pub(super) fn new(rom: &Rom<'_>) -> Self {
        Self(ByTier::of(rom, Vec::new(), Vec::new(), Vec::new()))
    }

    /// Puts a new instance of the machine that the list was made for at an index, at most one
    /// behind the last.
    pub(super) fn put(&mut self, machine: u32, seed: u64, agent: u64, index: usize) {
        fn put<I: Instance>(list: &mut Vec<I>, index: usize, instance: I) {
            match list.get_mut(index) {
                Some(old) => *old = instance,
                None => list.push(instance),
            }
        }
        with_instances!(self, list => put(list, index, Instance::of_machine(machine, seed, agent)));
    }

    /// An instance will soon be needed.
    #[inline(always)]
    pub(super) fn fetch(&self, index: usize) {
        with_instances!(self, list => list.get(index).into_iter().for_each(prefetch));
    }

    pub(super) fn reserve(&mut self, more: usize) {
        with_instances!(self, list => list.reserve(more));
    }

    /// Becomes what the bytes say; they are a whole number of instances.
    pub(super) fn fill(&mut self, bytes: &[u8]) {
        fn fill<I: Instance>(list: &mut Vec<I>, bytes: &[u8]) {
            let count = bytes.len() / size_of::<I>();
            list.truncate(count);
            // Over those that are there it is one copy.
            let (over, behind) = bytes.split_at(size_of_val(list.as_slice()));
            list.as_mut_slice().as_mut_bytes().copy_from_slice(over);
            let behind = behind.chunks_exact(size_of::<I>());
            // How many there are is not seen behind the filter.
            list.reserve_exact(behind.len());
            list.extend(behind.filter_map(|one| I::read_from_bytes(one).ok()));
        }
        with_instances!(self, list => fill(list, bytes));
    }

    /// So many without anything in them; in memory that is exactly as large.
    pub(super) fn blank(&mut self, count: usize) {
        fn blank<I: Instance>(list: &mut Vec<I>, count: usize) {
            list.clear();
            list.reserve_exact(count);
            list.resize(count, I::new_zeroed());
        }
        with_instances!(self, list => blank(list, count));
    }

    /// One becomes what the bytes say; they are one instance.
    pub(super) fn replace(&mut self, index: usize, bytes: &[u8]) {
        fn replace<I: Instance>(one: &mut I, bytes: &[u8]) {
            if let Ok(new) = I::read_from_bytes(bytes) {
                *one = new;
            }
        }
        with_instances!(self, list => replace(&mut list[index], bytes));
    }

    /// Those behind so many go.
    pub(super) fn truncate(&mut self, slots: usize) {
        with_instances!(self, list => list.truncate(slots));
    }

    /// Copies of some of another list of the same tier are added behind the last.
    pub(super) fn extend_from(&mut self, other: &Self, range: Range<usize>) {
        on_same_tier!(self, other, (list, other) => list.extend_from_slice(&other[range]));
    }

    /// Some become copies of those of another list of the same tier, from an index on.
    pub(super) fn copy_from(&mut self, index: usize, other: &Self, range: Range<usize>) {
        on_same_tier!(self, other, (list, other) => {
            list[index..index + range.len()].copy_from_slice(&other[range]);
        });
    }

    pub(super) fn bytes(&self) -> &[u8] {
        with_instances!(self, list => list.as_slice().as_bytes())
    }
}
