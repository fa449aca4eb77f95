//! What asking a transition takes, joined with its plan: the op of its guard, the result that it
//! waits for, and whether there is more to it (SEL-1, SEL-6).

use statewright_rom::code::term_of;
use statewright_rom::ids::{ExpressionId, StateExtraId, TransitionExtraId};
use statewright_rom::layout::*;

use super::shape::state_in;
use crate::tables::Tables;

/// Fills in what the plans of all transitions do not have yet.
pub fn assign(tables: &mut Tables) {
    let held = held_subtrees(tables);
    for place in 0..tables.transition_plans.len() {
        let joined = joined(tables, &held, place);
        let plan = &mut tables.transition_plans[place];
        *plan = TransitionPlan {
            plan: plan.plan,
            cost: plan.cost,
            regions: plan.regions,
            ..joined
        };
    }
}

/// Whether a state in the subtree of each state holds back whoever wants to leave it.
fn held_subtrees(tables: &Tables) -> Vec<bool> {
    let mut held = vec![false; tables.states.len()];
    // Parents come before their children.
    for place in (0..tables.states.len()).rev() {
        let record = &tables.states[place];
        let extra = StateExtraId::read(record.extra).map(|id| &tables.state_extras[id.index()]);
        held[place] |= extra.is_some_and(|x| x.exit_ready.get() != NONE || x.min_active.is_some());
        if held[place]
            && let Some(parent) = held.get_mut(usize::from(record.parent.get()))
        {
            *parent = true;
        }
    }
    held
}

fn joined(tables: &Tables, held: &[bool], place: usize) -> TransitionPlan {
    let record = &tables.transitions[place];
    let source = tables.state(state_in(record.source));
    let source_extra = StateExtraId::read(source.extra).map(|id| &tables.state_extras[id.index()]);
    let extra = TransitionExtraId::read(record.extra);
    let extra = extra.map(|id| &tables.transition_extras[id.index()]);
    let trigger = SpecialTrigger::read(record.trigger);
    let (done, failed) = (
        trigger == Some(SpecialTrigger::Done),
        trigger == Some(SpecialTrigger::Failed),
    );
    let has = |flag: u16| record.flags.get() & flag != 0;
    let weighed = has(transition_flag::SCORED | transition_flag::PUSH | transition_flag::POP)
        || extra.is_some_and(|extra| extra.cooldown().is_some());
    let free = has(transition_flag::INTERRUPT | transition_flag::INTERNAL);
    // Where history leads decides what is left.
    let outer = if has(transition_flag::HISTORY) {
        0
    } else {
        usize::from(record.domain.get())
    };
    let flags = [
        (record.guard.get() != NONE, ask_flag::GUARDED),
        (done, ask_flag::SUCCEEDED),
        (failed, ask_flag::FAILED),
        (done && source.region_count > 0, ask_flag::COMPLETED),
        (weighed, ask_flag::WEIGHED),
        (
            extra.is_some_and(|extra| extra.debounce().is_some()),
            ask_flag::DEBOUNCED,
        ),
        (!free && held[outer], ask_flag::HELD),
    ];
    let waits = source_extra.filter(|_| done || failed);
    let guard = tables.ops.get(usize::from(record.guard.get()));
    TransitionPlan {
        source: record.source,
        flags: flags
            .into_iter()
            .filter(|&(set, _)| set)
            .fold(0, |all, (_, flag)| all | flag),
        result_slot: waits.map_or(0xFF, |extra| extra.result_slot),
        result_bit: waits.map_or(0, |extra| extra.result_bit),
        guard: guard.copied().unwrap_or_default(),
        term: guard.map_or_else(Term::default, |op| term(tables, op)),
        ..TransitionPlan::default()
    }
}

/// What a guard begins with.
fn term(tables: &Tables, op: &OpRecord) -> Term {
    let expression = ExpressionId::read(op.a).filter(|_| op.kind == ActionOp::Evaluate);
    expression.map_or_else(Term::default, |expression| {
        let record = &tables.expressions[expression.index()];
        let first = record.first.get() as usize;
        term_of(&tables.code[first..first + usize::from(record.count.get())])
    })
}
