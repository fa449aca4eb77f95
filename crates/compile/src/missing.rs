//! The stable ids that `fmt --ids` and renaming write: those that the compiler would derive (ROM-6),
//! so that writing them changes no hash. `tools/cli/tests/fmt.rs` compares hashes before and after.

use statewright_author::format::{MissingId, PathSegment};
use statewright_author::graph::{Machine, StableId, State};

use crate::stable::derive as derive_stable_id;

/// The id that something without one has. `None` for what would get another one by writing it down:
/// transitions of sets and any-state lists stand for one transition per state.
pub fn derived_id(machine: &Machine, missing: &MissingId) -> Option<u64> {
    let machine_id =
        given(&machine.id).unwrap_or_else(|| derive_stable_id(0, "machine", &machine.name.value));
    let name = missing.name.value.as_str();
    match missing.path.as_slice() {
        [] => Some(machine_id),
        [PathSegment::Event(_)] => Some(derive_stable_id(machine_id, "event", name)),
        [PathSegment::Timer(_)] => Some(derive_stable_id(machine_id, "timer", name)),
        path => inside(
            &machine.root,
            derive_stable_id(machine_id, "root", ""),
            path,
            name,
        ),
    }
}

fn given(id: &StableId) -> Option<u64> {
    id.as_ref().map(|id| id.value)
}

/// Follows a path through the states; `owner` is the id of the state reached so far.
fn inside(root: &State, root_id: u64, path: &[PathSegment], name: &str) -> Option<u64> {
    let (mut state, mut owner) = (root, root_id);
    let mut rest = path;
    while let [
        PathSegment::Region(region),
        PathSegment::State(child),
        deeper @ ..,
    ] = rest
    {
        let name = own_name(state, *region, *child)?;
        state = state.regions.get(*region)?.states.get(*child)?;
        owner = given(&state.id).unwrap_or_else(|| derive_stable_id(owner, "state", &name));
        rest = deeper;
    }
    match rest {
        [] => Some(owner),
        [PathSegment::Region(_)] => Some(derive_stable_id(owner, "region", name)),
        [PathSegment::History(_)] => Some(derive_stable_id(owner, "history", name)),
        [PathSegment::Scratch(_)] => Some(derive_stable_id(owner, "scratch", name)),
        [PathSegment::Timer(_)] => Some(derive_stable_id(owner, "timer", name)),
        [PathSegment::Transition(place)] => transition(state, owner, *place, name),
        _ => None,
    }
}

/// Of children of one name in different regions the first has the id of its name (LANG-7).
fn own_name(parent: &State, region: usize, child: usize) -> Option<String> {
    let own = parent.regions.get(region)?;
    let name = &own.states.get(child)?.name.value;
    let mut before = parent.regions.iter().take(region);
    let has_namesake = before.any(|other| {
        let mut live = other.states.iter().filter(|state| !state.muted);
        live.any(|state| state.name.value == *name)
    });
    Some(match &own.name {
        Some(region) if has_namesake => format!("{}/{name}", region.value),
        _ => name.clone(),
    })
}

/// Transitions of one name are told apart by their order; muted ones do not count and get no id.
fn transition(state: &State, owner: u64, place: usize, name: &str) -> Option<u64> {
    if state.transitions.get(place)?.muted {
        return None;
    }
    let is_same = |other: &&statewright_author::graph::Transition| {
        !other.muted && other.name.as_ref().is_some_and(|other| other.value == name)
    };
    let ordinal = state.transitions.iter().take(place).filter(is_same).count();
    Some(derive_stable_id(
        owner,
        "transition",
        &format!("name {name} {ordinal}"),
    ))
}
