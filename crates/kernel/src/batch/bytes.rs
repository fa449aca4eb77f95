//! The loops over agents whose bytes are enough for code: those who rest or only poll, and those with one event.
//!
//! Each is a function of its own with nothing in it but what it needs for the next agent, so that this stays in
//! registers. Whoever needs more ends it, and comes first when the batch goes on.

use crate::batch::inbox::InboxEvent;
use crate::batch::{Done, fetch};
use crate::context::Context;
use crate::counters::count;
use crate::fast::Router;
use crate::fused::bare::{AnyBare, Needs, Shared};
use crate::fused::drive::count_taken;
use crate::fused::{Event, Phase, Step, Taking};
use crate::host::{BareCode, BareTurns, Hosts};
use crate::instance::Instance;
use crate::poll::{Polled, has_only_deferred};
use crate::tick::Report;
use crate::toggles::{self, Optimization};

/// What is left of a batch: the agents from a place on.
pub(super) struct Left<'t, 'a, I: Instance> {
    pub(super) cx: &'t mut Context<'a>,
    pub(super) agents: &'a mut [I],
    pub(super) place: usize,
    pub(super) unwound: Unwound,
}

/// The place of the agent whose code unwound, if any did.
pub(super) type Unwound = Option<usize>;

impl<'t, 'a, I: Instance> Left<'t, 'a, I> {
    /// All agents, the first of them at a place.
    pub(super) fn new(cx: &'t mut Context<'a>, agents: &'a mut [I], place: usize) -> Self {
        Self {
            cx,
            agents,
            place,
            unwound: None,
        }
    }

    /// Goes on to a place; past the last agent nobody is left.
    #[inline(always)]
    pub(super) fn go_to(&mut self, place: usize) {
        let passed = place.wrapping_sub(self.place).min(self.agents.len());
        self.agents = core::mem::take(&mut self.agents).split_at_mut(passed).1;
        self.place = place;
    }

    /// Takes the next agent, with its place.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<(usize, &'a mut I)> {
        let (next, others) = core::mem::take(&mut self.agents).split_first_mut()?;
        let place = self.place;
        self.agents = others;
        self.place = place.wrapping_add(1);
        Some((place, next))
    }

    /// Fetches agents whose events come soon, ahead of so many turns.
    #[inline(always)]
    pub(super) fn fetch<H: Hosts>(&self, hosts: &H, events: &[InboxEvent], turns: usize) {
        for turn in 0..turns {
            let events = events.get(turn..).unwrap_or(&[]);
            fetch(self.agents, hosts, events, self.place);
        }
    }
}

/// If code unwound that had nothing but bytes, its agent ends (TICK-3).
impl<I: Instance> Drop for Left<'_, '_, I> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(place) = self.unwound {
            self.end(place);
        }
    }
}

impl<I: Instance> Left<'_, '_, I> {
    #[cold]
    #[inline(never)]
    fn end(&mut self, place: usize) {
        self.go_to(place);
        if let Some((place, instance)) = self.take() {
            self.cx.attach(instance.ram(), place);
            self.cx.running = true;
        }
    }
}

/// The turn of an agent that is not attached: if user code unwinds, whose it was is known, and what is to be done
/// before is done.
struct Turn<'t, F: FnMut()> {
    unwound: &'t mut Unwound,
    place: usize,
    before: F,
}

impl<F: FnMut()> Turn<'_, F> {
    /// User code has returned.
    #[inline(always)]
    fn end(self) {
        core::mem::forget(self);
    }
}

impl<F: FnMut()> Drop for Turn<'_, F> {
    #[cold]
    fn drop(&mut self) {
        *self.unwound = Some(self.place);
        (self.before)();
    }
}

/// Who ends a loop.
#[derive(Clone, Copy)]
pub(super) enum Met {
    /// Its bytes say that it has more to do.
    Busy,
    /// It only polls, and came to this.
    Polled(Step),
    /// The same, and its host has begun.
    Called(Step),
    /// Its host has begun, and nothing is done.
    Begun,
    /// Its host has begun: asking has come to this after so much was taken; `Done` if nobody was asked since.
    Asked(Step, Taking),
    /// Its host has begun, what came to it is taken and counted, and running has come to this.
    Ran(Step),
    /// It has taken its event so far.
    Took(Taking),
    /// A timer of it is due, and its bytes are not enough.
    Due,
    /// A timer of it has fired so far.
    Fired(Taking),
}

