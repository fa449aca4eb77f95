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

use crate::code::actions::run_quiet_list;
use crate::code::activity::bits_at;
use crate::code::truth::{by_term, test_beyond};
use crate::context::{Context, Planned, Site};
use crate::fault::Fault;
use crate::fused::{Fuse, Phase, Step};
use crate::host::cx::{ActionCx, GuardCx};
use crate::host::{AnyHost, Cause, Host, Mode, Status};
use crate::instance::event::{Class, Event, event_flag};
use crate::instance::leaves::Rank;
use crate::instance::ram::Seen;
use crate::instance::{Instance, flag};
use crate::select::conditions::Exit;
use crate::tick::Tick;

mod chain;

pub(crate) use chain::{Chain, Known};

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

/// Does the chain of an instance whose header says that it only polls say so, too: every queued event waits
/// for another configuration, and no transition waits? Otherwise the slow path has to look closer.
#[inline(always)]
fn is_quiet<I: Instance>(rom: &Rom<'_>, instance: &I, chain: &Chain<'_>) -> bool {
    chain.is_polling()
        && !chain.has_latched(instance.raw_slots())
        && (instance.header().event_count == 0 || has_only_deferred(rom, instance))
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
        Polled::Halted(_) if !has_events => checked(cx, polled),
        polled => polled,
    }
}

/// The same along the plans of its leaves. Kept apart, so that fused code does not pay for it.
#[inline(never)]
pub(crate) fn poll_by_plan<'a, I: Instance, H: Host>(
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
    if chain.has_asks()
        && let Some(polled) = ask_all::<I, H>(cx, host, chain)
    {
        return polled;
    }
    if has_events {
        return Polled::Settled;
    }
    run_all::<I, H>(cx, host, &chain)
}

/// The chain of an instance that only polls.
#[inline(always)]
fn quiet_chain<'a, I: Instance>(rom: &Rom<'a>, instance: &I) -> Option<Chain<'a>> {
    let chain = Chain::of(rom, instance.raw_leaves())?;
    is_quiet(rom, instance, &chain).then_some(chain)
}

/// A tick of an agent of a batch whose header says that it only polls, and who has no events.
#[inline(always)]
pub(crate) fn poll_in_batch<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    chain: Option<Chain<'a>>,
) -> Polled {
    let quiet = |chain: &Chain<'a>| {
        I::view(&cx.ram).is_some_and(|instance| is_quiet(cx.rom, instance, chain))
    };
    let Some(chain) = chain.filter(quiet) else {
        return Polled::Slow;
    };
    cx.running = true;
    if chain.has_asks()
        && let Some(polled) = ask_all::<I, H>(cx, host, chain)
    {
        return checked(cx, polled);
    }
    run_all::<I, H>(cx, host, &chain)
}

/// What is suspended matters only where something is carried out.
#[inline(never)]
fn checked(cx: &Context<'_>, polled: Polled) -> Polled {
    match polled {
        Polled::Halted(_) if cx.rom.has(feature::STACK) && !cx.are_frames() => {
            Polled::Failed(Fault::BadFrames)
        }
        polled => polled,
    }
}

/// Asks everybody; what ends the tick's polling, if somebody does.
#[inline(always)]
fn ask_all<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    chain: Chain<'a>,
) -> Option<Polled> {
    if let Some(halt) = scan::<I, H>(cx, host, chain) {
        return Some(Polled::Halted(halt));
    }
    cx.check_fault().err().map(Polled::Failed)
}

/// Runs everything.
#[inline(always)]
fn run_all<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    chain: &Chain<'a>,
) -> Polled {
    let (mut leaf, mut left) = (Some(chain.first), chain.run_leaves());
    while let Some(poll) = leaf.filter(|_| left != 0) {
        let mut next = poll.run;
        // Bound: each record names an earlier one.
        while let Some(run) = cx.rom.runs().get(usize::from(next.get())) {
            run_quietly::<I, H>(cx, host, run);
            next = run.next;
        }
        left = left.wrapping_sub(1);
        leaf = if left == 0 {
            None
        } else {
            cx.after_in::<I>(poll)
        };
    }
    if let Err(fault) = cx.check_fault() {
        return Polled::Failed(fault);
    }
    // Whatever is let in has left its mark; the others wait as they did.
    if I::view(&cx.ram).is_some_and(|instance| instance.header().has(flag::WORK)) {
        cx.show_posted();
    }
    cx.running = false;
    Polled::Done
}

