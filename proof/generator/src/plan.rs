//! The tree of a machine before it has any behavior: states in pre-order, and what each of them may
//! still spend.
//!
//! An instance has few leaves, timers and slots (RAM-2). Budgets are handed down while the tree
//! grows: children of one region get the same places, regions of an orthogonal state share them
//! out, and so do children that a push keeps alive together (RAM-5, EXEC-8). What is generated
//! later only spends what it was given, so the machine fits.

use statewright_author::graph::{Scratch, StateKind, Timer};

use crate::extra::Extra;
use crate::rng::Rng;
use crate::size::Size;
use crate::words::Words;

/// A state.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name; empty for the root.
    pub name: String,
    /// What it is.
    pub kind: StateKind,
    /// The state around it.
    pub parent: Option<usize>,
    /// Which region of the parent it is in.
    pub region: usize,
    /// Its own regions.
    pub regions: Vec<RegionPlan>,
    /// One past its last descendant.
    pub end: usize,
    /// Its history points, by place in [`Plan::points`].
    pub points: Vec<usize>,
    /// A child that pushes go to, and its rank among those of its region: it leads only to itself
    /// and to higher ones.
    pub overlay: Option<u32>,
    /// Leaves that it and what is inside use (RAM-4).
    pub leaves: u32,
    /// Timers that it may still use.
    pub timers: u32,
    /// Slots that it may still use.
    pub slots: u32,
    /// Timers that its any-state transitions may still use, in each child.
    pub any_timers: u32,
    /// It has a clock.
    pub clock: bool,
    /// It has an activity.
    pub activity: bool,
    /// Transitions may use the result of the activity.
    pub result: bool,
    /// It has a slot for a latched transition.
    pub latch: bool,
    /// Names of its timers.
    pub named_timers: Vec<Timer>,
    /// Scratch that expressions use (LANG-8).
    pub scratch: Vec<Scratch>,
}

/// A region.
#[derive(Clone, Debug, Default)]
pub struct RegionPlan {
    /// Its name; only the region of a compound has none.
    pub name: Option<String>,
    /// Its states.
    pub children: Vec<usize>,
    /// Depth of its stack.
    pub stack: Option<u32>,
}

/// A history point.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// The state that has it.
    pub owner: usize,
    /// Deep or shallow.
    pub deep: bool,
}

/// Something that a transition can lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A state.
    State(usize),
    /// A history point.
    Point(usize),
}

/// The tree.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// States in pre-order; 0 is the root.
    pub nodes: Vec<Node>,
    /// History points.
    pub points: Vec<Point>,
    /// Slots left for what lives as long as the machine.
    pub lasting_slots: u32,
    /// Orthogonal states may have a single region, as in SCXML.
    pub allows_one_region: bool,
    /// What it has beside what chance grows.
    pub extra: Option<(Extra, usize)>,
}

/// What a state and everything inside it may use.
#[derive(Clone, Copy, Debug)]
struct Budget {
    leaves: u32,
    timers: u32,
    slots: u32,
    results: u32,
}

/// Result cells that two slots hold (RAM-7).
const RESULT_CELLS: u32 = 16;
const RESULT_SLOTS: u32 = 2;

struct Grower<'r> {
    rng: &'r mut Rng,
    size: Size,
    words: Words,
    plan: Plan,
    /// States that may still be added.
    left: u32,
}

