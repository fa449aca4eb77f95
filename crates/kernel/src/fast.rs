//! Fast paths: what most ticks are, without what the general way pays for (RAM-3).
//!
//! Each is a prefix of the general way: it does the same to the same bytes, and where it meets something that it does not know, the
//! general way goes on from there. Each has a switch; with all of them off every byte is the same (`proof/trial`).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::actor::Actor;
use crate::bugs::{self, Bug};
use crate::core_state::{Core, Site, jump_site};
use crate::event::{Event, event_flag};
use crate::exits::Leave;
use crate::fault::Fault;
use crate::host::{Cause, Host, Mode};
use crate::instance::{Header, Instance, flag};
use crate::settle::Entry;
use crate::switches::{self, Trick};
use crate::tick::Run;

/// What is known of a machine before its first agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glance {
    /// First word of the header of an instance that has started and has nothing to do.
    rest: u64,
    /// The same where the machine has jumps and a tick has room for one; else a word that no header has.
    jump_rest: u64,
    /// The same with polling, where nothing but activities may have to be done; else a word that no header has.
    poll_rest: u64,
}

/// Bits of the first word that must be as they are at rest: machine, life, work.
const AT_REST: u64 = 0xFFFF_FFFF
    | ((flag::STARTED | flag::ENDED | flag::PAUSED | flag::BUDGET_EXCEEDED | flag::WORK | flag::POLLS) as u64) << 32
    | TIMERS;
/// Running timers.
const TIMERS: u64 = 0xFF << 48;
/// The same with the number of queued events, which may wait for another configuration while an instance rests.
const IDLE: u64 = AT_REST | 0xFF << 56;
/// With these there is more to polling than activities of one line of states.
const NOT_ONLY_ACTIVITIES: u32 = feature::REGIONS | feature::LATCH | feature::STACK;
/// Equals no masked word.
const NEVER: u64 = u64::MAX;

impl Glance {
    /// For instances of a tier.
    pub(crate) fn new(rom: &Rom<'_>, tier: u8) -> Self {
        if tier != rom.header().tier {
            return Self { rest: NEVER, jump_rest: NEVER, poll_rest: NEVER };
        }
        let rest = u64::from(rom.machine_id()) | u64::from(flag::STARTED) << 32;
        let jumps = !rom.jumps().is_empty() && rom.header().microsteps_per_tick.get() > 1;
        let activities = rom.has(feature::ACTIVITIES) && rom.header().features.get() & NOT_ONLY_ACTIVITIES == 0;
        let polls = u64::from(flag::POLLS) << 32;
        Self {
            poll_rest: if switches::has(Trick::Activities) && activities { rest | polls } else { NEVER },
            rest: if switches::has(Trick::Glance) { rest } else { NEVER },
            jump_rest: if switches::has(Trick::Jumps) && jumps { rest } else { NEVER },
        }
    }

    /// For ticks that are traced.
    pub(crate) fn forbid_jumps(&mut self) {
        self.jump_rest = NEVER;
    }

    /// Would a tick without events change nothing? One masked compare, and the deadlines if a timer runs.
    #[inline(always)]
    pub(crate) fn is_at_rest<I: Instance>(&self, instance: &I, now: u32) -> bool {
        let header = instance.header();
        if header.first_word() & AT_REST == self.rest && header.clamped == 0 {
            return true;
        }
        header.first_word() & AT_REST & !TIMERS == self.rest && header.clamped == 0 && !instance.has_due_timer(now)
    }

    /// At rest, no event queued, and a machine with jumps?
    #[inline(always)]
    pub(crate) fn may_jump(&self, header: &Header) -> bool {
        self.is_idle(header) && header.last_word() == 0
    }

    /// At rest but for one event in the queue, and a machine with jumps?
    #[inline]
    pub(crate) fn may_jump_by_queue(&self, header: &Header) -> bool {
        const ONE: u64 = (flag::WORK as u64) << 32 | 1 << 56;
        header.first_word() & IDLE == self.jump_rest | ONE && self.jump_rest != NEVER && header.last_word() == 0
    }

    /// Idle but for polling, in a machine where that may be activities alone? Running timers are to be looked at.
    #[inline]
    pub(crate) fn may_have_only_activities(&self, header: &Header) -> bool {
        header.first_word() & IDLE & !TIMERS == self.poll_rest && header.last_word() == 0
    }

