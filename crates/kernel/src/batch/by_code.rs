//! A batch whose hosts have code that was generated for the machine ([`crate::fused`]).
//!
//! ```text
//!   no events ─┬─ only polls ──────▶ poll: all of its tick, inlined into the loop
//!              ├─ rests, has ended ─▶ nothing
//!              └─ a timer is due ──▶ take_due
//!   one event, and at rest ────────▶ take_event: inlined into the loop
//!   whatever else ─────────────────▶ visit_fused: a tick from part to part (`drive`)
//! ```

use crate::batch::inbox::InboxEvent;
use crate::batch::{Batch, Visit, fetch, only, own_events, skip_to, visit};
use crate::context::{Context, TakenFor};
use crate::fast::Router;
use crate::fused::drive::{count_taken, drive, go_on, go_on_from};
use crate::fused::{Fuse, Phase, Step, Taking};
use crate::host::{Host, Hosts};
use crate::instance::Instance;
use crate::poll::{Polled, after_code};
use crate::tick::{Begun, Input, Report, Used, run, run_polled};

/// A batch by code, in either form (see `run_batch`).
#[inline(always)]
pub(super) fn run_by_code<'a, const SPARSE: bool, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instances: &'a mut [I],
    hosts: &mut H,
    batch: &Batch<'a>,
    done: &mut impl FnMut(usize, &Report, &[InboxEvent]),
) {
    let mut agents = instances.iter_mut();
    let mut events = batch.inbox.events();
    let mut listed = match batch.visit {
        Visit::WithEventsAnd(places) => places,
        Visit::All | Visit::WithEvents => &[],
    };
    let mut place = batch.first_place;
    let polls = router.polls_ever();
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
                let resting = router.count_resting(agents.as_slice(), ahead);
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
            match SPARSE {
                true => visit_listed(cx, router, instance, hosts, batch, place, done),
                false => visit_quiet(cx, router, instance, hosts, batch, place, done),
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
            take_event(cx, instance, hosts, batch, (place, event), done);
        } else {
            let own = own_events(events);
            events = events.get(own.len()..).unwrap_or(&[]);
            let report = visit_rarely(cx, router, instance, hosts, batch, (place, own));
            let left = own.get(report.inbox_taken..).unwrap_or(&[]);
            done(place, &report, left);
        }
        place = place.wrapping_add(1);
    }
}

/// One agent without events: most have nothing to do, or nothing but to poll.
#[inline(always)]
fn visit_quiet<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    place: usize,
    done: &mut impl FnMut(usize, &Report, &[InboxEvent]),
) {
    if !router.polls(instance) || hosts.traces_steps(place) {
        if router.is_at_rest(instance) {
            return;
        }
        if router.has_ended(instance) {
            return done(place, &Report::QUIET, &[]);
        }
        let report = visit_rarely(cx, router, instance, hosts, batch, (place, &[]));
        return done(place, &report, &[]);
    }
    cx.attach(instance.ram(), place);
    let mut host = hosts.of(place, batch.agent(place));
    let step = host.fused(Fuse::new(cx), Phase::Poll { has_events: false });
    match step {
        Step::Polled(Polled::Done) if !cx.has_overflowed() => {
            drop(host);
            done(place, &Report::QUIET, &[]);
        }
        step => {
            let report = finish_by_code::<I, H::Host<'_>>(cx, &mut host, batch, place, step);
            drop(host);
            done(place, &report, &[]);
        }
    }
}

/// The same apart from the loop, which is not for these.
#[inline(never)]
fn visit_listed<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    place: usize,
    done: &mut impl FnMut(usize, &Report, &[InboxEvent]),
) {
    visit_quiet(cx, router, instance, hosts, batch, place, done);
}

/// One event of an agent that is at rest but for it: no search, no settling.
#[inline(always)]
fn take_event<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    (place, event): (usize, &'a InboxEvent),
    done: &mut impl FnMut(usize, &Report, &[InboxEvent]),
) {
    if let Some(leaf) = instance.only_leaf()
        && !hosts.hears(leaf, event.event.id.get())
    {
        cx.unhandled = cx.unhandled.wrapping_add(1);
        if instance.header().armed != 0 {
            done(place, &Report::TAKEN, &[]);
        }
        return;
    }
    cx.attach(instance.ram(), place);
    cx.running = true;
    cx.fixed_cause = TakenFor::Event(&event.event);
    let mut host = hosts.of(place, batch.agent(place));
    let taking = host
        .fused(Fuse::new(cx), Phase::Event(&event.event))
        .taking();
    cx.fixed_cause = TakenFor::Nothing;
    let rests =
        I::view(&cx.ram).is_some_and(|instance| cx.idle.get().rests_by_code(instance.header()));
    match taking {
        Taking::Rests if rests => {
            cx.jumped = cx.jumped.wrapping_add(1);
            cx.finish();
            drop(host);
            done(place, &Report::RESTS, &[]);
        }
        Taking::Nobody if rests => {
            cx.unhandled = cx.unhandled.wrapping_add(1);
            cx.running = false;
        }
        taking => {
            let report = finish_event::<I, H::Host<'_>>(cx, &mut host, batch, event, taking);
            drop(host);
            done(place, &report, &[]);
        }
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
        return drive_or_run::<I, H>(cx, host, &input);
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
