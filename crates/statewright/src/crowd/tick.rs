//! One tick of a crowd: its parts become slices for the pipeline, and what comes back goes to them.

use statewright_kernel::InboxEvent;
use statewright_rom::Rom;
use statewright_trace::Filter;

use super::instances::with_instances;
use super::mailbox::{Envelope, Message};
use super::{Crowd, Input, Roster};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::commands::{CommandLimits, PoolTooSmall};
use crate::context::Context;
use crate::parameters;
#[cfg(feature = "parallel")]
use crate::pipeline::RayonPool;
use crate::pipeline::{
    AgentIds, AgentSlices, Here, Runner, Segment, Spread, TickEnv, Workers, pages_needed,
};

/// What one tick came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// The tick.
    pub tick: u64,
    /// Agents that something happened to.
    pub ran: usize,
    /// Agents that reached a cap (TICK-4); [`Crowd::clamped`] lists them.
    pub clamped: u32,
    /// Agents that a fault ended; [`Crowd::faults`] lists them.
    pub faults: usize,
    /// Agents that a panic in user code ended; [`Crowd::panicked`] lists them.
    pub panicked: usize,
    /// Agents that a call of a missing function ended; [`Crowd::unbound_calls`] lists them.
    pub unbound_calls: usize,
    /// Commands that found no room in the budgets of their agents (CMD-2).
    pub dropped_commands: u64,
}

/// Ticks.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Runs one tick on this thread. Everybody who is awake or has events gets its turn, in order.
    ///
    /// # Panics
    ///
    /// If the crowd was given a [`Pool`](crate::commands::Pool) that is too small;
    /// [`Self::try_tick`] says so instead.
    pub fn tick(&mut self, context: &C::Of<'_>) -> Tick {
        self.try_tick(context)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs one tick on this thread, or nothing if the pool is too small: then no agent ran and no
    /// event was delivered (CMD-2).
    pub fn try_tick(&mut self, context: &C::Of<'_>) -> Result<Tick, PoolTooSmall> {
        let size = self.agents.slots();
        self.run(size, context, &Here)
    }

    /// Runs one tick on the threads of a pool of the host's choice. Every byte of every agent, all
    /// commands and all counters are those of [`Self::tick`].
    ///
    /// # Panics
    ///
    /// If the crowd was given a [`Pool`](crate::commands::Pool) that is too small;
    /// [`Self::try_tick_on`] says so instead.
    pub fn tick_on<'w>(&mut self, workers: &impl Workers, context: &C::Of<'w>) -> Tick
    where
        B: Send,
        C::Of<'w>: Sync,
    {
        self.try_tick_on(workers, context)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs one tick on the threads of a pool of the host's choice, or nothing if the pool of pages
    /// is too small. Each chunk may need a page more.
    pub fn try_tick_on<'w>(
        &mut self,
        workers: &impl Workers,
        context: &C::Of<'w>,
    ) -> Result<Tick, PoolTooSmall>
    where
        B: Send,
        C::Of<'w>: Sync,
    {
        self.run(self.settings.chunk_size, context, &Spread(workers))
    }

    /// Runs one tick on all threads of rayon's pool: [`Self::tick_on`] with [`RayonPool`].
    ///
    /// # Panics
    ///
    /// If the crowd was given a [`Pool`](crate::commands::Pool) that is too small;
    /// [`Self::try_tick_parallel`] says so instead.
    #[cfg(feature = "parallel")]
    pub fn tick_parallel<'w>(&mut self, context: &C::Of<'w>) -> Tick
    where
        B: Send,
        C::Of<'w>: Sync,
    {
        self.tick_on(&RayonPool, context)
    }

    /// Runs one tick on all threads of rayon's pool, or nothing if the pool of pages is too small:
    /// [`Self::try_tick_on`] with [`RayonPool`].
    #[cfg(feature = "parallel")]
    pub fn try_tick_parallel<'w>(&mut self, context: &C::Of<'w>) -> Result<Tick, PoolTooSmall>
    where
        B: Send,
        C::Of<'w>: Sync,
    {
        self.try_tick_on(&RayonPool, context)
    }
}

