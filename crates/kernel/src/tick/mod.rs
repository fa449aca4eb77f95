//! One whole tick as a list of phases (TICK-1).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::batch::inbox::Inbox;
use crate::context::Context;
use crate::counters::{Counters, Loss, count};
use crate::events::queue::Next;
use crate::events::timers::Due;
use crate::fast::{self, FastPath, Route, Settled, Start};
use crate::fault::Fault;
use crate::fused::drive::{drive, go_on};
use crate::host::trace::Trace;
use crate::host::trace_timers::TracedTimers;
use crate::host::{Cause, Host};
use crate::instance::leaves::Leaves;
use crate::instance::ram::AnyTier;
use crate::instance::{Header, Instance, flag};
use crate::life;
use crate::poll::{Chain, Halt, Polled, poll, poll_by_plan, scan};
use crate::select::Ask;
use crate::toggles::{self, Optimization};

mod dispatch;

/// What happens to an instance that belongs to another machine (RAM-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mismatch {
    /// It is quarantined: for shipping.
    #[default]
    Quarantine,
    /// It is reset and starts on its next tick: for development.
    Reset,
}

/// What one tick is given.
#[derive(Clone, Copy, Debug)]
pub struct Input<'i> {
    /// The agent.
    pub agent: u64,
    /// The tick.
    pub tick: u32,
    /// The variant of the agent's parameters.
    pub variant: VariantId,
    /// Events for this tick (EVT-4).
    pub inbox: Inbox<'i>,
    /// What happens to an instance of another machine.
    pub mismatch: Mismatch,
}

impl Input<'_> {
    /// A tick of an agent with the plain parameters and no inbox.
    pub fn new(agent: u64, tick: u32) -> Self {
        Self {
            agent,
            tick,
            variant: VariantId::PLAIN,
            inbox: Inbox::EMPTY,
            mismatch: Mismatch::default(),
        }
    }
}

/// What one tick reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Events of the inbox that were taken, or dropped because the agent has ended; the rest is to
    /// be offered again (EVT-4).
    pub inbox_taken: usize,
    /// A cap was reached (TICK-4).
    pub clamped: bool,
    /// There was no room in the queue for an event (EVT-3).
    pub overflowed: bool,
    /// Why the instance was quarantined in this tick.
    pub fault: Option<Fault>,
    /// The agent was seen to have nothing more to do: only an event wakes it, as
    /// [`sleep`](crate::sleep) would say. Not looked for in every tick.
    pub rests: bool,
}

impl Report {
    /// One event was taken, and the agent rests.
    pub(crate) const RESTS: Self = Self {
        inbox_taken: 1,
        clamped: false,
        overflowed: false,
        fault: None,
        rests: true,
    };

    /// One event was taken, and nothing is to be told.
    pub(crate) const TAKEN: Self = Self {
        rests: false,
        ..Self::RESTS
    };

    /// There were no events, and nothing is to be told.
    pub(crate) const QUIET: Self = Self {
        inbox_taken: 0,
        clamped: false,
        overflowed: false,
        fault: None,
        rests: false,
    };

    /// Is there nothing that a host has to hear of, but that the agent is awake?
    #[inline]
    pub fn is_plain(&self) -> bool {
        !self.clamped && !self.overflowed && self.fault.is_none()
    }

    /// So many events were taken, and nothing else is to be told.
    pub(crate) fn taken(inbox_taken: usize) -> Self {
        Self {
            inbox_taken,
            ..Self::default()
        }
    }
}

/// Runs one whole tick of one instance.
pub fn tick<'a, I: Instance, H: Host>(
    rom: &'a Rom<'a>,
    instance: &'a mut I,
    host: &mut H,
    input: &'a Input<'a>,
    counters: &'a mut Counters,
) -> Report {
    let mut blank = Header::default();
    let mut cx = Context::for_ticks(rom, counters, &mut blank, (input.tick, I::TIER));
    cx.set_agents(input.agent, core::slice::from_ref(&input.variant));
    let traces_steps = host.is_tracing() && !host.is_outline();
    if let Some(event) = input.inbox.only() {
        match cx.router().single(instance, event, traces_steps) {
            FastPath::Ignore => {
                cx.unhandled = 1;
                fast::trace_ignored(host, event);
                return Report::taken(1);
            }
            FastPath::Jump(jump) => {
                cx.attach(instance.ram(), 0);
                let jumped = fast::take_jump::<I, H>(&mut cx, host, jump, Some(event));
                return if jumped.left != fast::Left::Something {
                    Report::taken(1)
                } else {
                    let used = Used::one(jumped.microsteps);
                    run(&mut cx, host, input, used, Begun::Nothing)
                };
            }
            FastPath::Together | FastPath::Slow => {}
        }
    }
    follow(&mut cx, instance, 0, input, traces_steps, || host)
}

