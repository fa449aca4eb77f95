//! What a tick over slices leaves for the host.

use std::sync::Arc;

use statewright_kernel::{Counters, Fault, InboxEvent, Instance, Sleep};
use statewright_rom::Rom;
use statewright_rom::ids::FunctionId;
use statewright_trace::{Filter, Record, Settings, Totals, UnknownNumber};

use super::Slices;
use super::by_id::ById;
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::commands::{CommandRef, Lane, LaneRules, LostCommand, Pool};
use crate::context::Context;
use crate::crowd::Envelope;
use crate::machine::Machine;
use crate::pipeline::{
    AgentIds, FunctionTime, LaneCommands, Measured, PageSupply, Panicked, Segment, SlowCall,
    TickOutput, Timing, Tracing, message_of,
};
use crate::program::Program;

/// What a tick over slices leaves behind. Used again, it needs no new memory.
#[derive(Debug, Default)]
pub struct SlicesOutput {
    pub(super) pages: PageSupply,
    pub(super) tracing: Tracing,
    pub(super) measured: Measured,
    /// A filter that waits for the next tick.
    next_filter: Option<Option<Arc<Filter>>>,
    pub(super) last: TickOutput,
    rules: LaneRules,
    counters: Counters,
    messages: Vec<Envelope>,
    /// Who sent each.
    senders: Vec<AgentId>,
    by_id: ById,
}

/// The tick's side.
impl SlicesOutput {
    /// A tick begins, in so many chunks. Agents that were not recorded before begin with
    /// the leaves that they are in.
    pub(super) fn begin<I: Instance, B>(
        &mut self,
        segments: &[Segment<'_, I, B>],
        ids: Option<AgentIds<'_>>,
        now: u32,
        chunks: usize,
    ) {
        self.last.resize(chunks);
        let Some(filter) = self.next_filter.take() else {
            return;
        };
        let before = self.tracing.set_filter(filter, now);
        let is_known = |agent: u32| {
            let before = before.as_ref();
            before.is_some_and(|before| before.has_agent(agent))
        };
        let agents = segments.iter().flat_map(|segment| {
            let own = segment.agents.iter().map(|agent| agent.index());
            let numbers = (0..segment.instances.len()).filter_map(|index| Some(ids?.number(index)));
            segment.instances.iter().zip(own.chain(numbers))
        });
        for (instance, agent) in agents {
            if !is_known(agent) {
                self.tracing.note_presence(agent, instance);
            }
        }
    }

    /// Puts together what the chunks left.
    pub(super) fn finish<B: Board, C: Context + ?Sized>(
        &mut self,
        program: &Program<B, C>,
        rom: &Rom<'_>,
        slices: &Slices<'_>,
    ) {
        self.rules = program.rules;
        self.counters = self.last.counters();
        self.by_id.sort(&self.last, slices);
        self.messages.clear();
        self.senders.clear();
        let machine = program.machine();
        let sorted = self.by_id.commands();
        let sorted = sorted.filter_map(|command| message_of(&command, machine, rom));
        let as_they_lie = (!self.by_id.is_on()).then(|| self.last.messages(machine, rom));
        for message in sorted.chain(as_they_lie.into_iter().flatten()) {
            self.messages.push(message.envelope);
            self.senders.push(message.from);
        }
        self.measured.add(&self.last);
        self.last.give_back_memory();
    }
}

/// Agents.
impl SlicesOutput {
    /// As if no tick had been: for hosts that leave a tick out because nobody has a turn. The memory is
    /// kept, and so is what is of no one tick: names of commands, totals, times of functions.
    pub fn clear(&mut self) {
        self.by_id.clear();
        self.tracing.forget_told();
        self.last.clear_commands();
        for chunk in self.last.chunks_mut() {
            chunk.ran = false;
        }
        self.messages.clear();
        self.senders.clear();
        self.counters = Counters::default();
    }

    /// What happened.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How many agents something happened to.
    pub fn turns(&self) -> usize {
        self.last.turns()
    }

    /// Agents that reached a cap (TICK-4).
    pub fn clamped(&self) -> impl Iterator<Item = AgentId> {
        self.last.clamped()
    }

    /// Agents whose queue had no room for an event (EVT-3).
    pub fn overflowed(&self) -> impl Iterator<Item = AgentId> {
        self.last.overflowed()
    }

    /// Commands that agents lost, and why (CMD-2): the first
    /// [`MAX_LOST`](crate::commands::MAX_LOST) in the order of slices, also where all others come
    /// [in the order of ids](super::Slices::by_id).
    pub fn lost_commands(&self) -> impl Iterator<Item = LostCommand> {
        self.last.lost_commands()
    }

    /// Indices of those of them that want their next tick, or a later one, ascending; all others
    /// sleep until they have an event.
    pub fn awake_next(&self) -> impl Iterator<Item = (u32, Sleep)> + '_ {
        self.last.awake_next()
    }

