//! One whole tick as a list of phases (TICK-1).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::batch::inbox::Inbox;
use crate::context::{Core, Leaves, Site};
use crate::counters::{Counters, count, count_class};
use crate::events::queue::{Next, known_event};
use crate::fast::{self, Outlook};
use crate::fault::Fault;
use crate::host::trace::Trace;
use crate::host::trace_timers::Told;
use crate::host::{Cause, Host};
use crate::instance::event::Event;
use crate::instance::{Instance, flag};
use crate::life;
use crate::select::arbitrate::Step;
use crate::select::{Ask, Pick, Selection};

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
        fault: None,
        rests: true,
    };

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
    let variants = core::slice::from_ref(&input.variant);
    let mut core = Core::for_ticks(rom, counters, input.tick, I::TIER);
    core.set_agents(input.agent, variants);
    if let Some(event) = input.inbox.only()
        && core.glance.may_jump(instance.header())
        && (!host.is_tracing() || host.is_outline())
    {
        match fast::look_up(rom, instance.only_leaf(), event) {
            Outlook::Nobody => {
                core.nobodys = 1;
                fast::tell_nobody(host, event);
                return Report::taken(1);
            }
            Outlook::Jump(jump) => {
                core.attach(instance.ram(), 0);
                let jumped = fast::take_jump::<I, H>(&mut core, host, jump, Some(event));
                return if jumped.idle {
                    Report::taken(1)
                } else {
                    run(&mut core, host, input, Used::one(jumped.microsteps))
                };
            }
            Outlook::Unknown => {}
        }
    }
    visit(&mut core, instance, 0, input, || host)
}

/// One tick of an agent, by a fast path or the general way; its host is asked for only if it has
/// something to do.
pub(crate) fn visit<'a, I: Instance, H: Host>(
    core: &mut Core<'a>,
    instance: &'a mut I,
    place: usize,
    input: &Input<'a>,
    host: impl FnOnce() -> H,
) -> Report {
    if !life::belongs(core.rom, instance) {
        return mismatched(core.rom, instance, input, core.counters);
    }
    core.attach(instance.ram(), place);
    let flags = core.ram.header().flags.get();
    if flags & flag::ENDED != 0 {
        return Report {
            inbox_taken: drop_rest(input.inbox, 0, core.counters),
            ..Report::default()
        };
    }
    if flags & flag::PAUSED != 0 || (input.inbox.is_empty() && core.is_quiet()) {
        return Report::default();
    }
    let mut host = host();
    if host.is_tracing() && !host.is_outline() {
        return run(core, &mut host, input, Used::default());
    }
    let mut used = Used::default();
    let polls = core.glance.may_have_only_activities(core.ram.header()) && !core.has_due_place();
    if input.inbox.is_empty() {
        if polls && let Some(result) = fast::run_activities(core, &mut host) {
            return match result {
                Ok(()) => Report::default(),
                Err(fault) => {
                    if host.is_tracing() {
                        host.trace(&Trace::Faulted(fault));
                    }
                    core.end_with(fault)
                }
            };
        }
        if core.glance.may_jump_by_queue(core.ram.header())
            && let Some(jumped) = fast::take_queued::<I, H>(core, &mut host)
        {
            if jumped.idle {
                return Report::default();
            }
            used.microsteps = jumped.microsteps;
            used.events = 1;
        }
    } else if core.glance.may_jump(core.ram.header()) {
        let idle;
        (used, idle) = fast::take_inbox::<I, H>(core, &mut host, input.inbox);
        if idle {
            return Report::taken(used.inbox);
        }
    } else if polls
        && core.glance.has_jumps()
        && let Some(event) = input.inbox.get(0)
        && let Some(microsteps) = fast::take_while_polling::<I, H>(core, &mut host, event)
    {
        used = Used::one(microsteps);
    }
    run(core, &mut host, input, used)
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
    rest.for_each(|event| count_class(&mut counters.dropped, event.class));
    inbox.len()
}

