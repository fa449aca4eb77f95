//! Precomputed ways in and out (EXEC-1): entry plans, their use by transitions, exit paths.
//!
//! That a plan is the one that follows from the targets is not proven here (`statewright check --deep` does). Proven
//! is that carrying it out is safe and leaves a whole configuration below the domain.

use super::{Check, Runs, expected, presence, range, unknown};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::view::Rom;

/// Entry plans lie back to back; each enters states of one domain in pre-order, one child per region, and every
/// region of what it enters.
pub(super) fn entry_plans<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::EntryPlans);
    let mut runs = Runs::default();
    for (i, plan) in rom.entry_plans().iter().enumerate() {
        let (next, count) = (runs.next, plan.count.get());
        let placed = runs.take(plan.first.get(), u32::from(count));
        check.rule(placed, i, || {
            if count == 0 { unknown("count", 0_u8) } else { expected("first step", next, plan.first) }
        })?;
        check.rule(plan.reserved.get() == 0, i, || Problem::Reserved)?;
        if placed {
            let problem = steps(rom, plan);
            if let Err((step, problem)) = problem {
                let mut steps = Check::<EXPLAIN>::new(Section::EntrySteps);
                steps.rule(false, (plan.first.get() as usize).wrapping_add(step), || problem)?;
                return steps.finish();
            }
        }
    }
    let total = rom.entry_steps().len();
    check.whole(runs.is_all(total), || expected("sum of steps", total as u64, runs.next))?;
    check.finish()
}

/// What is known on the way through a plan.
struct Entry {
    /// The state that stays active.
    domain: u16,
    /// The last state entered; at first the domain.
    last: u16,
    /// Regions of all states entered, minus those that were entered.
    open: i32,
}

/// Proves the steps of a plan, or names one that is wrong.
fn steps(rom: &Rom<'_>, plan: &EntryPlan) -> Result<(), (usize, Problem)> {
    let steps = crate::view::run(rom.entry_steps(), plan.first.get() as usize, usize::from(plan.count.get()));
    let first = steps.first().map_or(0, |step| usize::from(step.state.get()));
    let domain = rom.states().get(first).map_or(NONE, |state| state.parent.get());
    let mut entry = Entry { domain, last: domain, open: 0 };
    let mut good = domain != NONE;
    for step in steps {
        good &= if step.kind == step_kind::STATE { enters(rom, &mut entry, step) } else { runs(rom, &entry, step) };
    }
    if good & (entry.open == 0) { Ok(()) } else { Err(first_wrong(rom, steps, domain)) }
}

/// A step that enters a state: after the last one, below it or below a state around it, in a region not entered yet.
#[inline(always)]
fn enters(rom: &Rom<'_>, entry: &mut Entry, step: &PlanStep) -> bool {
    let state = step.state.get();
    let Some(record) = rom.states().get(usize::from(state)) else { return false };
    let parent = record.parent.get();
    // The parent is around the last state because it starts before it and holds this one, which comes after it.
    let below = (entry.domain <= parent) & (parent <= entry.last) & (entry.last < state);
    let region = rom.regions().get(usize::from(record.region.get()));
    let fresh = region.is_some_and(|region| region.first_child.get() > entry.last);
    entry.last = state;
    let inner = i32::from(parent != entry.domain);
    entry.open = entry.open.wrapping_add(i32::from(record.region_count)).wrapping_sub(inner);
    below & fresh & is_entry_of(record, step)
}

/// Does the step say what the state says?
#[inline(always)]
fn is_entry_of(state: &StateRecord, step: &PlanStep) -> bool {
    let leaf = (state.kind == state_kind::ATOMIC) | (state.kind == state_kind::FINAL);
    let number = if leaf { state.leaf } else { 0xFF };
    let plain = (step.reserved.get() == 0) & (state.kind != state_kind::CHOICE);
    plain & (step.leaf == number) & (step.list == state.entry)
}

/// A step that runs an initial effect: of a state that was entered and that the last one lies in.
fn runs(rom: &Rom<'_>, entry: &Entry, step: &PlanStep) -> bool {
    let state = step.state.get();
    let end = rom.states().get(usize::from(state)).map_or(0, |state| state.subtree_end.get());
    let entered = entry.domain < state && state <= entry.last && entry.last < end;
    let plain = step.kind == step_kind::INITIAL && step.leaf == 0xFF && step.reserved.get() == 0;
    entered && plain && usize::from(step.list.get()) < rom.action_lists().len()
}

/// The step at which a bad plan goes wrong.
fn first_wrong(rom: &Rom<'_>, steps: &[PlanStep], domain: u16) -> (usize, Problem) {
    let mut entry = Entry { domain, last: domain, open: 0 };
    for (i, step) in steps.iter().enumerate() {
        if usize::from(step.state.get()) >= rom.states().len() {
            return (i, range("state", step.state, rom.states().len()));
        }
        let (good, rule) = match step.kind {
            step_kind::STATE => (enters(rom, &mut entry, step), "the state cannot be entered here as the step says"),
            step_kind::INITIAL => (runs(rom, &entry, step), "the initial effect cannot run here"),
            kind => return (i, unknown("kind", kind)),
        };
        if !good || domain == NONE {
            return (i, Problem::Rule(rule));
        }
    }
    (steps.len().saturating_sub(1), Problem::Rule("the plan ends with regions left out"))
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
        let first = rom.entry_steps().get(plan.first.get() as usize).map_or(NONE, |step| step.state.get());
        let parent = rom.states().get(usize::from(first)).map_or(NONE, |state| state.parent.get());
        check
            .rule(parent == transition.domain.get(), i, || expected("domain of the plan", transition.domain, parent))?;
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
        check.rule(step.list == state.exit, i, || expected("list", state.exit, step.list))?;
        let plain = (step.kind == step_kind::STATE) & (step.leaf == 0xFF) & (step.reserved.get() == 0);
        check.rule(plain, i, || Problem::Rule("an exit step has a kind, a leaf or reserved bytes"))?;
        around = state.parent.get();
    }
    let complete = (around == 0) & (row == rows.len());
    check.whole(complete, || Problem::Rule("the paths do not cover the rows"))?;
    check.finish()
}
