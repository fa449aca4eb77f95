//! Where entry goes: targets, history points, initials, choices, stacks (EXEC-3, EXEC-4, EXEC-7,
//! EXEC-8).
//!
//! What is proven here makes every entry end. Default entry of a state only leads strictly inside
//! it; a history point that is the initial of its own owner has a default of its own; choices never
//! lead back to themselves.

use super::{Check, Runs, expected, optional, presence, range, unknown};
use crate::error::{LoadError, Problem};
use crate::ids::{RegionId, StateId, TargetSetId};
use crate::layout::*;
use crate::validate::functions::{self, Role};
use crate::validate::tree::{range_of_slots, slots_fit};
use crate::view::{Rom, bit};

/// Most choices that one choice may lead through, itself included.
pub(crate) const MAX_CHOICE_CHAIN: u32 = 16;

/// Slots `first .. first + count`, one bit each; 0 past the last slot.
fn slot_bits(first: u8, count: u8) -> u32 {
    let run = 1_u64
        .checked_shl(u32::from(count))
        .unwrap_or(0)
        .wrapping_sub(1);
    run.checked_shl(u32::from(first)).unwrap_or(0) as u32
}

/// History points by themselves: owner, place, slots. Defaults follow in [`history`].
pub(super) fn history_shape<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::History);
    let mut taken = 0;
    for (i, point) in rom.history().iter().enumerate() {
        let owner = StateId::read(point.owner);
        let state = owner.and_then(|owner| rom.state(owner));
        check.rule(state.is_some_and(|s| s.region_count > 0), i, || {
            Problem::Rule("the owner has no regions")
        })?;
        let extra = owner.and_then(|owner| rom.state_extra(owner));
        let own = extra.is_some_and(|extra| {
            i.wrapping_sub(usize::from(extra.first_history.get()))
                < usize::from(extra.history_count)
        });
        check.rule(own, i, || {
            Problem::Rule("the point is not among those of its owner")
        })?;
        check.rule(point.deep <= 1, i, || unknown("depth mark", point.deep))?;
        check.rule(point.restore <= 1, i, || {
            unknown("restore mark", point.restore)
        })?;
        check.rule(point.reserved == [0; 6], i, || Problem::Reserved)?;
        let leaves = owner.map_or(0, |owner| rom.leaf_mask(owner).count_ones());
        let needed = if point.deep == 1 {
            leaves
        } else {
            state.map_or(0, |s| u32::from(s.region_count))
        };
        check.rule(u32::from(point.slot_count) == needed, i, || {
            expected("count of slots", needed, point.slot_count)
        })?;
        check.rule(slots_fit(rom, point.slot, point.slot_count), i, || {
            range_of_slots(rom, point.slot)
        })?;
        let slots = slot_bits(point.slot, point.slot_count);
        check.rule(taken & slots == 0, i, || {
            Problem::Rule("history points share a slot")
        })?;
        taken |= slots;
    }
    check.finish()
}

/// Single targets.
pub(super) fn targets<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Targets);
    let (states, points) = (rom.states(), rom.history().len());
    if rom.branches().is_empty() && are_plain(rom) {
        return check.finish();
    }
    for (i, target) in rom.targets().iter().enumerate() {
        let index = usize::from(target.index.get());
        check.rule(target.reserved == 0, i, || Problem::Reserved)?;
        if target.kind == TargetKind::History {
            check.rule(index < points, i, || {
                range("history point", target.index, points)
            })?;
            continue;
        }
        let choice = target.kind == TargetKind::Choice;
        check.rule(choice | (target.kind == TargetKind::State), i, || {
            unknown("kind", target.kind)
        })?;
        check.rule(index < states.len(), i, || {
            range("target", target.index, states.len())
        })?;
        check.rule(index > 0, i, || Problem::Rule("the root is no target"))?;
        let state = states.get(index);
        let is_choice = state.is_some_and(|state| state.kind == StateKind::Choice);
        check.rule(choice == is_choice, i, || {
            Problem::Rule("the kind is not that of the state")
        })?;
    }
    check.finish()
}

/// Are all targets states below the root? Enough where there are no choices; a kind or a reserved
/// byte makes the number too large.
fn are_plain(rom: &Rom<'_>) -> bool {
    let number = |target: &TargetRecord| u32::from_le_bytes(zerocopy::transmute!(*target));
    let highest = rom.targets().iter().fold(0, |highest, target| {
        number(target).wrapping_sub(1).max(highest)
    });
    (highest as usize) < rom.states().len().saturating_sub(1)
}