/// All tiers and all hosts come together here; some events may have been taken already.
pub(crate) fn run(
    core: &mut Core<'_>,
    host: &mut dyn Host,
    input: &Input<'_>,
    used: Used,
) -> Report {
    core.begin();
    let mut report = Report::taken(used.inbox);
    let mut told;
    let tracing = if host.is_tracing() {
        told = Told::new(core);
        Some(&mut told)
    } else {
        None
    };
    let result = Run::new(core, host, tracing).phases(input.inbox, used, &mut report);
    if let Err(fault) = result {
        report.fault = core.end_with(fault).fault;
        if host.is_tracing() {
            host.trace(&Trace::Faulted(fault));
        }
    }
    if core.has_ended() {
        report.inbox_taken = drop_rest(input.inbox, report.inbox_taken, core.counters);
    }
    core.fault = None;
    core.finish();
    report
}

/// A tick in progress.
pub(crate) struct Run<'r, 'a> {
    pub(crate) core: &'r mut Core<'a>,
    pub(crate) host: &'r mut (dyn Host + 'r),
    pub(crate) tracing: bool,
    /// What a tracer knows of the timers.
    pub(crate) told: Option<&'r mut Told>,
    /// Final states entered in this microstep.
    pub(crate) entered_finals: Leaves,
    /// A final state was entered or resumed in this microstep.
    pub(crate) may_complete: bool,
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

    /// One more event of the inbox, with so many microsteps.
    pub(crate) fn add(&mut self, microsteps: u16) {
        self.events = self.events.saturating_add(1);
        self.microsteps = self.microsteps.saturating_add(microsteps);
        self.inbox = self.inbox.saturating_add(1);
    }
}

