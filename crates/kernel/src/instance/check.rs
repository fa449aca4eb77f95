//! Any bytes are a legal instance: what has work is looked at before it runs (SYS-10).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::Context;
use crate::fault::Fault;
use crate::instance::leaves::Leaves;

impl Context<'_> {
    /// Leaves, frames and queue hold what the machine can have put there.
    pub(crate) fn check_instance(&self) -> Result<(), Fault> {
        self.check_queue()?;
        if !self.is_configuration() {
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
        if !self.rom.has(feature::REGIONS) {
            let others = self
                .ram
                .leaves()
                .iter()
                .skip(1)
                .all(|leaf| leaf.get() == NONE);
            return others
                && self
                    .ram
                    .leaf_ids()
                    .next()
                    .is_some_and(|id| self.leaf(id).is_some_and(|l| self.is_leaf_at(l, id)));
        }
        let mut ids = self.ram.leaf_ids();
        let placed = ids.all(|id| {
            let leaf = self.leaf(id);
            leaf.is_none_or(|leaf| self.is_leaf_at(leaf, id))
        });
        let whole = placed && self.has_all_regions();
        debug_assert_eq!(
            whole,
            placed && self.is_whole(&self.leaves(), StateId::ROOT, u8::MAX)
        );
        whole
    }

    /// Is there a leaf, and around every leaf one in each region?
    ///
    /// That is enough: two leaves in one region would each need the leaf that has the region's own
    /// number on their side.
    fn has_all_regions(&self) -> bool {
        let mut any = false;
        for leaf in self
            .ram
            .leaves()
            .iter()
            .filter_map(|&leaf| StateId::read(leaf))
        {
            any = true;
            let mut at = self
                .rom
                .state(leaf)
                .map_or(NONE, |record| record.parent.get());
            // Bound: parents have smaller numbers.
            while let Some(record) = self.rom.states().get(usize::from(at)) {
                if record.region_count > 1 && !self.has_regions_of(record) {
                    return false;
                }
                at = record.parent.get();
            }
        }
        any
    }

    fn has_regions_of(&self, state: &StateRecord) -> bool {
        let first = usize::from(state.first_region.get());
        let regions = self.proved(self.rom.regions().get(first..));
        let regions = regions.unwrap_or(&[]);
        let mut regions = regions
            .iter()
            .take(usize::from(state.region_count))
            .peekable();
        // Bound: the regions of the state.
        while let Some(region) = regions.next() {
            let end = regions
                .peek()
                .map_or(state.subtree_end, |next| next.first_child);
            let leaf = self
                .proved(self.ram.leaves().get(usize::from(region.leaf)))
                .map_or(NONE, |leaf| leaf.get());
            if leaf < region.first_child.get() || leaf >= end.get() {
                return false;
            }
        }
        true
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
    fn are_frames(&self) -> bool {
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

    fn is_frame(&self, region: RegionId, stack: StackId, frame: u8) -> bool {
        let Some(owner) = self.owner_of(region) else {
            return false;
        };
        let Some((first, end)) = self.region_span(region) else {
            return false;
        };
        let mut regions = self.rom.region_ids_of(owner);
        let number = self.proved(regions.position(|other| other == region));
        let number = number.unwrap_or(0);
        let mut leaves = Leaves::default();
        for (id, leaf) in self.frame_leaves(region, stack, frame) {
            let Some(leaf) = leaf else {
                continue;
            };
            if !self.is_leaf_at(leaf, id) || leaf.raw() < first || leaf.raw() >= end {
                return false;
            }
            leaves.insert(leaf);
        }
        self.is_whole(&leaves, owner, crate::instance::ram::bit(number as u8))
    }
}
