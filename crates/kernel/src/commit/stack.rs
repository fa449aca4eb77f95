//! Frames: what a push saves and a pop brings back (EXEC-8).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::exits::ExitOrder;
use crate::context::{Context, Site};
use crate::fault::Fault;
use crate::host::trace::Trace;
use crate::instance::leaves::Leaves;
use crate::select::arbitrate::Accepted;
use crate::tick::Tick;

/// What a push saved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) leaves: Leaves,
    armed: u8,
}

/// Looking at frames.
impl Context<'_> {
    /// Regions with a stack, in pre-order of their owners.
    pub(crate) fn stacked_regions(&self) -> impl Iterator<Item = (RegionId, StackId)> + use<'_> {
        let regions = self.rom.regions().iter().enumerate();
        regions.filter_map(|(index, record)| {
            let stack = StackId::new(record.stack)?;
            Some((self.proved(RegionId::from_index(index))?, stack))
        })
    }

    /// Frames in use, counted from the bottom.
    pub(crate) fn frames_used(&self, stack: StackId) -> u8 {
        let Some(record) = self.stack(stack) else {
            return 0;
        };
        let used = |&frame: &u8| self.first_of_frame(record, frame) != 0;
        (0..record.depth).take_while(used).count() as u8
    }

    /// The first leaf that a frame saved, raw; 0 if the frame is not in use.
    pub(crate) fn first_of_frame(&self, record: &StackRecord, frame: u8) -> u16 {
        self.proved(record.frame_slot(frame))
            .map_or(0, |slot| self.slot(slot))
    }

    /// Leaf ids of a region and the leaves that a frame saved for them; `None` where none was
    /// active.
    pub(crate) fn frame_leaves(
        &self,
        region: RegionId,
        stack: StackId,
        frame: u8,
    ) -> impl Iterator<Item = (LeafId, Option<StateId>)> + use<'_> {
        let first = self.region(region).map(RegionRecord::leaf_id);
        let first = first.and_then(|first| self.proved(first));
        let record = self.stack(stack);
        let saved = record.and_then(|record| self.proved(record.frame_slot(frame)));
        let count = record.map_or(0, |record| record.leaves);
        first.zip(saved).into_iter().flat_map(move |(leaf, slot)| {
            (0..count).map(move |by| (leaf.offset(by), saved_state(self.slot(slot.offset(by)))))
        })
    }

    /// Takes the top frame off; `None` if there is none.
    pub(crate) fn take_top_frame(&mut self, region: RegionId, stack: StackId) -> Option<Frame> {
        let top = self.frames_used(stack).checked_sub(1)?;
        // The count of all frames bounds every loop over them, whatever else a ROM may keep in the
        // same slots.
        let fewer = self.expected(self.ram.header().stack_depth.checked_sub(1))?;
        let record = self.stack(stack)?;
        let mut leaves = Leaves::default();
        self.frame_leaves(region, stack, top)
            .filter_map(|(_, leaf)| leaf)
            .for_each(|leaf| leaves.insert(leaf));
        let first = self.proved(record.frame_slot(top))?;
        let armed = self.slot(first.offset(record.leaves)) as u8;
        self.clear_slots(first, record.frame_slots);
        self.ram.header_mut().stack_depth = fewer;
        Some(Frame { leaves, armed })
    }
}

/// A state as a slot keeps it: the root is never saved, so 0 is none.
pub(crate) fn saved_state(raw: u16) -> Option<StateId> {
    StateId::new(raw).filter(|&state| state != StateId::ROOT)
}

/// The region and stack of a push or pop.
fn stack_of(cx: &Context<'_>, accepted: &Accepted<'_>) -> Option<(RegionId, StackId)> {
    let stack = StackId::new(accepted.candidate.extra?.stack)?;
    let mut regions = cx.rom.region_ids_of(accepted.scope.domain);
    let region = regions.find(|&region| {
        cx.rom
            .region(region)
            .is_some_and(|r| StackId::new(r.stack) == Some(stack))
    })?;
    Some((region, stack))
}

