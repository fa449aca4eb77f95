//! What an agent does by itself, tick after tick: it asks its eventless transitions, is told no, and
//! runs its update actions and activities (TICK-1, TICK-5).
//!
//! That is most of the ticks of most agents, so it has a plan in the ROM: per leaf the candidates to
//! ask and the activities to run, joined with what each takes ([`PollRecord`], [`RunRecord`],
//! [`TransitionPlan`]). A quiet tick follows it from end to end:
//!
//! ```text
//!   chain   who is active, and is that a configuration?                    no ─▶ slow path
//!   scan    ask leaf by leaf, from each to the root                  one may ─▶ slow path, from there on
//!   run     update actions and activities, in the same order
//! ```
//!
//! The slow path asks nobody again: a guard may draw random numbers. It goes on at the candidate at
//! which the scan [halted](Halt).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::code::activity::bits_at;
use crate::context::{Context, Site};
use crate::fault::Fault;
use crate::fused::{Fuse, Phase, Step};
use crate::host::cx::ActionCx;
use crate::host::{Cause, Host, Mode, Status};
use crate::instance::event::{Class, Event, event_flag};
use crate::instance::leaves::Rank;
use crate::instance::{Instance, flag};
use crate::select::conditions::Exit;
use crate::tick::Tick;

mod chain;

pub(crate) use chain::Chain;

/// Where a scan ended: the first candidate that may be taken. Everybody before it has said no.
#[derive(Clone, Copy, Debug)]
pub struct Halt {
    /// The leaf that was asked.
    pub(crate) rank: Rank,
    /// Whether it was asked for its interrupts.
    pub(crate) interrupts: bool,
    /// Its transition; raw.
    pub(crate) transition: u16,
    /// Whether it was asked everything there is, and may be taken; otherwise it was not asked yet.
    pub(crate) enabled: bool,
    /// What an earlier leaf has found before, if one has; raw, `NONE` if none has.
    pub(crate) before: u16,
    /// That leaf.
    pub(crate) before_rank: Rank,
}

impl Halt {
    /// At no transition.
    pub(crate) const NONE: Self = Self {
        rank: Rank::FIRST,
        interrupts: false,
        transition: NONE,
        enabled: false,
        before: NONE,
        before_rank: Rank::FIRST,
    };

    /// The transition; raw.
    #[inline]
    pub const fn transition(&self) -> u16 {
        self.transition
    }

    /// The same where an earlier leaf has found a transition before.
    #[inline]
    #[must_use]
    pub const fn after(self, first: Self) -> Self {
        Self {
            before: first.transition,
            before_rank: first.rank,
            ..self
        }
    }

    /// Whether it may be taken without anybody else being asked: an interrupt is taken alone.
    #[inline]
    pub const fn is_interrupt(&self) -> bool {
        self.interrupts
    }
}

/// What came of a quiet tick.
#[derive(Clone, Copy, Debug)]
pub enum Polled {
    /// All of it is done.
    Done,
    /// Nothing eventless is enabled; the events of the tick are to be taken.
    Settled,
    /// Something may be enabled.
    Halted(Halt),
    /// Nothing is done: the slow path has to look closer.
    Slow,
    /// The agent has to end.
    Failed(Fault),
}

/// The chain of an instance whose header says that it only polls: every queued event waits for
/// another configuration, and no transition waits. `None` if the slow path has to look closer.
#[inline(always)]
fn quiet_chain<'a, I: Instance>(rom: &Rom<'a>, instance: &I) -> Option<Chain<'a>> {
    let chain = Chain::of(rom, instance.raw_leaves())?;
    let quiet = chain.is_polling()
        && !chain.has_latched(instance.raw_slots())
        && (instance.header().event_count == 0 || has_only_deferred(rom, instance));
    if quiet { Some(chain) } else { None }
}

#[inline(never)]
pub(crate) fn has_only_deferred<I: Instance>(rom: &Rom<'_>, instance: &I) -> bool {
    let marks = event_flag::DEFERRED | event_flag::HIDDEN;
    let waits = |event: &Event| {
        event.id().is_some_and(|id| rom.event(id).is_some())
            && event.class <= Class::Critical as u8
            && event.flags & marks == event_flag::DEFERRED
    };
    let count = usize::from(instance.header().event_count);
    let queue = instance.raw_events().get(..count);
    queue.is_some_and(|queue| queue.iter().all(waits))
}

/// A tick of an agent whose header says that it only polls: by fused code of its host, or along the
/// plans of its leaves. With `has_events` it ends before they are taken. The agent is attached.
#[inline(always)]
pub(crate) fn poll<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    has_events: bool,
) -> Polled {
    let step = host.fused(Fuse::new(cx), Phase::Poll { has_events });
    after_code::<I, H>(cx, host, step, has_events)
}

