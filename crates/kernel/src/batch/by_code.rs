//! A batch whose hosts have code that was generated for the machine ([`crate::fused`]).
//!
//! ```text
//!   no events ─┬─ only polls, rests, has ended ─▶ pass_quiet ─┐ agent after agent on nothing but its bytes
//!   one event, and at rest ─────────────────────▶ take_events ┘ (`bytes`), up to one that needs more
//!              └─ poll_calling instead of pass_quiet where user code looks at its agent (`calling`)
//!              ┌──────────────────────────────────────────────┘
//!              ├─ polls ──────────▶ poll_attached
//!              ├─ takes an event ─▶ take_attached
//!              ├─ a timer is due ─▶ take_due
//!              └─ whatever else ──▶ visit_rarely: a tick from part to part (`drive`)
//! ```

use crate::batch::bytes::{self, Common, Left, Met, pass_quiet, pass_resting, take_events};
use crate::batch::calling::{comes_by_parts, poll_calling, take_calling};
use crate::batch::inbox::InboxEvent;
use crate::batch::{Batch, Done, Visit, own_events, skip_to, visit};
use crate::context::{Context, TakenFor};
use crate::fast::{Router, take_inbox};
use crate::fused::bare::Shared;
use crate::fused::drive::{count_taken, drive, go_on, go_on_from};
use crate::fused::{Fuse, Phase, Step, Taking};
use crate::host::{Host, Hosts};
use crate::instance::Instance;
use crate::poll::{Polled, after_code};
use crate::tick::{Begun, Input, Report, Used, run, run_polled};

/// So many agents of a list are looked at to see whether they are neighbors.
const AHEAD: usize = 32;

