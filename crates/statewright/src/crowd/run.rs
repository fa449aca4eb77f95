//! Ticks of a crowd, on one thread or on all.

use statewright_kernel::{Counters, InboxEvent, Instance};
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use super::mail::Letter;
use super::part::{Job, Part, Shared};
use super::store::with_instances;
use super::{Crowd, is_alive};
use crate::board::Board;
use crate::commands::{PoolTooSmall, Terms};
use crate::value::AgentId;
use statewright_trace::Reasons;

/// What one tick came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// The tick.
    pub tick: u64,
    /// Agents that something happened to.
    pub ran: usize,
    /// Agents that reached a cap (TICK-4).
    pub clamped: u32,
    /// Agents that a fault ended; [`Crowd::faults`] lists them.
    pub faults: usize,
    /// Agents that a panic in user code ended; [`Crowd::panicked`] lists them.
    pub panicked: usize,
    /// Agents that a call of a missing function ended; [`Crowd::unanswered`] lists them.
    pub unanswered: usize,
    /// Commands that found no room in the budgets of their agents (CMD-2).
    pub dropped_commands: u64,
}

/// Slices of a crowd, cut into parts.
struct Cut<'j, I, B> {
    instances: &'j mut [I],
    boards: &'j mut [B],
    inbox: &'j [InboxEvent],
    listed: &'j [u32],
    stops: &'j [u32],
    reasons: &'j mut [Reasons],
}

