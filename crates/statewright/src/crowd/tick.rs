//! One tick of a crowd: its parts become slices for the pipeline, and what comes back goes to them.

use statewright_kernel::InboxEvent;
use statewright_rom::Rom;

use super::Crowd;
use super::agents::is_alive;
use super::instances::with_instances;
use super::mailbox::Envelope;
use crate::board::Board;
use crate::commands::{CommandLimits, PoolTooSmall};
use crate::parameters;
#[cfg(feature = "parallel")]
use crate::pipeline::RayonPool;
use crate::pipeline::{
    AgentIds, AgentSlices, Here, Runner, Spread, TickEnv, Workers, pages_needed,
};
use crate::value::AgentId;

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
    /// Agents that a call of a missing function ended; [`Crowd::unbound_calls`] lists them.
    pub unbound_calls: usize,
    /// Commands that found no room in the budgets of their agents (CMD-2).
    pub dropped_commands: u64,
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
    pub fn tick_on(&mut self, workers: &impl Workers, context: &C) -> Tick
    where
        B: Send,
        C: Sync,
    {
        self.try_tick_on(workers, context)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs one tick on the threads of a pool of the host's choice, or nothing if the pool of pages
    /// is too small. Each chunk may need a page more.
    pub fn try_tick_on(&mut self, workers: &impl Workers, context: &C) -> Result<Tick, PoolTooSmall>
    where
        B: Send,
        C: Sync,
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
    pub fn tick_parallel(&mut self, context: &C) -> Tick
    where
        B: Send,
        C: Sync,
    {
        self.tick_on(&RayonPool, context)
    }

    /// Runs one tick on all threads of rayon's pool, or nothing if the pool of pages is too small:
    /// [`Self::try_tick_on`] with [`RayonPool`].
    #[cfg(feature = "parallel")]
    pub fn try_tick_parallel(&mut self, context: &C) -> Result<Tick, PoolTooSmall>
    where
        B: Send,
        C: Sync,
    {
        self.try_tick_on(&RayonPool, context)
    }
}

/// The phases.
impl<B: Board, C> Crowd<B, C> {
    /// One tick in chunks of so many agents.
    fn run(
        &mut self,
        size: usize,
        context: &C,
        runner: &impl Runner<B, C>,
    ) -> Result<Tick, PoolTooSmall> {
        let size = size.max(1);
        let machine = self.program.machine().clone();
        let parameters = self.parameters.values().cloned();
        let rom = parameters::view(&machine, parameters.as_deref())
            .quarantining_overflow(self.settings.quarantine_overflow);
        self.schedule.list_turns();
        let promised = self.promise_pages(size, self.settings.budget_for(&rom))?;
        // From here on the tick takes place.
        let inbox = self.open_mailbox();
        self.schedule.begin_tick(self.settings.sleeping, &inbox);
        self.agents.complete_variants();
        self.last.resize(self.agents.slots().div_ceil(size));
        self.run_agents(size, &inbox, &rom, context, runner);
        self.mailbox.delivered(inbox);
        self.pages.keep(promised, &self.last);
        Ok(self.finish(&rom))
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
        let most = schedule.turns.len() + mailbox.envelopes().len();
        let chunks = agents.slots().div_ceil(size);
        pages.promise(last, budget, (most, chunks), |per_page| {
            // A copy, because a tick that is refused changes nothing.
            let mut mailbox = mailbox.clone();
            mailbox.prepare(|agent| is_alive(&agents.generations, agent));
            pages_needed(&schedule.turns, mailbox.inbox(), size, per_page)
        })
    }

    /// Events for those who are still there, in the order of agents.
    fn open_mailbox(&mut self) -> Vec<InboxEvent> {
        let generations = &self.agents.generations;
        let lost = self.mailbox.prepare(|agent| is_alive(generations, agent));
        self.totals.lost_messages += lost;
        self.mailbox.deliver()
    }

    /// Everybody who has a turn has it.
    fn run_agents(
        &mut self,
        size: usize,
        inbox: &[InboxEvent],
        rom: &Rom<'_>,
        context: &C,
        runner: &impl Runner<B, C>,
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
            ..
        } = self;
        let now = schedule.now as u32;
        let ids = AgentIds::Generations(&agents.generations);
        let env = TickEnv {
            program,
            rom,
            context,
            ids,
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
        };
        let reasons = tracing.begin(last, ids, agents.generations.len(), now);
        with_instances!(&mut agents.instances, list => {
            let slices = AgentSlices {
                instances: list.as_mut_slice(),
                boards: &mut agents.boards,
                inbox,
                awake: Some(&schedule.turns),
                stops: &schedule.stops,
                reasons,
            };
            slices.run(size, &env, last, runner);
        });
    }

    /// Puts together what the chunks left, in their order.
    fn finish(&mut self, rom: &Rom<'_>) -> Tick {
        let counters = self.last.counters();
        let tick = Tick {
            tick: self.schedule.now,
            ran: self.last.turns(),
            clamped: self.last.clamped(),
            faults: self.last.faults().count(),
            panicked: self.last.panicked().count(),
            unbound_calls: self.last.unbound_calls().count(),
            dropped_commands: counters.commands_dropped,
        };
        self.schedule.end_tick(self.last.awake_next());
        for left in self.last.left() {
            let generation = self.agents.generations[left.place as usize];
            let to = AgentId::new(left.place, generation);
            let event = left.event;
            self.mailbox.send(Envelope { to, event });
        }
        // Messages stand behind what was left over and before what the host sends (CMD-4).
        for message in self.last.messages(self.program.machine(), rom) {
            self.mailbox.send_unchecked(message);
        }
        if self.measured.timing.is_some() {
            self.last.add_times(&mut self.measured.times);
        }
        self.last.give_back_memory();
        self.totals.counters.add(&counters);
        self.program.machine().count(&counters);
        tick
    }
}
