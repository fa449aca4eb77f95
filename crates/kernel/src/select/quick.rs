//! What an event or a timer leads to where one active leaf alone has candidates: no search, because
//! no two leaves can share a state that reacts.
//!
//! Its list is asked from the first to the last, and the search ends with the first answer:
//!
//! ```text
//!   leaf D2 in D in P, column "hit":   │ t7  t8 │ t3 │ defer(P)  t1 │
//!                                        └ scored: each group once, at its first
//! ```

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Candidates, Reaction};

use crate::context::Context;
use crate::fault::Fault;
use crate::instance::leaves::Leaves;
use crate::select::conditions::Candidate;
use crate::select::groups::Group;
use crate::select::{Answer, Ask, Found, Member, Selection};
use crate::tick::Tick;
use crate::toggles::{self, Optimization};

impl<'a> Tick<'_, 'a> {
    /// Finds the transitions for an event or a timer.
    pub(crate) fn select_event(&mut self, ask: &Ask) -> Result<Selection, Fault> {
        if self.tells_steps || !toggles::has(Optimization::Polling) {
            return self.select(ask);
        }
        let leaves = self.cx.leaves();
        let only = self.cx.only_list(ask.column, &leaves);
        if let OnlyList::Several = only {
            return self.select(ask);
        }
        // Before anybody is asked: one that is kept for later is told of this event.
        self.tell_selection(ask.cause);
        let found = match only {
            OnlyList::One(leaf, list) => self.ask_only_list(ask, &leaves, leaf, &list)?,
            OnlyList::None | OnlyList::Several => Found::default(),
        };
        let mut selection = Selection::new(ask.cause, leaves);
        selection.note(self.cx, &found);
        Ok(selection)
    }

    /// Kept apart: what it needs of the stack is free again when user code is called.
    #[inline(never)]
    fn ask_only_list(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        leaf: StateId,
        list: &Candidates<'a>,
    ) -> Result<Found, Fault> {
        if !list.interrupts.is_empty() {
            let found = self.ask_list(ask, leaves, leaf, list.interrupts)?;
            if found.pick.is_some() {
                return Ok(found);
            }
        }
        self.ask_list(ask, leaves, leaf, list.others)
    }

    /// Where the search of a list ends.
    fn ask_list(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        leaf: StateId,
        list: &[Member],
    ) -> Result<Found, Fault> {
        for (place, member) in list.iter().enumerate() {
            let id = match Reaction::read(member) {
                Some(Reaction::Transition(id)) => id,
                // A timer is not put off.
                Some(Reaction::Deferral(_)) if ask.timer => continue,
                Some(Reaction::Deferral(state)) => return Ok(Found::deferred(state)),
                None => continue,
            };
            let Some(candidate) = self.cx.candidate(id) else {
                continue;
            };
            self.cx.check_on_path(candidate.source, leaf)?;
            let answer = self.ask_member(ask, leaves, (list, place), &candidate)?;
            if let Some(found) = Found::by(candidate.source, answer) {
                return Ok(found);
            }
        }
        Ok(Found::default())
    }

    /// Asks one candidate, or the group that it is the first of.
    fn ask_member(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        (list, place): (&[Member], usize),
        candidate: &Candidate<'a>,
    ) -> Result<Answer, Fault> {
        if !self.cx.is_triggered(ask, candidate) {
            return Ok(Answer::NoMatch);
        }
        if !candidate.has(transition_flag::SCORED) {
            return Ok(self.ask_one(ask, leaves, candidate));
        }
        let (group, place) = self.cx.group_around(list, place, candidate.source);
        self.ask_first_scored(ask, leaves, &group, (place, candidate))
    }
}

/// The lists that active leaves have for a column.
enum OnlyList<'a> {
    None,
    One(StateId, Candidates<'a>),
    Several,
}

impl<'a> Context<'a> {
    fn only_list(&self, column: Column, leaves: &Leaves) -> OnlyList<'a> {
        let mut only = None;
        for (_, leaf) in leaves.iter() {
            let row = self.rom.row_of(leaf);
            let list = row.and_then(|row| self.rom.candidate_list(row, column));
            match (list, only) {
                (None, _) => {}
                (Some(list), None) => only = Some((leaf, list)),
                (Some(_), Some(_)) => return OnlyList::Several,
            }
        }
        only.map_or(OnlyList::None, |(leaf, list)| {
            OnlyList::One(leaf, self.rom.candidates_of(list))
        })
    }

    /// The part of a list that belongs to the state of one of its members, and the member's place in
    /// it.
    fn group_around<'m>(
        &self,
        list: &'m [Member],
        place: usize,
        state: StateId,
    ) -> (Group<'m>, usize) {
        let own = |member: &&Member| self.state_of(member) == Some(state);
        let (before, from) = list.split_at_checked(place).unwrap_or((&[], list));
        let earlier = before.iter().rev().take_while(own).count();
        let first = before.len().saturating_sub(earlier);
        let end = place.saturating_add(from.iter().take_while(own).count());
        let members = self.proved(list.get(first..end)).unwrap_or(&[]);
        let group = Group {
            state,
            members,
            latched: None,
        };
        (group, earlier)
    }
}
