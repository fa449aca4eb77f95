//! Choosing transitions (SEL-1 to SEL-3, EVT-5): interrupts first, then per leaf from leaf to root.
//!
//! The lists of candidates come from the ROM, one per leaf and column. A state's part of a list is
//! asked once: whether an earlier leaf has asked it already follows from where that leaf's search
//! ended.

use core::cmp::Ordering;

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Reaction, Rom};

use crate::context::Context;
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::{Reason, Trace};
use crate::instance::leaves::{Leaves, Rank};
use crate::poll::Halt;
use crate::select::conditions::{Candidate, Exit};
use crate::select::groups::{Group, Groups};
use crate::tick::Tick;

pub(crate) mod arbitrate;
pub(crate) mod conditions;
mod groups;
mod quick;
pub(crate) mod reasons;
pub(crate) mod scope;
mod scored;

/// One entry of a candidate list.
pub(crate) type Member = statewright_rom::layout::Candidate;

/// What is being selected for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub(crate) column: Column,
    pub(crate) cause: Cause,
    /// A timer fires in this column: `any` and deferrals do not count.
    pub(crate) timer: bool,
    /// Latched transitions are tried, too.
    pub(crate) latched: bool,
    /// Some were asked already: the search goes on from here.
    pub(crate) halt: Option<Halt>,
}

/// A transition that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick {
    pub(crate) transition: TransitionId,
    /// It waited: its cause is that of its own trigger (SEL-6).
    latched: bool,
}

/// What was found, in the order of the leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection {
    /// What was selected for.
    pub(crate) cause: Cause,
    /// The leaves that were active.
    pub(crate) leaves: Leaves,
    picks: [Option<Pick>; MAX_LEAVES],
    count: u8,
    pub(crate) deferred: bool,
    /// The event is taken although nothing is carried out: a transition waits (SEL-6), or one won
    /// that means to stay (LANG-6).
    pub(crate) handled: bool,
}

impl Selection {
    fn new(cause: Cause, leaves: Leaves) -> Self {
        Self {
            cause,
            leaves,
            picks: [None; MAX_LEAVES],
            count: 0,
            deferred: false,
            handled: false,
        }
    }

    /// One transition that was found elsewhere.
    pub(crate) fn of_one(cx: &Context<'_>, transition: TransitionId, cause: Cause) -> Self {
        let mut selection = Self::new(cause, cx.leaves());
        let latched = false;
        selection.add(
            cx,
            Pick {
                transition,
                latched,
            },
        );
        selection
    }

    fn add(&mut self, cx: &Context<'_>, pick: Pick) {
        if self.iter().any(|other| other.transition == pick.transition) {
            return;
        }
        match self.picks.get_mut(usize::from(self.count)) {
            Some(cell) => {
                *cell = Some(pick);
                self.count = self.count.saturating_add(1);
            }
            None => cx.impossible("each leaf picks one transition at most"),
        }
    }

