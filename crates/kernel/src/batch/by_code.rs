//! A batch whose hosts have code that was generated for the machine ([`crate::fused`]).
//!
//! ```text
//!   no events ─┬─ only polls ──────▶ poll: all of its tick, inlined into the loop
//!              ├─ rests, has ended ─▶ nothing
//!              └─ a timer is due ──▶ take_due
//!   one event, and at rest ────────▶ take_event: inlined into the loop
//!   whatever else ─────────────────▶ visit_rarely: a tick from part to part (`drive`)
//! ```
//!
//! What is inlined works on the bytes of the agent alone ([`Turn`]); whoever needs more is attached first, apart from
//! the loop.

use crate::batch::inbox::InboxEvent;
use crate::batch::{Batch, Done, Visit, fetch, only, own_events, skip_to, visit};
use crate::context::{Context, TakenFor};
use crate::fast::{Router, take_inbox};
use crate::fused::bare::{Shared, Turn};
use crate::fused::drive::{count_taken, drive, go_on, go_on_from};
use crate::fused::{Fuse, Heard, Phase, Step, Taking};
use crate::host::{Host, Hosts};
use crate::instance::Instance;
use crate::poll::{Polled, after_code};
use crate::tick::{Begun, Input, Report, Used, run, run_polled};
use crate::toggles::{self, Optimization};

/// A batch by code, in either form (see `run_batch`).
#[inline(always)]
pub(super) fn run_by_code<'a, const SPARSE: bool, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instances: &'a mut [I],
    hosts: &mut H,
    batch: &Batch<'a>,
    done: &mut impl Done,
) {
    let mut agents = instances.iter_mut();
    let mut events = batch.inbox.events();
    let mut listed = match batch.visit {
        Visit::WithEventsAnd(places) => places,
        Visit::All | Visit::WithEvents => &[],
    };
    let mut place = batch.first_place;
    let polls = router.polls_ever();
    let mut shared = Shared::new(router.rom, batch.tick, batch.variants);
    loop {
        let next = match events.first() {
            Some(event) => event.place as usize,
            None => usize::MAX,
        };
        // Agents without events up to the next one with events. Bound: the agents.
        while place != next {
            if SPARSE {
                listed = skip_to(listed, place);
                let at = listed.first().map_or(next, |&at| next.min(at as usize));
                if let Some(last) = at.wrapping_sub(place).checked_sub(1) {
                    agents.nth(last);
                    place = at;
                    continue;
                }
            } else if !polls {
                let ahead = next.wrapping_sub(place);
                let resting = count_resting(router, agents.as_slice(), ahead, hosts.timers());
                if let Some(last) = resting.checked_sub(1) {
                    agents.nth(last);
                    place = place.wrapping_add(resting);
                    if resting == ahead {
                        continue;
                    }
                }
            }
            let Some(instance) = agents.next() else {
                return;
            };
            let agent = (place, instance);
            match SPARSE {
                true => visit_listed(cx, &mut shared, router, agent, hosts, batch, done),
                false => visit_quiet(cx, &mut shared, router, agent, hosts, batch, done),
            }
            place = place.wrapping_add(1);
        }
        if SPARSE {
            fetch(agents.as_slice(), hosts, events, place);
        }
        let (Some(instance), Some(event)) = (agents.next(), events.first()) else {
            return;
        };
        if only(events).is_some() && router.may_take_by_code(instance) && !hosts.traces_steps(place)
        {
            events = events.get(1..).unwrap_or(&[]);
            take_event(
                cx,
                &mut shared,
                instance,
                hosts,
                batch,
                (place, event),
                done,
            );
        } else {
            let own = own_events(events);
            events = events.get(own.len()..).unwrap_or(&[]);
            let report = visit_rarely(cx, router, instance, hosts, batch, (place, own));
            let left = own.get(report.inbox_taken..).unwrap_or(&[]);
            done.done(place, &report, left);
        }
        place = place.wrapping_add(1);
    }
}

/// How many agents at the head of a list would change nothing in their tick, of so many without events.
#[inline(always)]
fn count_resting<I: Instance>(router: Router<'_>, agents: &[I], limit: usize, timers: u8) -> usize {
    let agents = agents.get(..limit).unwrap_or(agents);
    let busy = |agent: &I| !is_at_rest(router, agent, timers);
    agents.iter().position(busy).unwrap_or(agents.len())
}

/// Would a tick without events change nothing?
#[inline(always)]
fn is_at_rest<I: Instance>(router: Router<'_>, instance: &I, timers: u8) -> bool {
    toggles::has(Optimization::IdleMask)
        && router.idle.is_at_rest_with(instance, router.now, timers)
}