/// What one state does in every tick, where nothing is told of it: the activity of a known host
/// without a detour.
#[inline(always)]
fn run_quietly<'a, I: Instance, H: Host>(cx: &mut Context<'a>, host: &mut H, run: &'a RunRecord) {
    if let Some(update) = ListId::read(run.update) {
        let state = StateId::read(run.state).unwrap_or(StateId::ROOT);
        run_quiet_list(cx, host, update, &eventless(state));
        if run.activity.get() == NONE {
            return;
        }
    }
    let result = I::view(&cx.ram).map_or(0, |instance| {
        bits_at(instance.raw_slots(), (run.result_slot, run.result_bit))
    });
    if result != 0 {
        return;
    }
    if run.call.kind == ActionOp::CallWith {
        return run_apart(cx, host, run);
    }
    let call = Planned::eventless(&run.call, run.state, NONE);
    let status = cx.call_planned(call, |function, cx| {
        host.activity(function, Mode::Run, ActionCx::new(cx))
    });
    if status != Status::Running {
        keep_result(cx, run, status);
    }
}

/// An activity has come to an end.
#[inline(never)]
fn keep_result(cx: &mut Context<'_>, run: &RunRecord, status: Status) {
    let state = cx.proved(StateId::read(run.state));
    cx.set_result(state.unwrap_or(StateId::ROOT), status);
}

/// Where something stands that a state does by itself.
#[inline(always)]
fn eventless(state: StateId) -> Site {
    Site {
        state,
        transition: None,
        cause: Cause::None,
    }
}

/// An activity whose arguments are computed.
#[inline(never)]
fn run_apart<'a>(cx: &mut Context<'a>, host: &mut dyn Host, run: &'a RunRecord) {
    Tick::new(cx, host, None).run_activity(run);
}

/// Asks the eventless transitions of all active states, each state once, until one may be taken.
#[inline(always)]
pub(crate) fn scan<'a, S: Seen, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    chain: Chain<'a>,
) -> Option<Halt> {
    let open = first_open::<S, H>(cx, host, chain)?;
    scan_from::<S, H>(cx, host, chain, open)
}

/// A candidate at which asking begins: everybody before it has said no.
#[derive(Clone, Copy)]
struct Open<'a> {
    /// The leaf that it is asked for.
    poll: &'a PollRecord,
    /// Its place among all candidates.
    at: u32,
    rank: Rank,
    /// So many leaves are to be asked from this one on.
    left: u8,
    interrupt: bool,
}

/// The first candidate that does not say no by what lies in the agent and its blackboard. Most say no so, and where
/// nobody can be called nothing has to be kept for afterwards: so this is a walk of its own.
#[inline(never)]
fn first_open<'a, S: Seen, H: AnyHost + ?Sized>(
    cx: &Context<'a>,
    host: &H,
    chain: Chain<'a>,
) -> Option<Open<'a>> {
    if chain.interrupt_leaves() != 0 {
        let open = first_open_of::<true, S, H>(cx, host, chain.first, chain.interrupt_leaves());
        if open.is_some() {
            return open;
        }
    }
    if chain.ask_leaves() == 0 {
        return None;
    }
    first_open_of::<false, S, H>(cx, host, chain.first, chain.ask_leaves())
}

#[inline(always)]
fn first_open_of<'a, const INTERRUPTS: bool, S: Seen, H: AnyHost + ?Sized>(
    cx: &Context<'a>,
    host: &H,
    first: &'a PollRecord,
    mut left: u8,
) -> Option<Open<'a>> {
    let mut rank = Rank::FIRST;
    let mut poll = first;
    // Bound: the leaves.
    loop {
        let (mut at, end) = asked_for::<INTERRUPTS>(poll);
        let list = cx.rom.candidates().get(at as usize..end as usize);
        for candidate in list.unwrap_or(&[]) {
            let plan = cx
                .rom
                .transition_plans()
                .get(usize::from(candidate.index.get()));
            if !plan.is_some_and(|plan| says_no::<S, H>(cx, host, plan)) {
                return Some(Open {
                    poll,
                    at,
                    rank,
                    left,
                    interrupt: INTERRUPTS,
                });
            }
            at = at.wrapping_add(1);
        }
        left = left.wrapping_sub(1);
        if left == 0 {
            return None;
        }
        rank = rank.next();
        poll = cx.after_in::<S>(poll)?;
    }
}

