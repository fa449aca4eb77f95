//! Precomputed ways in and out (EXEC-1): entry plans, their use by transitions, exit paths.
//!
//! That a plan is the one that follows from the targets is not proven here (`statewright check --deep` does). Proven
//! is that carrying it out is safe and leaves a whole configuration below the domain.

use super::{Check, Runs, expected, presence, range, unknown};
use crate::error::{LoadError, Problem};
use crate::ids::StateId;
use crate::layout::*;
use crate::view::Rom;

/// Entry plans lie back to back; each ends with a leaf, inside the state that stays active.
pub(super) fn entry_plans<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::EntryPlans);
    let (steps, plain) = (rom.entry_steps(), is_plain(rom));
    let mut runs = Runs::default();
    for (i, plan) in rom.entry_plans().iter().enumerate() {
        let (next, count) = (runs.next, plan.count.get());
        let placed = runs.take(plan.first.get(), u32::from(count));
        check.rule(placed, i, || {
            if count == 0 { unknown("count", 0_u8) } else { expected("first step", next, plan.first) }
        })?;
        check.rule(plan.reserved.get() == 0, i, || Problem::Reserved)?;
        let last = steps.get((runs.next as usize).wrapping_sub(1));
        let (last, leaf) = last.map_or((NONE, 0xFF), |last| (last.state.get(), last.leaf));
        check.rule(leaf != 0xFF, i, || Problem::Rule("the plan does not end with a leaf"))?;
        if EXPLAIN | !plain {
            branching_plan(&mut check, rom, i, plan, last)?;
        }
    }
    let total = steps.len();
    check.whole(runs.is_all(total), || expected("sum of steps", total as u64, runs.next))?;
    check.finish()
}

/// One leaf and no choices: each step of a plan is a child of the one before it, so that much of the rest follows.
fn is_plain(rom: &Rom<'_>) -> bool {
    !rom.has(feature::REGIONS) && rom.branches().is_empty()
}

/// What does not follow from the steps where there are several leaves or initial effects.
#[inline(never)]
fn branching_plan<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    i: usize,
    plan: &EntryPlan,
    last: u16,
) -> Result<(), LoadError> {
    let domain = domain_of(rom, plan);
    let end = rom.states().get(usize::from(domain)).map_or(0, |state| state.subtree_end.get());
    let inside = (domain < last) & (last < end);
    check.rule(inside, i, || Problem::NotInside { what: "last step of the plan", inner: last, outer: domain })?;
    let first = rom.entry_steps().get(plan.first.get() as usize);
    if first.is_some_and(|first| first.kind == step_kind::INITIAL) {
        check.rule(is_own_effect(rom, plan, domain), i, || {
            Problem::Rule("the plan starts with the initial effect of another state")
        })?;
    }
    if rom.has(feature::REGIONS) {
        let complete = is_complete(rom, domain, last);
        check.rule(complete, i, || Problem::Rule("the plan ends with regions left out"))?;
    }
    Ok(())
}

/// A plan that starts with an initial effect: does its second step enter a child of that state?
fn is_own_effect(rom: &Rom<'_>, plan: &EntryPlan, domain: u16) -> bool {
    let second = rom.entry_steps().get((plan.first.get() as usize).wrapping_add(1));
    let state = second.and_then(|step| rom.states().get(usize::from(step.state.get())));
    state.is_some_and(|state| state.parent.get() == domain)
}

/// The state that stays active while a plan is carried out.
#[inline(always)]
fn domain_of(rom: &Rom<'_>, plan: &EntryPlan) -> u16 {
    let Some(first) = rom.entry_steps().get(plan.first.get() as usize) else { return NONE };
    if first.kind == step_kind::INITIAL {
        return first.state.get();
    }
    rom.states().get(usize::from(first.state.get())).map_or(NONE, |state| state.parent.get())
}

/// Does the way from the last leaf up to the domain only pass last regions?
fn is_complete(rom: &Rom<'_>, domain: u16, last: u16) -> bool {
    let Some(last) = StateId::new(last) else { return false };
    let inner = |&id: &StateId| rom.parent(id).is_some_and(|parent| parent.raw() != domain);
    rom.path_up(last).take_while(inner).all(|id| is_last_region(rom, id))
}

/// Does a state lie in the last region of its parent?
fn is_last_region(rom: &Rom<'_>, id: StateId) -> bool {
    let Some(state) = rom.state(id) else { return false };
    let parent = StateId::read(state.parent).and_then(|parent| rom.state(parent));
    parent.is_some_and(|parent| {
        let end = u32::from(parent.first_region.get()).wrapping_add(u32::from(parent.region_count));
        u32::from(state.region.get()).wrapping_add(1) == end
    })
}

