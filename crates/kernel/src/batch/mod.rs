//! Many instances in one call (SYS-1, EVT-4). Everything is checked before the first agent runs.

use core::fmt;

use statewright_rom::Rom;
use statewright_rom::ids::VariantId;
use statewright_rom::layout::Jump;

use crate::batch::by_code::run_by_code;
use crate::batch::inbox::{Inbox, InboxEvent, SortedInbox};
use crate::batch::polling::run_polling;
use crate::context::Context;
use crate::counters::Counters;
use crate::fast::{self, FastPath, IdleMask, Jumped, Left, Router};
use crate::host::{Host, Hosts};
use crate::instance::event::Event;
use crate::instance::{Header, Instance};
use crate::poll::{Polled, poll};
use crate::tick::{Begun, Input, Mismatch, Report, Used, follow, run, run_polled};
use crate::toggles::{self, Optimization};

mod by_code;
mod bytes;
mod calling;
pub(crate) mod inbox;
mod polling;
pub(crate) mod prefetch;

/// Which agents of a batch are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visit<'b> {
    /// All of them.
    #[default]
    All,
    /// Those with events in the inbox. For callers that know that all others are at rest (SYS-2).
    WithEvents,
    /// Those with events, and those at these places, which ascend.
    WithEventsAnd(&'b [u32]),
}

/// What a batch is given besides the instances.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'b> {
    /// Place of the first instance; the others follow. Inbox, variants and lists name agents by
    /// their places, so that a part of many agents takes its part of these as it is.
    pub first_place: usize,
    /// Agent at place 0; the others follow.
    pub first_agent: u64,
    /// The tick.
    pub tick: u32,
    /// One variant per place up to the last, or empty for the plain parameters.
    pub variants: &'b [VariantId],
    /// Events for the agents.
    pub inbox: SortedInbox<'b>,
    /// Which agents are visited.
    pub visit: Visit<'b>,
    /// What happens to instances of another machine.
    pub mismatch: Mismatch,
}

/// Why a batch was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// There are variants, but not one per place.
    Variants {
        /// How many there are.
        found: usize,
        /// How many places there are.
        places: usize,
    },
    /// A variant that the machine does not have.
    UnknownVariant {
        /// Place of the instance.
        place: usize,
    },
    /// An event for a place before the first instance or behind the last.
    NoSuchPlace {
        /// Index of the event.
        index: usize,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variants { found, places } => {
                write!(
                    f,
                    "{found} variants for {places} instances: give one per instance, or none"
                )
            }
            Self::UnknownVariant { place } => {
                write!(
                    f,
                    "the variant of instance {place} does not exist in this machine"
                )
            }
            Self::NoSuchPlace { index } => write!(
                f,
                "event {index} of the inbox is for a place without instance"
            ),
        }
    }
}

impl core::error::Error for BatchError {}

/// Runs one tick of every instance that is visited, in order. `done` hears the report of each agent
/// that something happened to, and what it left in the inbox. Of all others the events were taken:
/// nobody handles them.
pub fn tick_batch<'a, I: Instance, H: Hosts>(
    rom: &'a Rom<'a>,
    instances: &'a mut [I],
    hosts: &mut H,
    batch: &Batch<'a>,
    counters: &'a mut Counters,
    done: impl FnMut(usize, &Report, &[InboxEvent]),
) -> Result<(), BatchError> {
    if hosts.are_fused() {
        return tick_batch_by_code(rom, instances, hosts, batch, counters, &mut { done });
    }
    check(rom, instances.len(), batch)?;
    match batch.visit {
        Visit::All if polls_ever::<I>(rom) => {
            run_polling::<I, H>(rom, instances, hosts, batch, counters, done);
        }
        Visit::All => run_batch::<false, I, H>(rom, instances, hosts, batch, counters, done),
        Visit::WithEvents | Visit::WithEventsAnd(_) => {
            run_batch::<true, I, H>(rom, instances, hosts, batch, counters, done);
        }
    }
    Ok(())
}

