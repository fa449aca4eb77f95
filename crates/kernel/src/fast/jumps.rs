//! Jumps: an event that always leads to the same is carried out from one list.

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use crate::batch::inbox::Inbox;
use crate::code::truth::{by_term, decided};
use crate::commit::entry_set::Entry;
use crate::commit::exits::Leave;
use crate::context::{Context, Planned, Site};
use crate::counters::count;
use crate::events::timers::Arming;
use crate::fast::route::FastPath;
use crate::fast::scored::{Best, best};
use crate::fast::settled::take_together;
use crate::host::cx::{ActionCx, GuardCx};
use crate::host::trace::Trace;
use crate::host::{AnyHost, Cause, Host};
use crate::instance::Instance;
use crate::instance::event::Event;
use crate::instance::ram::AnyTier;
use crate::tick::{Tick, Used};

/// No slot.
const NO_SLOT: u8 = 0xFF;

/// What a jump has done.
pub(crate) struct Jumped {
    /// 1, or 0 if the guard said no.
    pub(crate) microsteps: u16,
    /// What is left to do, if there is no further event.
    pub(crate) left: Left,
}

/// What is left to do of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing: the agent rests.
    Nothing,
    /// Nothing in this tick: timers run.
    Timers,
    /// The slow path has to look.
    Something,
}

impl Context<'_> {
    /// Takes an event that nobody handles.
    pub(super) fn count_unhandled(&mut self) -> Jumped {
        self.unhandled = self.unhandled.wrapping_add(1);
        self.nothing_done()
    }

    /// Takes an event for which nothing is to happen (LANG-6).
    fn count_handled(&mut self) -> Jumped {
        count(&mut self.counters.events);
        self.nothing_done()
    }

    fn nothing_done(&self) -> Jumped {
        let left = match self.ram.header().armed {
            0 => Left::Nothing,
            _ => Left::Timers,
        };
        Jumped {
            microsteps: 0,
            left,
        }
    }

    /// The leaf number of a jump: that of all states on its way.
    #[inline]
    pub(crate) fn line_of_jump(&self, jump: &Jump) -> Option<LeafId> {
        let leaf = self.proved(StateId::read(jump.leaf));
        let leaf = leaf.and_then(|leaf| self.state(leaf));
        leaf.and_then(|leaf| self.proved(leaf.leaf_id()))
    }

    /// What a jump has left to do. What user code may have done: posted, started a timer. A fault
    /// takes the mask away.
    fn left_by_jump(&self) -> Left {
        let (mask, header) = (self.idle.get(), self.ram.header());
        if mask.is_idle(header) {
            Left::Nothing
        } else if mask.is_idle_but_for_timers(header) && self.due_mask() == 0 {
            Left::Timers
        } else {
            Left::Something
        }
    }
}

/// Takes an event by a jump. The instance is attached.
#[inline(always)]
pub(crate) fn take_jump<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    if jump.flags.get() == 0 {
        take_plain::<I, H>(cx, host, jump, event)
    } else {
        take_mixed(cx, host, jump, event)
    }
}

/// Takes an event by a jump that is nothing but calls. Nobody else gets to see the host, so that it
/// may stay in registers.
#[inline(always)]
pub(crate) fn take_plain<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    cx.running = true;
    if host.is_tracing() {
        trace_event(host, event.unwrap_or(&cx.queued));
        trace_jump(host, jump);
    }
    carry_out(cx, host, jump, event);
    let mask = cx.idle.get();
    let mut idle = false;
    let same_tier = I::with(&mut cx.ram, |instance| {
        instance.set_first_leaf(jump.leaf);
        idle = mask.is_idle(instance.header());
    });
    if !same_tier {
        cx.impossible("the view is of another tier than its caller");
    }
    if !idle {
        return finish_jump(cx);
    }
    cx.running = false;
    Jumped {
        microsteps: 1,
        left: Left::Nothing,
    }
}

/// A jump is done; looks closer at what is left.
#[inline(never)]
pub(super) fn finish_jump(cx: &mut Context<'_>) -> Jumped {
    let left = cx.left_by_jump();
    if left != Left::Something {
        cx.finish();
    }
    Jumped {
        microsteps: 1,
        left,
    }
}

