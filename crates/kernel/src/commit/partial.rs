//! Completing a partial configuration (LOAD-3): the one operation behind the start of an agent
//! (TICK-1) and its first tick after a reload.
//!
//! A *partial configuration* is a set of states that can be active together, each with the states
//! around it, where some regions have no leaf. In an instance each leaf number holds the innermost
//! active state that stands there, whatever its kind:
//!
//! ```text
//!  root                     leaves of the instance
//!  └── P (orthogonal)       0: P     region 1 has no leaf: what was active in it is gone
//!      ├── region 1         1: B     region 2 has one
//!      │   ├── A1 (initial)
//!      │   └── A2           completing enters A1 and nothing else: P and B stay as they are
//!      └── region 2
//!          └── B
//! ```
//!
//! Starting is the same with nothing active: then the root is entered first, and below it what the
//! reload entry names if a reload began the agent anew, else the initial.

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::entry_set::{EntryRequest, EntrySet};
use crate::commit::exits::Leave;
use crate::context::{Context, Site};
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::Trace;
use crate::instance::flag;
use crate::instance::leaves::Leaves;
use crate::tick::Tick;

/// A region that must be active and has no leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MissingRegion {
    pub(crate) owner: StateId,
    /// Among the regions of the owner.
    pub(crate) number: u8,
    /// Raw.
    pub(crate) first_child: u16,
    /// No region of the owner before it misses its leaf.
    pub(crate) is_first: bool,
}

impl Tick<'_, '_> {
    /// Phase (0) of an agent that has not started or is incomplete: a microstep that is not counted.
    #[cold]
    #[inline(never)]
    pub(crate) fn make_whole(&mut self) -> Result<(), Fault> {
        if self.cx.ram.has(flag::STARTED) {
            self.cx.check_instance()?;
            self.arm_pending_timers();
        } else {
            self.begin_anew()?;
        }
        self.enter_missing()?;
        self.cx.ram.clear_flag(flag::INCOMPLETE);
        self.complete(Cause::None)?;
        self.cx.check_fault()
    }

    /// Nothing is active yet.
    fn begin_anew(&mut self) -> Result<(), Fault> {
        self.cx.check_queue()?;
        self.cx.ram.clear_leaves();
        self.cx.ram.disarm_all(u8::MAX);
        self.cx.clear_frames();
        self.cx.ram.set_flag(flag::STARTED);
        if self.tracing {
            self.mark_timers();
            self.host.trace(&Trace::Started);
        }
        Ok(())
    }

    /// Kept apart so that nothing else pays for the buffer.
    #[inline(never)]
    fn enter_missing(&mut self) -> Result<(), Fault> {
        let active = self.cx.leaves();
        let mut entries = EntrySet::new();
        let span = if active.len() == 0 {
            let reloaded = self.cx.ram.has(flag::INCOMPLETE);
            let request = EntryRequest {
                domain: StateId::ROOT,
                regions: u8::MAX,
                targets: self.cx.rom.reload_entry().filter(|_| reloaded),
                transition: None,
                cause: Cause::None,
            };
            self.find_first_entries(&mut entries, &request)?
        } else {
            self.find_missing_entries(&mut entries, &active)?
        };
        self.enter_found(&entries, span.first..span.end);
        // Those that were kept may be final only now.
        for (_, leaf) in active.iter() {
            if self.cx.is_final(leaf) {
                self.entered_finals.insert(leaf);
                self.may_complete = true;
            }
        }
        Ok(())
    }

    /// Timers that begin with a reload but last as long as only the agent knows (LANG-3): a reload
    /// leaves a time in their slot and does not arm it (LOAD-4). In the order of the tree.
    fn arm_pending_timers(&mut self) {
        let mut behind = 0;
        // Bound: each state lies behind the one before.
        while let Some(state) = self.cx.active_from(behind) {
            for timer in self.cx.rom.timers_of(state) {
                let pending = timer.timer_slots().next();
                if let Some(slot) = pending.filter(|&slot| self.cx.is_pending(timer, slot)) {
                    let site = Site {
                        state,
                        transition: None,
                        cause: Cause::None,
                    };
                    let ticks = self.ticks(timer.duration, &site);
                    self.cx.arm(slot, self.cx.now.wrapping_add(ticks));
                }
            }
            behind = state.raw().saturating_add(1);
        }
    }

