//! The active leaves as a chain: in the order of the tree, found without sorting and proved whole in
//! the same walk (RAM-4).
//!
//! Each leaf's poll record names the region in which the next leaf must lie, and that leaf's record
//! names the region whose first leaf it is. If these agree from the first leaf to the last, and no
//! other leaf is set, the configuration is one: [`PollRecord`] has a drawing.

use statewright_rom::layout::{MAX_LEAVES, NONE, PollRecord, RunRecord};
use zerocopy::byteorder::little_endian::U16;

use crate::context::Context;
use crate::instance::leaves::Leaves;

/// What the active leaves poll and run, in the order of the tree.
#[derive(Clone, Copy)]
pub(crate) struct Chain<'a> {
    table: &'a [PollRecord],
    /// Places in the table.
    rows: [u16; MAX_LEAVES],
    count: u8,
    /// Slots of all own states with latched transitions.
    latches: u32,
    /// Own interrupts of all together.
    interrupts: u16,
    /// Something has to be looked at in every tick (RAM-3).
    polls: bool,
}

impl<'a> Chain<'a> {
    /// One record per leaf.
    #[inline(always)]
    pub(crate) fn polls(&self) -> impl Iterator<Item = &'a PollRecord> + use<'a> {
        let (table, rows) = (self.table, self.rows);
        (0..usize::from(self.count)).map_while(move |place| {
            let row = rows.get(place & (MAX_LEAVES - 1))?;
            table.get(usize::from(*row))
        })
    }

    /// Is there an own eventless interrupt?
    #[inline]
    pub(crate) fn has_interrupts(&self) -> bool {
        self.interrupts != 0
    }

    /// Does anything have to be looked at in every tick (RAM-3)?
    #[inline]
    pub(crate) fn is_polling(&self) -> bool {
        self.polls
    }
}

impl<'a> Context<'a> {
    /// The active leaves; `None` if they are no configuration of the machine.
    #[inline]
    pub(crate) fn chain(&self) -> Option<Chain<'a>> {
        let mut chain = Chain {
            table: self.rom.polls(),
            rows: [0; MAX_LEAVES],
            count: 0,
            latches: 0,
            interrupts: 0,
            polls: false,
        };
        let mut walk = self.walk_leaves();
        for (_, row, poll) in &mut walk {
            *chain.rows.get_mut(usize::from(chain.count))? = row;
            chain.count = chain.count.wrapping_add(1);
            chain.latches |= poll.latches.get();
            chain.interrupts |= poll.interrupts.get();
            chain.polls |= poll.run.get() != NONE || poll.asks.get() | poll.interrupts.get() != 0;
        }
        walk.is_whole(chain.count).then_some(chain)
    }

    /// Active leaves in the order of the tree.
    pub(crate) fn leaves(&self) -> Leaves {
        let mut walk = self.walk_leaves();
        let leaves = Leaves::in_order((&mut walk).map(|(leaf, ..)| leaf));
        if walk.is_whole(leaves.len()) {
            leaves
        } else {
            self.sorted_leaves()
        }
    }

    /// The same where some regions have none yet, as between two entries of a microstep.
    #[cold]
    fn sorted_leaves(&self) -> Leaves {
        let mut leaves = Leaves::default();
        for leaf in self.ram.leaves() {
            if let Some(leaf) = statewright_rom::ids::StateId::read(*leaf) {
                leaves.insert(leaf);
            }
        }
        leaves
    }

    #[inline]
    fn walk_leaves(&self) -> Walk<'_, 'a> {
        Walk {
            cx: self,
            leaves: self.ram.leaves(),
            region: U16::new(NONE),
            place: 0,
        }
    }

    /// Does a transition wait in an active state (SEL-6)?
    #[inline]
    pub(crate) fn has_latched_in(&self, chain: &Chain<'_>) -> bool {
        chain.latches != 0 && self.holds_any(chain.latches)
    }

    /// Does a slot of a mask hold something?
    fn holds_any(&self, mask: u32) -> bool {
        let mut slots = (0_u32..).zip(self.ram.slots());
        slots.any(|(number, slot)| {
            slot.get() != 0 && mask & 1_u32.checked_shl(number).unwrap_or(0) != 0
        })
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

/// Goes from leaf to leaf as long as each lies where the one before it says.
struct Walk<'c, 'a> {
    cx: &'c Context<'a>,
    leaves: &'c [U16],
    /// Region in which the next leaf lies.
    region: U16,
    /// Its leaf number; behind the last one there is none.
    place: u8,
}

impl Walk<'_, '_> {
    /// Has it come to the end, and are there no other leaves than these?
    #[inline]
    fn is_whole(&self, count: u8) -> bool {
        let set = self.leaves.iter().filter(|leaf| leaf.get() != NONE).count();
        self.region.get() == NONE && self.place == u8::MAX && set == usize::from(count)
    }
}

impl<'a> Iterator for Walk<'_, 'a> {
    /// A leaf, its row and what is known of it.
    type Item = (u16, u16, &'a PollRecord);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (leaf, rom) = (self.leaves.get(usize::from(self.place))?.get(), self.cx.rom);
        let row = rom.states().get(usize::from(leaf))?.row.get();
        let poll = rom.polls().get(usize::from(row))?;
        if poll.first_of != self.region {
            return None;
        }
        (self.region, self.place) = (poll.next, poll.next_leaf);
        Some((leaf, row, poll))
    }
}