/// What turns have in common.
pub(super) struct Common<'t, 'a> {
    pub(super) cx: &'t mut Context<'a>,
    pub(super) shared: &'t mut Shared<'a>,
    pub(super) router: &'t Router<'a>,
    pub(super) unwound: &'t mut Unwound,
    /// The number of the first agent.
    pub(super) agent: u64,
}

/// Agents without events from a place on, as long as each rests, has ended, or does nothing but poll. How many, and
/// who ends it.
#[inline(never)]
pub(super) fn pass_quiet<I: Instance, H: Hosts>(
    common: Common<'_, '_>,
    (agents, first): (&mut [I], usize),
    hosts: &mut H,
    done: &mut impl Done,
) -> (usize, Option<Met>) {
    let (timers, needs) = (hosts.timers(), hosts.needs());
    if hosts.traces_steps(first) {
        let busy = |agent: &I| !is_at_rest(common.router, agent, timers);
        return match agents.iter().position(busy) {
            Some(busy) => (busy, Some(Met::Busy)),
            None => (agents.len(), None),
        };
    }
    if !common.router.polls_ever() {
        return pass_resting(common, (agents, first), &mut &[][..], hosts, done);
    }
    let Common {
        shared,
        router,
        unwound,
        agent,
        ..
    } = common;
    let end = first.wrapping_add(agents.len());
    let turns = Polling {
        shared,
        router,
        unwound,
        done,
        timers,
        needs,
        awake: first,
        met: None,
    };
    let turns = hosts.each_bare((first, agent), agents.iter_mut(), turns);
    let (end, met) = match turns.met {
        Some((place, met)) => (place, Some(met)),
        None => (end, None),
    };
    let count = end.saturating_sub(turns.awake);
    turns.done.polled(turns.awake, count);
    (end.wrapping_sub(first), met)
}

/// The same where nobody polls: agents at rest, those of whom a timer is due that leads to nothing more, and those with
/// one event, whose events are taken from the list.
#[inline(always)]
pub(super) fn pass_resting<'a, I: Instance, H: Hosts>(
    common: Common<'_, 'a>,
    (agents, first): (&mut [I], usize),
    events: &mut &'a [InboxEvent],
    hosts: &mut H,
    done: &mut impl Done,
) -> (usize, Option<Met>) {
    // Where few have events, those at rest are passed in a loop that knows nothing else.
    if events.len() < agents.len() / FEW {
        return pass_all_but_few(common, (agents, first), events, hosts, done);
    }
    let (count, agent) = (agents.len(), common.agent);
    let turns = Resting {
        base: Base::new(common, hosts, done),
        next: place_of(events),
        events,
        met: None,
    };
    let turns = hosts.each_bare((first, agent), agents.iter_mut(), turns);
    *events = turns.events;
    match turns.base.rested(turns.met) {
        Some((place, met)) => (place.wrapping_sub(first), Some(met)),
        None => (count, None),
    }
}

/// Fewer than one of so many have an event: then few have.
const FEW: usize = 32;

/// The same where few have events, or a timer that is due.
#[inline(never)]
fn pass_all_but_few<'a, I: Instance, H: Hosts>(
    common: Common<'_, 'a>,
    (agents, first): (&mut [I], usize),
    events: &mut &'a [InboxEvent],
    hosts: &mut H,
    done: &mut impl Done,
) -> (usize, Option<Met>) {
    let Common {
        cx,
        shared,
        router,
        unwound,
        agent,
    } = common;
    let (count, mut passed) = (agents.len(), 0);
    // Bound: each round passes one at least, or ends it.
    loop {
        let next = place_of(events).wrapping_sub(first).min(count);
        let quiet = agents.get(passed..next).unwrap_or_default();
        passed = passed.wrapping_add(count_resting(router, quiet, hosts));
        let Some(own) = agents.get_mut(passed..).and_then(<[I]>::first_mut) else {
            return (count, None);
        };
        let common = Common {
            cx: &mut *cx,
            shared: &mut *shared,
            router,
            unwound: &mut *unwound,
            agent,
        };
        let turns = Resting {
            base: Base::new(common, hosts, &mut *done),
            next: place_of(events),
            events,
            met: None,
        };
        let at = (
            first.wrapping_add(passed),
            agent.wrapping_add(passed as u64),
        );
        let turns = hosts.each_bare(at, core::iter::once(own), turns);
        *events = turns.events;
        if let Some((_, met)) = turns.base.rested(turns.met) {
            return (passed, Some(met));
        }
        passed = passed.wrapping_add(1);
    }
}

