//! Any bytes are a legal instance: what has work is looked at before it runs (SYS-10).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::stack::saved_state;
use crate::context::Context;
use crate::fault::Fault;
use crate::instance::flag;
use crate::instance::leaves::Leaves;

impl Context<'_> {
    /// Leaves, frames and queue hold what the machine can have put there.
    pub(crate) fn check_instance(&self) -> Result<(), Fault> {
        self.check_queue()?;
        let is_sound = if self.ram.has(flag::INCOMPLETE) {
            self.is_partial()
        } else {
            self.is_configuration()
        };
        if !is_sound {
            return Err(Fault::BadConfiguration);
        }
        if self.are_frames() {
            Ok(())
        } else {
            Err(Fault::BadFrames)
        }
    }

    /// Events exist and there are not more than places.
    pub(crate) fn check_queue(&self) -> Result<(), Fault> {
        let fits = usize::from(self.ram.header().event_count) <= self.ram.events().len();
        let known = |event: &crate::instance::event::Event| {
            event.id().is_some_and(|id| self.rom.event(id).is_some()) && event.class <= 3
        };
        if fits && self.ram.queue().iter().all(known) {
            Ok(())
        } else {
            Err(Fault::BadQueue)
        }
    }

    /// One leaf per active region, each in its place.
    fn is_configuration(&self) -> bool {
        let whole = self.chain().is_some();
        debug_assert_eq!(whole, self.is_configuration_by_search());
        whole
    }

    /// The same without the chain of leaves, which the loader has proved.
    fn is_configuration_by_search(&self) -> bool {
        let mut ids = self.ram.leaf_ids();
        let placed = ids.all(|id| {
            let leaf = self.leaf(id);
            leaf.is_none_or(|leaf| self.is_leaf_at(leaf, id))
        });
        placed && self.is_whole(&self.leaves(), StateId::ROOT, u8::MAX)
    }

    fn is_leaf_at(&self, leaf: StateId, id: LeafId) -> bool {
        self.rom
            .state(leaf)
            .is_some_and(|record| record.row.get() != NONE && record.leaf_id() == Some(id))
    }

    /// Do leaves lie in different regions, and is there one in every region around them, from some
    /// regions of a state down?
    pub(crate) fn is_whole(&self, leaves: &Leaves, outer: StateId, regions: u8) -> bool {
        leaves.len() > 0
            && self.are_concurrent(leaves)
            && leaves.iter().all(|(_, leaf)| {
                let around = self
                    .rom
                    .path_up(leaf)
                    .skip(1)
                    .take_while(|&state| self.rom.is_ancestor_or_self(outer, state));
                // The one region of a compound has the leaf in it.
                let forks = |state: &StateId| {
                    self.rom
                        .state(*state)
                        .is_some_and(|record| record.region_count > 1)
                };
                around.filter(forks).all(|state| {
                    let mask = if state == outer { regions } else { u8::MAX };
                    (0_u8..)
                        .zip(self.rom.region_ids_of(state))
                        .all(|(number, region)| {
                            let span = self.rom.region_span(region);
                            mask & crate::instance::ram::bit(number) == 0
                                || span.is_some_and(|(first, end)| leaves.mask_in(first, end) != 0)
                        })
                })
            })
    }

    /// Every frame holds a configuration of its region.
    pub(crate) fn are_frames(&self) -> bool {
        if !self.rom.has(feature::STACK) {
            return self.ram.header().stack_depth == 0;
        }
        if self.ram.header().stack_depth == 0 {
            let mut stacks = self.rom.stacks().iter();
            return stacks.all(|stack| self.are_unused(stack, 0));
        }
        let mut total = 0_u8;
        for (region, stack) in self.stacked_regions() {
            let used = self.frames_used(stack);
            total = total.saturating_add(used);
            let frames = (0..used).all(|frame| self.is_frame(region, stack, frame));
            let record = self.stack(stack);
            if !frames || !record.is_some_and(|record| self.are_unused(record, used)) {
                return false;
            }
        }
        total == self.ram.header().stack_depth
    }

    /// The frames of a stack from one on hold nothing that a push below them would bring to life.
    fn are_unused(&self, stack: &StackRecord, first: u8) -> bool {
        (first..stack.depth).all(|frame| self.first_of_frame(stack, frame) == 0)
    }

    /// A frame holds the leaves of its region as they were: a chain that begins in the region and
    /// ends where the next leaf would lie outside (see `poll::chain`).
    fn is_frame(&self, region: RegionId, stack: StackId, frame: u8) -> bool {
        let record = self.stack(stack).zip(self.region(region));
        let (Some((stack, record)), Some((first, end))) = (record, self.region_span(region)) else {
            return false;
        };
        let Some(slot) = self.proved(stack.frame_slot(frame)) else {
            return false;
        };
        let saved = |by: u8| {
            let slot = Some(slot.offset(by)).filter(|_| by < stack.leaves)?;
            saved_state(self.slot(slot))
        };
        let inside = |next: &RegionId| {
            let owner = self.region(*next).map_or(NONE, |next| next.owner.get());
            (first..end).contains(&owner)
        };
        let set = (0..stack.leaves).filter(|&by| saved(by).is_some()).count();
        let mut found = 0_usize;
        let mut place = record.leaf;
        let mut first_of = None;
        // Bound: each leaf leads to one behind it.
        while let Some(leaf) = saved(place.wrapping_sub(record.leaf)) {
            let Some((state, poll)) = self.leaf_records(leaf) else {
                return false;
            };
            let follows = match first_of {
                None => state.leaf == record.leaf && (first..end).contains(&leaf.raw()),
                Some(region) => RegionId::read(poll.first_of) == Some(region),
            };
            found = found.saturating_add(1);
            if !follows || found > MAX_LEAVES {
                return false;
            }
            match RegionId::read(poll.next).filter(inside) {
                None => return found == set,
                next => (first_of, place) = (next, poll.next_leaf),
            }
        }
        false
    }

    /// A leaf state and its part of the chain of leaves.
    fn leaf_records(&self, leaf: StateId) -> Option<(&StateRecord, &PollRecord)> {
        let state = self.rom.state(leaf)?;
        let poll = self.rom.polls().get(usize::from(state.row.get()))?;
        Some((state, poll))
    }
}
