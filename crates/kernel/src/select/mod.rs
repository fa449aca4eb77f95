//! Choosing transitions (SEL-1 to SEL-3, EVT-5): interrupts first, then per leaf from leaf to root.
//!
//! The lists of candidates come from the ROM, one per leaf and column. A state's part of a list is
//! asked once: whether an earlier leaf has asked it already follows from where that leaf's search
//! ended.

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Reaction, Rom};

use crate::context::{Core, Leaves};
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::{Reason, Trace};
use crate::select::conditions::{Candidate, Exit};
use crate::tick::Run;

pub(crate) mod arbitrate;
pub(crate) mod conditions;
pub(crate) mod reasons;
pub(crate) mod scope;

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
    /// A transition was stored for later: the event is taken (SEL-6).
    pub(crate) stored: bool,
}

impl Selection {
    fn new(cause: Cause, leaves: Leaves) -> Self {
        Self {
            cause,
            leaves,
            picks: [None; MAX_LEAVES],
            count: 0,
            deferred: false,
            stored: false,
        }
    }

    fn add(&mut self, pick: Pick) {
        let known = self.iter().any(|other| other.transition == pick.transition);
        if let Some(place) = self
            .picks
            .get_mut(usize::from(self.count))
            .filter(|_| !known)
        {
            *place = Some(pick);
            self.count = self.count.saturating_add(1);
        }
    }

    fn note(&mut self, end: &Found) {
        match end.pick {
            Some(pick) => self.add(pick),
            None if end.stored.is_some() => self.stored = true,
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
    /// Its transition; `None` if it defers or has stored one.
    pub(crate) pick: Option<Pick>,
    /// The transition that it has stored.
    pub(crate) stored: Option<TransitionId>,
}

/// What a state says.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// Nobody here.
    Nobody,
    /// This one.
    Picked(Pick),
    /// This one, later; it has taken the event.
    Stored(TransitionId),
}

/// The part of a list that belongs to one state.
pub(crate) struct Group<'a> {
    pub(crate) state: StateId,
    pub(crate) members: &'a [Member],
    /// A transition that waits in the state and is to be asked, too.
    pub(crate) latched: Option<TransitionId>,
}

