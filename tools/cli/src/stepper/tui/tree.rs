//! The states of a machine as rows of a tree.

use statewright_step::ids::StateId;
use statewright_step::{AgentState, Session};

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// A state.
    State {
        depth: usize,
        /// Last part of its path.
        name: String,
        active: bool,
        /// Whether it is an active leaf.
        leaf: bool,
        /// Whether what is inside is not shown.
        folded: bool,
        suspended: bool,
    },
    /// The name of a region.
    Region {
        depth: usize,
        name: String,
        active: bool,
    },
}

impl Row {
    /// Is this an active leaf?
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self, Self::State { leaf: true, .. })
    }
}

/// All rows, or, if there are more than fit, only what is inside active states.
pub(crate) fn rows(session: &Session, fits: usize) -> Vec<Row> {
    let rows = |fold: bool| {
        let mut tree = Tree {
            session,
            after: session.look(),
            fold,
            rows: Vec::new(),
        };
        tree.inside(StateId::ROOT, 0);
        tree.rows
    };
    let all = rows(false);
    if all.len() <= fits { all } else { rows(true) }
}

/// Rows in the making.
struct Tree<'s> {
    session: &'s Session,
    after: AgentState,
    fold: bool,
    rows: Vec<Row>,
}

impl Tree<'_> {
    /// Is one of these leaves the state or inside it?
    fn is_over(&self, leaves: &[StateId], state: StateId) -> bool {
        let rom = self.session.machine().rom();
        leaves
            .iter()
            .any(|&leaf| rom.is_ancestor_or_self(state, leaf))
    }

    /// What is inside a state. Goes as deep as the tree, which has at most 16 levels (EXEC-9).
    fn inside(&mut self, state: StateId, depth: usize) {
        let session = self.session;
        let rom = session.machine().rom();
        for region in rom.region_ids_of(state) {
            let name = session.names().region(region);
            if let Some(name) = name {
                let active = self.is_over(&self.after.leaves, state);
                self.rows.push(Row::Region {
                    depth,
                    name: name.to_owned(),
                    active,
                });
            }
            for child in rom.children(region) {
                self.state(child, depth + usize::from(name.is_some()));
            }
        }
    }

    fn state(&mut self, state: StateId, depth: usize) {
        let path = self.session.names().state(state);
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let active = self.is_over(&self.after.leaves, state);
        let suspended = self.is_over(&self.after.suspended, state);
        let has_inside = self
            .session
            .machine()
            .rom()
            .region_ids_of(state)
            .next()
            .is_some();
        let folded = self.fold && has_inside && !active && !suspended;
        let leaf = self.after.leaves.contains(&state);
        self.rows.push(Row::State {
            depth,
            name,
            active,
            leaf,
            folded,
            suspended,
        });
        if !folded {
            self.inside(state, depth + 1);
        }
    }
}
