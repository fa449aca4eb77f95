//! Traces of crowds: what their agents did, and why (SYS-3, SEL-7).

use std::io::Write;
use std::sync::Arc;

use statewright_trace::file::{WriteError, Writer};
use statewright_trace::{Filter, Legend, Record, Settings, Totals, UnknownNumber};

use super::Crowd;
use super::instances::with_instances;
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;
use crate::parameters::hashes;

/// Traces.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Records what agents do from the next tick on, or nothing any more. May be called between any
    /// two ticks. Agents that were not recorded before begin with the leaves that they are in.
    ///
    /// Settings that name states or events of another machine are refused, and nothing changes.
    pub fn set_trace(&mut self, settings: Option<Settings>) -> Result<(), UnknownNumber> {
        let filter = settings
            .map(|settings| Filter::new(&self.machine().rom(), settings))
            .transpose()?
            .map(Arc::new);
        let before = self.tracing.set_filter(filter, self.schedule.now as u32);
        self.note_presence(|agent| {
            let before = before.as_ref();
            before.is_none_or(|before| !before.has_agent(agent.index()))
        });
        Ok(())
    }

    /// Says in which leaves recorded agents are, of those that this is news of.
    fn note_presence(&mut self, is_news: impl Fn(AgentId) -> bool) {
        let Self {
            agents, tracing, ..
        } = self;
        if tracing.filter().is_none() {
            return;
        }
        for agent in agents.ids().filter(|&agent| is_news(agent)) {
            let (number, index) = (agent.index(), agent.index() as usize);
            with_instances!(&agents.instances, list => tracing.note_presence(number, &list[index]));
        }
    }

    /// All agents are others than before: the trace says where they are, and every reason is news. What was
    /// recorded is gone.
    pub(super) fn restart_trace(&mut self) {
        self.tracing.restart(self.schedule.now as u32);
        let chunks = self.last.chunks_mut().iter_mut();
        chunks.for_each(|chunk| chunk.surplus.clear());
        self.note_presence(|_| true);
    }

    /// What is recorded.
    pub fn trace_settings(&self) -> Option<&Settings> {
        self.tracing.filter().map(|filter| filter.settings())
    }

    /// What was recorded in the last tick: what happened before it outside of ticks, then agent by
    /// agent.
    pub fn trace(&self) -> impl Iterator<Item = &Record> {
        self.tracing.records(&self.last)
    }

    /// How many random numbers user code of an agent drew since it is traced at level 3 (CODE-6);
    /// `None` while it is not, or if it is gone. Counted beside the agent: its bytes know nothing of
    /// it, and nobody pays who does not look.
    pub fn draws(&self, agent: AgentId) -> Option<u64> {
        let index = self.agents.index(agent).ok()?;
        self.tracing.draws(index)
    }

    /// How often everything happened since the [settings](Settings::totals) ask for totals; nothing
    /// if they do not.
    pub fn trace_totals(&self) -> Totals {
        self.tracing.totals(&self.last)
    }

    /// The names behind the numbers of records. Those of typed commands are known once a traced agent
    /// has emitted one.
    pub fn legend(&self) -> Legend {
        self.program
            .legend()
            .with_commands(self.last.command_names())
    }

    /// Adds what was recorded in the last tick to a file. Where the machine was reloaded since the file
    /// was written last, the file says so first (LOAD-7): several reloads between two ticks are one there.
    pub fn write_trace<W: Write>(&self, writer: &mut Writer<W>) -> Result<(), WriteError> {
        let tick = self.schedule.now.saturating_sub(1);
        if writer.hashes() != hashes(self.machine()) {
            writer.reload(tick, &self.legend())?;
        }
        writer.name_commands(self.last.command_names())?;
        writer.add(tick, self.trace())
    }
}
