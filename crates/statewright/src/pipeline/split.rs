//! Slices of agents, cut into jobs.

use statewright_kernel::{InboxEvent, Instance};
use statewright_trace::Reasons;

use super::chunk::Chunk;
use super::env::TickEnv;
use super::job::ChunkJob;
use super::output::TickOutput;
use super::workers::Runner;

/// All agents of a tick. Everything but instances and blackboards names agents by their index.
pub(crate) struct AgentSlices<'j, I, B> {
    pub(crate) instances: &'j mut [I],
    pub(crate) boards: &'j mut [B],
    /// Sorted by index; events of one agent in order.
    pub(crate) inbox: &'j [InboxEvent],
    /// Who is ticked besides those with events, ascending; `None` for all.
    pub(crate) awake: Option<&'j [u32]>,
    /// Agents that are stopped at their turn, ascending.
    pub(crate) stops: &'j [u32],
    /// Reasons that a tracer told last, one per agent or none.
    pub(crate) reasons: &'j mut [Reasons],
}

impl<'j, I: Instance + Send, B> AgentSlices<'j, I, B> {
    /// Runs one tick in chunks of so many agents.
    pub(crate) fn run<C>(
        self,
        size: usize,
        env: &TickEnv<'_, B, C>,
        output: &'j mut TickOutput,
        runner: &impl Runner<B, C>,
    ) {
        runner.run(self.jobs(output.chunks_mut(), size), env);
    }

    /// One job per chunk, each for so many agents; chunks where everybody sleeps have none.
    ///
    /// ```text
    ///  agents   0 1 2 3 | 4 5 6 7 | 8 9      size 4
    ///  inbox        2 2 |         | 9        cut where the index passes the end of a chunk
    ///  awake    0   2   |         |          the middle chunk has no job
    /// ```
    fn jobs(
        mut self,
        chunks: &'j mut [Chunk],
        size: usize,
    ) -> impl Iterator<Item = ChunkJob<'j, I, B>> {
        let mut first = 0;
        chunks.iter_mut().filter_map(move |chunk| {
            let count = size.min(self.instances.len());
            let end = (first + count) as u32;
            let events = self.inbox.partition_point(|event| event.place < end);
            let stops = self.stops.partition_point(|&index| index < end);
            let mut job = ChunkJob {
                first,
                instances: self.instances.split_off_mut(..count).unwrap_or_default(),
                boards: self.boards.split_off_mut(..count).unwrap_or_default(),
                inbox: self.inbox.split_off(..events).unwrap_or_default(),
                awake: self.awake.as_mut().and_then(|awake| {
                    awake.split_off(..awake.partition_point(|&index| index < end))
                }),
                stops: self.stops.split_off(..stops).unwrap_or_default(),
                reasons: self
                    .reasons
                    .split_off_mut(..count.min(self.reasons.len()))
                    .unwrap_or_default(),
                chunk,
            };
            first += count;
            job.has_work().then_some(job)
        })
    }
}
