//! Frames: what a push saves and a pop brings back (EXEC-8).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::exits::ExitOrder;
use crate::context::{Core, Leaves, Site};
use crate::fault::Fault;
use crate::host::trace::Trace;
use crate::instance::ram::bit;
use crate::select::arbitrate::Accepted;
use crate::tick::Run;

/// What a push saved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) leaves: Leaves,
    armed: u8,
}

/// Looking at frames.
impl Core<'_> {
    /// Regions with a stack, in pre-order of their owners.
    pub(crate) fn stacked_regions(&self) -> impl Iterator<Item = (RegionId, StackId)> + use<'_> {
        let regions = self.rom.regions().iter().enumerate();
        regions.filter_map(|(index, record)| {
            Some((RegionId::from_index(index)?, StackId::new(record.stack)?))
        })
    }

    /// Frames in use, counted from the bottom.
    pub(crate) fn frames_used(&self, stack: StackId) -> u8 {
        let Some(record) = self.rom.stack(stack) else {
            return 0;
        };
        let used = |frame: &u8| self.ram.slot(first_slot(record, *frame)) != 0;
        (0..record.depth).take_while(used).count() as u8
    }

    /// Leaf numbers of a region and the leaves that a frame saved for them; `NONE` where none was
    /// active.
    pub(crate) fn frame_leaves(
        &self,
        region: RegionId,
        stack: StackId,
        frame: u8,
    ) -> impl Iterator<Item = (u8, u16)> + use<'_> {
        let number = self.rom.region(region).map_or(0, |region| region.leaf);
        let (first, leaves) = self
            .rom
            .stack(stack)
            .map_or((0, 0), |s| (first_slot(s, frame), s.leaves));
        (0..leaves).map(move |offset| {
            let raw = self.ram.slot(first.saturating_add(offset));
            (
                number.saturating_add(offset),
                if raw == 0 { NONE } else { raw },
            )
        })
    }

    /// Takes the top frame off; `None` if there is none.
    pub(crate) fn take_top_frame(&mut self, region: RegionId, stack: StackId) -> Option<Frame> {
        let top = self.frames_used(stack).checked_sub(1)?;
        // The count of all frames bounds every loop over them, whatever else a ROM may keep in the
        // same slots.
        let fewer = self.ram.header().stack_depth.checked_sub(1)?;
        let record = self.rom.stack(stack)?;
        let mut leaves = Leaves::default();
        self.frame_leaves(region, stack, top)
            .filter_map(|(_, leaf)| StateId::new(leaf))
            .for_each(|l| leaves.insert(l));
        let first = first_slot(record, top);
        let armed = self.ram.slot(first.saturating_add(record.leaves)) as u8;
        self.ram.clear_slots(first, record.frame_slots);
        self.ram.header_mut().stack_depth = fewer;
        Some(Frame { leaves, armed })
    }
}

fn first_slot(record: &StackRecord, frame: u8) -> u8 {
    record
        .first_slot
        .saturating_add(frame.saturating_mul(record.frame_slots))
}

/// The region and stack of a push or pop.
fn stack_of(core: &Core<'_>, accepted: &Accepted<'_>) -> Option<(RegionId, StackId)> {
    let stack = StackId::new(accepted.candidate.extra?.stack)?;
    let mut regions = core.rom.region_ids_of(accepted.scope.domain);
    let region = regions.find(|&region| {
        core.rom
            .region(region)
            .is_some_and(|r| StackId::new(r.stack) == Some(stack))
    })?;
    Some((region, stack))
}

impl Run<'_, '_> {
    /// Suspends everything active in the region of a push.
    #[inline(never)]
    pub(crate) fn suspend(
        &mut self,
        leaves: &Leaves,
        accepted: &Accepted<'_>,
    ) -> Result<(), Fault> {
        let (region, stack) = stack_of(self.core, accepted).ok_or(Fault::BadPlan)?;
        // Taking a transition ends its debounce, which would be suspended with its source (SEL-6).
        if let Some(extra) = accepted
            .candidate
            .extra
            .filter(|extra| extra.debounce_timer != 0xFF)
        {
            self.core.ram.disarm(extra.debounce_timer);
        }
        let first = self.core.save_leaves(region, stack).ok_or(Fault::BadPlan)?;
        let reverse = self.core.has_policy(policy::REVERSE_EXIT_ORDER);
        let mut order = ExitOrder::new(
            leaves,
            accepted.scope.leaves,
            Some(accepted.scope.domain),
            reverse,
        );
        let mut armed = 0;
        while let Some(state) = order.next(self.core.rom) {
            let site = Site {
                state,
                transition: Some(accepted.candidate.id),
                cause: accepted.cause,
            };
            let list = self
                .core
                .rom
                .state_extra(state)
                .map_or(NONE, |extra| extra.suspend.get());
            self.run_list(list, &site);
            self.release_channels(&site);
            armed |= self.core.freeze(state);
            self.core.deactivate(state);
            if self.tracing {
                self.host.trace(&Trace::Suspended(state));
                self.mark_timers();
            }
        }
        let leaves_saved = self.core.rom.stack(stack).map_or(0, |record| record.leaves);
        self.core
            .ram
            .set_slot(first.saturating_add(leaves_saved), u16::from(armed));
        Ok(())
    }