/// One tick of an agent that is more than a single event with a known outcome. Its host is asked
/// for only if it has something to do.
pub(crate) fn follow<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    index: usize,
    input: &Input<'a>,
    traces_steps: bool,
    host: impl FnOnce() -> H,
) -> Report {
    let start = match cx.router().route(instance, input.inbox, traces_steps) {
        Route::Foreign => return mismatched(cx.rom, instance, input, cx.counters),
        Route::Ended => {
            if traces_steps && !input.inbox.is_empty() {
                trace_rest(&mut host(), input.inbox, 0);
            }
            return Report::taken(drop_rest(input.inbox, 0, cx.counters));
        }
        Route::Paused | Route::Resting => return Report::default(),
        Route::Run(start) => start,
    };
    let quiet = !traces_steps && cx.router().is_quiet(instance);
    cx.attach(instance.ram(), index);
    let mut host = host();
    if quiet
        && host.is_fused()
        && let Some(report) = drive::<I, H>(cx, &mut host, input)
    {
        return report;
    }
    let (used, idle) = match start {
        Start::JumpInbox => fast::take_inbox::<I, H>(cx, &mut host, input.inbox),
        Start::JumpQueued(jump) => fast::take_queued::<I, H>(cx, &mut host, jump),
        Start::JumpTimer => fast::take_due(cx, &mut host),
        Start::Poll => {
            let has_events = !input.inbox.is_empty() || cx.due_mask() != 0;
            let polled = poll::<I, H>(cx, &mut host, has_events);
            return match polled {
                Polled::Halted(_) | Polled::Settled if host.is_fused() => {
                    go_on::<H>(cx, &mut host, input, polled)
                }
                Polled::Settled => settle::<I, H>(cx, &mut host, input),
                polled => run_polled(cx, &mut host, input, polled),
            };
        }
        Start::Slow => (Used::default(), false),
    };
    if idle {
        Report::taken(used.inbox)
    } else {
        run(cx, &mut host, input, used, Begun::Nothing)
    }
}

/// Takes what has come for an agent that has polled. If nothing is carried out for it, the agent only has
/// to poll once more: asks again, and runs.
#[inline(never)]
fn settle<I: Instance, H: Host>(cx: &mut Context<'_>, host: &mut H, input: &Input<'_>) -> Report {
    let settled = fast::take_settled(cx, host, input.inbox);
    let (used, begun) = settled.begins();
    let moved = match begun {
        Begun::Moved => used.microsteps != 0 || cx.check_fault().is_err(),
        Begun::Nothing | Begun::Settled | Begun::Due(_) | Begun::Halted(_) => true,
    };
    if moved {
        return run(cx, host, input, used, begun);
    }
    match poll_by_plan::<I, H>(cx, host, false) {
        Polled::Done => Report {
            overflowed: cx.has_overflowed(),
            ..Report::taken(used.inbox)
        },
        Polled::Halted(halt) => run(cx, host, input, used, Begun::Halted(halt)),
        Polled::Settled | Polled::Slow | Polled::Failed(_) => run(cx, host, input, used, begun),
    }
}

/// What is left to do of a tick that began with polling.
#[inline(never)]
pub(crate) fn run_polled(
    cx: &mut Context<'_>,
    host: &mut dyn Host,
    input: &Input<'_>,
    polled: Polled,
) -> Report {
    let mut used = Used::default();
    let begun = match polled {
        Polled::Done => {
            return Report {
                overflowed: cx.has_overflowed(),
                ..Report::default()
            };
        }
        Polled::Settled => {
            let (taken, begun) = fast::take_settled(cx, host, input.inbox).begins();
            used = taken;
            begun
        }
        Polled::Halted(halt) => Begun::Halted(halt),
        Polled::Slow => Begun::Nothing,
        Polled::Failed(fault) => {
            if host.is_tracing() {
                host.trace(&Trace::Faulted(fault));
            }
            return cx.end_with(fault);
        }
    };
    run(cx, host, input, used, begun)
}