/// One agent without events: most have nothing to do, or nothing but to poll.
#[inline(always)]
fn visit_quiet<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    shared: &mut Shared<'a>,
    router: Router<'a>,
    (place, instance): (usize, &'a mut I),
    hosts: &mut H,
    batch: &Batch<'a>,
    done: &mut impl Done,
) {
    let timers = hosts.timers();
    if !router.idle.polls_with(instance, router.now, timers) || hosts.traces_steps(place) {
        if is_at_rest(router, instance, timers) {
            return;
        }
        if router.has_ended(instance) {
            return done.done(place, &Report::QUIET, &[]);
        }
        let report = visit_rarely(cx, router, instance, hosts, batch, (place, &[]));
        return done.done(place, &report, &[]);
    }
    let mut turn = Turn::new(cx, instance, place);
    let mut host = hosts.of(place, batch.agent(place));
    let step = match turn.bare(shared, None) {
        Some(bare) => host.bare(bare, Phase::Poll { has_events: false }),
        None => Step::Tables,
    };
    let Some(instance) = turn.end() else {
        return;
    };
    if let Step::Polled(Polled::Done) = step {
        drop(host);
        return done.done(place, &Report::QUIET, &[]);
    }
    let report = poll_attached::<I, H::Host<'_>>(cx, instance, &mut host, batch, place, step);
    drop(host);
    match report {
        // Two calls, so that one of them is compiled for this report.
        None => done.done(place, &Report::QUIET, &[]),
        Some(report) => done.done(place, &report, &[]),
    }
}

/// The same apart from the loop, which is not for these.
#[inline(never)]
fn visit_listed<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    shared: &mut Shared<'a>,
    router: Router<'a>,
    agent: (usize, &'a mut I),
    hosts: &mut H,
    batch: &Batch<'a>,
    done: &mut impl Done,
) {
    visit_quiet(cx, shared, router, agent, hosts, batch, done);
}

/// An agent that only polls, of which its bytes came to something that needs more; no report if all of it is
/// done.
#[inline(never)]
fn poll_attached<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    host: &mut H,
    batch: &Batch<'a>,
    place: usize,
    step: Step,
) -> Option<Report> {
    cx.attach(instance.ram(), place);
    let step = match step {
        Step::Polled(Polled::Settled) => {
            cx.running = true;
            host.fused(Fuse::new(cx), Phase::RunAll)
        }
        Step::Polled(Polled::Halted(_)) => {
            cx.running = true;
            step
        }
        _ => host.fused(Fuse::new(cx), Phase::Poll { has_events: false }),
    };
    match step {
        Step::Polled(Polled::Done) if !cx.has_overflowed() => None,
        step => Some(finish_by_code::<I, H>(cx, host, batch, place, step)),
    }
}

/// One event of an agent that is at rest but for it: no search, no settling.
#[inline(always)]
fn take_event<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    shared: &mut Shared<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    (place, event): (usize, &'a InboxEvent),
    done: &mut impl Done,
) {
    if let Some(leaf) = instance.only_leaf()
        && hosts.hears(leaf, event.event.id.get()) == Heard::ByNobody
    {
        cx.unhandled = cx.unhandled.wrapping_add(1);
        if instance.header().armed != 0 {
            done.done(place, &Report::TAKEN, &[]);
        }
        return;
    }
    let mut turn = Turn::new(cx, instance, place);
    let mut host = hosts.of(place, batch.agent(place));
    let taking = match turn.bare(shared, Some(&event.event)) {
        Some(bare) => host.bare(bare, Phase::Event(&event.event)).taking(),
        None => Taking::Tables,
    };
    let Some(instance) = turn.end() else {
        return;
    };
    // Whatever else kept it from resting would have been seen before.
    let rests = instance.header().armed == 0;
    match taking {
        Taking::Rests if rests => {
            cx.jumped = cx.jumped.wrapping_add(1);
            drop(host);
            done.done(place, &Report::RESTS, &[]);
        }
        Taking::Nobody if rests => {
            cx.unhandled = cx.unhandled.wrapping_add(1);
        }
        taking => {
            let attached = take_attached::<I, H::Host<'_>>;
            let report = attached(cx, instance, &mut host, batch, event, taking);
            drop(host);
            if let Some(report) = report {
                done.done(place, &report, &[]);
            }
        }
    }
}