/// A batch by code, in either form (see `run_batch`).
pub(super) fn run_by_code<'a, const SPARSE: bool, I: Instance, H: Hosts>(
    cx: &mut Context<'a>,
    router: Router<'a>,
    instances: &'a mut [I],
    hosts: &mut H,
    batch: &Batch<'a>,
    done: &mut impl Done,
) {
    let mut left = Left::new(cx, instances, batch.first_place);
    let mut events = batch.inbox.events();
    let mut listed = match batch.visit {
        Visit::WithEventsAnd(places) => places,
        Visit::All | Visit::WithEvents => &[],
    };
    let mut shared = Shared::new(router.rom, batch.tick, batch.variants);
    let calls = hosts.needs().calls && router.polls_ever();
    let rests = !SPARSE && !router.polls_ever() && !hosts.traces_steps(batch.first_place);
    // So many events at the head are for neighbors, each of whom has no other.
    let mut alone = 0;
    // Bound: each round goes on by an agent, or is the last.
    loop {
        if rests && !are_neighbors(events) {
            let place = left.place;
            let common = Common {
                cx: &mut *left.cx,
                shared: &mut shared,
                router: &router,
                unwound: &mut left.unwound,
                agent: batch.agent(place),
            };
            let agents = (&mut *left.agents, place);
            let (passed, met) = pass_resting(common, agents, &mut events, hosts, done);
            left.go_to(place.wrapping_add(passed));
            let Some(met) = met else {
                return;
            };
            if events
                .first()
                .is_some_and(|event| event.place as usize == left.place)
            {
                let own = own_events(events);
                events = events.get(own.len()..).unwrap_or(&[]);
                visit_with_events(&mut left, router, hosts, batch, (own, Some(met)), done);
            } else if let Some(agent) = left.take() {
                let cx = &mut *left.cx;
                visit_quiet((cx, &mut shared, router), agent, hosts, batch, met, done);
            }
            continue;
        }
        let next = events.first();
        let next = next.map_or(usize::MAX, |event| event.place as usize);
        // Agents without events up to the next one with events.
        while left.place != next && !left.agents.is_empty() {
            let mut end = next;
            if SPARSE {
                listed = skip_to(listed, left.place);
                let at = listed.first().map_or(next, |&at| next.min(at as usize));
                left.go_to(at);
                let ahead = listed.get(..AHEAD).unwrap_or(listed);
                end = next.min(at.wrapping_add(neighbors(ahead, |&place| place).max(1)));
            }
            let place = left.place;
            let count = end.wrapping_sub(place).min(left.agents.len());
            if count == 0 {
                continue;
            }
            let met = match calls && !hosts.traces_steps(place) {
                true => poll_calling(&mut left, &router, (batch, count), hosts, done),
                false => {
                    let (run, _) = left.agents.split_at_mut(count);
                    let common = Common {
                        cx: &mut *left.cx,
                        shared: &mut shared,
                        router: &router,
                        unwound: &mut left.unwound,
                        agent: batch.agent(place),
                    };
                    let (passed, met) = pass_quiet(common, (run, place), hosts, done);
                    left.go_to(place.wrapping_add(passed));
                    met.and_then(|met| Some((met, left.take()?.1)))
                }
            };
            if let Some((met, instance)) = met {
                let agent = (left.place.wrapping_sub(1), instance);
                let cx = &mut *left.cx;
                visit_quiet((cx, &mut shared, router), agent, hosts, batch, met, done);
            }
        }
        if left.agents.is_empty() || events.is_empty() {
            return;
        }
        // Whoever polls takes its event another way.
        if calls
            && left
                .agents
                .first()
                .is_some_and(|agent| comes_by_parts(&router, agent))
        {
            let own = own_events(events);
            events = events.get(own.len()..).unwrap_or(&[]);
            alone = 0;
            visit_with_events(&mut left, router, hosts, batch, (own, None), done);
            continue;
        }
        if alone == 0 {
            alone = neighbors(events, |event| event.place).min(left.agents.len());
        }
        let (run, _) = events.split_at(alone.min(events.len()));
        if SPARSE {
            left.fetch(hosts, events, run.len());
        }
        let (agents, _) = left.agents.split_at_mut(run.len());
        let common = Common {
            cx: &mut *left.cx,
            shared: &mut shared,
            router: &router,
            unwound: &mut left.unwound,
            agent: batch.agent(left.place),
        };
        let (taken, met) = take_events(common, (agents, run), hosts, done);
        left.go_to(left.place.wrapping_add(taken));
        events = events.get(taken..).unwrap_or(&[]);
        alone = alone.saturating_sub(taken);
        // Several events of the next agent end a run, too.
        if met.is_some() || run.is_empty() {
            let own = own_events(events);
            events = events.get(own.len()..).unwrap_or(&[]);
            alone = alone.saturating_sub(1);
            visit_with_events(&mut left, router, hosts, batch, (own, met), done);
        }
    }
}

/// Are the first events for so many neighbors that a loop for these is worth it?
#[inline(always)]
fn are_neighbors(events: &[InboxEvent]) -> bool {
    const MANY: u32 = 4;
    let ahead = events.get(MANY as usize);
    events
        .first()
        .zip(ahead)
        .is_some_and(|(first, ahead)| ahead.place.wrapping_sub(first.place) == MANY)
}

/// How many neighbors stand at the head of a list of places, each of them once.
#[inline(always)]
fn neighbors<T>(list: &[T], place: impl Fn(&T) -> u32) -> usize {
    let first = list.first().map_or(0, &place);
    let mut count = 0_u32;
    let (fours, _) = list.as_chunks();
    for [a, b, c, d] in fours {
        let at = first.wrapping_add(count);
        let wrong = (place(a) ^ at)
            | (place(b) ^ at.wrapping_add(1))
            | (place(c) ^ at.wrapping_add(2))
            | (place(d) ^ at.wrapping_add(3));
        if wrong != 0 {
            break;
        }
        count = count.wrapping_add(4);
    }
    let others = list.get(count as usize..).unwrap_or(&[]);
    for other in others {
        if place(other) != first.wrapping_add(count) {
            let last = first.wrapping_add(count).wrapping_sub(1);
            let again = count != 0 && place(other) == last;
            return (count as usize).wrapping_sub(usize::from(again));
        }
        count = count.wrapping_add(1);
    }
    count as usize
}

