//! A second, plain view of the author graph: states, regions and history points with their numbers,
//! and what names mean. Shares nothing with the compiler, so that each can be held against the
//! other.

use std::collections::BTreeSet;

use statewright_author::graph::{HistoryPoint, Machine, Region, State, StateKind, Timer};

/// A state.
pub struct StateNode<'a> {
    pub authored: &'a State,
    pub parent: Option<usize>,
    pub region: Option<usize>,
    pub regions: Vec<usize>,
    pub points: Vec<usize>,
    /// Itself and everything inside.
    pub inside: BTreeSet<usize>,
    pub path: String,
}

/// A region.
pub struct RegionNode<'a> {
    pub authored: &'a Region,
    pub owner: usize,
    pub children: Vec<usize>,
}

/// A history point.
pub struct PointNode<'a> {
    pub authored: &'a HistoryPoint,
    pub owner: usize,
}

/// What a transition can lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    State(usize),
    Point(usize),
}

/// A machine without what is muted.
pub struct Tree<'a> {
    pub machine: &'a Machine,
    pub states: Vec<StateNode<'a>>,
    pub regions: Vec<RegionNode<'a>>,
    pub points: Vec<PointNode<'a>>,
}

impl<'a> Tree<'a> {
    pub fn new(machine: &'a Machine) -> Self {
        let mut tree = Self {
            machine,
            states: Vec::new(),
            regions: Vec::new(),
            points: Vec::new(),
        };
        tree.add(&machine.root, None, None);
        tree
    }

    fn add(&mut self, authored: &'a State, parent: Option<usize>, region: Option<usize>) -> usize {
        let index = self.states.len();
        let path = match parent {
            None => "root".to_owned(),
            Some(0) => authored.name.value.clone(),
            Some(parent) => format!("{}/{}", self.states[parent].path, authored.name.value),
        };
        let points = self.points.len()..self.points.len() + authored.history.len();
        self.points
            .extend(authored.history.iter().map(|point| PointNode {
                authored: point,
                owner: index,
            }));
        let regions = self.regions.len()..self.regions.len() + authored.regions.len();
        for region in &authored.regions {
            self.regions.push(RegionNode {
                authored: region,
                owner: index,
                children: Vec::new(),
            });
        }
        self.states.push(StateNode {
            authored,
            parent,
            region,
            regions: regions.clone().collect(),
            points: points.collect(),
            inside: BTreeSet::new(),
            path,
        });
        for (region, written) in regions.zip(&authored.regions) {
            for child in written.states.iter().filter(|child| !child.muted) {
                let child = self.add(child, Some(index), Some(region));
                self.regions[region].children.push(child);
            }
        }
        self.states[index].inside = (index..self.states.len()).collect();
        index
    }

    pub fn kind(&self, state: usize) -> StateKind {
        self.states[state].authored.kind()
    }

    /// Whether it can be the active leaf of a region.
    pub fn is_leaf(&self, state: usize) -> bool {
        matches!(self.kind(state), StateKind::Atomic | StateKind::Final)
    }

    /// A state and those around it, the root last.
    pub fn up(&self, state: usize) -> Vec<usize> {
        let mut way = vec![state];
        while let Some(parent) = self.states[way[way.len() - 1]].parent {
            way.push(parent);
        }
        way
    }

    pub fn is_strictly_inside(&self, inner: usize, outer: usize) -> bool {
        inner != outer && self.states[outer].inside.contains(&inner)
    }

    /// The state that a target stands at.
    pub fn anchor(&self, target: Target) -> usize {
        match target {
            Target::State(state) => state,
            Target::Point(point) => self.points[point].owner,
        }
    }

    /// The region of `owner` in which a state lies.
    pub fn region_towards(&self, owner: usize, inner: usize) -> Option<usize> {
        self.up(inner)
            .into_iter()
            .find(|&at| self.states[at].parent == Some(owner))
            .and_then(|at| self.states[at].region)
    }

    pub fn target_path(&self, target: Target) -> String {
        match target {
            Target::State(state) => self.states[state].path.clone(),
            Target::Point(point) => {
                let PointNode { authored, owner } = &self.points[point];
                match owner {
                    0 => authored.name.value.clone(),
                    owner => format!("{}/{}", self.states[*owner].path, authored.name.value),
                }
            }
        }
    }

