//! Agents that poll, of machines whose polling calls functions that look at more than the blackboard: such an agent is
//! attached for each of these calls, and for nothing else.
//!
//! ```text
//!   poll_calling ─┬─ nothing comes ─▶ a tick in one piece, inlined into the loop
//!                 └─ a timer is due ─▶ by_parts ─┐ ask, take it, ask again, run: where nobody moves
//!   take_calling ─── its only event ─▶ by_parts ─┘
//! ```

use crate::batch::bytes::{Left, Met, is_at_rest, polls_deferring};
use crate::batch::{Batch, Done};
use crate::context::{Context, TakenFor};
use crate::fast::Router;
use crate::fused::drive::count_taken;
use crate::fused::{AnyCalling, Fuse, Phase, Quiet as Polls, Step, Taking};
use crate::host::{CallingTurns, Host, Hosts};
use crate::instance::Instance;
use crate::poll::{Polled, has_only_deferred};
use crate::tick::Report;

/// Agents without events up to so many, as long as each rests, has ended, polls, or is taken part by part. Who ends it,
/// taken from those that are left.
#[inline(never)]
pub(super) fn poll_calling<'a, I: Instance, H: Hosts>(
    left: &mut Left<'_, 'a, I>,
    router: &Router<'a>,
    (batch, count): (&Batch<'a>, usize),
    hosts: &mut H,
    done: &mut impl Done,
) -> Option<(Met, &'a mut I)> {
    let end = left.place.wrapping_add(count);
    // Bound: the agents. Each round passes one at least.
    while left.place < end {
        let (met, instance) = pass_polling(left, router, (batch, end), hosts, done)?;
        let place = left.place.wrapping_sub(1);
        let Met::Busy = met else {
            return Some((met, instance));
        };
        let due = instance.due_timers(router.now);
        if due != 0 && comes_by_parts(router, instance) {
            let comes = (Phase::Timer(due), TakenFor::Nothing);
            let common = (&mut *left.cx, router);
            let agent = (place, batch.agent(place), instance);
            match take_calling(common, agent, comes, hosts) {
                None => done.polled(place, 1),
                met => return met,
            }
        } else if router.polls(instance) {
            // Events that are queued are looked at closer.
            return Some((Met::Polled(Step::Tables), instance));
        } else {
            return Some((met, instance));
        }
    }
    None
}

/// The same as long as each rests, has ended, or does nothing but poll.
#[inline(always)]
fn pass_polling<'a, I: Instance, H: Hosts>(
    left: &mut Left<'_, 'a, I>,
    router: &Router<'a>,
    (batch, end): (&Batch<'a>, usize),
    hosts: &mut H,
    done: &mut impl Done,
) -> Option<(Met, &'a mut I)> {
    let first = left.place;
    let mut agents = core::mem::take(&mut left.agents).iter_mut();
    // Apart from all that the loop knows: code gets to know where it lies.
    let mut slot = None;
    let mut turns = Quiet {
        cx: &mut *left.cx,
        router,
        done,
        slot: &mut slot,
        awake: first,
        met: None,
    };
    let many = (first, batch.agent(first), end.wrapping_sub(first));
    turns = hosts.each_calling(many, agents.by_ref(), turns);
    let met = turns.met;
    let end = if met.is_some() { turns.cx.place() } else { end };
    turns.report(end);
    drop(turns);
    left.agents = agents.into_slice();
    left.place = end.wrapping_add(usize::from(met.is_some()));
    Some((met?, slot?))
}

/// An agent that polls, and the one thing that comes to it, with its cause if that is known before. What is left to do
/// for it, or nothing.
#[inline(never)]
pub(super) fn take_calling<'a, I: Instance, H: Hosts>(
    (cx, router): (&mut Context<'a>, &Router<'a>),
    (place, agent, instance): (usize, u64, &'a mut I),
    comes: (Phase<'a>, TakenFor<'a>),
    hosts: &mut H,
) -> Option<(Met, &'a mut I)> {
    let turns = Busy {
        cx,
        router,
        comes,
        met: None,
    };
    let one = core::iter::once(instance);
    hosts.each_calling((place, agent, 1), one, turns).met
}

