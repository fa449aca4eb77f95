//! One look at the header: is there something to do, and may a fast path do it (RAM-3)?
//!
//! Everything that can keep an agent busy shows in the first eight bytes of its header. Read as one
//! number, masked and compared with what the machine's agents have at rest, they answer in three
//! instructions:
//!
//! ```text
//!  byte  7         6         5 ─────── 4   3 ─────────────── 0
//!       ┌─────────┬─────────┬─────────────┬───────────────────┐
//!       │ queued  │ armed   │ flags       │ machine           │   first word of the header
//!       │ events  │ timers  │             │ id                │
//!       └─────────┴─────────┴─────────────┴───────────────────┘
//!           00        FF       0B1F            FFFF_FFFF          AT_REST
//!           FF        FF       0B1F            FFFF_FFFF          IDLE
//!           00        00       0001            id                 rest:  started, nothing else
//!           00        00       0201            id                 poll_rest: and POLLS
//!
//!  0B1F = STARTED ENDED PAUSED BUDGET_EXCEEDED WORK POLLS INCOMPLETE; all others say nothing about work.
//! ```
//!
//! For example `word & AT_REST == rest`: the right machine, started, neither ended nor paused nor
//! clamped, no timer runs, no queued event wants to be taken, nothing polls. Deferred events may be
//! queued (the byte is not in `AT_REST`): they wait for another configuration. A jump must not find
//! any, because it would have to offer them again; so it asks with `IDLE`.
//!
//! Where a machine cannot have a fast path, its word is one that no header has, and the same
//! compare says no.

use statewright_rom::Rom;
use statewright_rom::layout::*;

use crate::events::time::is_due;
use crate::instance::ram::bit;
use crate::instance::{Header, Instance, flag};
use crate::toggles::{self, Optimization};

/// What is known of a machine before its first agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdleMask {
    /// First word of the header of an instance that has started and has nothing to do.
    rest: u64,
    /// The same where the machine has jumps and a tick has room for one; else a word that no
    /// header has.
    jump_rest: u64,
    /// The same where no event has to be told to observers.
    single_rest: u64,
    /// The same with polling, where a machine polls; else a word that no header has.
    poll_rest: u64,
    /// The same where a tick has room for a transition that is code.
    code_rest: u64,
}

/// The id of the machine.
const MACHINE: u64 = u32::MAX as u64;
/// Running timers.
const TIMERS: u64 = (u8::MAX as u64) << 48;
/// Queued events.
const EVENTS: u64 = (u8::MAX as u64) << 56;
/// Bits of the first word that must be as they are at rest: machine, life, work.
const AT_REST: u64 = MACHINE
    | ((flag::STARTED
        | flag::ENDED
        | flag::PAUSED
        | flag::BUDGET_EXCEEDED
        | flag::WORK
        | flag::POLLS
        | flag::INCOMPLETE) as u64)
        << 32
    | TIMERS;
/// The same with the number of queued events, which may wait for another configuration while an
/// instance rests.
const IDLE: u64 = AT_REST | EVENTS;
/// What an agent that polls must have at rest: timers are looked at, and a clamped tick some time
/// ago says nothing about this one.
const AT_REST_POLLING: u64 = AT_REST & !TIMERS & !((flag::BUDGET_EXCEEDED as u64) << 32);
/// With any of these a machine polls.
const POLLING: u32 = feature::ACTIVITIES | feature::UPDATES | feature::EVENTLESS | feature::LATCH;
/// Equals no masked word.
const NEVER: u64 = u64::MAX;

impl IdleMask {
    /// Sees nothing at rest.
    pub(crate) const BLIND: Self = Self {
        rest: NEVER,
        jump_rest: NEVER,
        single_rest: NEVER,
        poll_rest: NEVER,
        code_rest: NEVER,
    };

    /// For instances of a tier.
    #[inline]
    pub(crate) fn new(rom: &Rom<'_>, tier: Tier) -> Self {
        if rom.header().tier != tier {
            return Self::BLIND;
        }
        let rest = u64::from(rom.machine_id()) | u64::from(flag::STARTED) << 32;
        let jumps = !rom.jumps().is_empty() && rom.header().microsteps_per_tick.get() > 1;
        let polling = rom.header().features.get() & POLLING != 0;
        let polls = u64::from(flag::POLLS) << 32;
        let jump_rest = if toggles::has(Optimization::Jumps) && jumps {
            rest
        } else {
            NEVER
        };
        Self {
            poll_rest: if toggles::has(Optimization::Polling) && polling {
                rest | polls
            } else {
                NEVER
            },
            rest,
            code_rest: match rom.header().microsteps_per_tick.get() > 1 {
                true => rest,
                false => NEVER,
            },
            jump_rest,
            single_rest: if rom.has(feature::OBSERVERS) {
                NEVER
            } else {
                jump_rest
            },
        }
    }

