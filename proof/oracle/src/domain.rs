//! The domain of a transition and its exit set (EXEC-2, EXEC-5).

use std::collections::BTreeSet;

use statewright_author::graph::StateKind;

use crate::model::{Kind, Target};
use crate::oracle::Oracle;

/// A state that stays active, and those of its regions in which everything is exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Domain {
    pub(crate) state: usize,
    pub(crate) regions: BTreeSet<usize>,
}

/// Where a target lies, as far as the domain is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    State(usize),
    /// A direct child of this state, or all of its regions.
    Inside(usize),
}

impl Oracle {
    /// The domain; `None` for an internal transition.
    pub(crate) fn domain(&self, transition: usize) -> Option<Domain> {
        let record = &self.model.transitions[transition];
        match record.kind {
            Kind::Internal => None,
            Kind::Local => {
                let anchors = self.anchors(&record.targets);
                let inside = |anchor: &Anchor| match *anchor {
                    Anchor::State(state) => self.model.around(record.source, state),
                    Anchor::Inside(owner) => {
                        owner == record.source || self.model.around(record.source, owner)
                    }
                };
                // In SCXML what is remembered decides whether all targets lie inside.
                let local = !self.model.scxml_details || anchors.iter().all(inside);
                Some(match local {
                    true => self.local_domain(record.source, &anchors),
                    false => self.external_domain(record.source, &anchors, true),
                })
            }
            Kind::External => {
                let compound_only = self.model.scxml_details;
                Some(self.external_domain(
                    record.source,
                    &self.anchors(&record.targets),
                    compound_only,
                ))
            }
            // A push belongs to a region in any case.
            Kind::Push => {
                Some(self.external_domain(record.source, &self.anchors(&record.targets), false))
            }
            Kind::Pop(region) => Some(Domain {
                state: self.model.regions[region].owner,
                regions: BTreeSet::from([region]),
            }),
        }
    }

    /// The source and its regions without a target stay.
    fn local_domain(&self, source: usize, anchors: &[Anchor]) -> Domain {
        let regions = anchors
            .iter()
            .flat_map(|&anchor| self.regions_of(source, anchor))
            .collect();
        Domain {
            state: source,
            regions,
        }
    }

    /// The least common ancestor; of an orthogonal one a single region, or all of it is left.
    fn external_domain(&self, source: usize, anchors: &[Anchor], compound_only: bool) -> Domain {
        let compound =
            |outer: usize| outer == 0 || self.model.states[outer].kind == StateKind::Compound;
        let around = |&outer: &usize| {
            outer != source
                && (compound(outer) || !compound_only)
                && anchors.iter().all(|anchor| match *anchor {
                    Anchor::State(state) => self.model.around(outer, state),
                    Anchor::Inside(owner) => outer == owner || self.model.around(outer, owner),
                })
        };
        let common = self
            .model
            .up(source)
            .find(around)
            .expect("the root is around everything");
        let mut regions: BTreeSet<usize> = anchors
            .iter()
            .flat_map(|&anchor| self.regions_of(common, anchor))
            .collect();
        regions.insert(self.model.region_towards(common, source));
        if regions.len() == 1 {
            return Domain {
                state: common,
                regions,
            };
        }
        match self.model.states[common].parent {
            Some(parent) => {
                let region = self.model.states[common]
                    .region
                    .expect("a child has a region");
                Domain {
                    state: parent,
                    regions: BTreeSet::from([region]),
                }
            }
            // The root is never left: all of its regions are.
            None => Domain {
                state: common,
                regions: self.model.states[common].regions.iter().copied().collect(),
            },
        }
    }

    /// The regions of a state that an anchor inside it lies in.
    fn regions_of(&self, outer: usize, anchor: Anchor) -> Vec<usize> {
        match anchor {
            Anchor::State(state) => vec![self.model.region_towards(outer, state)],
            Anchor::Inside(owner) if owner == outer => self.model.states[owner].regions.clone(),
            Anchor::Inside(owner) => vec![self.model.region_towards(outer, owner)],
        }
    }

    /// A history point counts as what it remembers, else as its default (EXEC-2, history
    /// targets).
    fn anchors(&self, targets: &[Target]) -> Vec<Anchor> {
        let mut anchors = Vec::new();
        for &target in targets {
            match target {
                Target::State(state) => anchors.push(Anchor::State(state)),
                Target::Point(number) => {
                    let point = &self.model.points[number];
                    match &self.history[number] {
                        Some(states) => {
                            anchors.extend(states.iter().map(|&state| Anchor::State(state)))
                        }
                        None if point.default.is_empty() => {
                            anchors.push(Anchor::Inside(point.owner))
                        }
                        None => {
                            anchors.extend(point.default.iter().map(|&default| match default {
                                // Where a choice will lead is not known yet, only that it stays
                                // inside the owner.
                                Target::State(state)
                                    if self.model.states[state].kind == StateKind::Choice =>
                                {
                                    Anchor::Inside(point.owner)
                                }
                                Target::State(state) => Anchor::State(state),
                                Target::Point(other)
                                    if self.model.points[other].owner == point.owner =>
                                {
                                    Anchor::Inside(point.owner)
                                }
                                Target::Point(other) => {
                                    Anchor::State(self.model.points[other].owner)
                                }
                            }))
                        }
                    }
                }
            }
        }
        anchors
    }

    /// What a transition exits (or suspends).
    pub(crate) fn exit_set(&self, domain: &Option<Domain>) -> BTreeSet<usize> {
        domain
            .as_ref()
            .map_or_else(BTreeSet::new, |domain| self.active_in(&domain.regions))
    }

    /// Whether source and all targets lie in a region: then the frames of the region are left alone
    /// (EXEC-8). A history point lies where its owner lies, so a point of the region's own
    /// owner does not lie in the region.
    pub(crate) fn stays_in(&self, transition: usize, region: usize) -> bool {
        let record = &self.model.transitions[transition];
        self.model.in_region(region, record.source)
            && record
                .targets
                .iter()
                .all(|&target| self.target_in(region, target))
    }
}