    /// Events that were not taken: to be offered again, first (EVT-4).
    pub fn left(&self) -> impl Iterator<Item = InboxEvent> + '_ {
        self.last.left()
    }

    /// Events for other agents, in the order of senders and of emission: to be offered after what
    /// was left, before what the host sends (CMD-4).
    pub fn messages(&self) -> &[Envelope] {
        &self.messages
    }

    /// The same with their senders.
    pub fn sent(&self) -> impl ExactSizeIterator<Item = (AgentId, Envelope)> + '_ {
        let senders = self.senders.iter().copied();
        senders.zip(self.messages.iter().copied())
    }

    /// Indices of agents whose bytes changed, ascending, if
    /// [`Slices::lists_changed`] asks for them.
    pub fn changed(&self) -> impl Iterator<Item = u32> + '_ {
        self.last.changed()
    }

    /// Agents that a fault ended.
    pub fn faults(&self) -> impl Iterator<Item = (AgentId, Fault)> + '_ {
        self.last.faults()
    }

    /// Agents that a panic in user code ended, and why. They are none of those in
    /// [`Self::faults`].
    pub fn panicked(&self) -> impl Iterator<Item = &Panicked> {
        self.last.panicked()
    }

    /// Agents that a call of a missing function ended, and the function
    /// ([`Machine::bind_for_development`]).
    pub fn unbound_calls(&self) -> impl Iterator<Item = (AgentId, FunctionId)> + '_ {
        self.last.unbound_calls()
    }
}

/// Commands.
impl SlicesOutput {
    /// Takes pages for commands from this pool, which others may share. A pool that is too small
    /// for a tick refuses it. Without this call an output has a pool of its own that grows.
    #[must_use]
    pub fn with_pool(self, pool: Arc<Pool>) -> Self {
        Self {
            pages: PageSupply::shared(pool),
            // The old pages belong to the old pool.
            last: TickOutput::default(),
            ..self
        }
    }

    /// Commands, in the order of agents and of emission.
    pub fn commands(&self) -> impl Iterator<Item = CommandRef<'_>> {
        let as_they_lie = (!self.by_id.is_on()).then(|| self.last.commands());
        let sorted = self.by_id.commands();
        sorted.chain(as_they_lie.into_iter().flatten())
    }

    /// Lanes with commands, by number.
    pub fn lanes(&self) -> impl Iterator<Item = Lane> + use<> {
        self.last.lanes()
    }

    /// What the merge rule leaves of one lane, in the order of agents and of emission (CMD-1).
    pub fn lane(&self, lane: impl Into<Lane>) -> LaneCommands<'_> {
        let lane = lane.into();
        match self.by_id.is_on() {
            true => LaneCommands::of(self.by_id.commands(), self.rules.reading(lane)),
            false => self.last.lane(lane, &self.rules),
        }
    }

    /// Hands all commands over, lane by lane, each as in [`Self::lane`]. After it there are none,
    /// and their pages are free.
    pub fn commit(&mut self, mut take: impl FnMut(CommandRef<'_>)) {
        self.lanes()
            .for_each(|lane| self.lane(lane).for_each(&mut take));
        self.by_id.clear();
        self.last.clear_commands();
    }
}

/// Traces.
impl SlicesOutput {
    /// Records what agents of a machine do from the next tick on, or nothing any more. Agents that
    /// were not recorded before begin with the leaves that they are in.
    pub fn set_trace(
        &mut self,
        machine: &Machine,
        settings: Option<Settings>,
    ) -> Result<(), UnknownNumber> {
        let filter = settings
            .map(|settings| Filter::new(&machine.rom(), settings))
            .transpose()?;
        self.next_filter = Some(filter.map(Arc::new));
        Ok(())
    }

    /// The host took an agent away: the trace says so.
    pub fn note_despawn(&mut self, agent: AgentId) {
        self.tracing.note_despawn(agent);
    }

    /// What was recorded in the last tick: what happened before it outside of ticks, then agent by
    /// agent.
    ///
    /// Their words come from [`Program::legend`](crate::Program::legend), with names of typed commands
    /// by [`Self::command_names`].
    pub fn trace(&self) -> impl Iterator<Item = &Record> {
        self.tracing.records(&self.last)
    }

    /// Names of typed commands that traced agents emitted, by number: for
    /// [`Legend::with_commands`](crate::trace::Legend::with_commands) and
    /// [`Writer::name_commands`](crate::trace::Writer::name_commands).
    pub fn command_names(&self) -> impl Iterator<Item = (u32, &'static str)> {
        self.last.command_names()
    }

    /// How often everything happened since the [settings](Settings::totals) ask for totals; nothing
    /// if they do not.
    pub fn trace_totals(&self) -> Totals {
        self.tracing.totals(&self.last)
    }
}

/// Sealed agents.
impl SlicesOutput {
    /// Calls of [sealed](Slices::sealed) agents in the last tick, as [`Turns`](crate::sealed::Turns) reads
    /// them: by their indices, the parts one after the other.
    pub fn sealed_calls(&self) -> impl Iterator<Item = &[u8]> {
        self.last.sealed_calls()
    }
}

/// How long user functions take, as in a crowd.
impl SlicesOutput {
    /// Measures user functions from the next tick on, or not any more; what was found so far stays
    /// until [`Self::reset_timing`]. Without it a tick asks no clock
    /// ([`Crowd::set_timing`](crate::Crowd::set_timing)).
    pub fn set_timing(&mut self, timing: Option<Timing>) {
        self.measured.timing = timing;
    }

    /// How long each function took that was called while it was measured, by number.
    pub fn function_times(&self) -> impl Iterator<Item = (FunctionId, FunctionTime)> {
        self.measured.times.functions()
    }

    /// The first 1,024 calls that took longer than the budget, by tick and agent.
    pub fn slow_calls(&self) -> &[SlowCall] {
        self.measured.times.slow()
    }

    /// How many calls took longer than the budget.
    pub fn slow_call_count(&self) -> u64 {
        self.measured.times.slow_count()
    }

    /// Forgets what was measured.
    pub fn reset_timing(&mut self) {
        self.measured.times.clear();
    }
}