/// How many agents at the head of a list are at rest. Apart from everything else, so that nothing but a pointer goes
/// on.
#[inline(never)]
fn count_resting<I: Instance, H: Hosts>(router: &Router<'_>, agents: &[I], hosts: &H) -> usize {
    let (router, timers) = (*router, hosts.timers());
    let mut others = agents;
    while let [agent, behind @ ..] = others
        && is_at_rest(&router, agent, timers)
    {
        others = behind;
    }
    agents.len().wrapping_sub(others.len())
}

/// The place of the first event; past all agents without one.
#[inline(always)]
fn place_of(events: &[InboxEvent]) -> usize {
    let first = events.first();
    first.map_or(usize::MAX, |event| event.place as usize)
}

/// Turns of agents in machines in which nobody polls.
struct Resting<'t, 'a, D> {
    base: Base<'t, 'a, D>,
    /// The place of the first event.
    next: usize,
    events: &'a [InboxEvent],
    /// Who ends it.
    met: Option<(usize, Met)>,
}

impl<'i, I: Instance, D: Done> BareTurns<&'i mut I> for Resting<'_, '_, D> {
    #[inline(always)]
    fn turn(&mut self, place: usize, instance: &'i mut I, mut code: impl BareCode) -> bool {
        let met = if place == self.next {
            let [InboxEvent { event, .. }, others @ ..] = self.events else {
                return false;
            };
            let next = place_of(others);
            if next == place {
                Some(Met::Busy)
            } else {
                let met = self.base.take((place, instance), event, &mut code);
                if met.is_none() {
                    (self.events, self.next) = (others, next);
                }
                met
            }
        } else if is_at_rest(self.base.router, instance, code.timers()) {
            None
        } else {
            self.base.fire((place, instance), &mut code)
        };
        self.met = met.map(|met| (place, met));
        met.is_none()
    }
}

/// What turns on bytes have in common.
struct Base<'t, 'a, D> {
    cx: &'t mut Context<'a>,
    shared: &'t mut Shared<'a>,
    router: &'t Router<'a>,
    unwound: &'t mut Unwound,
    done: &'t mut D,
    needs: Needs,
    /// Those who took their event and rest, not counted yet.
    rested: usize,
}

impl<'t, 'a, D: Done> Base<'t, 'a, D> {
    #[inline(always)]
    fn new(common: Common<'t, 'a>, hosts: &impl Hosts, done: &'t mut D) -> Self {
        let Common {
            cx,
            shared,
            router,
            unwound,
            ..
        } = common;
        Self {
            cx,
            shared,
            router,
            unwound,
            done,
            needs: hosts.needs(),
            rested: 0,
        }
    }

    /// Counts them.
    #[inline(always)]
    fn rested<R>(self, result: R) -> R {
        self.cx.jumped = self.cx.jumped.wrapping_add(self.rested as u64);
        self.done.rested(self.rested);
        result
    }

