//! Who can be alive together, by trying it out: states that are active, and states that a push
//! suspended (RAM-5, EXEC-8).

use std::collections::BTreeSet;

use statewright_author::graph::{StackOperation, StateKind};

use super::moves::Move;
use super::tree::{Target, Tree};

/// Pairs of states that can be alive at once.
pub struct Alive {
    /// Pairs of children of one region, smaller first.
    pushed: BTreeSet<(usize, usize)>,
}

impl Alive {
    pub fn new(tree: &Tree<'_>, moves: &[Vec<Move>]) -> Self {
        let mut pushed = BTreeSet::new();
        for region in 0..tree.regions.len() {
            if let Some(depth) = &tree.regions[region].authored.stack_depth {
                Walk {
                    tree,
                    moves,
                    region,
                    depth: depth.value as usize,
                    pushed: &mut pushed,
                }
                .run();
            }
        }
        Self { pushed }
    }

    /// Whether two states can be active at once, pushes aside: one inside the other, or in
    /// different regions of one.
    pub fn active_together(tree: &Tree<'_>, a: usize, b: usize) -> bool {
        match meeting(tree, a, b) {
            None => true,
            Some((a, b)) => tree.states[a].region != tree.states[b].region,
        }
    }

    /// Whether two states can be active or suspended at once.
    pub fn together(&self, tree: &Tree<'_>, a: usize, b: usize) -> bool {
        let pushed = |(a, b): (usize, usize)| self.pushed.contains(&(a.min(b), a.max(b)));
        Self::active_together(tree, a, b) || meeting(tree, a, b).is_some_and(pushed)
    }
}

/// The two different siblings in which two states lie; `None` if one state contains the other.
fn meeting(tree: &Tree<'_>, a: usize, b: usize) -> Option<(usize, usize)> {
    let (mut from_a, mut from_b) = (tree.up(a), tree.up(b));
    // From the root down, as long as the way is the same.
    while from_a.last() == from_b.last() {
        from_a.pop();
        from_b.pop();
        if from_a.is_empty() || from_b.is_empty() {
            return None;
        }
    }
    Some((*from_a.last()?, *from_b.last()?))
}

/// Runs the children of one region: the current child and those in the frames below.
struct Walk<'w, 't> {
    tree: &'w Tree<'t>,
    moves: &'w [Vec<Move>],
    region: usize,
    depth: usize,
    pushed: &'w mut BTreeSet<(usize, usize)>,
}

impl Walk<'_, '_> {
    fn run(&mut self) {
        let children = self.tree.regions[self.region].children.clone();
        // Any child may be the first one.
        let mut open: Vec<(Vec<usize>, usize)> =
            children.iter().map(|&child| (Vec::new(), child)).collect();
        let mut seen: BTreeSet<(Vec<usize>, usize)> = open.iter().cloned().collect();
        while let Some((frames, current)) = open.pop() {
            let alive: Vec<usize> = frames.iter().copied().chain([current]).collect();
            for &a in &alive {
                for &b in &alive {
                    if a < b {
                        self.pushed.insert((a, b));
                    }
                }
            }
            for next in self.next(&frames, current) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }

    /// The child in which a target lies, and further ones that a choice leads to.
    fn children_of(&self, target: Target) -> Option<usize> {
        let owner = self.tree.regions[self.region].owner;
        let inner = self.tree.anchor(target);
        let child = self
            .tree
            .up(inner)
            .into_iter()
            .find(|&at| self.tree.states[at].parent == Some(owner))?;
        (self.tree.states[child].region == Some(self.region)).then_some(child)
    }

    fn next(&self, frames: &[usize], current: usize) -> Vec<(Vec<usize>, usize)> {
        let mut next = Vec::new();
        if self.tree.kind(current) == StateKind::Choice {
            for branch in self.tree.states[current].authored.choice.iter().flatten() {
                let targets = branch
                    .targets
                    .iter()
                    .map(|name| self.tree.find(current, &name.value));
                next.extend(
                    targets
                        .filter_map(|t| self.children_of(t))
                        .map(|child| (frames.to_vec(), child)),
                );
            }
        }
        for m in self.tree.states[current]
            .inside
            .iter()
            .flat_map(|&state| &self.moves[state])
        {
            match m.stack {
                Some((StackOperation::Push, region)) if region == self.region => {
                    if frames.len() < self.depth
                        && let Some(child) = self.children_of(m.targets[0])
                    {
                        next.push(([frames, &[current]].concat(), child));
                    }
                }
                Some((StackOperation::Pop, region)) if region == self.region => {
                    if let Some((&top, rest)) = frames.split_last() {
                        next.push((rest.to_vec(), top));
                    }
                }
                // Inside the child, or it leaves the region and all frames with it: then any child
                // may be next.
                _ => {
                    let children: Option<Vec<usize>> =
                        m.targets.iter().map(|&t| self.children_of(t)).collect();
                    if let Some(children) = children {
                        next.extend(children.into_iter().map(|child| (frames.to_vec(), child)));
                    }
                }
            }
        }
        next
    }
}
