//! Which of the transitions found go together (SEL-4).

use statewright_rom::Rom;
use statewright_rom::layout::*;

use crate::bugs::{self, Bug};
use crate::conditions::Candidate;
use crate::core_state::{Core, Leaves};
use crate::fault::Fault;
use crate::host::Cause;
use crate::ram::bit;
use crate::scope::Scope;
use crate::select::{Pick, Selection};
use crate::tick::Run;
use crate::trace::{Reason, Trace};

/// A transition that will be carried out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted<'a> {
    pub(crate) candidate: Candidate<'a>,
    pub(crate) scope: Scope,
    pub(crate) cause: Cause,
}

/// Transitions that are carried out together, in the order of their effects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    accepted: [Option<Accepted<'a>>; MAX_LEAVES],
}

impl<'a> Step<'a> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Accepted<'a>)> {
        self.accepted.iter().enumerate().filter_map(|(place, one)| one.as_ref().map(|one| (place, one)))
    }

    pub(crate) fn count(&self) -> usize {
        self.iter().count()
    }

    /// The regions that are left, in the order in which they stand in the tree. Transitions that leave several regions may
    /// have those of others between them.
    pub(crate) fn units(&self, core: &Core<'_>, leaves: &Leaves) -> [Option<Unit>; MAX_LEAVES] {
        let mut units = [None; MAX_LEAVES];
        let moving = self.iter().filter(|(_, one)| !one.candidate.has(transition_flag::INTERNAL));
        let all = moving.flat_map(|(place, one)| {
            let regions = (0_u8..).zip(core.rom.region_ids_of(one.scope.domain));
            let left = regions.filter(|&(number, _)| one.scope.regions & bit(number) != 0);
            left.map(move |(number, region)| {
                let span = core.rom.region_span(region).unwrap_or((0, 0));
                Unit { place, number, first: span.0, leaves: leaves.mask_in(span.0, span.1) }
            })
        });
        for (cell, unit) in units.iter_mut().zip(all) {
            *cell = Some(unit);
        }
        units.sort_unstable_by_key(|unit| unit.map_or(u16::MAX, |unit| unit.first));
        units
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Accepted<'a>> {
        self.accepted.get(place).and_then(Option::as_ref)
    }
}

/// One region that a transition leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// The transition, by its place.
    pub(crate) place: usize,
    /// Number of the region in the domain.
    pub(crate) number: u8,
    first: u16,
    /// Active leaves in it, one bit per place.
    pub(crate) leaves: u8,
}

impl<'a> Run<'_, 'a> {
    /// The only candidate, which nobody is in conflict with.
    pub(crate) fn accept_only(&mut self, selection: &Selection, pick: Pick) -> Result<Accepted<'a>, Fault> {
        let candidate = self.core.candidate(pick.transition).ok_or(Fault::BadPlan)?;
        let scope = self.core.scope(pick.transition, &selection.leaves).ok_or(Fault::BadPlan)?;
        if self.tracing {
            self.host.trace(&Trace::Taken(pick.transition));
        }
        Ok(Accepted { candidate, scope, cause: selection.cause(self.core, pick, candidate.record) })
    }

    /// Accepts candidates by priority, then post-order of sources, as long as exit sets are disjoint.
    pub(crate) fn arbitrate(&mut self, selection: &Selection) -> Result<Step<'a>, Fault> {
        let mut found: [Option<Accepted<'a>>; MAX_LEAVES] = [None; MAX_LEAVES];
        for (cell, pick) in found.iter_mut().zip(selection.iter()) {
            let candidate = self.core.candidate(pick.transition).ok_or(Fault::BadPlan)?;
            let scope = self.core.scope(pick.transition, &selection.leaves).ok_or(Fault::BadPlan)?;
            *cell = Some(Accepted { candidate, scope, cause: selection.cause(self.core, pick, candidate.record) });
        }
        let mut left = 0_u8;
        let mut refused = [false; MAX_LEAVES];
        let mut judged = [false; MAX_LEAVES];
        // Bound: each round judges one candidate.
        for _ in 0..MAX_LEAVES {
            let Some(place) = self.first_unjudged(&found, &judged) else { break };
            let Some(one) = found.get(place).copied().flatten() else { break };
            if let Some(cell) = judged.get_mut(place) {
                *cell = true;
            }
            let conflict = one.scope.leaves & left != 0;
            if conflict && !bugs::has(Bug::ConflictBySource) {
                if let Some(cell) = refused.get_mut(place) {
                    *cell = true;
                }
                self.reject(one.candidate.id, Reason::LostConflict);
            } else {
                left |= one.scope.leaves;
            }
        }
        for (cell, refused) in found.iter_mut().zip(refused) {
            if refused {
                *cell = None;
            }
        }
        if self.tracing {
            found.iter().flatten().for_each(|one| self.host.trace(&Trace::Taken(one.candidate.id)));
        }
        Ok(Step { accepted: found })
    }

    fn first_unjudged(&self, found: &[Option<Accepted<'a>>], judged: &[bool]) -> Option<usize> {
        let open = found.iter().zip(judged).enumerate().filter(|(_, (_, judged))| !**judged);
        let open = open.filter_map(|(place, (one, _))| one.as_ref().map(|one| (place, one)));
        let rom = self.core.rom;
        open.reduce(|best, other| if goes_before(rom, other.1, best.1) { other } else { best }).map(|(place, _)| place)
    }
}

/// Priority, then post-order of the sources, then declaration.
fn goes_before(rom: &Rom<'_>, a: &Accepted<'_>, b: &Accepted<'_>) -> bool {
    let (first, second) = (a.candidate.priority(), b.candidate.priority());
    if first != second && !bugs::has(Bug::ArbitrationByOrderOnly) {
        return first > second;
    }
    let (x, y) = (a.candidate.source, b.candidate.source);
    if x == y {
        return a.candidate.id < b.candidate.id;
    }
    if rom.is_inside(x, y) {
        true
    } else if rom.is_inside(y, x) {
        false
    } else {
        x < y
    }
}
