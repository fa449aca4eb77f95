//! Leaving states in order (EXEC-1), suspended ones included (EXEC-8).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::stack::Frame;
use crate::context::{Context, Site};
use crate::fault::Fault;
use crate::host::trace::Trace;
use crate::host::{Cause, CommandKind};
use crate::instance::leaves::{Leaves, Rank};
use crate::tick::Tick;

/// Walks some leaves and the states around them below a domain in exit order: post-order, or
/// reverse pre-order.
///
/// A state goes with the last leaf in it. Which leaf that is does not depend on the others: a leaf
/// is not the last one in the state whose region its poll record names as the next, nor in any
/// around that. In reverse order it is the same with the first leaf, and the region whose first leaf
/// it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExitOrder {
    leaves: Leaves,
    /// Leaves still to come, one bit per rank.
    rest: u8,
    /// Raw; `NONE` if a leaf comes next.
    at: u16,
    /// The state that goes with a later leaf than the current one; raw, `NONE` if there is none.
    stop: u16,
    /// Not left; raw, `NONE` leaves the root, too.
    domain: u16,
    reverse: bool,
}

impl ExitOrder {
    pub(crate) fn new(leaves: &Leaves, mask: u8, domain: Option<StateId>, reverse: bool) -> Self {
        let domain = domain.map_or(NONE, StateId::raw);
        Self {
            leaves: *leaves,
            rest: mask & leaves.mask(),
            at: NONE,
            stop: NONE,
            domain,
            reverse,
        }
    }

    /// The next state to leave. Bound: leaves times depth.
    pub(crate) fn next(&mut self, rom: &Rom<'_>) -> Option<StateId> {
        let state = match StateId::new(self.at) {
            Some(state) => state,
            None => self.next_leaf(rom)?,
        };
        let around = rom.state(state).map_or(NONE, |record| record.parent.get());
        let ends = around == self.domain || around == self.stop;
        self.at = if ends { NONE } else { around };
        Some(state)
    }

    fn next_leaf(&mut self, rom: &Rom<'_>) -> Option<StateId> {
        let rank = Rank::of_bit(match self.reverse {
            false => self.rest.trailing_zeros(),
            true => 7_u32.checked_sub(self.rest.leading_zeros())?,
        });
        self.rest &= !rank.bit();
        let leaf = self.leaves.get(rank)?;
        let row = rom.state(leaf).map_or(NONE, |record| record.row.get());
        let other = rom.polls().get(usize::from(row)).map_or(NONE, |poll| {
            let region = if self.reverse {
                poll.first_of
            } else {
                poll.next
            };
            region.get()
        });
        let region = rom.regions().get(usize::from(other));
        self.stop = region.map_or(NONE, |region| region.owner.get());
        Some(leaf)
    }
}

/// What is left, and what for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leave {
    /// Leaves to leave, one bit per rank.
    pub(crate) mask: u8,
    /// Not left; `None` leaves the root, too.
    pub(crate) domain: Option<StateId>,
    /// The frames of the regions of the domain stay.
    pub(crate) keeps_frames: bool,
    pub(crate) transition: Option<TransitionId>,
    pub(crate) cause: Cause,
}

/// Nested walks: the active states, and one per stack inside a frame of another. A stack has two
/// slots at least.
const MAX_WALKS: usize = MAX_SLOTS / 2 + 1;

/// One walk over the active states or over one frame.
#[derive(Clone, Copy, Debug)]
struct Walk {
    order: ExitOrder,
    /// A region that has just been emptied and whose frames come next.
    unwinds: Option<RegionId>,
}

// All walks lie on the stack while user code runs.
const _: () = assert!(size_of::<Walk>() <= 30);

impl Tick<'_, '_> {
    /// Leaves active states, and with every region that has frames its suspended ones: from the top
    /// frame down, after the region's active states and before the state around. Bound: every
    /// round leaves a state or takes a frame.
    pub(crate) fn leave(&mut self, leaves: &Leaves, leave: &Leave) -> Result<(), Fault> {
        let reverse = self.cx.has_policy(policy::REVERSE_EXIT_ORDER);
        let mut order = ExitOrder::new(leaves, leave.mask, leave.domain, reverse);
        if self.cx.ram.header().stack_depth == 0 {
            while let Some(state) = order.next(self.cx.rom) {
                self.exit_state(state, false, leave);
            }
            return Ok(());
        }
        let first = Walk {
            order,
            unwinds: None,
        };
        self.leave_with_frames(first, leave, reverse)
    }