/// The state at which a target stands in the tree: itself, or the owner of a history point.
#[inline(always)]
pub(super) fn anchor(rom: &Rom<'_>, target: &TargetRecord) -> u16 {
    if target.kind == TargetKind::History {
        return rom
            .history()
            .get(usize::from(target.index.get()))
            .map_or(NONE, |point| point.owner.get());
    }
    target.index.get()
}

/// Sets lie back to back; several targets can be active together, in the order of the tree; a
/// choice stands alone.
pub(super) fn target_sets<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::TargetSets);
    let mut runs = Runs::default();
    for (i, set) in rom.target_sets().iter().enumerate() {
        let next = runs.next;
        let count = set.count.get();
        let placed = runs.take(set.first.get(), u32::from(count));
        check.rule(placed, i, || {
            if count == 0 {
                unknown("count", 0_u8)
            } else {
                expected("first target", next, set.first)
            }
        })?;
        check.rule(set.reserved.get() == 0, i, || Problem::Reserved)?;
        if placed & (count > 1) {
            let targets = TargetSetId::from_index(i).map_or(&[][..], |set| rom.targets_of(set));
            check.rule(
                targets.iter().all(|t| t.kind != TargetKind::Choice),
                i,
                || Problem::Rule("a choice is not the only target of its set"),
            )?;
            let together = targets.windows(2).all(|pair| match pair {
                [first, second] => are_concurrent(rom, anchor(rom, first), anchor(rom, second)),
                _ => true,
            });
            check.rule(together, i, || {
                Problem::Rule("targets that cannot be active together, or out of order")
            })?;
        }
    }
    let total = rom.targets().len();
    check.whole(runs.is_all(total), || {
        expected("sum of targets", total as u64, runs.next)
    })?;
    check.finish()
}

/// Do two states lie in different regions of one orthogonal state, the first one earlier? Neighbors
/// of a sorted set are enough: the state around both of any other pair is the outermost of those
/// between them.
fn are_concurrent(rom: &Rom<'_>, first: u16, second: u16) -> bool {
    let (Some(first), Some(second)) = (StateId::new(first), StateId::new(second)) else {
        return false;
    };
    if first >= second || rom.is_ancestor_or_self(first, second) {
        return false;
    }
    let mut below = first;
    // Bound: at most `MAX_DEPTH` states on the way up, and the root is around everything.
    for around in rom.path_up(first).skip(1) {
        if rom.is_ancestor_or_self(around, second) {
            let region = rom
                .state(below)
                .and_then(|state| RegionId::read(state.region));
            let end = region
                .and_then(|region| rom.region_span(region))
                .map_or(u16::MAX, |(_, end)| end);
            return second.raw() >= end;
        }
        below = around;
    }
    false
}

/// Where the targets of a set lie.
pub(super) struct Span {
    /// First and last state or choice.
    pub(super) low: u16,
    pub(super) high: u16,
    /// One bit per [`TargetKind`].
    pub(super) kinds: u32,
}

impl Span {
    /// Do all states and choices of the set lie in `first .. end`?
    #[inline(always)]
    pub(super) fn is_in(&self, first: u16, end: u16) -> bool {
        (self.low >= first) & (self.high < end)
    }

    pub(super) fn has(&self, kind: TargetKind) -> bool {
        self.kinds & bit(kind.number()) != 0
    }

    fn with(self, target: &TargetRecord) -> Self {
        let kinds = self.kinds | bit(target.kind.raw());
        if target.kind == TargetKind::History {
            return Self { kinds, ..self };
        }
        let index = target.index.get();
        Self {
            low: self.low.min(index),
            high: self.high.max(index),
            kinds,
        }
    }
}

/// Where the targets of a set lie; a set that does not exist lies nowhere.
#[inline(always)]
pub(super) fn span(rom: &Rom<'_>, set: u16) -> Span {
    let nowhere = Span {
        low: u16::MAX,
        high: 0,
        kinds: 0,
    };
    let Some(set) = rom.target_sets().get(usize::from(set)) else {
        return nowhere;
    };
    let first = set.first.get() as usize;
    match rom.targets().get(first) {
        // By far the most common.
        Some(only) if (set.count.get() == 1) & (only.kind == TargetKind::State) => Span {
            low: only.index.get(),
            high: only.index.get(),
            kinds: bit(TargetKind::State.number()),
        },
        _ => crate::view::run(rom.targets(), first, usize::from(set.count.get()))
            .iter()
            .fold(nowhere, Span::with),
    }
}

