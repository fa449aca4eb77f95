//! What a name means (NAME-1, LANG-7): targets and states outward, then anywhere; paths; names of
//! regions in paths.

use crate::model::Target;
use crate::numbers::Tree;

/// Where a path begins.
#[derive(Clone, Copy)]
enum Scope {
    /// At the children and history points of a state.
    State(usize),
    /// At the children of a region.
    Region(usize),
}

/// What a path can mean, and whether it names every region on that way.
type Meaning = (Target, bool);

impl Tree<'_> {
    /// What a reference means where it stands in `scope`.
    pub(crate) fn target(&self, scope: usize, text: &str) -> Target {
        self.search(text, &[Scope::State(scope)], scope)
    }

    /// Like [`Self::target`] for a reference in a region: its children come first.
    pub(crate) fn target_in_region(&self, region: usize, text: &str) -> Target {
        let owner = self.regions[region].owner;
        self.search(text, &[Scope::Region(region), Scope::State(owner)], owner)
    }

    /// The state that a reference means.
    pub(crate) fn state(&self, scope: usize, text: &str) -> usize {
        match self.target(scope, text) {
            Target::State(state) => state,
            Target::Point(_) => panic!("`{text}` is a history point, not a state"),
        }
    }

    /// The first scope that knows the text: the given ones, then outward from a state its region
    /// and the state around that; then the only one anywhere.
    fn search(&self, text: &str, first: &[Scope], from: usize) -> Target {
        if let Some(path) = text.strip_prefix('/') {
            let found = self.meanings(Scope::State(0), path);
            return meant(text, &found).unwrap_or_else(|| panic!("no state `{text}`"));
        }
        let mut scopes = first.to_vec();
        for at in self.up(from) {
            scopes.extend(self.states[at].region.map(Scope::Region));
            scopes.extend(self.states[at].parent.map(Scope::State));
        }
        for scope in scopes {
            if let Some(target) = meant(text, &self.meanings(scope, text)) {
                return target;
            }
        }
        let mut anywhere: Vec<Target> = Vec::new();
        for (target, _) in
            (0..self.states.len()).flat_map(|at| self.meanings(Scope::State(at), text))
        {
            if !anywhere.contains(&target) {
                anywhere.push(target);
            }
        }
        match anywhere[..] {
            [only] => only,
            [] if text == "root" => Target::State(0),
            [] => panic!("no state `{text}` seen from state {from}"),
            _ => panic!("several states `{text}` seen from state {from}"),
        }
    }

    /// Every way to read a path: its first part is a child, a history point or a region.
    fn meanings(&self, scope: Scope, path: &str) -> Vec<Meaning> {
        let (first, rest) = match path.split_once('/') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path, None),
        };
        let mut found = Vec::new();
        let state = match scope {
            Scope::Region(region) => {
                self.children(region, first, rest, true, &mut found);
                return found;
            }
            Scope::State(state) => &self.states[state],
        };
        for &region in &state.regions {
            let name = self.regions[region].graph.name.as_ref();
            self.children(region, first, rest, name.is_none(), &mut found);
            if let (Some(rest), true) = (rest, name.is_some_and(|name| name.value == first)) {
                found.extend(self.meanings(Scope::Region(region), rest));
            }
        }
        for &point in &state.points {
            if rest.is_none() && self.points[point].graph.name.value == first {
                found.push((Target::Point(point), true));
            }
        }
        found
    }

    fn children(
        &self,
        region: usize,
        name: &str,
        rest: Option<&str>,
        all_named: bool,
        found: &mut Vec<Meaning>,
    ) {
        for &child in &self.regions[region].children {
            if self.states[child].graph.name.value != name {
                continue;
            }
            match rest {
                None => found.push((Target::State(child), all_named)),
                Some(rest) => {
                    let below = self.meanings(Scope::State(child), rest);
                    found.extend(below.into_iter().map(|(to, full)| (to, full && all_named)));
                }
            }
        }
    }
}

/// The only meaning, or of several the only one that names every region.
fn meant(text: &str, meanings: &[Meaning]) -> Option<Target> {
    let mut all: Vec<Target> = Vec::new();
    let mut full: Vec<Target> = Vec::new();
    for &(target, is_full) in meanings {
        if !all.contains(&target) {
            all.push(target);
        }
        if is_full && !full.contains(&target) {
            full.push(target);
        }
    }
    match (&all[..], &full[..]) {
        ([], _) => None,
        (&[only], _) | (_, &[only]) => Some(only),
        _ => panic!("several states `{text}`"),
    }
}
