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
            return self.only(&self.descend(0, None, path))?;
        }
        let mut at = Some(from);
        while let Some(state) = at {
            let parent = self.nodes[state].parent;
            let beside = parent.map(|parent| (parent, Some(self.nodes[state].region)));
            for (scope, region) in [(state, None)].into_iter().chain(beside) {
                if let Some(found) = self.only(&self.descend(scope, region, text)) {
                    return found;
                }
            }
            at = parent;
        }
        let anywhere = (0..self.nodes.len()).flat_map(|at| self.descend(at, None, text));
        let anywhere: Vec<(Target, bool)> = anywhere.map(|(target, _)| (target, false)).collect();
        self.only(&anywhere)?
    }

    /// What a text means in a region, whose children come first.
    pub fn find_in_region(&self, owner: usize, region: usize, text: &str) -> Option<Target> {
        let first = self.only(&self.descend(owner, Some(region), text));
        first.unwrap_or_else(|| self.find(owner, text))
    }

    /// The one that is meant: the only one, or the only one whose regions are all named. `None` if
    /// there is nothing, `Some(None)` if nobody can say.
    fn only(&self, meanings: &[(Target, bool)]) -> Option<Option<Target>> {
        let distinct = |full: bool| {
            let mut all: Vec<Target> = Vec::new();
            for (target, _) in meanings.iter().filter(|(_, is_full)| *is_full || !full) {
                if !all.contains(target) {
                    all.push(*target);
                }
            }
            all
        };
        match (&distinct(false)[..], &distinct(true)[..]) {
            ([], _) => None,
            (&[only], _) | (_, &[only]) => Some(Some(only)),
            _ => Some(None),
        }
    }

    /// All ways to follow a path; names of regions may stand before the children in them.
    fn descend(&self, from: usize, region: Option<usize>, path: &str) -> Vec<(Target, bool)> {
        let (first, rest) = match path.split_once('/') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path, None),
        };
        let node = &self.nodes[from];
        let mut found = Vec::new();
        for (number, plan) in node.regions.iter().enumerate() {
            if region.is_some_and(|region| region != number) {
                continue;
            }
            let is_full = region.is_some() || plan.name.is_none();
            for &child in plan
                .children
                .iter()
                .filter(|&&child| self.nodes[child].name == first)
            {
                let below = match rest {
                    None => vec![(Target::State(child), true)],
                    Some(rest) => self.descend(child, None, rest),
                };
                found.extend(below.into_iter().map(|(to, full)| (to, full && is_full)));
            }
            if let (Some(rest), None, true) = (rest, region, plan.name.as_deref() == Some(first)) {
                found.extend(self.descend(from, Some(number), rest));
            }
        }
        if rest.is_none() && region.is_none() {
            let points = node
                .points
                .iter()
                .filter(|&&p| self.points[p].name == first);
            found.extend(points.map(|&point| (Target::Point(point), true)));
        }
        found
    }

    /// The name of a child in lists of its parent: with its region where another one has it, too.
    pub fn child_name(&self, child: usize) -> String {
        let name = &self.nodes[child].name;
        let Some(parent) = self.nodes[child].parent else {
            return name.clone();
        };
        let regions = self.nodes[parent].regions.iter();
        let namesakes = regions
            .flat_map(|region| &region.children)
            .filter(|&&other| self.nodes[other].name == *name);
        let region = self.region_of(child).and_then(|region| region.name.clone());
        match region.filter(|_| namesakes.count() > 1) {
            Some(region) => format!("{region}/{name}"),
            None => name.clone(),
        }
    }

    /// The path that means a target from anywhere.
    pub fn absolute(&self, target: Target) -> String {
        if target == Target::State(0) {
            return "root".to_owned();
        }
        let short = format!("/{}", self.names_down(target, false).join("/"));
        match self.find(0, &short) {
            Some(found) if found == target => short,
            _ => format!("/{}", self.names_down(target, true).join("/")),
        }
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

    /// The name of a child where it means that in its region, or another text.
    pub fn reference_in_region(
        &self,
        rng: &mut Rng,
        (owner, region): (usize, usize),
        target: Target,
    ) -> Option<String> {
        let short = self.names_down(target, false).pop();
        let fits = |short: &String| self.find_in_region(owner, region, short) == Some(target);
        match short.filter(fits) {
            Some(short) if rng.chance(70) => Some(short),
            _ => self.reference(rng, Some(owner), target),
        }
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
