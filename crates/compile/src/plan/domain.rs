//! The state that stays active while a transition is carried out (EXEC-2), and whether its entry is
//! known in advance.

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
            | match target.kind.get() {
                TargetKind::History => transition_flag::HISTORY,
                TargetKind::Choice => transition_flag::CHOICE,
                TargetKind::State => 0,
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
    // The least common ancestor that is compound, or one region of an orthogonal state (not in
    // SCXML, where a region is a state); the root if there is none.
    let mut at = shape.parent(source).unwrap_or(0);
    // A push belongs to a region in any case.
    let compound_only =
        tables.header.policies & policy::SCXML_DETAILS != 0 && flags & transition_flag::PUSH == 0;
    let reaches = |at: usize| {
        let fits = !compound_only || shape.kind(at) == StateKind::Compound;
        fits && targets
            .iter()
            .all(|target| is_within_reach(tables, shape, target, source, at))
    };
    while at != 0 && !reaches(at) {
        at = shape.parent(at).unwrap_or(0);
    }
    at
}

/// Whether a target lies inside a state around the source, in the source's own region of it.
fn is_within_reach(
    tables: &Tables,
    shape: &Shape,
    target: &TargetRecord,
    source: usize,
    outer: usize,
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
fn anchor(tables: &Tables, target: &TargetRecord) -> usize {
    let index = usize::from(target.index.get());
    match target.kind.get() {
        TargetKind::History => usize::from(tables.history[index].owner.get()),
        TargetKind::State | TargetKind::Choice => index,
    }
}

/// Regions of its domain that a transition exits and enters, one bit each (EXEC-2).
pub fn left_regions(tables: &Tables, shape: &Shape, transition: &TransitionRecord) -> u8 {
    let flags = transition.flags.get();
    if flags & transition_flag::INTERNAL != 0 {
        return 0;
    }
    let (source, domain) = (
        usize::from(transition.source.get()),
        usize::from(transition.domain.get()),
    );
    let regions = shape.regions(domain);
    let all = ((1u16 << regions.len().min(8)) - 1) as u8;
    let bit = |region: Option<usize>| {
        let number = region
            .and_then(|region| region.checked_sub(regions.start))
            .filter(|&number| number < 8);
        number.map_or(all, |number| 1 << number)
    };
    let targets = targets(tables, transition.targets.get());
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
fn stack_owner(tables: &Tables, shape: &Shape, transition: &TransitionRecord) -> usize {
    let stack = match transition.extra.get() {
        NONE => 0xFF,
        extra => tables.transition_extras[usize::from(extra)].stack,
    };
    let region = tables
        .regions
        .iter()
        .position(|region| stack != 0xFF && region.stack == stack);
    region.map_or(0, |region| shape.owner(region))
}
