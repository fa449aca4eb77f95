//! The state that stays active while a transition is carried out (EXEC-2), and whether its entry is
//! known in advance.

use statewright_rom::ids::{RegionId, StackId, StateId, TransitionExtraId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::shape::{Shape, state_in, targets};
use crate::index::Index;
use crate::tables::Tables;

/// Sets the domain of every transition, and the flags that say its entry depends on the run.
pub fn assign(tables: &mut Tables, shape: &Shape) {
    for id in tables.transition_ids() {
        let transition = *tables.transition(id);
        let domain = domain(tables, shape, &transition);
        let flags = transition.flags.get() & !(transition_flag::HISTORY | transition_flag::CHOICE);
        let dynamic = dynamic_flags(tables, transition.targets);
        let record = &mut tables.transitions[id.index()];
        record.domain = U16::new(domain.raw());
        record.flags = U16::new(flags | dynamic);
    }
}

fn dynamic_flags(tables: &Tables, set: U16) -> u16 {
    targets(tables, set).iter().fold(0, |flags, target| {
        flags
            | match target.kind.get() {
                TargetKind::History => transition_flag::HISTORY,
                TargetKind::Choice => transition_flag::CHOICE,
                TargetKind::State => 0,
            }
    })
}

fn domain(tables: &Tables, shape: &Shape, transition: &TransitionRecord) -> StateId {
    let source = state_in(transition.source);
    let flags = transition.flags.get();
    if flags & transition_flag::POP != 0 {
        return stack_owner(tables, shape, transition);
    }
    if flags & (transition_flag::INTERNAL | transition_flag::LOCAL) != 0 {
        return source;
    }
    let targets = targets(tables, transition.targets);
    // The least common ancestor that is compound, or one region of an orthogonal state (not in
    // SCXML, where a region is a state); the root if there is none.
    let mut at = shape.parent(source).unwrap_or(StateId::ROOT);
    // A push belongs to a region in any case.
    let compound_only =
        tables.header.policies & policy::SCXML_DETAILS != 0 && flags & transition_flag::PUSH == 0;
    let reaches = |at: StateId| {
        let fits = !compound_only || shape.kind(at) == StateKind::Compound;
        fits && targets
            .iter()
            .all(|target| is_within_reach(tables, shape, target, source, at))
    };
    while at != StateId::ROOT && !reaches(at) {
        at = shape.parent(at).unwrap_or(StateId::ROOT);
    }
    at
}

/// Whether a target lies inside a state around the source, in the source's own region of it.
fn is_within_reach(
    tables: &Tables,
    shape: &Shape,
    target: &TargetRecord,
    source: StateId,
    outer: StateId,
) -> bool {
    let anchor = anchor(tables, target);
    if target.kind == TargetKind::History && anchor == outer {
        // A history point of the state itself brings back every region of it.
        return shape.kind(outer) == StateKind::Compound;
    }
    shape.is_inside(anchor, outer)
        && shape.region_towards(outer, anchor) == shape.region_towards(outer, source)
}

/// The state of a target, or the owner of the history point.
pub fn anchor(tables: &Tables, target: &TargetRecord) -> StateId {
    match target.kind.get() {
        TargetKind::History => {
            let point = usize::from(target.index.get());
            state_in(tables.history[point].owner)
        }
        TargetKind::State | TargetKind::Choice => state_in(target.index),
    }
}

/// Regions of its domain that a transition exits and enters, one bit each (EXEC-2).
pub fn left_regions(tables: &Tables, shape: &Shape, transition: &TransitionRecord) -> u8 {
    let flags = transition.flags.get();
    if flags & transition_flag::INTERNAL != 0 {
        return 0;
    }
    let (source, domain) = (state_in(transition.source), state_in(transition.domain));
    let regions = shape.regions(domain);
    let all = ((1u16 << regions.len().min(8)) - 1) as u8;
    let bit = |region: Option<RegionId>| {
        let number = region
            .and_then(|region| region.position().checked_sub(regions.start.position()))
            .filter(|&number| number < 8);
        number.map_or(all, |number| 1 << number)
    };
    let targets = targets(tables, transition.targets);
    let targeted = targets.iter().fold(0, |mask, target| {
        mask | bit(shape.region_towards(domain, anchor(tables, target)))
    });
    if flags & transition_flag::LOCAL != 0 {
        return targeted;
    }
    let own = bit(shape.region_towards(domain, source));
    // Only the root can be left in several regions at once: any other orthogonal state would be
    // left itself.
    if targeted & !own == 0 { own } else { all }
}

/// Owner of the region whose stack a transition uses (EXEC-8).
fn stack_owner(tables: &Tables, shape: &Shape, transition: &TransitionRecord) -> StateId {
    let stack = TransitionExtraId::read(transition.extra)
        .and_then(|extra| StackId::new(tables.transition_extras[extra.index()].stack));
    let of_stack = |region: &RegionRecord| stack.is_some() && StackId::new(region.stack) == stack;
    let region = tables.regions.iter().position(of_stack);
    region
        .and_then(RegionId::from_index)
        .map_or(StateId::ROOT, |region| shape.owner(region))
}
