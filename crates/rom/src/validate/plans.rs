//! Precomputed ways (EXEC-1): entry plans, their use by transitions, jumps.
//!
//! Proven is that carrying them out stays in range. That a plan is the one that follows from the
//! targets is proven by `statewright check --deep`.

use super::functions::{Role, first_listed, plays};
use super::{Check, expected, optional, range, unknown};
use crate::code::term_of;
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
        check.rule(end <= total, i, || {
            range("last step", end, rom.entry_steps().len())
        })?;
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
        check.rule(optional(list, lists), i, || {
            range("action list", list, lists)
        })?;
        check.rule(step.kind.is_known(), i, || unknown("kind", step.kind))?;
        check.rule(step.reserved.get() == 0, i, || Problem::Reserved)?;
        // A leaf is set by entering a state without regions, and by nothing else.
        let enters_leaf = (step.kind == PlanStepKind::State) & (state.region_count == 0);
        let leaf = if enters_leaf { state.leaf } else { 0xFF };
        check.rule(step.leaf == leaf, i, || expected("leaf", leaf, step.leaf))?;
        check.rule(state.kind != StateKind::Choice, i, || {
            Problem::Rule("a choice is never entered")
        })?;
    }
    check.finish()
}

/// Each transition names an entry plan or none, costs no more than its tier allows (EXEC-9), and is
/// joined with what asking it takes. Whether it is held back by states that it leaves is proven by
/// `statewright check --deep`.
pub(super) fn transition_plans<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::TransitionPlans);
    let (plans, transitions) = (rom.entry_plans().len(), rom.transitions().len());
    let found = rom.transition_plans().len();
    check.whole(found == transitions, || {
        expected("count", transitions as u64, found as u64)
    })?;
    let most = rom.capacity().cost;
    for (i, (record, transition)) in rom
        .transition_plans()
        .iter()
        .zip(rom.transitions())
        .enumerate()
    {
        let (plan, cost) = (record.plan.get(), record.cost);
        check.rule(optional(plan, plans), i, || {
            range("entry plan", plan, plans)
        })?;
        check.rule(u16::from(cost.wrapping_sub(1)) < most, i, || {
            range("cost", cost, usize::from(most).wrapping_add(1))
        })?;
        let derived = joined(rom, transition, record);
        check.rule(*record == derived, i, || wrong_join(record, &derived))?;
    }
    check.finish()
}

/// A plan with what follows from its transition.
#[inline(always)]
fn joined(rom: &Rom<'_>, record: &TransitionRecord, plan: &TransitionPlan) -> TransitionPlan {
    let (done, failed) = (
        SpecialTrigger::Done.is(record.trigger),
        SpecialTrigger::Failed.is(record.trigger),
    );
    let source = rom.states().get(usize::from(record.source.get()));
    let (regions, extra) = source.map_or((0, NONE), |source| {
        (source.region_count, source.extra.get())
    });
    let (mut result_slot, mut result_bit) = (0xFF, 0);
    if done | failed
        && let Some(extra) = rom.state_extras().get(usize::from(extra))
    {
        (result_slot, result_bit) = (extra.result_slot, extra.result_bit);
    }
    let guard = rom.ops().get(usize::from(record.guard.get()));
    let weighs = transition_flag::SCORED | transition_flag::PUSH | transition_flag::POP;
    let mut flags = plan.flags & ask_flag::HELD;
    if guard.is_some() {
        flags |= ask_flag::GUARDED;
    }
    if done {
        flags |= ask_flag::SUCCEEDED;
        if regions > 0 {
            flags |= ask_flag::COMPLETED;
        }
    }
    if failed {
        flags |= ask_flag::FAILED;
    }
    if record.flags.get() & weighs != 0 {
        flags |= ask_flag::WEIGHED;
    }
    if let Some(extra) = rom.transition_extras().get(usize::from(record.extra.get())) {
        if extra.cooldown_slot != 0xFF {
            flags |= ask_flag::WEIGHED;
        }
        if extra.debounce_timer != 0xFF {
            flags |= ask_flag::DEBOUNCED;
        }
    }
    TransitionPlan {
        source: record.source,
        flags,
        result_slot,
        result_bit,
        reserved: 0,
        guard: guard.copied().unwrap_or_default(),
        term: term(rom, guard),
        ..*plan
    }
}