    /// Brings back what the last push of the region suspended.
    #[inline(never)]
    pub(crate) fn resume_frame(&mut self, accepted: &Accepted<'_>) -> Result<(), Fault> {
        let (region, stack) = stack_of(self.core, accepted).ok_or(Fault::BadPlan)?;
        let frame = self
            .core
            .take_top_frame(region, stack)
            .ok_or(Fault::BadFrames)?;
        for (place, leaf) in frame.leaves.iter() {
            let mut path = [None; MAX_DEPTH];
            let below = self
                .core
                .rom
                .path_up(leaf)
                .take_while(|&state| state != accepted.scope.domain);
            path.iter_mut()
                .zip(below)
                .for_each(|(cell, state)| *cell = Some(state));
            for state in path.into_iter().rev().flatten() {
                let rom = self.core.rom;
                let resumed = frame
                    .leaves
                    .iter()
                    .any(|(p, other)| p < place && rom.is_ancestor_or_self(state, other));
                if !resumed {
                    self.resume_state(state, frame.armed, accepted);
                }
            }
        }
        Ok(())
    }

    fn resume_state(&mut self, state: StateId, armed: u8, accepted: &Accepted<'_>) {
        let Some(record) = self.core.rom.state(state) else {
            return;
        };
        self.core.ram.set_leaf(record.leaf, Some(state));
        self.may_complete |= record.kind == StateKind::Final;
        self.core.thaw(state, armed);
        self.core.mark_fresh(record);
        if self.tracing {
            self.host.trace(&Trace::Resumed(state));
            self.trace_leaf(state);
            self.mark_timers();
        }
        let list = self
            .core
            .rom
            .state_extra(state)
            .map_or(NONE, |extra| extra.resume.get());
        self.run_list(
            list,
            &Site {
                state,
                transition: Some(accepted.candidate.id),
                cause: accepted.cause,
            },
        );
    }
}

/// Saving leaves, and times that stand still: `x` becomes `now - x`, and again on the way back
/// (SYS-9).
impl Core<'_> {
    /// Saves the leaves of a region in its next frame; gives the frame's first slot.
    fn save_leaves(&mut self, region: RegionId, stack: StackId) -> Option<u8> {
        let record = self.rom.stack(stack)?;
        let first = first_slot(record, self.frames_used(stack));
        let number = self.rom.region(region)?.leaf;
        for offset in 0..record.leaves {
            let leaf = self
                .ram
                .leaf(number.saturating_add(offset))
                .map_or(0, StateId::raw);
            self.ram.set_slot(first.saturating_add(offset), leaf);
        }
        let more = self.ram.header().stack_depth.saturating_add(1);
        self.ram.header_mut().stack_depth = more;
        Some(first)
    }

    /// Stops the times of a state; gives the places that were running.
    fn freeze(&mut self, state: StateId) -> u8 {
        let mask = self.rom.state(state).map_or(0, |record| record.timer_mask);
        let armed = mask & self.ram.header().armed;
        self.turn_times(state, armed);
        self.ram.header_mut().armed &= !armed;
        armed
    }

    fn thaw(&mut self, state: StateId, armed: u8) {
        let mask = self.rom.state(state).map_or(0, |record| record.timer_mask);
        self.turn_times(state, armed & mask);
        self.ram.header_mut().armed |= armed & mask;
    }

    fn turn_times(&mut self, state: StateId, places: u8) {
        let places = places | self.clock_of(state).map_or(0, bit);
        for place in (0..self.ram.timers().len() as u8).filter(|&place| places & bit(place) != 0) {
            let time = self.ram.time(place);
            self.ram.set_time(place, self.now.wrapping_sub(time));
        }
    }
}