/// What code has left of it.
#[inline(always)]
pub(crate) fn after_code<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    step: Step,
    has_events: bool,
) -> Polled {
    let polled = match step.polled() {
        Some(polled) if !matches!(polled, Polled::Slow) => polled,
        Some(_) | None => poll_by_plan::<I, H>(cx, host, has_events),
    };
    match polled {
        // What is suspended matters only where something is carried out.
        Polled::Halted(_) if !has_events && cx.rom.has(feature::STACK) && !cx.are_frames() => {
            Polled::Failed(Fault::BadFrames)
        }
        polled => polled,
    }
}

/// The same along the plans of its leaves. Kept apart, so that fused code does not pay for it.
#[inline(never)]
fn poll_by_plan<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    has_events: bool,
) -> Polled {
    let chain = I::view(&cx.ram).and_then(|instance| quiet_chain(cx.rom, instance));
    let Some(chain) = chain else {
        return Polled::Slow;
    };
    if has_events && cx.rom.has(feature::STACK) && !cx.are_frames() {
        return Polled::Slow;
    }
    cx.running = true;
    if chain.has_asks() {
        if let Some(halt) = scan_apart(cx, host, chain) {
            return Polled::Halted(halt);
        }
        if let Err(fault) = cx.check_fault() {
            return Polled::Failed(fault);
        }
    }
    if has_events {
        return Polled::Settled;
    }
    let mut leaf = Some(chain.first);
    while let Some(poll) = leaf {
        for run in cx.runs_from(poll.run) {
            run_quietly::<I, H>(cx, host, run);
        }
        leaf = cx.after(poll);
    }
    if let Err(fault) = cx.check_fault() {
        return Polled::Failed(fault);
    }
    // Whatever is let in has left its mark; the others wait as they did.
    if cx.ram.has(flag::WORK) {
        cx.show_posted();
    }
    cx.running = false;
    Polled::Done
}

/// Asks for whatever host.
#[inline(never)]
fn scan_apart<'a>(cx: &mut Context<'a>, host: &mut dyn Host, chain: Chain<'a>) -> Option<Halt> {
    Tick::new(cx, host, None).scan(chain)
}

/// What one state does in every tick, where nothing is told of it: the activity of a known host
/// without a detour.
#[inline(always)]
fn run_quietly<'a, I: Instance, H: Host>(cx: &mut Context<'a>, host: &mut H, run: &'a RunRecord) {
    if run.update.get() != NONE || run.call.kind == ActionOp::CallWith {
        return run_apart(cx, host, run);
    }
    let mut result = 0;
    let same_tier = I::with(&mut cx.ram, |instance| {
        result = bits_at(instance.raw_slots(), (run.result_slot, run.result_bit));
    });
    if !same_tier {
        cx.impossible("the view is of another tier than its caller");
    }
    if result != 0 {
        return;
    }
    let site = Site {
        state: StateId::read(run.state).unwrap_or(StateId::ROOT),
        transition: None,
        cause: Cause::None,
    };
    if let Some(function) = cx.prepare_call(&run.call, &site) {
        let status = host.activity(function, Mode::Run, ActionCx::new(cx));
        if status != Status::Running {
            cx.set_result(site.state, status);
        }
    }
}

#[inline(never)]
fn run_apart<'a>(cx: &mut Context<'a>, host: &mut dyn Host, run: &'a RunRecord) {
    Tick::new(cx, host, None).run_state(run);
}

