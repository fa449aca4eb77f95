//! Lists of candidates, cut into the parts of their states.
//!
//! The ROM has one list per leaf and column, from the leaf to the root:
//!
//! ```text
//!   leaf D2 in D in P, column "hit":   │ t7  t8 │ t3 │ defer(P)  t1 │
//!                                        D2       D    P
//! ```

use statewright_rom::Reaction;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::context::Context;
use crate::select::conditions::Candidate;
use crate::select::{Ask, Member};

/// The part of a list that belongs to one state.
pub(crate) struct Group<'a> {
    pub(crate) state: StateId,
    pub(crate) members: &'a [Member],
    /// A transition that waits in the state and is to be asked, too.
    pub(crate) latched: Option<TransitionId>,
}

impl Group<'_> {
    /// A scored transition of the same trigger and priority. One that waits is asked alone.
    pub(crate) fn rival<'c>(
        &self,
        cx: &Context<'c>,
        member: &Member,
        first: &Candidate<'_>,
    ) -> Option<Candidate<'c>> {
        let Some(Reaction::Transition(id)) = Reaction::read(member) else {
            return None;
        };
        let other = cx.candidate(id).filter(|_| self.latched != Some(id))?;
        let rival = other.has(transition_flag::SCORED)
            && other.record.trigger == first.record.trigger
            && other.priority() == first.priority();
        rival.then_some(other)
    }
}

/// Goes through a list state by state. Where latched transitions are asked, every state on the way
/// is visited, because each may have one.
pub(crate) struct Groups<'a> {
    list: &'a [Member],
    /// The next state on the way to the root, if every state is visited.
    path: Option<Option<StateId>>,
}

impl<'a> Groups<'a> {
    pub(crate) fn plain(list: &'a [Member]) -> Self {
        Self { list, path: None }
    }

    pub(crate) fn of_leaf(cx: &Context<'_>, ask: &Ask, leaf: StateId, list: &'a [Member]) -> Self {
        let visits_all = ask.latched && cx.rom.has(feature::LATCH);
        Self {
            list,
            path: visits_all.then_some(Some(leaf)),
        }
    }

    /// Bound: the list, or the depth of the tree.
    pub(crate) fn next(&mut self, cx: &Context<'_>) -> Option<Group<'a>> {
        let Some(state) = self.path else {
            return self.split_first(cx);
        };
        let state = state?;
        self.path = Some(cx.rom.parent(state));
        let mut rest = Groups {
            list: self.list,
            path: None,
        };
        let members = match rest.split_first(cx) {
            Some(group) if group.state == state => {
                self.list = rest.list;
                group.members
            }
            _ => &[],
        };
        Some(Group {
            state,
            members,
            latched: cx.latched(state),
        })
    }

    /// Splits the first state's part off the list.
    fn split_first(&mut self, cx: &Context<'_>) -> Option<Group<'a>> {
        let state = cx.proved(cx.state_of(self.list.first()?))?;
        let end = self
            .list
            .iter()
            .position(|candidate| cx.state_of(candidate) != Some(state))
            .unwrap_or(self.list.len());
        let (members, rest) = cx.proved(self.list.split_at_checked(end))?;
        self.list = rest;
        Some(Group {
            state,
            members,
            latched: None,
        })
    }
}

impl Context<'_> {
    /// The state that a member of a list belongs to.
    #[inline]
    pub(super) fn state_of(&self, member: &Member) -> Option<StateId> {
        match Reaction::read(member)? {
            Reaction::Transition(id) => StateId::read(self.rom.transition(id)?.source),
            Reaction::Deferral(state) => Some(state),
        }
    }
}
