//! Where transitions, branches, initials and history defaults may lead (EXEC-2 to EXEC-8).

use statewright_author::graph::{StateKind, TransitionKind};
use statewright_author::span::Name;

use crate::generator::Generator;
use crate::plan::Target;
use crate::text::name;

/// Tries before a wish is given up.
const TRIES: u32 = 8;

impl Generator {
    /// Names of targets as they stand in a state; `None` if they must be absolute.
    pub(crate) fn names_of(&mut self, scope: Option<usize>, targets: &[Target]) -> Vec<Name> {
        targets
            .iter()
            .filter_map(|&target| self.plan.reference(&mut self.rng, scope, target))
            .map(name)
            .collect()
    }

    fn all_may_lead(&self, sources: &[usize], target: Target) -> bool {
        let anchor = self.plan.anchor(target);
        sources
            .iter()
            .all(|&source| self.plan.may_lead(source, anchor))
    }

    /// One target that all sources may go to.
    pub(crate) fn single_target(&mut self, sources: &[usize]) -> Option<Target> {
        for _ in 0..TRIES {
            // Mostly near by: a sibling or a descendant of one.
            let near = sources
                .first()
                .and_then(|&source| self.plan.nodes[source].parent);
            let target = match near {
                Some(parent) if self.rng.chance(60) => Target::State(self.inside(parent)),
                _ => self.any_target()?,
            };
            if self.all_may_lead(sources, target) {
                return Some(target);
            }
        }
        None
    }

    /// Back to what a state remembers that pushes go to: what a pop does to history shows there
    /// (EXEC-8).
    pub(crate) fn pushed_point(&mut self, sources: &[usize]) -> Option<Target> {
        let is_pushed = |&point: &usize| {
            self.plan.nodes[self.plan.points[point].owner]
                .overlay
                .is_some()
        };
        let points: Vec<Target> = (0..self.plan.points.len())
            .filter(is_pushed)
            .map(Target::Point)
            .filter(|&target| self.all_may_lead(sources, target))
            .collect();
        // Others draw nothing here, so that their seeds mean what they meant.
        (!points.is_empty()).then(|| self.rng.one(&points))
    }

    /// A random state strictly inside a composite one.
    fn inside(&mut self, outer: usize) -> usize {
        self.rng
            .between(outer as u32 + 1, self.plan.nodes[outer].end as u32 - 1) as usize
    }

    /// A state inside a region that is no choice; mostly a direct child.
    fn inside_region(&mut self, owner: usize, region: usize) -> usize {
        let children = self.plan.nodes[owner].regions[region].children.clone();
        let child = self.rng.one(&children);
        let deep = self.plan.nodes[child].end > child + 1 && self.rng.chance(30);
        let state = if deep { self.inside(child) } else { child };
        if self.plan.is_active_kind(state) {
            state
        } else {
            children[0]
        }
    }

    /// Targets in at least two regions of an orthogonal state (EXEC-3), in any order.
    pub(crate) fn several_targets(
        &mut self,
        sources: &[usize],
        within: usize,
    ) -> Option<Vec<Target>> {
        let orthogonal = |&state: &usize| self.plan.nodes[state].kind == StateKind::Orthogonal;
        let owners: Vec<usize> = (within..self.plan.nodes[within].end)
            .filter(orthogonal)
            .collect();
        let owner = *self.rng.pick(&owners)?;
        let mut targets: Vec<Target> = self
            .region_targets(owner, 2)
            .into_iter()
            .map(|(_, target)| target)
            .collect();
        if self.rng.chance(20) {
            targets.reverse();
        }
        targets
            .iter()
            .all(|&target| self.all_may_lead(sources, target))
            .then_some(targets)
    }

    /// One target in some regions of a state, at least so many.
    pub(crate) fn region_targets(&mut self, owner: usize, least: usize) -> Vec<(usize, Target)> {
        let count = self.plan.nodes[owner].regions.len();
        let mut targets = Vec::new();
        for region in 0..count {
            let needed = count - region + targets.len() <= least;
            if needed || self.rng.chance(70) {
                let state = self.inside_region(owner, region);
                let point = self.plan.nodes[state]
                    .points
                    .first()
                    .copied()
                    .filter(|_| self.rng.chance(20));
                targets.push((region, point.map_or(Target::State(state), Target::Point)));
            }
        }
        targets
    }

