//! One microstep: exits, effects, entries (EXEC-1), and what follows from them.

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::entry_set::{Entry, EntryRequest, EntrySet, EntrySpan};
use crate::commit::exits::Leave;
use crate::context::{Context, Site};
use crate::counters::count;
use crate::events::timers::Arming;
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::Trace;
use crate::instance::flag;
use crate::instance::leaves::Leaves;
use crate::instance::ram::bit;
use crate::select::arbitrate::{Accepted, Step, Unit};
use crate::select::conditions::Candidate;
use crate::tick::Tick;

pub(crate) mod complete;
pub(crate) mod entry_set;
pub(crate) mod exits;
pub(crate) mod fail_safe;
pub(crate) mod history;
pub(crate) mod line;
pub(crate) mod partial;
pub(crate) mod stack;

impl<'a> Tick<'_, 'a> {
    /// Carries out a transition that was accepted alone: what most microsteps are.
    pub(crate) fn commit_only(&mut self, one: &Accepted<'a>, leaves: &Leaves) -> Result<(), Fault> {
        self.record_one(one, leaves);
        if needs_entry_set(one) {
            self.commit_only_with_entry_set(one, leaves)?;
        } else {
            self.carry_out_only(one, leaves, None)?;
        }
        self.complete(one.cause)?;
        count(&mut self.cx.counters.microsteps);
        count(&mut self.cx.counters.transitions);
        Ok(())
    }

    /// Kept apart so that transitions with a plan do not pay for the buffer.
    #[inline(never)]
    fn commit_only_with_entry_set(
        &mut self,
        one: &Accepted<'a>,
        leaves: &Leaves,
    ) -> Result<(), Fault> {
        let mut entries = EntrySet::new();
        let span = self.find_entries(&mut entries, &request_of(one))?;
        self.carry_out_only(one, leaves, Some((&entries, span)))
    }

    fn carry_out_only(
        &mut self,
        one: &Accepted<'a>,
        leaves: &Leaves,
        entries: Option<(&EntrySet, EntrySpan)>,
    ) -> Result<(), Fault> {
        self.entered_finals = Leaves::default();
        self.may_complete = false;
        let internal = one.candidate.has(transition_flag::INTERNAL);
        let steps = match entries {
            Some((entries, span)) => Steps::Found(entries, span),
            None => Steps::planned(self.cx, one),
        };
        if !internal {
            self.exit_one(one, one.scope.leaves, leaves)?;
        }
        self.begin_transition(one);
        self.run_list(
            ListId::read(one.candidate.record.effect),
            &one.candidate.site(one.cause),
        );
        if let Some((entries, span)) = entries {
            self.enter_span(entries, span.first..span.entries, Some(one));
        }
        if internal {
            return Ok(());
        }
        if one.candidate.has(transition_flag::POP) {
            self.resume_frame(one)?;
        } else {
            // Bound: the steps.
            let mut at = 0;
            while let Some(entry) = steps.get(self.cx, at) {
                self.enter_step(entry, Some(one.candidate.id), one.cause);
                at = at.saturating_add(1);
            }
        }
        self.cx.clear_marks();
        Ok(())
    }

    /// Carries out what was accepted.
    pub(crate) fn commit(&mut self, step: &Step<'a>, leaves: &Leaves) -> Result<(), Fault> {
        self.record(step, leaves);
        if step.iter().any(|(_, one)| needs_entry_set(&one)) {
            self.commit_with_entry_set(step, leaves)?;
        } else {
            self.carry_out(step, leaves, None)?;
        }
        self.complete(step.iter().next().map_or(Cause::None, |(_, one)| one.cause))?;
        count(&mut self.cx.counters.microsteps);
        let transitions = step.count() as u64;
        self.cx.counters.transitions = self.cx.counters.transitions.wrapping_add(transitions);
        Ok(())
    }

    /// Kept apart so that transitions with a plan do not pay for the buffer.
    #[inline(never)]
    fn commit_with_entry_set(&mut self, step: &Step<'a>, leaves: &Leaves) -> Result<(), Fault> {
        let mut entries = EntrySet::new();
        self.find_all_entries(&mut entries, step)?;
        self.carry_out(step, leaves, Some(&entries))
    }

    /// Kept apart: what it needs of the stack is free again when user code is called.
    #[inline(never)]
    fn find_all_entries(&mut self, entries: &mut EntrySet, step: &Step<'a>) -> Result<(), Fault> {
        for (place, one) in step.iter().filter(|(_, one)| needs_entry_set(one)) {
            let span = self.find_entries(entries, &request_of(&one))?;
            *entries
                .spans
                .get_mut(usize::from(place))
                .ok_or(Fault::BadPlan)? = span;
        }
        Ok(())
    }

    /// Exits, effects and entries are functions of their own: what one needs of the stack is free
    /// for the next.
    #[inline(always)]
    fn carry_out(
        &mut self,
        step: &Step<'a>,
        leaves: &Leaves,
        entries: Option<&EntrySet>,
    ) -> Result<(), Fault> {
        self.entered_finals = Leaves::default();
        self.may_complete = false;
        let units = step.units(self.cx, leaves);
        self.exit_all(step, &units, leaves)?;
        self.run_effects(step, entries);
        self.enter_all(step, &units, entries)?;
        if step
            .iter()
            .any(|(_, one)| !one.candidate.has(transition_flag::INTERNAL))
        {
            self.cx.clear_marks();
        }
        Ok(())
    }

    /// Kept apart for the same reason.
    #[inline(never)]
    fn record(&mut self, step: &Step<'a>, leaves: &Leaves) {
        for (_, one) in step.iter() {
            self.record_one(&one, leaves);
        }
    }

    fn record_one(&mut self, one: &Accepted<'a>, leaves: &Leaves) {
        let stack = transition_flag::PUSH | transition_flag::POP;
        if self.cx.rom.has(feature::HISTORY) && !one.candidate.has(stack) {
            self.cx.record_history(&one.scope, leaves);
        }
    }

    /// All exits: region by region in the order of the tree.
    #[inline(never)]
    fn exit_all(&mut self, step: &Step<'a>, units: &Units, leaves: &Leaves) -> Result<(), Fault> {
        let reverse = self.cx.has_policy(policy::REVERSE_EXIT_ORDER);
        let mut begun = 0;
        for place in 0..MAX_LEAVES {
            let place = if reverse {
                MAX_LEAVES.saturating_sub(1).saturating_sub(place)
            } else {
                place
            };
            let Some(unit) = units.get(place).and_then(Option::as_ref) else {
                continue;
            };
            let one = self.accepted(step, unit)?;
            if begun & bit(unit.place) == 0 {
                self.check_still_active(&one)?;
                begun |= bit(unit.place);
            }
            self.exit_one(&one, unit.leaves, leaves)?;
        }
        Ok(())
    }

    fn accepted(&self, step: &Step<'a>, unit: &Unit) -> Result<Accepted<'a>, Fault> {
        let one = self.cx.proved(step.get(unit.place));
        one.ok_or(Fault::Impossible)
    }

    /// SEL-4: what was accepted together leaves different states, so whoever comes first does not
    /// take the source of another away. Asked before the first exits of each.
    fn check_still_active(&self, one: &Accepted<'a>) -> Result<(), Fault> {
        if self.cx.is_active(one.candidate.source) {
            return Ok(());
        }
        self.cx
            .impossible("SEL-4: an accepted transition lost its source to another");
        Err(Fault::Impossible)
    }

    /// Leaves or suspends some of the leaves that a transition leaves.
    #[inline(always)]
    fn exit_one(&mut self, one: &Accepted<'a>, mask: u8, leaves: &Leaves) -> Result<(), Fault> {
        if one.candidate.has(transition_flag::PUSH) {
            return self.suspend(leaves, one);
        }
        let leave = Leave {
            mask,
            domain: Some(one.scope.domain),
            keeps_frames: one.scope.stays || one.candidate.has(transition_flag::POP),
            transition: Some(one.candidate.id),
            cause: one.cause,
        };
        self.leave(leaves, &leave)
    }

    #[inline(never)]
    fn run_effects(&mut self, step: &Step<'a>, entries: Option<&EntrySet>) {
        for (place, one) in step.iter() {
            self.begin_transition(&one);
            self.run_list(
                ListId::read(one.candidate.record.effect),
                &one.candidate.site(one.cause),
            );
            let Some(entries) = entries.filter(|_| needs_entry_set(&one)) else {
                continue;
            };
            if let Some(span) = self.cx.proved(entries.spans.get(usize::from(place))) {
                self.enter_span(entries, span.first..span.entries, Some(&one));
            }
        }
    }

    /// Carries out steps that were found.
    pub(crate) fn enter_span(
        &mut self,
        entries: &EntrySet,
        steps: core::ops::Range<u16>,
        one: Option<&Accepted<'a>>,
    ) {
        let transition = one.map(|one| one.candidate.id);
        let cause = one.map_or(Cause::None, |one| one.cause);
        for at in steps {
            if let Some(step) = self.cx.proved(entries.get(at)) {
                self.enter_step(step, transition, cause);
            }
        }
    }

    /// All entries: region by region in the order of the tree.
    #[inline(never)]
    fn enter_all(
        &mut self,
        step: &Step<'a>,
        units: &Units,
        entries: Option<&EntrySet>,
    ) -> Result<(), Fault> {
        let mut cursors = [0_u16; MAX_LEAVES];
        for (at, unit) in units.iter().enumerate() {
            let Some(unit) = unit else { continue };
            let one = self.accepted(step, unit)?;
            if one.candidate.has(transition_flag::POP) {
                self.resume_frame(&one)?;
                continue;
            }
            let more = units
                .iter()
                .skip(at.saturating_add(1))
                .flatten()
                .any(|later| later.place == unit.place);
            let steps = Steps::of(
                self.cx,
                &one,
                entries.filter(|_| needs_entry_set(&one)),
                unit.place,
            );
            let cursor = cursors
                .get_mut(usize::from(unit.place))
                .ok_or(Fault::BadPlan)?;
            while let Some(entry) = steps.get(self.cx, *cursor) {
                if more
                    && !self
                        .cx
                        .belongs(&steps, *cursor, one.scope.domain, unit.number)
                {
                    break;
                }
                *cursor = cursor.saturating_add(1);
                self.enter_step(entry, Some(one.candidate.id), one.cause);
            }
        }
        Ok(())
    }

    pub(crate) fn enter_step(
        &mut self,
        step: Entry,
        transition: Option<TransitionId>,
        cause: Cause,
    ) {
        match step {
            Entry::Effect(state, list) => self.run_list(
                Some(list),
                &Site {
                    state,
                    transition,
                    cause,
                },
            ),
            Entry::State(state) => {
                let site = Site {
                    state,
                    transition,
                    cause,
                };
                if self.cx.enter(state) == Arming::Computed {
                    self.arm_computed_timers(&site);
                }
                self.note_entry(state);
                let record = self.cx.state(state);
                let list = record.and_then(|record| ListId::read(record.entry));
                self.run_list(list, &site);
                if self.cx.has_policy(policy::SCXML_DETAILS) && self.cx.is_final(state) {
                    self.cx.post_done_around(state);
                }
            }
        }
    }

    /// What begins when a transition is taken, just before its effect.
    fn begin_transition(&mut self, one: &Accepted<'a>) {
        self.begin(&one.candidate, one.cause);
    }

    #[inline(always)]
    pub(crate) fn begin(&mut self, candidate: &Candidate<'a>, cause: Cause) {
        let cooldown = match candidate.extra {
            Some(extra) => self.ticks(extra.cooldown_time, &candidate.site(cause)),
            None => 0,
        };
        self.cx.begin_transition(candidate, cooldown);
    }

    fn note_entry(&mut self, state: StateId) {
        if self.cx.is_final(state) {
            self.entered_finals.insert(state);
            self.may_complete = true;
        }
        if self.tracing {
            self.host.trace(&Trace::Entered(state));
            self.trace_leaf(state);
            self.trace_timers(0);
        }
    }

    /// What completion brings: forgotten history, events, the end of the instance (EXEC-6).
    pub(crate) fn complete(&mut self, cause: Cause) -> Result<(), Fault> {
        if !self.may_complete {
            return Ok(());
        }
        let finals = self.entered_finals;
        self.cx.announce_completion(&finals);
        if self.cx.is_complete(StateId::ROOT) {
            self.terminate(cause)
        } else {
            Ok(())
        }
    }

    /// Leaves everything and ends the instance.
    #[inline(never)]
    pub(crate) fn terminate(&mut self, cause: Cause) -> Result<(), Fault> {
        let leave = Leave {
            mask: u8::MAX,
            domain: None,
            keeps_frames: false,
            transition: None,
            cause,
        };
        if self.cx.ram.has(flag::INCOMPLETE) {
            self.leave_partial(&leave)?;
        } else {
            let leaves = self.cx.leaves();
            if self.cx.rom.has(feature::HISTORY) {
                self.cx.record_all_history(&leaves);
            }
            self.leave(&leaves, &leave)?;
        }
        self.cx.ram.clear_leaves();
        self.cx.ram.disarm_all(u8::MAX);
        self.cx.ram.clear_queue();
        self.cx.clear_frames();
        self.cx
            .ram
            .clear_flag(flag::WORK | flag::POLLS | flag::PAUSED | flag::INCOMPLETE);
        self.cx.ram.set_flag(flag::TERMINATED);
        count(&mut self.cx.counters.terminations);
        // What was lost on the way out does not matter any more; that it cannot be does.
        if self.cx.fault.get() != Some(Fault::Impossible) {
            self.cx.clear_fault();
        }
        if self.tracing {
            self.host.trace(&Trace::Terminated);
        }
        Ok(())
    }
}