/// Hears what became of an agent of a batch, as the closure of [`tick_batch`] does.
#[doc(hidden)]
pub trait Done {
    /// The agent at a place, its report, and what it left in the inbox.
    fn done(&mut self, place: usize, report: &Report, left: &[InboxEvent]);

    /// The same of one that has taken its only event and rests. All of them are counted once more
    /// ([`Self::rested`]).
    #[inline(always)]
    fn rests(&mut self, place: usize) {
        self.done(place, &Report::RESTS, &[]);
    }

    /// So many have taken their only event and rest.
    #[inline(always)]
    fn rested(&mut self, count: usize) {
        let _ = count;
    }

    /// The same of so many neighbors, the first at a place, that had no events and only polled: they still do.
    #[inline(always)]
    fn polled(&mut self, first: usize, count: usize) {
        for place in (first..).take(count) {
            self.done(place, &Report::QUIET, &[]);
        }
    }
}

impl<F: FnMut(usize, &Report, &[InboxEvent])> Done for F {
    #[inline]
    fn done(&mut self, place: usize, report: &Report, left: &[InboxEvent]) {
        self(place, report, left);
    }
}

/// The same for hosts that have code for the machine. Whoever hears is known by its type, so that it may be
/// inlined.
#[doc(hidden)]
pub fn tick_batch_by_code<'a, I: Instance, H: Hosts>(
    rom: &'a Rom<'a>,
    instances: &'a mut [I],
    hosts: &mut H,
    batch: &Batch<'a>,
    counters: &'a mut Counters,
    done: &mut impl Done,
) -> Result<(), BatchError> {
    check(rom, instances.len(), batch)?;
    let (mut blank, mut nobody) = (Header::default(), I::new_zeroed());
    let mut cx = Context::for_ticks(rom, counters, &mut blank, (batch.tick, I::TIER));
    cx.set_agents(batch.first_agent, batch.variants);
    if hosts.needs().calls {
        // In the place of whoever is attached for a call.
        cx.attach(nobody.ram(), usize::MAX);
    }
    let router = Router {
        rom,
        idle: cx.idle.get(),
        now: batch.tick,
    };
    match batch.visit {
        Visit::All => {
            run_by_code::<false, I, H>(&mut cx, router, instances, hosts, batch, done);
        }
        Visit::WithEvents | Visit::WithEventsAnd(_) => {
            run_by_code::<true, I, H>(&mut cx, router, instances, hosts, batch, done);
        }
    }
    Ok(())
}

/// May agents of a machine poll, and are there plans for that?
fn polls_ever<I: Instance>(rom: &Rom<'_>) -> bool {
    IdleMask::new(rom, I::TIER).polls_ever()
}

