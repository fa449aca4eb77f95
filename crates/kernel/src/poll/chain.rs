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
#[derive(Clone, Copy)]
pub(crate) struct Chain<'a> {
    /// What the first leaf polls and runs.
    pub(crate) first: &'a PollRecord,
    /// Slots of all own states with latched transitions.
    latches: u32,
    /// Whether there are own interrupts, own other candidates, and something to run.
    interrupts: u16,
    asks: u16,
    runs: bool,
}

impl<'a> Chain<'a> {
    /// The chain of an instance's leaves; `None` if they are no configuration of the machine.
    #[inline(always)]
    pub(crate) fn of(rom: &Rom<'a>, leaves: &[U16]) -> Option<Self> {
        let first = poll_of(rom, *leaves.first()?)?;
        let mut chain = Self {
            first,
            latches: first.latches.get(),
            interrupts: first.interrupts.get(),
            asks: first.asks.get(),
            runs: first.run.get() != NONE,
        };
        let set = leaves.iter().filter(|leaf| leaf.get() != NONE).count();
        if first.next.get() == NONE {
            return (first.first_of.get() == NONE && set == 1).then_some(chain);
        }
        chain.add_others(rom, leaves, set)?;
        Some(chain)
    }

    /// Adds the leaves behind the first, of so many in all. Bound: that number.
    fn add_others(&mut self, rom: &Rom<'a>, leaves: &[U16], set: usize) -> Option<()> {
        let mut last = self.first;
        if last.first_of.get() != NONE {
            return None;
        }
        for _ in 1..set {
            let poll = poll_of(rom, *leaves.get(usize::from(last.next_leaf))?)?;
            if poll.first_of != last.next {
                return None;
            }
            self.latches |= poll.latches.get();
            self.interrupts |= poll.interrupts.get();
            self.asks |= poll.asks.get();
            self.runs |= poll.run.get() != NONE;
            last = poll;
        }
        (last.next.get() == NONE).then_some(())
    }

    /// Is there an own eventless interrupt?
    #[inline]
    pub(crate) fn has_interrupts(&self) -> bool {
        self.interrupts != 0
    }

    /// Is there anything eventless to ask?
    #[inline]
    pub(crate) fn has_asks(&self) -> bool {
        self.interrupts | self.asks != 0
    }

    /// Does anything have to be looked at in every tick (RAM-3)?
    #[inline]
    pub(crate) fn is_polling(&self) -> bool {
        self.runs || self.has_asks()
    }

    /// Does a transition wait in an active state (SEL-6), by the slots of the instance?
    #[inline]
    pub(crate) fn has_latched(&self, slots: &[U16]) -> bool {
        self.latches != 0 && holds_any(slots, self.latches)
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
