//! A crowd: many agents of one machine, with their blackboards (SYS-1, SYS-2).

mod dense;
mod life;
mod mail;
mod output;
mod part;
mod run;
mod snapshot;
pub(crate) mod store;
mod trace;
mod wake;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use statewright_kernel::{self as kernel, Class, Counters, Event, Fault, Mismatch, Sleep, flag};
use statewright_rom::ids::*;
use statewright_rom::layout::policy;

use crate::board::Board;
use crate::commands::Pool;
use crate::machine::Machine;
use crate::program::Program;
use crate::value::{AgentId, Payload};
use mail::{Letter, Mail};
use part::Part;
use store::{Store, with_instances};
use trace::Tracing;
use wake::Wake;

pub use dense::{Slices, SlicesError, SlicesOutput};
pub use life::SpawnError;
pub use output::{LaneCommands, WrongBudget};
pub use run::Tick;
pub use snapshot::{Saved, SnapshotError};

/// The handle of an agent that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(pub AgentId);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not in the crowd: it was despawned, or belongs to another crowd",
            self.0
        )
    }
}

impl std::error::Error for Missing {}

/// Many agents of one machine. Those that have nothing to do cost nothing.
pub struct Crowd<B, C> {
    program: Arc<Program<B, C>>,
    store: Store,
    /// One per place; that of a place without agent is a leftover.
    boards: Vec<B>,
    /// How many agents began and ended at a place: odd while there is one.
    lives: Vec<u32>,
    /// Places without agent; the last is used first.
    free: Vec<u32>,
    /// One per place, if any agent has one.
    variants: Vec<VariantId>,
    /// Places of agents whose exits run in the next tick.
    stopping: BTreeSet<u32>,
    seed: u64,
    spawned: u64,
    /// The next tick. Agents see its low half.
    now: u64,
    wake: Wake,
    mail: Mail,
    parts: Vec<Part>,
    /// Agents per part when several threads work.
    part_size: usize,
    counters: Counters,
    lost_messages: u64,
    mismatch: Mismatch,
    pool: Arc<Pool>,
    /// The pool is the crowd's own and as large as it needs.
    grows: bool,
    /// Bytes of commands per agent and tick (CMD-2).
    budget: usize,
    /// Nobody reads commands.
    forgets: bool,
    /// Writes of the machine file wait for the end of the tick (CODE-5).
    strict: bool,
    sleeps: bool,
    /// Kept for their memory.
    listed: Vec<u32>,
    stops: Vec<u32>,
    tracing: Tracing,
}

impl<B, C> fmt::Debug for Crowd<B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crowd")
            .field("machine", &self.program.machine().name())
            .field("agents", &(self.lives.len() - self.free.len()))
            .field("awake", &self.wake.count())
            .field("tick", &self.now)
            .finish_non_exhaustive()
    }
}

/// The whole crowd.
impl<B: Board, C> Crowd<B, C> {
    /// An empty crowd. All randomness comes from the seed.
    pub fn new(program: impl Into<Arc<Program<B, C>>>, seed: u64) -> Self {
        let program = program.into();
        let (store, budget, strict) = {
            let rom = program.machine().rom();
            let budget = usize::from(rom.header().command_bytes.get());
            (
                Store::new(&rom),
                budget,
                rom.header().policies & policy::STRICT_WRITES != 0,
            )
        };
        Self {
            program,
            store,
            boards: Vec::new(),
            lives: Vec::new(),
            free: Vec::new(),
            variants: Vec::new(),
            stopping: BTreeSet::new(),
            seed,
            spawned: 0,
            now: 0,
            wake: Wake::default(),
            mail: Mail::default(),
            parts: Vec::new(),
            part_size: 1024,
            counters: Counters::default(),
            lost_messages: 0,
            mismatch: Mismatch::default(),
            pool: Arc::default(),
            grows: true,
            budget,
            forgets: false,
            strict,
            sleeps: true,
            listed: Vec::new(),
            stops: Vec::new(),
            tracing: Tracing::default(),
        }
    }

    /// The same with another first tick than 0, for a crowd that joins a world under way.
    ///
    /// # Panics
    ///
    /// If the crowd has agents: their clocks and timers know the time. If the tick is above 2^62:
    /// time would come to an end.
    #[must_use]
    pub fn starting_at(mut self, tick: u64) -> Self {
        assert!(
            self.lives.is_empty(),
            "a crowd with agents cannot change its time"
        );
        assert!(
            tick <= snapshot::MANY / 2,
            "the first tick of a crowd is at most 2^62"
        );
        self.now = tick;
        self
    }

    /// Whether agents that have nothing to do sleep, as they do unless told. Changes nothing but
    /// speed.
    pub fn set_sleeping(&mut self, sleeps: bool) {
        self.sleeps = sleeps;
        self.wake_by_state();
    }

