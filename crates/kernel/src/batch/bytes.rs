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
use crate::fused::{Phase, Step, Taking};
use crate::host::{BareTurns, Hosts};
use crate::instance::Instance;
use crate::poll::Polled;
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
pub(super) enum Met {
    /// Its bytes say that it has more to do.
    Busy,
    /// It only polls, and came to this.
    Polled(Step),
    /// It has taken its event so far.
    Took(Taking),
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
    let Common {
        shared,
        router,
        unwound,
        agent,
        ..
    } = common;
    let (timers, needs) = (hosts.timers(), hosts.needs());
    if !router.polls_ever() || hosts.traces_steps(first) {
        let busy = |agent: &I| !is_at_rest(router, agent, timers);
        return match agents.iter().position(busy) {
            Some(busy) => (busy, Some(Met::Busy)),
            None => (agents.len(), None),
        };
    }
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
    fn turn(
        &mut self,
        place: usize,
        instance: &'i mut I,
        code: impl FnOnce(AnyBare<'_, '_>, Phase<'_>) -> Step,
    ) -> bool {
        let (router, awake) = (self.router, self.awake);
        if router.idle.polls_with(instance, router.now, self.timers) {
            let turn = Turn {
                unwound: &mut *self.unwound,
                place,
                before: || self.done.polled(awake, place.wrapping_sub(awake)),
            };
            let bare = AnyBare::new(instance.ram(), self.shared, (place, None), self.needs);
            let step = code(bare, Phase::Poll { has_events: false });
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

/// Would a tick without events change nothing?
#[inline(always)]
fn is_at_rest<I: Instance>(router: &Router<'_>, instance: &I, timers: u8) -> bool {
    toggles::has(Optimization::IdleMask)
        && router.idle.is_at_rest_with(instance, router.now, timers)
}

/// A timer of an agent that is at rest but for it: what it has come to, if its bytes are enough.
#[inline(never)]
pub(super) fn take_due<I: Instance, H: Hosts>(
    common: Common<'_, '_>,
    (instance, place): (&mut I, usize),
    hosts: &mut H,
) -> Option<Taking> {
    let router = common.router;
    let due = instance.due_timers(router.now);
    if due == 0 || !router.waits_by_code(instance) || hosts.traces_steps(place) {
        return None;
    }
    let turns = Due {
        shared: common.shared,
        unwound: common.unwound,
        due,
        taking: Taking::Tables,
    };
    let one = core::iter::once(instance);
    match hosts.each_bare((place, common.agent), one, turns).taking {
        Taking::Tables | Taking::Done => None,
        taking => Some(taking),
    }
}

/// The turn of an agent of which a timer is due.
struct Due<'t, 'a> {
    shared: &'t mut Shared<'a>,
    unwound: &'t mut Unwound,
    due: u8,
    taking: Taking,
}

impl<'i, I: Instance> BareTurns<&'i mut I> for Due<'_, '_> {
    #[inline(always)]
    fn turn(
        &mut self,
        place: usize,
        instance: &'i mut I,
        code: impl FnOnce(AnyBare<'_, '_>, Phase<'_>) -> Step,
    ) -> bool {
        let turn = Turn {
            unwound: &mut *self.unwound,
            place,
            before: || {},
        };
        let bare = AnyBare::new(instance.ram(), self.shared, (place, None), Needs::ALL);
        self.taking = code(bare, Phase::Timer(self.due)).taking();
        turn.end();
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
    let Common {
        cx,
        shared,
        router,
        unwound,
        agent,
    } = common;
    let (Some(first), timers) = (events.first(), hosts.timers()) else {
        return (0, None);
    };
    let first = first.place as usize;
    if hosts.traces_steps(first) {
        return (0, Some(Met::Busy));
    }
    let needs = hosts.needs();
    let turns = Taken {
        cx,
        shared,
        router,
        unwound,
        done,
        timers,
        needs,
        rested: 0,
        met: None,
    };
    let items = agents.iter_mut().zip(events);
    let turns = hosts.each_bare((first, agent), items, turns);
    turns.cx.jumped = turns.cx.jumped.wrapping_add(turns.rested as u64);
    turns.done.rested(turns.rested);
    match turns.met {
        Some((place, met)) => (place.wrapping_sub(first), Some(met)),
        None => (events.len(), None),
    }
}

/// Turns of agents with one event.
struct Taken<'t, 'a, D> {
    cx: &'t mut Context<'a>,
    shared: &'t mut Shared<'a>,
    router: &'t Router<'a>,
    unwound: &'t mut Unwound,
    done: &'t mut D,
    timers: u8,
    needs: Needs,
    /// Those who took theirs and rest, not counted yet.
    rested: usize,
    /// Who ends it.
    met: Option<(usize, Met)>,
}

impl<'a, 'i, I: Instance, D: Done> BareTurns<(&'i mut I, &'a InboxEvent)> for Taken<'_, 'a, D> {
    #[inline(always)]
    fn turn(
        &mut self,
        place: usize,
        (instance, InboxEvent { event, .. }): (&'i mut I, &'a InboxEvent),
        code: impl FnOnce(AnyBare<'_, '_>, Phase<'_>) -> Step,
    ) -> bool {
        let (idle, now, timers) = (&self.router.idle, self.router.now, self.timers);
        if !idle.is_idle_with(instance, now, timers) {
            self.met = Some((place, Met::Busy));
            return false;
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
        let taking = code(bare, Phase::Event(event)).taking();
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
            taking => {
                self.met = Some((place, Met::Took(taking)));
                return false;
            }
        }
        true
    }
}