/// Can the one thing that comes to an agent be taken part by part?
#[inline]
pub(super) fn comes_by_parts<I: Instance>(router: &Router<'_>, instance: &I) -> bool {
    let (caps, header) = (router.rom.header(), instance.header());
    // Caps are for the tables.
    let room = caps.microsteps_per_tick.get() > 2 && caps.events_per_tick.get() > 1;
    room && router.is_quiet(instance)
        && router.idle.polls_beside_timers(header)
        && (header.event_count == 0 || has_only_deferred(router.rom, instance))
}

/// Turns of agents that poll, without events.
struct Quiet<'t, 'a, I: Instance, D: Done> {
    cx: &'t mut Context<'a>,
    router: &'t Router<'a>,
    done: &'t mut D,
    /// Whose turn it is, while user code may run; at last, who ends it.
    slot: &'t mut Option<&'a mut I>,
    /// Agents from here on have polled and are not reported yet.
    awake: usize,
    /// Why it ends.
    met: Option<Met>,
}

/// If user code unwinds, whoever it was ends with the batch (TICK-3): it is not attached.
impl<I: Instance, D: Done> Drop for Quiet<'_, '_, I, D> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.met.is_none() && self.slot.is_some() {
            self.unwind();
        }
    }
}

impl<I: Instance, D: Done> Quiet<'_, '_, I, D> {
    #[cold]
    #[inline(never)]
    fn unwind(&mut self) {
        let place = self.cx.place();
        self.report(place);
        if let Some(instance) = self.slot.take() {
            self.cx.attach(instance.ram(), place);
            self.cx.running = true;
        }
    }

    /// Those who have polled up to a place.
    #[inline(always)]
    fn report(&mut self, end: usize) {
        self.done.polled(self.awake, end.saturating_sub(self.awake));
    }
}

/// The turn of an agent to whom one thing comes.
struct Busy<'t, 'a, I> {
    cx: &'t mut Context<'a>,
    router: &'t Router<'a>,
    comes: (Phase<'a>, TakenFor<'a>),
    met: Option<(Met, &'a mut I)>,
}

/// The turn of an agent that is not attached: if user code unwinds, it ends with the batch (TICK-3).
struct Turn<'t, 'a, I: Instance, F: FnMut()> {
    cx: &'t mut Context<'a>,
    instance: &'t mut &'a mut I,
    before: F,
}

impl<I: Instance, F: FnMut()> Drop for Turn<'_, '_, I, F> {
    #[cold]
    fn drop(&mut self) {
        (self.before)();
        I::exchange(&mut self.cx.ram, self.instance);
        self.cx.running = true;
    }
}

impl<'a, I: Instance, D: Done> CallingTurns<&'a mut I> for Quiet<'_, 'a, I, D> {
    #[inline(always)]
    fn turn(&mut self, place: usize, instance: &'a mut I, mut host: impl Host) -> bool {
        // Asked of the host, so that it is known where the host is.
        let (router, timers) = (self.router, host.timers());
        if router.idle.polls_with(instance, router.now, timers)
            || polls_deferring(router, instance, timers)
        {
            self.cx.go_to(place);
            let agent = AnyCalling::new(self.slot.insert(instance), &mut *self.cx);
            let quiet = host.polls(agent);
            if quiet == Polls::Done && !self.cx.has_overflowed() {
                *self.slot = None;
                return true;
            }
            self.met = Some(Met::Called(Fuse::new(self.cx).polled(quiet)));
            return false;
        }
        self.report(place);
        self.awake = place.wrapping_add(1);
        if is_at_rest(router, instance, timers) {
            return true;
        }
        if router.has_ended(instance) {
            self.done.done(place, &Report::QUIET, &[]);
            return true;
        }
        self.cx.go_to(place);
        *self.slot = Some(instance);
        self.met = Some(Met::Busy);
        false
    }
}

impl<'a, I: Instance> CallingTurns<&'a mut I> for Busy<'_, 'a, I> {
    #[inline(always)]
    fn turn(&mut self, place: usize, mut instance: &'a mut I, host: impl Host) -> bool {
        let common = (&mut *self.cx, self.router);
        let met = by_parts(common, (place, &mut instance), self.comes, host);
        self.met = met.map(|met| (met, instance));
        false
    }
}

/// The tick of an agent that polls and to whom one thing comes, a timer or an event; it ends here if nobody moves.
/// Otherwise what is left to do.
#[inline(never)]
fn by_parts<'a, I: Instance>(
    (cx, router): (&mut Context<'a>, &Router<'a>),
    (place, instance): (usize, &mut &'a mut I),
    (comes, cause): (Phase<'_>, TakenFor<'a>),
    host: impl Host,
) -> Option<Met> {
    cx.go_to(place);
    let mut turn = Turn {
        cx,
        instance,
        before: || {},
    };
    let met = turn.by_parts(router, comes, cause, host);
    core::mem::forget(turn);
    met
}

impl<'a, I: Instance, F: FnMut()> Turn<'_, 'a, I, F> {
    #[inline(always)]
    fn part(&mut self, host: &mut impl Host, phase: Phase<'_>) -> Step {
        let agent = AnyCalling::new(&mut *self.instance, &mut *self.cx);
        host.calling(agent, phase)
    }

