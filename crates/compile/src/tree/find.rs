//! What the name of a state means where it stands (NAME-1), and what a state is called (LANG-7).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Fix};
use statewright_author::span::Name;

use super::{Target, Tree};
use crate::index::{RegionIndex, StateIndex};

/// How far a path has led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// To a state or history point.
    Node(Target),
    /// To a region: the next name is that of a child in it.
    Region(RegionIndex),
}

/// One way to read a path.
#[derive(Clone, Copy, Debug)]
struct Reading {
    at: Place,
    /// Every region on the way is named: such a path can be meant in one way only.
    is_full: bool,
}

impl<'a> Tree<'a> {
    /// Finds what a name means when it stands in state `from`: a child of `from`, one beside it in
    /// its region, a child of the state around it, and so on outward; else the only node of that
    /// name anywhere. Paths `a/b` work the same way by their first part, and `/a/b` starts at the
    /// root. The name of its region may stand before a child.
    pub fn find(&self, name: &Name, from: StateIndex) -> Result<Target, Box<Diagnostic>> {
        let state = Place::Node(Target::State(from));
        self.find_from(name, [state].into_iter().chain(self.outward(from)))
    }

    /// The same for a name in a region: its children come first.
    pub fn find_in_region(
        &self,
        name: &Name,
        region: RegionIndex,
    ) -> Result<Target, Box<Diagnostic>> {
        let owner = self.regions[region].owner;
        let inner = [Place::Region(region), Place::Node(Target::State(owner))];
        self.find_from(name, inner.into_iter().chain(self.outward(owner)))
    }

