//! The states of a part by their names, looked up as everywhere (NAME-1), with the part's root as
//! the outermost state.

use crate::graph::{Machine, State};

/// The states of a part in pre-order, and what is found by name in each.
#[derive(Debug, Default)]
pub(super) struct PartTree {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    name: String,
    /// Segments of its path from the part's root; named regions are among them.
    path: Vec<String>,
    parent: Option<usize>,
    /// Left out of the compiled machine, by itself or by a state around it.
    muted: bool,
    /// Regions with names, and the children of all.
    regions: Vec<(Option<String>, Vec<usize>)>,
    points: Vec<String>,
    timers: Vec<String>,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// This path from the part's root; empty for the root itself.
    Path(Vec<String>),
    /// Nothing.
    Nothing,
    /// Several states, with their paths.
    Several(Vec<String>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target<'t> {
    State(usize),
    Point(usize, &'t str),
}

impl PartTree {
    pub(super) fn new(machine: &Machine) -> Self {
        let mut tree = Self::default();
        tree.add(&machine.root, None, &[], false);
        tree
    }

    fn add(&mut self, state: &State, parent: Option<usize>, path: &[String], muted: bool) -> usize {
        let at = self.nodes.len();
        let muted = muted || state.muted;
        let texts = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect();
        self.nodes.push(Node {
            name: state.name.value.clone(),
            path: path.to_vec(),
            parent,
            muted,
            regions: Vec::new(),
            points: texts(&mut state.history.iter().map(|point| &point.name.value)),
            timers: texts(&mut state.timers.iter().map(|timer| &timer.name.value)),
        });
        for region in &state.regions {
            let name = region.name.as_ref().map(|name| name.value.clone());
            let mut children = Vec::new();
            for child in &region.states {
                let mut path = path.to_vec();
                path.extend(name.clone());
                path.push(child.name.value.clone());
                children.push(self.add(child, Some(at), &path, muted));
            }
            self.nodes[at].regions.push((name, children));
        }
        at
    }

    /// All names of states and history points, for "did you mean".
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let points = self.nodes.iter().flat_map(|node| &node.points);
        let states = self.nodes.iter().skip(1).map(|node| &node.name);
        states.chain(points).map(String::as_str)
    }

    /// What a name means where it stands in a state.
    pub(super) fn find(&self, text: &str, from: usize) -> Found {
        if text == "root" && !self.names().any(|name| name == "root") {
            return Found::Path(Vec::new());
        }
        if let Some(absolute) = text.strip_prefix('/') {
            let found = self.below(0, absolute);
            return found.map_or(Found::Nothing, |target| self.found(target));
        }
        let mut scopes = std::iter::successors(Some(from), |&at| self.nodes[at].parent);
        if let Some(target) = scopes.find_map(|at| self.below(at, text)) {
            return self.found(target);
        }
        let mut anywhere: Vec<Target<'_>> = Vec::new();
        for target in (0..self.nodes.len()).filter_map(|at| self.below(at, text)) {
            if !anywhere.contains(&target) {
                anywhere.push(target);
            }
        }
        match anywhere[..] {
            [] => Found::Nothing,
            [only] => self.found(only),
            _ => {
                let shown = |target: &Target<'_>| self.path(*target).join("/");
                Found::Several(anywhere.iter().map(shown).collect())
            }
        }
    }

    /// The same for a name in the initial of a region, whose own children come first.
    pub(super) fn find_in_region(&self, text: &str, from: usize, region: &str) -> Found {
        match self.child(from, Some(region), text) {
            Some(target @ Target::State(_)) => self.found(target),
            _ => self.find(text, from),
        }
    }

    /// Is there a timer of this name in the state or one around it?
    pub(super) fn has_timer(&self, name: &str, from: usize) -> bool {
        std::iter::successors(Some(from), |&at| self.nodes[at].parent)
            .any(|at| self.nodes[at].timers.iter().any(|timer| timer == name))
    }

    fn found(&self, target: Target<'_>) -> Found {
        Found::Path(self.path(target))
    }

    fn path(&self, target: Target<'_>) -> Vec<String> {
        match target {
            Target::State(at) => self.nodes[at].path.clone(),
            Target::Point(at, name) => {
                let mut path = self.nodes[at].path.clone();
                path.push(name.to_owned());
                path
            }
        }
    }

    /// Follows a path downward; names of regions may stand between.
    fn below(&self, from: usize, path: &str) -> Option<Target<'_>> {
        let mut at = Target::State(from);
        let mut region: Option<&str> = None;
        for segment in path.split('/') {
            let Target::State(state) = at else {
                return None;
            };
            match self.child(state, region, segment) {
                Some(child) => (at, region) = (child, None),
                None if region.is_none() && self.region(state, segment).is_some() => {
                    region = self.region(state, segment);
                }
                None => return None,
            }
        }
        (at != Target::State(from) && region.is_none()).then_some(at)
    }

    fn region(&self, state: usize, name: &str) -> Option<&str> {
        let names = self.nodes[state].regions.iter();
        names
            .filter_map(|(region, _)| region.as_deref())
            .find(|region| *region == name)
    }

    /// A child or history point of a state, in one region or in any.
    fn child(&self, state: usize, region: Option<&str>, name: &str) -> Option<Target<'_>> {
        let node = &self.nodes[state];
        let in_region = |other: &Option<String>| region.is_none() || other.as_deref() == region;
        let children = node
            .regions
            .iter()
            .filter(|(other, _)| in_region(other))
            .flat_map(|(_, children)| children);
        let named = |&&child: &&usize| self.nodes[child].name == name && !self.nodes[child].muted;
        let point = || node.points.iter().find(|point| *point == name);
        children
            .into_iter()
            .find(named)
            .map(|&child| Target::State(child))
            .or_else(|| point().map(|point| Target::Point(state, point)))
    }
}
