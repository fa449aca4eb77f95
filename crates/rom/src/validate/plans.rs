//! Precomputed ways in and out (EXEC-1): entry plans, their use by transitions, exit paths.
//!
//! Proven is that carrying them out stays in range. That a plan is the one that follows from the targets is proven by
//! `statewright check --deep`.

use super::{Check, expected, optional, range, unknown};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::view::Rom;

/// Entry plans have at least one step, all inside the table.
pub(super) fn entry_plans<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::EntryPlans);
    let total = rom.entry_steps().len() as u64;
    for (i, plan) in rom.entry_plans().iter().enumerate() {
        let count = plan.count.get();
        check.rule(count > 0, i, || unknown("count", 0_u8))?;
        check.rule(plan.reserved.get() == 0, i, || Problem::Reserved)?;
        let end = u64::from(plan.first.get()).wrapping_add(u64::from(count));
        check.rule(end <= total, i, || range("last step", end, rom.entry_steps().len()))?;
    }
    check.finish()
}

/// Steps enter states that can be entered, or run an effect.
pub(super) fn entry_steps<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::EntrySteps);
    let (states, lists) = (rom.states(), rom.action_lists().len());
    for (i, step) in rom.entry_steps().iter().enumerate() {
        let Some(state) = states.get(usize::from(step.state.get())) else {
            check.rule(false, i, || range("state", step.state, states.len()))?;
            continue;
        };
        let list = step.list.get();
        check.rule(optional(list, lists), i, || range("action list", list, lists))?;
        check.rule(step.kind <= step_kind::INITIAL, i, || unknown("kind", step.kind))?;
        check.rule(step.reserved.get() == 0, i, || Problem::Reserved)?;
        // A leaf is set by entering a state without regions, and by nothing else.
        let enters_leaf = (step.kind == step_kind::STATE) & (state.region_count == 0);
        let leaf = if enters_leaf { state.leaf } else { 0xFF };
        check.rule(step.leaf == leaf, i, || expected("leaf", leaf, step.leaf))?;
        check.rule(state.kind != state_kind::CHOICE, i, || Problem::Rule("a choice is never entered"))?;
    }
    check.finish()
}

/// Each transition names an entry plan or none, and costs no more than its tier allows (EXEC-9).
///
/// Read as whole words, so that many are compared at once.
pub(super) fn transition_plans<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::TransitionPlans);
    let (plans, transitions) = (rom.entry_plans().len(), rom.transitions().len());
    let found = rom.transition_plans().len();
    check.whole(found == transitions, || expected("count", transitions as u64, found as u64))?;
    let (most_plans, most) = (plans as u32, u32::from(rom.tier().cost));
    for (i, record) in rom.transition_plans().iter().enumerate() {
        let word = u32::from_le_bytes(zerocopy::transmute!(*record));
        let (plan, cost) = (word & 0xFFFF, word >> 16 & 0xFF);
        // `NONE` is the number below the first.
        let named = plan.wrapping_add(1) & 0xFFFF;
        check.rule(named <= most_plans, i, || range("entry plan", plan, plans))?;
        check.rule(cost.wrapping_sub(1) < most, i, || range("cost", cost, (most as usize).wrapping_add(1)))?;
    }
    check.finish()
}

/// All bytes of a step as one number.
#[inline(always)]
fn whole(step: &PlanStep) -> u64 {
    u64::from_le_bytes(zerocopy::transmute!(*step))
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
