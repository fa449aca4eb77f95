//! What a name means (NAME-1): targets and states outward, then anywhere; paths; names of
//! regions in paths.

use crate::model::Target;
use crate::numbers::Tree;

impl Tree<'_> {
    /// What a reference means where it stands in `scope`.
    pub(crate) fn target(&self, scope: usize, text: &str) -> Target {
        if let Some(path) = text.strip_prefix('/') {
            return self
                .below(0, path)
                .unwrap_or_else(|| panic!("no state `{text}`"));
        }
        if let Some(found) = self.up(scope).find_map(|at| self.below(at, text)) {
            return found;
        }
        let anywhere: Vec<Target> = (0..self.states.len())
            .filter_map(|at| self.below(at, text))
            .collect();
        match anywhere[..] {
            [only] => only,
            [] if text == "root" => Target::State(0),
            [] => panic!("no state `{text}` seen from state {scope}"),
            _ => panic!("several states `{text}` seen from state {scope}"),
        }
    }

    /// Like [`Self::target`], preferring the children of a region.
    pub(crate) fn target_in_region(&self, region: usize, text: &str) -> Target {
        let node = &self.regions[region];
        let child = node
            .children
            .iter()
            .find(|&&child| self.states[child].graph.name.value == text);
        child.map_or_else(
            || self.target(node.owner, text),
            |&child| Target::State(child),
        )
    }

    /// The state that a reference means.
    pub(crate) fn state(&self, scope: usize, text: &str) -> usize {
        match self.target(scope, text) {
            Target::State(state) => state,
            Target::Point(_) => panic!("`{text}` is a history point, not a state"),
        }
    }

    /// Follows a path from a state: its first part is a child, a history point or a region of the
    /// state.
    fn below(&self, state: usize, path: &str) -> Option<Target> {
        let node = &self.states[state];
        let (first, rest) = path
            .split_once('/')
            .map_or((path, None), |(first, rest)| (first, Some(rest)));
        let all = node
            .regions
            .iter()
            .flat_map(|&region| self.regions[region].children.iter().copied());
        self.among(all, first, rest)
            .or_else(|| {
                let named = |point: &&usize| self.points[**point].graph.name.value == first;
                node.points
                    .iter()
                    .find(named)
                    .filter(|_| rest.is_none())
                    .map(|&point| Target::Point(point))
            })
            .or_else(|| {
                let named = |region: &&usize| {
                    self.regions[**region]
                        .graph
                        .name
                        .as_ref()
                        .is_some_and(|name| name.value == first)
                };
                let region = *node.regions.iter().find(named)?;
                let (first, rest) = rest?
                    .split_once('/')
                    .map_or((rest?, None), |(first, rest)| (first, Some(rest)));
                self.among(self.regions[region].children.iter().copied(), first, rest)
            })
    }

    fn among(
        &self,
        mut children: impl Iterator<Item = usize>,
        name: &str,
        rest: Option<&str>,
    ) -> Option<Target> {
        children.find_map(|child| {
            let found = || rest.map_or(Some(Target::State(child)), |rest| self.below(child, rest));
            (self.states[child].graph.name.value == name)
                .then(found)
                .flatten()
        })
    }
}
