//! What the last tick left behind, as the host reads it: commands by lane, messages, faults, who
//! wants another turn (CMD-1, CMD-3, CMD-4).

use statewright_kernel::{Counters, Event, Fault, InboxEvent, Sleep};
use statewright_rom::Rom;
use statewright_rom::ids::FunctionId;

use super::chunk::Chunk;
use super::panicked::Panicked;
use super::timing::CallTimes;
#[cfg(feature = "parallel")]
use super::workers::{RayonPool, Workers};
use crate::agent_id::AgentId;
use crate::commands::{
    CommandRef, Lane, LaneRules, LostCommand, MAX_LOST, Net, Reading, Seen, Walk, What,
};
use crate::crowd::{Envelope, Message};
use crate::machine::Machine;
use crate::sealed::SealLog;

/// What the last tick left behind, chunk by chunk.
#[derive(Debug, Default)]
pub(crate) struct TickOutput {
    chunks: Vec<Chunk>,
}

/// Life.
impl TickOutput {
    /// So many chunks for the tick that comes.
    pub(crate) fn resize(&mut self, chunks: usize) {
        self.chunks.resize_with(chunks, Chunk::default);
    }

    /// As if no tick had been; nothing of it is left.
    pub(crate) fn clear(&mut self) {
        self.chunks.clear();
    }

    /// As if no tick had been; the memory is kept for the next one.
    pub(crate) fn forget(&mut self) {
        self.clear_commands();
        for chunk in &mut self.chunks {
            (chunk.ran, chunk.tracer) = (false, None);
        }
    }

    /// Calls of sealed agents, chunk by chunk.
    pub(crate) fn sealed_calls(&self) -> impl Iterator<Item = &[u8]> {
        let logs = self.ran().filter_map(|chunk| chunk.sealed.as_deref());
        logs.map(SealLog::bytes).filter(|bytes| !bytes.is_empty())
    }

    pub(crate) fn chunks_mut(&mut self) -> &mut [Chunk] {
        &mut self.chunks
    }

    pub(super) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Chunks that had something to do.
    pub(super) fn ran(&self) -> impl Iterator<Item = &Chunk> {
        self.chunks.iter().filter(|chunk| chunk.ran)
    }

    /// Lists that were long once do not stay so.
    pub(crate) fn give_back_memory(&mut self) {
        self.chunks.iter_mut().for_each(Chunk::give_back_memory);
    }
}

/// Agents.
impl TickOutput {
    /// What happened.
    pub(crate) fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        self.ran().for_each(|chunk| sum.add(&chunk.counters));
        sum
    }

    /// Adds how long calls took, chunk by chunk.
    pub(crate) fn add_times(&self, times: &mut CallTimes) {
        self.ran().for_each(|chunk| times.add(&chunk.times));
    }

    /// How many agents something happened to.
    pub(crate) fn turns(&self) -> usize {
        self.ran().map(|chunk| chunk.turns).sum()
    }

    /// Agents that reached a cap (TICK-4).
    pub(crate) fn clamped(&self) -> impl Iterator<Item = AgentId> {
        self.ran().flat_map(|chunk| chunk.clamped.iter().copied())
    }

    /// Agents whose queue had no room for an event (EVT-3).
    pub(crate) fn overflowed(&self) -> impl Iterator<Item = AgentId> {
        self.ran()
            .flat_map(|chunk| chunk.overflowed.iter().copied())
    }

    /// Commands that found no room (CMD-2), the first of them: as many in one chunk as in all.
    pub(crate) fn lost_commands(&self) -> impl Iterator<Item = LostCommand> {
        let lost = self.ran().flat_map(|chunk| chunk.writer.lost.iter());
        lost.copied().take(MAX_LOST)
    }

    /// Names of typed commands that traced agents emitted, by number; some several times.
    pub(crate) fn command_names(&self) -> impl Iterator<Item = (u32, &'static str)> {
        let chunks = self.chunks.iter();
        chunks.flat_map(|chunk| chunk.writer.naming.names())
    }

    /// Those who want their next tick, or a later one, by index.
    pub(crate) fn awake_next(&self) -> impl Iterator<Item = (u32, Sleep)> {
        self.ran().flat_map(|chunk| chunk.awake_next.iter())
    }

    /// Events that were not taken (EVT-4), by index.
    pub(crate) fn left(&self) -> impl Iterator<Item = InboxEvent> {
        self.ran().flat_map(|chunk| chunk.left.iter().copied())
    }

    pub(crate) fn faults(&self) -> impl Iterator<Item = (AgentId, Fault)> {
        self.ran().flat_map(|chunk| chunk.faults.iter().copied())
    }

    pub(crate) fn panicked(&self) -> impl Iterator<Item = &Panicked> {
        self.ran().flat_map(|chunk| chunk.panicked.iter())
    }

    pub(crate) fn unbound_calls(&self) -> impl Iterator<Item = (AgentId, FunctionId)> {
        self.ran()
            .flat_map(|chunk| chunk.unbound_calls.iter().copied())
    }
}