    fn note(&mut self, cx: &Context<'_>, end: &Found) {
        match end.pick {
            Some(pick) => self.add(cx, pick),
            None if end.handled.is_some() => self.handled = true,
            None => self.deferred |= end.at.is_some(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Pick> + use<'_> {
        self.picks.iter().copied().flatten()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The only transition found.
    pub(crate) fn only(&self) -> Option<Pick> {
        let [first, ..] = self.picks;
        if self.count == 1 { first } else { None }
    }
}

impl Pick {
    /// What it is carried out for: what was selected for, or its own trigger if it waited.
    pub(crate) fn cause(self, rom: &Rom<'_>, asked: Cause, record: &TransitionRecord) -> Cause {
        if self.latched {
            latched_cause(rom, record)
        } else {
            asked
        }
    }
}

/// How the search of one leaf ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// The state that decided; `None` if the search went past the root.
    pub(crate) at: Option<StateId>,
    /// Its transition; `None` if it defers, or if nothing is carried out.
    pub(crate) pick: Option<Pick>,
    /// The transition that has taken the event without being carried out.
    pub(crate) handled: Option<TransitionId>,
}

impl Found {
    /// A state keeps the event for later.
    fn deferred(state: StateId) -> Self {
        Self {
            at: Some(state),
            ..Self::default()
        }
    }

    /// The search ends at a state with what it says, unless that is nothing.
    fn by(state: StateId, answer: Answer) -> Option<Self> {
        let (pick, handled) = match answer {
            Answer::Picked(pick) => (Some(pick), None),
            Answer::Handled(id) => (None, Some(id)),
            Answer::NoMatch => return None,
        };
        let at = Some(state);
        Some(Self { at, pick, handled })
    }
}

/// What a state says.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// Nobody here.
    NoMatch,
    /// This one.
    Picked(Pick),
    /// This one has taken the event, and nothing is carried out: it waits (SEL-6), or it means to
    /// stay (LANG-6).
    Handled(TransitionId),
}

impl<'a> Tick<'_, 'a> {
    /// Finds the transitions for an event, a timer or an eventless round.
    pub(crate) fn select(&mut self, ask: &Ask) -> Result<Selection, Fault> {
        let leaves = self.cx.leaves();
        self.tell_selection(ask.cause);
        if leaves.len() == 1
            && let Some(halt) = ask.halt
            && let Some(found) = self.found_by_scan(ask, &leaves, &halt)?
        {
            let mut selection = Selection::new(ask.cause, leaves);
            selection.note(self.cx, &found);
            return Ok(selection);
        }
        if let Some(pick) = self.select_interrupt(ask, &leaves)? {
            let mut selection = Selection::new(ask.cause, leaves);
            selection.add(self.cx, pick);
            self.trace_rest(ask, &leaves, Some(pick), &[]);
            return Ok(selection);
        }
        let mut selection = Selection::new(ask.cause, leaves);
        if leaves.len() == 1
            && let Some(leaf) = leaves.get(Rank::FIRST)
        {
            let end = self.select_leaf(ask, &leaves, (Rank::FIRST, leaf), &[])?;
            selection.note(self.cx, &end);
            self.trace_rest(ask, &leaves, None, core::slice::from_ref(&end));
            return Ok(selection);
        }
        let mut found = [Found::default(); MAX_LEAVES];
        for (rank, leaf) in leaves.iter() {
            let asked = self.cx.proved(found.get(..rank.index()));
            let asked = asked.ok_or(Fault::Impossible)?;
            let end = self.select_leaf(ask, &leaves, (rank, leaf), asked)?;
            selection.note(self.cx, &end);
            *self
                .cx
                .proved(found.get_mut(rank.index()))
                .ok_or(Fault::Impossible)? = end;
        }
        self.trace_rest(ask, &leaves, None, &found);
        Ok(selection)
    }

    /// Tells a tracer that somebody is looked for.
    #[inline]
    fn tell_selection(&mut self, cause: Cause) {
        if self.tracing {
            self.tell_notes();
            self.trace_timers(0);
            self.host.trace(&Trace::Select(cause));
        }
    }

