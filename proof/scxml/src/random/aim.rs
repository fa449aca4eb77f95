//! Where transitions lead: lists of ids that can be entered together.

use super::generator::Generator;
use super::plan::Kind;

impl Generator {
    /// Something inside a state.
    pub fn aim_inside(&mut self, at: usize, histories: bool) -> String {
        self.inside(at, histories, 60).join(" ")
    }

    fn inside(&mut self, at: usize, histories: bool, shallow: usize) -> Vec<String> {
        let children = self.plan.nodes[at].children.clone();
        if self.plan.nodes[at].kind == Kind::Parallel {
            let regions = self.rng.some(&children, 1);
            return regions
                .into_iter()
                .flat_map(|region| self.aim_at(region, histories, shallow))
                .collect();
        }
        let not_final = |&child: &usize| self.plan.nodes[child].kind != Kind::Final;
        let usual: Vec<usize> = children.iter().copied().filter(not_final).collect();
        let list = if usual.is_empty() || self.rng.chance(5) {
            children
        } else {
            usual
        };
        let child = self.rng.one(&list);
        self.aim_at(child, histories, shallow)
    }

    /// A state, one of its histories, or something inside it; the state itself in so many of a
    /// hundred cases.
    fn aim_at(&mut self, at: usize, histories: bool, shallow: usize) -> Vec<String> {
        let node = &self.plan.nodes[at];
        if let Some(history) = node.histories.first().filter(|_| histories)
            && self.rng.chance(30)
        {
            return vec![history.id.clone()];
        }
        if node.children.is_empty() || self.rng.chance(shallow) {
            return vec![self.plan.nodes[at].id.clone()];
        }
        self.inside(at, histories, shallow)
    }

    /// The default of a history.
    pub fn history_default(&mut self, at: usize, deep: bool) -> String {
        if deep {
            return self.inside(at, false, 40).join(" ");
        }
        self.inside(at, false, 100).join(" ")
    }

    /// Where a transition of this state leads; nothing if it has no target.
    pub fn target(&mut self, source: usize) -> Option<String> {
        let choice = self.rng.weighted(&[10, 7, 8, 7, 30, 16, 14, 9, 14]);
        let found = match choice {
            0 => return None,
            1 => Some(vec![self.plan.nodes[source].id.clone()]),
            2 => self.one_of(&self.plan.ancestors(source)),
            3 => self.region_root(source),
            4 => self.sibling(source),
            5 => None,
            6 => self.history(),
            7 => self.joint(),
            _ => self.descendant(source),
        };
        Some(found.unwrap_or_else(|| self.anywhere()).join(" "))
    }

    fn one_of(&mut self, list: &[usize]) -> Option<Vec<String>> {
        if list.is_empty() {
            return None;
        }
        let at = self.rng.one(list);
        Some(vec![self.plan.nodes[at].id.clone()])
    }

    fn region_root(&mut self, source: usize) -> Option<Vec<String>> {
        let around = self.plan.ancestors(source).into_iter().chain([source]);
        let regions =
            around.filter(|&at| self.plan.nodes[self.plan.nodes[at].parent].kind == Kind::Parallel);
        let regions: Vec<usize> = regions.collect();
        self.one_of(&regions)
    }

    /// A sibling, of the state itself or of one around it, or something inside the sibling.
    pub fn sibling(&mut self, source: usize) -> Option<Vec<String>> {
        let around: Vec<usize> = [source]
            .into_iter()
            .chain(self.plan.ancestors(source))
            .collect();
        let mine = if self.rng.chance(70) {
            source
        } else {
            self.rng.one(&around)
        };
        let parent = self.plan.nodes[mine].parent;
        let siblings = self.plan.nodes[parent]
            .children
            .iter()
            .copied()
            .filter(|&at| at != mine);
        let siblings: Vec<usize> = siblings.filter(|&at| !self.ends_all(at)).collect();
        if siblings.is_empty() {
            return None;
        }
        let sibling = self.rng.one(&siblings);
        Some(self.aim_at(sibling, true, 70))
    }

    fn history(&mut self) -> Option<Vec<String>> {
        let all = self
            .plan
            .nodes
            .iter()
            .flat_map(|node| &node.histories)
            .map(|history| history.id.clone());
        let all: Vec<String> = all.collect();
        if all.is_empty() {
            None
        } else {
            Some(vec![self.rng.one(&all)])
        }
    }

    /// Targets in several children of a parallel.
    fn joint(&mut self) -> Option<Vec<String>> {
        let parallels: Vec<usize> = (1..self.plan.nodes.len())
            .filter(|&at| self.plan.nodes[at].kind == Kind::Parallel)
            .collect();
        if parallels.is_empty() {
            return None;
        }
        let parallel = self.rng.one(&parallels);
        let children = self.plan.nodes[parallel].children.clone();
        let regions = self.rng.some(&children, 2);
        let by_history = self.rng.chance(35);
        let mut targets = Vec::new();
        for region in regions {
            match self.plan.nodes[region].histories.last() {
                Some(history) if by_history => targets.push(history.id.clone()),
                _ => targets.extend(self.aim_at(region, true, 25)),
            }
        }
        Some(targets)
    }

    fn descendant(&mut self, source: usize) -> Option<Vec<String>> {
        let has_children = !self.plan.nodes[source].children.is_empty();
        has_children.then(|| self.inside(source, true, 60))
    }

    fn anywhere(&mut self) -> Vec<String> {
        let usual = (1..self.plan.nodes.len()).filter(|&at| !self.ends_all(at));
        let mut list: Vec<usize> = usual.collect();
        if self.rng.chance(15) {
            list.extend((1..self.plan.nodes.len()).filter(|&at| self.ends_all(at)));
        }
        let at = self.rng.one(&list);
        vec![self.plan.nodes[at].id.clone()]
    }

    /// A top-level final.
    fn ends_all(&self, at: usize) -> bool {
        self.plan.nodes[at].kind == Kind::Final && self.plan.nodes[at].parent == 0
    }
}