/// Takes events of the inbox one after the other, as long as they lead to jumps or to nobody,
/// nothing else is to be done in between and no cap is near (TICK-4). The instance is attached and
/// may jump. What was used, and whether nothing is left to do.
pub(crate) fn take_inbox<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    inbox: Inbox<'a>,
) -> (Used, bool) {
    let caps = cx.rom.header();
    let near = caps
        .events_per_tick
        .get()
        .min(caps.microsteps_per_tick.get())
        .saturating_sub(1);
    let mut used = Used::default();
    while let Some(event) = inbox.get(used.inbox) {
        if used.events >= near {
            return (used, false);
        }
        let jumped = match FastPath::of_all(cx.rom, cx.ram.leaves(), event) {
            FastPath::Ignore => ignore(cx, host, event),
            FastPath::Jump(jump) => take_jump::<I, H>(cx, host, jump, Some(event)),
            FastPath::Together if !host.is_tracing() => take_together(cx, host, event),
            FastPath::Together | FastPath::Slow => return (used, false),
        };
        used.add(jumped.microsteps);
        if jumped.left == Left::Something {
            return (used, false);
        }
    }
    (used, true)
}

/// Takes the one event of the queue: by a jump, or nobody handles it. The instance is attached.
/// What was used, and whether nothing is left to do.
pub(crate) fn take_queued<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: Option<&'a Jump>,
) -> (Used, bool) {
    let Some(event) = cx.proved(cx.ram.queue().first().copied()) else {
        return (Used::default(), false);
    };
    cx.ram.clear_queue();
    cx.queued = event;
    let jumped = match jump {
        Some(jump) => take_jump::<I, H>(cx, host, jump, None),
        None => ignore(cx, host, &event),
    };
    let done = jumped.left != Left::Something;
    (Used::queued(jumped.microsteps), done)
}

/// Takes an event that nobody handles.
fn ignore<H: Host>(cx: &mut Context<'_>, host: &mut H, event: &Event) -> Jumped {
    trace_ignored(host, event);
    cx.count_unhandled()
}

/// Nothing but calls.
#[inline(always)]
fn carry_out<'a, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) {
    cx.jump = Some((jump, event));
    cx.jumped = cx.jumped.wrapping_add(1);
    let Some(steps) = cx.proved(cx.rom.jump_steps_of(jump)) else {
        return;
    };
    // A call site per position: processors learn where each leads.
    match steps {
        [a, b, c, d] => {
            call(cx, host, a);
            call(cx, host, b);
            call(cx, host, c);
            call(cx, host, d);
        }
        [a, b, c] => {
            call(cx, host, a);
            call(cx, host, b);
            call(cx, host, c);
        }
        [a, b, c, d, rest @ ..] => {
            call(cx, host, a);
            call(cx, host, b);
            call(cx, host, c);
            call(cx, host, d);
            rest.iter().for_each(|step| call(cx, host, step));
        }
        _ => steps.iter().for_each(|step| call(cx, host, step)),
    }
    cx.step = None;
}

#[inline(always)]
fn call<'a, H: Host + ?Sized>(cx: &mut Context<'a>, host: &mut H, step: &'a JumpStep) {
    cx.step = Some(step);
    host.action(FunctionId::read_proved(step.function), ActionCx::new(cx));
}

/// Takes an event by a jump that is more than calls; told to a tracer if there is one.
#[inline(always)]
pub(crate) fn take_mixed<'a, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    match host.is_tracing() {
        false => take_steps::<false, H>(cx, host, jump, event),
        true => take_steps::<true, dyn Host>(cx, host, jump, event),
    }
}

/// With a guard, with ops that are no calls, or with states that have more than actions: by the
/// general means, but still without selection and settling.
#[inline(never)]
pub(super) fn take_steps<'a, const TRACED: bool, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    cx.running = true;
    if TRACED {
        trace_event(host, event.unwrap_or(&cx.queued));
    }
    let Some(jump) = first_that_holds(cx, host, jump, event) else {
        cx.running = false;
        if TRACED {
            trace_unhandled(host, event.unwrap_or(&cx.queued));
        }
        let refused = cx.count_unhandled();
        return unless_failed(cx, refused);
    };
    if jump.flags.get() & jump_flag::STAYS != 0 {
        cx.running = false;
        let kept = cx.count_handled();
        return unless_failed(cx, kept);
    }
    if TRACED {
        trace_jump(host, jump);
    }
    // Before its calls, as plain ones are counted: a call may not come back.
    cx.jumped = cx.jumped.wrapping_add(1);
    if jump.count.get() != 0 {
        let steps = cx.proved(cx.rom.jump_steps_of(jump)).unwrap_or(&[]);
        run_steps(cx, host, jump, steps);
    }
    let line = cx.line_of_jump(jump);
    put_leaf(cx, line, jump.leaf);
    if jump.flags.get() & jump_flag::POLLS == 0 {
        return finish_jump(cx);
    }
    Jumped {
        microsteps: 1,
        left: Left::Something,
    }
}