    pub(crate) fn list(&self, leaf: StateId, column: Column) -> statewright_rom::Candidates<'a> {
        let rom = self.cx.rom;
        let list = self
            .cx
            .expected(rom.row_of(leaf))
            .and_then(|row| rom.candidate_list(row, column));
        list.map_or_else(Default::default, |list| rom.candidates_of(list))
    }

    /// What is still to be asked of the list of a leaf.
    fn rest_of_list(
        &self,
        ask: &Ask,
        (rank, leaf): (Rank, StateId),
    ) -> statewright_rom::Candidates<'a> {
        let mut list = self.list(leaf, ask.column);
        let Some(halt) = ask.halt else {
            return list;
        };
        let asked = if halt.interrupts {
            &mut list.interrupts
        } else {
            list.interrupts = &[];
            &mut list.others
        };
        match rank.cmp(&halt.rank) {
            Ordering::Less => *asked = &[],
            Ordering::Equal => {
                let is_halt = |member: &Member| member.index.get() == halt.transition;
                let place = asked.iter().position(is_halt);
                *asked = place.and_then(|place| asked.get(place..)).unwrap_or(&[]);
            }
            Ordering::Greater => {}
        }
        list
    }

    /// SEL-2 (a): interrupts of all active states in pre-order.
    fn select_interrupt(&mut self, ask: &Ask, leaves: &Leaves) -> Result<Option<Pick>, Fault> {
        if !self.cx.rom.has(feature::INTERRUPTS) {
            return Ok(None);
        }
        if let Some(halt) = ask.halt {
            if !halt.interrupts {
                return Ok(None);
            }
            if let Some(found) = self.found_by_scan(ask, leaves, &halt)? {
                return Ok(found.pick);
            }
        }
        for (rank, leaf) in leaves.iter() {
            let mut groups = Groups::plain(self.rest_of_list(ask, (rank, leaf)).interrupts);
            while let Some(group) = groups.next(self.cx) {
                let rom = self.cx.rom;
                self.cx.check_on_path(group.state, leaf)?;
                // An earlier leaf below the same state has asked it.
                let asked = leaves
                    .iter()
                    .any(|(r, other)| r < rank && rom.is_ancestor_or_self(group.state, other));
                if !asked && let Answer::Picked(pick) = self.ask_state(ask, leaves, &group)? {
                    return Ok(Some(pick));
                }
            }
        }
        Ok(None)
    }

    /// SEL-2 (b): from a leaf to the root, the first enabled transition or deferring state.
    fn select_leaf(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        (rank, leaf): (Rank, StateId),
        asked: &[Found],
    ) -> Result<Found, Fault> {
        if let Some(halt) = ask.halt.filter(|halt| !halt.interrupts) {
            match rank.cmp(&halt.rank) {
                Ordering::Less => return Ok(self.found_before(rank, &halt)),
                Ordering::Equal => {
                    if let Some(found) = self.found_by_scan(ask, leaves, &halt)? {
                        return Ok(found);
                    }
                }
                Ordering::Greater => {}
            }
        }
        let list = self.rest_of_list(ask, (rank, leaf)).others;
        let mut groups = Groups::of_leaf(self.cx, ask, leaf, list);
        while let Some(group) = groups.next(self.cx) {
            if let Some(found) = self.decide(ask, leaves, leaf, asked, &group)? {
                return Ok(found);
            }
        }
        Ok(Found::default())
    }

    /// Where the search of a leaf before the halt ended.
    fn found_before(&self, rank: Rank, halt: &Halt) -> Found {
        let id = TransitionId::new(halt.before).filter(|_| rank == halt.before_rank);
        let candidate = id.and_then(|id| self.cx.candidate(id));
        candidate.map_or_else(Found::default, |candidate| Found {
            at: Some(candidate.source),
            pick: Some(Pick {
                transition: candidate.id,
                latched: false,
            }),
            handled: None,
        })
    }

    /// Where the search of a leaf ends if a scan has asked everything that there is to ask.
    fn found_by_scan(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        halt: &Halt,
    ) -> Result<Option<Found>, Fault> {
        let id = TransitionId::new(halt.transition).filter(|_| halt.enabled);
        let Some(candidate) = id.and_then(|id| self.cx.candidate(id)) else {
            return Ok(None);
        };
        let leaf = self.cx.proved(leaves.get(halt.rank));
        self.cx
            .check_on_path(candidate.source, leaf.ok_or(Fault::Impossible)?)?;
        let answer = self.answer(ask, &candidate, Exit::Free);
        Ok(Found::by(candidate.source, answer))
    }

    /// Whether the search of a leaf ends at a state.
    fn decide(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        leaf: StateId,
        asked: &[Found],
        group: &Group<'_>,
    ) -> Result<Option<Found>, Fault> {
        let rom = self.cx.rom;
        self.cx.check_on_path(group.state, leaf)?;
        for ((_, other), end) in leaves.iter().zip(asked) {
            let reached = end
                .at
                .is_none_or(|at| rom.is_ancestor_or_self(at, group.state));
            if rom.is_ancestor_or_self(group.state, other) && reached {
                return Ok(if end.at == Some(group.state) {
                    Some(*end)
                } else {
                    None
                });
            }
        }
        let at = Some(group.state);
        let answer = self.ask_state(ask, leaves, group)?;
        if let Some(found) = Found::by(group.state, answer) {
            return Ok(Some(found));
        }
        let defers = !ask.timer
            && group
                .members
                .iter()
                .any(|member| member.kind == CandidateKind::Deferral);
        Ok(defers.then_some(Found {
            at,
            pick: None,
            handled: None,
        }))
    }

    /// SEL-3 inside one state.
    fn ask_state(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        group: &Group<'_>,
    ) -> Result<Answer, Fault> {
        let mut latched = group.latched;
        for (place, member) in group.members.iter().enumerate() {
            let Some(Reaction::Transition(id)) = Reaction::read(member) else {
                continue;
            };
            if let Some(stored) = latched.filter(|&stored| stored <= id) {
                latched = None;
                if let Some(pick) = self.ask_latched(stored, leaves) {
                    return Ok(Answer::Picked(pick));
                }
            }
            let waits = group.latched == Some(id);
            let triggered = self
                .cx
                .candidate(id)
                .filter(|c| !waits && self.cx.is_triggered(ask, c));
            let Some(candidate) = triggered else { continue };
            let answer = match candidate.has(transition_flag::SCORED) {
                true => self.ask_first_scored(ask, leaves, group, (place, &candidate))?,
                false => self.ask_one(ask, leaves, &candidate),
            };
            if !matches!(answer, Answer::NoMatch) {
                return Ok(answer);
            }
        }
        Ok(latched
            .and_then(|stored| self.ask_latched(stored, leaves))
            .map_or(Answer::NoMatch, Answer::Picked))
    }

    fn ask_one(&mut self, ask: &Ask, leaves: &Leaves, candidate: &Candidate<'_>) -> Answer {
        if !self.is_enabled(candidate, ask.cause) {
            return Answer::NoMatch;
        }
        let exit = self.may_leave(candidate, ask.cause, leaves);
        self.answer(ask, candidate, exit)
    }

    /// What an enabled candidate comes to. Storing takes the event; an eventless round has none to
    /// take and goes on (SEL-6). One that means to stay ends the search in every round (LANG-6).
    fn answer(&mut self, ask: &Ask, candidate: &Candidate<'_>, exit: Exit) -> Answer {
        let id = candidate.id;
        let eventless = self.cx.rom.eventless_column() == Some(ask.column);
        match exit {
            Exit::Free if candidate.has(transition_flag::STAY) => {
                self.reject(id, Reason::Stays);
                Answer::Handled(id)
            }
            Exit::Free => Answer::Picked(Pick {
                transition: id,
                latched: false,
            }),
            Exit::Stored if !eventless => Answer::Handled(id),
            Exit::Stored | Exit::Refused => Answer::NoMatch,
        }
    }

    /// A latched transition is asked everything but its trigger, guard, debounce and score (SEL-6).
    fn ask_latched(&mut self, id: TransitionId, leaves: &Leaves) -> Option<Pick> {
        let candidate = self.cx.candidate(id)?;
        let cause = latched_cause(self.cx.rom, candidate.record);
        let early = self
            .cx
            .cooldown_reason(&candidate)
            .or_else(|| self.cx.stack_reason(&candidate));
        if let Some(reason) = early {
            self.reject(id, reason);
            return None;
        }
        (self.may_leave(&candidate, cause, leaves) == Exit::Free).then_some(Pick {
            transition: id,
            latched: true,
        })
    }
}

