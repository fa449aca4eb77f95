//! What one job leaves behind: the part of a tick's outcome that one thread made.

use statewright_kernel::{Counters, Event, Fault, InboxEvent, Loss};
use statewright_rom::ids::FunctionId;
use statewright_trace::{Kind, Tracer};

use super::awake::AwakeNext;
use super::panicked::Panicked;
use super::timing::CallTimes;
use crate::agent_id::AgentId;
use crate::commands::{CommandLimits, Writer};
use crate::sealed::SealLog;

/// What one job leaves behind. Kept from tick to tick for its memory.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) writer: Writer,
    pub(crate) counters: Counters,
    /// Agents that something happened to.
    pub(crate) turns: usize,
    /// Those of them that may not sleep, or not for long.
    pub(crate) awake_next: AwakeNext,
    /// Events that were not taken: to be offered again, first (EVT-4).
    pub(crate) left: Vec<InboxEvent>,
    pub(crate) faults: Vec<(AgentId, Fault)>,
    pub(crate) panicked: Vec<Panicked>,
    pub(crate) unbound_calls: Vec<(AgentId, FunctionId)>,
    pub(crate) clamped: Vec<AgentId>,
    /// Agents whose queue had no room for an event (EVT-3).
    pub(crate) overflowed: Vec<AgentId>,
    /// Whether it had something to do in this tick: else everything else is of an earlier one.
    pub(crate) ran: bool,
    /// Records its agents, if somebody wants to know (SYS-3).
    pub(crate) tracer: Option<Box<Tracer>>,
    /// How long its calls took, if somebody measures.
    pub(crate) times: CallTimes,
    /// Agents and their events that were left over and dropped, for the next trace.
    pub(crate) surplus: Vec<(u32, Event)>,
    /// What user code of sealed agents said and did.
    pub(crate) sealed: Option<Box<SealLog>>,
    /// Agents whose bytes changed, ascending, if somebody wants to know.
    pub(crate) changed: Vec<u32>,
}

impl Chunk {
    /// A tick begins.
    pub(crate) fn begin(&mut self, limits: &CommandLimits<'_>) {
        self.writer.restart(limits);
        self.counters = Counters::default();
        self.awake_next.clear();
        self.left.clear();
        self.faults.clear();
        self.panicked.clear();
        self.unbound_calls.clear();
        self.times.clear();
        if let Some(log) = &mut self.sealed {
            log.clear();
        }
        (self.turns, self.ran) = (0, true);
        self.clamped.clear();
        self.overflowed.clear();
        self.changed.clear();
    }

    /// The next tick begins by the limits of the last one, where one agent is ticked alone. Counters
    /// go on; what is seldom there is looked for, not cleared.
    #[inline]
    pub(crate) fn go_on(&mut self, tick: u64) {
        self.writer.go_on(tick);
        self.awake_next.clear();
        if !self.panicked.is_empty() || !self.unbound_calls.is_empty() {
            self.panicked.clear();
            self.unbound_calls.clear();
        }
    }

    /// A panic in user code ended the agent whose turn it was.
    pub(super) fn trace_panic(&mut self, agent: AgentId) {
        if let Some(tracer) = &mut self.tracer
            && tracer.filter().has_agent(agent.index())
        {
            tracer.say(agent.index(), Kind::Panicked, 0);
        }
    }

    /// An event of an agent was lost on its way to the kernel; told in its turn.
    pub(super) fn lose(&mut self, agent: u32, event: &InboxEvent, loss: Loss) {
        self.counters.lose(loss, event.event.class());
        if let Some(tracer) = &mut self.tracer {
            tracer.lose(agent, &event.event, loss);
        }
    }

    /// An event was left over. Turns are over, so that a trace tells of it before the next tick:
    /// its records are in the order of agents, whatever chunks there are.
    pub(super) fn drop_surplus(&mut self, agent: u32, event: &InboxEvent) {
        self.counters.lose(Loss::Surplus, event.event.class());
        if self.tracer.is_some() {
            self.surplus.push((agent, event.event));
        }
    }

    /// A tick in which everybody ran leaves a long list behind; agents that sleep do not keep it.
    pub(super) fn give_back_memory(&mut self) {
        if !self.ran {
            self.awake_next.clear();
        }
        self.awake_next.give_back_memory();
    }
}
