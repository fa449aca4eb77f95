//! What a candidate is asked, in order: cooldown, stack, guard, debounce, exit conditions (SEL-6,
//! SEL-7).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::code::eval::evaluate;
use crate::code::truth::test_any;
use crate::commit::exits::ExitOrder;
use crate::context::{Context, Site};
use crate::events::time::is_due;
use crate::host::cx::GuardCx;
use crate::host::trace::{Reason, Trace};
use crate::host::{Cause, Host, Verdict};
use crate::instance::leaves::Leaves;
use crate::tick::Tick;

/// A candidate: the transition with its records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) id: TransitionId,
    pub(crate) record: &'a TransitionRecord,
    pub(crate) extra: Option<&'a TransitionExtra>,
    pub(crate) source: StateId,
    /// [`ask_flag`] bits.
    asks: u8,
}

/// Whether a candidate may leave what it would leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Yes.
    Free,
    /// Not yet; the search goes on.
    Refused,
    /// Not yet, and it waits in its source's slot (SEL-6).
    Stored,
}

impl<'a> Context<'a> {
    pub(crate) fn candidate(&self, id: TransitionId) -> Option<Candidate<'a>> {
        self.proved(Candidate::new(self.rom, id))
    }
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(rom: &'a Rom<'a>, id: TransitionId) -> Option<Self> {
        let record = rom.transition(id)?;
        let extra = TransitionExtraId::read(record.extra);
        Some(Self {
            id,
            record,
            extra: extra.and_then(|extra| rom.transition_extras().get(extra.index())),
            source: StateId::read(record.source)?,
            asks: rom.transition_plan(id)?.flags,
        })
    }

    /// Does asking it take one of these [`ask_flag`] bits?
    pub(crate) fn takes(&self, asks: u8) -> bool {
        self.asks & asks != 0
    }

    pub(crate) fn has(&self, flag: u16) -> bool {
        self.record.flags.get() & flag != 0
    }

    pub(crate) fn priority(&self) -> u16 {
        self.record.flags.get() >> PRIORITY_SHIFT
    }

    pub(crate) fn site(&self, cause: Cause) -> Site {
        Site {
            state: self.source,
            transition: Some(self.id),
            cause,
        }
    }
}

/// Without asking user code.
impl Context<'_> {
    pub(crate) fn cooldown_reason(&self, candidate: &Candidate<'_>) -> Option<Reason> {
        let ready = self.wide_slot(candidate.extra?.cooldown()?);
        (ready != 0 && !is_due(ready, self.now)).then_some(Reason::Cooldown)
    }

    pub(crate) fn stack_reason(&self, candidate: &Candidate<'_>) -> Option<Reason> {
        if !candidate.has(transition_flag::PUSH | transition_flag::POP) {
            return None;
        }
        let extra = self.proved(candidate.extra)?;
        let stack = self.proved(StackId::new(extra.stack))?;
        let used = self.frames_used(stack);
        let full = self.stack(stack).is_none_or(|stack| used >= stack.depth);
        match candidate.has(transition_flag::PUSH) {
            true => full.then_some(Reason::StackFull),
            false => (used == 0).then_some(Reason::StackEmpty),
        }
    }

    /// What keeps a candidate back before its guard is asked.
    #[inline(never)]
    pub(crate) fn early_reason(&self, candidate: &Candidate<'_>) -> Option<Reason> {
        let cooldown = self.cooldown_reason(candidate);
        cooldown.or_else(|| self.stack_reason(candidate))
    }

    /// Starts, goes on or ends the wait of a debounced transition whose guard was just asked.
    pub(crate) fn debounce_reason(
        &mut self,
        candidate: &Candidate<'_>,
        holds: bool,
    ) -> Option<Reason> {
        let extra = candidate.extra?;
        let timer = extra.debounce()?;
        if !holds {
            self.disarm(timer);
            return None;
        }
        if !self.ram.is_armed(timer) {
            let ticks = self.ticks_asked(extra.debounce_time);
            self.arm(timer, self.now.wrapping_add(ticks));
        }
        (!is_due(self.time(timer), self.now)).then_some(Reason::Debounce)
    }

    /// Keeps a transition that may not leave yet for later (SEL-6). The first stored stays. Whether
    /// it was stored.
    fn latch(&mut self, candidate: &Candidate<'_>) -> bool {
        let slot = self.expected(self.latch_slot(candidate.source));
        let free = slot.filter(|&slot| self.slot(slot) == 0);
        if let Some(slot) = free {
            self.set_slot(slot, candidate.id.raw().saturating_add(1));
        }
        free.is_some()
    }

    /// Where a transition of a state waits.
    pub(crate) fn latch_slot(&self, state: StateId) -> Option<SlotId> {
        self.rom.state_extra(state).and_then(StateExtra::latch)
    }
}

