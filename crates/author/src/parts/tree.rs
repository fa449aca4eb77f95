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
    /// Its region, by its place in the parent.
    region: usize,
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

/// Where a path goes on: a state, and if its region was named the place of that.
type Place = (usize, Option<usize>);

impl PartTree {
    pub(super) fn new(machine: &Machine) -> Self {
        let mut tree = Self::default();
        tree.add(&machine.root, None, 0, &[], false);
        tree
    }

    fn add(
        &mut self,
        state: &State,
        parent: Option<usize>,
        region: usize,
        path: &[String],
        muted: bool,
    ) -> usize {
        let at = self.nodes.len();
        let muted = muted || state.muted;
        let texts = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect();
        self.nodes.push(Node {
            name: state.name.value.clone(),
            path: path.to_vec(),
            parent,
            region,
            muted,
            regions: Vec::new(),
            points: texts(&mut state.history.iter().map(|point| &point.name.value)),
            timers: texts(&mut state.timers.iter().map(|timer| &timer.name.value)),
        });
        for (place, region) in state.regions.iter().enumerate() {
            let name = region.name.as_ref().map(|name| name.value.clone());
            let mut children = Vec::new();
            for child in &region.states {
                let mut path = path.to_vec();
                path.extend(name.clone());
                path.push(child.name.value.clone());
                children.push(self.add(child, Some(at), place, &path, muted));
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
            return self.meant(self.below((0, None), absolute));
        }
        self.find_outward(text, from, None)
    }

    /// The same for a name in the initial of a region, whose own children come first.
    pub(super) fn find_in_region(&self, text: &str, from: usize, region: &str) -> Found {
        if text.starts_with('/') {
            return self.find(text, from);
        }
        self.find_outward(text, from, Some(region))
    }

    /// Looks in a region of the state, in the state, in the region around it, and so on; then
    /// anywhere.
    fn find_outward(&self, text: &str, from: usize, region: Option<&str>) -> Found {
        let own = region.and_then(|name| self.region(from, name));
        let mut scopes: Vec<Place> = own.map(|region| (from, Some(region))).into_iter().collect();
        let mut at = Some(from);
        while let Some(state) = at {
            scopes.push((state, None));
            let node = &self.nodes[state];
            scopes.extend(node.parent.map(|parent| (parent, Some(node.region))));
            at = node.parent;
        }
        let found = scopes.into_iter().map(|scope| self.below(scope, text));
        if let Some(found) = found.into_iter().find(|found| !found.is_empty()) {
            return self.meant(found);
        }
        let mut anywhere: Vec<(Target<'_>, bool)> = Vec::new();
        for found in (0..self.nodes.len()).flat_map(|at| self.below((at, None), text)) {
            anywhere.push((found.0, false));
        }
        self.meant(anywhere)
    }

    /// What some readings of a path mean: of several the one that names every region.
    fn meant(&self, readings: Vec<(Target<'_>, bool)>) -> Found {
        let distinct = |only_full: bool| {
            let mut all: Vec<Target<'_>> = Vec::new();
            for &(target, is_full) in &readings {
                if (is_full || !only_full) && !all.contains(&target) {
                    all.push(target);
                }
            }
            all
        };
        match (&distinct(false)[..], &distinct(true)[..]) {
            ([], _) => Found::Nothing,
            (&[only], _) | (_, &[only]) => self.found(only),
            (several, _) => {
                let shown = |target: &Target<'_>| self.path(*target).join("/");
                Found::Several(several.iter().map(shown).collect())
            }
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

    /// All ways to follow a path downward, each with whether it names every region on its way.
    fn below(&self, from: Place, path: &str) -> Vec<(Target<'_>, bool)> {
        let mut places: Vec<(Place, bool)> = vec![(from, true)];
        let mut found: Vec<(Target<'_>, bool)> = Vec::new();
        for segment in path.split('/') {
            let at = std::mem::take(&mut places);
            found.clear();
            for (place, is_full) in at {
                for (target, fully) in self.children(place, segment) {
                    found.push((target, is_full && fully));
                }
                let region = self.region(place.0, segment).filter(|_| place.1.is_none());
                places.extend(region.map(|region| ((place.0, Some(region)), is_full)));
            }
            let states = found.iter().filter_map(|&(target, is_full)| match target {
                Target::State(state) => Some(((state, None), is_full)),
                Target::Point(..) => None,
            });
            places.extend(states);
        }
        found
    }

    /// The place of a region with a name.
    fn region(&self, state: usize, name: &str) -> Option<usize> {
        let mut regions = self.nodes[state].regions.iter();
        regions.position(|(region, _)| region.as_deref() == Some(name))
    }

    /// Children of a name, in one region or in any, and whether a path to them names every region;
    /// history points belong to the state.
    fn children(&self, (state, region): Place, name: &str) -> Vec<(Target<'_>, bool)> {
        let node = &self.nodes[state];
        let mut found = Vec::new();
        for (at, (own, children)) in node.regions.iter().enumerate() {
            let is_full = region.is_some() || own.is_none();
            let named =
                |&&child: &&usize| self.nodes[child].name == name && !self.nodes[child].muted;
            let here = children.iter().filter(named);
            let here = here.filter(|_| region.is_none_or(|region| region == at));
            found.extend(here.map(|&child| (Target::State(child), is_full)));
        }
        let points = node.points.iter().filter(|point| *point == name);
        let points = points.filter(|_| region.is_none());
        found.extend(points.map(|point| (Target::Point(state, point), true)));
        found
    }
}