/// Nothing was carried out; after a fault the slow path has to look.
fn unless_failed(cx: &Context<'_>, jumped: Jumped) -> Jumped {
    match cx.check_fault() {
        Ok(()) => jumped,
        Err(_) => Jumped {
            left: Left::Something,
            ..jumped
        },
    }
}

/// The first jump of a ladder whose guard holds. Bound: each names one behind itself.
#[inline(always)]
fn first_that_holds<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    first: &'a Jump,
    event: Option<&'a Event>,
) -> Option<&'a Jump> {
    let mut jump = first;
    loop {
        if jump.flags.get() & jump_flag::SCORED != 0 {
            match best(cx, host, jump, event) {
                Best::Found(best) => return Some(best),
                Best::Next(next) => jump = next?,
            }
            continue;
        }
        cx.jump = Some((jump, event));
        let holds = match jump.guard.get() {
            NONE => jump.slot == NO_SLOT || is_remembered(cx, jump),
            _ => guard_holds(cx, host, jump),
        };
        if holds {
            return Some(jump);
        }
        jump = cx.rom.jumps().get(jump.otherwise.get() as usize)?;
    }
}

/// Does a history point hold the state of a jump (EXEC-4)?
#[inline(always)]
fn is_remembered(cx: &Context<'_>, jump: &Jump) -> bool {
    let slot = cx.ram.slots().get(usize::from(jump.slot));
    cx.proved(slot).is_some_and(|&state| state == jump.asker)
}

/// Carries out some steps of a jump that is told to user code.
#[inline(always)]
pub(super) fn run_steps<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: &'a Jump,
    steps: &'a [JumpStep],
) {
    for step in steps {
        if step.function.get() != NONE {
            call(cx, host, step);
        } else {
            run_other(cx, host.any_mut(), jump, step);
        }
    }
    cx.step = None;
}

/// A step that is no call. Kept apart, so that calls do not pay for it.
#[inline(never)]
fn run_other<'a>(cx: &mut Context<'a>, host: &mut dyn Host, jump: &'a Jump, step: &'a JumpStep) {
    if step.kind == JumpStepKind::Remember {
        return remember(cx, step);
    }
    cx.step = None;
    // Whoever has nothing to say needs nobody to be told where he stands.
    let list = match (
        step.kind.get(),
        cx.rom.states().get(usize::from(step.state.get())),
    ) {
        (JumpStepKind::Exit, Some(record)) if cx.leaves_alone(record) => {
            if record.exit.get() == NONE {
                return cx.forget_step(step, record);
            }
            None
        }
        (JumpStepKind::Enter, Some(record)) if record.kind != StateKind::Final => {
            match cx.enters_alone(step, record) {
                true => Some(record.entry),
                false => None,
            }
        }
        (
            JumpStepKind::Op | JumpStepKind::Exit | JumpStepKind::Enter | JumpStepKind::Remember,
            _,
        ) => None,
    };
    if list.is_some_and(|list| list.get() == NONE) {
        return;
    }
    let site = cx.jump_site(step.state, jump);
    if let Some(list) = list {
        return Tick::new(cx, host, None).run_list(ListId::read(list), &site);
    }
    let line = cx.line_of_jump(jump);
    put_leaf(cx, line, step.leaf);
    Tick::new(cx, host, None).run_step(step, &site);
}

/// States that begin and end without user code.
impl Context<'_> {
    /// Is there nothing to be told to user code or to the host when a state is left, but its exit actions?
    fn leaves_alone(&self, record: &StateRecord) -> bool {
        let extra = self.rom.state_extras().get(usize::from(record.extra.get()));
        record.activity.get() == NONE && extra.is_none_or(|extra| extra.channels.get() == 0)
    }

    /// What an instance forgets with the state of a step. The leaf stays: the next step writes its own.
    fn forget_step(&mut self, step: &JumpStep, record: &StateRecord) {
        if let Some(state) = self.proved(StateId::read(step.state)) {
            self.forget(state, record);
        }
    }

    /// The state of a step becomes active; `false`, and nothing is done, if the duration of one of its timers has
    /// to be found by user code's means.
    fn enters_alone(&mut self, step: &JumpStep, record: &StateRecord) -> bool {
        let Some(state) = self.proved(StateId::read(step.state)) else {
            return false;
        };
        let timers = self.rom.timers_in(record).iter();
        let mut armed = timers.filter(|timer| timer.kind.get().is_armed_on_entry());
        if record.timer_count != 0 && !armed.all(|timer| timer.duration.known().is_some()) {
            return false;
        }
        self.enter(state) == Arming::Done
    }
}