/// Steps say what their states say, and each state may be entered after the one before it.
///
/// All neighbors are compared, those of different plans too. If as many pairs are wrong as there are wrong pairs at the
/// borders of plans, none is inside a plan; so no loop has to start anew for each short plan.
pub(super) fn entry_steps<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::EntrySteps);
    if EXPLAIN {
        return explain_steps(&mut check, rom);
    }
    let fits = if is_plain(rom) && plain_pairs(rom) == Some(rom.entry_plans().len()) {
        true
    } else {
        branching_plans(rom) && all_pairs(rom) == Some(wrong_borders(rom))
    };
    check.whole(fits, || Problem::Rule("refused"))?;
    check.finish()
}

/// All plans have what [`entry_plans`] leaves out for plain machines: some have initial effects.
fn branching_plans(rom: &Rom<'_>) -> bool {
    let mut check = Check::<false>::new(Section::EntryPlans);
    for (i, plan) in rom.entry_plans().iter().enumerate() {
        let end = (plan.first.get() as usize).wrapping_add(usize::from(plan.count.get()));
        let last = rom.entry_steps().get(end.wrapping_sub(1)).map_or(NONE, |last| last.state.get());
        if branching_plan(&mut check, rom, i, plan, last).is_err() {
            return false;
        }
    }
    check.good
}

/// How many steps are no child of the step before, if all enter a state below the root as it says.
///
/// For machines with one leaf and without choices. Plans end with leaves, and no state is the child of a leaf: so the
/// first step of each plan is counted, and if the count is that of the plans, no other is.
fn plain_pairs(rom: &Rom<'_>) -> Option<usize> {
    const SAME: u64 = 0xFFFF_0000_FFFF;
    let states = rom.states();
    let mut below_root = true;
    // Before the first step nothing is expected: no state below the root has `NONE` as its parent.
    let (mut expected, mut difference, mut wrong) = (u64::MAX, 0_u64, 0_usize);
    for step in rom.entry_steps() {
        // Parent, end, region and first region; then counts, kind, leaf, flags and entry.
        let [place, rest, ..]: [u64; 4] = zerocopy::transmute!(*states.get(usize::from(step.state.get()))?);
        let (place, rest) = (u64::from_le(place), u64::from_le(rest));
        let first_region = place >> 48;
        let leaf = if first_region == u64::from(NONE) { (rest >> 24 & 0xFF) << 40 } else { 0xFF << 40 };
        let id = u64::from(step.state.get());
        difference |= whole(step) ^ (id | (rest >> 32 & 0xFFFF_0000) | leaf);
        wrong = wrong.wrapping_add(usize::from((place ^ expected) & SAME != 0));
        expected = id | first_region << 32;
        below_root &= id > 0;
    }
    (below_root & (difference == 0)).then_some(wrong)
}

/// All bytes of a step as one number.
#[inline(always)]
fn whole(step: &PlanStep) -> u64 {
    u64::from_le_bytes(zerocopy::transmute!(*step))
}

/// The step that enters a state. That of a choice never fits: it has a bit among the reserved ones.
#[inline(always)]
fn entry_step(id: u16, state: &StateRecord) -> u64 {
    let composite = u8::from(state.region_count > 0);
    let leaf = state.leaf | composite.wrapping_neg();
    let choice = u64::from(state.kind == state_kind::CHOICE);
    u64::from(id) | u64::from(state.entry.get()) << 16 | u64::from(leaf) << 40 | choice << 63
}

/// The same for any machine.
fn all_pairs(rom: &Rom<'_>) -> Option<u64> {
    let (states, orthogonal) = (rom.states(), rom.has(feature::REGIONS));
    let mut walk = Walk::default();
    let (mut good, mut wrong) = (true, 0_u64);
    for (i, step) in rom.entry_steps().iter().enumerate() {
        let state = states.get(usize::from(step.state.get()))?;
        if step.kind == step_kind::STATE {
            good &= is_entry_of(state, step);
            let mut fits = walk.goes_down(state);
            if orthogonal & !fits & has_siblings(rom, state) {
                fits = walk.goes_on(rom, state, i);
            }
            wrong = wrong.wrapping_add(u64::from(!fits));
            walk = Walk::after(step, state);
        } else {
            good &= is_effect(rom, step) & (walk.effect_of == NONE);
            walk.effect_of = step.state.get();
        }
    }
    good.then_some(wrong)
}

