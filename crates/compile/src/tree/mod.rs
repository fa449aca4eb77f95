//! Pass *normalize*, first half: the states of a graph in pre-order, with everything muted left
//! out.
//!
//! Comes in as the author's nested graph; goes out as flat lists whose indices are those of the
//! ROM. The checks that need nothing but the shape of the tree are in `shape`.

mod find;
mod shape;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{HistoryPoint, Machine, Region, State, StateKind};
use statewright_author::span::{Name, Span};
use statewright_rom::layout::{MAX_DEPTH, MAX_RECORDS};

pub use shape::{check_case, duplicate_name, follows_scxml, shown, too_many};
use shape::{
    check_kind, check_root, check_siblings, empty_region, too_deep, unread_part, was_reported,
};

use crate::index::{HistoryIndex, IndexRange, IndexVec, RegionIndex, StateIndex};

/// A state in its place.
#[derive(Debug)]
pub struct StateNode<'a> {
    /// As written.
    pub authored: &'a State,
    /// What it is, muted children not counted.
    pub kind: StateKind,
    /// The state around it.
    pub parent: Option<StateIndex>,
    /// The region it is a child of.
    pub region: Option<RegionIndex>,
    /// Its own regions.
    pub regions: IndexRange<RegionIndex>,
    /// Its history points.
    pub histories: IndexRange<HistoryIndex>,
    /// One past its last descendant.
    pub end: StateIndex,
    /// Root = 1.
    pub depth: usize,
}

/// A region in its place.
#[derive(Debug)]
pub struct RegionNode<'a> {
    /// As written.
    pub authored: &'a Region,
    /// The state that has it.
    pub owner: StateIndex,
    /// Its children.
    pub children: Vec<StateIndex>,
}

/// A history point in its place.
#[derive(Debug)]
pub struct HistoryNode<'a> {
    /// As written.
    pub authored: &'a HistoryPoint,
    /// The state that has it.
    pub owner: StateIndex,
}

/// Something a transition can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A state, choices included.
    State(StateIndex),
    /// A history point.
    History(HistoryIndex),
}

/// All states, regions and history points.
#[derive(Debug, Default)]
pub struct Tree<'a> {
    /// States in pre-order.
    pub states: IndexVec<StateIndex, StateNode<'a>>,
    /// Regions by owner.
    pub regions: IndexVec<RegionIndex, RegionNode<'a>>,
    /// History points by owner.
    pub histories: IndexVec<HistoryIndex, HistoryNode<'a>>,
    /// Children and history points by owner and name: several of one name in different regions.
    children: HashMap<(StateIndex, &'a str), Vec<Target>>,
    by_name: HashMap<&'a str, Vec<Target>>,
    region_names: HashMap<&'a str, Vec<RegionIndex>>,
    /// States of which two regions have children of one name.
    has_namesakes: HashSet<StateIndex>,
    muted: HashMap<&'a str, Span>,
    /// "Did you mean" looks at every name, so it is offered only so often.
    suggestions: Cell<usize>,
    /// An orthogonal state may have a single region.
    allows_one_region: bool,
}

impl<'a> Tree<'a> {
    /// Builds the tree and checks its shape.
    pub fn new(machine: &'a Machine, diagnostics: &mut Diagnostics) -> Self {
        let mut tree = Self {
            allows_one_region: follows_scxml(machine),
            ..Self::default()
        };
        check_root(machine, diagnostics);
        tree.add_state(&machine.root, None, None, 1, diagnostics);
        if tree.states.len() > MAX_RECORDS {
            diagnostics.push(too_many(
                "states",
                tree.states.len(),
                MAX_RECORDS,
                machine.name.span,
            ));
        }
        tree
    }

    /// Adds a state and everything below it. Recursion ends at the depth limit.
    fn add_state(
        &mut self,
        authored: &'a State,
        parent: Option<StateIndex>,
        region: Option<RegionIndex>,
        depth: usize,
        diagnostics: &mut Diagnostics,
    ) -> StateIndex {
        let index = self.states.next_index();
        let first_region = self.regions.next_index();
        let first_history = self.histories.next_index();
        self.histories
            .extend(authored.history.iter().map(|point| HistoryNode {
                authored: point,
                owner: index,
            }));
        self.states.push(StateNode {
            authored,
            kind: authored.kind(),
            parent,
            region,
            regions: IndexRange::new(first_region, first_region),
            histories: IndexRange::new(first_history, self.histories.next_index()),
            end: index.next(),
            depth,
        });
        // A root that is final or a choice has been reported.
        if parent.is_some() || !matches!(authored.kind(), StateKind::Final | StateKind::Choice) {
            check_kind(authored, self.allows_one_region, diagnostics);
        }
        if let Some(part) = &authored.part
            && part.joined.is_none()
        {
            diagnostics.push(unread_part(part));
        }
        if depth >= MAX_DEPTH && !authored.regions.is_empty() {
            diagnostics.push(too_deep(authored));
            return index;
        }
        // Before what is inside: much of what is said there follows from it.
        check_siblings(authored, diagnostics);
        // Choice and final states have been reported if they have children; what they contain is
        // left out.
        if matches!(authored.kind(), StateKind::Compound | StateKind::Orthogonal) {
            self.add_regions(index, depth, diagnostics);
        }
        self.register_names(index, diagnostics);
        self.states[index].end = self.states.next_index();
        index
    }

