//! Instances of any tier, side by side.

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
            list.clear();
            list.extend(
                bytes
                    .chunks_exact(size_of::<I>())
                    .filter_map(|one| I::read_from_bytes(one).ok()),
            );
        }
        with_instances!(self, list => fill(list, bytes));
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

    pub(super) fn bytes(&self) -> &[u8] {
        with_instances!(self, list => list.as_slice().as_bytes())
    }
}