impl Node {
    /// One that spends nothing, the last of the plan so far, in a region of another one.
    pub fn new(index: usize, name: String, kind: StateKind, place: Option<(usize, usize)>) -> Self {
        Self {
            name,
            kind,
            parent: place.map(|(parent, _)| parent),
            region: place.map_or(0, |(_, region)| region),
            regions: Vec::new(),
            end: index + 1,
            points: Vec::new(),
            overlay: None,
            leaves: 1,
            timers: 0,
            slots: 0,
            any_timers: 0,
            clock: false,
            activity: false,
            result: false,
            latch: false,
            named_timers: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl Plan {
    /// Grows a tree. `machine_timers` places are already taken.
    pub fn grow(rng: &mut Rng, size: Size, machine_timers: u32, extra: Option<Extra>) -> Self {
        let lasting_slots = rng.between(0, size.slots.saturating_sub(RESULT_SLOTS) * 2 / 3);
        let budget = Budget {
            leaves: size.leaves,
            timers: size.timers.saturating_sub(machine_timers),
            slots: size.slots.saturating_sub(RESULT_SLOTS + lasting_slots),
            results: RESULT_CELLS,
        };
        let words = Words::new(rng);
        let left = rng.between(1, size.states);
        let plan = Self {
            lasting_slots,
            allows_one_region: rng.chance(20),
            ..Self::default()
        };
        let mut grower = Grower {
            rng,
            size,
            words,
            plan,
            left,
        };
        let orthogonal = left >= 4 && grower.rng.chance(10);
        grower.state(
            None,
            0,
            budget,
            if orthogonal {
                StateKind::Orthogonal
            } else {
                StateKind::Compound
            },
            None,
        );
        if let Some(extra) = extra {
            grower.plan.add_extra(grower.rng, size, extra);
        }
        grower.add_points();
        grower.plan
    }

    /// Whether `inner` is `outer` or inside it.
    pub fn contains(&self, outer: usize, inner: usize) -> bool {
        outer <= inner && inner < self.nodes[outer].end
    }

    /// A state and the states around it, nearest first.
    pub fn up(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(state), |&at| self.nodes[at].parent)
    }

    /// The child of `outer` that is or contains `inner`.
    pub fn child_towards(&self, outer: usize, inner: usize) -> Option<usize> {
        self.up(inner)
            .find(|&at| self.nodes[at].parent == Some(outer))
    }

    /// The state, or the owner of the history point.
    pub fn anchor(&self, target: Target) -> usize {
        match target {
            Target::State(state) => state,
            Target::Point(point) => self.points[point].owner,
        }
    }

    /// The region that a state is a child of.
    pub fn region_of(&self, state: usize) -> Option<&RegionPlan> {
        self.nodes[state]
            .parent
            .map(|parent| &self.nodes[parent].regions[self.nodes[state].region])
    }

    /// Whether a state can be active: not a choice.
    pub fn is_active_kind(&self, state: usize) -> bool {
        self.nodes[state].kind != StateKind::Choice
    }

    /// Whether a transition may lead from one state to another without suspending something twice
    /// (EXEC-8): what runs above a frame never leads back to what may be in the frame.
    pub fn may_lead(&self, source: usize, anchor: usize) -> bool {
        self.up(source).all(|at| {
            let Some(rank) = self.nodes[at].overlay else {
                return true;
            };
            let Some(owner) = self.nodes[at].parent else {
                return true;
            };
            match self.child_towards(owner, anchor) {
                Some(other) if self.nodes[other].region == self.nodes[at].region => {
                    self.nodes[other].overlay.is_some_and(|other| other >= rank)
                }
                _ => true,
            }
        })
    }
}

impl Grower<'_> {
    fn state(
        &mut self,
        place: Option<(usize, usize)>,
        depth: u32,
        budget: Budget,
        kind: StateKind,
        overlay: Option<u32>,
    ) -> usize {
        let index = self.plan.nodes.len();
        let name = place.map_or(String::new(), |place| self.sibling_name(place));
        let mut node = Node {
            overlay,
            ..Node::new(index, name, kind, place)
        };
        let budget = self.allot(&mut node, budget);
        self.plan.nodes.push(node);
        match kind {
            StateKind::Compound => self.regions(index, depth, budget, 1),
            StateKind::Orthogonal => {
                let most = self.size.regions.min(budget.leaves);
                let is_one = self.plan.allows_one_region && (most < 2 || self.rng.chance(50));
                let count = if is_one { 1 } else { self.rng.between(2, most) };
                self.regions(index, depth, budget, count);
            }
            _ => {}
        }
        self.plan.nodes[index].end = self.plan.nodes.len();
        index
    }

    /// What the state itself may use; returns the rest.
    fn allot(&mut self, node: &mut Node, mut budget: Budget) -> Budget {
        let active = matches!(
            node.kind,
            StateKind::Atomic | StateKind::Compound | StateKind::Orthogonal
        );
        if !active {
            return budget;
        }
        let composite = node.kind != StateKind::Atomic;
        if budget.timers > 0 && self.rng.chance(self.size.rare) {
            node.clock = true;
            budget.timers -= 1;
        }
        let most = if composite {
            budget.timers.min(2)
        } else {
            budget.timers.min(3)
        };
        node.timers = if self.rng.chance(50) {
            self.rng.between(0, most)
        } else {
            0
        };
        budget.timers -= node.timers;
        node.slots = if self.rng.chance(30) {
            self.rng.between(0, budget.slots.min(3))
        } else {
            0
        };
        budget.slots -= node.slots;
        // A wish: each group of children must be able to pay for it.
        node.any_timers = u32::from(composite && self.rng.chance(self.size.rare));
        node.activity = self.rng.chance(30);
        if node.activity && budget.results > 0 && self.rng.chance(60) {
            node.result = true;
            budget.results -= 1;
        }
        budget
    }

    fn regions(&mut self, owner: usize, depth: u32, budget: Budget, count: u32) {
        let leaves = self.split(budget.leaves, count, 1);
        let timers = self.split(budget.timers, count, 0);
        let slots = self.split(budget.slots, count, 0);
        let results = self.split(budget.results, count, 0);
        let mut used: Vec<String> = Vec::new();
        for region in 0..count as usize {
            let is_named = self.plan.nodes[owner].kind == StateKind::Orthogonal;
            let name = is_named.then(|| self.words.region(self.rng, &mut used));
            self.plan.nodes[owner].regions.push(RegionPlan {
                name,
                ..RegionPlan::default()
            });
            let share = Budget {
                leaves: leaves[region],
                timers: timers[region],
                slots: slots[region],
                results: results[region],
            };
            self.children(owner, region, depth, share);
        }
    }

    /// Shares that add up to the whole, each at least `least`.
    fn split(&mut self, whole: u32, parts: u32, least: u32) -> Vec<u32> {
        let mut shares = vec![least; parts as usize];
        for _ in 0..whole.saturating_sub(least * parts) {
            let at = self.rng.below(parts) as usize;
            shares[at] += 1;
        }
        shares
    }

    /// Shares of timers, less what an any-state transition of the owner takes in each child.
    fn split_for_any(&mut self, owner: usize, whole: u32, groups: u32) -> Vec<u32> {
        let mut shares = self.split(whole, groups, 0);
        let node = &mut self.plan.nodes[owner];
        if shares.contains(&0) {
            node.any_timers = 0;
        }
        shares
            .iter_mut()
            .for_each(|share| *share -= node.any_timers);
        shares
    }

    fn children(&mut self, owner: usize, region: usize, depth: u32, budget: Budget) {
        let most = if depth == 0 {
            (self.left / 3).max(4)
        } else {
            5
        };
        let normal = self.rng.between(1, self.left.min(most).max(1));
        let overlays = self.stack(owner, region, budget);
        // Children that may be alive together get places of their own; the others share.
        let groups = 1 + overlays;
        let timers = self.split_for_any(owner, budget.timers, groups);
        let slots = self.split(budget.slots, groups, 0);
        let results = self.split(budget.results, groups, 0);
        for child in 0..normal + overlays {
            let overlay = child.checked_sub(normal);
            let group = overlay.map_or(0, |rank| rank as usize + 1);
            let share = Budget {
                leaves: budget.leaves,
                timers: timers[group],
                slots: slots[group],
                results: results[group],
            };
            let kind = match overlay {
                Some(_) => self.overlay_kind(depth + 1, share),
                None => self.kind(depth + 1, share, child == 0),
            };
            self.left = self.left.saturating_sub(1);
            let index = self.state(Some((owner, region)), depth + 1, share, kind, overlay);
            self.plan.nodes[owner].regions[region].children.push(index);
        }
    }

    /// Maybe gives a region a stack; returns how many children pushes may go to.
    fn stack(&mut self, owner: usize, region: usize, budget: Budget) -> u32 {
        let depth = self.rng.between(1, 2);
        let price = depth * (budget.leaves + 1);
        if self.plan.lasting_slots < price || !self.rng.chance(self.size.rare) {
            return 0;
        }
        self.plan.lasting_slots -= price;
        self.plan.nodes[owner].regions[region].stack = Some(depth);
        self.rng.between(1, 2)
    }

    /// What pushes go to often has something inside to remember: a pop records no history (EXEC-8).
    fn overlay_kind(&mut self, depth: u32, budget: Budget) -> StateKind {
        if depth < self.size.depth && self.rng.chance(50) {
            self.left = self.left.max(4);
            return StateKind::Compound;
        }
        self.kind(depth, budget, true)
    }

    fn kind(&mut self, depth: u32, budget: Budget, plain: bool) -> StateKind {
        let inner = if depth < self.size.depth && self.left > 1 {
            25
        } else {
            0
        };
        let splits = self.plan.allows_one_region || (self.left > 3 && budget.leaves > 1);
        let orthogonal = if inner > 0 && splits { 20 } else { 0 };
        let end = if plain { 0 } else { 10 };
        match self.rng.weighted(&[45, inner, orthogonal, end, end]) {
            1 => StateKind::Compound,
            2 => StateKind::Orthogonal,
            3 => StateKind::Final,
            4 => StateKind::Choice,
            _ => StateKind::Atomic,
        }
    }

    /// The name of a child: now and then one that a child of another region has (LANG-7).
    fn sibling_name(&mut self, (parent, region): (usize, usize)) -> String {
        let node = &self.plan.nodes[parent];
        let names = |regions: &[RegionPlan]| -> Vec<String> {
            let children = regions.iter().flat_map(|region| &region.children);
            children
                .map(|&child| self.plan.nodes[child].name.clone())
                .collect()
        };
        let mut beside = names(&node.regions[..region.min(node.regions.len())]);
        let own = names(node.regions.get(region..).unwrap_or_default());
        beside.retain(|name| !own.contains(name));
        if !beside.is_empty() && self.rng.chance(30) {
            let names: Vec<&str> = beside.iter().map(String::as_str).collect();
            return self.rng.one(&names).to_owned();
        }
        self.fresh_name(parent)
    }

    /// A name that no child and no history point of the parent has.
    fn fresh_name(&mut self, parent: usize) -> String {
        let node = &self.plan.nodes[parent];
        let children = node.regions.iter().flat_map(|region| &region.children);
        let mut used: Vec<&str> = children
            .map(|&child| self.plan.nodes[child].name.as_str())
            .collect();
        used.extend(
            node.points
                .iter()
                .map(|&point| self.plan.points[point].name.as_str()),
        );
        self.words.state(self.rng, &used)
    }

    /// History points, as long as there are slots (RAM-7).
    fn add_points(&mut self) {
        for state in (0..self.plan.nodes.len()).rev() {
            let node = &self.plan.nodes[state];
            if node.regions.is_empty() {
                continue;
            }
            let region = |region: &RegionPlan| {
                region
                    .children
                    .iter()
                    .map(|&child| self.plan.nodes[child].leaves)
                    .max()
            };
            let leaves = node.regions.iter().map(|r| region(r).unwrap_or(1)).sum();
            self.plan.nodes[state].leaves = leaves;
        }
        // Those that are pushed to come first: few slots are left beside a stack.
        for state in 0..self.plan.nodes.len() {
            if self.plan.nodes[state].overlay.is_some() {
                self.add_point(state, 80);
            }
        }
        for state in 0..self.plan.nodes.len() {
            for _ in 0..2 {
                self.add_point(state, self.size.rare);
            }
        }
    }

    fn add_point(&mut self, owner: usize, percent: u32) {
        let deep = self.rng.chance(50);
        let node = &self.plan.nodes[owner];
        let price = if deep {
            node.leaves
        } else {
            node.regions.len() as u32
        };
        if node.regions.is_empty() || price > self.plan.lasting_slots || !self.rng.chance(percent) {
            return;
        }
        self.plan.lasting_slots -= price;
        let name = self.fresh_name(owner);
        self.plan.nodes[owner].points.push(self.plan.points.len());
        self.plan.points.push(Point { name, owner, deep });
    }
}
