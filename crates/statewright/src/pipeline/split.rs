//! Slices of agents, cut into jobs.

use statewright_kernel::{InboxEvent, Instance};
use statewright_trace::Reasons;

use super::chunk::Chunk;
use super::env::{AgentIds, TickEnv};
use super::job::ChunkJob;
use super::output::TickOutput;
use super::workers::Runner;
use crate::agent_id::AgentId;

/// Agents side by side in the memory of a host: one table of an ECS. A tick may be given many, and
/// counts their agents through: those of the second segment follow the last of the first.
#[derive(Debug)]
pub struct Segment<'s, I, B> {
    /// Their instances.
    pub instances: &'s mut [I],
    /// One blackboard each.
    pub boards: &'s mut [B],
    /// One id each: what functions, commands and messages call them.
    pub agents: &'s [AgentId],
}

/// All agents of a tick. Everything but segments names agents by their index.
pub(crate) struct AgentSlices<'j, 's, I, B> {
    pub(crate) segments: &'j mut [Segment<'s, I, B>],
    /// Who they are, if the segments do not say.
    pub(crate) ids: Option<AgentIds<'j>>,
    /// Sorted by index; events of one agent in order.
    pub(crate) inbox: &'j [InboxEvent],
    /// Who is ticked besides those with events, ascending; `None` for all.
    pub(crate) awake: Option<&'j [u32]>,
    /// Agents that are stopped at their turn, ascending.
    pub(crate) stops: &'j [u32],
    /// Reasons that a tracer told last, one per agent or none.
    pub(crate) reasons: &'j mut [Reasons],
}

impl<'j, I: Instance + Send, B> AgentSlices<'j, '_, I, B> {
    /// Runs one tick in chunks of so many agents.
    pub(crate) fn run<C>(
        self,
        size: usize,
        env: &TickEnv<'_, B, C>,
        output: &'j mut TickOutput,
        runner: &impl Runner<B, C>,
    ) {
        let Self {
            segments,
            ids,
            inbox,
            awake,
            stops,
            reasons,
        } = self;
        let jobs = Jobs {
            segments: segments.iter_mut(),
            rest: Rest {
                instances: &mut [],
                boards: &mut [],
                ids: AgentIds::Given { first: 0, ids: &[] },
            },
            ids,
            inbox,
            awake,
            stops,
            reasons,
            chunks: output.chunks_mut().iter_mut(),
            size,
            first: 0,
        };
        runner.run(jobs, env);
    }
}

/// One job per chunk, each for so many agents of one segment; chunks where everybody sleeps have none.
///
/// ```text
///  agents   0 1 2 3 | 4 5 6 7 | 8 9      size 4
///  inbox        2 2 |         | 9        cut where the index passes the end of a chunk
///  awake    0   2   |         |          the middle chunk has no job
/// ```
pub(crate) struct Jobs<'j, 's, I, B> {
    /// Segments that nobody has taken from yet.
    segments: std::slice::IterMut<'j, Segment<'s, I, B>>,
    /// What is left of the one that is cut.
    rest: Rest<'j, I, B>,
    /// Who the agents are, if the segments do not say.
    ids: Option<AgentIds<'j>>,
    /// What is left of these.
    inbox: &'j [InboxEvent],
    awake: Option<&'j [u32]>,
    stops: &'j [u32],
    reasons: &'j mut [Reasons],
    chunks: std::slice::IterMut<'j, Chunk>,
    size: usize,
    /// Index of the first agent that is left.
    first: usize,
}

/// What is left of a segment.
struct Rest<'j, I, B> {
    instances: &'j mut [I],
    boards: &'j mut [B],
    /// Those of the whole segment.
    ids: AgentIds<'j>,
}

impl<'j, I, B> Iterator for Jobs<'j, '_, I, B> {
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

impl<'j, I, B> Jobs<'j, '_, I, B> {
    /// The next agents, cut off.
    fn cut(&mut self, chunk: &'j mut Chunk) -> ChunkJob<'j, I, B> {
        self.open_segment();
        let rest = &mut self.rest;
        let count = self.size.min(rest.instances.len());
        let (first, end) = (self.first, (self.first + count) as u32);
        self.first += count;
        let events = self.inbox.partition_point(|event| event.place < end);
        let stops = self.stops.partition_point(|&index| index < end);
        let reasons = count.min(self.reasons.len());
        ChunkJob {
            first,
            ids: rest.ids,
            instances: rest.instances.split_off_mut(..count).unwrap_or_default(),
            boards: rest.boards.split_off_mut(..count).unwrap_or_default(),
            inbox: self.inbox.split_off(..events).unwrap_or_default(),
            awake: self
                .awake
                .as_mut()
                .and_then(|awake| awake.split_off(..awake.partition_point(|&index| index < end))),
            stops: self.stops.split_off(..stops).unwrap_or_default(),
            reasons: self.reasons.split_off_mut(..reasons).unwrap_or_default(),
            chunk,
        }
    }

    /// Goes on to the next segment that has agents, where nothing is left of the last one.
    fn open_segment(&mut self) {
        // Bound: each round takes a segment.
        while self.rest.instances.is_empty()
            && let Some(segment) = self.segments.next()
        {
            let (first, ids) = (self.first, segment.agents);
            self.rest = Rest {
                instances: &mut *segment.instances,
                boards: &mut *segment.boards,
                ids: self.ids.unwrap_or(AgentIds::Given { first, ids }),
            };
        }
    }
}
