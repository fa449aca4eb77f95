//! What a name of a state means where it stands, for editors: the same rules as in the compiler,
//! for machines that may be far from complete.
//!
//! Comes in: a machine, as far as it could be read. Goes out: spans of declarations, and paths.
//! Nothing is reported here.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{Machine, StateKind};
use statewright_author::span::{Name, Span};

use crate::index::{Index, IndexVec, StateIndex};
use crate::tree::{Target, Tree};

/// A state or history point that can be named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landmark {
    /// Its path from the root.
    pub path: String,
    /// Its own name.
    pub name: String,
    /// Where its name is written.
    pub span: Span,
    /// What it is; `None` for a history point.
    pub kind: Option<StateKind>,
}

/// The states of a machine, to be found by name from anywhere in its file.
#[derive(Debug)]
pub struct States<'m> {
    tree: Tree<'m>,
    /// Where each state stands, by its first byte.
    by_start: Vec<(u32, StateIndex)>,
    /// One past the last byte of each.
    ends: IndexVec<StateIndex, u32>,
}

impl<'m> States<'m> {
    /// Reads the tree of a machine.
    pub fn new(machine: &'m Machine) -> Self {
        let tree = Tree::new(machine, &mut Diagnostics::default());
        let spans = |state: StateIndex| tree.states[state].authored.span;
        let mut by_start: Vec<_> = tree
            .states
            .indices()
            .skip(1)
            .map(|state| (spans(state).start, state))
            .collect();
        by_start.sort_unstable_by_key(|&(start, state)| (start, state.position()));
        let ends = tree
            .states
            .indices()
            .map(|state| match state {
                StateIndex::ROOT => u32::MAX,
                state => spans(state).end,
            })
            .collect();
        Self {
            tree,
            by_start,
            ends,
        }
    }

    /// The innermost state that a byte of the file lies in.
    fn around(&self, byte: u32) -> StateIndex {
        let after = self.by_start.partition_point(|&(start, _)| start <= byte);
        let mut at = match after.checked_sub(1) {
            Some(before) => self.by_start[before].1,
            None => StateIndex::ROOT,
        };
        while byte >= self.ends[at] {
            at = self.tree.states[at].parent.unwrap_or(StateIndex::ROOT);
        }
        at
    }

    fn find(&self, path: &str, byte: u32) -> Option<Target> {
        let name = Name::new(path.to_owned(), Span::default());
        self.tree.find(&name, self.around(byte)).ok()
    }

    /// What the parts of a name or path mean that stands at a byte of the file: where each is
    /// declared, in order. `None` if it means nothing, or several things.
    pub fn parts(&self, path: &str, byte: u32) -> Option<Vec<Span>> {
        let found = self.find(path, byte)?;
        if found == Target::State(StateIndex::ROOT) {
            return None;
        }
        let mut spans = Vec::new();
        let mut at = Some(found);
        for part in path.trim_start_matches('/').rsplit('/') {
            let node = at?;
            if self.tree.name_of(node).value == part {
                spans.push(self.tree.name_of(node).span);
                at = self.parent(node).map(Target::State);
                continue;
            }
            // The name of a region, which stands between a state and its child.
            let Target::State(state) = node else {
                return None;
            };
            let region = self.tree.region_named(state, part)?;
            spans.push(self.tree.regions[region].authored.name.as_ref()?.span);
        }
        spans.reverse();
        Some(spans)
    }

    fn parent(&self, node: Target) -> Option<StateIndex> {
        match node {
            Target::State(state) => self.tree.states[state].parent,
            Target::History(point) => Some(self.tree.histories[point].owner),
        }
    }

    /// All that can be named, in order.
    pub fn landmarks(&self) -> impl Iterator<Item = Landmark> + '_ {
        let states = self.tree.states.indices().skip(1).map(Target::State);
        let points = self.tree.histories.indices().map(Target::History);
        states.chain(points).map(|node| self.landmark(node))
    }

    fn landmark(&self, node: Target) -> Landmark {
        let name = self.tree.name_of(node);
        Landmark {
            path: self.tree.target_path(node),
            name: name.value.clone(),
            span: name.span,
            kind: match node {
                Target::State(state) => Some(self.tree.states[state].kind),
                Target::History(_) => None,
            },
        }
    }

    /// The state or history point whose name is written at a span.
    pub fn declared_at(&self, span: Span) -> Option<Landmark> {
        self.landmarks().find(|landmark| landmark.span == span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_the_nearest_state_and_a_path_each_of_its_parts() {
        let text = r#"{ "machine": "M", "initial": "a", "states": {
            "a": { "initial": "x", "states": { "x": { "transitions": [{ "when": "always", "to": "y" }] }, "y": {} } },
            "b": { "initial": "y", "states": { "y": {} } } } }"#;
        let (machine, problems) = statewright_author::text::read("m", text);
        assert!(problems.is_empty());
        let states = States::new(&machine);
        let at = |part: &str| text.find(part).unwrap() as u32;
        let word = |span: Span| (span.start, &text[span.start as usize..span.end as usize]);
        let near = states.parts("y", at("always")).unwrap();
        assert_eq!(word(near[0]), (at("\"y\": {} } },") + 1, "y"));
        assert_eq!(states.parts("y", 0), None, "two states have this name");
        let path = states.parts("b/y", at("always")).unwrap();
        assert_eq!(
            path.iter().map(|&span| word(span).1).collect::<Vec<_>>(),
            ["b", "y"]
        );
        assert_eq!(states.declared_at(path[1]).unwrap().path, "b/y");
    }
}