/// A history point remembers what is active (EXEC-4).
fn remember(cx: &mut Context<'_>, step: &JumpStep) {
    let (slot, state) = step.remembered();
    if let Some(slot) = cx.proved(SlotId::new(slot)) {
        cx.set_slot(slot, state);
    }
}

/// What is active in the region of a jump.
#[inline(always)]
pub(super) fn put_leaf(cx: &mut Context<'_>, line: Option<LeafId>, leaf: U16) {
    if let Some(line) = line {
        cx.set_leaf(line, StateId::read(leaf));
    }
}

/// Most conditions are decided without a look at where they stand.
#[inline(always)]
pub(super) fn guard_holds<'a, H: AnyHost + ?Sized>(
    cx: &mut Context<'a>,
    host: &mut H,
    jump: &'a Jump,
) -> bool {
    // That of a branch has its choice for asker.
    let plan = cx
        .rom
        .transition_plans()
        .get(usize::from(jump.transition.get()));
    let own = plan.filter(|plan| plan.source == jump.asker);
    if let Some(holds) = own.and_then(|plan| by_term::<AnyTier, H>(cx, host, &plan.term)) {
        return holds;
    }
    let op = match own {
        Some(plan) => Some(&plan.guard),
        None => OpId::read(jump.guard).and_then(|id| cx.op(id)),
    };
    let Some(op) = op else {
        return false;
    };
    if own.is_none()
        && op.kind == ActionOp::Evaluate
        && let Some(holds) = decided(cx, host, op)
    {
        return holds;
    }
    if op.kind == ActionOp::Call {
        let call = Planned::by_jump(op, jump);
        return cx.call_planned(call, |function, cx| {
            host.guard(function, GuardCx::new(cx)).holds
        });
    }
    judge_apart(cx, host.any_mut(), op, jump)
}

/// A guard that is more than a call or a comparison.
#[inline(never)]
fn judge_apart(cx: &mut Context<'_>, host: &mut dyn Host, op: &OpRecord, jump: &Jump) -> bool {
    let site = cx.jump_site(jump.asker, jump);
    Tick::new(cx, host, None).holds(op, &site)
}

impl Tick<'_, '_> {
    /// A step that is no call.
    fn run_step(&mut self, step: &JumpStep, site: &Site) {
        let Site {
            state,
            transition,
            cause,
        } = *site;
        match step.kind.get() {
            JumpStepKind::Exit => {
                let leave = Leave {
                    mask: 0,
                    domain: None,
                    keeps_frames: true,
                    transition,
                    cause,
                };
                self.exit_state(state, false, &leave);
            }
            JumpStepKind::Enter => self.enter_step(Entry::State(state), transition, cause),
            JumpStepKind::Remember => remember(self.cx, step),
            JumpStepKind::Op => {
                let op = self.cx.rom.ops().get(step.first.get() as usize);
                if let Some(op) = self.cx.proved(op) {
                    self.run_op(op, site);
                }
            }
        }
    }
}

/// What a tracer is told of jumps: the outline, in the words of the slow path (SYS-3).
#[inline(always)]
fn trace_event<H: Host + ?Sized>(host: &mut H, event: &Event) {
    if let Some(id) = event.id() {
        host.trace(&Trace::Select(Cause::Event(id, event.words())));
    }
}

#[inline(always)]
fn trace_jump<H: Host + ?Sized>(host: &mut H, jump: &Jump) {
    if let Some((transition, leaf)) =
        TransitionId::read(jump.transition).zip(StateId::read(jump.leaf))
    {
        host.trace(&Trace::Jumped(transition, leaf));
    }
}

fn trace_unhandled<H: Host + ?Sized>(host: &mut H, event: &Event) {
    if let Some(id) = event.id() {
        host.trace(&Trace::Unhandled(id));
    }
}

/// Nobody handles an event.
#[inline(always)]
pub(crate) fn trace_ignored<H: Host + ?Sized>(host: &mut H, event: &Event) {
    if host.is_tracing() {
        trace_event(host, event);
        trace_unhandled(host, event);
    }
}