    /// Does the machine have jumps?
    #[inline]
    pub(crate) fn has_jumps(&self) -> bool {
        self.jump_rest != NEVER
    }

    /// At rest, and no event queued?
    #[inline(always)]
    fn is_idle(&self, header: &Header) -> bool {
        header.first_word() & IDLE == self.jump_rest
    }
}

/// What an event comes to.
pub(crate) enum Outlook<'a> {
    /// Nobody handles it.
    Nobody,
    /// Always the same.
    Jump(&'a Jump),
    /// The general way finds out.
    Unknown,
}

/// What an event comes to for an instance that may jump: one look.
#[inline(always)]
pub(crate) fn look_up<'a>(rom: &'a Rom<'a>, leaf: Option<u16>, event: &Event) -> Outlook<'a> {
    let cell = leaf.and_then(|leaf| rom.cell(leaf, event.id.get()));
    let Some(cell) = cell else { return Outlook::Unknown };
    if cell == NO_LIST { Outlook::Nobody } else { rom.jump(cell).map_or(Outlook::Unknown, Outlook::Jump) }
}

/// What a jump has done.
pub(crate) struct Jumped {
    /// 1, or 0 if the guard said no.
    pub(crate) microsteps: u16,
    /// Nothing is left to do, if there is no further event.
    pub(crate) idle: bool,
}

/// Takes an event by a jump. The instance is attached.
#[inline(always)]
pub(crate) fn take_jump<'a, I: Instance, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> Jumped {
    core.running = true;
    let microsteps = if jump.flags.get() == 0 {
        carry_out(core, host, jump, event)
    } else {
        carry_out_mixed::<I>(core, host, jump, event)
    };
    let glance = core.glance;
    let mut idle = false;
    I::with(&mut core.ram, |instance| {
        if microsteps > 0 {
            instance.set_only_leaf(jump.leaf);
        }
        // What user code may have done: posted, started a timer. A fault comes with a full queue or running timers.
        idle = glance.is_idle(instance.header()) && jump.flags.get() & jump_flag::POLLS == 0;
    });
    core.running = !idle;
    if idle && jump.flags.get() != 0 {
        core.finish();
    }
    Jumped { microsteps, idle }
}

/// Takes the one event of the queue, if nobody handles it or it leads to a jump. The instance is attached and may jump by its queue.
/// `None` if the event was not taken, else what a jump has done.
pub(crate) fn take_queued<'a, I: Instance, H: Host>(core: &mut Core<'a>, host: &mut H) -> Option<Jumped> {
    let event = *core.ram.queue().first()?;
    let plain = event.flags & !event_flag::INTERNAL == 0 && event.class <= 3 && !core.rom.has(feature::TTL);
    let jump = match look_up(core.rom, core.ram.only_leaf(), &event) {
        Outlook::Nobody if plain => None,
        Outlook::Jump(jump) if plain => Some(jump),
        _ => return None,
    };
    core.ram.clear_queue();
    let Some(jump) = jump else {
        core.nobodys = core.nobodys.wrapping_add(1);
        return Some(Jumped { microsteps: 0, idle: true });
    };
    core.queued = event;
    Some(take_jump::<I, H>(core, host, jump, None))
}

impl Core<'_> {
    /// The leaf of an instance that polls, if nothing eventless can be enabled: there is no `always` on the way, no final state, and no
    /// activity has a result.
    fn waiting_leaf(&self) -> Option<StateId> {
        let leaf = self.ram.only_leaf().and_then(StateId::new)?;
        let always = self.rom.row_of(leaf)?.flags.get() & row_flag::ALWAYS != 0;
        let mut record = self.rom.state(leaf)?;
        let is_final = record.kind == state_kind::FINAL;
        // Bound: parents have smaller numbers.
        let mut results = false;
        loop {
            results |= record.activity.get() != NONE && self.result_of(record).is_some();
            match self.rom.states().get(usize::from(record.parent.get())) {
                Some(around) => record = around,
                None => break,
            }
        }
        if always || is_final || results { None } else { Some(leaf) }
    }
}