/// Either form of a batch; `SPARSE` runs agents with events or in a list only, and fetches those
/// with events before their turn.
fn run_batch<'a, const SPARSE: bool, I: Instance, H: Hosts>(
    rom: &'a Rom<'a>,
    instances: &'a mut [I],
    hosts: &mut H,
    batch: &Batch<'a>,
    counters: &'a mut Counters,
    mut done: impl FnMut(usize, &Report, &[InboxEvent]),
) {
    let mut blank = Header::default();
    let mut cx = Context::for_ticks(rom, counters, &mut blank, (batch.tick, I::TIER));
    cx.set_agents(batch.first_agent, batch.variants);
    // Not `cx.router()`: what comes from the context would be read from memory for every agent.
    let router = Router {
        rom,
        idle: cx.idle.get(),
        now: batch.tick,
    };
    let mut agents = instances.iter_mut();
    let mut events = batch.inbox.events().iter();
    let mut listed = match batch.visit {
        Visit::WithEventsAnd(places) => places,
        Visit::All | Visit::WithEvents => &[],
    };
    let mut place = batch.first_place;
    loop {
        // Agents with events. Bound: the events.
        while let Some(event) = events.as_slice().first()
            && event.place as usize == place
        {
            if SPARSE {
                fetch(agents.as_slice(), hosts, events.as_slice(), place);
            }
            // Only looked at; whoever goes on with it takes it. So the place of the next one is kept
            // nowhere while this one is judged.
            let Some(instance) = agents.as_slice().first() else {
                return;
            };
            let steps = hosts.traces_steps(place);
            let path = match only(events.as_slice()) {
                Some(event) => router.single(instance, event, steps),
                None => FastPath::Slow,
            };
            match path {
                FastPath::Ignore => {
                    agents.next();
                    events.next();
                    cx.unhandled = cx.unhandled.wrapping_add(1);
                    hosts.pass(place, batch.agent(place), &event.event);
                }
                FastPath::Jump(way) => {
                    let Some(instance) = agents.next() else {
                        return;
                    };
                    events.next();
                    match jump(&mut cx, instance, hosts, batch, way, event) {
                        // Two calls, so that one of them is compiled for this report.
                        None => done(place, &Report::RESTS, &[]),
                        Some(report) => done(place, &report, &[]),
                    }
                }
                FastPath::Together | FastPath::Slow => {
                    let Some(instance) = agents.next() else {
                        return;
                    };
                    let own = own_events(events.as_slice());
                    events = events.as_slice().get(own.len()..).unwrap_or(&[]).iter();
                    visit_with_events(&mut cx, instance, hosts, batch, own, &mut done);
                }
            }
            place = place.wrapping_add(1);
        }
        // Agents without events up to the next one with events.
        let next = events
            .as_slice()
            .first()
            .map_or(usize::MAX, |event| event.place as usize);
        let ahead = next.wrapping_sub(place);
        let resting = if SPARSE {
            listed = skip_to(listed, place);
            listed.first().map_or(ahead, |&next| {
                ahead.min((next as usize).wrapping_sub(place))
            })
        } else {
            router.count_resting(agents.as_slice(), ahead)
        };
        if let Some(last) = resting.checked_sub(1) {
            agents.nth(last);
            place = place.wrapping_add(resting);
        }
        if resting != ahead {
            let Some(instance) = agents.next() else {
                return;
            };
            // Where everybody is visited, agents who poll are in a loop of their own.
            let report = match SPARSE {
                true => visit_polling(&mut cx, router, instance, hosts, batch, place),
                false => Some(visit(&mut cx, instance, hosts, batch, (place, &[]))),
            };
            match report {
                // Two calls, so that one of them is compiled for this report.
                None => done(place, &Report::QUIET, &[]),
                Some(report) => done(place, &report, &[]),
            }
            place = place.wrapping_add(1);
        } else if events.as_slice().is_empty() {
            return;
        }
    }
}

/// Places from one on. Bound: the places.
fn skip_to(mut places: &[u32], place: usize) -> &[u32] {
    while let [first, rest @ ..] = places
        && (*first as usize) < place
    {
        places = rest;
    }
    places
}

/// The first event, if its agent has no other.
#[inline(always)]
fn only(events: &[InboxEvent]) -> Option<&Event> {
    match events {
        [first, second, ..] if first.place == second.place => None,
        [first, ..] => Some(&first.event),
        [] => None,
    }
}

/// The events for the place of the first.
#[inline(never)]
fn own_events(events: &[InboxEvent]) -> &[InboxEvent] {
    let place = events.first().map(|first| first.place);
    let others = |event: &InboxEvent| Some(event.place) != place;
    let end = events.iter().position(others);
    events.get(..end.unwrap_or(events.len())).unwrap_or(events)
}

