//! The tree: states in pre-order, regions, leaf numbers, and what states own (RAM-4, EXEC-9).

use super::durations::{Place, bad_optional};
use super::{Check, expected, optional, presence, range, unknown};
use crate::error::{LoadError, Problem};
use crate::ids::StateId;
use crate::layout::*;
use crate::validate::functions::{self, Role};
use crate::view::{Rom, bit};

/// Places of the small tables by depth: a power of two above [`MAX_DEPTH`] + 1, so that a masked
/// depth always fits.
const LEVELS: usize = 32;
const _: () = assert!(MAX_DEPTH + 1 < LEVELS);

/// One number per depth of the tree.
#[derive(Clone, Copy)]
struct ByDepth([u32; LEVELS]);

impl ByDepth {
    const fn new() -> Self {
        Self([0; LEVELS])
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "masked to the size of the array")]
    fn at(&mut self, depth: usize) -> &mut u32 {
        &mut self.0[depth & (LEVELS - 1)]
    }
}

/// What is known on the way through the states in pre-order.
struct Walk {
    /// Last state at each depth.
    last: ByDepth,
    /// Where the next state at each depth must be if it is a sibling of the last one (or its
    /// parent's first child).
    next: ByDepth,
    /// Region of the last state at each depth; one less than the first region for a first child.
    region: ByDepth,
    /// Depth of the state before.
    depth: usize,
    deepest: usize,
    /// Regions, transitions, branches and rows used so far.
    regions: u32,
    transitions: u32,
    branches: u64,
    rows: u32,
}

impl Walk {
    /// Notes a state so that its children and its next sibling can be checked.
    #[inline(always)]
    fn enter(&mut self, i: u32, state: &StateRecord) {
        let depth = usize::from(state.depth);
        let below = depth.wrapping_add(1);
        *self.last.at(depth) = i;
        *self.next.at(depth) = u32::from(state.subtree_end.get());
        *self.next.at(below) = i.wrapping_add(1);
        *self.region.at(below) = u32::from(state.first_region.get()).wrapping_sub(1);
        self.depth = depth;
        self.deepest = self.deepest.max(depth);
    }
}

/// The root: nothing around it, everything inside it, at least one region.
fn root<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    root: &StateRecord,
) -> Result<(), LoadError> {
    let count = rom.states().len();
    check.rule(root.parent.get() == NONE, 0, || {
        presence("parent of the root", false)
    })?;
    check.rule(root.region.get() == NONE, 0, || {
        presence("region of the root", false)
    })?;
    check.rule(usize::from(root.subtree_end.get()) == count, 0, || {
        expected("subtree end", count as u64, root.subtree_end)
    })?;
    check.rule(root.depth == 1, 0, || expected("depth", 1_u8, root.depth))?;
    check.rule(root.leaf == 0, 0, || expected("leaf", 0_u8, root.leaf))?;
    check.rule(root.region_count > 0, 0, || {
        Problem::Rule("the root has no states")
    })
}

/// Parents, subtrees and depths form one tree in pre-order; kinds and regions fit it; rows and
/// transitions are dealt out in order.
pub(super) fn states<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::States);
    let mut walk = Walk {
        last: ByDepth::new(),
        next: ByDepth::new(),
        region: ByDepth::new(),
        depth: 0,
        deepest: 0,
        regions: 0,
        transitions: 0,
        branches: 0,
        rows: 0,
    };
    let fewest = if rom.header().policies & policy::SCXML_DETAILS != 0 {
        1
    } else {
        2
    };
    for (i, state) in rom.states().iter().enumerate() {
        if i == 0 {
            root(&mut check, rom, state)?;
        } else {
            place(&mut check, rom, &mut walk, i, state)?;
        }
        kind(&mut check, &mut walk, fewest, i, state)?;
        walk.enter(i as u32, state);
    }
    totals(&mut check, rom, &walk)?;
    check.finish()
}