/// The candidates of a leaf: the first, and the one behind the last.
#[inline(always)]
fn asked_for<const INTERRUPTS: bool>(poll: &PollRecord) -> (u32, u32) {
    let (first, count) = match INTERRUPTS {
        true => (poll.first_interrupt.get(), poll.interrupts.get()),
        false => (poll.first_ask.get(), poll.asks.get()),
    };
    (first, first.wrapping_add(u32::from(count)))
}

/// Does a candidate say no, and is that all there is to it: it waits for a result that is not there, or the first
/// comparison of its guard decides that?
#[inline(always)]
fn says_no<S: Seen, H: AnyHost + ?Sized>(
    cx: &Context<'_>,
    host: &H,
    plan: &TransitionPlan,
) -> bool {
    const WAITS: u8 = ask_flag::SUCCEEDED | ask_flag::FAILED;
    let flags = plan.flags;
    if flags & WAITS != 0 {
        let result = bits_at(S::slots(&cx.ram), (plan.result_slot, plan.result_bit));
        return result == 0 && flags & ask_flag::COMPLETED == 0;
    }
    // What holds it back otherwise is asked only where its guard holds.
    flags & !ask_flag::HELD == ask_flag::GUARDED
        && plan.guard.kind == ActionOp::Evaluate
        && by_term::<S, H>(cx, host, &plan.term) == Some(false)
}

/// The same from a candidate on.
#[inline(never)]
fn scan_from<'a, S: Seen, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    chain: Chain<'a>,
    from: Open<'a>,
) -> Option<Halt> {
    if !from.interrupt {
        return scan_leaves::<false, S, H>(cx, host, from);
    }
    let halt = scan_interrupts::<S, H>(cx, host, from);
    if halt.is_some() || chain.ask_leaves() == 0 {
        return halt;
    }
    let poll = chain.first;
    let others = Open {
        poll,
        at: poll.first_ask.get(),
        rank: Rank::FIRST,
        left: chain.ask_leaves(),
        interrupt: false,
    };
    scan_leaves::<false, S, H>(cx, host, others)
}

#[inline(never)]
fn scan_interrupts<'a, S: Seen, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    from: Open<'a>,
) -> Option<Halt> {
    scan_leaves::<true, S, H>(cx, host, from)
}

/// Asks for interrupts of active states, or for the others.
#[inline(always)]
fn scan_leaves<'a, const INTERRUPTS: bool, S: Seen, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    from: Open<'a>,
) -> Option<Halt> {
    let Open {
        mut poll,
        at: mut first,
        mut rank,
        mut left,
        ..
    } = from;
    // Bound: the leaves.
    loop {
        let (_, end) = asked_for::<INTERRUPTS>(poll);
        let list = cx.rom.candidates().get(first as usize..end as usize);
        for candidate in list.unwrap_or(&[]) {
            let transition = candidate.index.get();
            // No closure: it would be a call.
            let quiet = match cx.rom.transition_plans().get(usize::from(transition)) {
                Some(plan) => ask_quietly::<S, H>(cx, host, transition, plan),
                None => Quiet::AskOn,
            };
            let enabled = match quiet {
                Quiet::No => continue,
                Quiet::Enabled => true,
                Quiet::AskOn => false,
            };
            return Some(Halt {
                rank,
                interrupts: INTERRUPTS,
                transition,
                enabled,
                before: NONE,
                before_rank: Rank::FIRST,
            });
        }
        left = left.wrapping_sub(1);
        if left == 0 {
            return None;
        }
        rank = rank.next();
        poll = cx.after_in::<S>(poll)?;
        first = asked_for::<INTERRUPTS>(poll).0;
    }
}