/// Fetches an agent some events ahead of its turn.
#[inline(always)]
fn fetch<I: Instance, H: Hosts>(agents: &[I], hosts: &H, events: &[InboxEvent], place: usize) {
    if toggles::has(Optimization::Prefetch)
        && let Some(coming) = events.get(prefetch::AHEAD)
    {
        let coming = coming.place as usize;
        if let Some(instance) = agents.get(coming.wrapping_sub(place)) {
            prefetch::prefetch(instance);
            hosts.fetch(coming);
        }
    }
}

/// One agent by a jump; no report if it rests now.
#[inline(always)]
fn jump<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    jump: &'a Jump,
    event: &'a InboxEvent,
) -> Option<Report> {
    let place = event.place as usize;
    cx.attach(instance.ram(), place);
    if jump.flags.get() != 0 {
        return jump_mixed(cx, hosts, batch, jump, event);
    }
    let mut host = hosts.of(place, batch.agent(place));
    let jumped = fast::take_plain::<I, H::Host<'_>>(cx, &mut host, jump, Some(&event.event));
    if jumped.left == Left::Nothing {
        return None;
    }
    drop(host);
    Some(run_rest(
        cx,
        &mut hosts.again(place, batch.agent(place)),
        batch,
        event,
        jumped,
    ))
}

/// The same by a jump that is more than calls. The agent is attached.
#[inline(never)]
fn jump_mixed<'a, H: Hosts>(
    cx: &mut Context<'a>,
    hosts: &mut H,
    batch: &Batch<'a>,
    jump: &'a Jump,
    event: &'a InboxEvent,
) -> Option<Report> {
    let place = event.place as usize;
    let mut host = hosts.of(place, batch.agent(place));
    let jumped = fast::take_mixed(cx, &mut host, jump, Some(&event.event));
    if jumped.left == Left::Nothing {
        None
    } else {
        Some(run_rest(cx, &mut host, batch, event, jumped))
    }
}

/// One agent with events that are more than a single one with a known outcome. Cold, so that the
/// loop has its registers for those: here they would not be noticed.
#[cold]
#[inline(never)]
fn visit_with_events<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    events: &'a [InboxEvent],
    done: &mut impl FnMut(usize, &Report, &[InboxEvent]),
) {
    let Some(first) = events.first() else {
        return;
    };
    let place = first.place as usize;
    let path = match only(events) {
        Some(event) => cx
            .router()
            .beside_others(instance, event, hosts.traces_steps(place)),
        None => FastPath::Slow,
    };
    let report = match path {
        FastPath::Ignore => {
            cx.unhandled = cx.unhandled.wrapping_add(1);
            hosts.pass(place, batch.agent(place), &first.event);
            return done(place, &Report::taken(1), &[]);
        }
        FastPath::Jump(way) => jump(cx, instance, hosts, batch, way, first),
        FastPath::Together => {
            cx.attach(instance.ram(), place);
            jump_together(cx, hosts, batch, first)
        }
        FastPath::Slow => Some(visit(cx, instance, hosts, batch, (place, events))),
    };
    let report = report.unwrap_or(Report::RESTS);
    let left = events.get(report.inbox_taken..).unwrap_or(&[]);
    done(place, &report, left);
}

/// One agent by the jumps of several leaves; no report if it rests now. The agent is attached.
#[inline]
fn jump_together<'a, H: Hosts>(
    cx: &mut Context<'a>,
    hosts: &mut H,
    batch: &Batch<'a>,
    event: &'a InboxEvent,
) -> Option<Report> {
    let place = event.place as usize;
    let mut host = hosts.of(place, batch.agent(place));
    // Tracers are told by the slow path.
    if host.is_tracing() {
        let input = batch.input(place, core::slice::from_ref(event));
        return Some(run(cx, &mut host, &input, Used::default(), Begun::Nothing));
    }
    let jumped = fast::take_together(cx, &mut host, &event.event);
    match jumped.left {
        Left::Nothing => None,
        Left::Timers | Left::Something => Some(run_rest(cx, &mut host, batch, event, jumped)),
    }
}