/// Asking user code.
impl Tick<'_, '_> {
    pub(crate) fn reject(&mut self, id: TransitionId, reason: Reason) {
        if self.tracing {
            self.host.trace(&Trace::Rejected(id, reason));
        }
    }

    /// A candidate whose guard was asked before, and holds: what is left is its debounce.
    pub(crate) fn has_waited(&mut self, candidate: &Candidate<'_>) -> bool {
        let reason = self.cx.debounce_reason(candidate, true);
        if let Some(reason) = reason {
            self.reject(candidate.id, reason);
        }
        reason.is_none()
    }

    /// Everything up to the guard and its debounce.
    pub(crate) fn is_enabled(&mut self, candidate: &Candidate<'_>, cause: Cause) -> bool {
        if candidate.takes(ask_flag::WEIGHED)
            && let Some(reason) = self.cx.early_reason(candidate)
        {
            self.reject(candidate.id, reason);
            return false;
        }
        let verdict = self.guard(OpId::read(candidate.record.guard), &candidate.site(cause));
        let waits = if candidate.takes(ask_flag::DEBOUNCED) {
            self.cx.debounce_reason(candidate, verdict.holds)
        } else {
            None
        };
        let reason = if verdict.holds {
            waits
        } else {
            Some(Reason::GuardFalse(verdict.code))
        };
        if let Some(reason) = reason {
            self.reject(candidate.id, reason);
        }
        reason.is_none()
    }

    /// Asks a guard: a function of the host or an expression. No guard holds.
    pub(crate) fn guard(&mut self, op: Option<OpId>, site: &Site) -> Verdict {
        let Some(id) = op else {
            return Verdict::from(true);
        };
        let Some(op) = self.cx.op(id) else {
            return Verdict::from(false);
        };
        let rng = self.rng_before();
        let verdict = self.judge(op, site);
        if self.tracing {
            self.tell_judged(op, rng);
            let Verdict { holds, code } = verdict;
            self.host.trace(&Trace::Guard {
                state: site.state,
                transition: site.transition,
                holds,
                code,
            });
        }
        verdict
    }

    /// Whether the op of a guard says yes: an expression without a detour.
    #[inline(always)]
    pub(crate) fn holds(&mut self, op: &OpRecord, site: &Site) -> bool {
        if op.kind == ActionOp::Evaluate && self.cx.notes.is_none() {
            let expression = self.cx.proved(ExpressionId::read(op.a));
            return expression.is_some_and(|id| test_any(self.cx, self.host, id, site));
        }
        self.judge(op, site).holds
    }

    /// What the op of a guard says.
    #[inline(never)]
    pub(crate) fn judge(&mut self, op: &OpRecord, site: &Site) -> Verdict {
        if op.kind == ActionOp::Evaluate {
            let holds = match self.cx.proved(ExpressionId::read(op.a)) {
                Some(expression) if self.cx.notes.is_none() => {
                    test_any(self.cx, self.host, expression, site)
                }
                _ => self.evaluated(op, site)[0] != 0,
            };
            return Verdict::from(holds);
        }
        if op.kind == ActionOp::CallWith {
            self.compute_arguments(op, site);
        }
        match self.cx.prepare_call(op, site) {
            Some(function) => self.host.guard(function, GuardCx::new(self.cx)),
            None => Verdict::from(false),
        }
    }

    /// What the expression of an op gives.
    fn evaluated(&mut self, op: &OpRecord, site: &Site) -> [u32; 3] {
        let expression = self.cx.proved(ExpressionId::read(op.a));
        expression.map_or([0; 3], |expression| {
            if self.cx.notes.is_some() {
                self.evaluate_noting(expression, site)
            } else {
                evaluate(self.cx, self.host, expression, site, None)
            }
        })
    }

