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
            Some(parent) => {
                let (around, region) = (&self.states[parent], region.expect("a child"));
                let own = &authored.name.value;
                let names = |r: &'a Region| -> BTreeSet<&'a str> {
                    let live = r.states.iter().filter(|s| !s.muted);
                    live.map(|s| s.name.value.as_str()).collect()
                };
                let regions = &around.authored.regions;
                let count = |name: &str| regions.iter().filter(|r| names(r).contains(name)).count();
                let any = regions.iter().flat_map(names).any(|name| count(name) > 1);
                let mut called = regions.iter().filter_map(|r| r.name.as_ref());
                let is_region = called.any(|name| name.value == *own);
                let several = count(own) > 1 || any && is_region;
                let before = self.regions[region].authored.name.as_ref();
                let before = before.filter(|_| several).map(|name| name.value.as_str());
                let outer = Some(around.path.as_str()).filter(|_| parent != 0);
                let all = outer.into_iter().chain(before).chain([own.as_str()]);
                all.collect::<Vec<_>>().join("/")
            }
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
        if let Some(path) = name.strip_prefix('/') {
            let found = self.one_of(&self.follow(0, None, path));
            return found.expect("an absolute path leads somewhere");
        }
        for at in self.up(from) {
            let beside = self.states[at]
                .parent
                .map(|parent| (parent, self.states[at].region));
            for (scope, region) in [(at, None)].into_iter().chain(beside) {
                if let Some(found) = self.one_of(&self.follow(scope, region, name)) {
                    return found;
                }
            }
        }
        let everywhere = (0..self.states.len()).flat_map(|at| self.follow(at, None, name));
        let everywhere: BTreeSet<Target> = everywhere.map(|(target, _)| target).collect();
        assert_eq!(everywhere.len(), 1, "{name} in {}", self.states[from].path);
        everywhere.into_iter().next().expect("one")
    }

    /// What a name means in a region: a child of it, or what it means in the state that has it.
    pub fn find_in_region(&self, region: usize, name: &str) -> Target {
        let owner = self.regions[region].owner;
        let inside = self.one_of(&self.follow(owner, Some(region), name));
        inside.unwrap_or_else(|| self.find(owner, name))
    }

    /// The only one, or the only one on whose way every region is named (LANG-7).
    fn one_of(&self, found: &[(Target, bool)]) -> Option<Target> {
        let all: BTreeSet<Target> = found.iter().map(|(target, _)| *target).collect();
        let full = found.iter().filter(|(_, is_full)| *is_full);
        let full: BTreeSet<Target> = full.map(|(target, _)| *target).collect();
        match (all.len(), full.len()) {
            (0, _) => None,
            (1, _) => all.into_iter().next(),
            (_, 1) => full.into_iter().next(),
            _ => panic!("not unique"),
        }
    }

    /// All ways downward; names of regions may stand before a child.
    fn follow(&self, from: usize, only: Option<usize>, path: &str) -> Vec<(Target, bool)> {
        let parts: Vec<&str> = path.splitn(2, '/').collect();
        let node = &self.states[from];
        let mut found = Vec::new();
        for &region in node
            .regions
            .iter()
            .filter(|r| only.is_none_or(|o| o == **r))
        {
            let name = self.regions[region]
                .authored
                .name
                .as_ref()
                .map(|n| n.value.as_str());
            let named = only.is_some() || name.is_none();
            for &child in &self.regions[region].children {
                if self.states[child].authored.name.value != parts[0] {
                    continue;
                }
                let below = match parts.get(1) {
                    None => vec![(Target::State(child), true)],
                    Some(rest) => self.follow(child, None, rest),
                };
                found.extend(below.into_iter().map(|(t, full)| (t, full && named)));
            }
            if only.is_none() && name == Some(parts[0]) && parts.len() == 2 {
                found.extend(self.follow(from, Some(region), parts[1]));
            }
        }
        let points = node
            .points
            .iter()
            .filter(|_| only.is_none() && parts.len() == 1);
        let named = points.filter(|&&p| self.points[p].authored.name.value == parts[0]);
        found.extend(named.map(|&point| (Target::Point(point), true)));
        found
    }

    /// Whether a list of any-state transitions means a child.
    pub fn is_listed(&self, child: usize, list: &[statewright_author::span::Name]) -> bool {
        let node = &self.states[child];
        let own = &node.authored.name.value;
        let region = node
            .region
            .and_then(|r| self.regions[r].authored.name.as_ref());
        let long = region.map(|region| format!("{}/{own}", region.value));
        let names = |name: &str| name == own || Some(name) == long.as_deref();
        list.iter().any(|name| names(&name.value))
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
            authored, children, ..
        } = &self.regions[region];
        match &authored.initial {
            Some(initial) if !initial.targets.is_empty() => self.in_order(
                initial
                    .targets
                    .iter()
                    .map(|name| self.find_in_region(region, &name.value))
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