impl<'a> Tick<'_, 'a> {
    /// Asks the eventless transitions of all active states, each state once, until one may be taken.
    #[inline]
    pub(crate) fn scan(&mut self, chain: Chain<'a>) -> Option<Halt> {
        let interrupts = chain.has_interrupts();
        let halt = interrupts.then(|| self.scan_interrupts(chain)).flatten();
        if halt.is_some() {
            return halt;
        }
        self.scan_leaves::<false>(chain)
    }

    #[inline(never)]
    fn scan_interrupts(&mut self, chain: Chain<'a>) -> Option<Halt> {
        self.scan_leaves::<true>(chain)
    }

    /// Asks for interrupts of all active states, or for the others.
    #[inline(always)]
    fn scan_leaves<const INTERRUPTS: bool>(&mut self, chain: Chain<'a>) -> Option<Halt> {
        let mut rank = Rank::FIRST;
        let mut leaf = Some(chain.first);
        while let Some(poll) = leaf {
            let (first, count) = match INTERRUPTS {
                true => (poll.first_interrupt, poll.interrupts),
                false => (poll.first_ask, poll.asks),
            };
            let halt = self.scan_list(first.get(), count.get(), (rank, INTERRUPTS));
            if halt.is_some() {
                return halt;
            }
            rank = rank.next();
            leaf = self.cx.after(poll);
        }
        None
    }

    /// The first candidate of a run that may be taken.
    #[inline(always)]
    fn scan_list(
        &mut self,
        first: u32,
        count: u16,
        (rank, interrupts): (Rank, bool),
    ) -> Option<Halt> {
        let rom = self.cx.rom;
        let end = first.wrapping_add(u32::from(count));
        let list = rom.candidates().get(first as usize..end as usize);
        for candidate in list.unwrap_or(&[]) {
            let transition = candidate.index.get();
            // No closure: it would be a call.
            let quiet = match rom.transition_plans().get(usize::from(transition)) {
                Some(plan) => self.ask_quietly(transition, plan, &Cause::None),
                None => Quiet::AskOn,
            };
            let enabled = match quiet {
                Quiet::No => continue,
                Quiet::Enabled => true,
                Quiet::AskOn => false,
            };
            return Some(Halt {
                rank,
                interrupts,
                transition,
                enabled,
                before: NONE,
                before_rank: Rank::FIRST,
            });
        }
        None
    }

    /// Asks one candidate for a cause; whether it is triggered by that is known, but for results of
    /// activities.
    #[inline(always)]
    pub(crate) fn ask_quietly(&mut self, id: u16, plan: &TransitionPlan, cause: &Cause) -> Quiet {
        let flags = plan.flags;
        if flags & (ask_flag::SUCCEEDED | ask_flag::FAILED) != 0 {
            let result = match bits_at(self.cx.ram.slots(), (plan.result_slot, plan.result_bit)) {
                0 => 0,
                1 => ask_flag::SUCCEEDED,
                _ => ask_flag::FAILED,
            };
            if flags & result == 0 {
                let complete = flags & ask_flag::COMPLETED != 0 && self.is_complete(plan);
                if !complete {
                    return Quiet::No;
                }
            }
        }
        if flags & ask_flag::WEIGHED != 0
            && let Some(quiet) = self.weigh(id)
        {
            return quiet;
        }
        if flags & ask_flag::GUARDED != 0 {
            let site = Site {
                state: StateId::read(plan.source).unwrap_or(StateId::ROOT),
                transition: TransitionId::new(id),
                cause: *cause,
            };
            if !self.holds(&plan.guard, &site) {
                if flags & ask_flag::DEBOUNCED != 0 {
                    self.stop_waiting(id);
                }
                return Quiet::No;
            }
        }
        if flags & (ask_flag::DEBOUNCED | ask_flag::HELD) != 0 && !self.may_be_taken(id) {
            return Quiet::No;
        }
        Quiet::Enabled
    }

    /// Is the source of a transition complete (EXEC-6)?
    #[inline(never)]
    fn is_complete(&self, plan: &TransitionPlan) -> bool {
        StateId::read(plan.source).is_some_and(|source| self.cx.is_complete(source))
    }

    /// What is known of a transition with a cooldown or a stack before its guard is asked; one that
    /// is scored is asked with its rivals.
    #[inline(never)]
    fn weigh(&self, id: u16) -> Option<Quiet> {
        let candidate = TransitionId::new(id).and_then(|id| self.cx.candidate(id));
        match candidate.filter(|candidate| !candidate.has(transition_flag::SCORED)) {
            Some(candidate) => self.early_reason(&candidate).map(|_| Quiet::No),
            None => Some(Quiet::AskOn),
        }
    }

    /// The guard of a transition holds: has it waited, and may it leave what it would leave? One
    /// that may not and is to be kept for later is kept (SEL-6).
    #[inline(never)]
    pub(crate) fn may_be_taken(&mut self, id: u16) -> bool {
        let candidate = TransitionId::new(id).and_then(|id| self.cx.candidate(id));
        let leaves = self.cx.leaves();
        candidate.is_some_and(|candidate| {
            self.has_waited(&candidate)
                && self.may_leave(&candidate, Cause::None, &leaves) == Exit::Free
        })
    }

    /// The guard of a debounced transition does not hold.
    #[inline(never)]
    fn stop_waiting(&mut self, id: u16) {
        let candidate = TransitionId::new(id).and_then(|id| self.cx.candidate(id));
        if let Some(candidate) = candidate {
            self.cx.debounce_reason(&candidate, false);
        }
    }
}

/// What a candidate says.
pub(crate) enum Quiet {
    /// It is not enabled.
    No,
    /// It may be taken.
    Enabled,
    /// It has rivals; nothing was asked.
    AskOn,
}
