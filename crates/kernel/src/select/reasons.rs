//! Reasons of candidates that were never asked (SEL-7). Runs only while tracing.

use statewright_rom::Reaction;
use statewright_rom::ids::*;
use statewright_rom::layout::transition_flag;

use crate::host::trace::Reason;
use crate::instance::leaves::{Leaves, Rank};
use crate::select::conditions::Candidate;
use crate::select::groups::{Group, Groups};
use crate::select::{Ask, Found, Member, Pick};
use crate::tick::Tick;

impl Tick<'_, '_> {
    /// Tells the tracer about everyone that was not asked: after an interrupt, or after each leaf's
    /// winner.
    pub(crate) fn trace_rest(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        interrupt: Option<Pick>,
        found: &[Found],
    ) {
        if !self.tracing || self.host.is_outline() {
            return;
        }
        for (rank, leaf) in leaves.iter() {
            let lists = self.list(leaf, ask.column);
            self.trace_interrupts(ask, leaves, rank, lists.interrupts, interrupt);
            let mut groups = Groups::of_leaf(self.cx, ask, leaf, lists.others);
            while let Some(group) = groups.next(self.cx) {
                self.trace_group(ask, leaves, rank, &group, interrupt.is_some(), found);
            }
        }
    }

    /// Interrupts after the one that stands alone.
    fn trace_interrupts(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        rank: Rank,
        list: &[Member],
        taken: Option<Pick>,
    ) {
        let Some(taken) = taken.and_then(|taken| self.cx.candidate(taken.transition)) else {
            return;
        };
        let mut groups = Groups::plain(list);
        while let Some(group) = groups.next(self.cx) {
            let first = self.is_first_leaf(leaves, rank, group.state);
            // Pre-order: states before the winner's have been asked.
            if first && group.state > taken.source {
                self.reject_members(ask, &group, Reason::NotReached, None);
            } else if first && group.state == taken.source {
                self.reject_members(ask, &group, Reason::NotReached, Some(taken.id));
            }
        }
    }

    fn is_first_leaf(&self, leaves: &Leaves, rank: Rank, state: StateId) -> bool {
        !leaves
            .iter()
            .any(|(r, other)| r < rank && self.cx.rom.is_ancestor_or_self(state, other))
    }

    fn trace_group(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        rank: Rank,
        group: &Group<'_>,
        interrupted: bool,
        found: &[Found],
    ) {
        if !self.is_first_leaf(leaves, rank, group.state) {
            return;
        }
        if interrupted {
            return self.reject_members(ask, group, Reason::Outranked, None);
        }
        let rom = self.cx.rom;
        let mut below = leaves
            .iter()
            .zip(found)
            .filter(|((_, leaf), _)| rom.is_ancestor_or_self(group.state, *leaf));
        let asked = below.clone().any(|(_, end)| {
            end.at
                .is_none_or(|at| rom.is_ancestor_or_self(at, group.state))
        });
        let decided = |end: &Found| end.pick.map(|pick| pick.transition).or(end.handled);
        let winner =
            below.find_map(|(_, end)| decided(end).filter(|_| end.at == Some(group.state)));
        match (asked, winner) {
            (false, _) => self.reject_members(ask, group, Reason::NotReached, None),
            (true, Some(winner)) => {
                self.reject_members(ask, group, Reason::NotReached, Some(winner))
            }
            (true, None) => {}
        }
    }

    /// Gives a reason to the members of a group, or only to those that were not asked because there
    /// was a winner.
    fn reject_members(
        &mut self,
        ask: &Ask,
        group: &Group<'_>,
        reason: Reason,
        winner: Option<TransitionId>,
    ) {
        let winner = winner.and_then(|winner| self.cx.candidate(winner));
        let won_at = winner.map(|winner| self.asked_at(group, &winner));
        for member in group.members {
            let Some(Reaction::Transition(id)) = Reaction::read(member) else {
                continue;
            };
            let Some(candidate) = self
                .cx
                .candidate(id)
                .filter(|c| self.cx.is_triggered(ask, c))
            else {
                continue;
            };
            // A latched one is told below; a group is judged together, at the place of its first
            // member.
            if group.latched != Some(id)
                && won_at.is_none_or(|won_at| self.asked_at(group, &candidate) > won_at)
            {
                self.reject(id, reason);
            }
        }
        if let Some(latched) = group
            .latched
            .filter(|&latched| won_at.is_none_or(|won_at| latched > won_at))
        {
            self.reject(latched, reason);
        }
    }

    /// The transition at whose place a candidate is asked: itself, or the first of its group of
    /// scored ones.
    fn asked_at(&self, group: &Group<'_>, candidate: &Candidate<'_>) -> TransitionId {
        let latched = group.latched == Some(candidate.id);
        let first = group
            .members
            .iter()
            .find(|member| group.rival(self.cx, member, candidate).is_some());
        let scored = candidate.has(transition_flag::SCORED) && !latched;
        let first = first
            .filter(|_| scored)
            .and_then(|member| TransitionId::read(member.index));
        first.unwrap_or(candidate.id)
    }
}
