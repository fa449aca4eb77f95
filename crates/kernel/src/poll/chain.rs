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
use crate::instance::Instance;
use crate::instance::leaves::Leaves;
use crate::instance::ram::{AnyTier, Seen};

/// A configuration that was walked from its first leaf to its last: where it begins, and what its
/// leaves have together. The others are found again from leaf to leaf ([`Context::after`]).
///
/// Two words, so that it stays in registers.
#[derive(Clone, Copy)]
pub(crate) struct Chain<'a> {
    /// What the first leaf polls and runs.
    pub(crate) first: &'a PollRecord,
    /// From the lowest bit: slots of all own states with latched transitions (32 bits); how many leaves are
    /// to be visited for interrupts, for other candidates and for what runs (8 bits each): those behind
    /// the last one that has some are not.
    together: u64,
}

/// First bits of [`Chain::together`].
const INTERRUPTS: u32 = 32;
const ASKS: u32 = 40;
const RUNS: u32 = 48;

impl<'a> Chain<'a> {
    /// The chain of a leaf that is alone.
    #[inline(always)]
    fn new(first: &'a PollRecord) -> Self {
        let mut together = u64::from(first.latches.get());
        together |= u64::from(first.interrupts.get() != 0) << INTERRUPTS;
        together |= u64::from(first.asks.get() != 0) << ASKS;
        together |= u64::from(first.run.get() != NONE) << RUNS;
        Self { first, together }
    }

    /// One more leaf, which is the one of this number, counted from 1.
    fn add(&mut self, poll: &PollRecord, number: u8) {
        self.together |= u64::from(poll.latches.get());
        for (has, bit) in [
            (poll.interrupts.get() != 0, INTERRUPTS),
            (poll.asks.get() != 0, ASKS),
            (poll.run.get() != NONE, RUNS),
        ] {
            if has {
                self.together &= !(u64::from(u8::MAX) << bit);
                self.together |= u64::from(number) << bit;
            }
        }
    }

    /// The chain of an instance's leaves; `None` if they are no configuration of the machine.
    #[inline(always)]
    pub(crate) fn of(rom: &Rom<'a>, leaves: &[U16]) -> Option<Self> {
        let [first, others @ ..] = leaves else {
            return None;
        };
        if others.iter().all(|leaf| leaf.get() == NONE) {
            return Self::of_one(rom, *first);
        }
        Self::of_several(rom, leaves)
    }

    /// The chain of a leaf without others.
    #[inline(always)]
    fn of_one(rom: &Rom<'a>, leaf: U16) -> Option<Self> {
        let first = poll_of(rom, leaf)?;
        let alone = first.first_of.get() == NONE && first.next.get() == NONE;
        alone.then(|| Self::new(first))
    }

    /// The chain of several leaves. Bound: the leaves that are set.
    #[inline(never)]
    fn of_several(rom: &Rom<'a>, leaves: &[U16]) -> Option<Self> {
        let first = poll_of(rom, *leaves.first()?)?;
        if first.first_of.get() != NONE {
            return None;
        }
        let (mut last, mut chain) = (first, Self::new(first));
        let set = leaves.iter().filter(|leaf| leaf.get() != NONE).count();
        for number in 2..=set {
            let poll = poll_of(rom, *leaves.get(usize::from(last.next_leaf))?)?;
            if poll.first_of != last.next {
                return None;
            }
            chain.add(poll, number as u8);
            last = poll;
        }
        (last.next.get() == NONE).then_some(chain)
    }

    /// How many leaves are to be visited for eventless interrupts.
    #[inline(always)]
    pub(crate) fn interrupt_leaves(&self) -> u8 {
        (self.together >> INTERRUPTS) as u8
    }

    /// The same for other eventless candidates.
    #[inline(always)]
    pub(crate) fn ask_leaves(&self) -> u8 {
        (self.together >> ASKS) as u8
    }

    /// The same for update actions and activities.
    #[inline(always)]
    pub(crate) fn run_leaves(&self) -> u8 {
        (self.together >> RUNS) as u8
    }

    /// Is there anything eventless to ask?
    #[inline]
    pub(crate) fn has_asks(&self) -> bool {
        (self.together >> INTERRUPTS) as u16 != 0
    }

