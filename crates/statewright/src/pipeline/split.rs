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
        let jobs = Jobs {
            slices: self,
            chunks: output.chunks_mut().iter_mut(),
            size,
            first: 0,
        };
        runner.run(jobs, env);
    }
}

/// One job per chunk, each for so many agents; chunks where everybody sleeps have none.
///
/// ```text
///  agents   0 1 2 3 | 4 5 6 7 | 8 9      size 4
///  inbox        2 2 |         | 9        cut where the index passes the end of a chunk
///  awake    0   2   |         |          the middle chunk has no job
/// ```
pub(crate) struct Jobs<'j, I, B> {
    /// What is left of them.
    slices: AgentSlices<'j, I, B>,
    chunks: std::slice::IterMut<'j, Chunk>,
    size: usize,
    /// Index of the first agent that is left.
    first: usize,
}

impl<'j, I, B> Iterator for Jobs<'j, I, B> {
    type Item = ChunkJob<'j, I, B>;

    fn next(&mut self) -> Option<ChunkJob<'j, I, B>> {
        // Bound: each round takes a chunk.
        while let Some(chunk) = self.chunks.next() {
            let mut job = self.cut(chunk);
            if job.has_work() {
                return Some(job);
            }
        }
        None
    }

    /// At most one per chunk that is left.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.chunks.len()))
    }
}

impl<'j, I, B> Jobs<'j, I, B> {
    /// The next agents, cut off.
    fn cut(&mut self, chunk: &'j mut Chunk) -> ChunkJob<'j, I, B> {
        let slices = &mut self.slices;
        let count = self.size.min(slices.instances.len());
        let (first, end) = (self.first, (self.first + count) as u32);
        self.first += count;
        let events = slices.inbox.partition_point(|event| event.place < end);
        let stops = slices.stops.partition_point(|&index| index < end);
        let reasons = count.min(slices.reasons.len());
        ChunkJob {
            first,
            instances: slices.instances.split_off_mut(..count).unwrap_or_default(),
            boards: slices.boards.split_off_mut(..count).unwrap_or_default(),
            inbox: slices.inbox.split_off(..events).unwrap_or_default(),
            awake: slices
                .awake
                .as_mut()
                .and_then(|awake| awake.split_off(..awake.partition_point(|&index| index < end))),
            stops: slices.stops.split_off(..stops).unwrap_or_default(),
            reasons: slices.reasons.split_off_mut(..reasons).unwrap_or_default(),
            chunk,
        }
    }
}