    #[inline(always)]
    fn by_parts(
        &mut self,
        router: &Router<'a>,
        comes: Phase<'_>,
        cause: TakenFor<'a>,
        mut host: impl Host,
    ) -> Option<Met> {
        let step = self.part(&mut host, Phase::Poll { has_events: true });
        match step {
            Step::Polled(Polled::Settled) => {}
            Step::Polled(Polled::Halted(_) | Polled::Failed(_)) => {
                return Some(Met::Asked(step, Taking::Done));
            }
            Step::Polled(Polled::Done | Polled::Slow)
            | Step::Tables
            | Step::Done
            | Step::Took(_) => return Some(Met::Begun),
        }
        let (leaves, queued) = (
            self.instance.all_leaves(),
            self.instance.header().event_count,
        );
        self.cx.fixed_cause = cause;
        let taking = self.part(&mut host, comes).taking();
        self.cx.fixed_cause = TakenFor::Nothing;
        match taking {
            Taking::Tables => return Some(Met::Asked(step, Taking::Done)),
            // None of the timers fires.
            Taking::Done => {}
            Taking::Taken
            | Taking::Rests
            | Taking::Both
            | Taking::Carried
            | Taking::Handled
            | Taking::Ignored
            | Taking::Nobody => {
                // Whoever has moved has other things to run, and whatever else comes now is more than this knows.
                let stays = self.instance.all_leaves() == leaves
                    && !self.cx.has_fresh()
                    && self.cx.check_fault().is_ok()
                    && self.instance.header().event_count == queued
                    && self.instance.due_timers(router.now) == 0
                    && comes_by_parts(router, &**self.instance);
                if !stays {
                    return Some(Met::Asked(Step::Done, taking));
                }
                let step = self.part(&mut host, Phase::Ask);
                match step {
                    Step::Polled(Polled::Settled) => {}
                    Step::Polled(Polled::Halted(_) | Polled::Failed(_)) => {
                        return Some(Met::Asked(step, taking));
                    }
                    Step::Polled(Polled::Done | Polled::Slow)
                    | Step::Tables
                    | Step::Done
                    | Step::Took(_) => return Some(Met::Asked(Step::Done, taking)),
                }
                count_taken(self.cx, taking);
            }
        }
        match self.part(&mut host, Phase::RunAll) {
            Step::Polled(Polled::Done) if !self.cx.has_overflowed() => None,
            step => Some(Met::Ran(step)),
        }
    }
}
