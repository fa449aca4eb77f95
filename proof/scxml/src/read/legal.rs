//! Which sets of targets can be active together (section 3.11 of the recommendation).

use roxmltree::Node;

use super::Reader;
use super::xml::problem;
use crate::document::Kind;

impl Reader {
    /// The states of a list of ids: each is there, and all of them can be active together.
    pub(super) fn targets(&self, node: Node, ids: &str) -> Result<Vec<usize>, String> {
        let mut targets = Vec::new();
        for id in ids.split_whitespace() {
            let found = self.ids.get(id).copied().filter(|&state| state != 0);
            targets
                .push(found.ok_or_else(|| problem(node, &format!("no state has the id `{id}`")))?);
        }
        if targets.is_empty() {
            return Err(problem(node, "a list of ids names no state"));
        }
        for (at, &first) in targets.iter().enumerate() {
            for &second in &targets[at + 1..] {
                if !self.go_together(first, second) {
                    let [first, second] = [first, second].map(|state| &self.states[state].id);
                    return Err(problem(
                        node,
                        &format!("`{first}` and `{second}` cannot be entered together"),
                    ));
                }
            }
        }
        Ok(targets)
    }

    /// Two targets go together if they are in different children of a parallel. A history stands
    /// for its parent.
    fn go_together(&self, first: usize, second: usize) -> bool {
        let [first, second] = [first, second].map(|state| self.path(state));
        let common = first
            .iter()
            .zip(&second)
            .take_while(|(one, other)| one == other)
            .count();
        let apart = common < first.len() && common < second.len();
        apart && self.states[first[common - 1]].kind == Kind::Parallel
    }

    /// From the document down to a state, or to the parent of a history.
    fn path(&self, state: usize) -> Vec<usize> {
        let mut at = if self.states[state].kind.is_history() {
            self.states[state].parent
        } else {
            Some(state)
        };
        let mut path = Vec::new();
        while let Some(state) = at {
            path.push(state);
            at = self.states[state].parent;
        }
        path.reverse();
        path
    }

    pub(super) fn is_inside(&self, state: usize, outer: usize) -> bool {
        let mut at = self.states[state].parent;
        while let Some(parent) = at {
            if parent == outer {
                return true;
            }
            at = self.states[parent].parent;
        }
        false
    }
}