    /// Tells the tracer what a guard or score read, asked and drew.
    #[cold]
    fn tell_judged(&mut self, op: &OpRecord, rng: Option<u32>) {
        self.tell_notes();
        let function = FunctionId::read(op.a).filter(|_| op.kind != ActionOp::Evaluate);
        self.tell_draws(function, rng);
    }

    /// The score of a candidate (SEL-3).
    pub(crate) fn score(&mut self, candidate: &Candidate<'_>, cause: Cause) -> f32 {
        let op = candidate.extra.and_then(|extra| OpId::read(extra.score));
        let Some(op) = self.cx.proved(op).and_then(|op| self.cx.op(op)) else {
            return f32::NAN;
        };
        let site = candidate.site(cause);
        let rng = self.rng_before();
        let score = if op.kind == ActionOp::Evaluate {
            let bits = self.evaluated(op, &site);
            f32::from_bits(bits[0])
        } else {
            if op.kind == ActionOp::CallWith {
                self.compute_arguments(op, &site);
            }
            match self.cx.prepare_call(op, &site) {
                Some(function) => self.host.score(function, GuardCx::new(self.cx)),
                None => f32::NAN,
            }
        };
        if self.tracing {
            self.tell_judged(op, rng);
            self.host.trace(&Trace::Scored(candidate.id, score));
        }
        score
    }

    /// The least score that counts (SEL-3, LANG-12).
    pub(crate) fn threshold(&mut self, candidate: &Candidate<'_>, cause: Cause) -> f32 {
        let Some(extra) = self.cx.proved(candidate.extra) else {
            return 0.0;
        };
        match ExpressionId::read(extra.threshold_code) {
            None => extra.threshold.get(),
            Some(code) => {
                let words = evaluate(self.cx, self.host, code, &candidate.site(cause), None);
                f32::from_bits(words[0])
            }
        }
    }

    /// Min-active and exit_ready of everything that would be left (SEL-6). A transition that may
    /// wait is stored.
    pub(crate) fn may_leave(
        &mut self,
        candidate: &Candidate<'_>,
        cause: Cause,
        leaves: &Leaves,
    ) -> Exit {
        if !candidate.takes(ask_flag::HELD) {
            return Exit::Free;
        }
        let Some(reason) = self.exit_reason(candidate, cause, leaves) else {
            return Exit::Free;
        };
        self.reject(candidate.id, reason);
        let stored = candidate.has(transition_flag::LATCH) && self.cx.latch(candidate);
        if stored && self.tracing {
            self.host.trace(&Trace::Latched(candidate.id));
        }
        if stored { Exit::Stored } else { Exit::Refused }
    }

    fn exit_reason(
        &mut self,
        candidate: &Candidate<'_>,
        cause: Cause,
        leaves: &Leaves,
    ) -> Option<Reason> {
        let scope = self.cx.proved(self.cx.scope(candidate.id, leaves))?;
        let reverse = self.cx.has_policy(policy::REVERSE_EXIT_ORDER);
        let order = ExitOrder::new(leaves, scope.leaves, Some(scope.domain), reverse);
        let mut states = order;
        while let Some(state) = states.next(self.cx.rom) {
            if self.cx.is_too_young(state) {
                return Some(Reason::MinActive);
            }
        }
        let mut states = order;
        while let Some(state) = states.next(self.cx.rom) {
            let guard = self
                .cx
                .rom
                .state_extra(state)
                .and_then(|extra| OpId::read(extra.exit_ready));
            let site = Site {
                state,
                transition: Some(candidate.id),
                cause,
            };
            if !self.guard(guard, &site).holds {
                return Some(Reason::ExitNotReady);
            }
        }
        None
    }
}

impl Context<'_> {
    fn is_too_young(&self, state: StateId) -> bool {
        let Some(extra) = self.rom.state_extra(state) else {
            return false;
        };
        extra.min_active.is_some()
            && self
                .ticks_in_state(state)
                .is_some_and(|ticks| ticks < self.ticks_asked(extra.min_active))
    }
}
