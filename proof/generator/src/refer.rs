//! How a state is named from another one: a child of the state, of the one around it, and so on;
//! else the only one of that name anywhere; or a path, or an absolute path.

use crate::plan::{Plan, Target};
use crate::rng::Rng;

impl Plan {
    /// What a text means when it stands in a state.
    pub fn find(&self, from: usize, text: &str) -> Option<Target> {
        let everywhere = |name: &str| -> Vec<Target> {
            let states = (1..self.nodes.len())
                .filter(|&s| self.nodes[s].name == name)
                .map(Target::State);
            let points = (0..self.points.len())
                .filter(|&p| self.points[p].name == name)
                .map(Target::Point);
            states.chain(points).collect()
        };
        if text == "root" && everywhere("root").is_empty() {
            return Some(Target::State(0));
        }
        if let Some(path) = text.strip_prefix('/') {
            return self.descend(0, path);
        }
        if let Some(found) = self.up(from).find_map(|at| self.descend(at, text)) {
            return Some(found);
        }
        let (first, rest) = text.split_once('/').unwrap_or((text, ""));
        let found: Vec<Target> = everywhere(first)
            .into_iter()
            .filter_map(|start| match start {
                start if rest.is_empty() => Some(start),
                Target::State(state) => self.descend(state, rest),
                Target::Point(_) => None,
            })
            .collect();
        if let [only] = found[..] {
            Some(only)
        } else {
            None
        }
    }

    /// Follows a path of children; names of regions may stand before the children in them.
    fn descend(&self, from: usize, path: &str) -> Option<Target> {
        let mut at = Target::State(from);
        for part in path.split('/') {
            let Target::State(state) = at else {
                return None;
            };
            match self.child(state, part) {
                Some(child) => at = child,
                None if self.nodes[state]
                    .regions
                    .iter()
                    .any(|r| r.name.as_deref() == Some(part))
                    && part != path => {}
                None => return None,
            }
        }
        (at != Target::State(from)).then_some(at)
    }

    fn child(&self, state: usize, name: &str) -> Option<Target> {
        let node = &self.nodes[state];
        let mut children = node.regions.iter().flat_map(|region| &region.children);
        let child = children
            .find(|&&child| self.nodes[child].name == name)
            .map(|&child| Target::State(child));
        child.or_else(|| {
            node.points
                .iter()
                .find(|&&p| self.points[p].name == name)
                .map(|&p| Target::Point(p))
        })
    }

    /// The path that means a target from anywhere.
    pub fn absolute(&self, target: Target) -> String {
        if target == Target::State(0) {
            return "root".to_owned();
        }
        format!("/{}", self.names_down(target, false).join("/"))
    }

    fn names_down(&self, target: Target, with_regions: bool) -> Vec<String> {
        let mut names = Vec::new();
        if let Target::Point(point) = target {
            names.push(self.points[point].name.clone());
        }
        for at in self.up(self.anchor(target)).filter(|&at| at != 0) {
            names.push(self.nodes[at].name.clone());
            let region = self.region_of(at).and_then(|region| region.name.clone());
            names.extend(region.filter(|_| with_regions));
        }
        names.reverse();
        names
    }

    /// One of the texts that mean a target in a state; absolute if it is to mean it anywhere.
    /// `None` for a root that cannot be named.
    pub fn reference(&self, rng: &mut Rng, from: Option<usize>, target: Target) -> Option<String> {
        if target == Target::State(0) {
            return (self.find(0, "root") == Some(target)).then(|| "root".to_owned());
        }
        let absolute = self.absolute(target);
        let Some(from) = from else {
            return Some(absolute);
        };
        let with_regions = self.names_down(target, true);
        let short = self.names_down(target, false);
        let last =
            |names: &[String], count: usize| names[names.len().saturating_sub(count)..].join("/");
        let deep = rng.between(2, 3) as usize;
        let forms = [
            last(&short, 1),
            last(&short, 1),
            last(&short, deep),
            last(&with_regions, deep),
            short.join("/"),
        ];
        let wanted = rng.one(&[0, 0, 0, 1, 2, 3, 4, 5]);
        let form = forms
            .get(wanted)
            .filter(|form| self.find(from, form) == Some(target))
            .cloned();
        Some(
            form.or_else(|| {
                forms
                    .into_iter()
                    .find(|form| self.find(from, form) == Some(target))
            })
            .unwrap_or(absolute),
        )
    }
}