/// What is done of a tick whose rest the slow path does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Begun {
    /// Nothing, or some events; the instance is not checked yet.
    Nothing,
    /// The first eventless round found nothing.
    Settled,
    /// The same, and this timer is next.
    Due(Due),
    /// The first eventless round goes on from here.
    Halted(Halt),
    /// Something was carried out or taken; an eventless round comes next.
    Moved,
}

impl Settled {
    /// What is used, and what is done of the tick.
    fn begins(self) -> (Used, Begun) {
        match self {
            Self::Nothing => (Used::default(), Begun::Settled),
            Self::Due(due) => (Used::default(), Begun::Due(due)),
            Self::Taken(used) => (used, Begun::Moved),
        }
    }
}

/// RAM-6: never run.
#[cold]
fn mismatched<I: Instance>(
    rom: &Rom<'_>,
    instance: &mut I,
    input: &Input<'_>,
    counters: &mut Counters,
) -> Report {
    if instance.header().has(flag::QUARANTINED) {
        return Report {
            inbox_taken: drop_rest(input.inbox, 0, counters),
            ..Report::default()
        };
    }
    if input.mismatch == Mismatch::Reset && rom.header().tier == I::TIER {
        count(&mut counters.resets);
        life::reset(rom, instance);
        return Report::default();
    }
    instance.ram().quarantine();
    count(&mut counters.quarantines);
    let inbox_taken = drop_rest(input.inbox, 0, counters);
    Report {
        inbox_taken,
        fault: Some(Fault::WrongMachine),
        ..Report::default()
    }
}

/// An instance that has ended drops its events, counted (SYS-10).
fn drop_rest(inbox: Inbox<'_>, taken: usize, counters: &mut Counters) -> usize {
    let rest = (taken..inbox.len()).filter_map(|place| inbox.get(place));
    rest.for_each(|event| counters.lose(Loss::Ended, event.class()));
    inbox.len()
}

/// Tells a tracer of them.
#[cold]
fn trace_rest(host: &mut dyn Host, inbox: Inbox<'_>, taken: usize) {
    let rest = (taken..inbox.len()).filter_map(|place| inbox.get(place));
    rest.for_each(|event| host.trace(&Trace::Lost(event.id(), Loss::Ended)));
}

/// All tiers and all hosts come together here; some events may have been taken already.
pub(crate) fn run(
    cx: &mut Context<'_>,
    host: &mut dyn Host,
    input: &Input<'_>,
    used: Used,
    begun: Begun,
) -> Report {
    cx.begin();
    let mut report = Report::taken(used.inbox);
    let mut traced_timers;
    let tracing = if host.is_tracing() {
        traced_timers = TracedTimers::new(cx);
        if !host.is_outline() {
            cx.begin_notes();
        }
        Some(&mut traced_timers)
    } else {
        None
    };
    let mut tick = Tick::new(cx, host, tracing);
    let result = tick.phases(input.inbox, used, begun, &mut report);
    if let Err(fault) = result {
        report.fault = cx.end_with(fault).fault;
        if host.is_tracing() {
            host.trace(&Trace::Faulted(fault));
        }
    }
    if cx.has_ended() {
        if cx.notes.is_some() {
            trace_rest(host, input.inbox, report.inbox_taken);
        }
        report.inbox_taken = drop_rest(input.inbox, report.inbox_taken, cx.counters);
    }
    cx.notes = None;
    cx.finish();
    report.overflowed = cx.has_overflowed();
    report
}

/// With these there is something to do in phase (3).
const RUNNING: u32 = feature::ACTIVITIES | feature::UPDATES;
/// With these agents may have to be looked at in every tick (RAM-3).
const POLLING: u32 = RUNNING | feature::EVENTLESS | feature::LATCH;

/// A tick in progress.
pub(crate) struct Tick<'r, 'a> {
    pub(crate) cx: &'r mut Context<'a>,
    pub(crate) host: &'r mut (dyn Host + 'r),
    pub(crate) tracing: bool,
    /// And in more than outline.
    pub(crate) tells_steps: bool,
    /// What a tracer knows of the timers.
    pub(crate) traced_timers: Option<&'r mut TracedTimers>,
    /// Final states entered in this microstep.
    pub(crate) entered_finals: Leaves,
    /// A final state was entered or resumed in this microstep.
    pub(crate) may_complete: bool,
}