/// Does a state lie in one of several regions?
#[inline(always)]
fn has_siblings(rom: &Rom<'_>, state: &StateRecord) -> bool {
    rom.states().get(usize::from(state.parent.get())).is_some_and(|parent| parent.region_count > 1)
}

/// What is known on the way through steps.
#[derive(Clone, Copy)]
struct Walk {
    /// The last state entered.
    last: u16,
    /// Its first region.
    first_region: u16,
    /// The state whose initial effect ran since then.
    effect_of: u16,
}

impl Default for Walk {
    fn default() -> Self {
        Self { last: NONE, first_region: NONE, effect_of: NONE }
    }
}

impl Walk {
    #[inline(always)]
    fn after(step: &PlanStep, state: &StateRecord) -> Self {
        Self { last: step.state.get(), first_region: state.first_region.get(), effect_of: NONE }
    }

    /// Is this a child of the last state, in its first region? An effect before it must be that of its parent.
    #[inline(always)]
    fn goes_down(self, state: &StateRecord) -> bool {
        let parent = state.parent.get();
        let effect = (self.effect_of == NONE) | (self.effect_of == parent);
        effect & (parent == self.last) & (state.region.get() == self.first_region)
    }

    /// After a leaf: is this a state in the region that follows, nothing being left out in between? Only at the top of
    /// a plan may regions be left out: they are not left by the transition.
    #[cold]
    fn goes_on(self, rom: &Rom<'_>, state: &StateRecord, step: usize) -> bool {
        let (Some(leaf), Some(parent)) = (StateId::new(self.last), StateId::read(state.parent)) else { return false };
        if self.first_region != NONE || (self.effect_of != NONE && self.effect_of != parent.raw()) {
            return false;
        }
        let mut below = leaf;
        // Bound: at most `MAX_DEPTH` states on the way up.
        for around in rom.path_up(leaf).skip(1) {
            if around == parent {
                let before = rom.state(below).map_or(NONE, |state| state.region.get());
                let region = state.region.get();
                return before < region && (before.wrapping_add(1) == region || is_top(rom, parent, step));
            }
            if !is_last_region(rom, below) {
                return false;
            }
            below = around;
        }
        false
    }
}

/// Is this state the one that stays active in the plan of a step?
fn is_top(rom: &Rom<'_>, state: StateId, step: usize) -> bool {
    let plans = rom.entry_plans();
    let after = plans.partition_point(|plan| plan.first.get() as usize <= step);
    let plan = after.checked_sub(1).and_then(|plan| plans.get(plan));
    plan.is_some_and(|plan| domain_of(rom, plan) == state.raw())
}

/// Does the step say what the state says?
#[inline(always)]
fn is_entry_of(state: &StateRecord, step: &PlanStep) -> bool {
    whole(step) == entry_step(step.state.get(), state)
}

/// Is the step a well-formed initial effect?
fn is_effect(rom: &Rom<'_>, step: &PlanStep) -> bool {
    let plain = step.kind == step_kind::INITIAL && step.leaf == 0xFF && step.reserved.get() == 0;
    plain && usize::from(step.list.get()) < rom.action_lists().len()
}

/// Wrong pairs at the borders of plans, counted as [`entry_steps`] counts them.
fn wrong_borders(rom: &Rom<'_>) -> u64 {
    let (states, steps, orthogonal) = (rom.states(), rom.entry_steps(), rom.has(feature::REGIONS));
    let state_of = |step: &PlanStep| states.get(usize::from(step.state.get()));
    let mut walk = Walk::default();
    let mut wrong = 0_u64;
    for plan in rom.entry_plans() {
        let first = plan.first.get() as usize;
        let mut entered = first;
        let effect = steps.get(first).filter(|step| step.kind != step_kind::STATE);
        if let Some(effect) = effect {
            walk.effect_of = effect.state.get();
            entered = first.wrapping_add(1);
        }
        if let Some(state) = steps.get(entered).and_then(state_of) {
            let mut fits = walk.goes_down(state);
            if orthogonal & !fits & has_siblings(rom, state) {
                fits = walk.goes_on(rom, state, entered);
            }
            wrong = wrong.wrapping_add(u64::from(!fits));
        }
        let last = steps.get(first.wrapping_add(usize::from(plan.count.get())).wrapping_sub(1));
        // A plan ends with a leaf, which has no regions.
        walk = Walk { last: last.map_or(NONE, |last| last.state.get()), ..Walk::default() };
    }
    wrong
}