/// Commands.
impl TickOutput {
    /// All as they were written, in the order of agents and of emission (CMD-3).
    pub(crate) fn commands(&self) -> impl Iterator<Item = CommandRef<'_>> {
        self.ran().flat_map(|chunk| chunk.writer.iter())
    }

    /// Lanes with commands, by number.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = Lane> + use<> {
        Lane::of_bits(
            self.ran()
                .fold(0, |bits, chunk| bits | chunk.writer.lanes()),
        )
    }

    /// What the merge rule leaves of one lane, in the order of agents and of emission (CMD-1).
    pub(crate) fn lane(&self, lane: Lane, rules: &LaneRules) -> LaneCommands<'_> {
        LaneCommands {
            chunks: self.chunks.iter(),
            net: None,
            reading: rules.reading(lane),
            seen: Seen::new(),
        }
    }

    /// Hands all commands over, lane by lane. After it there are none.
    pub(crate) fn commit(&mut self, rules: &LaneRules, mut take: impl FnMut(CommandRef<'_>)) {
        self.lanes()
            .for_each(|lane| self.lane(lane, rules).for_each(&mut take));
        self.clear_commands();
    }

    /// The same with the lanes side by side.
    #[cfg(feature = "parallel")]
    pub(crate) fn commit_parallel(
        &mut self,
        rules: &LaneRules,
        take: impl Fn(Lane, LaneCommands<'_>) + Sync,
    ) {
        let (output, take) = (&*self, &take);
        let jobs = output
            .lanes()
            .map(|lane| move || take(lane, output.lane(lane, rules)));
        RayonPool.run(jobs);
        self.clear_commands();
    }

    /// Forgets all commands; their pages are free.
    pub(crate) fn clear_commands(&mut self) {
        self.chunks
            .iter_mut()
            .filter(|chunk| chunk.ran)
            .for_each(|chunk| chunk.writer.clear());
    }

    /// Events for other agents, in the order of senders and of emission (CMD-4).
    pub(crate) fn messages<'o>(
        &'o self,
        machine: &'o Machine,
        rom: &'o Rom<'o>,
    ) -> impl Iterator<Item = Message> + 'o {
        let senders = self.ran().filter(|chunk| chunk.writer.has(Lane::MESSAGE));
        senders
            .flat_map(|chunk| chunk.writer.iter())
            .filter_map(|command| message_of(&command, machine, rom))
    }

    /// Agents whose bytes changed, by index, if somebody wants to know.
    pub(crate) fn changed(&self) -> impl Iterator<Item = u32> {
        self.ran().flat_map(|chunk| chunk.changed.iter().copied())
    }
}

/// The event for another agent that a command is, if it is one.
pub(crate) fn message_of(
    command: &CommandRef<'_>,
    machine: &Machine,
    rom: &Rom<'_>,
) -> Option<Message> {
    if command.lane() != Lane::MESSAGE {
        return None;
    }
    match command.what(rom) {
        What::Send { to, event, payload } => {
            let class = machine.event_type(event).ok()?.class;
            let event = Event::new(event, class).with_words(payload);
            Some(Message {
                from: command.agent(),
                envelope: Envelope { to, event },
            })
        }
        What::Typed | What::Emit { .. } | What::Release { .. } | What::Write { .. } => None,
    }
}

/// Commands of one lane after its merge rule.
#[derive(Clone, Debug)]
pub struct LaneCommands<'a> {
    chunks: std::slice::Iter<'a, Chunk>,
    net: Option<Net<'a>>,
    reading: Reading,
    seen: Seen<'a>,
}

impl<'a> LaneCommands<'a> {
    /// Of commands that lie elsewhere, one after the other.
    pub(crate) fn of(walk: Walk<'a>, reading: Reading) -> Self {
        Self {
            chunks: [].iter(),
            net: Some(Net::new(walk, reading)),
            reading,
            seen: Seen::new(),
        }
    }
}

impl<'a> Iterator for LaneCommands<'a> {
    type Item = CommandRef<'a>;

    fn next(&mut self) -> Option<CommandRef<'a>> {
        loop {
            let seen = &mut self.seen;
            if let Some(command) = self.net.as_mut().and_then(|net| net.next(seen)) {
                return Some(command);
            }
            let lane = self.reading.lane;
            let chunk = self
                .chunks
                .find(|chunk| chunk.ran && chunk.writer.has(lane))?;
            self.net = Some(Net::new(chunk.writer.iter(), self.reading));
        }
    }
}