/// Which eventless round it is.
#[derive(Clone, Copy, Debug)]
enum Round {
    /// The first of the tick: latched transitions are asked, too.
    First,
    /// What is left of the first.
    Rest(Halt),
    /// The first, which found nothing.
    Done,
    /// A later one.
    Later,
}

/// What asking along the plans of the leaves came to.
enum Scanned {
    /// Nothing eventless is enabled.
    Nothing,
    /// The search goes on from here.
    Halted(Halt),
    /// Nobody was asked.
    NotAsked,
}

/// What a tick has used of its caps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    pub(crate) events: u16,
    pub(crate) microsteps: u16,
    pub(crate) inbox: usize,
    clamped: bool,
}

impl Used {
    /// One event of the inbox, with so many microsteps.
    pub(crate) fn one(microsteps: u16) -> Self {
        Self {
            events: 1,
            microsteps,
            inbox: 1,
            clamped: false,
        }
    }

    /// One event of the queue, with so many microsteps.
    pub(crate) fn queued(microsteps: u16) -> Self {
        Self {
            events: 1,
            microsteps,
            ..Self::default()
        }
    }

    /// One more event of the inbox, with so many microsteps.
    pub(crate) fn add(&mut self, microsteps: u16) {
        self.events = self.events.saturating_add(1);
        self.microsteps = self.microsteps.saturating_add(microsteps);
        self.inbox = self.inbox.saturating_add(1);
    }
}