    /// What a name means in a state: a child of it, of the state around it, and so on outward; else
    /// the only one anywhere.
    pub fn find(&self, from: usize, name: &str) -> Target {
        let root_is_free = self
            .states
            .iter()
            .skip(1)
            .all(|state| state.authored.name.value != "root")
            && self
                .points
                .iter()
                .all(|point| point.authored.name.value != "root");
        if name == "root" && root_is_free {
            return Target::State(0);
        }
        let parts: Vec<&str> = name.split('/').collect();
        if let ["", rest @ ..] = &parts[..] {
            return self
                .follow(0, rest)
                .expect("an absolute path leads somewhere");
        }
        if let Some(found) = self
            .up(from)
            .into_iter()
            .find_map(|at| self.follow(at, &parts))
        {
            return found;
        }
        let everywhere: Vec<Target> = (0..self.states.len())
            .filter_map(|at| self.follow_directly(at, &parts))
            .collect();
        assert_eq!(everywhere.len(), 1, "{name} in {}", self.states[from].path);
        everywhere[0]
    }

    /// A path downward; names of regions may stand before a child.
    fn follow(&self, from: usize, parts: &[&str]) -> Option<Target> {
        let [first, rest @ ..] = parts else {
            return None;
        };
        let child = self.child(from, first);
        match (child, rest) {
            (Some(child), []) => Some(child),
            (Some(Target::State(child)), rest) => self.follow(child, rest),
            (Some(Target::Point(_)), _) => None,
            (None, []) => None,
            (None, rest) => {
                let has = |&&r: &&usize| {
                    self.regions[r]
                        .authored
                        .name
                        .as_ref()
                        .is_some_and(|n| n.value == *first)
                };
                self.states[from]
                    .regions
                    .iter()
                    .find(has)
                    .and_then(|_| self.follow(from, rest))
            }
        }
    }

    /// The same, where the first part is the child itself.
    fn follow_directly(&self, from: usize, parts: &[&str]) -> Option<Target> {
        self.child(from, parts[0])?;
        self.follow(from, parts)
    }

    fn child(&self, state: usize, name: &str) -> Option<Target> {
        let node = &self.states[state];
        let mut children = node
            .regions
            .iter()
            .flat_map(|&region| &self.regions[region].children);
        let child = children.find(|&&child| self.states[child].authored.name.value == name);
        let point = || {
            node.points
                .iter()
                .find(|&&point| self.points[point].authored.name.value == name)
        };
        child
            .map(|&child| Target::State(child))
            .or_else(|| point().map(|&point| Target::Point(point)))
    }

    /// The timer that a name means in a state, and who owns it; `None` is the machine.
    pub fn timer(&self, from: usize, name: &str) -> (Option<usize>, &'a Timer) {
        for at in self.up(from) {
            if let Some(timer) = self.states[at]
                .authored
                .timers
                .iter()
                .find(|timer| timer.name.value == name)
            {
                return (Some(at), timer);
            }
        }
        let of_machine = self
            .machine
            .timers
            .iter()
            .find(|timer| timer.name.value == name);
        (None, of_machine.expect("a timer that is used is declared"))
    }

    /// Where default entry of a region leads.
    pub fn initial(&self, region: usize) -> Vec<Target> {
        let RegionNode {
            authored,
            owner,
            children,
        } = &self.regions[region];
        match &authored.initial {
            Some(initial) if !initial.targets.is_empty() => self.in_order(
                initial
                    .targets
                    .iter()
                    .map(|name| self.find(*owner, &name.value))
                    .collect(),
            ),
            _ => vec![Target::State(children[0])],
        }
    }

    /// Targets in the order of the tree.
    pub fn in_order(&self, mut targets: Vec<Target>) -> Vec<Target> {
        targets.sort_by_key(|&target| self.anchor(target));
        targets
    }

    pub fn event(&self, name: &str) -> usize {
        self.machine
            .events
            .iter()
            .position(|event| event.name.value == name)
            .expect("a declared event")
    }

    pub fn tick_rate(&self) -> u32 {
        self.machine
            .tick_rate
            .as_ref()
            .map_or(60, |rate| rate.value)
    }
}