/// Asks one eventless candidate.
#[inline(always)]
fn ask_quietly<'a, S: Seen, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    id: u16,
    plan: &'a TransitionPlan,
) -> Quiet {
    let flags = plan.flags;
    if flags & (ask_flag::SUCCEEDED | ask_flag::FAILED) != 0 {
        let result = match bits_at(S::slots(&cx.ram), (plan.result_slot, plan.result_bit)) {
            0 => 0,
            1 => ask_flag::SUCCEEDED,
            _ => ask_flag::FAILED,
        };
        if flags & result == 0 && (flags & ask_flag::COMPLETED == 0 || !is_complete(cx, plan)) {
            return Quiet::No;
        }
    }
    if flags & ask_flag::WEIGHED != 0
        && let Some(quiet) = weigh(cx, id)
    {
        return quiet;
    }
    if flags & ask_flag::GUARDED != 0 && !guard_holds::<S, H>(cx, host, id, plan) {
        if flags & ask_flag::DEBOUNCED != 0 {
            stop_waiting(cx, id);
        }
        return Quiet::No;
    }
    if flags & (ask_flag::DEBOUNCED | ask_flag::HELD) != 0 && !may_be_taken(cx, host.any_mut(), id)
    {
        return Quiet::No;
    }
    Quiet::Enabled
}

/// Does the guard of a candidate hold?
#[inline(always)]
fn guard_holds<'a, S: Seen, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    id: u16,
    plan: &'a TransitionPlan,
) -> bool {
    let site = || Site {
        transition: TransitionId::new(id),
        ..eventless(StateId::read(plan.source).unwrap_or(StateId::ROOT))
    };
    let op = &plan.guard;
    // Compared as they are: what is left is asked as any guard is.
    if op.kind == ActionOp::Evaluate {
        if let Some(holds) = by_term::<S, H>(cx, host, &plan.term) {
            return holds;
        }
        let expression = cx.proved(ExpressionId::read(op.a));
        expression
            .is_some_and(|expression| test_beyond(cx, host, (expression, &plan.term), &site()))
    } else if op.kind == ActionOp::Call {
        let call = Planned::eventless(op, plan.source, id);
        cx.call_planned(call, |function, cx| {
            host.guard(function, GuardCx::new(cx)).holds
        })
    } else {
        judge_apart(cx, host.any_mut(), op, &site())
    }
}

/// A guard whose arguments are computed.
#[inline(never)]
fn judge_apart(cx: &mut Context<'_>, host: &mut dyn Host, op: &OpRecord, site: &Site) -> bool {
    Tick::new(cx, host, None).judge(op, site).holds
}

/// Is the source of a transition complete (EXEC-6)?
#[inline(never)]
fn is_complete(cx: &Context<'_>, plan: &TransitionPlan) -> bool {
    StateId::read(plan.source).is_some_and(|source| cx.is_complete(source))
}

/// The guard of a debounced transition does not hold.
#[inline(never)]
fn stop_waiting(cx: &mut Context<'_>, id: u16) {
    let candidate = TransitionId::new(id).and_then(|id| cx.candidate(id));
    if let Some(candidate) = candidate {
        cx.debounce_reason(&candidate, false);
    }
}

/// What is known of a transition with a cooldown or a stack before its guard is asked; one that
/// is scored is asked with its rivals.
#[inline(never)]
fn weigh(cx: &Context<'_>, id: u16) -> Option<Quiet> {
    let candidate = TransitionId::new(id).and_then(|id| cx.candidate(id));
    match candidate.filter(|candidate| !candidate.has(transition_flag::SCORED)) {
        Some(candidate) => cx.early_reason(&candidate).map(|_| Quiet::No),
        None => Some(Quiet::AskOn),
    }
}

/// Has a transition whose guard holds waited, and may it leave what it would leave?
#[inline(never)]
fn may_be_taken(cx: &mut Context<'_>, host: &mut dyn Host, id: u16) -> bool {
    Tick::new(cx, host, None).may_be_taken(id)
}

impl Tick<'_, '_> {
    /// The guard of a transition holds: has it waited, and may it leave what it would leave? One
    /// that may not and is to be kept for later is kept (SEL-6).
    pub(crate) fn may_be_taken(&mut self, id: u16) -> bool {
        let candidate = TransitionId::new(id).and_then(|id| self.cx.candidate(id));
        let leaves = self.cx.leaves();
        candidate.is_some_and(|candidate| {
            self.has_waited(&candidate)
                && self.may_leave(&candidate, Cause::None, &leaves) == Exit::Free
        })
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