    /// Would a tick without events change nothing? One masked compare, and the deadlines if a timer
    /// runs.
    #[inline(always)]
    pub(super) fn is_at_rest<I: Instance>(&self, instance: &I, now: u32) -> bool {
        let header = instance.header();
        if header.first_word() & AT_REST == self.rest && header.clamped == 0 {
            return true;
        }
        header.first_word() & AT_REST & !TIMERS == self.rest
            && header.clamped == 0
            && !instance.has_due_timer(now)
    }

    /// The same for several without timers: one branch for all of them.
    #[inline(always)]
    pub(super) fn are_at_rest<I: Instance>(&self, instances: &[I]) -> bool {
        let (mut words, mut clamped) = (0, 0);
        for instance in instances {
            let header = instance.header();
            words |= header.first_word() ^ self.rest;
            clamped |= header.clamped;
        }
        words & AT_REST == 0 && clamped == 0
    }

    /// The same for agents of a machine that uses these timer places only: whoever has another one running is not
    /// seen at rest.
    #[inline(always)]
    pub(crate) fn is_at_rest_with<I: Instance>(&self, instance: &I, now: u32, timers: u8) -> bool {
        let header = instance.header();
        header.first_word() & (AT_REST & !own(timers)) == self.rest
            && header.clamped == 0
            && !is_any_due(instance, now, timers)
    }

    /// At rest but for polling, no event queued, and none of these timers is due, which are all that the machine uses?
    #[inline(always)]
    pub(crate) fn polls_with<I: Instance>(&self, instance: &I, now: u32, timers: u8) -> bool {
        let header = instance.header();
        header.first_word() & ((AT_REST_POLLING | TIMERS | EVENTS) & !own(timers)) == self.poll_rest
            && header.clamped == 0
            && !is_any_due(instance, now, timers)
    }

    /// At rest, no event queued, none of these timers due, which are all that the machine uses, and a tick has room
    /// for a transition?
    #[inline(always)]
    pub(crate) fn is_idle_with<I: Instance>(&self, instance: &I, now: u32, timers: u8) -> bool {
        let header = instance.header();
        header.first_word() & (IDLE & !own(timers)) == self.code_rest
            && header.last_word() == 0
            && !is_any_due(instance, now, timers)
    }

    /// At rest, no event queued, no timer due, and a tick has room for a transition? For one agent, without a look at
    /// all that a machine may have; the tier is the machine's.
    #[inline(always)]
    pub(crate) fn is_idle_by_code<I: Instance>(rom: &Rom<'_>, instance: &I, now: u32) -> bool {
        let rest = u64::from(rom.machine_id()) | u64::from(flag::STARTED) << 32;
        let header = instance.header();
        let idle = header.first_word() & IDLE == rest
            || header.first_word() & IDLE & !TIMERS == rest && !instance.has_due_timer(now);
        idle && header.last_word() == 0 && rom.header().microsteps_per_tick.get() > 1
    }

    /// Does the machine have jumps, and a tick room for one?
    #[inline]
    pub(super) fn has_jumps(&self) -> bool {
        self.jump_rest != NEVER
    }

    /// At rest, no event queued, and a machine with jumps and without observers?
    #[inline(always)]
    pub(crate) fn may_jump(&self, header: &Header) -> bool {
        header.first_word() & IDLE == self.single_rest && header.last_word() == 0
    }

    /// The same where timers run, of which none is due: a jump stops and starts them as the slow
    /// path does, and what it starts is due in the next tick at the earliest (EVT-7).
    #[inline]
    pub(crate) fn may_jump_beside_timers<I: Instance>(&self, instance: &I, now: u32) -> bool {
        let header = instance.header();
        self.is_idle_but_for_timers(header) && header.last_word() == 0 && waits(instance, now)
    }

