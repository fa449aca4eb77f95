//! The states of a machine as rows of a tree.

use statewright_step::Session;
use statewright_step::ids::StateId;

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// A state: depth, last part of its path, whether it is active, whether it is an active leaf, whether rows below it are hidden.
    State { depth: usize, name: String, active: bool, leaf: bool, folded: bool, suspended: bool },
    /// The name of a region.
    Region { depth: usize, name: String, active: bool },
}

impl Row {
    /// Is this an active leaf?
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self, Self::State { leaf: true, .. })
    }
}

/// All rows, or, if there are more than fit, only what is inside active states.
pub(crate) fn rows(session: &Session, fits: usize) -> Vec<Row> {
    let all = list(session, false);
    if all.len() <= fits { all } else { list(session, true) }
}

fn list(session: &Session, fold: bool) -> Vec<Row> {
    let rom = session.machine().rom();
    let after = session.look();
    let is_over = |states: &[StateId], state: StateId| states.iter().any(|&leaf| rom.is_ancestor_or_self(state, leaf));
    let names = session.names();
    let mut rows = Vec::new();
    // What is still to be shown, the next on top: states and region names with their depth.
    let mut stack: Vec<(usize, Result<StateId, (String, bool)>)> = Vec::new();
    let push_inside = |stack: &mut Vec<(usize, Result<StateId, (String, bool)>)>, state: StateId, depth: usize| {
        let regions: Vec<_> = rom.region_ids_of(state).collect();
        let named = regions.len() > 1;
        for &region in regions.iter().rev() {
            let children: Vec<StateId> = rom.children(region).collect();
            let inside = if named { depth + 1 } else { depth };
            stack.extend(children.into_iter().rev().map(|child| (inside, Ok(child))));
            if named {
                let name = names.region(region).unwrap_or_default().to_owned();
                stack.push((depth, Err((name, is_over(&after.leaves, state)))));
            }
        }
    };
    push_inside(&mut stack, StateId::ROOT, 0);
    while let Some((depth, item)) = stack.pop() {
        let state = match item {
            Ok(state) => state,
            Err((name, active)) => {
                rows.push(Row::Region { depth, name, active });
                continue;
            }
        };
        let active = is_over(&after.leaves, state);
        let suspended = is_over(&after.suspended, state);
        let has_inside = rom.region_ids_of(state).next().is_some();
        let folded = fold && has_inside && !active && !suspended;
        let path = names.state(state);
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        rows.push(Row::State { depth, name, active, leaf: after.leaves.contains(&state), folded, suspended });
        if !folded {
            push_inside(&mut stack, state, depth + 1);
        }
    }
    rows
}
