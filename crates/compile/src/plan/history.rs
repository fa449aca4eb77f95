//! What history comes to in a jump: what points of states that are left will remember, and what points may
//! bring back (EXEC-4).
//!
//! Only where one leaf is left and one is entered, so that a slot holds one state:
//!
//! ```text
//!   on Back: to `day/before`, a shallow point of slot 3      [slot 3 = work:  ENTER day, work]
//!                                                       ─no─▶ [slot 3 = sleep: ENTER day, sleep]
//!                                                       ─no─▶ [ENTER day, its initial]
//! ```

use statewright_rom::Target;
use statewright_rom::ids::{StateExtraId, StateId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::shape::{state_in, targets};
use crate::tables::Tables;

/// One way that a history point may lead.
pub(super) struct Memory {
    /// The slot of the point.
    pub(super) slot: u8,
    /// The state that it has to hold; `None` = it leads this way if it remembers nothing.
    pub(super) remembered: Option<StateId>,
    /// The state that is entered, and those in it by their initials.
    pub(super) target: StateId,
    /// The innermost state that stays (EXEC-2).
    pub(super) domain: StateId,
}

/// Everything that a transition to a history point may come to; `None` if it is not known beforehand, or
/// if the point is about to be written.
pub(super) fn memories(
    tables: &Tables,
    transition: &TransitionRecord,
    leaf: StateId,
) -> Option<Vec<Memory>> {
    if tables.header.policies & policy::SCXML_DETAILS != 0 {
        return None;
    }
    let [target] = targets(tables, transition.targets) else {
        return None;
    };
    let Some(Target::History(point)) = Target::read(target) else {
        return None;
    };
    let point = tables.history.get(point.index())?;
    let owner = state_in(point.owner);
    let record = tables.state(owner);
    let plain = point.effect.get() == NONE
        && point.slot_count == 1
        && record.region_count == 1
        && record.flags.get() & state_flag::RESTORES == 0
        && !is_inside(tables, leaf, owner);
    if !plain {
        return None;
    }
    let memory = |remembered: Option<StateId>, target: StateId| {
        let domain = domain_of(tables, transition, target)?;
        let slot = point.slot;
        Some(Memory {
            slot,
            remembered,
            target,
            domain,
        })
    };
    let brought_back = remembered_by(tables, point, owner);
    let mut memories = Vec::new();
    for state in brought_back {
        memories.push(memory(Some(state), state)?);
    }
    memories.push(memory(None, default_of(tables, point, owner)?)?);
    Some(memories)
}

/// The states that a point of one slot may remember: children, or leaves if it is a deep one.
fn remembered_by(tables: &Tables, point: &HistoryRecord, owner: StateId) -> Vec<StateId> {
    let inside = |state: &StateId| *state != owner && is_inside(tables, *state, owner);
    let states = tables.state_ids().filter(inside);
    let fits = |state: &StateId| {
        let record = tables.state(*state);
        if point.deep == 1 {
            super::is_leaf(record)
        } else {
            state_in(record.parent) == owner && record.kind != StateKind::Choice
        }
    };
    states.filter(fits).collect()
}

/// Where a point leads that remembers nothing: its default, or the initial of its state.
fn default_of(tables: &Tables, point: &HistoryRecord, owner: StateId) -> Option<StateId> {
    match targets(tables, point.default) {
        [] => Some(owner),
        [target] => match Target::read(target)? {
            Target::State(state) => Some(state),
            Target::Choice(_) | Target::History(_) => None,
        },
        _ => None,
    }
}

/// The innermost state around the source of a transition and what it leads to; the source itself, if the
/// transition is a local one (EXEC-2).
fn domain_of(tables: &Tables, transition: &TransitionRecord, target: StateId) -> Option<StateId> {
    let source = state_in(transition.source);
    if transition.flags.get() & transition_flag::LOCAL != 0 {
        return Some(source);
    }
    let around = |&state: &StateId| StateId::read(tables.state(state).parent);
    let mut outer = std::iter::successors(around(&source), around);
    outer.find(|&state| state != target && is_inside(tables, target, state))
}

/// Is a state another one, or inside it?
fn is_inside(tables: &Tables, inner: StateId, outer: StateId) -> bool {
    outer <= inner && inner.raw() < tables.state(outer).subtree_end.get()
}

/// One default entry on the way down.
pub(super) struct Way {
    /// The state that was entered.
    pub(super) owner: StateId,
    /// Effect of its initial.
    pub(super) effect: U16,
    /// The state inside it that is entered next.
    pub(super) target: StateId,
}

/// Default entries from a state down to a leaf; `None` if one of them is not known beforehand.
pub(super) fn ways(tables: &Tables, first: StateId) -> Option<Vec<Way>> {
    let mut ways = Vec::new();
    let mut owner = first;
    while tables.state(owner).region_count != 0 {
        let record = tables.state(owner);
        if record.region_count > 1 || record.flags.get() & state_flag::RESTORES != 0 {
            return None;
        }
        let region = tables.regions.get(usize::from(record.first_region.get()))?;
        let initial = tables.initials.get(usize::from(region.initial.get()))?;
        let [target] = targets(tables, initial.targets) else {
            return None;
        };
        let Target::State(target) = Target::read(target)? else {
            return None;
        };
        ways.push(Way {
            owner,
            effect: initial.effect,
            target,
        });
        owner = target;
    }
    Some(ways)
}

/// What the points of all states from a leaf up to another one will hold when these are left: owner, slot and
/// raw state, 0 for nothing. `None` if that depends on more than the leaf.
pub(super) fn points_of(
    tables: &Tables,
    leaf: StateId,
    domain: StateId,
) -> Option<Vec<(StateId, u8, u16)>> {
    let mut found = Vec::new();
    let (mut child, mut state) = (leaf, leaf);
    while state != domain {
        let record = tables.state(state);
        let points = points(tables, record);
        if !points.is_empty()
            && (record.flags.get() & state_flag::HISTORY_RESET != 0 || record.region_count != 1)
        {
            return None;
        }
        for point in points {
            let slots = (0..point.slot_count).map(|place| point.slot + place);
            if point.deep == 0 {
                found.extend(slots.map(|slot| (state, slot, child.raw())));
                continue;
            }
            for (slot, number) in slots.zip(leaf_numbers(tables, state)) {
                let own = number == tables.state(leaf).leaf;
                found.push((state, slot, if own { leaf.raw() } else { 0 }));
            }
        }
        child = state;
        state = StateId::read(record.parent)?;
    }
    Some(found)
}

fn points<'t>(tables: &'t Tables, record: &StateRecord) -> &'t [HistoryRecord] {
    let extra = StateExtraId::read(record.extra);
    extra.map_or(&[], |extra| {
        let extra = &tables.state_extras[extra.index()];
        let first = usize::from(extra.first_history.get());
        let points = tables
            .history
            .get(first..first + usize::from(extra.history_count));
        points.unwrap_or(&[])
    })
}

/// Leaf numbers of a state and of everything in it, ascending.
fn leaf_numbers(tables: &Tables, state: StateId) -> impl Iterator<Item = u8> {
    let end = tables.state(state).subtree_end.get();
    let owned = |region: &&RegionRecord| (state.raw()..end).contains(&region.owner.get());
    let regions = tables
        .regions
        .iter()
        .filter(owned)
        .map(|region| region.leaf);
    let mask = regions.fold(1_u32 << tables.state(state).leaf, |mask, leaf| {
        mask | 1 << leaf
    });
    (0..MAX_LEAVES as u8).filter(move |leaf| mask >> leaf & 1 != 0)
}