    /// Finds out anew who is awake: that follows from the agents.
    fn wake_by_state(&mut self) {
        self.wake.clear();
        let rom = self.program.machine().rom();
        let last = self.now.wrapping_sub(1);
        for (place, _) in self
            .lives
            .iter()
            .enumerate()
            .filter(|(_, life)| *life % 2 == 1)
        {
            let instances = &self.store;
            // Whoever polls gets a turn: a blackboard may have been written since the last one.
            let sleep =
                with_instances!(instances, list => kernel::sleep(&rom, &list[place], last as u32));
            self.wake
                .settle(place, if self.sleeps { sleep } else { Sleep::Awake }, last);
        }
        self.stopping
            .iter()
            .for_each(|&place| self.wake.wake(place as usize));
    }

    /// What happens to agents of another machine, which only a snapshot of other bytes could bring.
    pub fn set_mismatch(&mut self, mismatch: Mismatch) {
        self.mismatch = mismatch;
    }

    /// Makes room for more agents at once.
    pub fn reserve(&mut self, more: usize) {
        self.store.reserve(more);
        self.boards.reserve(more);
        self.lives.reserve(more);
    }
}

/// Sending.
impl<B: Board, C> Crowd<B, C> {
    /// Sends an event: the agent has it in its next tick. Its class is that of its type.
    #[inline]
    pub fn send(
        &mut self,
        agent: AgentId,
        event: EventId,
        payload: impl Payload,
    ) -> Result<(), Missing> {
        let class = self.program.machine().event_class(event);
        self.send_as(agent, event, class, payload)
    }

    /// Sends an event in a class of its own.
    #[inline]
    pub fn send_as(
        &mut self,
        agent: AgentId,
        event: EventId,
        class: Class,
        payload: impl Payload,
    ) -> Result<(), Missing> {
        let place = self.place(agent)?;
        // Its turn comes soon: memory is slow, and there is other work meanwhile.
        self.store.fetch(place);
        self.mail.send(Letter {
            to: agent,
            event: Event::new(event, class).with_words(payload.words()),
        });
        Ok(())
    }

    /// Sends an event to every agent.
    pub fn broadcast(&mut self, event: EventId, payload: impl Payload) {
        let event = Event::new(event, self.program.machine().event_class(event))
            .with_words(payload.words());
        for to in agents(&self.lives) {
            self.mail.send(Letter { to, event });
        }
    }
}

/// Is there such an agent?
#[inline]
fn is_alive(lives: &[u32], agent: AgentId) -> bool {
    agent.generation() % 2 == 1 && lives.get(agent.index() as usize) == Some(&agent.generation())
}

/// All agents, by place.
fn agents(lives: &[u32]) -> impl Iterator<Item = AgentId> + '_ {
    (0_u32..)
        .zip(lives)
        .filter(|(_, life)| *life % 2 == 1)
        .map(|(place, &life)| AgentId::new(place, life))
}

/// Looking.
impl<B: Board, C> Crowd<B, C> {
    /// The machine.
    pub fn machine(&self) -> &Machine {
        self.program.machine()
    }

    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.lives.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many agents will be ticked next, besides those that are sent something.
    pub fn awake(&self) -> usize {
        self.wake.count()
    }

    /// The next tick.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// What happened since the crowd began or [`Self::reset_counters`].
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Events for agents that were gone when they should have arrived.
    pub fn lost_messages(&self) -> u64 {
        self.lost_messages
    }

    /// Counts from zero again.
    pub fn reset_counters(&mut self) {
        self.counters = Counters::default();
        self.lost_messages = 0;
    }

