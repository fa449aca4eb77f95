//! One microstep: exits, effects, entries (EXEC-1), and what follows from them.

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::commit::entry_set::{Entry, Settled, Span, Way};
use crate::commit::exits::Leave;
use crate::context::{Core, Leaves, Site};
use crate::counters::count;
use crate::fault::Fault;
use crate::host::Cause;
use crate::host::trace::Trace;
use crate::instance::flag;
use crate::select::arbitrate::{Accepted, Step, Unit};
use crate::tick::Run;

pub(crate) mod complete;
pub(crate) mod entry_set;
pub(crate) mod exits;
pub(crate) mod fail_safe;
pub(crate) mod history;
pub(crate) mod stack;

impl<'a> Run<'_, 'a> {
    /// Carries out a transition that was accepted alone: what most microsteps are.
    pub(crate) fn commit_only(&mut self, one: &Accepted<'a>, leaves: &Leaves) -> Result<(), Fault> {
        self.record_one(one, leaves);
        if needs_settling(one) {
            self.commit_only_settled(one, leaves)?;
        } else {
            self.carry_out_only(one, leaves, None)?;
        }
        self.complete(one.cause)?;
        count(&mut self.core.counters.microsteps);
        count(&mut self.core.counters.transitions);
        Ok(())
    }

    /// Kept apart so that transitions with a plan do not pay for the buffer.
    #[inline(never)]
    fn commit_only_settled(&mut self, one: &Accepted<'a>, leaves: &Leaves) -> Result<(), Fault> {
        let mut settled = Settled::new();
        let span = self.settle(&mut settled, &way_of(one))?;
        self.carry_out_only(one, leaves, Some((&settled, span)))
    }

    fn carry_out_only(
        &mut self,
        one: &Accepted<'a>,
        leaves: &Leaves,
        settled: Option<(&Settled, Span)>,
    ) -> Result<(), Fault> {
        self.entered_finals = Leaves::default();
        self.may_complete = false;
        let internal = one.candidate.has(transition_flag::INTERNAL);
        let steps = match settled {
            Some((settled, span)) => Steps::Settled(settled, span),
            None => Steps::planned(self.core, one),
        };
        if !internal {
            self.exit_one(one, one.scope.leaves, leaves)?;
        }
        self.core.begin_transition(one);
        self.run_list(
            one.candidate.record.effect.get(),
            &one.candidate.site(one.cause),
        );
        if let Some((settled, span)) = settled {
            for step in (span.first..span.entries).filter_map(|at| settled.get(at)) {
                self.enter_step(step, Some(one.candidate.id), one.cause);
            }
        }
        if internal {
            return Ok(());
        }
        if one.candidate.has(transition_flag::POP) {
            self.resume_frame(one)?;
        } else {
            // Bound: the steps.
            for entry in (0..).map_while(|at| steps.get(at)) {
                self.enter_step(entry, Some(one.candidate.id), one.cause);
            }
        }
        self.core.clear_marks();
        Ok(())
    }

    /// Carries out what was accepted.
    pub(crate) fn commit(&mut self, step: &Step<'a>, leaves: &Leaves) -> Result<(), Fault> {
        self.record(step, leaves);
        if step.iter().any(|(_, one)| needs_settling(&one)) {
            self.commit_settled(step, leaves)?;
        } else {
            self.carry_out(step, leaves, None)?;
        }
        self.complete(step.iter().next().map_or(Cause::None, |(_, one)| one.cause))?;
        count(&mut self.core.counters.microsteps);
        let transitions = step.count() as u64;
        self.core.counters.transitions = self.core.counters.transitions.wrapping_add(transitions);
        Ok(())
    }

    /// Kept apart so that transitions with a plan do not pay for the buffer.
    #[inline(never)]
    fn commit_settled(&mut self, step: &Step<'a>, leaves: &Leaves) -> Result<(), Fault> {
        let mut settled = Settled::new();
        for (place, one) in step.iter().filter(|(_, one)| needs_settling(one)) {
            let span = self.settle(&mut settled, &way_of(&one))?;
            *settled
                .spans
                .get_mut(usize::from(place))
                .ok_or(Fault::BadPlan)? = span;
        }
        self.carry_out(step, leaves, Some(&settled))
    }

    /// Exits, effects and entries are functions of their own: what one needs of the stack is free
    /// for the next.
    #[inline(always)]
    fn carry_out(
        &mut self,
        step: &Step<'a>,
        leaves: &Leaves,
        settled: Option<&Settled>,
    ) -> Result<(), Fault> {
        self.entered_finals = Leaves::default();
        self.may_complete = false;
        let units = step.units(self.core, leaves);
        self.exit_all(step, &units, leaves)?;
        self.run_effects(step, settled);
        self.enter_all(step, &units, settled)?;
        if step
            .iter()
            .any(|(_, one)| !one.candidate.has(transition_flag::INTERNAL))
        {
            self.core.clear_marks();
        }
        Ok(())
    }

    fn record(&mut self, step: &Step<'a>, leaves: &Leaves) {
        for (_, one) in step.iter() {
            self.record_one(&one, leaves);
        }
    }

    fn record_one(&mut self, one: &Accepted<'a>, leaves: &Leaves) {
        let stack = transition_flag::PUSH | transition_flag::POP;
        if self.core.rom.has(feature::HISTORY) && !one.candidate.has(stack) {
            self.core.record_history(&one.scope, leaves);
        }
    }

    /// All exits: region by region in the order of the tree.
    #[inline(never)]
    fn exit_all(&mut self, step: &Step<'a>, units: &Units, leaves: &Leaves) -> Result<(), Fault> {
        let reverse = self.core.has_policy(policy::REVERSE_EXIT_ORDER);
        for place in 0..MAX_LEAVES {
            let place = if reverse {
                MAX_LEAVES.saturating_sub(1).saturating_sub(place)
            } else {
                place
            };
            let Some(unit) = units.get(place).and_then(Option::as_ref) else {
                continue;
            };
            let one = step.get(unit.place).ok_or(Fault::BadPlan)?;
            self.exit_one(&one, unit.leaves, leaves)?;
        }
        Ok(())
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
    fn run_effects(&mut self, step: &Step<'a>, settled: Option<&Settled>) {
        for (place, one) in step.iter() {
            self.core.begin_transition(&one);
            self.run_list(
                one.candidate.record.effect.get(),
                &one.candidate.site(one.cause),
            );
            let Some(settled) = settled.filter(|_| needs_settling(&one)) else {
                continue;
            };
            let Some(span) = settled.spans.get(usize::from(place)) else {
                continue;
            };
            for step in (span.first..span.entries).filter_map(|at| settled.get(at)) {
                self.enter_step(step, Some(one.candidate.id), one.cause);
            }
        }
    }

    /// All entries: region by region in the order of the tree.
    #[inline(never)]
    fn enter_all(
        &mut self,
        step: &Step<'a>,
        units: &Units,
        settled: Option<&Settled>,
    ) -> Result<(), Fault> {
        let mut cursors = [0_u16; MAX_LEAVES];
        for (at, unit) in units.iter().enumerate() {
            let Some(unit) = unit else { continue };
            let one = step.get(unit.place).ok_or(Fault::BadPlan)?;
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
                self.core,
                &one,
                settled.filter(|_| needs_settling(&one)),
                unit.place,
            );
            let cursor = cursors
                .get_mut(usize::from(unit.place))
                .ok_or(Fault::BadPlan)?;
            while let Some(entry) = steps.get(*cursor) {
                if more
                    && !self
                        .core
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
                list.raw(),
                &Site {
                    state,
                    transition,
                    cause,
                },
            ),
            Entry::State(state) => {
                self.core.enter(state);
                self.note_entry(state);
                let list = self
                    .core
                    .rom
                    .state(state)
                    .map_or(NONE, |record| record.entry.get());
                self.run_list(
                    list,
                    &Site {
                        state,
                        transition,
                        cause,
                    },
                );
                if self.core.has_policy(policy::SCXML_DETAILS) && self.core.is_final(state) {
                    self.core.tell_completed_around(state);
                }
            }
        }
    }

    fn note_entry(&mut self, state: StateId) {
        if self.core.is_final(state) {
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
        self.core.announce_completion(&finals);
        if self.core.is_complete(StateId::ROOT) {
            self.terminate(cause)
        } else {
            Ok(())
        }
    }

    /// Leaves everything and ends the instance.
    #[inline(never)]
    pub(crate) fn terminate(&mut self, cause: Cause) -> Result<(), Fault> {
        let leaves = self.core.leaves();
        if self.core.rom.has(feature::HISTORY) {
            self.core.record_all_history(&leaves);
        }
        let leave = Leave {
            mask: u8::MAX,
            domain: None,
            keeps_frames: false,
            transition: None,
            cause,
        };
        self.leave(&leaves, &leave)?;
        self.core.ram.clear_leaves();
        self.core.ram.disarm_all(u8::MAX);
        self.core.ram.clear_queue();
        self.core.clear_frames();
        self.core
            .ram
            .clear_flag(flag::WORK | flag::POLLS | flag::PAUSED);
        self.core.ram.set_flag(flag::TERMINATED);
        count(&mut self.core.counters.terminations);
        // What was lost on the way out does not matter any more.
        self.core.fault = None;
        if self.tracing {
            self.host.trace(&Trace::Terminated);
        }
        Ok(())
    }
}