    fn add_regions(&mut self, owner: StateIndex, depth: usize, diagnostics: &mut Diagnostics) {
        let authored = self.states[owner].authored;
        let first = self.regions.next_index();
        self.regions
            .extend(authored.regions.iter().map(|r| RegionNode {
                authored: r,
                owner,
                children: Vec::new(),
            }));
        let regions = IndexRange::new(first, self.regions.next_index());
        self.states[owner].regions = regions.clone();
        for (index, region) in regions.zip(&authored.regions) {
            for child in &region.states {
                if child.muted {
                    self.muted
                        .entry(&child.name.value)
                        .or_insert(child.name.span);
                    continue;
                }
                let child = self.add_state(child, Some(owner), Some(index), depth + 1, diagnostics);
                self.regions[index].children.push(child);
            }
            if self.regions[index].children.is_empty() && !was_reported(authored, diagnostics) {
                diagnostics.push(empty_region(authored, region));
            }
        }
    }

    /// Makes the children and history points of a state findable. Siblings must differ in name, but
    /// for those of different regions (LANG-7).
    fn register_names(&mut self, owner: StateIndex, diagnostics: &mut Diagnostics) {
        let regions = self.states[owner].regions.clone();
        let states = regions
            .flat_map(|r| self.regions[r].children.clone())
            .map(Target::State);
        let points = self.states[owner].histories.clone().map(Target::History);
        let mut folded: HashMap<String, &'a Name> = HashMap::new();
        for node in states.chain(points).collect::<Vec<_>>() {
            let name = self.name_of(node);
            self.by_name.entry(&name.value).or_default().push(node);
            let known = self.children.entry((owner, &name.value)).or_default();
            known.push(node);
            if known.len() == 1 {
                check_case(&mut folded, name, diagnostics);
            } else {
                self.has_namesakes.insert(owner);
            }
        }
        for region in self.states[owner].regions.clone() {
            if let Some(name) = &self.regions[region].authored.name {
                let known = self.region_names.entry(&name.value).or_default();
                known.push(region);
            }
        }
    }

    /// The name of a node as written.
    pub fn name_of(&self, node: Target) -> &'a Name {
        match node {
            Target::State(index) => &self.states[index].authored.name,
            Target::History(index) => &self.histories[index].authored.name,
        }
    }

    /// The state, or the owner of the history point.
    pub fn anchor(&self, node: Target) -> StateIndex {
        match node {
            Target::State(index) => index,
            Target::History(index) => self.histories[index].owner,
        }
    }

    /// Whether `inner` lies strictly inside `outer`.
    pub fn is_inside(&self, inner: StateIndex, outer: StateIndex) -> bool {
        inner > outer && inner < self.states[outer].end
    }

    /// Whether `inner` is `outer` or lies inside it.
    pub fn contains(&self, outer: StateIndex, inner: StateIndex) -> bool {
        inner == outer || self.is_inside(inner, outer)
    }

    /// The states around a state, nearest first, the root last.
    pub fn ancestors(&self, state: StateIndex) -> impl Iterator<Item = StateIndex> + '_ {
        std::iter::successors(self.states[state].parent, |&at| self.states[at].parent)
    }

    /// The direct child of `outer` that is or contains `inner`.
    pub fn child_towards(&self, outer: StateIndex, inner: StateIndex) -> Option<StateIndex> {
        let mut at = inner;
        loop {
            let parent = self.states[at].parent?;
            if parent == outer {
                return Some(at);
            }
            at = parent;
        }
    }

    /// The innermost state that contains both.
    pub fn common_ancestor(&self, a: StateIndex, b: StateIndex) -> StateIndex {
        std::iter::once(a)
            .chain(self.ancestors(a))
            .find(|&at| self.contains(at, b))
            .unwrap_or(StateIndex::ROOT)
    }

    /// Whether two states can be active at the same time, push and pop aside (RAM-5).
    pub fn can_be_active_together(&self, a: StateIndex, b: StateIndex) -> bool {
        let common = self.common_ancestor(a, b);
        if common == a || common == b {
            return true;
        }
        let region = |inner| {
            self.child_towards(common, inner)
                .and_then(|child| self.states[child].region)
        };
        region(a) != region(b)
    }

    /// A region of a state by its name.
    pub fn region_named(&self, state: StateIndex, name: &str) -> Option<RegionIndex> {
        let named = |&r: &RegionIndex| {
            self.regions[r]
                .authored
                .name
                .as_ref()
                .is_some_and(|n| n.value == name)
        };
        self.states[state].regions.clone().find(named)
    }
}