    /// The turn of an agent with one event; nothing if it is over.
    #[inline(always)]
    fn take<I: Instance>(
        &mut self,
        (place, instance): (usize, &mut I),
        event: &'a Event,
        code: &mut impl BareCode,
    ) -> Option<Met> {
        let (idle, now, timers) = (&self.router.idle, self.router.now, code.timers());
        if !idle.is_idle_with(instance, now, timers) {
            return Some(Met::Busy);
        }
        let (cx, done, rested) = (&mut *self.cx, &mut *self.done, self.rested);
        let turn = Turn {
            unwound: &mut *self.unwound,
            place,
            before: || {
                cx.jumped = cx.jumped.wrapping_add(rested as u64);
                done.rested(rested);
            },
        };
        let bare = (place, Some(event));
        let bare = AnyBare::new(instance.ram(), self.shared, bare, self.needs);
        let taking = code.run(bare, Phase::Event(event)).taking();
        turn.end();
        // Before its event nothing else kept it from resting, and what it has started is due in the next tick at the
        // earliest (EVT-7).
        let rests = timers == 0 || instance.header().armed == 0;
        match taking {
            Taking::Rests if rests => {
                self.rested = self.rested.wrapping_add(1);
                self.done.rests(place);
            }
            Taking::Nobody if rests => self.cx.unhandled = self.cx.unhandled.wrapping_add(1),
            Taking::Both if rests => {
                self.rested = self.rested.wrapping_add(1);
                count(&mut self.cx.counters.transitions);
                self.done.rests(place);
            }
            Taking::Rests | Taking::Both | Taking::Nobody | Taking::Ignored => {
                count_taken(self.cx, taking);
                self.done.done(place, &Report::TAKEN, &[]);
            }
            taking => return Some(Met::Took(taking)),
        }
        None
    }

    /// The turn of an agent that does not rest, perhaps because of a timer; nothing if it is over.
    #[inline(always)]
    fn fire<I: Instance>(
        &mut self,
        (place, instance): (usize, &mut I),
        code: &mut impl BareCode,
    ) -> Option<Met> {
        let router = self.router;
        let due = instance.due_timers(router.now);
        if due == 0 || !router.waits_by_code(instance) {
            return Some(Met::Busy);
        }
        let (cx, done, rested) = (&mut *self.cx, &mut *self.done, self.rested);
        let turn = Turn {
            unwound: &mut *self.unwound,
            place,
            before: || {
                cx.jumped = cx.jumped.wrapping_add(rested as u64);
                done.rested(rested);
            },
        };
        let bare = AnyBare::new(instance.ram(), self.shared, (place, None), Needs::ALL);
        let taking = code.run(bare, Phase::Timer(due)).taking();
        turn.end();
        match taking {
            Taking::Rests | Taking::Ignored if instance.due_timers(router.now) == 0 => {
                count_taken(self.cx, taking);
                self.done.done(place, &Report::QUIET, &[]);
                None
            }
            Taking::Tables | Taking::Done => Some(Met::Due),
            taking => Some(Met::Fired(taking)),
        }
    }
}

/// Turns of agents that poll.
struct Polling<'t, 'a, D> {
    shared: &'t mut Shared<'a>,
    router: &'t Router<'a>,
    unwound: &'t mut Unwound,
    done: &'t mut D,
    timers: u8,
    needs: Needs,
    /// Agents from here on have polled and are not reported yet.
    awake: usize,
    /// Who ends it.
    met: Option<(usize, Met)>,
}

impl<'i, I: Instance, D: Done> BareTurns<&'i mut I> for Polling<'_, '_, D> {
    #[inline(always)]
    fn turn(&mut self, place: usize, instance: &'i mut I, mut code: impl BareCode) -> bool {
        let (router, awake) = (self.router, self.awake);
        if router.idle.polls_with(instance, router.now, self.timers)
            || polls_deferring(router, instance, self.timers)
        {
            let turn = Turn {
                unwound: &mut *self.unwound,
                place,
                before: || self.done.polled(awake, place.wrapping_sub(awake)),
            };
            let bare = AnyBare::new(instance.ram(), self.shared, (place, None), self.needs);
            let step = code.run(bare, Phase::Poll { has_events: false });
            turn.end();
            if let Step::Polled(Polled::Done) = step {
                return true;
            }
            self.met = Some((place, Met::Polled(step)));
            return false;
        }
        self.done.polled(awake, place.wrapping_sub(awake));
        self.awake = place.wrapping_add(1);
        if router.has_ended(instance) {
            self.done.done(place, &Report::QUIET, &[]);
        } else if router.polls(instance) {
            // Events that are queued wait for another configuration, or are looked at closer.
            self.met = Some((place, Met::Polled(Step::Tables)));
            return false;
        } else if !is_at_rest(router, instance, self.timers) {
            self.met = Some((place, Met::Busy));
            return false;
        }
        true
    }
}

/// Does an agent only poll while events wait for another configuration?
#[inline(always)]
pub(super) fn polls_deferring<I: Instance>(router: &Router<'_>, instance: &I, timers: u8) -> bool {
    router.idle.polls_with_queue(instance, router.now, timers)
        && has_only_deferred(router.rom, instance)
}

