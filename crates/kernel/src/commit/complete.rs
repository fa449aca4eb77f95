//! When a state is complete (EXEC-6).

use statewright_rom::ids::StateId;
use statewright_rom::layout::{MAX_DEPTH, StateKind, policy};

use crate::context::Context;
use crate::instance::event::event_flag;
use crate::instance::leaves::Leaves;

impl Context<'_> {
    pub(crate) fn is_final(&self, state: StateId) -> bool {
        self.state(state)
            .is_some_and(|record| record.kind == StateKind::Final)
    }

    /// Is a state complete? A compound is when its active child is final, an orthogonal one when
    /// all regions are, through nested ones too. So every active leaf below must be final, and
    /// from the state around that leaf upward there may be only orthogonal states.
    pub(crate) fn is_complete(&self, state: StateId) -> bool {
        let leaves = self.leaves();
        let mut below = leaves
            .iter()
            .filter(|&(_, leaf)| self.rom.is_inside(leaf, state))
            .peekable();
        below.peek().is_some() && below.all(|(_, leaf)| self.completes(leaf, state))
    }

    fn completes(&self, leaf: StateId, state: StateId) -> bool {
        let is =
            |at: StateId, kind: StateKind| self.state(at).is_some_and(|record| record.kind == kind);
        let around = self
            .rom
            .path_up(leaf)
            .skip(2)
            .take_while(|&at| self.rom.is_ancestor_or_self(state, at));
        is(leaf, StateKind::Final) && around.into_iter().all(|at| is(at, StateKind::Orthogonal))
    }

    /// After the entries of a microstep: states that a final state just completed forget their
    /// history and say so (EXEC-4, EVT-10). `entered` are the leaves entered in this microstep;
    /// a state speaks with the last of them, innermost first.
    #[inline(never)]
    pub(crate) fn announce_completion(&mut self, entered: &Leaves) {
        for (rank, leaf) in entered.iter() {
            let later = |state: StateId| {
                entered
                    .iter()
                    .any(|(r, other)| r > rank && self.rom.is_inside(other, state))
            };
            let around = self
                .rom
                .path_up(leaf)
                .skip(1)
                .take_while(|&state| !later(state) && self.is_complete(state));
            let mut states = [None; MAX_DEPTH];
            states
                .iter_mut()
                .zip(around)
                .for_each(|(cell, state)| *cell = Some(state));
            states
                .into_iter()
                .flatten()
                .for_each(|state| self.completed(state));
        }
    }

    fn completed(&mut self, state: StateId) {
        if self.forgets(state) {
            self.clear_history(state);
        }
        if !self.has_policy(policy::SCXML_DETAILS) {
            self.post_done(state);
        }
    }

    /// In SCXML a state says that it is complete right after the entry of the final state, between
    /// other entries (EVT-10).
    #[inline(never)]
    pub(crate) fn post_done_around(&mut self, leaf: StateId) {
        // Between two entries of a microstep some regions have no leaf.
        let whole = |&state: &StateId| {
            self.is_complete(state) && self.is_whole(&self.leaves(), state, u8::MAX)
        };
        let mut states = [None; MAX_DEPTH];
        let around = self.rom.path_up(leaf).skip(1).take_while(whole);
        states
            .iter_mut()
            .zip(around)
            .for_each(|(cell, state)| *cell = Some(state));
        states
            .into_iter()
            .flatten()
            .for_each(|state| self.post_done(state));
    }

    fn post_done(&mut self, state: StateId) {
        if self.has_policy(policy::DONE_EVENTS)
            && let Some(event) = self.rom.done_event(state)
        {
            self.post_own(event, None, [0; 4], event_flag::INTERNAL);
        }
    }
}