impl<'r, 'a> Run<'r, 'a> {
    /// With a memory for what a tracer is told of timers, if there is a tracer.
    pub(crate) fn new(
        core: &'r mut Core<'a>,
        host: &'r mut (dyn Host + 'r),
        told: Option<&'r mut Told>,
    ) -> Self {
        Self {
            core,
            host,
            tracing: told.is_some(),
            told,
            entered_finals: Leaves::default(),
            may_complete: false,
        }
    }

    /// TICK-1: check and start, events to completion, clamp, activities, end.
    fn phases(
        &mut self,
        inbox: Inbox<'_>,
        mut used: Used,
        report: &mut Report,
    ) -> Result<(), Fault> {
        self.core.check_fault()?;
        if self.core.ram.has(flag::STARTED) {
            self.core.check_instance()?;
        } else {
            self.start()?;
        }
        let result = self.run_to_completion(inbox, &mut used);
        (report.inbox_taken, report.clamped) = (used.inbox, used.clamped);
        result?;
        if self.is_over() {
            return Ok(());
        }
        if !self.settle_clamp(used.clamped)? {
            if self.core.rom.has(feature::ACTIVITIES) {
                self.run_activities();
            }
            self.core.check_fault()?;
        }
        if !self.is_over() {
            self.core.show_posted();
            self.core.update_polls();
        }
        if self.tracing {
            self.trace_timers(0);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.core.has_ended()
    }

    /// Phases (1) and (2): eventless rounds and events until nothing is left or a cap is reached.
    /// Bound: both caps.
    fn run_to_completion(&mut self, inbox: Inbox<'_>, used: &mut Used) -> Result<(), Fault> {
        let caps = self.core.rom.header();
        let (event_cap, microstep_cap) =
            (caps.events_per_tick.get(), caps.microsteps_per_tick.get());
        let mut latched = true;
        loop {
            while !self.is_over()
                && used.microsteps < microstep_cap
                && self.run_eventless(latched)?
            {
                used.microsteps = used.microsteps.saturating_add(1);
                latched = false;
            }
            latched = false;
            if self.is_over() {
                return Ok(());
            }
            if used.microsteps >= microstep_cap {
                used.clamped = !self.core.has_policy(policy::INTERNAL_FIRST);
                return if used.clamped {
                    Ok(())
                } else {
                    Err(Fault::MicrostepCap)
                };
            }
            if used.events >= event_cap {
                // A machine that must not lose events goes on in the next tick (EVT-10).
                used.clamped =
                    self.core.has_visible_event() && !self.core.has_policy(policy::INTERNAL_FIRST);
                return Ok(());
            }
            let Some(next) = self.core.next_event(inbox.get(used.inbox)) else {
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
    fn run_eventless(&mut self, latched: bool) -> Result<bool, Fault> {
        let latched = latched && self.core.rom.has(feature::LATCH);
        if !latched && !self.core.rom.has(feature::EVENTLESS) {
            return Ok(false);
        }
        self.commit_eventless(latched)
    }

    #[inline(never)]
    fn commit_eventless(&mut self, latched: bool) -> Result<bool, Fault> {
        let Some(column) = self.core.rom.eventless_column() else {
            return Ok(false);
        };
        let ask = Ask {
            column,
            cause: Cause::None,
            timer: false,
            latched,
        };
        let selection = self.select(&ask)?;
        self.commit_selection(&selection)
    }

    /// Takes one event; whether something was carried out.
    fn run_event(
        &mut self,
        next: Next,
        inbox: Inbox<'_>,
        taken: &mut usize,
    ) -> Result<bool, Fault> {
        count(&mut self.core.counters.events);
        match next {
            Next::Timer(timer, place) => self.run_timer(timer, place),
            Next::Queued(position) => {
                let event = self
                    .core
                    .ram
                    .queue()
                    .get(position)
                    .copied()
                    .ok_or(Fault::BadQueue)?;
                self.dispatch(&event, Some(position))
            }
            Next::Inbox => {
                let mut event = inbox.get(*taken).copied().ok_or(Fault::BadQueue)?;
                *taken = taken.saturating_add(1);
                event.stamp.set(self.core.now);
                event.class = event.class.min(3);
                event.flags = 0;
                self.dispatch(&event, None)
            }
        }
    }

    /// A due timer (EVT-7). Observers do not see it and nobody defers it.
    #[inline(never)]
    fn run_timer(&mut self, timer: TimerId, place: u8) -> Result<bool, Fault> {
        let record = self.core.rom.timer(timer).ok_or(Fault::BadPlan)?;
        self.core.take_timer(timer, place);
        if self.tracing {
            self.mark_timers();
            self.host.trace(&Trace::Fired(timer));
        }
        let event =
            EventId::read(record.column).filter(|&event| self.core.rom.event(event).is_some());
        let cause = event.map_or(Cause::Timer(timer), |event| Cause::Event(event, [0; 4]));
        let Some(column) = Column::read(record.column) else {
            return Ok(false);
        };
        let selection = self.select(&Ask {
            column,
            cause,
            timer: true,
            latched: false,
        })?;
        if selection.is_empty() && !selection.stored {
            count(&mut self.core.counters.unhandled);
        }
        self.commit_selection(&selection)
    }

    /// An event of queue or inbox: select, observe, then commit, defer or drop.
    fn dispatch(&mut self, event: &Event, queued_at: Option<usize>) -> Result<bool, Fault> {
        match self.select_for(event, queued_at)? {
            Some((selection, id)) => self.commit_observed(&selection, Some(id)),
            None => Ok(false),
        }
    }

    /// What an event leads to; `None` if it was deferred or does not exist. Kept apart: what it
    /// needs of the stack is free again when user code is called.
    #[inline(never)]
    fn select_for(
        &mut self,
        event: &Event,
        queued_at: Option<usize>,
    ) -> Result<Option<(Selection, EventId)>, Fault> {
        let Some(id) = known_event(self.core, event) else {
            count(&mut self.core.counters.unhandled);
            return Ok(None);
        };
        let column = self.core.rom.event_column(id).ok_or(Fault::BadPlan)?;
        let cause = Cause::Event(id, event.words());
        let selection = self.select(&Ask {
            column,
            cause,
            timer: false,
            latched: false,
        })?;
        if selection.is_empty() && selection.deferred && !selection.stored {
            let kept = self.core.defer(*event, queued_at);
            if self.tracing && kept {
                self.host.trace(&Trace::Deferred(id));
            }
            return Ok(None);
        }
        queued_at.map(|position| self.core.ram.remove_event(position));
        if selection.is_empty() && !selection.stored {
            count(&mut self.core.counters.unhandled);
            if self.tracing {
                self.host.trace(&Trace::Unhandled(id));
            }
        }
        Ok(Some((selection, id)))
    }

    fn commit_selection(&mut self, selection: &Selection) -> Result<bool, Fault> {
        self.commit_observed(selection, None)
    }

    /// Decides who goes together, tells observers of an event, and carries it out; whether there
    /// was something.
    fn commit_observed(
        &mut self,
        selection: &Selection,
        event: Option<EventId>,
    ) -> Result<bool, Fault> {
        if let Some(pick) = selection.only() {
            self.commit_one(selection, pick, event)?;
        } else if selection.is_empty() {
            self.tell_observers(selection, event);
        } else {
            self.commit_several(selection, event)?;
        }
        self.core.check_fault()?;
        Ok(!selection.is_empty())
    }

    #[inline(never)]
    fn commit_one(
        &mut self,
        selection: &Selection,
        pick: Pick,
        event: Option<EventId>,
    ) -> Result<(), Fault> {
        let one = self.accept_only(selection, pick)?;
        self.tell_observers(selection, event);
        self.commit_only(&one, &selection.leaves)
    }

    /// Kept apart so that one transition alone does not pay for the means for several.
    #[inline(never)]
    fn commit_several(
        &mut self,
        selection: &Selection,
        event: Option<EventId>,
    ) -> Result<(), Fault> {
        let mut step = Step::new(self.core.rom, selection);
        self.arbitrate(&mut step, selection)?;
        self.tell_observers(selection, event);
        self.commit(&step, &selection.leaves)
    }

    fn tell_observers(&mut self, selection: &Selection, event: Option<EventId>) {
        if let Some(event) = event.filter(|_| self.core.rom.has(feature::OBSERVERS)) {
            self.run_observers(event, selection.cause);
        }
    }

    /// EVT-8.
    #[inline(never)]
    fn run_observers(&mut self, event: EventId, cause: Cause) {
        let site = Site {
            state: StateId::ROOT,
            transition: None,
            cause,
        };
        self.core.observing = true;
        for observer in self.core.rom.observers() {
            if observer.event.get() == event.raw() || SpecialTrigger::Any.is(observer.event) {
                self.run_list(observer.actions.get(), &site);
            }
        }
        self.core.observing = false;
    }
}

impl Core<'_> {
    /// A fault ends the instance.
    #[cold]
    fn end_with(&mut self, fault: Fault) -> Report {
        self.quarantine();
        self.fault = None;
        Report {
            fault: Some(fault),
            ..Report::default()
        }
    }

    /// Would a tick change nothing? A look at the header, and at the deadlines if any timer runs
    /// (RAM-3).
    fn is_quiet(&self) -> bool {
        const BUSY: u16 = flag::STARTED | flag::BUDGET_EXCEEDED | flag::WORK | flag::POLLS;
        let header = self.ram.header();
        header.flags.get() & BUSY == flag::STARTED && header.clamped == 0 && !self.has_due_place()
    }

    /// RAM-3: does the configuration have an activity, an eventless trigger or a transition that
    /// waits?
    fn update_polls(&mut self) {
        const POLLING: u32 = feature::ACTIVITIES | feature::EVENTLESS | feature::LATCH;
        if self.rom.header().features.get() & POLLING == 0 {
            return self.ram.clear_flag(flag::POLLS);
        }
        let leaves = self.leaves();
        let polls = leaves.iter().any(|(_, leaf)| {
            let row = self.rom.row_of(leaf).map_or(0, |row| row.flags.get());
            row & row_flag::POLLS != 0 || (self.rom.has(feature::LATCH) && self.has_latched(leaf))
        });
        self.ram.put_flag(flag::POLLS, polls);
    }

    fn has_latched(&self, leaf: StateId) -> bool {
        self.rom.path_up(leaf).any(|state| {
            self.latch_slot(state)
                .is_some_and(|slot| self.ram.slot(slot) != 0)
        })
    }
}