/// The entries of a transition: a plan of the ROM, or what was found.
enum Steps<'s> {
    Plan(&'s [PlanStep]),
    Found(&'s EntrySet, EntrySpan),
}

impl<'s> Steps<'s> {
    fn of(cx: &Context<'s>, one: &Accepted<'_>, entries: Option<&'s EntrySet>, place: u8) -> Self {
        match entries.and_then(|entries| {
            entries
                .spans
                .get(usize::from(place))
                .map(|span| (entries, *span))
        }) {
            Some((entries, span)) => Self::Found(entries, span),
            None => Self::planned(cx, one),
        }
    }

    fn planned(cx: &Context<'s>, one: &Accepted<'_>) -> Self {
        let plan = cx
            .proved(cx.rom.transition_plan(one.candidate.id))
            .and_then(|plan| PlanId::read(plan.plan));
        Self::Plan(plan.map_or(&[], |plan| cx.rom.plan_steps(plan)))
    }

    fn get(&self, cx: &Context<'_>, at: u16) -> Option<Entry> {
        match self {
            Self::Found(entries, span) => {
                let place = span.entries.saturating_add(at);
                if place < span.end {
                    entries.get(place)
                } else {
                    None
                }
            }
            Self::Plan(steps) => Entry::planned(cx, steps.get(usize::from(at))?),
        }
    }
}

impl Entry {
    /// What a step of a plan says.
    #[inline]
    fn planned(cx: &Context<'_>, step: &PlanStep) -> Option<Self> {
        let state = cx.proved(StateId::read(step.state))?;
        Some(match (step.kind.get(), ListId::read(step.list)) {
            (PlanStepKind::Initial, Some(list)) => Self::Effect(state, list),
            (PlanStepKind::Initial, None) | (PlanStepKind::State, _) => Self::State(state),
        })
    }
}

impl Context<'_> {
    /// Does a step belong to a region of the domain? An effect of the domain itself belongs to what
    /// follows it.
    fn belongs(&self, steps: &Steps<'_>, at: u16, domain: StateId, number: u8) -> bool {
        // Bound: the steps.
        let states = (at..)
            .map_while(|at| steps.get(self, at))
            .map(|entry| match entry {
                Entry::State(state) | Entry::Effect(state, _) => state,
            });
        let region = states
            .map(|state| self.region_towards(domain, state))
            .find(Option::is_some)
            .flatten();
        region.is_none_or(|region| region == number)
    }
}

