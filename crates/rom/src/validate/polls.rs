//! What agents do by themselves: the chain of active leaves, what each polls and runs (RAM-4, TICK-5).
//!
//! The kernel takes a configuration for whole if its leaves form the chain of the poll records, so
//! that chain is proven to be that of the tree. What is asked has to lie in its table only: that it
//! is the right part of the candidates is proven by `statewright check --deep`.

use super::{Check, expected, range};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::view::Rom;

/// Places of the tables by depth: a power of two, so that a masked depth always fits.
const LEVELS: usize = 32;
const _: () = assert!(MAX_DEPTH < LEVELS);

/// What a state hands on to the states inside it.
#[derive(Clone, Copy)]
struct Around {
    /// See [`PollRecord::first_of`].
    first_of: u16,
    /// See [`PollRecord::next`].
    next: u16,
    /// What the innermost own state runs.
    run: u16,
    /// Slots of latched transitions of own states.
    latches: u32,
}

impl Around {
    const NOTHING: Self = Self {
        first_of: NONE,
        next: NONE,
        run: NONE,
        latches: 0,
    };
}

/// Goes through the states in pre-order. The tree is proven.
struct Walk<'r, 'a> {
    rom: &'r Rom<'a>,
    around: [Around; LEVELS],
    /// Records of [`Section::Runs`] so far.
    runs: u16,
}

impl<'r, 'a> Walk<'r, 'a> {
    fn new(rom: &'r Rom<'a>) -> Self {
        Self {
            rom,
            around: [Around::NOTHING; LEVELS],
            runs: 0,
        }
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "masked to the size of the array")]
    fn at(&mut self, depth: u8) -> &mut Around {
        &mut self.around[usize::from(depth) & (LEVELS - 1)]
    }

    /// What lies around a state, as far as it belongs to the leaves in this state.
    #[inline(always)]
    fn inherited(&mut self, state: &StateRecord) -> Around {
        let parent = self.rom.states().get(usize::from(state.parent.get()));
        let Some(parent) = parent else {
            return Around::NOTHING;
        };
        let around = *self.at(state.depth.wrapping_sub(1));
        let region = state.region.get();
        let number = region.wrapping_sub(parent.first_region.get());
        let next = number.wrapping_add(1);
        Around {
            next: if next < u16::from(parent.region_count) {
                region.wrapping_add(1)
            } else {
                around.next
            },
            ..if number > 0 {
                Around {
                    first_of: region,
                    ..Around::NOTHING
                }
            } else {
                around
            }
        }
    }

    /// Goes into a state. What is around it, and what there is with its own.
    #[inline(always)]
    fn enter(&mut self, state: &StateRecord) -> (Around, Around) {
        let outer = self.inherited(state);
        let mut own = outer;
        if runs_by_itself(state) {
            own.run = self.runs;
            self.runs = self.runs.wrapping_add(1);
        }
        let extra = self.rom.state_extras().get(usize::from(state.extra.get()));
        let slot = extra.map_or(u32::MAX, |extra| u32::from(extra.latch_slot));
        own.latches |= 1_u32.checked_shl(slot).unwrap_or(0);
        *self.at(state.depth) = own;
        (outer, own)
    }
}

/// Does a state have update actions or an activity?
#[inline(always)]
fn runs_by_itself(state: &StateRecord) -> bool {
    state.flags.get() & (state_flag::ACTIVITY | state_flag::UPDATE) != 0
}

/// One record per state with update actions or an activity, with what that state has.
pub(super) fn runs<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Runs);
    if rom.runs().is_empty() && !rom.states().iter().any(runs_by_itself) {
        return check.finish();
    }
    let mut walk = Walk::new(rom);
    for (number, state) in (0_u16..).zip(rom.states()) {
        let place = walk.runs;
        let (outer, _) = walk.enter(state);
        if !runs_by_itself(state) {
            continue;
        }
        let i = usize::from(place);
        let Some(run) = rom.runs().get(i) else {
            check.whole(false, || {
                Problem::Rule("a state with an activity or update actions is missing")
            })?;
            break;
        };
        let extra = rom.state_extras().get(usize::from(state.extra.get()));
        let op = rom.ops().get(usize::from(state.activity.get()));
        let derived = RunRecord {
            state: number.into(),
            next: outer.run.into(),
            update: extra.map_or(NONE.into(), |extra| extra.update),
            activity: state.activity,
            result_slot: extra.map_or(0xFF, |extra| extra.result_slot),
            result_bit: extra.map_or(0, |extra| extra.result_bit),
            depth: state.depth,
            leaf: state.leaf,
            call: op.copied().unwrap_or_default(),
        };
        check.rule(*run == derived, i, || {
            Problem::Rule("it is not what its state has")
        })?;
    }
    let (found, needed) = (rom.runs().len() as u64, u64::from(walk.runs));
    check.whole(found == needed, || expected("count", needed, found))?;
    check.finish()
}

/// One record per leaf row: its place in the chain of leaves, what it polls and runs.
pub(super) fn polls<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Polls);
    let (found, rows) = (rom.polls().len(), rom.leaf_rows().len());
    check.whole(found == rows, || {
        expected("count", rows as u64, found as u64)
    })?;
    let mut walk = Walk::new(rom);
    for state in rom.states() {
        let (_, own) = walk.enter(state);
        let i = usize::from(state.row.get());
        let Some(poll) = rom.polls().get(i) else {
            continue;
        };
        check.rule(poll.first_of.get() == own.first_of, i, || {
            expected("first of", own.first_of, poll.first_of)
        })?;
        check.rule(poll.next.get() == own.next, i, || {
            expected("next", own.next, poll.next)
        })?;
        let next = rom.regions().get(usize::from(own.next));
        let next_leaf = next.map_or(0xFF, |region| region.leaf);
        check.rule(poll.next_leaf == next_leaf, i, || {
            expected("next leaf", next_leaf, poll.next_leaf)
        })?;
        check.rule(poll.run.get() == own.run, i, || {
            expected("run", own.run, poll.run)
        })?;
        check.rule(poll.latches.get() == own.latches, i, || {
            expected("latches", own.latches, poll.latches)
        })?;
        check.rule(poll.reserved == 0, i, || Problem::Reserved)?;
        let total = rom.candidates().len();
        for (first, count) in [
            (poll.first_interrupt, poll.interrupts),
            (poll.first_ask, poll.asks),
        ] {
            let end = u64::from(first.get()).wrapping_add(u64::from(count.get()));
            check.rule(end <= total as u64, i, || {
                range("last candidate", end, total)
            })?;
        }
    }
    check.finish()
}