/// What a guard begins with.
#[inline(always)]
fn term(rom: &Rom<'_>, guard: Option<&OpRecord>) -> Term {
    let evaluated = guard.filter(|op| op.kind == ActionOp::Evaluate);
    let expression = evaluated.and_then(|op| rom.expressions().get(usize::from(op.a.get())));
    expression.map_or_else(Term::default, |record| term_of(rom.code_in(record)))
}

fn wrong_join(found: &TransitionPlan, derived: &TransitionPlan) -> Problem {
    if found.reserved != 0 {
        Problem::Reserved
    } else if found.flags != derived.flags {
        expected("flags", derived.flags, found.flags)
    } else {
        Problem::Rule("it is not what its transition has")
    }
}

/// Jumps stand for lists, lead to leaves, and their steps lie back to back.
///
/// That they do what their transitions do is proven by `statewright check --deep`.
pub(super) fn jumps<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Jumps);
    let (lists, transitions) = (rom.candidate_lists().len(), rom.transitions().len());
    let mut next = 0_u64;
    for (i, jump) in rom.jumps().iter().enumerate() {
        let (list, transition, leaf) = (jump.list.get(), jump.transition.get(), jump.leaf.get());
        check.rule((list as usize) < lists, i, || range("list", list, lists))?;
        check.rule(usize::from(transition) < transitions, i, || {
            range("transition", transition, transitions)
        })?;
        let state = rom.states().get(usize::from(leaf));
        check.rule(
            state.is_some_and(|state| state.row.get() != NONE),
            i,
            || Problem::Rule("its leaf is none"),
        )?;
        check.rule(plays(rom, jump.guard.get(), Role::Guard), i, || {
            Role::Guard.problem(jump.guard.get())
        })?;
        check.rule(u64::from(jump.first.get()) == next, i, || {
            expected("first step", next, jump.first)
        })?;
        check.rule(jump.reserved == 0, i, || Problem::Reserved)?;
        check_slot(rom, &mut check, i, jump)?;
        check_ladder(rom, &mut check, i, jump)?;
        let steps = rom.jump_steps_of(jump).unwrap_or(&[]);
        let beside = state.is_some_and(|state| state.leaf != 0);
        let of_transition = flags_of_transition(rom, transition);
        let mixed = is_conditional(jump)
            | (of_transition != 0)
            | beside
            | steps.iter().any(|step| step.function.get() == NONE);
        let remembers = steps.iter().any(|step| step.kind == JumpStepKind::Remember);
        let mut flags = jump.flags.get() & jump_flag::POLLS | of_transition;
        if mixed {
            flags |= jump_flag::MIXED;
        }
        if remembers {
            flags |= jump_flag::REMEMBERS;
        }
        check.rule(jump.flags.get() == flags, i, || {
            expected("flags", flags, jump.flags)
        })?;
        next = next.wrapping_add(u64::from(jump.count.get()));
    }
    let steps = rom.jump_steps().len() as u64;
    check.whole(next == steps, || expected("sum of steps", steps, next))?;
    check.finish()
}

/// Is there something to ask before it?
fn is_conditional(jump: &Jump) -> bool {
    (jump.guard.get() != NONE) | (jump.slot != 0xFF) | (jump.flags.get() & jump_flag::SCORED != 0)
}

/// What a jump has from its transition.
fn flags_of_transition(rom: &Rom<'_>, transition: u16) -> u16 {
    let record = rom.transitions().get(usize::from(transition));
    let has = record.map_or(0, |record| record.flags.get());
    let mut flags = 0;
    if has & transition_flag::SCORED != 0 {
        flags |= jump_flag::SCORED;
    }
    if has & transition_flag::STAY != 0 {
        flags |= jump_flag::STAYS;
    }
    flags
}