    /// Where names are looked up outside of a state, nearest first.
    fn outward(&self, from: StateIndex) -> impl Iterator<Item = Place> + '_ {
        let inside = std::iter::successors(Some(from), |&at| self.states[at].parent);
        inside.flat_map(|at| {
            let region = self.states[at].region.map(Place::Region);
            let around = self.states[at].parent;
            let around = around.map(|state| Place::Node(Target::State(state)));
            region.into_iter().chain(around)
        })
    }

    fn find_from(
        &self,
        name: &Name,
        mut scopes: impl Iterator<Item = Place>,
    ) -> Result<Target, Box<Diagnostic>> {
        let text = name.value.as_str();
        if text == "root" && !self.by_name.contains_key("root") {
            return Ok(Target::State(StateIndex::ROOT));
        }
        if let Some(absolute) = text.strip_prefix('/') {
            let root = Place::Node(Target::State(StateIndex::ROOT));
            let found = self.decide(name, self.descend(root, absolute));
            return found.unwrap_or_else(|| Err(self.unknown(name)));
        }
        let found = scopes.find_map(|scope| self.decide(name, self.descend(scope, text)));
        found.unwrap_or_else(|| self.find_anywhere(name))
    }

    /// All ways to follow a path downward.
    fn descend(&self, from: Place, path: &str) -> Vec<Reading> {
        let mut readings = vec![Reading {
            at: from,
            is_full: true,
        }];
        for part in path.split('/') {
            readings = readings
                .iter()
                .flat_map(|&reading| self.step(reading, part))
                .collect();
        }
        readings.retain(|reading| matches!(reading.at, Place::Node(_)));
        readings
    }

    /// What one more part of a path can mean.
    fn step(&self, reading: Reading, part: &str) -> Vec<Reading> {
        let to = |at: Place, is_full: bool| Reading { at, is_full };
        let children = |owner: StateIndex| {
            let found = self.children.get(&(owner, part));
            found.map_or(&[][..], Vec::as_slice).iter().copied()
        };
        match reading.at {
            Place::Node(Target::History(_)) => Vec::new(),
            Place::Region(region) => children(self.regions[region].owner)
                .filter(|&node| self.region_of(node) == Some(region))
                .map(|node| to(Place::Node(node), reading.is_full))
                .collect(),
            Place::Node(Target::State(owner)) => {
                let child = |node: Target| {
                    let unnamed =
                        |region: RegionIndex| self.regions[region].authored.name.is_none();
                    let is_full = self.region_of(node).is_none_or(unnamed);
                    to(Place::Node(node), reading.is_full && is_full)
                };
                let region = self.region_named(owner, part);
                let region = region.map(|region| to(Place::Region(region), reading.is_full));
                children(owner).map(child).chain(region).collect()
            }
        }
    }

    /// The region that a state is a child of; history points are in none.
    fn region_of(&self, node: Target) -> Option<RegionIndex> {
        match node {
            Target::State(state) => self.states[state].region,
            Target::History(_) => None,
        }
    }

    /// What is meant, if the path leads anywhere. Of several ways to read it the one that names
    /// every region is meant: where a region and a child have one name, nothing else could be said.
    fn decide(
        &self,
        name: &Name,
        readings: Vec<Reading>,
    ) -> Option<Result<Target, Box<Diagnostic>>> {
        let full = readings.iter().filter(|reading| reading.is_full);
        let full = distinct(full.copied());
        let all = distinct(readings.into_iter());
        match (&all[..], &full[..]) {
            ([], _) => None,
            (&[only], _) | (_, &[only]) => Some(Ok(only)),
            _ => Some(Err(self.ambiguous(name, &all))),
        }
    }

    fn find_anywhere(&self, name: &Name) -> Result<Target, Box<Diagnostic>> {
        match self.anywhere(&name.value)[..] {
            [] => Err(self.unknown(name)),
            [only] => Ok(only),
            ref several => Err(self.ambiguous(name, several)),
        }
    }

    /// Everything to which a path leads from any state.
    fn anywhere(&self, path: &str) -> Vec<Target> {
        let first = path.split('/').next().unwrap_or_default();
        let nodes = self.by_name.get(first).map_or(&[][..], Vec::as_slice);
        let regions = self.region_names.get(first).map_or(&[][..], Vec::as_slice);
        let around = |&node: &Target| match node {
            Target::State(state) => self.states[state].parent,
            Target::History(history) => Some(self.histories[history].owner),
        };
        let owners = regions.iter().map(|&region| self.regions[region].owner);
        let mut owners: Vec<StateIndex> = nodes.iter().filter_map(around).chain(owners).collect();
        owners.sort_unstable();
        owners.dedup();
        let readings = owners
            .into_iter()
            .flat_map(|owner| self.descend(Place::Node(Target::State(owner)), path));
        distinct(readings)
    }

    /// Lists the paths of everything that could be meant.
    fn ambiguous(&self, name: &Name, nodes: &[Target]) -> Box<Diagnostic> {
        let text = format!("several states are named `{}`", name.value);
        let problem = Diagnostic::new(DiagnosticCode::AmbiguousState, name.span, text);
        let mut problem = problem.label("which one?");
        let mut paths: Vec<String> = Vec::new();
        for &node in nodes.iter().take(MAX_PATHS) {
            let path = self.target_path(node);
            problem = problem
                .related(self.name_of(node).span, format!("could be `{path}`"))
                .fix(Fix::name(name.span, path.clone()));
            paths.push(format!("`{path}`"));
        }
        if nodes.len() > MAX_PATHS {
            paths.push(format!("{} more", nodes.len() - MAX_PATHS));
        }
        Box::new(problem.help(format!("write a path that is unique: {}", paths.join(", "))))
    }

    fn unknown(&self, name: &Name) -> Box<Diagnostic> {
        let last = name.value.rsplit('/').next().unwrap_or_default();
        if let Some(&span) = self.muted.get(last) {
            let text = format!("state `{}` is muted and cannot be used", name.value);
            return Box::new(
                Diagnostic::new(DiagnosticCode::MutedInUse, name.span, text)
                    .label("needed here")
                    .related(span, "muted here")
                    .help("remove `muted`, or name another state"),
            );
        }
        if let Some(region) = self.region_at(&name.value) {
            return self.not_a_region(name, region);
        }
        if let Some(problem) = self.unknown_below(name) {
            return problem;
        }
        let found = Diagnostic::new(
            DiagnosticCode::UnknownState,
            name.span,
            format!("no state named `{}`", name.value),
        )
        .label("not found");
        if self.suggestions.replace(self.suggestions.get() + 1) >= MAX_SUGGESTIONS {
            return Box::new(found);
        }
        let mut names: Vec<&str> = self.by_name.keys().copied().collect();
        names.sort_unstable();
        let found = found.suggest(last, names.iter().copied());
        if found.help.is_some() || names.is_empty() || names.len() > MAX_LISTED {
            return Box::new(found);
        }
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        Box::new(found.help(format!(
            "name one of {}, or add the state",
            names.join(", ")
        )))
    }

    /// The region that a path leads to, if it is only one.
    fn region_at(&self, path: &str) -> Option<RegionIndex> {
        match path.trim_start_matches('/').rsplit_once('/') {
            Some((owner, last)) => match self.anywhere(owner)[..] {
                [Target::State(owner)] => self.region_named(owner, last),
                _ => None,
            },
            None => match self.region_names.get(path)?[..] {
                [only] => Some(only),
                _ => None,
            },
        }
    }

    /// A region where a state must be: says which states it has.
    fn not_a_region(&self, name: &Name, region: RegionIndex) -> Box<Diagnostic> {
        let owner = self.path(self.regions[region].owner);
        let text = format!("`{}` is a region of `{owner}`, not a state", name.value);
        let problem = Diagnostic::new(DiagnosticCode::UnknownState, name.span, text);
        let problem = problem.label("a region");
        let states = self.regions[region].children.iter().take(MAX_LISTED);
        let paths: Vec<String> = states
            .map(|&state| format!("`{}`", self.path(state)))
            .collect();
        Box::new(match paths.is_empty() {
            true => problem,
            false => problem.help(format!("name one of its states: {}", paths.join(", "))),
        })
    }

    /// A path that leads to a state, and there to nothing: says what the state has instead.
    fn unknown_below(&self, name: &Name) -> Option<Box<Diagnostic>> {
        let (path, last) = name.value.rsplit_once('/')?;
        let [Target::State(owner)] = self.anywhere(path.trim_start_matches('/'))[..] else {
            return None;
        };
        let regions = self.states[owner].regions.clone();
        let states = regions.flat_map(|region| self.regions[region].children.iter());
        let states = states.map(|&child| self.states[child].authored.name.value.as_str());
        let points = self.states[owner].authored.history.iter();
        let inside: Vec<&str> = states
            .chain(points.map(|point| point.name.value.as_str()))
            .collect();
        let text = format!("`{path}` has no state and no history point named `{last}`");
        let found = Diagnostic::new(DiagnosticCode::UnknownState, name.span, text);
        let found = found
            .label("not found")
            .suggest(last, inside.iter().copied());
        if found.help.is_some() {
            return Some(Box::new(found));
        }
        let history =
            format!("a history point is declared there: `\"history\": {{ \"{last}\": {{}} }}`");
        let names: Vec<String> = inside.iter().map(|name| format!("`{name}`")).collect();
        Some(Box::new(match names.len() {
            1..=MAX_LISTED => found.help(format!("name one of {}; {history}", names.join(", "))),
            _ => found.help(history),
        }))
    }

    /// Path from the root, such as `combat/attack/windup`; the root is `root`. The region of a child
    /// is named where another region has a child of the same name: `combat/movement/idle`.
    pub fn path(&self, state: StateIndex) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut at = state;
        while let Some(parent) = self.states[at].parent {
            names.push(&self.states[at].authored.name.value);
            names.extend(self.region_of_namesake(at));
            at = parent;
        }
        if names.is_empty() {
            return "root".to_owned();
        }
        names.reverse();
        names.join("/")
    }

    /// The name of its region, where a path must have it: another region of the same state has a child
    /// of the same name, or regions are named in such paths and the child has the name of one.
    pub fn region_of_namesake(&self, state: StateIndex) -> Option<&'a str> {
        let node = &self.states[state];
        let (parent, name) = (node.parent?, node.authored.name.value.as_str());
        let is_shared = self.children.get(&(parent, name))?.len() > 1;
        let is_region = || self.region_named(parent, name).is_some();
        let needed = self.has_namesakes.contains(&parent) && (is_shared || is_region());
        let region = node.region.filter(|_| needed)?;
        let named = self.regions[region].authored.name.as_ref();
        named.map(|name| name.value.as_str())
    }

    /// Whether another region that stands before has a child of the same name.
    pub fn has_namesake_before(&self, state: StateIndex) -> bool {
        let node = &self.states[state];
        let name = node.authored.name.value.as_str();
        let namesakes = node
            .parent
            .and_then(|parent| self.children.get(&(parent, name)));
        namesakes.is_some_and(|all| all.first() != Some(&Target::State(state)))
    }

    /// What a child is called in lists of its parent: by its name, or with that of its region.
    pub fn called(&self, child: StateIndex) -> Vec<String> {
        let name = &self.states[child].authored.name.value;
        let region = self.states[child].region;
        let region = region.and_then(|region| self.regions[region].authored.name.as_ref());
        let with_region = region.map(|region| format!("{}/{name}", region.value));
        [name.clone()].into_iter().chain(with_region).collect()
    }

    /// Whether a list of its parent means this child.
    pub fn is_called(&self, child: StateIndex, text: &str) -> bool {
        let name = self.states[child].authored.name.value.as_str();
        let Some((region, last)) = text.split_once('/') else {
            return text == name;
        };
        let own = self.states[child].region;
        let own = own.and_then(|own| self.regions[own].authored.name.as_ref());
        last == name && own.is_some_and(|own| own.value == region)
    }

    /// A name that several children have.
    pub fn ambiguous_child(&self, name: &Name, children: &[StateIndex]) -> Box<Diagnostic> {
        let nodes: Vec<Target> = children.iter().copied().map(Target::State).collect();
        let problem = self.ambiguous(name, &nodes);
        let paths = children
            .iter()
            .filter_map(|&child| self.called(child).pop());
        let paths: Vec<String> = paths.map(|path| format!("`{path}`")).collect();
        Box::new(problem.help(format!("write one of {}", paths.join(", "))))
    }

    /// Path of a state or history point.
    pub fn target_path(&self, node: Target) -> String {
        match node {
            Target::State(index) => self.path(index),
            Target::History(index) => {
                let point = &self.histories[index];
                let name = &point.authored.name.value;
                if point.owner == StateIndex::ROOT {
                    name.clone()
                } else {
                    format!("{}/{name}", self.path(point.owner))
                }
            }
        }
    }
}

/// What some readings mean, each once.
fn distinct(readings: impl Iterator<Item = Reading>) -> Vec<Target> {
    let mut nodes: Vec<Target> = Vec::new();
    for reading in readings {
        if let Place::Node(node) = reading.at
            && !nodes.contains(&node)
        {
            nodes.push(node);
        }
    }
    nodes
}

/// So many paths are listed of a name that is not unique.
const MAX_PATHS: usize = 6;

const MAX_SUGGESTIONS: usize = 8;

/// So many names are listed when none is close.
const MAX_LISTED: usize = 12;