/// A state lies where its depth says, inside its parent and in the right region of it.
#[inline(always)]
fn place<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    walk: &mut Walk,
    i: usize,
    state: &StateRecord,
) -> Result<(), LoadError> {
    let states = rom.states();
    let (depth, parent, end) = (
        usize::from(state.depth),
        state.parent.get(),
        state.subtree_end.get(),
    );
    check.rule(usize::from(parent) < i, i, || {
        Problem::Rule("the parent does not come before the state")
    })?;
    let deep = (2..=MAX_DEPTH).contains(&depth) & (depth <= walk.depth.wrapping_add(1));
    check.rule(deep, i, || unknown("depth", state.depth))?;
    let above = depth.wrapping_sub(1);
    let around = *walk.last.at(above);
    check.rule(u32::from(parent) == around, i, || {
        let depth = states
            .get(usize::from(parent))
            .map_or(0, |parent| parent.depth);
        if depth == state.depth.wrapping_sub(1) {
            expected("parent", around, parent)
        } else {
            expected("depth", depth.wrapping_add(1), state.depth)
        }
    })?;
    let next = *walk.next.at(depth);
    check.rule(next == i as u32, i, || {
        Problem::Rule("the subtree of the state before ends elsewhere")
    })?;
    // With the rule above on the other side: a subtree can end neither early nor late.
    let after = states.get(usize::from(end)).map_or(0, |after| after.depth);
    let ends =
        (usize::from(end) > i) & (u32::from(end) <= *walk.next.at(above)) & (after <= state.depth);
    check.rule(ends, i, || unknown("subtree end", end))?;
    in_region(check, rom, walk, i, state)
}

/// Children of one region are contiguous, regions in order.
#[inline(always)]
fn in_region<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    walk: &mut Walk,
    i: usize,
    state: &StateRecord,
) -> Result<(), LoadError> {
    let regions = rom.regions();
    let last = walk.region.at(usize::from(state.depth));
    let found = state.region.get();
    let Some(region) = regions.get(usize::from(found)) else {
        return check.rule(false, i, || range("region", found, regions.len()));
    };
    check.rule(region.owner == state.parent, i, || {
        expected("owner of the region", state.parent, region.owner)
    })?;
    let step = u32::from(found).wrapping_sub(*last);
    let first = usize::from(region.first_child.get()) == i;
    check.rule((step <= 1) & (first == (step == 1)), i, || {
        Problem::Rule("the states of a region are not together")
    })?;
    check.rule(state.leaf == region.leaf, i, || {
        expected("leaf", region.leaf, state.leaf)
    })?;
    *last = u32::from(found);
    Ok(())
}

/// The kind fits the regions, of which an orthogonal state has so many at least; runs of regions,
/// transitions and rows follow each other.
#[inline(always)]
fn kind<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    walk: &mut Walk,
    fewest: u8,
    i: usize,
    state: &StateRecord,
) -> Result<(), LoadError> {
    let (kind, regions) = (state.kind, state.region_count);
    check.rule(kind.is_known(), i, || unknown("kind", kind))?;
    let (compound, orthogonal) = (kind == StateKind::Compound, kind == StateKind::Orthogonal);
    let composite = kind.known().is_some_and(StateKind::has_regions);
    let fits = (compound & (regions == 1))
        | (orthogonal & (regions >= fewest))
        | (!composite & (regions == 0));
    check.rule(fits, i, || {
        unknown("count of regions for its kind,", regions)
    })?;
    let children = usize::from(state.subtree_end.get()) > i.wrapping_add(1);
    check.rule(children == composite, i, || {
        Problem::Rule("the kind does not fit the children")
    })?;
    let first = if composite {
        walk.regions
    } else {
        u32::from(NONE)
    };
    check.rule(u32::from(state.first_region.get()) == first, i, || {
        expected("first region", first, state.first_region)
    })?;
    walk.regions = walk.regions.wrapping_add(u32::from(regions));

    let choice = kind == StateKind::Choice;
    let count = state.transition_count.get();
    let first = if count > 0 { walk.transitions } else { 0 };
    let placed = choice | (u32::from(state.first_transition.get()) == first);
    check.rule(placed, i, || {
        expected("first transition", first, state.first_transition)
    })?;
    walk.transitions = walk
        .transitions
        .wrapping_add(if choice { 0 } else { u32::from(count) });
    walk.branches = walk
        .branches
        .wrapping_add(if choice { u64::from(count) } else { 0 });

    let leaf = kind.known().is_some_and(StateKind::is_leaf);
    let row = if leaf { walk.rows } else { u32::from(NONE) };
    check.rule(u32::from(state.row.get()) == row, i, || {
        expected("row", row, state.row)
    })?;
    walk.rows = walk.rows.wrapping_add(u32::from(leaf));
    Ok(())
}

