//! Jumps: an event that always leads to the same is carried out from one list.

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::batch::inbox::Inbox;
use crate::commit::entry_set::Entry;
use crate::commit::exits::Leave;
use crate::context::{Core, Site};
use crate::host::cx::Actor;
use crate::host::trace::Trace;
use crate::host::{Cause, Host};
use crate::instance::Instance;
use crate::instance::event::{Event, event_flag};
use crate::tick::{Run, Used};

/// What an event comes to.
pub(crate) enum Outlook<'a> {
    /// Nobody handles it.
    Nobody,
    /// Always the same.
    Jump(&'a Jump),
    /// The general way finds out.
    Unknown,
}

/// What an event comes to for an instance that may jump and has no other leaf: one look.
#[inline(always)]
pub(crate) fn look_up<'a>(rom: &'a Rom<'a>, leaf: Option<u16>, event: &Event) -> Outlook<'a> {
    let Some(cell) = leaf.and_then(|leaf| rom.cell(leaf, event.id.get())) else {
        return Outlook::Unknown;
    };
    match cell.list.get() {
        NO_LIST => Outlook::Nobody,
        cell => rom.jump(cell).map_or(Outlook::Unknown, Outlook::Jump),
    }
}

/// The same for an instance with any number of leaves: one of them reacts, or nobody does.
fn look_up_all<'a>(core: &Core<'a>, event: &Event) -> Outlook<'a> {
    let mut found = None;
    for leaf in core.ram.leaves().iter().filter(|leaf| leaf.get() != NONE) {
        match (look_up(core.rom, Some(leaf.get()), event), &found) {
            (Outlook::Nobody, Some(_)) => {}
            (outlook, None | Some(Outlook::Nobody)) => found = Some(outlook),
            _ => return Outlook::Unknown,
        }
    }
    // An instance without leaves is damaged: the general way says so.
    found.unwrap_or(Outlook::Unknown)
}

/// What a jump has done.
pub(crate) struct Jumped {
    /// 1, or 0 if the guard said no.
    pub(crate) microsteps: u16,
    /// Nothing is left to do, if there is no further event.
    pub(crate) idle: bool,
}

impl Core<'_> {
    /// Takes an event that nobody handles.
    fn pass_nobody(&mut self) -> Jumped {
        self.nobodys = self.nobodys.wrapping_add(1);
        Jumped {
            microsteps: 0,
            idle: true,
        }
    }
}

/// Takes an event by a jump. The instance is attached.
#[inline(always)]
pub(crate) fn take_jump<'a, I: Instance, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    if jump.flags.get() == 0 {
        take_plain::<I, H>(core, host, jump, event)
    } else {
        take_mixed(core, host, jump, event)
    }
}

/// Takes an event by a jump that is nothing but calls. Nobody else gets to see the host, so that it
/// may stay in registers.
#[inline(always)]
pub(crate) fn take_plain<'a, I: Instance, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    core.running = true;
    if host.is_tracing() {
        tell_event(host, event.unwrap_or(&core.queued));
        tell_jump(host, jump);
    }
    carry_out(core, host, jump, event);
    let glance = core.glance;
    let mut idle = false;
    I::with(&mut core.ram, |instance| {
        instance.set_first_leaf(jump.leaf);
        // What user code may have done: posted, started a timer. A fault comes with a full queue or
        // running timers.
        idle = glance.is_idle(instance.header());
    });
    if !idle {
        return Jumped {
            microsteps: 1,
            idle,
        };
    }
    core.running = false;
    Jumped {
        microsteps: 1,
        idle,
    }
}

/// Takes events of the inbox one after the other, as long as they lead to jumps or to nobody,
/// nothing else is to be done in between and no cap is near (TICK-4). The instance is attached and
/// may jump. What was used, and whether nothing is left to do.
pub(crate) fn take_inbox<'a, I: Instance, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
    inbox: Inbox<'a>,
) -> (Used, bool) {
    let caps = core.rom.header();
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
        let jumped = match look_up_all(core, event) {
            Outlook::Nobody => {
                tell_nobody(host, event);
                core.pass_nobody()
            }
            Outlook::Jump(jump) => take_jump::<I, H>(core, host, jump, Some(event)),
            Outlook::Unknown => return (used, false),
        };
        used.add(jumped.microsteps);
        if !jumped.idle {
            return (used, false);
        }
    }
    (used, true)
}

/// Takes the one event of the queue, if nobody handles it or it leads to a jump. The instance is
/// attached and may jump by its queue. `None` if the event was not taken, else what a jump has
/// done.
pub(crate) fn take_queued<'a, I: Instance, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
) -> Option<Jumped> {
    let event = *core.ram.queue().first()?;
    let plain =
        event.flags & !event_flag::INTERNAL == 0 && event.class <= 3 && !core.rom.has(feature::TTL);
    let jump = match look_up_all(core, &event) {
        Outlook::Nobody if plain => None,
        Outlook::Jump(jump) if plain => Some(jump),
        _ => return None,
    };
    core.ram.clear_queue();
    let Some(jump) = jump else {
        tell_nobody(host, &event);
        return Some(core.pass_nobody());
    };
    core.queued = event;
    Some(take_jump::<I, H>(core, host, jump, None))
}