impl<'j, I: Instance, B> Cut<'j, I, B> {
    /// Cuts it into one job per part, each for so many agents; parts where everybody sleeps have
    /// none.
    fn jobs(mut self, parts: &'j mut [Part], size: usize) -> impl Iterator<Item = Job<'j, I, B>> {
        let mut first = 0;
        parts.iter_mut().filter_map(move |part| {
            let count = size.min(self.instances.len());
            let end = (first + count) as u32;
            let events = self.inbox.partition_point(|event| event.place < end);
            let places = self.listed.partition_point(|&place| place < end);
            let stops = self.stops.partition_point(|&place| place < end);
            let mut job = Job {
                first,
                instances: self.instances.split_off_mut(..count).unwrap_or_default(),
                boards: self.boards.split_off_mut(..count).unwrap_or_default(),
                inbox: self.inbox.split_off(..events).unwrap_or_default(),
                awake: self.listed.split_off(..places),
                stops: self.stops.split_off(..stops).unwrap_or_default(),
                reasons: self
                    .reasons
                    .split_off_mut(..count.min(self.reasons.len()))
                    .unwrap_or_default(),
                part,
            };
            first += count;
            job.has_work().then_some(job)
        })
    }
}

/// Who runs jobs.
trait Runner<B, C> {
    fn run<'j, I: Instance + Send + 'j>(
        &self,
        jobs: impl Iterator<Item = Job<'j, I, B>>,
        shared: &Shared<'_, B, C>,
    ) where
        B: 'j;
}

/// This thread alone.
struct OneThread;

impl<B: Board, C> Runner<B, C> for OneThread {
    fn run<'j, I: Instance + Send + 'j>(
        &self,
        jobs: impl Iterator<Item = Job<'j, I, B>>,
        shared: &Shared<'_, B, C>,
    ) where
        B: 'j,
    {
        jobs.for_each(|job| job.run(shared));
    }
}

/// The threads of rayon's pool.
#[cfg(feature = "parallel")]
struct AllThreads;

#[cfg(feature = "parallel")]
impl<B: Board + Send, C: Sync> Runner<B, C> for AllThreads {
    fn run<'j, I: Instance + Send + 'j>(
        &self,
        jobs: impl Iterator<Item = Job<'j, I, B>>,
        shared: &Shared<'_, B, C>,
    ) where
        B: 'j,
    {
        rayon::in_place_scope(|scope| jobs.for_each(|job| scope.spawn(move |_| job.run(shared))));
    }
}

/// Ticks.
impl<B: Board, C> Crowd<B, C> {
    /// Runs one tick on this thread. Everybody who is awake or has events gets its turn, in order.
    ///
    /// # Panics
    ///
    /// If the crowd was given a [`Pool`](crate::commands::Pool) that is too small;
    /// [`Self::try_tick`] says so instead.
    pub fn tick(&mut self, context: &C) -> Tick {
        self.try_tick(context)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs one tick on this thread, or nothing if the pool is too small: then no agent ran and no
    /// event was delivered (CMD-2).
    pub fn try_tick(&mut self, context: &C) -> Result<Tick, PoolTooSmall> {
        let size = self.lives.len();
        self.run(size, context, &OneThread)
    }

    /// Runs one tick on all threads of rayon's pool. Every byte of every agent, all commands and
    /// all counters are those of [`Self::tick`].
    ///
    /// # Panics
    ///
    /// If the crowd was given a [`Pool`](crate::commands::Pool) that is too small;
    /// [`Self::try_tick_parallel`] says so instead.
    #[cfg(feature = "parallel")]
    pub fn tick_parallel(&mut self, context: &C) -> Tick
    where
        B: Send,
        C: Sync,
    {
        self.try_tick_parallel(context)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs one tick on all threads of rayon's pool, or nothing if the pool of pages is too small.
    /// Each part may need a page more.
    #[cfg(feature = "parallel")]
    pub fn try_tick_parallel(&mut self, context: &C) -> Result<Tick, PoolTooSmall>
    where
        B: Send,
        C: Sync,
    {
        self.run(self.part_size, context, &AllThreads)
    }

    /// Agents per piece of work of [`Self::tick_parallel`], 1,024 unless told. Changes nothing but
    /// speed.
    pub fn set_part_size(&mut self, agents: usize) {
        self.part_size = agents.max(1);
    }

    fn run(
        &mut self,
        size: usize,
        context: &C,
        runner: &impl Runner<B, C>,
    ) -> Result<Tick, PoolTooSmall> {
        let (now, size) = (self.now, size.max(1));
        let lives = &self.lives;
        self.wake.wake_due(now, |place| {
            lives.get(place).is_some_and(|life| life % 2 == 1)
        });
        self.stops.clear();
        for &place in &self.stopping {
            self.stops.push(place);
            self.wake.wake(place as usize);
        }
        self.wake.collect(&mut self.listed);
        let promised = self.promise_pages(size)?;
        // From here on the tick takes place.
        let lives = &self.lives;
        self.lost_messages += self.mail.prepare(|agent| is_alive(lives, agent));
        self.stopping.clear();
        let inbox = self.mail.deliver();
        if self.sleeps {
            // Those who have had their turn sleep unless they say otherwise.
            self.wake.put_all_to_sleep();
        } else {
            inbox
                .iter()
                .for_each(|event| self.wake.wake(event.place as usize));
        }
        // A crowd whose variants do not reach its last agents gives these the plain one.
        if !self.variants.is_empty() {
            self.variants.resize(self.lives.len(), VariantId::PLAIN);
        }
        self.parts
            .resize_with(self.lives.len().div_ceil(size), Part::default);
        let machine = self.program.machine().clone();
        let rom = machine.rom();
        let terms = Terms {
            pool: &self.pool,
            rules: &self.program.rules,
            budget: self.budget,
            tick: now,
            forgets: self.forgets,
        };
        let shared = Shared {
            program: &self.program,
            lives: &self.lives,
            base: 0,
            variants: &self.variants,
            rom: &rom,
            context,
            now: now as u32,
            mismatch: self.mismatch,
            terms,
            strict: self.strict,
            sleeps: self.sleeps,
        };
        let reasons = self.tracing.begin(&mut self.parts, &self.lives, now as u32);
        let parts = self.parts.as_mut_slice();
        with_instances!(&mut self.store, list => {
            let cut = Cut {
                instances: list.as_mut_slice(),
                boards: &mut self.boards,
                inbox: &inbox,
                listed: &self.listed,
                stops: &self.stops,
                reasons,
            };
            runner.run(cut.jobs(parts, size), &shared);
        });
        self.mail.delivered(inbox);
        self.keep_pages(promised);
        Ok(self.finish(&rom))
    }

    /// Puts together what the parts left, in their order.
    fn finish(&mut self, rom: &Rom<'_>) -> Tick {
        let mut tick = Tick {
            tick: self.now,
            ..Tick::default()
        };
        let mut counters = Counters::default();
        let mut parts = std::mem::take(&mut self.parts);
        for part in parts.iter().filter(|part| part.ran) {
            counters.add(&part.counters);
            tick.ran += part.turns;
            tick.clamped += part.clamped;
            tick.faults += part.faults.len();
            tick.panicked += part.panicked.len();
            tick.unanswered += part.unanswered.len();
            tick.dropped_commands += part.counters.commands_dropped;
            for &(place, sleep) in &part.restless {
                self.wake.settle(place as usize, sleep, self.now);
            }
            self.keep_left(
                &part.left,
                usize::from(rom.header().events_per_tick.get()),
                &mut counters,
            );
        }
        // Messages stand behind what was left over and before what the host sends (CMD-4).
        parts
            .iter()
            .filter(|part| part.ran)
            .for_each(|part| self.act_on(part, rom));
        parts.iter_mut().for_each(Part::give_back_memory);
        self.counters.add(&counters);
        self.program.machine().count(&counters);
        self.parts = parts;
        self.now += 1;
        tick
    }

    /// Events that were not taken are offered again, first: one cap's worth per agent, the newest
    /// of more are dropped (EVT-4).
    fn keep_left(&mut self, left: &[InboxEvent], cap: usize, counters: &mut Counters) {
        for own in left.chunk_by(|one, next| one.place == next.place) {
            let (kept, surplus) = own.split_at(cap.min(own.len()));
            for event in kept {
                let to = AgentId::new(event.place, self.lives[event.place as usize]);
                self.mail.send(Letter {
                    to,
                    event: event.event,
                });
            }
            for event in surplus {
                let dropped = &mut counters.dropped[usize::from(event.event.class.min(3))];
                *dropped = dropped.wrapping_add(1);
            }
        }
    }
}
