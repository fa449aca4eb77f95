//! Instances of any tier, side by side.

use statewright_kernel::{Instance, Instance64, Instance128, Instance256, prefetch};
use statewright_rom::Rom;
use statewright_rom::layout::Tier;
use zerocopy::IntoBytes;

/// Instances of one tier.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    Small(Vec<Instance64>),
    Middle(Vec<Instance128>),
    Large(Vec<Instance256>),
}

/// The same for instances of any tier.
macro_rules! with_instances {
    ($store:expr, $instances:ident => $work:expr) => {
        match $store {
            $crate::crowd::store::Store::Small($instances) => $work,
            $crate::crowd::store::Store::Middle($instances) => $work,
            $crate::crowd::store::Store::Large($instances) => $work,
        }
    };
}
pub(crate) use with_instances;

impl Store {
    /// None yet, of the machine's tier.
    pub(crate) fn new(rom: &Rom<'_>) -> Self {
        match rom.tier() {
            Tier::Crowd => Self::Small(Vec::new()),
            Tier::Standard => Self::Middle(Vec::new()),
            Tier::Hero => Self::Large(Vec::new()),
        }
    }

    /// Puts a new instance of the machine that the store was made for at a place, at most one
    /// behind the last.
    pub(crate) fn put(&mut self, machine: u32, seed: u64, agent: u64, place: usize) {
        fn put<I: Instance>(list: &mut Vec<I>, place: usize, instance: I) {
            match list.get_mut(place) {
                Some(old) => *old = instance,
                None => list.push(instance),
            }
        }
        with_instances!(self, list => put(list, place, Instance::of_machine(machine, seed, agent)));
    }

    /// An instance will soon be needed.
    #[inline]
    pub(crate) fn fetch(&self, place: usize) {
        with_instances!(self, list => list.get(place).into_iter().for_each(prefetch));
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        with_instances!(self, list => list.reserve(more));
    }

    /// Becomes what the bytes say; they are a whole number of instances.
    pub(crate) fn fill(&mut self, bytes: &[u8]) {
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

    pub(crate) fn bytes(&self) -> &[u8] {
        with_instances!(self, list => list.as_slice().as_bytes())
    }
}