/// Takes the first event of the inbox of an instance that polls, if nothing eventless comes before
/// it and it leads to a jump or to nobody. The instance is attached; the general way goes on. How
/// many microsteps there were.
pub(crate) fn take_while_polling<'a, I: Instance, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
    event: &'a Event,
) -> Option<u16> {
    let leaf = core.waiting_leaf()?;
    match look_up(core.rom, Some(leaf.raw()), event) {
        Outlook::Nobody => {
            tell_nobody(host, event);
            Some(core.pass_nobody().microsteps)
        }
        Outlook::Jump(jump) => Some(take_jump::<I, H>(core, host, jump, Some(event)).microsteps),
        Outlook::Unknown => None,
    }
}

/// Nothing but calls.
#[inline(always)]
fn carry_out<'a, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) {
    core.jump = Some((jump, event));
    core.jumped = core.jumped.wrapping_add(1);
    let Some(steps) = core.rom.jump_steps_of(jump) else {
        return;
    };
    // A call site per position: processors learn where each leads.
    match steps {
        [a, b, c, d] => {
            call(core, host, a);
            call(core, host, b);
            call(core, host, c);
            call(core, host, d);
        }
        [a, b, c] => {
            call(core, host, a);
            call(core, host, b);
            call(core, host, c);
        }
        [a, b, c, d, rest @ ..] => {
            call(core, host, a);
            call(core, host, b);
            call(core, host, c);
            call(core, host, d);
            rest.iter().for_each(|step| call(core, host, step));
        }
        _ => steps.iter().for_each(|step| call(core, host, step)),
    }
    core.step = None;
}

#[inline(always)]
fn call<'a, H: Host + ?Sized>(core: &mut Core<'a>, host: &mut H, step: &'a JumpStep) {
    core.step = Some(step);
    host.action(FunctionId::read_proved(step.function), Actor::new(core));
}

/// Takes an event by a jump that is more than calls; told to a tracer if there is one.
#[inline(always)]
pub(crate) fn take_mixed<'a, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    match host.is_tracing() {
        false => take_steps::<false>(core, host, jump, event),
        true => take_steps::<true>(core, host, jump, event),
    }
}

/// With a guard, with ops that are no calls, or with states that have more than actions: by the
/// general means, but still without selection and settling.
#[inline(never)]
fn take_steps<'a, const TRACED: bool>(
    core: &mut Core<'a>,
    host: &mut dyn Host,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    core.running = true;
    core.jump = Some((jump, event));
    if TRACED {
        tell_event(host, event.unwrap_or(&core.queued));
    }
    if jump.guard.get() != NONE && !guard_holds(core, host, jump) {
        core.running = false;
        if TRACED {
            tell_unhandled(host, event.unwrap_or(&core.queued));
        }
        return core.pass_nobody();
    }
    if TRACED {
        tell_jump(host, jump);
    }
    let line = core
        .rom
        .states()
        .get(usize::from(jump.leaf.get()))
        .map_or(0, |leaf| leaf.leaf);
    for step in core.rom.jump_steps_of(jump).unwrap_or(&[]) {
        if step.function.get() != NONE {
            call(core, host, step);
        } else {
            core.step = None;
            core.ram.set_leaf(line, StateId::read(step.leaf));
            let site = core.jump_site(step.state, jump);
            Run::new(core, host, None).run_step(step, &site);
        }
    }
    core.step = None;
    core.ram.set_leaf(line, StateId::read(jump.leaf));
    core.jumped = core.jumped.wrapping_add(1);
    let idle = core.glance.is_idle(core.ram.header()) && jump.flags.get() & jump_flag::POLLS == 0;
    if idle {
        core.finish();
    }
    Jumped {
        microsteps: 1,
        idle,
    }
}

fn guard_holds(core: &mut Core<'_>, host: &mut dyn Host, jump: &Jump) -> bool {
    let transition = TransitionId::read(jump.transition).and_then(|id| core.rom.transition(id));
    let site = core.jump_site(
        transition.map_or_else(Default::default, |record| record.source),
        jump,
    );
    Run::new(core, host, None)
        .guard(jump.guard.get(), &site)
        .holds
}

impl Run<'_, '_> {
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
            JumpStepKind::Op => {
                if let Some(op) = self.core.rom.ops().get(step.first.get() as usize) {
                    self.run_op(op, site);
                }
            }
        }
    }
}

/// What a tracer is told of jumps: the outline, in the words of the general way (SYS-3).
#[inline(always)]
fn tell_event<H: Host + ?Sized>(host: &mut H, event: &Event) {
    if let Some(id) = event.id() {
        host.trace(&Trace::Select(Cause::Event(id, event.words())));
    }
}

#[inline(always)]
fn tell_jump<H: Host + ?Sized>(host: &mut H, jump: &Jump) {
    if let Some((transition, leaf)) =
        TransitionId::read(jump.transition).zip(StateId::read(jump.leaf))
    {
        host.trace(&Trace::Jumped(transition, leaf));
    }
}

fn tell_unhandled<H: Host + ?Sized>(host: &mut H, event: &Event) {
    if let Some(id) = event.id() {
        host.trace(&Trace::Unhandled(id));
    }
}

/// Nobody handles an event.
#[inline(always)]
pub(crate) fn tell_nobody<H: Host + ?Sized>(host: &mut H, event: &Event) {
    if host.is_tracing() {
        tell_event(host, event);
        tell_unhandled(host, event);
    }
}