    /// Does anything have to be looked at in every tick (RAM-3)?
    #[inline]
    pub(crate) fn is_polling(&self) -> bool {
        self.together >> INTERRUPTS != 0
    }

    /// Does a transition wait in an active state (SEL-6), by the slots of the instance?
    #[inline]
    pub(crate) fn has_latched(&self, slots: &[U16]) -> bool {
        let latches = self.together as u32;
        latches != 0 && holds_any(slots, latches)
    }
}

/// How many configurations a batch remembers.
const KNOWN: usize = 16;

/// Multiplied by this, the upper quarter of a number is the sum of its quarters, each with another weight.
const WEIGHTS: u64 = 27 << 48 | 9 << 32 | 3 << 16 | 1;

/// Configurations of several leaves that agents of a batch had before: what was proved of some leaves
/// holds for the same leaves again, and most agents of a crowd are in one of a few configurations.
pub(crate) struct Known<'a> {
    /// By a few bits of the leaves.
    chains: [Option<(u128, Chain<'a>)>; KNOWN],
}

impl<'a> Known<'a> {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self {
            chains: [None; KNOWN],
        }
    }

    /// The chain of an instance's leaves; `None` if they are no configuration of the machine.
    #[inline(always)]
    pub(crate) fn chain_of<I: Instance>(
        &mut self,
        rom: &Rom<'a>,
        instance: &I,
    ) -> Option<Chain<'a>> {
        if let Some(leaf) = instance.only_leaf() {
            return Chain::of_one(rom, U16::new(leaf));
        }
        let leaves = instance.all_leaves();
        match self.at(leaves) {
            Some((known, chain)) if *known == leaves => Some(*chain),
            place => walked(place, (rom, instance.raw_leaves()), leaves),
        }
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "less than there are")]
    fn at(&mut self, leaves: u128) -> &mut Option<(u128, Chain<'a>)> {
        // Leaves of one region have numbers beside each other: so many configurations of few regions
        // have places of their own.
        let mixed = (leaves as u64 ^ (leaves >> 64) as u64).wrapping_mul(WEIGHTS);
        &mut self.chains[(mixed >> 48) as usize % KNOWN]
    }
}

/// Walks a chain and remembers it.
#[inline(never)]
fn walked<'a>(
    place: &mut Option<(u128, Chain<'a>)>,
    (rom, leaves): (&Rom<'a>, &[U16]),
    all: u128,
) -> Option<Chain<'a>> {
    let chain = Chain::of_several(rom, leaves)?;
    *place = Some((all, chain));
    Some(chain)
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

/// A walk from active leaf to active leaf that proves them while it goes.
pub(crate) struct Links {
    /// Where the next leaf is, and the region whose first leaf it must be.
    next: Option<(u8, U16)>,
    /// Leaves that are set and were not met.
    left: u8,
}

impl Links {
    /// The next leaf: its place, and its raw number; nothing behind the last one. `None` if the leaves are no
    /// configuration of the machine.
    #[inline(always)]
    pub(crate) fn next(&mut self, cx: &Context<'_>) -> Option<Option<(u8, u16)>> {
        let Some((place, region)) = self.next else {
            return (self.left == 0).then_some(None);
        };
        let leaf = *cx.ram.leaves().get(usize::from(place))?;
        let poll = poll_of(cx.rom, leaf)?;
        if poll.first_of != region {
            return None;
        }
        // Bound: where more are met than are set, the walk ends.
        self.left = self.left.checked_sub(1)?;
        self.next = (poll.next.get() != NONE).then_some((poll.next_leaf, poll.next));
        Some(Some((place, leaf.get())))
    }
}

impl<'a> Context<'a> {
    /// The active leaves one after the other.
    #[inline(always)]
    pub(crate) fn links(&self) -> Links {
        let set = self.ram.leaves().iter().filter(|leaf| leaf.get() != NONE);
        Links {
            next: Some((0, U16::new(NONE))),
            left: set.count() as u8,
        }
    }

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
        self.after_in::<AnyTier>(poll)
    }

    /// The same where the type of the instance may be known.
    #[inline(always)]
    pub(crate) fn after_in<S: Seen>(&self, poll: &PollRecord) -> Option<&'a PollRecord> {
        if poll.next.get() == NONE {
            return None;
        }
        let leaf = S::leaves(&self.ram).get(usize::from(poll.next_leaf));
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