/// Would a tick without events change nothing?
#[inline(always)]
pub(super) fn is_at_rest<I: Instance>(router: &Router<'_>, instance: &I, timers: u8) -> bool {
    toggles::has(Optimization::IdleMask)
        && router.idle.is_at_rest_with(instance, router.now, timers)
}

/// An agent that is not attached: if user code unwinds, it ends with the batch (TICK-3).
struct Lone<'t, 'a, I: Instance> {
    cx: &'t mut Context<'a>,
    agent: Option<&'a mut I>,
    place: usize,
}

impl<I: Instance> Drop for Lone<'_, '_, I> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(agent) = self.agent.take() {
            self.cx.attach(agent.ram(), self.place);
            self.cx.running = true;
        }
    }
}

/// A timer of an agent that is at rest but for it: what it has come to, if its bytes are enough.
#[inline(never)]
pub(super) fn take_due<'a, I: Instance, H: Hosts>(
    (cx, shared, router): (&mut Context<'a>, &mut Shared<'a>, &Router<'a>),
    (place, agent, instance): (usize, u64, &'a mut I),
    hosts: &mut H,
) -> (Option<Taking>, Option<&'a mut I>) {
    let due = instance.due_timers(router.now);
    if due == 0 || !router.waits_by_code(instance) || hosts.traces_steps(place) {
        return (None, Some(instance));
    }
    let mut lone = Lone {
        cx,
        agent: Some(instance),
        place,
    };
    let turns = Due {
        shared,
        due,
        taking: Taking::Tables,
    };
    let one = lone.agent.as_deref_mut().into_iter();
    let taking = match hosts.each_bare((place, agent), one, turns).taking {
        Taking::Tables | Taking::Done => None,
        taking => Some(taking),
    };
    (taking, lone.agent.take())
}

/// The turn of an agent of which a timer is due.
struct Due<'t, 'a> {
    shared: &'t mut Shared<'a>,
    due: u8,
    taking: Taking,
}

impl<'i, I: Instance> BareTurns<&'i mut I> for Due<'_, '_> {
    #[inline(always)]
    fn turn(&mut self, place: usize, instance: &'i mut I, mut code: impl BareCode) -> bool {
        let bare = AnyBare::new(instance.ram(), self.shared, (place, None), Needs::ALL);
        self.taking = code.run(bare, Phase::Timer(self.due)).taking();
        false
    }
}

/// Agents with one event each, as long as each is at rest but for that and takes it with nothing but its bytes. How
/// many, and who ends it.
#[inline(never)]
pub(super) fn take_events<'a, I: Instance, H: Hosts>(
    common: Common<'_, 'a>,
    (agents, events): (&mut [I], &'a [InboxEvent]),
    hosts: &mut H,
    done: &mut impl Done,
) -> (usize, Option<Met>) {
    let Some(first) = events.first() else {
        return (0, None);
    };
    let (first, agent) = (first.place as usize, common.agent);
    if hosts.traces_steps(first) {
        return (0, Some(Met::Busy));
    }
    let turns = Taken {
        base: Base::new(common, hosts, done),
        met: None,
    };
    let items = agents.iter_mut().zip(events);
    let turns = hosts.each_bare((first, agent), items, turns);
    match turns.base.rested(turns.met) {
        Some((place, met)) => (place.wrapping_sub(first), Some(met)),
        None => (events.len(), None),
    }
}

/// Turns of agents with one event.
struct Taken<'t, 'a, D> {
    base: Base<'t, 'a, D>,
    /// Who ends it.
    met: Option<(usize, Met)>,
}

impl<'a, 'i, I: Instance, D: Done> BareTurns<(&'i mut I, &'a InboxEvent)> for Taken<'_, 'a, D> {
    #[inline(always)]
    fn turn(
        &mut self,
        place: usize,
        (instance, InboxEvent { event, .. }): (&'i mut I, &'a InboxEvent),
        mut code: impl BareCode,
    ) -> bool {
        let met = self.base.take((place, instance), event, &mut code);
        self.met = met.map(|met| (place, met));
        met.is_none()
    }
}
