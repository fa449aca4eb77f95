//! The state that stays active while a transition is carried out (EXEC-2), and whether its entry is known in advance.

use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::shape::{Shape, targets};
use crate::tables::Tables;

/// Sets the domain of every transition, and the flags that say its entry depends on the run.
pub fn assign(tables: &mut Tables, shape: &Shape) {
    for index in 0..tables.transitions.len() {
        let transition = tables.transitions[index];
        let domain = domain(tables, shape, &transition);
        let flags = transition.flags.get() & !(transition_flag::HISTORY | transition_flag::CHOICE);
        let dynamic = dynamic_flags(tables, transition.targets.get());
        let record = &mut tables.transitions[index];
        record.domain = U16::new(domain as u16);
        record.flags = U16::new(flags | dynamic);
    }
}

fn dynamic_flags(tables: &Tables, set: u16) -> u16 {
    targets(tables, set).iter().fold(0, |flags, target| {
        flags
            | match target.kind {
                target_kind::HISTORY => transition_flag::HISTORY,
                target_kind::CHOICE => transition_flag::CHOICE,
                _ => 0,
            }
    })
}

fn domain(tables: &Tables, shape: &Shape, transition: &TransitionRecord) -> usize {
    let source = usize::from(transition.source.get());
    let flags = transition.flags.get();
    if flags & transition_flag::POP != 0 {
        return stack_owner(tables, shape, transition);
    }
    if flags & (transition_flag::INTERNAL | transition_flag::LOCAL) != 0 {
        return source;
    }
    let targets = targets(tables, transition.targets.get());
    let holds = |at: usize| targets.iter().all(|target| is_target_inside(tables, shape, target, at));
    let mut at = shape.parent(source).unwrap_or(0);
    // The least common ancestor that is compound; the root always is one.
    while at != 0 && !(shape.kind(at) == state_kind::COMPOUND && holds(at)) {
        at = shape.parent(at).unwrap_or(0);
    }
    at
}

/// Whether what a target enters lies strictly inside a state.
fn is_target_inside(tables: &Tables, shape: &Shape, target: &TargetRecord, outer: usize) -> bool {
    let index = usize::from(target.index.get());
    match target.kind {
        target_kind::HISTORY => {
            let owner = usize::from(tables.history[index].owner.get());
            owner == outer || shape.is_inside(owner, outer)
        }
        _ => shape.is_inside(index, outer),
    }
}

/// Owner of the region whose stack a transition uses (EXEC-8).
fn stack_owner(tables: &Tables, shape: &Shape, transition: &TransitionRecord) -> usize {
    let stack = match transition.extra.get() {
        NONE => 0xFF,
        extra => tables.transition_extras[usize::from(extra)].stack,
    };
    let region = tables.regions.iter().position(|region| stack != 0xFF && region.stack == stack);
    region.map_or(0, |region| shape.owner(region))
}