    /// All agents, by place.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> + '_ {
        agents(&self.lives)
    }

    /// Is there such an agent?
    pub fn contains(&self, agent: AgentId) -> bool {
        self.place(agent).is_ok()
    }

    /// Its blackboard.
    pub fn board(&self, agent: AgentId) -> Result<&B, Missing> {
        Ok(&self.boards[self.place(agent)?])
    }

    /// Its blackboard, to be changed: wakes the agent. Whoever puts another one in its place must
    /// take one of the same machine, as for [`Self::spawn`]: nobody looks.
    pub fn board_mut(&mut self, agent: AgentId) -> Result<&mut B, Missing> {
        let place = self.place(agent)?;
        self.wake.wake(place);
        Ok(&mut self.boards[place])
    }

    /// Its active leaves.
    pub fn leaves(&self, agent: AgentId) -> Result<Vec<StateId>, Missing> {
        let place = self.place(agent)?;
        Ok(with_instances!(&self.store, list => kernel::active_leaves(&list[place]).collect()))
    }

    /// The paths of its active leaves, for people.
    pub fn path(&self, agent: AgentId) -> Result<String, Missing> {
        let leaves = self.leaves(agent)?;
        let names: Vec<&str> = leaves
            .into_iter()
            .map(|leaf| self.machine().state_name(leaf))
            .collect();
        Ok(names.join(" + "))
    }

    /// Is a state of an agent active?
    pub fn is_in(&self, agent: AgentId, state: StateId) -> Result<bool, Missing> {
        let (place, rom) = (self.place(agent)?, self.machine().rom());
        Ok(with_instances!(&self.store, list => kernel::is_active(&rom, &list[place], state)))
    }

    /// How many agents are in each leaf, by number of the state; 0 for states that are no leaves.
    pub fn population(&self) -> Vec<u64> {
        let mut counts = vec![0; self.machine().rom().states().len()];
        for agent in self.agents() {
            with_instances!(&self.store, list => {
                for leaf in kernel::active_leaves(&list[agent.index() as usize]) {
                    if let Some(count) = counts.get_mut(leaf.index()) {
                        *count += 1;
                    }
                }
            });
        }
        counts
    }

    /// The machine bound to its functions.
    pub fn program(&self) -> &Program<B, C> {
        &self.program
    }

    /// All agents in a state.
    pub fn all_in(&self, state: StateId) -> Vec<AgentId> {
        let rom = self.machine().rom();
        let is_in = |agent: &AgentId| {
            let place = agent.index() as usize;
            with_instances!(&self.store, list => kernel::is_active(&rom, &list[place], state))
        };
        self.agents().filter(is_in).collect()
    }

    /// Ticks since an agent entered a state; `None` if the state has no clock.
    pub fn ticks_in_state(&self, agent: AgentId, state: StateId) -> Result<Option<u32>, Missing> {
        let (place, rom, now) = (self.place(agent)?, self.machine().rom(), self.now as u32);
        Ok(
            with_instances!(&self.store, list => kernel::ticks_in_state(&rom, &list[place], state, now)),
        )
    }

    /// Channels that its active states own, by number (CODE-7). Exits release what they own by
    /// commands; despawn and reset run no exits, so that the host asks here, before, what it
    /// has to release itself. A quarantined agent holds none any more.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::build("Walker", |m| {
    ///     m.channel("legs");
    ///     m.state("walk", |s| {
    ///         s.owns("legs");
    ///     });
    /// })?;
    /// let mut crowd = Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1);
    /// let agent = crowd.spawn(());
    /// crowd.tick(&());
    ///
    /// let held: Vec<&str> = crowd.held_channels(agent)?.map(|channel| machine.channel_name(channel)).collect();
    /// assert_eq!(held, ["legs"]);
    /// crowd.despawn(agent)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn held_channels(
        &self,
        agent: AgentId,
    ) -> Result<impl Iterator<Item = ChannelId> + use<B, C>, Missing> {
        let (place, rom) = (self.place(agent)?, self.machine().rom());
        let held = with_instances!(&self.store, list => kernel::held_channels(&rom, &list[place]));
        Ok((0..u32::BITS as usize)
            .filter(move |bit| held >> bit & 1 != 0)
            .filter_map(ChannelId::from_index))
    }

    /// What the kernel marked an agent with ([`flag`]): dropped commands, a full queue, a clamped
    /// tick.
    pub fn flags(&self, agent: AgentId) -> Result<u16, Missing> {
        let place = self.place(agent)?;
        Ok(with_instances!(&self.store, list => kernel::Instance::header(&list[place]).flags.get()))
    }

    /// Clears the marks that stay until the host has seen them (SYS-2). An agent that was clamped
    /// sleeps again afterwards.
    pub fn clear_flags(&mut self, agent: AgentId) -> Result<(), Missing> {
        let place = self.place(agent)?;
        with_instances!(&mut self.store, list => {
            let flags = &mut kernel::Instance::header_mut(&mut list[place]).flags;
            flags.set(flags.get() & !flag::STICKY);
        });
        Ok(())
    }

    /// Has an agent ended, by itself or by a fault?
    pub fn has_ended(&self, agent: AgentId) -> Result<bool, Missing> {
        let place = self.place(agent)?;
        Ok(
            with_instances!(&self.store, list => kernel::Instance::header(&list[place]).flags.get() & flag::ENDED != 0),
        )
    }

    /// Agents that a fault ended in the last tick.
    pub fn faults(&self) -> impl Iterator<Item = (AgentId, Fault)> + '_ {
        self.ran().flat_map(|part| part.faults.iter().copied())
    }

    /// Agents that a panic in user code ended in the last tick.
    pub fn panicked(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.ran().flat_map(|part| part.panicked.iter().copied())
    }

    /// Agents that a call of a missing function ended in the last tick, and the function. There are
    /// none unless the machine was bound with [`Machine::bind_for_development`].
    pub fn unanswered(&self) -> impl Iterator<Item = (AgentId, FunctionId)> + '_ {
        self.ran().flat_map(|part| part.unanswered.iter().copied())
    }

    /// Parts that had something to do in the last tick.
    fn ran(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.ran)
    }

    #[inline]
    fn place(&self, agent: AgentId) -> Result<usize, Missing> {
        if is_alive(&self.lives, agent) {
            Ok(agent.index() as usize)
        } else {
            Err(Missing(agent))
        }
    }
}