type Units = [Option<Unit>; MAX_LEAVES];

/// What a transition enters.
fn request_of(one: &Accepted<'_>) -> EntryRequest {
    EntryRequest {
        domain: one.scope.domain,
        regions: one.scope.regions,
        targets: TargetSetId::read(one.candidate.record.targets),
        transition: Some(one.candidate.id),
        cause: one.cause,
    }
}

/// Is the entry found at run time? A pop brings back a frame instead.
fn needs_entry_set(one: &Accepted<'_>) -> bool {
    one.candidate
        .has(transition_flag::HISTORY | transition_flag::CHOICE)
}

impl Context<'_> {
    /// What the instance keeps of a transition that is taken: cooldown, and what its waiting leaves
    /// behind (SEL-1, SEL-6).
    fn begin_transition(&mut self, candidate: &Candidate<'_>, cooldown: u32) {
        if matches!(
            SpecialTrigger::read(candidate.record.trigger),
            Some(SpecialTrigger::Done | SpecialTrigger::Failed)
        ) {
            self.clear_result(candidate.source);
        }
        if let Some(extra) = candidate.extra {
            if let Some(slot) = extra.cooldown() {
                let ready = self.now.wrapping_add(cooldown);
                self.set_wide_slot(slot, ready.max(1));
            }
            if let Some(timer) = extra
                .debounce()
                .filter(|_| self.is_active(candidate.source))
            {
                self.disarm(timer);
            }
        }
        if let Some(slot) = self.latch_slot(candidate.source)
            && self.slot(slot) == candidate.id.raw().saturating_add(1)
        {
            self.set_slot(slot, 0);
        }
    }

    /// A state becomes active: everything it keeps begins anew (RAM-7).
    pub(crate) fn enter(&mut self, state: StateId) -> Arming {
        let Some(record) = self.state(state) else {
            return Arming::Done;
        };
        self.put_leaf(record, Some(state));
        self.mark_fresh(record);
        if record.extra.get() != NONE {
            self.begin_anew(state);
        }
        match record.timer_count {
            0 => Arming::Done,
            _ => self.arm_entry_timers(record),
        }
    }

    /// What a state keeps besides timers.
    #[inline(never)]
    fn begin_anew(&mut self, state: StateId) {
        self.clear_result(state);
        if let Some(extra) = self.rom.state_extra(state) {
            // What a reload kept of the machine's own scratch outlives the root (LOAD-3).
            let is_kept = state == StateId::ROOT && self.ram.has(flag::INCOMPLETE);
            if let Some(first) = extra.scratch().filter(|_| !is_kept) {
                self.clear_slots(first, extra.scratch_count);
            }
            if let Some(slot) = extra.latch() {
                self.set_slot(slot, 0);
            }
            if let Some(clock) = extra.clock_slot() {
                self.set_time(clock, self.now);
            }
        }
    }

    fn record_all_history(&mut self, leaves: &Leaves) {
        let mut order = crate::commit::exits::ExitOrder::new(leaves, u8::MAX, None, false);
        while let Some(state) = order.next(self.rom) {
            self.record_points(state);
        }
    }
}