/// The phases.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// One tick in chunks of so many agents.
    fn run<'w>(
        &mut self,
        size: usize,
        context: &C::Of<'w>,
        runner: &impl Runner<B, C::Of<'w>>,
    ) -> Result<Tick, PoolTooSmall> {
        let promised = self.prepare_tick(size)?;
        Ok(self.run_prepared((size, promised), context, runner, None))
    }

    /// Everything that can refuse a tick in chunks of so many agents. Pages that are set aside for
    /// it. Commands of the last tick end.
    fn prepare_tick(&mut self, size: usize) -> Result<usize, PoolTooSmall> {
        let budget = self.settings.budget.unwrap_or(self.command_bytes);
        self.schedule.list_turns();
        self.promise_pages(size.max(1), budget)
    }

    /// The tick takes place. Messages go to the mailbox of this crowd, or are given to whoever knows
    /// other crowds as well.
    fn run_prepared<'w>(
        &mut self,
        (size, promised): (usize, usize),
        context: &C::Of<'w>,
        runner: &impl Runner<B, C::Of<'w>>,
        messages: Option<&mut Vec<Message>>,
    ) -> Tick {
        let size = size.max(1);
        if self.watch.is_some() {
            self.tell_sent();
        }
        let machine = self.program.machine().clone();
        let parameters = self.parameters.values().cloned();
        let rom = parameters::view(&machine, parameters.as_deref())
            .quarantining_overflow(self.settings.quarantine_overflow);
        let inbox = self.open_mailbox();
        self.schedule.begin_tick(self.settings.sleeping, &inbox);
        self.keep_turns(&inbox);
        self.pay_turns(&rom);
        self.agents.complete_variants();
        self.last.resize(self.agents.slots().div_ceil(size));
        self.run_agents(size, &inbox, &rom, context, runner);
        self.note_turns(&inbox);
        self.mailbox.delivered(inbox);
        self.pages.keep(promised, &self.last);
        let in_world = messages.is_some();
        self.ticked_apart = in_world || self.is_apart;
        let mut own = self.messages_to_tell(in_world);
        let tick = self.finish(&rom, messages.or(own.as_mut()));
        if self.watch.is_some() {
            self.pass_over_mailbox();
            // In a world messages are delivered after it.
            if !in_world && own.is_none() {
                self.begin_frame();
            }
            self.tell_tick(&tick);
        }
        if let Some(own) = own {
            self.deliver_told(own);
            self.begin_frame();
        }
        tick
    }

    /// Pages for all that may run now are set aside, and commands of the last tick end. How many
    /// pages. If there are too few, nothing changes.
    fn promise_pages(&mut self, size: usize, budget: usize) -> Result<usize, PoolTooSmall> {
        let Self {
            agents,
            schedule,
            mailbox,
            pages,
            last,
            ..
        } = self;
        let most = schedule.turns.len() + mailbox.len();
        let chunks = agents.slots().div_ceil(size);
        pages.promise(last, budget, (most, chunks), |per_page| {
            // A copy, because a tick that is refused changes nothing.
            let mut mailbox = mailbox.clone();
            mailbox.prepare(agents.roster());
            let chunk_of = |index: u32| index as usize / size;
            pages_needed(&schedule.turns, mailbox.inbox(), chunk_of, per_page)
        })
    }

    /// Events for those who are still there, in the order of agents.
    fn open_mailbox(&mut self) -> Vec<InboxEvent> {
        let lost = self.mailbox.prepare(self.agents.roster());
        self.totals.lost_messages += lost;
        self.mailbox.deliver()
    }

    /// Everybody who has a turn has it.
    fn run_agents<'w>(
        &mut self,
        size: usize,
        inbox: &[InboxEvent],
        rom: &Rom<'_>,
        context: &C::Of<'w>,
        runner: &impl Runner<B, C::Of<'w>>,
    ) {
        let Self {
            program,
            agents,
            schedule,
            pages,
            settings,
            tracing,
            measured,
            last,
            watch,
            ..
        } = self;
        let now = schedule.now as u32;
        let ids = AgentIds::Crowd(Roster::new(agents.number, &agents.generations));
        let filter = tracing.filter().cloned();
        // Here an agent's index is its number in traces.
        let traced = filter.as_deref().and_then(Filter::chosen);
        let env = TickEnv {
            table: program.table.for_tick(),
            sleepers: &program.sleepers,
            machine: program.machine(),
            rom,
            context,
            variants: &agents.variants,
            now,
            mismatch: settings.mismatch,
            limits: CommandLimits {
                pool: pages.pool(),
                rules: &program.rules,
                budget: settings.budget_for(rom),
                tick: schedule.now,
                forgets: settings.forgets_commands,
            },
            strict: settings.is_strict_for(rom),
            sleeping: settings.sleeping,
            timing: measured.timing.as_ref(),
            sealed: watch.as_ref().and_then(|watch| watch.sealed.as_ref()),
            traced,
            lists_changed: false,
        };
        let slots = agents.generations.len();
        let all_ids = (0..slots).map(|index| ids.at(index));
        let reasons = tracing.begin(last, all_ids, (slots, traced), now);
        with_instances!(&mut agents.instances, list => {
            let slices = AgentSlices {
                segments: &mut [Segment {
                    instances: list.as_mut_slice(),
                    boards: &mut agents.boards,
                    agents: &[],
                }],
                ids: Some(ids),
                inbox,
                awake: Some(&schedule.turns),
                stops: &schedule.stops,
                reasons,
            };
            slices.run(size, &env, last, runner);
        });
    }

    /// Puts together what the chunks left, in their order.
    fn finish(&mut self, rom: &Rom<'_>, out: Option<&mut Vec<Message>>) -> Tick {
        let counters = self.last.counters();
        let tick = Tick {
            tick: self.schedule.now,
            ran: self.last.turns(),
            clamped: self.last.clamped().count() as u32,
            faults: self.last.faults().count(),
            panicked: self.last.panicked().count(),
            unbound_calls: self.last.unbound_calls().count(),
            dropped_commands: counters.commands_dropped,
        };
        self.schedule.end_tick(self.last.awake_next());
        for left in self.last.left() {
            let to = self.agents.roster().at(left.place as usize);
            let event = left.event;
            self.mailbox.send(Envelope { to, event });
        }
        // Messages stand behind what was left over and before what the host sends (CMD-4).
        let messages = self.last.messages(self.program.machine(), rom);
        if let Some(out) = out {
            out.extend(messages);
        } else {
            for message in messages {
                if self.is_apart {
                    break;
                }
                let Message { envelope, .. } = message;
                if envelope.to.crowd() == self.agents.number {
                    self.mailbox.send_unchecked(envelope, self.agents.roster());
                } else {
                    self.totals.lost_messages += 1;
                }
            }
        }
        self.measured.add(&self.last);
        for panicked in self.last.panicked() {
            self.panics.remember(panicked);
        }
        self.last.give_back_memory();
        self.totals.counters.add(&counters);
        self.program.machine().count(&counters);
        tick
    }
}