impl Context<'_> {
    /// The states of a leaf's list are active with it.
    #[inline]
    fn check_on_path(&self, state: StateId, leaf: StateId) -> Result<(), Fault> {
        if self.rom.is_ancestor_or_self(state, leaf) {
            Ok(())
        } else {
            Err(Fault::BadPlan)
        }
    }

    /// Does the trigger of a candidate match? Its column does.
    pub(crate) fn is_triggered(&self, ask: &Ask, candidate: &Candidate<'_>) -> bool {
        match SpecialTrigger::read(candidate.record.trigger) {
            Some(SpecialTrigger::Any) => !ask.timer,
            Some(SpecialTrigger::Done) => {
                self.is_complete(candidate.source) || self.result(candidate.source) == Some(true)
            }
            Some(SpecialTrigger::Failed) => self.result(candidate.source) == Some(false),
            Some(SpecialTrigger::Always) | None => true,
        }
    }

    fn has_priority(&self, member: &Member, priority: u16) -> bool {
        let Some(Reaction::Transition(id)) = Reaction::read(member) else {
            return true;
        };
        self.candidate(id)
            .is_some_and(|other| other.priority() == priority)
    }

    /// The transition that waits in a state.
    fn latched(&self, state: StateId) -> Option<TransitionId> {
        let stored = self.slot(self.latch_slot(state)?);
        let id = TransitionId::new(stored.checked_sub(1)?)?;
        let record = self.rom.transition(id)?;
        let own = StateId::read(record.source) == Some(state)
            && record.flags.get() & transition_flag::LATCH != 0;
        own.then_some(id)
    }
}

/// What a latched transition sees: the id of its event, no payload (SEL-6).
pub(crate) fn latched_cause(rom: &Rom<'_>, record: &TransitionRecord) -> Cause {
    match EventId::new(record.trigger.get()).filter(|&event| rom.event(event).is_some()) {
        Some(event) => Cause::Event(event, [0; 4]),
        None => Cause::None,
    }
}