/// What was dealt out is what there is.
fn totals<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    walk: &Walk,
) -> Result<(), LoadError> {
    let counts = [
        (
            "sum of regions",
            u64::from(walk.regions),
            rom.regions().len(),
        ),
        (
            "sum of transitions",
            u64::from(walk.transitions),
            rom.transitions().len(),
        ),
        ("sum of branches", walk.branches, rom.branches().len()),
        ("sum of rows", u64::from(walk.rows), rom.leaf_rows().len()),
        (
            "deepest state",
            walk.deepest as u64,
            usize::from(rom.header().max_depth),
        ),
    ];
    for (what, found, needed) in counts {
        check.whole(found == needed as u64, || {
            expected(what, needed as u64, found)
        })?;
    }
    Ok(())
}

/// Regions belong to their owners; the first one has the owner's leaf number (RAM-4).
pub(super) fn regions<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Regions);
    let (states, leaves) = (rom.states(), rom.capacity().leaves);
    let (initials, stacks) = (rom.initials().len(), rom.stacks().len());
    for (i, region) in rom.regions().iter().enumerate() {
        let owner = region.owner.get();
        let Some(state) = states.get(usize::from(owner)) else {
            check.rule(false, i, || range("owner", owner, states.len()))?;
            continue;
        };
        let first = usize::from(state.first_region.get());
        let own = i.wrapping_sub(first) < usize::from(state.region_count);
        check.rule(own, i, || {
            Problem::Rule("the region is not among those of its owner")
        })?;
        let child = states.get(usize::from(region.first_child.get()));
        let holds = child.is_some_and(|child| usize::from(child.region.get()) == i);
        check.rule(holds, i, || {
            Problem::Rule("the first child is not in the region")
        })?;
        check.rule(region.leaf < leaves, i, || {
            range("leaf", region.leaf, usize::from(leaves))
        })?;
        check.rule((i != first) | (region.leaf == state.leaf), i, || {
            expected("leaf", state.leaf, region.leaf)
        })?;
        check.rule(usize::from(region.initial.get()) < initials, i, || {
            range("initial", region.initial, initials)
        })?;
        let stack = (region.stack == 0xFF) | (usize::from(region.stack) < stacks);
        check.rule(stack, i, || range("stack", region.stack, stacks))?;
    }
    check.finish()
}

/// Regions that can be active together use different leaf numbers (RAM-4).
///
/// States in reverse pre-order: the leaf numbers below a state are complete when it is reached.
pub(super) fn leaves<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::States);
    let owners = rom.regions().iter().map(|region| region.owner);
    if owners
        .clone()
        .zip(owners.skip(1))
        .fold(true, |apart, (one, two)| apart & (one != two))
    {
        // No state has two regions.
        return check.finish();
    }
    // Per depth: leaf numbers of the region under way, and of the regions to its right.
    let (mut open, mut done) = (ByDepth::new(), ByDepth::new());
    for (i, state) in rom.states().iter().enumerate().skip(1).rev() {
        let depth = usize::from(state.depth);
        let below = core::mem::take(done.at(depth.wrapping_add(1)));
        let mask = *open.at(depth) | below | bit(state.leaf);
        let first = rom
            .regions()
            .get(usize::from(state.region.get()))
            .map_or(0, |region| region.first_child.get());
        let complete = usize::from(first) == i;
        let others = done.at(depth);
        check.rule(!complete | (mask & *others == 0), i, || {
            Problem::Rule("regions that are active together share a leaf number")
        })?;
        *others |= if complete { mask } else { 0 };
        *open.at(depth) = if complete { 0 } else { mask };
    }
    check.finish()
}