/// The slow form of [`entry_steps`], plan by plan.
fn explain_steps<const EXPLAIN: bool>(check: &mut Check<EXPLAIN>, rom: &Rom<'_>) -> Result<(), LoadError> {
    for plan in rom.entry_plans() {
        let first = plan.first.get() as usize;
        let mut walk: Option<Walk> = None;
        let mut effect_of = NONE;
        for (place, step) in crate::view::run(rom.entry_steps(), first, usize::from(plan.count.get())).iter().enumerate() {
            let i = first.wrapping_add(place);
            let Some(state) = rom.states().get(usize::from(step.state.get())) else {
                return check.rule(false, i, || range("state", step.state, rom.states().len()));
            };
            if step.kind != step_kind::STATE {
                check.rule(step.kind == step_kind::INITIAL, i, || unknown("kind", step.kind))?;
                let plain = is_effect(rom, step) && effect_of == NONE;
                check.rule(plain, i, || Problem::Rule("the initial effect cannot run here"))?;
                effect_of = step.state.get();
                continue;
            }
            check.rule(is_entry_of(state, step), i, || Problem::Rule("the step is not the entry of its state"))?;
            let fits = match walk {
                None => effect_of == NONE || effect_of == state.parent.get(),
                Some(walk) => {
                    let walk = Walk { effect_of, ..walk };
                    walk.goes_down(state) || walk.goes_on(rom, state, i)
                }
            };
            check.rule(fits, i, || Problem::Rule("the state cannot be entered here"))?;
            (walk, effect_of) = (Some(Walk::after(step, state)), NONE);
        }
    }
    Ok(())
}

/// Each transition has the plan that its kind needs, below its domain (EXEC-9).
pub(super) fn transition_plans<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    const NO_PLAN: u16 =
        transition_flag::INTERNAL | transition_flag::POP | transition_flag::HISTORY | transition_flag::CHOICE;
    let mut check = Check::<EXPLAIN>::new(Section::TransitionPlans);
    let (plans, transitions) = (rom.entry_plans(), rom.transitions());
    let found = rom.transition_plans().len();
    check.whole(found == transitions.len(), || expected("count", transitions.len() as u64, found as u64))?;
    let most = rom.tier().cost;
    // Entry on the way may depend on history or choice; without these features there is no entry without a plan.
    let run_time = rom.header().features.get() & (feature::HISTORY | feature::CHOICE) != 0;
    for (i, (record, transition)) in rom.transition_plans().iter().zip(transitions).enumerate() {
        let (plan, cost) = (record.plan.get(), record.cost.get());
        check.rule((cost >= 1) & (cost <= most), i, || range("cost", cost, usize::from(most).wrapping_add(1)))?;
        let planned = transition.flags.get() & NO_PLAN == 0;
        check.rule(planned | (plan == NONE), i, || presence("entry plan", false))?;
        check.rule(!planned | (plan != NONE) | run_time, i, || presence("entry plan", true))?;
        if plan == NONE {
            continue;
        }
        let Some(plan) = plans.get(usize::from(plan)) else {
            check.rule(false, i, || range("entry plan", plan, plans.len()))?;
            continue;
        };
        let domain = domain_of(rom, plan);
        check
            .rule(domain == transition.domain.get(), i, || expected("domain of the plan", transition.domain, domain))?;
    }
    check.finish()
}

/// Exit paths lie back to back in the order of the rows: the leaf, then each state around it below the root.
pub(super) fn exit_steps<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::ExitSteps);
    let (states, rows) = (rom.states(), rom.leaf_rows());
    let (mut row, mut around) = (0_usize, 0_u16);
    for (i, step) in rom.exit_steps().iter().enumerate() {
        let start = around == 0;
        let leaf = rows.get(row).map_or(NONE, |row| row.state.get());
        let needed = if start { leaf } else { around };
        row = row.wrapping_add(usize::from(start));
        let found = step.state.get();
        check.rule(found == needed, i, || expected("state", needed, found))?;
        let Some(state) = states.get(usize::from(found)) else {
            check.rule(false, i, || range("state", found, states.len()))?;
            continue;
        };
        let exit = u64::from(found) | u64::from(state.exit.get()) << 16 | 0xFF << 40;
        check.rule(whole(step) == exit, i, || Problem::Rule("the step is not the exit of its state"))?;
        around = state.parent.get();
    }
    let complete = (around == 0) & (row == rows.len());
    check.whole(complete, || Problem::Rule("the paths do not cover the rows"))?;
    check.finish()
}
