//! One point of a session's history: the agent's bytes, its blackboard, the tick, and what
//! functions answer.

use std::sync::Arc;

use statewright::{Blackboard, Board};
use statewright_kernel::{
    Admission, Counters, Event, Fault, Host, Input, Instance, Instance64, Instance128, Instance256,
    Report, Wait, flag,
};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use zerocopy::{FromBytes, IntoBytes};

use crate::record::{AgentState, Step};
use crate::stubs::Stubs;

/// An instance of any tier.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Agent {
    Small(Instance64),
    Middle(Instance128),
    Large(Instance256),
}

/// The same work on an instance of any tier.
macro_rules! on_agent {
    ($agent:expr, $instance:ident => $work:expr) => {
        match $agent {
            Agent::Small($instance) => $work,
            Agent::Middle($instance) => $work,
            Agent::Large($instance) => $work,
        }
    };
}

impl Agent {
    pub(crate) fn new(rom: &Rom<'_>, seed: u64) -> Option<Self> {
        Instance64::new(rom, seed, 0)
            .map(Self::Small)
            .or_else(|| Instance128::new(rom, seed, 0).map(Self::Middle))
            .or_else(|| Instance256::new(rom, seed, 0).map(Self::Large))
    }

    /// Bytes of an instance of this tier; none if there are more or fewer.
    pub(crate) fn with_bytes(self, bytes: &[u8]) -> Option<Self> {
        Some(match self {
            Self::Small(_) => Self::Small(Instance64::read_from_bytes(bytes).ok()?),
            Self::Middle(_) => Self::Middle(Instance128::read_from_bytes(bytes).ok()?),
            Self::Large(_) => Self::Large(Instance256::read_from_bytes(bytes).ok()?),
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        on_agent!(self, instance => instance.as_bytes())
    }

    pub(crate) fn post(
        &mut self,
        rom: &Rom<'_>,
        now: u32,
        event: EventId,
        payload: [u32; 4],
        counters: &mut Counters,
    ) -> Result<Admission, Fault> {
        on_agent!(self, instance => statewright_kernel::post(rom, instance, now, event, None, payload, counters))
    }

    pub(crate) fn tick<H: Host>(
        &mut self,
        rom: &Rom<'_>,
        host: &mut H,
        input: &Input<'_>,
        counters: &mut Counters,
    ) -> Report {
        on_agent!(self, instance => statewright_kernel::tick(rom, instance, host, input, counters))
    }

    pub(crate) fn has(&self, flags: u16) -> bool {
        on_agent!(self, instance => instance.header().has(flags))
    }

    pub(crate) fn leaves(&self) -> Vec<StateId> {
        let mut leaves: Vec<StateId> =
            on_agent!(self, instance => statewright_kernel::active_leaves(instance).collect());
        leaves.sort_unstable();
        leaves
    }

    pub(crate) fn is_active(&self, rom: &Rom<'_>, state: StateId) -> bool {
        on_agent!(self, instance => statewright_kernel::is_active(rom, instance, state))
    }

    pub(crate) fn ticks_in_state(&self, rom: &Rom<'_>, state: StateId, now: u32) -> Option<u32> {
        on_agent!(self, instance => statewright_kernel::ticks_in_state(rom, instance, state, now))
    }

    fn queue(&self) -> Vec<Event> {
        on_agent!(self, instance => statewright_kernel::queued_events(instance).to_vec())
    }

    fn timers(&self, rom: &Rom<'_>) -> Vec<Wait> {
        on_agent!(self, instance => statewright_kernel::running_timers(rom, instance).collect())
    }

    fn suspended(&self, rom: &Rom<'_>) -> Vec<StateId> {
        on_agent!(self, instance => statewright_kernel::suspended_leaves(rom, instance).collect())
    }

    pub(crate) fn ready_tick(&self, rom: &Rom<'_>, transition: TransitionId) -> Option<u32> {
        on_agent!(self, instance => statewright_kernel::ready_tick(rom, instance, transition))
    }

    pub(crate) fn debounce_deadline(&self, rom: &Rom<'_>, transition: TransitionId) -> Option<u32> {
        on_agent!(self, instance => statewright_kernel::debounce_deadline(rom, instance, transition))
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