/// Scratch slots exist.
pub(super) fn scratch<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Scratch);
    for (i, scratch) in rom.scratch().iter().enumerate() {
        let owner = scratch.owner.get();
        check.rule(is_real(rom, owner), i, || {
            range("owner", owner, rom.states().len())
        })?;
        check.rule(scratch.count > 0, i, || unknown("count", 0_u8))?;
        check.rule(slots_fit(rom, scratch.slot, scratch.count), i, || {
            range_of_slots(rom, scratch.slot)
        })?;
        check.rule(scratch.ty.is_known(), i, || unknown("type", scratch.ty))?;
        let single = (scratch.ty == ScratchType::Raw) | (scratch.count == 1);
        check.rule(single, i, || expected("count", 1_u8, scratch.count))?;
        check.rule(scratch.reserved == [0; 3], i, || Problem::Reserved)?;
    }
    check.finish()
}

/// A state that can be active.
pub(super) fn is_real(rom: &Rom<'_>, state: u16) -> bool {
    rom.states()
        .get(usize::from(state))
        .is_some_and(|state| state.kind != StateKind::Choice)
}

pub(super) fn slots_fit(rom: &Rom<'_>, first: u8, count: u8) -> bool {
    u32::from(first).wrapping_add(u32::from(count)) <= u32::from(rom.capacity().slots)
}

pub(super) fn range_of_slots(rom: &Rom<'_>, first: u8) -> Problem {
    range("slot", first, usize::from(rom.capacity().slots))
}

/// What a state refers to: actions, activity, timers, branches, the extra record.
pub(super) fn state_parts<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::States);
    let (lists, timers) = (rom.action_lists().len(), rom.timers().len());
    let places = (1_u32 << rom.capacity().timers).wrapping_sub(1);
    for (i, state) in rom.states().iter().enumerate() {
        let flags = state.flags.get();
        check.rule(flags & !state_flag::ALL == 0, i, || unknown("flags", flags))?;
        check.rule(optional(state.entry.get(), lists), i, || {
            range("entry list", state.entry, lists)
        })?;
        check.rule(optional(state.exit.get(), lists), i, || {
            range("exit list", state.exit, lists)
        })?;
        let activity = state.activity.get();
        check.rule(functions::plays(rom, activity, Role::Activity), i, || {
            Role::Activity.problem(activity)
        })?;
        let marked = flags & state_flag::ACTIVITY != 0;
        check.rule(marked == (activity != NONE), i, || {
            Problem::Rule("the activity flag does not fit the activity")
        })?;
        let end = usize::from(state.first_timer.get()).wrapping_add(usize::from(state.timer_count));
        check.rule(end <= timers, i, || {
            range("end of timers", end as u64, timers.wrapping_add(1))
        })?;
        let owned = (state.timer_count > 0) | (state.first_timer.get() == 0);
        check.rule(owned, i, || {
            expected("first timer", 0_u8, state.first_timer)
        })?;
        check.rule(u32::from(state.timer_mask) & !places == 0, i, || {
            unknown("timer mask", state.timer_mask)
        })?;
        if state.kind == StateKind::Choice {
            choice(&mut check, rom, i, state)?;
        }
        if state.extra.get() != NONE {
            let extra = rom.state_extras().get(usize::from(state.extra.get()));
            let own = extra.is_some_and(|extra| usize::from(extra.state.get()) == i);
            check.rule(own, i, || {
                Problem::Rule("the extra record is not that of the state")
            })?;
        }
        const IN_EXTRA: u16 = state_flag::DEFERS | state_flag::RESTORES | state_flag::UPDATE;
        let promised = flags & IN_EXTRA != 0;
        check.rule(!promised | (state.extra.get() != NONE), i, || {
            presence("extra record", true)
        })?;
    }
    check.finish()
}

