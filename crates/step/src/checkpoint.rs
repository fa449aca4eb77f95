//! One point of a session's history: the agent's bytes, its blackboard, the tick, and what
//! functions answer.

use std::sync::Arc;

use statewright::{Blackboard, Board};
use statewright_kernel::{
    Admission, AnyInstance, Counters, Event, Fault, Host, Input, Report, Wait, flag, on_tier,
};
use statewright_rom::Rom;
use statewright_rom::ids::*;

use crate::record::{AgentState, Step};
use crate::stubs::Stubs;

/// The agent: an instance of its machine's tier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agent(AnyInstance);

impl Agent {
    pub(crate) fn new(rom: &Rom<'_>, seed: u64) -> Self {
        Self(AnyInstance::new(rom, seed, 0))
    }

    /// Bytes of an instance of this tier; none if there are more or fewer.
    pub(crate) fn with_bytes(self, bytes: &[u8]) -> Option<Self> {
        self.0.with_bytes(bytes).map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    pub(crate) fn post(
        &mut self,
        rom: &Rom<'_>,
        now: u32,
        event: EventId,
        payload: [u32; 4],
        counters: &mut Counters,
    ) -> Result<Admission, Fault> {
        on_tier!(&mut self.0, instance => statewright_kernel::post(rom, instance, now, event, None, payload, counters))
    }

    pub(crate) fn tick<H: Host>(
        &mut self,
        rom: &Rom<'_>,
        host: &mut H,
        input: &Input<'_>,
        counters: &mut Counters,
    ) -> Report {
        on_tier!(&mut self.0, instance => statewright_kernel::tick(rom, instance, host, input, counters))
    }

    pub(crate) fn has(&self, flags: u16) -> bool {
        self.0.header().has(flags)
    }

    pub(crate) fn leaves(&self) -> Vec<StateId> {
        let mut leaves: Vec<StateId> =
            on_tier!(&self.0, instance => statewright_kernel::active_leaves(instance).collect());
        leaves.sort_unstable();
        leaves
    }

    pub(crate) fn is_active(&self, rom: &Rom<'_>, state: StateId) -> bool {
        on_tier!(&self.0, instance => statewright_kernel::is_active(rom, instance, state))
    }

    pub(crate) fn ticks_in_state(&self, rom: &Rom<'_>, state: StateId, now: u32) -> Option<u32> {
        on_tier!(&self.0, instance => statewright_kernel::ticks_in_state(rom, instance, state, now))
    }

    /// The scratch of active states and its words, in the order of the tree.
    pub(crate) fn scratch(&self, rom: &Rom<'_>) -> Vec<(ScratchId, Vec<u16>)> {
        let all = (0..rom.scratch().len()).filter_map(ScratchId::from_index);
        let lives = |id: &ScratchId| {
            let owner = rom.scratch().get(id.index());
            let owner = owner.and_then(|record| StateId::read(record.owner));
            owner.is_some_and(|owner| self.is_active(rom, owner))
        };
        let words = |id: ScratchId| on_tier!(&self.0, instance => statewright_kernel::scratch_words(rom, instance, id).collect());
        all.filter(lives).map(|id| (id, words(id))).collect()
    }

    fn queue(&self) -> Vec<Event> {
        on_tier!(&self.0, instance => statewright_kernel::queued_events(instance).to_vec())
    }

    fn timers(&self, rom: &Rom<'_>) -> Vec<Wait> {
        on_tier!(&self.0, instance => statewright_kernel::running_timers(rom, instance).collect())
    }

    fn suspended(&self, rom: &Rom<'_>) -> Vec<StateId> {
        on_tier!(&self.0, instance => statewright_kernel::suspended_leaves(rom, instance).collect())
    }

    pub(crate) fn ready_tick(&self, rom: &Rom<'_>, transition: TransitionId) -> Option<u32> {
        on_tier!(&self.0, instance => statewright_kernel::ready_tick(rom, instance, transition))
    }

    pub(crate) fn debounce_deadline(&self, rom: &Rom<'_>, transition: TransitionId) -> Option<u32> {
        on_tier!(&self.0, instance => statewright_kernel::debounce_deadline(rom, instance, transition))
    }
}

/// One point of the history.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoint {
    pub(crate) agent: Agent,
    pub(crate) board: Blackboard,
    /// The tick that ran last.
    pub(crate) tick: u32,
    /// Steps so far.
    pub(crate) steps: u64,
    pub(crate) stubs: Stubs,
    /// The last step that ran a tick.
    pub(crate) last: Option<Arc<Step>>,
    /// Leaves that were active when the agent ended.
    pub(crate) ended_in: Vec<StateId>,
}

impl Checkpoint {
    /// Active leaves, or those that the agent ended in.
    pub(crate) fn leaves(&self) -> Vec<StateId> {
        let leaves = self.agent.leaves();
        if leaves.is_empty() && self.agent.has(flag::TERMINATED) {
            self.ended_in.clone()
        } else {
            leaves
        }
    }

    pub(crate) fn after(&self, rom: &Rom<'_>) -> AgentState {
        AgentState {
            leaves: self.leaves(),
            suspended: self.agent.suspended(rom),
            queue: self.agent.queue(),
            timers: self.agent.timers(rom),
            board: (0..rom.keys().len())
                .map(|key| self.board.read(key))
                .collect(),
            terminated: self.agent.has(flag::TERMINATED),
            quarantined: self.agent.has(flag::QUARANTINED),
        }
    }
}