/// Takes the first event of the inbox of an instance that polls, if nothing eventless comes before it and it leads to a jump or to
/// nobody. The instance is attached; the general way goes on. How many microsteps there were.
pub(crate) fn take_while_polling<'a, I: Instance, H: Host>(
    core: &mut Core<'a>,
    host: &mut H,
    event: &'a Event,
) -> Option<u16> {
    let leaf = core.waiting_leaf()?;
    match look_up(core.rom, Some(leaf.raw()), event) {
        Outlook::Nobody => {
            core.nobodys = core.nobodys.wrapping_add(1);
            Some(0)
        }
        Outlook::Jump(jump) => Some(take_jump::<I, H>(core, host, jump, Some(event)).microsteps),
        Outlook::Unknown => None,
    }
}

/// Runs the activities of an instance that has nothing else to do: phase (3) alone (TICK-5). The instance is attached. `None` if there
/// is something else, else whether user code caused a fault.
pub(crate) fn run_activities<H: Host>(core: &mut Core<'_>, host: &mut H) -> Option<Result<(), Fault>> {
    let rom = core.rom;
    let leaf = core.waiting_leaf()?;
    core.running = true;
    for state in rom.path_up(leaf) {
        let activity = rom.state(state).and_then(|record| OpId::read(record.activity));
        let site = Site { state, transition: None, cause: Cause::None };
        if let Some(function) = activity.and_then(|op| rom.op(op)).and_then(|op| core.aim(op, &site)) {
            let status = host.activity(function, Mode::Run, Actor::new(core));
            core.set_result(state, status);
        }
    }
    let result = core.check_fault();
    if result.is_ok() {
        core.show_posted();
        core.running = false;
    }
    Some(result)
}

/// Nothing but calls.
#[inline(always)]
fn carry_out<'a, H: Host>(core: &mut Core<'a>, host: &mut H, jump: &'a Jump, event: Option<&'a Event>) -> u16 {
    core.jump = Some((jump, event));
    core.jumped = core.jumped.wrapping_add(1);
    let Some(mut steps) = core.rom.jump_steps_of(jump) else { return 0 };
    if bugs::has(Bug::JumpSkipsLastStep) {
        steps = steps.split_last().map_or(&[], |(_, rest)| rest);
    }
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
    1
}

#[inline(always)]
fn call<'a, H: Host>(core: &mut Core<'a>, host: &mut H, step: &'a JumpStep) {
    core.step = Some(step);
    host.action(FunctionId::read_proved(step.function), Actor::new(core));
}

/// With a guard, with ops that are no calls, or with states that have more than actions: by the general means, but still without selection and settling.
#[inline(never)]
fn carry_out_mixed<'a, I: Instance>(
    core: &mut Core<'a>,
    host: &mut dyn Host,
    jump: &'a Jump,
    event: Option<&'a Event>,
) -> u16 {
    let queued = core.queued;
    let event = event.unwrap_or(&queued);
    let source = TransitionId::read(jump.transition).and_then(|id| core.rom.transition(id)).map(|record| record.source);
    let site = jump_site(source.unwrap_or_default(), jump, event);
    let steps = core.rom.jump_steps_of(jump).unwrap_or(&[]);
    let mut run = Run::new(core, host);
    if !run.guard(jump.guard.get(), &site).holds {
        run.core.nobodys = run.core.nobodys.wrapping_add(1);
        return 0;
    }
    for step in steps {
        I::with(&mut run.core.ram, |instance| instance.set_only_leaf(step.leaf));
        run.run_step(step, &jump_site(step.state, jump, event));
    }
    run.core.jumped = run.core.jumped.wrapping_add(1);
    1
}

impl Run<'_, '_> {
    fn run_step(&mut self, step: &JumpStep, site: &Site) {
        let Site { state, transition, cause } = *site;
        if step.kind == jump_step_kind::EXIT {
            let leave = Leave { mask: 0, domain: None, keeps_frames: true, transition, cause };
            self.exit_state(state, false, &leave);
        } else if step.kind == jump_step_kind::ENTER {
            self.enter_step(Entry::State(state), transition, cause);
        } else if step.function.get() == NONE {
            if let Some(op) = self.core.rom.ops().get(step.first.get() as usize) {
                self.run_op(op, site);
            }
        } else {
            let op = OpRecord { kind: op_kind::CALL, count: step.count, a: step.function, b: step.first };
            self.run_op(&op, site);
        }
    }
}