impl<'r, 'a> Tick<'r, 'a> {
    /// With a memory for what a tracer is traced_timers of timers, if there is a tracer.
    pub(crate) fn new(
        cx: &'r mut Context<'a>,
        host: &'r mut (dyn Host + 'r),
        traced_timers: Option<&'r mut TracedTimers>,
    ) -> Self {
        let tracing = traced_timers.is_some();
        Self {
            tells_steps: tracing && !host.is_outline(),
            cx,
            host,
            tracing,
            traced_timers,
            entered_finals: Leaves::default(),
            may_complete: false,
        }
    }

    /// TICK-1: check and start, events to completion, clamp, activities, end.
    fn phases(
        &mut self,
        inbox: Inbox<'_>,
        mut used: Used,
        begun: Begun,
        report: &mut Report,
    ) -> Result<(), Fault> {
        self.cx.check_fault()?;
        match begun {
            Begun::Nothing if self.cx.is_whole_by_flags() => self.cx.check_instance()?,
            Begun::Nothing => self.make_whole()?,
            Begun::Settled | Begun::Due(_) | Begun::Halted(_) | Begun::Moved => {}
        }
        let result = self.run_to_completion(inbox, begun, &mut used);
        (report.inbox_taken, report.clamped) = (used.inbox, used.clamped);
        result?;
        if self.is_over() {
            return self.cx.check_fault();
        }
        let ends_here = self.count_clamp(used.clamped)?;
        let features = self.cx.rom.header().features.get();
        // What is active now stays so to the end of the tick.
        let chain = if features & POLLING != 0 && !self.is_over() {
            self.cx.expected(self.cx.chain())
        } else {
            None
        };
        if !ends_here {
            if let Some(chain) = chain.filter(|_| features & RUNNING != 0) {
                self.run_activities(&chain);
            }
            self.cx.check_fault()?;
        }
        if !self.is_over() {
            self.cx.show_posted();
            self.cx.update_polls(chain.as_ref());
        }
        if self.tracing {
            self.tell_notes();
            self.trace_timers(0);
        }
        self.cx.check_fault()
    }

    fn is_over(&self) -> bool {
        self.cx.has_ended()
    }

    /// Phases (1) and (2): eventless rounds and events until nothing is left or a cap is reached.
    /// Bound: both caps.
    fn run_to_completion(
        &mut self,
        inbox: Inbox<'_>,
        begun: Begun,
        used: &mut Used,
    ) -> Result<(), Fault> {
        let caps = self.cx.rom.header();
        let (event_cap, microstep_cap) =
            (caps.events_per_tick.get(), caps.microsteps_per_tick.get());
        let mut round = match begun {
            Begun::Nothing => Round::First,
            Begun::Settled | Begun::Due(_) => Round::Done,
            Begun::Halted(halt) => Round::Rest(halt),
            Begun::Moved => Round::Later,
        };
        let mut first = match begun {
            Begun::Due(due) => Some(Next::Timer(due.timer, due.slot)),
            Begun::Nothing | Begun::Settled | Begun::Halted(_) | Begun::Moved => None,
        };
        loop {
            while !self.is_over() && used.microsteps < microstep_cap && self.run_eventless(round)? {
                used.microsteps = used.microsteps.saturating_add(1);
                round = Round::Later;
            }
            round = Round::Later;
            if self.is_over() {
                return Ok(());
            }
            if used.microsteps >= microstep_cap {
                used.clamped = !self.cx.has_policy(policy::INTERNAL_FIRST);
                return if used.clamped {
                    Ok(())
                } else {
                    Err(Fault::MicrostepCap)
                };
            }
            if used.events >= event_cap {
                // A machine that must not lose events goes on in the next tick (EVT-10).
                used.clamped =
                    self.cx.has_visible_event() && !self.cx.has_policy(policy::INTERNAL_FIRST);
                return Ok(());
            }
            let next = first.take();
            let next = next.or_else(|| self.cx.next_event(inbox.get(used.inbox)));
            let Some(next) = next else {
                return Ok(());
            };
            used.events = used.events.saturating_add(1);
            if self.run_event(next, inbox, &mut used.inbox)? {
                used.microsteps = used.microsteps.saturating_add(1);
            }
        }
    }

    /// One eventless round; whether something was carried out.
    #[inline]
    fn run_eventless(&mut self, round: Round) -> Result<bool, Fault> {
        let latched = match round {
            Round::Done => return Ok(false),
            Round::Rest(halt) => return self.commit_eventless(false, Some(halt)),
            Round::First => self.cx.rom.has(feature::LATCH),
            Round::Later => false,
        };
        if !latched && !self.cx.rom.has(feature::EVENTLESS) {
            return Ok(false);
        }
        match self.scan_eventless(latched) {
            Scanned::Nothing => self.cx.check_fault().map(|()| false),
            Scanned::Halted(halt) => self.commit_eventless(false, Some(halt)),
            Scanned::NotAsked => self.commit_eventless(latched, None),
        }
    }

    /// Asks along the plans of the leaves, unless every step is told or a transition waits. Kept
    /// apart: what it needs of the stack is free again when user code is called.
    #[inline(never)]
    fn scan_eventless(&mut self, latched: bool) -> Scanned {
        let scans = !self.tells_steps && toggles::has(Optimization::Polling);
        let chain = scans.then(|| self.cx.chain()).flatten();
        let chain = chain.filter(|chain| !latched || !self.cx.has_latched_in(chain));
        match chain.map(|chain| scan::<AnyTier, dyn Host>(self.cx, self.host, chain)) {
            Some(None) => Scanned::Nothing,
            Some(Some(halt)) => Scanned::Halted(halt),
            None => Scanned::NotAsked,
        }
    }

    #[inline(never)]
    fn commit_eventless(&mut self, latched: bool, halt: Option<Halt>) -> Result<bool, Fault> {
        let Some(column) = self.cx.proved(self.cx.rom.eventless_column()) else {
            return Ok(false);
        };
        let ask = Ask {
            column,
            cause: Cause::None,
            timer: false,
            latched,
            halt,
        };
        let selection = self.select(&ask)?;
        self.commit_selection(&selection)
    }
}

impl Context<'_> {
    /// A fault ends the instance.
    #[cold]
    fn end_with(&mut self, fault: Fault) -> Report {
        self.quarantine(fault);
        Report {
            fault: Some(fault),
            overflowed: self.has_overflowed(),
            ..Report::default()
        }
    }

    /// RAM-3: does the configuration have an activity, an eventless trigger or a transition that
    /// waits?
    pub(crate) fn update_polls(&mut self, chain: Option<&Chain<'_>>) {
        let polls = chain.is_some_and(|chain| chain.is_polling() || self.has_latched_in(chain));
        self.ram.put_flag(flag::POLLS, polls);
    }
}