/// As one of the crowds of a world.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// The next tick of the world, if the crowd has none of its own yet: it has no agents.
    pub(crate) fn take_time(&mut self, now: u64) -> bool {
        let can = self.can_start_at(now);
        if can {
            self.enter(Input::StartAt(now));
        }
        can
    }

    /// Agents per chunk: all of them on one thread.
    fn chunk_size(&self, spread: bool) -> usize {
        if spread {
            self.settings.chunk_size
        } else {
            self.agents.slots()
        }
    }

    /// Sets aside the pages of a tick, on the host's threads or on this one. How many.
    pub(crate) fn prepare_world_tick(&mut self, spread: bool) -> Result<usize, PoolTooSmall> {
        self.prepare_tick(self.chunk_size(spread))
    }

    /// There will be no such tick: pages that were set aside for it are free again.
    pub(crate) fn abandon_tick(&mut self, promised: usize) {
        self.last.clear_commands();
        self.pages.keep(promised, &self.last);
    }

    /// A prepared tick on this thread.
    pub(crate) fn tick_in_world(
        &mut self,
        promised: usize,
        context: &C::Of<'_>,
        messages: &mut Vec<Message>,
    ) -> Tick {
        let size = self.chunk_size(false);
        self.run_prepared((size, promised), context, &Here, Some(messages))
    }

    /// A prepared tick on the threads of somebody.
    pub(crate) fn tick_in_world_on<'w>(
        &mut self,
        promised: usize,
        workers: &impl Workers,
        context: &C::Of<'w>,
        messages: &mut Vec<Message>,
    ) -> Tick
    where
        B: Send,
        C::Of<'w>: Sync,
    {
        let (size, runner) = (self.chunk_size(true), Spread(workers));
        self.run_prepared((size, promised), context, &runner, Some(messages))
    }

    /// A message for an agent of this crowd, who may be gone; from whom, if straight from an agent of this
    /// crowd.
    pub(crate) fn deliver_message(&mut self, envelope: Envelope, from: Option<AgentId>) {
        if self.watch.is_some() {
            self.tell_sent();
            self.tell_message(&envelope, from);
        }
        self.mailbox.send_unchecked(envelope, self.agents.roster());
        self.pass_over_mailbox();
    }
}