/// The entries of a transition: a plan of the ROM, or what was settled.
enum Steps<'s> {
    Plan(&'s [PlanStep]),
    Settled(&'s Settled, Span),
}

impl<'s> Steps<'s> {
    fn of(core: &Core<'s>, one: &Accepted<'_>, settled: Option<&'s Settled>, place: u8) -> Self {
        match settled.and_then(|settled| {
            settled
                .spans
                .get(usize::from(place))
                .map(|span| (settled, *span))
        }) {
            Some((settled, span)) => Self::Settled(settled, span),
            None => Self::planned(core, one),
        }
    }

    fn planned(core: &Core<'s>, one: &Accepted<'_>) -> Self {
        let plan = core
            .rom
            .transition_plan(one.candidate.id)
            .and_then(|plan| PlanId::read(plan.plan));
        Self::Plan(plan.map_or(&[], |plan| core.rom.plan_steps(plan)))
    }

    fn get(&self, at: u16) -> Option<Entry> {
        match self {
            Self::Settled(settled, span) => {
                let place = span.entries.saturating_add(at);
                if place < span.end {
                    settled.get(place)
                } else {
                    None
                }
            }
            Self::Plan(steps) => {
                let step = steps.get(usize::from(at))?;
                let state = StateId::read(step.state)?;
                Some(match (step.kind.get(), ListId::read(step.list)) {
                    (PlanStepKind::Initial, Some(list)) => Entry::Effect(state, list),
                    (PlanStepKind::Initial, None) | (PlanStepKind::State, _) => Entry::State(state),
                })
            }
        }
    }
}

impl Core<'_> {
    /// Does a step belong to a region of the domain? An effect of the domain itself belongs to what
    /// follows it.
    fn belongs(&self, steps: &Steps<'_>, at: u16, domain: StateId, number: u8) -> bool {
        // Bound: the steps.
        let states = (at..)
            .map_while(|at| steps.get(at))
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
fn way_of(one: &Accepted<'_>) -> Way {
    Way {
        domain: one.scope.domain,
        regions: one.scope.regions,
        targets: TargetSetId::read(one.candidate.record.targets),
        transition: Some(one.candidate.id),
        cause: one.cause,
    }
}

/// Is the entry found at run time? A pop brings back a frame instead.
fn needs_settling(one: &Accepted<'_>) -> bool {
    one.candidate
        .has(transition_flag::HISTORY | transition_flag::CHOICE)
}

impl Core<'_> {
    /// What the instance keeps of a transition that is taken: cooldown, and what its waiting leaves
    /// behind (SEL-1, SEL-6).
    fn begin_transition(&mut self, one: &Accepted<'_>) {
        let candidate = &one.candidate;
        if matches!(
            SpecialTrigger::read(candidate.record.trigger),
            Some(SpecialTrigger::Done | SpecialTrigger::Failed)
        ) {
            self.clear_result(candidate.source);
        }
        if let Some(extra) = candidate.extra {
            if extra.cooldown_slot != 0xFF {
                let ready = self.now.wrapping_add(extra.cooldown_ticks.get());
                self.ram.set_wide_slot(extra.cooldown_slot, ready.max(1));
            }
            if extra.debounce_timer != 0xFF && self.is_active(candidate.source) {
                self.ram.disarm(extra.debounce_timer);
            }
        }
        if let Some(slot) = self.latch_slot(candidate.source)
            && self.ram.slot(slot) == candidate.id.raw().saturating_add(1)
        {
            self.ram.set_slot(slot, 0);
        }
    }

    /// A state becomes active: everything it keeps begins anew (RAM-7).
    fn enter(&mut self, state: StateId) {
        let Some(record) = self.rom.state(state) else {
            return;
        };
        self.ram.set_leaf(record.leaf, Some(state));
        self.mark_fresh(record);
        if record.extra.get() == NONE && record.timer_count == 0 {
            return;
        }
        self.clear_result(state);
        if let Some(extra) = self.rom.state_extra(state) {
            if extra.scratch_slot != 0xFF {
                self.ram
                    .clear_slots(extra.scratch_slot, extra.scratch_count);
            }
            if extra.latch_slot != 0xFF {
                self.ram.set_slot(extra.latch_slot, 0);
            }
            if extra.clock != 0xFF {
                self.ram.set_time(extra.clock, self.now);
            }
        }
        self.arm_after_timers(state);
    }

    fn record_all_history(&mut self, leaves: &Leaves) {
        let mut order = crate::commit::exits::ExitOrder::new(leaves, u8::MAX, None, false);
        while let Some(state) = order.next(self.rom) {
            self.record_points(state);
        }
    }
}