/// Do all history points of a set belong to states in `first .. end`?
fn owners_in(rom: &Rom<'_>, set: u16, first: u16, end: u16) -> bool {
    let targets = TargetSetId::new(set).map_or(&[][..], |set| rom.targets_of(set));
    targets
        .iter()
        .filter(|target| target.kind == TargetKind::History)
        .all(|target| {
            let owner = anchor(rom, target);
            first <= owner && owner < end
        })
}

/// Defaults of history points lead strictly inside their owner (EXEC-4).
pub(super) fn history<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::History);
    let (sets, lists) = (rom.target_sets().len(), rom.action_lists().len());
    for (i, point) in rom.history().iter().enumerate() {
        let default = point.default.get();
        check.rule(optional(default, sets), i, || {
            range("default", default, sets)
        })?;
        check.rule(optional(point.effect.get(), lists), i, || {
            range("effect", point.effect, lists)
        })?;
        let owner = point.owner.get();
        let end = rom
            .states()
            .get(usize::from(owner))
            .map_or(0, |state| state.subtree_end.get());
        let first = owner.wrapping_add(1);
        let inside = default == NONE
            || (span(rom, default).is_in(first, end) && owners_in(rom, default, first, end));
        check.rule(inside, i, || Problem::NotInside {
            what: "a target of set",
            inner: default,
            outer: owner,
        })?;
    }
    check.finish()
}

/// Initials refer to what exists.
pub(super) fn initials<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Initials);
    let (sets, lists) = (rom.target_sets().len(), rom.action_lists().len());
    for (i, initial) in rom.initials().iter().enumerate() {
        check.rule(usize::from(initial.targets.get()) < sets, i, || {
            range("target set", initial.targets, sets)
        })?;
        check.rule(optional(initial.effect.get(), lists), i, || {
            range("effect", initial.effect, lists)
        })?;
    }
    check.finish()
}

/// Default entry of a region leads inside the region (EXEC-3).
pub(super) fn region_initials<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Regions);
    for (i, region) in rom.regions().iter().enumerate() {
        let set = rom
            .initials()
            .get(usize::from(region.initial.get()))
            .map_or(NONE, |initial| initial.targets.get());
        let (first, end) = RegionId::from_index(i)
            .and_then(|id| rom.region_span(id))
            .unwrap_or((0, 0));
        let span = span(rom, set);
        let inside = span.is_in(first, end) || span.kinds == bit(TargetKind::History.number());
        check.rule(inside, i, || {
            Problem::Rule("the initial lies outside of the region")
        })?;
        if span.has(TargetKind::History) {
            let ends = owners_in(rom, set, first, end) || is_own_history(rom, region, set);
            check.rule(ends, i, || {
                Problem::Rule("the initial is a history point that leads nowhere")
            })?;
        }
    }
    check.finish()
}

/// A history point may be the initial of its own owner if it has a default that is not this initial
/// again.
fn is_own_history(rom: &Rom<'_>, region: &RegionRecord, set: u16) -> bool {
    let targets = TargetSetId::new(set).map_or(&[][..], |set| rom.targets_of(set));
    let compound = StateId::read(region.owner)
        .and_then(|owner| rom.state(owner))
        .is_some_and(|s| s.kind == StateKind::Compound);
    compound
        && targets.iter().all(|target| {
            let point = rom.history().get(usize::from(target.index.get()));
            point.is_some_and(|point| point.owner == region.owner && point.default.get() != NONE)
        })
}

