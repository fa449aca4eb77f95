//! Looking at a crowd.

use statewright_kernel::{self as kernel, Counters, Instance, flag};

use super::instances::with_instances;
use super::{Crowd, LookError, Missing};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;
use crate::handle::{ChannelHandle, StateHandle, WrongHandle};
use crate::machine::Machine;
use crate::program::Program;
use crate::slices::channels;

/// Looking.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// The machine.
    pub fn machine(&self) -> &Machine {
        self.program.machine()
    }

    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.agents.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many agents will be ticked next, besides those that are sent something.
    pub fn awake(&self) -> usize {
        self.schedule.awake()
    }

    /// The next tick.
    pub fn now(&self) -> u64 {
        self.schedule.now
    }

    /// What happened since the crowd began or [`Self::reset_counters`].
    pub fn counters(&self) -> &Counters {
        &self.totals.counters
    }

    /// Events for agents that were gone when they should have arrived.
    pub fn lost_messages(&self) -> u64 {
        self.totals.lost_messages
    }

    /// All agents, by index.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.agents.ids()
    }

    /// Who is at an index, if anybody.
    pub fn agent_at(&self, index: u32) -> Option<AgentId> {
        let generation = self.agents.generations.get(index as usize)?;
        (generation % 2 == 1).then(|| self.agents.roster().at(index as usize))
    }

    /// Is there such an agent?
    pub fn contains(&self, agent: AgentId) -> bool {
        self.agents.index(agent).is_ok()
    }

    /// Its blackboard.
    pub fn board(&self, agent: AgentId) -> Result<&B, Missing> {
        Ok(&self.agents.boards[self.agents.index(agent)?])
    }

    /// Its active leaves.
    pub fn leaves(&self, agent: AgentId) -> Result<Vec<StateHandle>, Missing> {
        let (index, machine) = (self.agents.index(agent)?, self.machine());
        Ok(
            with_instances!(&self.agents.instances, list => machine.leaves_of(&list[index]).collect()),
        )
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
    pub fn is_in(&self, agent: AgentId, state: StateHandle) -> Result<bool, LookError> {
        let (index, machine) = (self.agents.index(agent)?, self.machine());
        Ok(with_instances!(&self.agents.instances, list => machine.is_in(&list[index], state)?))
    }

    /// How many agents are in each leaf, by number of the state; 0 for states that are no leaves.
    pub fn population(&self) -> Vec<u64> {
        let mut counts = vec![0; self.machine().rom().states().len()];
        with_instances!(&self.agents.instances, list => {
            // No state has the number that stands for none.
            for leaf in self.agents.present(list).flat_map(Instance::raw_leaves) {
                if let Some(count) = counts.get_mut(usize::from(leaf.get())) {
                    *count += 1;
                }
            }
        });
        counts
    }

    /// How many agents have ended, by themselves or by a fault, and are still there.
    pub fn ended(&self) -> usize {
        let has_ended = |flags: u16| flags & flag::ENDED != 0;
        with_instances!(&self.agents.instances, list => {
            let flags = self.agents.present(list).map(|one| one.header().flags.get());
            flags.filter(|&flags| has_ended(flags)).count()
        })
    }

    /// The machine bound to its functions.
    pub fn program(&self) -> &Program<B, C> {
        &self.program
    }

    /// All agents in a state.
    pub fn all_in(&self, state: StateHandle) -> Result<Vec<AgentId>, WrongHandle> {
        let (rom, state) = (self.machine().rom(), self.machine().resolve(state)?);
        let is_in = |agent: &AgentId| {
            let index = agent.index() as usize;
            with_instances!(&self.agents.instances, list => kernel::is_active(&rom, &list[index], state))
        };
        Ok(self.agents().filter(is_in).collect())
    }

    /// Ticks since an agent entered a state; `None` if the state has no clock.
    pub fn ticks_in_state(
        &self,
        agent: AgentId,
        state: StateHandle,
    ) -> Result<Option<u32>, LookError> {
        let (index, machine, now) = (self.agents.index(agent)?, self.machine(), self.schedule.now);
        Ok(
            with_instances!(&self.agents.instances, list => machine.ticks_in_state(&list[index], state, now)?),
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
    ) -> Result<impl Iterator<Item = ChannelHandle> + use<'_, B, C>, Missing> {
        let (index, machine) = (self.agents.index(agent)?, self.machine());
        let rom = machine.rom();
        let held = with_instances!(&self.agents.instances, list => kernel::held_channels(&rom, &list[index]));
        Ok(channels(machine, held))
    }

    /// What the kernel marked an agent with ([`flag`]): dropped commands, a full queue, a clamped
    /// tick.
    pub fn flags(&self, agent: AgentId) -> Result<u16, Missing> {
        Ok(self.agents.flags(self.agents.index(agent)?))
    }

    /// Has an agent ended, by itself or by a fault?
    pub fn has_ended(&self, agent: AgentId) -> Result<bool, Missing> {
        Ok(self.flags(agent)? & flag::ENDED != 0)
    }
}