    /// Leaves a partial configuration as it is, the root last: history records nothing of it. Bound:
    /// each round leaves a state.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_partial(&mut self, leave: &Leave) -> Result<(), Fault> {
        let reverse = self.cx.has_policy(policy::REVERSE_EXIT_ORDER);
        while let Some(state) = self.cx.next_to_leave(reverse) {
            let frames = self.cx.frames_after(state, leave);
            self.exit_state(state, false, leave);
            if let Some(region) = frames {
                self.leave_frames(region, leave)?;
            }
        }
        Ok(())
    }
}

impl Context<'_> {
    /// Is the configuration whole, by what the flags say?
    #[inline]
    pub(crate) fn is_whole_by_flags(&self) -> bool {
        let flags = self.ram.header().flags.get();
        flags & (flag::STARTED | flag::INCOMPLETE) == flag::STARTED
    }

    /// Is each leaf number's state one that can stand there, inside what the others say is active
    /// around it? Then no two children of one region are active: they have the same leaf number.
    pub(crate) fn is_partial(&self) -> bool {
        let leaves = self.ram.leaves();
        let mut all = (0_u8..).zip(leaves).filter(|(_, leaf)| leaf.get() != NONE);
        all.all(|(number, &leaf)| {
            let state = StateId::read(leaf);
            let record = state.and_then(|state| self.rom.state(state));
            record.is_some_and(|record| record.leaf == number && record.kind != StateKind::Choice)
                && state.is_some_and(|state| self.stands_in_its_place(state))
        })
    }

    /// Where each state around one stands, is that state or one inside it the innermost?
    fn stands_in_its_place(&self, state: StateId) -> bool {
        self.rom.path_up(state).all(|around| {
            let record = self.rom.state(around);
            let innermost = record
                .and_then(|record| self.ram.leaves().get(usize::from(record.leaf)))
                .and_then(|&leaf| StateId::read(leaf));
            innermost.is_some_and(|innermost| self.rom.is_ancestor_or_self(around, innermost))
        })
    }

    /// The first region in the order of the tree that misses its leaf and whose children begin at a
    /// state or behind it.
    pub(crate) fn missing_region(&self, active: &Leaves, from: u16) -> Option<MissingRegion> {
        let owners = active.iter().flat_map(|(_, leaf)| self.rom.path_up(leaf));
        let is_missing = |(first, end): (u16, u16)| active.mask_in(first, end) == 0;
        let regions = owners.flat_map(|owner| {
            (0_u8..)
                .zip(self.rom.region_ids_of(owner))
                .filter_map(move |(number, region)| {
                    let (first_child, _) = self
                        .rom
                        .region_span(region)
                        .filter(|&span| is_missing(span) && span.0 >= from)?;
                    let mut before = self.rom.region_ids_of(owner).take(usize::from(number));
                    let is_first =
                        !before.any(|region| self.rom.region_span(region).is_some_and(is_missing));
                    Some(MissingRegion {
                        owner,
                        number,
                        first_child,
                        is_first,
                    })
                })
        });
        regions.min_by_key(|region| region.first_child)
    }

    /// Does a timer wait for the tick that knows how long it lasts?
    fn is_pending(&self, timer: &TimerRecord, slot: TimerSlot) -> bool {
        timer.kind.get().is_armed_on_entry()
            && timer.duration.known().is_none()
            && !self.ram.is_armed(slot)
            && self.time(slot) != 0
    }

    /// The first active state at a number or behind it.
    fn active_from(&self, from: u16) -> Option<StateId> {
        let leaves = self.ram.leaves().iter();
        let states = leaves.filter_map(|&leaf| StateId::read(leaf));
        let all = states.flat_map(|leaf| self.rom.path_up(leaf));
        all.filter(|state| state.raw() >= from).min()
    }

    /// The state that is left next: of those without an active state inside the first, or with
    /// reverse order the last of all.
    fn next_to_leave(&self, reverse: bool) -> Option<StateId> {
        let states = || {
            let leaves = self.ram.leaves().iter();
            leaves.filter_map(|&leaf| StateId::read(leaf))
        };
        if reverse {
            return states().max();
        }
        let is_innermost =
            |&state: &StateId| !states().any(|other| self.rom.is_inside(other, state));
        states().filter(is_innermost).min()
    }
}
