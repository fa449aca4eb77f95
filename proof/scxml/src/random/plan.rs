//! The tree of a document before it does anything.

use super::Limits;
use super::rng::Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `scxml` or `state`.
    State,
    Parallel,
    Final,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub id: String,
    pub kind: Kind,
    pub parent: usize,
    pub children: Vec<usize>,
    pub histories: Vec<History>,
}

#[derive(Clone, Debug)]
pub(super) struct History {
    pub id: String,
    pub deep: bool,
}

/// The states in document order; 0 is the document.
pub(super) struct Plan {
    pub nodes: Vec<Node>,
    depth: usize,
    dotted_ids: usize,
}

/// What a state may spend on itself and what is inside.
#[derive(Clone, Copy)]
struct Budget {
    states: usize,
    leaves: usize,
    level: usize,
    /// A compound state gets a final child.
    wants_final: bool,
}

impl Plan {
    pub fn new(rng: &mut Rng, limits: &Limits) -> Self {
        let root = Node::new("scxml".into(), Kind::State, 0);
        let mut plan = Plan {
            nodes: vec![root],
            depth: limits.depth.max(1),
            dotted_ids: limits.dotted_ids,
        };
        let few = limits.leaves.min(4);
        let leaves = if rng.chance(75) {
            few
        } else {
            rng.between(few, limits.leaves)
        }
        .max(1);
        let least = if leaves > 4 { limits.states / 2 } else { 4 };
        let states = rng.between(limits.states.min(least), limits.states).max(1);
        let wants_final = rng.chance(10);
        plan.children(
            rng,
            0,
            Budget {
                states: states + 1,
                leaves,
                level: 0,
                wants_final,
            },
        );
        plan.histories(rng);
        plan
    }

    fn grow(&mut self, rng: &mut Rng, parent: usize, budget: Budget) {
        let inside = budget.states - 1;
        let is_leaf = inside == 0 || budget.level == self.depth;
        let splits = inside >= 2
            && budget.leaves >= 2
            && rng.chance(if budget.leaves > 4 { 95 } else { 40 });
        let in_parallel = self.nodes[parent].kind == Kind::Parallel;
        let is_alone = !is_leaf && !splits && rng.chance(15);
        let kind = match (is_leaf, splits || is_alone) {
            (true, _)
                if !in_parallel
                    && parent != 0
                    && !self.nodes[parent].children.is_empty()
                    && rng.chance(20) =>
            {
                Kind::Final
            }
            (false, true) => Kind::Parallel,
            _ => Kind::State,
        };
        let at = self.add(rng, parent, kind);
        match (is_leaf, kind) {
            (true, _) => {}
            (false, Kind::Parallel) => {
                let count = if is_alone {
                    1
                } else {
                    rng.between(2, 3).min(inside).min(budget.leaves)
                };
                self.regions(rng, at, budget, count);
            }
            (false, _) => {
                let wants_final = budget.wants_final || rng.chance(20);
                self.children(
                    rng,
                    at,
                    Budget {
                        wants_final,
                        ..budget
                    },
                );
            }
        }
    }

    fn children(&mut self, rng: &mut Rng, parent: usize, budget: Budget) {
        let last_is_final = budget.wants_final && budget.states > 2;
        let inside = budget.states - 1 - usize::from(last_is_final);
        let most = if budget.leaves > 4 { 2 } else { 4 };
        let count = rng.one(&[1, 2, 2, 2, 3, 3, 4]).min(most).min(inside).max(1);
        for states in shares(rng, inside, count) {
            self.grow(
                rng,
                parent,
                Budget {
                    states,
                    level: budget.level + 1,
                    wants_final: false,
                    ..budget
                },
            );
        }
        if last_is_final {
            self.add(rng, parent, Kind::Final);
        }
    }

    fn regions(&mut self, rng: &mut Rng, parent: usize, budget: Budget, count: usize) {
        let wants_final = budget.wants_final || rng.chance(70);
        let leaves = shares(rng, budget.leaves, count);
        let least = if wants_final && budget.states > 3 * count {
            3
        } else {
            1
        };
        for (states, leaves) in shares_of(rng, budget.states - 1, count, least)
            .into_iter()
            .zip(leaves)
        {
            self.grow(
                rng,
                parent,
                Budget {
                    states,
                    leaves,
                    level: budget.level + 1,
                    wants_final,
                },
            );
        }
    }

    fn add(&mut self, rng: &mut Rng, parent: usize, kind: Kind) -> usize {
        let at = self.nodes.len();
        let letter = match kind {
            Kind::State => "s",
            Kind::Parallel => "p",
            Kind::Final => "f",
        };
        let dotted = parent != 0 && rng.chance(self.dotted_ids);
        let id = if dotted {
            format!("{}.{letter}{at}", self.nodes[parent].id)
        } else {
            format!("{letter}{at}")
        };
        self.nodes.push(Node::new(id, kind, parent));
        self.nodes[parent].children.push(at);
        at
    }

    fn histories(&mut self, rng: &mut Rng) {
        for at in 1..self.nodes.len() {
            let in_parallel = self.nodes[self.nodes[at].parent].kind == Kind::Parallel;
            let none = if in_parallel { 30 } else { 60 };
            let count = if self.nodes[at].children.is_empty() {
                0
            } else {
                rng.weighted(&[none, 30, 10])
            };
            let first_deep = rng.chance(50);
            for number in 0..count {
                let (id, deep) = (
                    format!("h{at}{}", ["a", "b"][number]),
                    first_deep ^ (number == 1),
                );
                self.nodes[at].histories.push(History { id, deep });
            }
        }
    }

    /// Whether a done event of this state can come about.
    pub fn can_be_done(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        match node.kind {
            Kind::State => {
                at != 0
                    && node
                        .children
                        .iter()
                        .any(|&child| self.nodes[child].kind == Kind::Final)
            }
            Kind::Parallel => node.children.iter().all(|&child| self.can_be_done(child)),
            Kind::Final => false,
        }
    }

    /// States around a state, without the document.
    pub fn ancestors(&self, at: usize) -> Vec<usize> {
        let mut ancestors = Vec::new();
        let mut parent = self.nodes[at].parent;
        while parent != 0 {
            ancestors.push(parent);
            parent = self.nodes[parent].parent;
        }
        ancestors
    }
}

impl Node {
    fn new(id: String, kind: Kind, parent: usize) -> Self {
        Node {
            id,
            kind,
            parent,
            children: Vec::new(),
            histories: Vec::new(),
        }
    }
}

/// A number as the sum of so many, each at least 1.
fn shares(rng: &mut Rng, whole: usize, count: usize) -> Vec<usize> {
    shares_of(rng, whole, count, 1)
}

/// A number as the sum of so many, each at least `least`.
fn shares_of(rng: &mut Rng, whole: usize, count: usize, least: usize) -> Vec<usize> {
    let mut shares = vec![least; count];
    for _ in count * least..whole {
        shares[rng.below(count)] += 1;
    }
    shares
}
