//! Agents of a batch whose hosts have code that was generated for the machine ([`crate::fused`]).
//!
//! ```text
//!   no events ─▶ visit_by_code ─┬─ only polls: all of its tick, inlined into the loop
//!                               └─ a timer is due, or more ─▶ visit_fused
//!   events    ─▶ visit_fused      a tick from part to part (`drive`), unless the event is a jump
//! ```

use crate::batch::inbox::InboxEvent;
use crate::batch::{Batch, visit};
use crate::context::Context;
use crate::fast::Router;
use crate::fused::drive::{drive, go_on};
use crate::fused::{Fuse, Phase, Step};
use crate::host::{Host, Hosts};
use crate::instance::Instance;
use crate::poll::{Polled, after_code};
use crate::tick::{Begun, Input, Report, Used, run, run_polled};

/// One agent without events whose host has code: most have nothing to do but to poll.
#[inline(always)]
pub(super) fn visit_by_code<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    place: usize,
    done: &mut impl FnMut(usize, &Report, &[InboxEvent]),
) {
    if !router.polls(instance) || hosts.traces_steps(place) {
        if !router.is_at_rest(instance) {
            let report = visit_rarely(cx, router, instance, hosts, batch, place);
            done(place, &report, &[]);
        }
        return;
    }
    cx.attach(instance.ram(), place);
    let mut host = hosts.of(place, batch.agent(place));
    let step = host.fused(&mut Fuse::new(cx), Phase::Poll { has_events: false });
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

/// One that does not only poll.
#[cold]
#[inline(never)]
pub(super) fn visit_rarely<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    place: usize,
) -> Report {
    match router.is_quiet(instance) && !hosts.traces_steps(place) {
        true => visit_fused(cx, instance, hosts, batch, (place, &[])),
        false => visit(cx, instance, hosts, batch, (place, &[])),
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
    finish_polled(cx, host, &batch.input(place, &[]), polled)
}

/// What is left to do of a tick that began with polling and is more than that.
#[cold]
#[inline(never)]
pub(super) fn finish_polled<'a, H: Host>(
    cx: &mut Context<'a>,
    host: &mut H,
    input: &Input<'a>,
    polled: Polled,
) -> Report {
    match polled {
        Polled::Halted(_) if host.is_fused() => go_on::<H>(cx, host, input, polled),
        polled => run_polled(cx, host, input, polled),
    }
}

/// One agent that is at rest but for polling, timers and events, by code of its host.
#[inline(never)]
pub(super) fn visit_fused<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    hosts: &mut H,
    batch: &Batch<'a>,
    (place, events): (usize, &'a [InboxEvent]),
) -> Report {
    let input = batch.input(place, events);
    cx.attach(instance.ram(), place);
    let mut host = hosts.of(place, batch.agent(place));
    match drive::<I, H::Host<'_>>(cx, &mut host, &input) {
        Some(report) => report,
        None => run(cx, &mut host, &input, Used::default(), Begun::Nothing),
    }
}