/// Frames fit the slots and the leaves of the one region that has them (EXEC-8).
pub(super) fn stacks<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Stacks);
    let mut taken = rom.history().iter().fold(0, |taken, point| {
        taken | slot_bits(point.slot, point.slot_count)
    });
    for (i, stack) in rom.stacks().iter().enumerate() {
        check.rule(stack.leaves > 0 && stack.depth > 0, i, || {
            Problem::Rule("a stack without frames or leaves")
        })?;
        let frame = stack.leaves.wrapping_add(1);
        check.rule(stack.frame_slots == frame, i, || {
            expected("count of slots of a frame", frame, stack.frame_slots)
        })?;
        let slots = u64::from(stack.depth).wrapping_mul(u64::from(stack.frame_slots));
        let end = slots.wrapping_add(u64::from(stack.first_slot));
        check.rule(end <= u64::from(rom.capacity().slots), i, || {
            range_of_slots(rom, stack.first_slot)
        })?;
        let slots = slot_bits(stack.first_slot, u8::try_from(slots).unwrap_or(0));
        check.rule(taken & slots == 0, i, || {
            Problem::Rule("the stack shares a slot")
        })?;
        taken |= slots;
    }
    // A mark per stack bounds the work: at most one region each.
    let mut seen = 0_u32;
    for (region, record) in rom
        .regions()
        .iter()
        .enumerate()
        .filter(|(_, region)| region.stack != 0xFF)
    {
        let i = usize::from(record.stack);
        check.rule(seen & bit(record.stack) == 0, i, || {
            Problem::Rule("two regions have the same stack")
        })?;
        if seen & bit(record.stack) == 0 {
            let mask =
                RegionId::from_index(region).map_or(0, |region| rom.region_leaf_mask(region));
            let leaves = rom
                .stacks()
                .get(i)
                .map_or(0, |stack| slot_bits(record.leaf, stack.leaves));
            check.rule(mask == leaves, i, || {
                Problem::Rule("the leaves are not those of the region")
            })?;
        }
        seen |= bit(record.stack);
    }
    check.whole(seen.count_ones() as usize == rom.stacks().len(), || {
        Problem::Rule("a stack without a region")
    })?;
    check.finish()
}

/// Branches belong to their choices; the last one has no guard (EXEC-7).
pub(super) fn branches<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Branches);
    let (states, sets, lists) = (
        rom.states(),
        rom.target_sets().len(),
        rom.action_lists().len(),
    );
    for (i, branch) in rom.branches().iter().enumerate() {
        let owner = states
            .get(usize::from(branch.owner.get()))
            .filter(|owner| owner.kind == StateKind::Choice);
        let place = owner.map_or(usize::MAX, |owner| {
            i.wrapping_sub(usize::from(owner.first_transition.get()))
        });
        let count = owner.map_or(0, |owner| usize::from(owner.transition_count.get()));
        // The counts of all choices add up to this table, so each run holds its own branches and no
        // others.
        check.rule(place < count, i, || {
            Problem::Rule("the branch is not among those of its owner")
        })?;
        let guard = branch.guard.get();
        check.rule(functions::plays(rom, guard, Role::Guard), i, || {
            Role::Guard.problem(guard)
        })?;
        let last = place.wrapping_add(1) == count;
        check.rule(!last | (guard == NONE), i, || {
            presence("guard of the last branch", false)
        })?;
        check.rule(usize::from(branch.targets.get()) < sets, i, || {
            range("target set", branch.targets, sets)
        })?;
        check.rule(optional(branch.effect.get(), lists), i, || {
            range("effect", branch.effect, lists)
        })?;
    }
    check.finish()
}

/// Choices never lead back to themselves (EXEC-7).
///
/// Branches are sorted so that those of choices that lead to no other choice come last, before them
/// those that lead only to these, and so on. Read from the end, a choice may only lead to levels
/// that are complete; the number of levels bounds the way through choices. No memory is needed for
/// it.
pub(super) fn branch_levels<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Branches);
    let (mut complete, mut levels) = (rom.branches().len(), 1_u32);
    for (i, branch) in rom.branches().iter().enumerate().rev() {
        let Some(next) = choice_of(rom, branch) else {
            continue;
        };
        let next = usize::from(next.first_transition.get());
        if next < complete {
            let owner = rom.states().get(usize::from(branch.owner.get()));
            complete = owner.map_or(0, |owner| {
                usize::from(owner.first_transition.get())
                    .wrapping_add(usize::from(owner.transition_count.get()))
            });
            levels = levels.saturating_add(1);
        }
        check.rule(next >= complete, i, || {
            Problem::Rule("choices lead in a circle, or their branches are not sorted")
        })?;
        check.rule(levels <= MAX_CHOICE_CHAIN, i, || {
            Problem::Rule("more than 16 choices in a row")
        })?;
    }
    check.finish()
}

/// The choice that a branch leads to. It is the only target of its set.
fn choice_of<'a>(rom: &Rom<'a>, branch: &BranchRecord) -> Option<&'a StateRecord> {
    let target = rom.targets_of(TargetSetId::read(branch.targets)?).first()?;
    if target.kind == TargetKind::Choice {
        rom.states().get(usize::from(target.index.get()))
    } else {
        None
    }
}