    /// Leaves what lies in the frames of a region that has just been emptied.
    pub(crate) fn leave_frames(&mut self, region: RegionId, leave: &Leave) -> Result<(), Fault> {
        let reverse = self.cx.has_policy(policy::REVERSE_EXIT_ORDER);
        let first = Walk {
            order: ExitOrder::new(&Leaves::default(), 0, None, reverse),
            unwinds: Some(region),
        };
        self.leave_with_frames(first, leave, reverse)
    }

    #[inline(never)]
    fn leave_with_frames(
        &mut self,
        first: Walk,
        leave: &Leave,
        reverse: bool,
    ) -> Result<(), Fault> {
        // The first over the active states, the others over frames.
        let mut walks = [first; MAX_WALKS];
        let mut depth = 0_usize;
        while let Some(walk) = walks.get_mut(depth) {
            if let Some(region) = walk.unwinds {
                match self.cx.take_top_frame_of(region) {
                    Some(frame) => {
                        let owner = self.cx.owner_of(region);
                        let order = ExitOrder::new(&frame.leaves, u8::MAX, owner, reverse);
                        depth = depth.saturating_add(1);
                        *walks.get_mut(depth).ok_or(Fault::BadFrames)? = Walk {
                            order,
                            unwinds: None,
                        };
                    }
                    None => walk.unwinds = None,
                }
                continue;
            }
            let Some(state) = walk.order.next(self.cx.rom) else {
                let Some(outer) = depth.checked_sub(1) else {
                    break;
                };
                depth = outer;
                continue;
            };
            walk.unwinds = self.cx.frames_after(state, leave);
            self.exit_state(state, depth > 0, leave);
        }
        Ok(())
    }

    pub(crate) fn exit_state(&mut self, state: StateId, suspended: bool, leave: &Leave) {
        let site = Site {
            state,
            transition: leave.transition,
            cause: leave.cause,
        };
        let Some(record) = self.cx.state(state) else {
            return;
        };
        if record.activity.get() != NONE {
            self.cancel_activity(record, &site);
        }
        self.run_list(ListId::read(record.exit), &site);
        if !suspended {
            self.release_channels(&site);
        }
        self.cx.forget(state, record);
        if !suspended {
            self.cx.deactivate(state);
        }
        if self.tracing {
            self.host.trace(&Trace::Exited(state));
            self.trace_timers(record.timer_mask);
        }
    }

    /// Frees the channels of a state (CODE-7).
    pub(crate) fn release_channels(&mut self, site: &Site) {
        if !self.cx.rom.has(feature::CHANNELS) {
            return;
        }
        let channels = self
            .cx
            .rom
            .state_extra(site.state)
            .map_or(0, |extra| extra.channels.get());
        for number in 0..self.cx.rom.channels().len() as u8 {
            if channels & 1_u32.checked_shl(u32::from(number)).unwrap_or(0) != 0
                && let Some(channel) = self.cx.proved(ChannelId::new(number))
                && let Some(record) = self.cx.proved(self.cx.rom.channel(channel))
            {
                let lane = record.lane.get();
                self.command(lane, true, CommandKind::Release { channel }, site);
            }
        }
    }
}

impl Context<'_> {
    /// The region of a state that was just left, if its frames go with it.
    pub(crate) fn frames_after(&self, state: StateId, leave: &Leave) -> Option<RegionId> {
        if self.ram.header().stack_depth == 0 {
            return None;
        }
        let region = RegionId::read(self.state(state)?.region)?;
        let record = self.region(region)?;
        let kept = leave.keeps_frames && StateId::read(record.owner) == leave.domain;
        if kept {
            None
        } else {
            StackId::new(record.stack).map(|_| region)
        }
    }

    /// The state around a region.
    pub(crate) fn owner_of(&self, region: RegionId) -> Option<StateId> {
        let record = self.region(region)?;
        self.proved(StateId::read(record.owner))
    }

    fn take_top_frame_of(&mut self, region: RegionId) -> Option<Frame> {
        let record = self.region(region)?;
        let stack = self.proved(StackId::new(record.stack))?;
        self.take_top_frame(region, stack)
    }

    /// What an instance forgets with a state: timers, latch, result.
    pub(crate) fn forget(&mut self, state: StateId, record: &StateRecord) {
        self.ram.disarm_all(record.timer_mask);
        if record.extra.get() != NONE {
            self.clear_result(state);
            if let Some(slot) = self.latch_slot(state) {
                self.set_slot(slot, 0);
            }
        }
    }
}