/// A slot that has to hold a state is one of the instance, and nobody else is asked.
fn check_slot<const EXPLAIN: bool>(
    rom: &Rom<'_>,
    check: &mut Check<EXPLAIN>,
    i: usize,
    jump: &Jump,
) -> Result<(), LoadError> {
    let slots = rom.capacity().slots;
    let free = jump.slot == 0xFF;
    check.rule(free | (u16::from(jump.slot) < u16::from(slots)), i, || {
        range("slot", jump.slot, usize::from(slots))
    })?;
    check.rule(free | (jump.guard.get() == NONE), i, || {
        Problem::Rule("it asks for a guard and for what is remembered")
    })
}

/// What is tried next lies behind, so that trying ends; and the parts of the steps lie in order.
fn check_ladder<const EXPLAIN: bool>(
    rom: &Rom<'_>,
    check: &mut Check<EXPLAIN>,
    i: usize,
    jump: &Jump,
) -> Result<(), LoadError> {
    let (jumps, states) = (rom.jumps().len(), rom.states().len());
    let otherwise = jump.otherwise.get();
    let behind = (otherwise as usize > i) & ((otherwise as usize) < jumps);
    let ends = otherwise == NO_LIST;
    check.rule(ends | (behind & is_conditional(jump)), i, || {
        range("otherwise", otherwise, jumps)
    })?;
    check.rule(usize::from(jump.asker.get()) < states, i, || {
        range("asker", jump.asker, states)
    })?;
    check.rule(optional(jump.between.get(), states), i, || {
        range("between", jump.between, states)
    })?;
    let (exits, effects, count) = (jump.exits.get(), jump.effects.get(), jump.count.get());
    check.rule((exits <= effects) & (effects <= count), i, || {
        range("effects", effects, usize::from(count).wrapping_add(1))
    })
}

/// Steps of jumps call actions, or run ops of lists.
pub(super) fn jump_steps<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::JumpSteps);
    let (states, listed) = (rom.states().len(), first_listed(rom));
    let slots = rom.capacity().slots;
    let arguments = rom.arguments().len() as u64;
    for (i, step) in rom.jump_steps().iter().enumerate() {
        let (function, first) = (step.function.get(), step.first.get());
        let known =
            (usize::from(step.state.get()) < states) & (usize::from(step.leaf.get()) < states);
        check.rule(known, i, || {
            range("state", step.state.get().max(step.leaf.get()), states)
        })?;
        check.rule(step.kind.is_known(), i, || unknown("kind", step.kind))?;
        if step.kind == JumpStepKind::Remember {
            let (slot, state) = step.remembered();
            let inside = (u16::from(slot) < u16::from(slots)) & (usize::from(state) < states);
            let bare = (function == NONE) & (step.count == 0) & (first & 0xFF00 == 0);
            check.rule(bare & inside, i, || {
                Problem::Rule("a slot and a state are remembered")
            })?;
        } else if step.kind != JumpStepKind::Op {
            let bare = (function == NONE) & (first == 0) & (step.count == 0);
            check.rule(bare, i, || {
                Problem::Rule("a state is left or entered without operands")
            })?;
        } else if function == NONE {
            let op = first as usize;
            let runs = (op >= listed) & (op < rom.ops().len()) & (step.count == 0);
            check.rule(runs, i, || range("op", first, rom.ops().len()))?;
        } else {
            let action = rom
                .linker()
                .get(usize::from(function))
                .is_some_and(|f| f.kind == FunctionKind::Action);
            check.rule(action, i, || Problem::Rule("the function is no action"))?;
            let end = u64::from(first).wrapping_add(u64::from(step.count));
            check.rule(end <= arguments, i, || {
                range("last argument", end, rom.arguments().len())
            })?;
            let mut run = rom.argument_run(first, step.count).iter();
            check.rule(run.all(|one| one.place().is_none()), i, || {
                Problem::Rule("a step computes no arguments")
            })?;
        }
    }
    check.finish()
}