/// One agent without events that is more than bytes, or of which a timer is due.
#[inline(never)]
fn visit_quiet<'a, I: Instance, H: Hosts>(
    (cx, shared, router): (&mut Context<'a>, &mut Shared<'a>, Router<'a>),
    (place, mut instance): (usize, &'a mut I),
    hosts: &mut H,
    batch: &Batch<'a>,
    met: Met,
    done: &mut impl Done,
) {
    let mut fired = match met {
        Met::Fired(taking) => Some(taking),
        Met::Busy
        | Met::Due
        | Met::Begun
        | Met::Polled(_)
        | Met::Called(_)
        | Met::Asked(..)
        | Met::Ran(_)
        | Met::Took(_) => None,
    };
    if let Met::Busy = met {
        if router.has_ended(instance) {
            return done.done(place, &Report::QUIET, &[]);
        }
        let agent = (place, batch.agent(place), instance);
        let (taking, agent) = bytes::take_due((&mut *cx, shared, &router), agent, hosts);
        let Some(agent) = agent else {
            return;
        };
        (fired, instance) = (taking, agent);
        if let Some(taking) = fired
            && instance.due_timers(router.now) == 0
            && let Taking::Rests | Taking::Ignored = taking
        {
            count_taken(cx, taking);
            return done.done(place, &Report::QUIET, &[]);
        }
    }
    let report = match (met, fired) {
        (Met::Polled(step), _) => {
            let mut host = hosts.of(place, batch.agent(place));
            poll_attached::<I, H::Host<'_>>(cx, instance, &mut host, batch, place, step)
        }
        (Met::Called(step), _) => {
            let mut host = hosts.again(place, batch.agent(place));
            poll_attached::<I, H::Host<'_>>(cx, instance, &mut host, batch, place, step)
        }
        (Met::Asked(..) | Met::Ran(_), _) => {
            let mut host = hosts.again(place, batch.agent(place));
            go_on_attached::<I, H::Host<'_>>(cx, instance, &mut host, batch, (place, &[]), met)
        }
        (_, Some(taking)) => {
            cx.attach(instance.ram(), place);
            cx.running = true;
            count_taken(cx, taking);
            let used = Used::queued(u16::from(taking.is_taken()));
            let mut host = hosts.of(place, batch.agent(place));
            go_on_from::<H::Host<'_>>(cx, &mut host, &batch.input(place, &[]), used, None)
        }
        (_, None) => visit_rarely(cx, router, instance, hosts, batch, (place, &[])),
    };
    done.done(place, &report, &[]);
}

/// One agent with events that is more than bytes, or has several.
#[inline(never)]
fn visit_with_events<'a, I: Instance, H: Hosts>(
    left: &mut Left<'_, 'a, I>,
    router: Router<'a>,
    hosts: &mut H,
    batch: &Batch<'a>,
    (own, met): (&'a [InboxEvent], Option<Met>),
    done: &mut impl Done,
) {
    let Some((place, instance)) = left.take() else {
        return;
    };
    let cx = &mut *left.cx;
    if let (Some(Met::Took(taking)), [event]) = (met, own) {
        let mut host = hosts.of(place, batch.agent(place));
        let attached = take_attached::<I, H::Host<'_>>;
        let report = attached(cx, instance, &mut host, batch, event, taking);
        drop(host);
        if let Some(report) = report {
            done.done(place, &report, &[]);
        }
        return;
    }
    let report = match own {
        [event] if hosts.needs().calls && is_taken_by_parts(&router, instance, hosts, place) => {
            let agent = (place, batch.agent(place), instance);
            let comes = (Phase::Event(&event.event), TakenFor::Event(&event.event));
            match take_calling((&mut *cx, &router), agent, comes, hosts) {
                None => Report::TAKEN,
                Some((Met::Begun, instance)) => {
                    visit_rarely(cx, router, instance, hosts, batch, (place, own))
                }
                Some((met, instance)) => {
                    let mut host = hosts.again(place, batch.agent(place));
                    go_on_attached::<I, H::Host<'_>>(
                        cx,
                        instance,
                        &mut host,
                        batch,
                        (place, own),
                        met,
                    )
                }
            }
        }
        _ => visit_rarely(cx, router, instance, hosts, batch, (place, own)),
    };
    let others = own.get(report.inbox_taken..).unwrap_or(&[]);
    done.done(place, &report, others);
}