/// A choice has branches and nothing else (EXEC-7).
fn choice<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    state: &StateRecord,
) -> Result<(), LoadError> {
    let absent = [state.entry, state.exit, state.activity, state.extra]
        .iter()
        .all(|field| field.get() == NONE);
    let plain = absent && state.flags.get() == 0 && state.timer_count == 0 && state.timer_mask == 0;
    check.rule(plain, i, || {
        Problem::Rule("a choice has something other than branches")
    })?;
    let count = state.transition_count.get();
    let end = usize::from(state.first_transition.get()).wrapping_add(usize::from(count));
    let inside = count > 0 && end <= rom.branches().len();
    check.rule(inside, i, || {
        range(
            "end of branches",
            end as u64,
            rom.branches().len().wrapping_add(1),
        )
    })
}

/// What only some states have.
pub(super) fn state_extras<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::StateExtras);
    let (mut histories, mut deferrals) = (0_u64, 0_u64);
    for (i, extra) in rom.state_extras().iter().enumerate() {
        let owner = rom.states().get(usize::from(extra.state.get()));
        let own = owner.is_some_and(|state| usize::from(state.extra.get()) == i);
        check.rule(own, i, || {
            Problem::Rule("the state does not refer back to its extra record")
        })?;
        extra_references(&mut check, rom, i, extra)?;
        extra_places(&mut check, rom, i, extra)?;
        extra_runs(&mut check, rom, i, extra)?;
        histories = histories.wrapping_add(u64::from(extra.history_count));
        deferrals = deferrals.wrapping_add(u64::from(extra.deferral_count.get()));
    }
    // Every point and every deferral lies in the run of its owner; if the sums fit, the runs are
    // exactly those.
    let (points, kept) = (rom.history().len() as u64, rom.deferrals().len() as u64);
    check.whole(histories == points, || {
        expected("sum of history points", points, histories)
    })?;
    check.whole(deferrals == kept, || {
        expected("sum of deferrals", kept, deferrals)
    })?;
    check.finish()
}

fn extra_references<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &StateExtra,
) -> Result<(), LoadError> {
    let lists = rom.action_lists().len();
    check.rule(optional(extra.suspend.get(), lists), i, || {
        range("suspend list", extra.suspend, lists)
    })?;
    check.rule(optional(extra.resume.get(), lists), i, || {
        range("resume list", extra.resume, lists)
    })?;
    check.rule(optional(extra.update.get(), lists), i, || {
        range("update list", extra.update, lists)
    })?;
    let ready = extra.exit_ready.get();
    check.rule(functions::plays(rom, ready, Role::Guard), i, || {
        Role::Guard.problem(ready)
    })?;
    let problem = bad_optional(rom, extra.min_active, Place::Asked);
    check.rule(problem.is_none(), i, || {
        problem.unwrap_or(Problem::Reserved)
    })?;
    let channels = (1_u64 << rom.channels().len().min(MAX_CHANNELS)).wrapping_sub(1);
    check.rule(u64::from(extra.channels.get()) & !channels == 0, i, || {
        unknown("channels", extra.channels)
    })?;
    let (event, events) = (extra.done_event, rom.events().len());
    check.rule(optional(event.get(), events), i, || {
        range("event of completion", event, events)
    })?;
    check.rule((extra.zero == 0) & (extra.reserved.get() == 0), i, || {
        Problem::Reserved
    })
}

