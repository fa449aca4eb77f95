//! A batch of a machine whose agents poll, everybody visited: most of them have nothing to do but that, and
//! all of it is inlined into the loop over them.

use statewright_rom::Rom;

use crate::batch::inbox::InboxEvent;
use crate::batch::{Batch, jump, only, own_events, visit, visit_with_events};
use crate::context::Context;
use crate::counters::Counters;
use crate::fast::{FastPath, Router};
use crate::host::Hosts;
use crate::instance::{Header, Instance};
use crate::poll::{Known, Polled, poll_in_batch};
use crate::tick::{Report, run_polled};

/// Runs it.
#[inline(never)]
pub(super) fn run_polling<'a, I: Instance, H: Hosts>(
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
    let router = Router {
        rom,
        idle: cx.idle.get(),
        now: batch.tick,
    };
    let mut known = Known::new();
    let mut events = batch.inbox.events();
    let mut next = place_of(events);
    let mut place = batch.first_place;
    for instance in instances {
        if place == next {
            let own = own_events(events);
            events = events.get(own.len()..).unwrap_or(&[]);
            next = place_of(events);
            take_events(&mut cx, router, instance, hosts, batch, own, &mut done);
        } else if router.polls(instance) && !hosts.traces_steps(place) {
            let chain = known.chain_of(rom, instance);
            cx.attach(instance.ram(), place);
            let mut host = hosts.of(place, batch.agent(place));
            match poll_in_batch::<I, H::Host<'_>>(&mut cx, &mut host, chain) {
                Polled::Done if !cx.has_overflowed() => {
                    drop(host);
                    done(place, &Report::QUIET, &[]);
                }
                polled => {
                    let report = run_polled(&mut cx, &mut host, &batch.input(place, &[]), polled);
                    drop(host);
                    done(place, &report, &[]);
                }
            }
        } else if !router.is_at_rest(instance) {
            let report = visit(&mut cx, instance, hosts, batch, (place, &[]));
            done(place, &report, &[]);
        }
        place = place.wrapping_add(1);
    }
}

/// The place of the first event; past all agents without one.
#[inline(always)]
fn place_of(events: &[InboxEvent]) -> usize {
    let first = events.first();
    first.map_or(usize::MAX, |event| event.place as usize)
}

/// One agent with events.
#[inline(never)]
fn take_events<'a, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
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
        Some(event) => router.single(instance, event, hosts.traces_steps(place)),
        None => FastPath::Slow,
    };
    match path {
        FastPath::Ignore => {
            cx.unhandled = cx.unhandled.wrapping_add(1);
            hosts.pass(place, batch.agent(place), &first.event);
        }
        FastPath::Jump(way) => {
            let report = jump(cx, instance, hosts, batch, way, first);
            done(place, &report.unwrap_or(Report::RESTS), &[]);
        }
        FastPath::Together | FastPath::Slow => {
            visit_with_events(cx, instance, hosts, batch, events, done);
        }
    }
}