impl Tick<'_, '_> {
    /// Suspends everything active in the region of a push.
    #[inline(never)]
    pub(crate) fn suspend(
        &mut self,
        leaves: &Leaves,
        accepted: &Accepted<'_>,
    ) -> Result<(), Fault> {
        let (region, stack) = stack_of(self.cx, accepted).ok_or(Fault::BadPlan)?;
        // Taking a transition ends its debounce, which would be suspended with its source (SEL-6).
        let debounce = accepted.candidate.extra.and_then(TransitionExtra::debounce);
        if let Some(timer) = debounce {
            self.cx.disarm(timer);
        }
        let first = self.cx.save_leaves(region, stack).ok_or(Fault::BadPlan)?;
        let reverse = self.cx.has_policy(policy::REVERSE_EXIT_ORDER);
        let mut order = ExitOrder::new(
            leaves,
            accepted.scope.leaves,
            Some(accepted.scope.domain),
            reverse,
        );
        let mut armed = 0;
        while let Some(state) = order.next(self.cx.rom) {
            let site = Site {
                state,
                transition: Some(accepted.candidate.id),
                cause: accepted.cause,
            };
            let list = self
                .cx
                .rom
                .state_extra(state)
                .and_then(|extra| ListId::read(extra.suspend));
            self.run_list(list, &site);
            self.release_channels(&site);
            armed |= self.cx.freeze(state);
            self.cx.deactivate(state);
            if self.tracing {
                self.host.trace(&Trace::Suspended(state));
                self.mark_timers();
            }
        }
        let leaves_saved = self.cx.stack(stack).map_or(0, |record| record.leaves);
        self.cx
            .set_slot(first.offset(leaves_saved), u16::from(armed));
        Ok(())
    }

    /// Brings back what the last push of the region suspended.
    #[inline(never)]
    pub(crate) fn resume_frame(&mut self, accepted: &Accepted<'_>) -> Result<(), Fault> {
        let (region, stack) = stack_of(self.cx, accepted).ok_or(Fault::BadPlan)?;
        let frame = self
            .cx
            .take_top_frame(region, stack)
            .ok_or(Fault::BadFrames)?;
        for (rank, leaf) in frame.leaves.iter() {
            let mut path = [None; MAX_DEPTH];
            let below = self
                .cx
                .rom
                .path_up(leaf)
                .take_while(|&state| state != accepted.scope.domain);
            path.iter_mut()
                .zip(below)
                .for_each(|(cell, state)| *cell = Some(state));
            for state in path.into_iter().rev().flatten() {
                let rom = self.cx.rom;
                let resumed = frame
                    .leaves
                    .iter()
                    .any(|(r, other)| r < rank && rom.is_ancestor_or_self(state, other));
                if !resumed {
                    self.resume_state(state, frame.armed, accepted);
                }
            }
        }
        Ok(())
    }

    fn resume_state(&mut self, state: StateId, armed: u8, accepted: &Accepted<'_>) {
        let Some(record) = self.cx.state(state) else {
            return;
        };
        self.cx.put_leaf(record, Some(state));
        self.may_complete |= record.kind == StateKind::Final;
        self.cx.thaw(state, armed);
        self.cx.mark_fresh(record);
        if self.tracing {
            self.host.trace(&Trace::Resumed(state));
            self.trace_leaf(state);
            self.mark_timers();
        }
        let list = self
            .cx
            .rom
            .state_extra(state)
            .and_then(|extra| ListId::read(extra.resume));
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
impl Context<'_> {
    /// Saves the leaves of a region in its next frame; gives the frame's first slot.
    fn save_leaves(&mut self, region: RegionId, stack: StackId) -> Option<SlotId> {
        let record = self.rom.stack(stack)?;
        let first = record.frame_slot(self.frames_used(stack))?;
        let leaf = self.rom.region(region)?.leaf_id()?;
        for by in 0..record.leaves {
            let state = self.leaf(leaf.offset(by)).map_or(0, StateId::raw);
            self.set_slot(first.offset(by), state);
        }
        let more = self.ram.header().stack_depth.saturating_add(1);
        self.ram.header_mut().stack_depth = more;
        Some(first)
    }

    /// Stops the times of a state; gives the timers that were running.
    fn freeze(&mut self, state: StateId) -> u8 {
        let mask = self.state(state).map_or(0, |record| record.timer_mask);
        let armed = mask & self.ram.header().armed;
        self.turn_times(state, armed);
        self.ram.header_mut().armed &= !armed;
        armed
    }

    fn thaw(&mut self, state: StateId, armed: u8) {
        let mask = self.state(state).map_or(0, |record| record.timer_mask);
        self.turn_times(state, armed & mask);
        self.ram.header_mut().armed |= armed & mask;
    }

    fn turn_times(&mut self, state: StateId, timers: u8) {
        let clock = self.clock_of(state).map_or(0, TimerSlot::bit);
        self.ram.turn_times(timers | clock, self.now);
    }
}