/// One agent without events, which may have nothing to do but to poll; no report if that was all.
#[inline]
fn visit_polling<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    place: usize,
) -> Option<Report> {
    if hosts.traces_steps(place) || !router.polls(instance) {
        return Some(visit(cx, instance, hosts, batch, (place, &[])));
    }
    cx.attach(instance.ram(), place);
    let mut host = hosts.of(place, batch.agent(place));
    match poll::<I, H::Host<'_>>(cx, &mut host, false) {
        Polled::Done if !cx.has_overflowed() => None,
        polled => {
            let input = batch.input(place, &[]);
            Some(run_polled(cx, &mut host, &input, polled))
        }
    }
}

/// One agent that is more than a single event with a known outcome.
#[inline(never)]
fn visit<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    (place, events): (usize, &'a [InboxEvent]),
) -> Report {
    let steps = hosts.traces_steps(place);
    let by_tables = !steps && !hosts.are_fused();
    if by_tables && events.is_empty() && cx.router().waits_for_timer(instance) {
        return visit_waiting(cx, instance, hosts, batch, place);
    }
    let input = batch.input(place, events);
    follow(cx, instance, place, &input, steps, || {
        hosts.of(place, batch.agent(place))
    })
}

/// One agent without events that does nothing but wait for timers: as [`follow`] takes it.
#[inline(never)]
fn visit_waiting<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    place: usize,
) -> Report {
    if !instance.has_due_timer(batch.tick) {
        return Report::QUIET;
    }
    cx.attach(instance.ram(), place);
    let mut host = hosts.of(place, batch.agent(place));
    let (used, idle) = fast::take_due(cx, &mut host);
    if idle {
        Report::QUIET
    } else {
        let input = batch.input(place, &[]);
        run(cx, &mut host, &input, used, Begun::Nothing)
    }
}

/// What is left to do of a tick that began with a jump, unless nothing is before the next deadline.
#[cold]
fn run_rest<'a>(
    cx: &mut Context<'a>,
    host: &mut dyn Host,
    batch: &Batch<'a>,
    event: &'a InboxEvent,
    jumped: Jumped,
) -> Report {
    if jumped.left == Left::Timers {
        return Report::taken(1);
    }
    let input = batch.input(event.place as usize, core::slice::from_ref(event));
    let used = Used::one(jumped.microsteps);
    run(cx, host, &input, used, Begun::Nothing)
}

impl<'b> Batch<'b> {
    #[inline]
    fn agent(&self, place: usize) -> u64 {
        self.first_agent.wrapping_add(place as u64)
    }

    fn input(&self, place: usize, events: &'b [InboxEvent]) -> Input<'b> {
        let agent = self.agent(place);
        let variant = self
            .variants
            .get(place)
            .copied()
            .unwrap_or(VariantId::PLAIN);
        Input {
            agent,
            tick: self.tick,
            variant,
            inbox: Inbox::Part(events),
            mismatch: self.mismatch,
        }
    }
}

fn check(rom: &Rom<'_>, instances: usize, batch: &Batch<'_>) -> Result<(), BatchError> {
    let (found, end) = (
        batch.variants.len(),
        batch.first_place.saturating_add(instances),
    );
    if found != 0 && found != end {
        return Err(BatchError::Variants { found, places: end });
    }
    let variants = rom.variants().len().max(1);
    if let Some(place) = batch
        .variants
        .iter()
        .position(|variant| variant.index() >= variants)
    {
        return Err(BatchError::UnknownVariant { place });
    }
    let events = batch.inbox.events();
    let (first, last) = (events.first(), events.last());
    if first.is_some_and(|first| (first.place as usize) < batch.first_place) {
        return Err(BatchError::NoSuchPlace { index: 0 });
    }
    if last.is_some_and(|last| last.place as usize >= end) {
        let index = events.partition_point(|event| (event.place as usize) < end);
        return Err(BatchError::NoSuchPlace { index });
    }
    Ok(())
}