fn extra_places<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &StateExtra,
) -> Result<(), LoadError> {
    let timers = rom.capacity().timers;
    let clock = extra.clock == 0xFF || extra.clock < timers;
    check.rule(clock, i, || {
        range("clock", extra.clock, usize::from(timers))
    })?;
    let timed = !extra.min_active.is_some() || extra.clock != 0xFF;
    check.rule(timed, i, || {
        presence("the clock of a min-active time", true)
    })?;
    let bits = extra.result_bit <= 14 && extra.result_bit.is_multiple_of(2);
    check.rule(
        bits && (extra.result_slot != 0xFF || extra.result_bit == 0),
        i,
        || unknown("result bit", extra.result_bit),
    )?;
    for slot in [extra.result_slot, extra.latch_slot] {
        check.rule(slot == 0xFF || slots_fit(rom, slot, 1), i, || {
            range_of_slots(rom, slot)
        })?;
    }
    let scratch = if extra.scratch_slot == 0xFF {
        extra.scratch_count == 0
    } else {
        slots_fit(rom, extra.scratch_slot, extra.scratch_count)
    };
    check.rule(scratch, i, || range_of_slots(rom, extra.scratch_slot))
}

/// Runs of history points and deferrals; flags that promise them.
fn extra_runs<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    extra: &StateExtra,
) -> Result<(), LoadError> {
    let points =
        usize::from(extra.first_history.get()).wrapping_add(usize::from(extra.history_count));
    let kept = usize::from(extra.first_deferral.get())
        .wrapping_add(usize::from(extra.deferral_count.get()));
    let (histories, deferrals) = (rom.history().len(), rom.deferrals().len());
    check.rule(points <= histories, i, || {
        range("end of history", points as u64, histories.wrapping_add(1))
    })?;
    check.rule(kept <= deferrals, i, || {
        range("end of deferrals", kept as u64, deferrals.wrapping_add(1))
    })?;
    let Some((state, record)) =
        StateId::read(extra.state).and_then(|id| Some((id, rom.state(id)?)))
    else {
        return Ok(());
    };
    let flags = record.flags.get();
    let defers = extra.deferral_count.get() > 0;
    check.rule((flags & state_flag::DEFERS != 0) == defers, i, || {
        presence("the deferral flag of the state", defers)
    })?;
    let updates = extra.update.get() != NONE;
    check.rule((flags & state_flag::UPDATE != 0) == updates, i, || {
        presence("the update flag of the state", updates)
    })?;
    let restores = rom.history_of(state).iter().any(|point| point.restore == 1);
    check.rule((flags & state_flag::RESTORES != 0) == restores, i, || {
        presence("the restore flag of the state", restores)
    })
}

/// Observers (EVT-8).
pub(super) fn observers<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Observers);
    let (events, lists) = (rom.events().len(), rom.action_lists().len());
    for (i, observer) in rom.observers().iter().enumerate() {
        let event = observer.event.get();
        check.rule(
            SpecialTrigger::Any.is(observer.event) | (usize::from(event) < events),
            i,
            || range("event", event, events),
        )?;
        check.rule(usize::from(observer.actions.get()) < lists, i, || {
            range("actions", observer.actions, lists)
        })?;
    }
    check.finish()
}

/// Deferrals lie in the run of their state (EVT-5).
pub(super) fn deferrals<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Deferrals);
    let events = rom.events().len();
    for (i, deferral) in rom.deferrals().iter().enumerate() {
        let event = deferral.event.get();
        check.rule(usize::from(event) < events, i, || {
            range("event", event, events)
        })?;
        let extra = StateId::read(deferral.state).and_then(|state| rom.state_extra(state));
        let own = extra.is_some_and(|extra| {
            i.wrapping_sub(usize::from(extra.first_deferral.get()))
                < usize::from(extra.deferral_count.get())
        });
        check.rule(own, i, || {
            Problem::Rule("the deferral is not among those of its state")
        })?;
    }
    check.finish()
}
