//! The active leaves as a chain: in the order of the tree, found without sorting and proved whole in
//! the same walk (RAM-4).
//!
//! Each leaf's poll record names the region in which the next leaf must lie, and that leaf's record
//! names the region whose first leaf it is. If these agree from the first leaf to the last, and no
//! other leaf is set, the configuration is one: [`PollRecord`] has a drawing.

use statewright_rom::Rom;
use statewright_rom::ids::StateId;
use statewright_rom::layout::{NONE, PollRecord, RunRecord};
use zerocopy::byteorder::little_endian::U16;

use crate::context::Context;
use crate::instance::leaves::Leaves;

/// A configuration that was walked from its first leaf to its last: where it begins, and what its
/// leaves have together. The others are found again from leaf to leaf ([`Context::after`]).
///
/// Two words, so that it is handed on in registers.
#[derive(Clone, Copy)]
pub(crate) struct Chain<'a> {
    /// What the first leaf polls and runs.
    pub(crate) first: &'a PollRecord,
    /// In the lower half the slots of all own states with latched transitions, above them [`mark`]s.
    marks: u64,
}

/// What some leaf of a chain has.
mod mark {
    /// Own interrupts.
    pub const INTERRUPTS: u64 = 1 << 32;
    /// Other own candidates.
    pub const ASKS: u64 = 1 << 33;
    /// Something to run.
    pub const RUNS: u64 = 1 << 34;
}

/// What a leaf adds to the marks of its chain.
#[inline(always)]
fn marks_of(poll: &PollRecord) -> u64 {
    let mark = |has: bool, mark: u64| if has { mark } else { 0 };
    u64::from(poll.latches.get())
        | mark(poll.interrupts.get() != 0, mark::INTERRUPTS)
        | mark(poll.asks.get() != 0, mark::ASKS)
        | mark(poll.run.get() != NONE, mark::RUNS)
}

impl<'a> Chain<'a> {
    /// The chain of an instance's leaves; `None` if they are no configuration of the machine.
    #[inline(always)]
    pub(crate) fn of(rom: &Rom<'a>, leaves: &[U16]) -> Option<Self> {
        let [first, others @ ..] = leaves else {
            return None;
        };
        let first = poll_of(rom, *first)?;
        if first.next.get() != NONE {
            return Self::of_several(rom, leaves, first);
        }
        let alone = first.first_of.get() == NONE && others.iter().all(|leaf| leaf.get() == NONE);
        let marks = marks_of(first);
        alone.then_some(Self { first, marks })
    }

    /// The chain of several leaves. Bound: the leaves that are set.
    #[inline(never)]
    fn of_several(rom: &Rom<'a>, leaves: &[U16], first: &'a PollRecord) -> Option<Self> {
        if first.first_of.get() != NONE {
            return None;
        }
        let (mut last, mut marks) = (first, marks_of(first));
        let set = leaves.iter().filter(|leaf| leaf.get() != NONE).count();
        for _ in 1..set {
            let poll = poll_of(rom, *leaves.get(usize::from(last.next_leaf))?)?;
            if poll.first_of != last.next {
                return None;
            }
            marks |= marks_of(poll);
            last = poll;
        }
        (last.next.get() == NONE).then_some(Self { first, marks })
    }

    /// Is there an own eventless interrupt?
    #[inline]
    pub(crate) fn has_interrupts(&self) -> bool {
        self.marks & mark::INTERRUPTS != 0
    }

    /// Is there anything eventless to ask?
    #[inline]
    pub(crate) fn has_asks(&self) -> bool {
        self.marks & (mark::INTERRUPTS | mark::ASKS) != 0
    }

    /// Does anything have to be looked at in every tick (RAM-3)?
    #[inline]
    pub(crate) fn is_polling(&self) -> bool {
        self.marks & (mark::INTERRUPTS | mark::ASKS | mark::RUNS) != 0
    }

    /// Does a transition wait in an active state (SEL-6), by the slots of the instance?
    #[inline]
    pub(crate) fn has_latched(&self, slots: &[U16]) -> bool {
        let latches = self.marks as u32;
        latches != 0 && holds_any(slots, latches)
    }
}

/// What a leaf polls and runs; `None` if it is none.
#[inline(always)]
fn poll_of<'a>(rom: &Rom<'a>, leaf: U16) -> Option<&'a PollRecord> {
    let row = rom.states().get(usize::from(leaf.get()))?.row.get();
    rom.polls().get(usize::from(row))
}

/// Does a slot of a mask hold something?
fn holds_any(slots: &[U16], mask: u32) -> bool {
    let mut slots = (0_u32..).zip(slots);
    slots
        .any(|(number, slot)| slot.get() != 0 && mask & 1_u32.checked_shl(number).unwrap_or(0) != 0)
}

impl<'a> Context<'a> {
    /// The active leaves; `None` if they are no configuration of the machine.
    pub(crate) fn chain(&self) -> Option<Chain<'a>> {
        Chain::of(self.rom, self.ram.leaves())
    }

    /// Does a transition wait in an active state (SEL-6)?
    #[inline]
    pub(crate) fn has_latched_in(&self, chain: &Chain<'_>) -> bool {
        chain.has_latched(self.ram.slots())
    }

    /// What the leaf behind one polls and runs; its chain was walked before. Bound: each lies
    /// behind the one before it in the tree.
    #[inline(always)]
    pub(crate) fn after(&self, poll: &PollRecord) -> Option<&'a PollRecord> {
        if poll.next.get() == NONE {
            return None;
        }
        let leaf = self.ram.leaves().get(usize::from(poll.next_leaf));
        self.proved(leaf.and_then(|leaf| poll_of(self.rom, *leaf)))
    }

    /// Active leaves in the order of the tree.
    pub(crate) fn leaves(&self) -> Leaves {
        let leaves = self.ram.leaves();
        let Some(chain) = self.chain() else {
            return self.sorted_leaves();
        };
        if chain.first.next.get() == NONE {
            return Leaves::in_order(leaves.iter().map(|leaf| leaf.get()).take(1));
        }
        let mut place = Some(0_u8);
        Leaves::in_order(core::iter::from_fn(|| {
            let leaf = *leaves.get(usize::from(place?))?;
            let poll = poll_of(self.rom, leaf)?;
            place = (poll.next.get() != NONE).then_some(poll.next_leaf);
            Some(leaf.get())
        }))
    }

    /// The same where some regions have none yet, as between two entries of a microstep.
    #[cold]
    fn sorted_leaves(&self) -> Leaves {
        let mut leaves = Leaves::default();
        for leaf in self.ram.leaves() {
            if let Some(leaf) = StateId::read(*leaf) {
                leaves.insert(leaf);
            }
        }
        leaves
    }

    /// What a state and those around it run that belong to the same leaf.
    #[inline]
    pub(crate) fn runs_from(&self, first: U16) -> impl Iterator<Item = &'a RunRecord> + use<'a> {
        let runs = self.rom.runs();
        let at = move |run: U16| runs.get(usize::from(run.get()));
        // Bound: each record names an earlier one.
        core::iter::successors(at(first), move |run| at(run.next))
    }
}