/// May the only event of an agent be taken part by part? A timer that is due comes before it.
#[inline]
fn is_taken_by_parts<I: Instance, H: Hosts>(
    router: &Router<'_>,
    instance: &I,
    hosts: &H,
    place: usize,
) -> bool {
    comes_by_parts(router, instance)
        && instance.due_timers(router.now) == 0
        && !hosts.traces_steps(place)
}

/// What is left of a tick that was begun part by part.
#[inline(never)]
fn go_on_attached<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    host: &mut H,
    batch: &Batch<'a>,
    (place, own): (usize, &'a [InboxEvent]),
    met: Met,
) -> Report {
    cx.attach(instance.ram(), place);
    cx.running = true;
    let input = batch.input(place, own);
    match met {
        Met::Asked(step, Taking::Done) => {
            go_on_from::<H>(cx, host, &input, Used::default(), step.polled())
        }
        Met::Asked(step, taking) => {
            count_taken(cx, taking);
            let microsteps = u16::from(taking.is_taken());
            let used = match own.is_empty() {
                true => Used::queued(microsteps),
                false => Used::one(microsteps),
            };
            go_on_from::<H>(cx, host, &input, used, step.polled())
        }
        Met::Ran(Step::Polled(Polled::Done)) => {
            cx.running = false;
            Report {
                inbox_taken: own.len(),
                overflowed: cx.has_overflowed(),
                ..Report::default()
            }
        }
        Met::Ran(step) => run_polled(cx, host, &input, step.polled().unwrap_or(Polled::Slow)),
        Met::Busy
        | Met::Due
        | Met::Fired(_)
        | Met::Begun
        | Met::Polled(_)
        | Met::Called(_)
        | Met::Took(_) => run(cx, host, &input, Used::default(), Begun::Nothing),
    }
}

/// An agent that only polls, of which its bytes came to something that needs more.
#[inline(never)]
fn poll_attached<'a, I: Instance, H: Host>(
    cx: &mut Context<'a>,
    instance: &'a mut I,
    host: &mut H,
    batch: &Batch<'a>,
    place: usize,
    step: Step,
) -> Report {
    cx.attach(instance.ram(), place);
    let step = match step {
        // Nothing but bytes had it, and nothing has run.
        Step::Polled(Polled::Settled) => {
            cx.running = true;
            host.fused(Fuse::new(cx), Phase::RunAll)
        }
        // All is done, and more than the queue had room for was posted.
        Step::Polled(Polled::Done) => step,
        Step::Polled(Polled::Halted(_) | Polled::Failed(_)) => {
            cx.running = true;
            step
        }
        Step::Polled(Polled::Slow) | Step::Tables | Step::Done | Step::Took(_) => {
            host.fused(Fuse::new(cx), Phase::Poll { has_events: false })
        }
    };
    match step {
        Step::Polled(Polled::Done) if !cx.has_overflowed() => Report::QUIET,
        step => finish_by_code::<I, H>(cx, host, batch, place, step),
    }
}

/// One event of an agent that is at rest but for it, whose bytes were not enough, or for whom more is left to do; no
/// report if nothing happened.
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