impl Group<'_> {
    /// Is this a scored transition of the same trigger and priority? One that waits is asked alone.
    pub(crate) fn is_rival(&self, core: &Core<'_>, member: &Member, first: &Candidate<'_>) -> bool {
        let Some(Reaction::Transition(id)) = Reaction::read(member) else {
            return false;
        };
        self.latched != Some(id)
            && core.candidate(id).is_some_and(|other| {
                other.has(transition_flag::SCORED)
                    && other.record.trigger == first.record.trigger
                    && other.priority() == first.priority()
            })
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

    pub(crate) fn of_leaf(core: &Core<'_>, ask: &Ask, leaf: StateId, list: &'a [Member]) -> Self {
        let visits_all = ask.latched && core.rom.has(feature::LATCH);
        Self {
            list,
            path: visits_all.then_some(Some(leaf)),
        }
    }

    /// Bound: the list, or the depth of the tree.
    pub(crate) fn next(&mut self, core: &Core<'_>) -> Option<Group<'a>> {
        let Some(state) = self.path else {
            return self.split_first(core);
        };
        let state = state?;
        self.path = Some(core.rom.parent(state));
        let mut rest = Groups {
            list: self.list,
            path: None,
        };
        let members = match rest.split_first(core) {
            Some(group) if group.state == state => {
                self.list = rest.list;
                group.members
            }
            _ => &[],
        };
        Some(Group {
            state,
            members,
            latched: core.latched(state),
        })
    }

    /// Splits the first state's part off the list.
    fn split_first(&mut self, core: &Core<'_>) -> Option<Group<'a>> {
        let state_of = |candidate: &Member| match Reaction::read(candidate)? {
            Reaction::Transition(id) => StateId::read(core.rom.transition(id)?.source),
            Reaction::Deferral(state) => Some(state),
        };
        let state = state_of(self.list.first()?)?;
        let end = self
            .list
            .iter()
            .position(|candidate| state_of(candidate) != Some(state))
            .unwrap_or(self.list.len());
        let (members, rest) = self.list.split_at_checked(end)?;
        self.list = rest;
        Some(Group {
            state,
            members,
            latched: None,
        })
    }
}

impl<'a> Run<'_, 'a> {
    /// Finds the transitions for an event, a timer or an eventless round.
    pub(crate) fn select(&mut self, ask: &Ask) -> Result<Selection, Fault> {
        let leaves = self.core.leaves();
        if self.tracing {
            self.trace_timers(0);
            self.host.trace(&Trace::Select(ask.cause));
        }
        if let Some(pick) = self.select_interrupt(ask, &leaves)? {
            let mut selection = Selection::new(ask.cause, leaves);
            selection.add(pick);
            self.trace_rest(ask, &leaves, Some(pick), &[]);
            return Ok(selection);
        }
        let mut selection = Selection::new(ask.cause, leaves);
        if leaves.len() == 1
            && let Some(leaf) = leaves.get(0)
        {
            let end = self.select_leaf(ask, &leaves, leaf, &[])?;
            selection.note(&end);
            self.trace_rest(ask, &leaves, None, core::slice::from_ref(&end));
            return Ok(selection);
        }
        let mut found = [Found::default(); MAX_LEAVES];
        for (place, leaf) in leaves.iter() {
            let (asked, _) = found
                .split_at_checked(usize::from(place))
                .ok_or(Fault::BadPlan)?;
            let end = self.select_leaf(ask, &leaves, leaf, asked)?;
            selection.note(&end);
            if let Some(cell) = found.get_mut(usize::from(place)) {
                *cell = end;
            }
        }
        self.trace_rest(ask, &leaves, None, &found);
        Ok(selection)
    }

    pub(crate) fn list(&self, leaf: StateId, column: Column) -> statewright_rom::Candidates<'a> {
        let rom = self.core.rom;
        let list = rom
            .row_of(leaf)
            .and_then(|row| rom.candidate_list(row, column));
        list.map_or_else(Default::default, |list| rom.candidates_of(list))
    }

    /// SEL-2 (a): interrupts of all active states in pre-order.
    fn select_interrupt(&mut self, ask: &Ask, leaves: &Leaves) -> Result<Option<Pick>, Fault> {
        if !self.core.rom.has(feature::INTERRUPTS) {
            return Ok(None);
        }
        for (place, leaf) in leaves.iter() {
            let mut groups = Groups::plain(self.list(leaf, ask.column).interrupts);
            while let Some(group) = groups.next(self.core) {
                let rom = self.core.rom;
                let active = rom.is_ancestor_or_self(group.state, leaf);
                // An earlier leaf below the same state has asked it.
                let asked = leaves
                    .iter()
                    .any(|(p, other)| p < place && rom.is_ancestor_or_self(group.state, other));
                if active
                    && !asked
                    && let Answer::Picked(pick) = self.ask_state(ask, leaves, &group)?
                {
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
        leaf: StateId,
        asked: &[Found],
    ) -> Result<Found, Fault> {
        let mut groups = Groups::of_leaf(self.core, ask, leaf, self.list(leaf, ask.column).others);
        while let Some(group) = groups.next(self.core) {
            if let Some(found) = self.decide(ask, leaves, leaf, asked, &group)? {
                return Ok(found);
            }
        }
        Ok(Found::default())
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
        let rom = self.core.rom;
        if !rom.is_ancestor_or_self(group.state, leaf) {
            return Ok(None);
        }
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
        match self.ask_state(ask, leaves, group)? {
            Answer::Picked(pick) => {
                return Ok(Some(Found {
                    at,
                    pick: Some(pick),
                    stored: None,
                }));
            }
            Answer::Stored(id) => {
                return Ok(Some(Found {
                    at,
                    pick: None,
                    stored: Some(id),
                }));
            }
            Answer::Nobody => {}
        }
        let defers = !ask.timer
            && group
                .members
                .iter()
                .any(|member| member.kind == CandidateKind::Deferral);
        Ok(defers.then_some(Found {
            at,
            pick: None,
            stored: None,
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
                .core
                .candidate(id)
                .filter(|c| !waits && self.core.is_triggered(ask, c));
            let Some(candidate) = triggered else { continue };
            let answer = match candidate.has(transition_flag::SCORED) {
                true => self.ask_first_scored(ask, leaves, group, (place, &candidate))?,
                false => self.ask_one(ask, leaves, &candidate),
            };
            if !matches!(answer, Answer::Nobody) {
                return Ok(answer);
            }
        }
        Ok(latched
            .and_then(|stored| self.ask_latched(stored, leaves))
            .map_or(Answer::Nobody, Answer::Picked))
    }

    fn ask_one(&mut self, ask: &Ask, leaves: &Leaves, candidate: &Candidate<'_>) -> Answer {
        if !self.is_enabled(candidate, ask.cause) {
            return Answer::Nobody;
        }
        let exit = self.may_leave(candidate, ask.cause, leaves);
        self.core.answer(ask, candidate.id, exit)
    }

    /// Judges a group of scored transitions at the place of its first member.
    fn ask_first_scored(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        group: &Group<'_>,
        (place, candidate): (usize, &Candidate<'_>),
    ) -> Result<Answer, Fault> {
        // Members are sorted by priority.
        let earlier = group.members.get(..place).unwrap_or(&[]).iter().rev();
        let equal = |other: &&Member| self.core.has_priority(other, candidate.priority());
        if earlier
            .take_while(equal)
            .any(|other| group.is_rival(self.core, other, candidate))
        {
            return Ok(Answer::Nobody);
        }
        self.ask_scored(ask, leaves, group, candidate)
    }

    /// A latched transition is asked everything but its trigger, guard, debounce and score (SEL-6).
    fn ask_latched(&mut self, id: TransitionId, leaves: &Leaves) -> Option<Pick> {
        let candidate = self.core.candidate(id)?;
        let cause = latched_cause(self.core.rom, candidate.record);
        let early = self
            .core
            .cooldown_reason(&candidate)
            .or_else(|| self.core.stack_reason(&candidate));
        if let Some(reason) = early {
            self.reject(id, reason);
            return None;
        }
        (self.may_leave(&candidate, cause, leaves) == Exit::Free).then_some(Pick {
            transition: id,
            latched: true,
        })
    }

    /// A group of scored transitions: all guards, then all scores, then the best that may leave.
    /// Kept apart so that others do not pay for the buffer.
    #[inline(never)]
    fn ask_scored(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        group: &Group<'_>,
        first: &Candidate<'_>,
    ) -> Result<Answer, Fault> {
        let mut scores: [Option<(TransitionId, f32)>; MAX_SCORED] = [None; MAX_SCORED];
        let mut count = 0_usize;
        for member in group.members {
            let Some(Reaction::Transition(id)) = Reaction::read(member) else {
                continue;
            };
            if !group.is_rival(self.core, member, first) {
                continue;
            }
            let Some(candidate) = self.core.candidate(id) else {
                continue;
            };
            let cell = scores.get_mut(count).ok_or(Fault::BadPlan)?;
            if self.is_enabled(&candidate, ask.cause) {
                *cell = Some((id, f32::NAN));
            }
            count = count.saturating_add(1);
        }
        for cell in scores.iter_mut().flatten() {
            if let Some(candidate) = self.core.candidate(cell.0) {
                cell.1 = self.score(&candidate, ask.cause);
            }
        }
        Ok(self.best_of(&mut scores, ask, leaves))
    }

    /// Bound: each round removes one.
    fn best_of(
        &mut self,
        scores: &mut [Option<(TransitionId, f32)>; MAX_SCORED],
        ask: &Ask,
        leaves: &Leaves,
    ) -> Answer {
        for _ in 0..MAX_SCORED {
            let best = scores
                .iter_mut()
                .filter(|cell| cell.is_some())
                .reduce(better);
            let Some((id, score)) = best.and_then(Option::take) else {
                break;
            };
            let Some(candidate) = self.core.candidate(id) else {
                break;
            };
            let threshold = candidate.extra.map_or(0.0, |extra| extra.threshold.get());
            // NaN is below any threshold.
            if score < threshold || score.is_nan() {
                self.reject(id, Reason::BelowThreshold);
                continue;
            }
            let exit = self.may_leave(&candidate, ask.cause, leaves);
            let answer = self.core.answer(ask, id, exit);
            if !matches!(answer, Answer::Nobody) {
                scores
                    .iter()
                    .flatten()
                    .for_each(|&(id, _)| self.reject(id, Reason::NotReached));
                return answer;
            }
        }
        Answer::Nobody
    }
}

/// The one with the higher score; the first of equal ones.
fn better<'s>(
    best: &'s mut Option<(TransitionId, f32)>,
    other: &'s mut Option<(TransitionId, f32)>,
) -> &'s mut Option<(TransitionId, f32)> {
    let number = |score: f32| {
        if score.is_nan() {
            f32::NEG_INFINITY
        } else {
            score
        }
    };
    let score = |cell: &Option<(TransitionId, f32)>| {
        cell.map_or(f32::NEG_INFINITY, |(_, score)| number(score))
    };
    if score(other) > score(best) {
        other
    } else {
        best
    }
}

impl Core<'_> {
    /// Storing takes the event; an eventless round has none to take and goes on (SEL-6).
    fn answer(&self, ask: &Ask, id: TransitionId, exit: Exit) -> Answer {
        let eventless = self.rom.eventless_column() == Some(ask.column);
        match exit {
            Exit::Free => Answer::Picked(Pick {
                transition: id,
                latched: false,
            }),
            Exit::Stored if !eventless => Answer::Stored(id),
            Exit::Stored | Exit::Refused => Answer::Nobody,
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
        let stored = self.ram.slot(self.latch_slot(state)?);
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