    /// Where default entry of a region goes; empty if it may be left out.
    pub(crate) fn initial_targets(&mut self, owner: usize, region: usize) -> Vec<Target> {
        let children = self.plan.nodes[owner].regions[region].children.clone();
        if children.len() == 1 && self.rng.chance(50) {
            return Vec::new();
        }
        match self.rng.weighted(&[60, 15, 10, 10, 5]) {
            1 => vec![Target::State(self.rng.one(&children))],
            2 => vec![Target::State(self.inside_region(owner, region))],
            3 => {
                let child = self.rng.one(&children);
                self.several_targets(&[], child)
                    .unwrap_or_else(|| vec![Target::State(children[0])])
            }
            4 => {
                let inside = |state: usize| {
                    children
                        .iter()
                        .any(|&child| self.plan.contains(child, state))
                };
                let points: Vec<usize> = (0..self.plan.points.len())
                    .filter(|&p| inside(self.plan.points[p].owner))
                    .collect();
                let point = self.rng.pick(&points).copied();
                vec![point.map_or(Target::State(children[0]), Target::Point)]
            }
            _ => vec![Target::State(children[0])],
        }
    }

    /// Default of a history point: states inside its owner, or none.
    pub(crate) fn default_targets(&mut self, owner: usize) -> Vec<Target> {
        match self.rng.below(4) {
            0 if self.plan.nodes[owner].regions.len() > 1 => self
                .region_targets(owner, 2)
                .into_iter()
                .map(|(_, t)| Target::State(self.plan.anchor(t)))
                .collect(),
            1 | 2 => vec![Target::State(self.inside(owner))],
            _ => Vec::new(),
        }
    }

    /// Targets of a branch: in the region of its choice, and no choice that could lead back
    /// (EXEC-7).
    pub(crate) fn branch_targets(&mut self, choice: usize) -> Vec<Target> {
        let region = self
            .plan
            .region_of(choice)
            .map(|region| region.children.clone())
            .unwrap_or_default();
        for _ in 0..TRIES {
            let child = self.rng.one(&region);
            if self.rng.chance(10)
                && let Some(targets) = self.several_targets(&[choice], child)
            {
                return targets;
            }
            let deep = self.plan.nodes[child].end > child + 1 && self.rng.chance(30);
            let state = if deep { self.inside(child) } else { child };
            let point = self.plan.nodes[state]
                .points
                .first()
                .copied()
                .filter(|_| self.rng.chance(20));
            let target = point.map_or(Target::State(state), Target::Point);
            let ends = self.plan.is_active_kind(state) || state > choice;
            if ends && self.plan.may_lead(choice, state) {
                return vec![target];
            }
        }
        vec![Target::State(region[0])]
    }

    /// Where a push from all of these states may go: a state inside a higher overlay of a region
    /// around them (EXEC-8).
    pub(crate) fn push_target(&mut self, sources: &[usize]) -> Option<Target> {
        let is_overlay = |&state: &usize| self.plan.nodes[state].overlay.is_some();
        let overlays: Vec<usize> = (0..self.plan.nodes.len()).filter(is_overlay).collect();
        let able = |overlay: &usize| {
            sources
                .iter()
                .all(|&source| self.may_push(source, *overlay))
        };
        let overlays: Vec<usize> = overlays.into_iter().filter(able).collect();
        let overlay = *self.rng.pick(&overlays)?;
        let deep = self.plan.nodes[overlay].end > overlay + 1 && self.rng.chance(30);
        let state = if deep { self.inside(overlay) } else { overlay };
        Some(Target::State(if self.plan.is_active_kind(state) {
            state
        } else {
            overlay
        }))
    }

    /// Whether a state may push to an overlay: from a child of the same region that is no overlay,
    /// or a lower one.
    fn may_push(&self, source: usize, overlay: usize) -> bool {
        let Some(owner) = self.plan.nodes[overlay].parent else {
            return false;
        };
        let Some(child) = self.plan.child_towards(owner, source) else {
            return false;
        };
        let (from, to) = (&self.plan.nodes[child], &self.plan.nodes[overlay]);
        from.region == to.region && from.overlay < to.overlay && self.plan.may_lead(source, overlay)
    }

    /// Whether a pop makes sense in a state.
    pub(crate) fn may_pop(&self, source: usize) -> bool {
        self.plan.up(source).any(|at| {
            self.plan
                .region_of(at)
                .is_some_and(|region| region.stack.is_some())
        })
    }

    /// A kind that can be written for a transition of these states with these targets.
    pub(crate) fn written_kind(&mut self, sources: &[usize], targets: &[Target]) -> TransitionKind {
        if targets.is_empty() {
            return TransitionKind::Internal;
        }
        let inside = |source: usize, target: Target| match target {
            Target::State(state) => state != source && self.plan.contains(source, state),
            Target::Point(point) => self.plan.contains(source, self.plan.points[point].owner),
        };
        let local = sources
            .iter()
            .all(|&source| targets.iter().all(|&target| inside(source, target)));
        let external = !sources.contains(&0) && (!local || self.rng.chance(40));
        if external {
            TransitionKind::External
        } else {
            TransitionKind::Local
        }
    }
}