/// The same where the bytes of the agent were not enough, or more is left to do; no report if nothing happened.
#[inline(never)]
fn take_attached<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    host: &mut H,
    batch: &Batch<'a>,
    event: &'a InboxEvent,
    taking: Taking,
) -> Option<Report> {
    cx.attach(instance.ram(), event.place as usize);
    cx.running = true;
    let taking = match taking {
        Taking::Tables => {
            cx.fixed_cause = TakenFor::Event(&event.event);
            let taking = host
                .fused(Fuse::new(cx), Phase::Event(&event.event))
                .taking();
            cx.fixed_cause = TakenFor::Nothing;
            taking
        }
        taking => taking,
    };
    let rests =
        I::view(&cx.ram).is_some_and(|instance| cx.idle.get().rests_by_code(instance.header()));
    match taking {
        Taking::Rests if rests => {
            cx.jumped = cx.jumped.wrapping_add(1);
            cx.finish();
            Some(Report::RESTS)
        }
        Taking::Nobody if rests => {
            cx.unhandled = cx.unhandled.wrapping_add(1);
            cx.running = false;
            None
        }
        taking => Some(finish_event::<I, H>(cx, host, batch, event, taking)),
    }
}

/// What is left of a tick with one event.
#[inline(never)]
fn finish_event<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    batch: &Batch<'a>,
    event: &'a InboxEvent,
    taking: Taking,
) -> Report {
    let input = batch.input(event.place as usize, core::slice::from_ref(event));
    if let Taking::Tables = taking {
        return take_by_tables::<I, H>(cx, host, &input);
    }
    count_taken(cx, taking);
    if let Taking::Rests | Taking::Ignored | Taking::Nobody = taking
        && cx.idle.get().waits_by_code(cx.ram.header())
    {
        cx.finish();
        return Report::taken(1);
    }
    let used = Used::one(u16::from(taking.is_taken()));
    go_on_from::<H>(cx, host, &input, used, None)
}

/// The same where code leaves the event to the tables: these may know a jump, or several that go together.
fn take_by_tables<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    input: &Input<'a>,
) -> Report {
    let idle = cx.idle.get();
    let may_jump = |instance: &I| idle.may_jump_beside_timers(instance, cx.now);
    if !I::view(&cx.ram).is_some_and(may_jump) {
        return drive_or_run::<I, H>(cx, host, input);
    }
    cx.running = false;
    match take_inbox::<I, H>(cx, host, input.inbox) {
        (used, true) => Report::taken(used.inbox),
        (used, false) => run(cx, host, input, used, Begun::Nothing),
    }
}

/// A timer of an agent that is at rest but for it.
#[inline(never)]
fn take_due<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    place: usize,
) -> Report {
    cx.attach(instance.ram(), place);
    cx.running = true;
    let (due, input) = (cx.due_mask(), batch.input(place, &[]));
    let mut host = hosts.of(place, batch.agent(place));
    let taking = host.fused(Fuse::new(cx), Phase::Timer(due)).taking();
    cx.fixed_cause = TakenFor::Nothing;
    if let Taking::Tables | Taking::Done = taking {
        return drive_or_run::<I, H::Host<'_>>(cx, &mut host, &input);
    }
    count_taken(cx, taking);
    if let Taking::Rests | Taking::Ignored = taking
        && cx.idle.get().waits_by_code(cx.ram.header())
        && cx.due_mask() == 0
    {
        cx.finish();
        return Report::default();
    }
    let used = Used::queued(u16::from(taking.is_taken()));
    go_on_from::<H::Host<'_>>(cx, &mut host, &input, used, None)
}

/// One that does not only poll, or has more than one event.
#[inline(never)]
pub(super) fn visit_rarely<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    (place, events): (usize, &'a [InboxEvent]),
) -> Report {
    if !router.is_quiet(instance) || hosts.traces_steps(place) {
        return visit(cx, instance, hosts, batch, (place, events));
    }
    if events.is_empty() && router.waits_by_code(instance) {
        return take_due(cx, instance, hosts, batch, place);
    }
    cx.attach(instance.ram(), place);
    let input = batch.input(place, events);
    let mut host = hosts.of(place, batch.agent(place));
    drive_or_run::<I, H::Host<'_>>(cx, &mut host, &input)
}

/// One agent that is at rest but for polling, timers and events. It is attached.
#[inline(never)]
fn drive_or_run<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    input: &Input<'a>,
) -> Report {
    match drive::<I, H>(cx, host, input) {
        Some(report) => report,
        None => run(cx, host, input, Used::default(), Begun::Nothing),
    }
}

/// What code has left of a tick without events.
#[cold]
#[inline(never)]
fn finish_by_code<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    batch: &Batch<'a>,
    place: usize,
    step: Step,
) -> Report {
    let polled = after_code::<I, H>(cx, host, step, false);
    let input = batch.input(place, &[]);
    match polled {
        Polled::Halted(_) => go_on::<H>(cx, host, &input, polled),
        polled => run_polled(cx, host, &input, polled),
    }
}