    /// At rest but for one event in the queue, and a machine with jumps?
    #[inline]
    pub(crate) fn may_jump_by_queue<I: Instance>(&self, instance: &I, now: u32) -> bool {
        const ONE: u64 = (flag::WORK as u64) << 32 | 1 << 56;
        let header = instance.header();
        header.first_word() & IDLE & !TIMERS == self.jump_rest | ONE
            && self.jump_rest != NEVER
            && header.last_word() == 0
            && waits(instance, now)
    }

    /// At rest but for timers of which one is due, and a machine with jumps?
    #[inline]
    pub(crate) fn may_jump_by_timer(&self, header: &Header) -> bool {
        self.is_idle_but_for_timers(header) && header.armed != 0 && header.last_word() == 0
    }

    /// At rest but for polling? Running timers are to be looked at.
    #[inline]
    pub(crate) fn may_poll(&self, header: &Header) -> bool {
        header.first_word() & AT_REST_POLLING == self.poll_rest && header.clamped == 0
    }

    /// At rest but for polling, and no timer is due?
    #[inline(always)]
    pub(super) fn polls<I: Instance>(&self, instance: &I, now: u32) -> bool {
        let header = instance.header();
        let quiet = header.first_word() & (AT_REST_POLLING | TIMERS) == self.poll_rest;
        if quiet && header.clamped == 0 {
            return true;
        }
        self.may_poll(header) && !instance.has_due_timer(now)
    }

    /// The same where events may be queued, which are to be looked at.
    #[inline(always)]
    pub(crate) fn polls_with_queue<I: Instance>(&self, instance: &I, now: u32, timers: u8) -> bool {
        let header = instance.header();
        header.first_word() & ((AT_REST_POLLING | TIMERS) & !own(timers)) == self.poll_rest
            && header.clamped == 0
            && !is_any_due(instance, now, timers)
    }

    /// At rest but for polling? Timers and queue are to be looked at.
    #[inline]
    pub(crate) fn polls_beside_timers(&self, header: &Header) -> bool {
        header.first_word() & AT_REST_POLLING == self.poll_rest && header.clamped == 0
    }

    /// May any agent of the machine poll?
    #[inline(always)]
    pub(crate) fn polls_ever(&self) -> bool {
        self.poll_rest != NEVER
    }

    /// At rest but for polling, timers and events that wait, and no frame on a stack?
    #[inline(always)]
    pub(crate) fn is_quiet(&self, header: &Header) -> bool {
        const POLLS: u64 = (flag::POLLS as u64) << 32;
        header.first_word() & AT_REST_POLLING & !POLLS == self.rest && header.last_word() == 0
    }

    /// At rest, and no event queued: nothing more is to be done by code?
    #[inline(always)]
    pub(crate) fn rests_by_code(&self, header: &Header) -> bool {
        header.first_word() & IDLE == self.code_rest
    }

    /// The same where timers may run?
    #[inline(always)]
    pub(crate) fn waits_by_code(&self, header: &Header) -> bool {
        header.first_word() & IDLE & !TIMERS == self.code_rest
    }

    /// Has an instance of this machine ended?
    #[inline(always)]
    pub(crate) fn has_ended(&self, header: &Header) -> bool {
        const ENDED: u64 = (flag::ENDED as u64) << 32;
        let word = header.first_word();
        (word ^ self.rest) & MACHINE == 0 && word & ENDED != 0 && self.rest != NEVER
    }

    /// At rest, and no event queued; timers may run?
    #[inline]
    pub(super) fn is_idle_but_for_timers(&self, header: &Header) -> bool {
        header.first_word() & IDLE & !TIMERS == self.jump_rest
    }

    /// At rest, and no event queued?
    #[inline(always)]
    pub(crate) fn is_idle(&self, header: &Header) -> bool {
        header.first_word() & IDLE == self.jump_rest
    }
}

/// Timer places in the first word.
#[inline(always)]
const fn own(timers: u8) -> u64 {
    (timers as u64) << 48
}

/// Is a running timer of these places due?
#[inline(always)]
fn is_any_due<I: Instance>(instance: &I, now: u32, timers: u8) -> bool {
    let armed = instance.header().armed & timers;
    let mut places = (0_u8..).zip(instance.raw_timers());
    places.any(|(place, time)| {
        timers & bit(place) != 0 && armed & bit(place) != 0 && is_due(time.get(), now)
    })
}

/// Is no running timer due?
#[inline]
fn waits<I: Instance>(instance: &I, now: u32) -> bool {
    instance.header().armed == 0 || !instance.has_due_timer(now)
}
