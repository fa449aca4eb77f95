//! One part of a crowd: a run of agents that one thread ticks (SYS-1).

use std::panic::{AssertUnwindSafe, catch_unwind};

use statewright_kernel::{
    Batch, Counters, Fault, Hosts, InboxEvent, Instance, Mismatch, Report, Sleep, SortedInbox, Visit, flag, prefetch,
    tick_batch,
};
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use super::trace::TracedHosts;
use crate::board::Board;
use crate::commands::{Terms, Writer};
use crate::host::{AgentHost, Code, Turn, agent_at};
use crate::program::Program;
use crate::value::AgentId;
use statewright_trace::{Reasons, Tracer};

/// What one part leaves behind. Kept from tick to tick for its memory.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) writer: Writer,
    pub(crate) counters: Counters,
    /// Agents that something happened to.
    pub(crate) turns: usize,
    /// Those of them that may not sleep, or not for long.
    pub(crate) restless: Vec<(u32, Sleep)>,
    /// Events that were not taken.
    pub(crate) left: Vec<InboxEvent>,
    pub(crate) faults: Vec<(AgentId, Fault)>,
    pub(crate) panicked: Vec<AgentId>,
    pub(crate) clamped: u32,
    /// Whether it had something to do in this tick: else everything else is of an earlier one.
    pub(crate) ran: bool,
    /// Records its agents, if somebody wants to know (SYS-3).
    pub(crate) tracer: Option<Box<Tracer>>,
}

/// What one part works on. Everything but instances and blackboards names agents by their place in the crowd.
pub(crate) struct Job<'j, I, B> {
    /// Place of the first instance.
    pub(crate) first: usize,
    pub(crate) instances: &'j mut [I],
    pub(crate) boards: &'j mut [B],
    pub(crate) inbox: &'j [InboxEvent],
    pub(crate) listed: &'j [u32],
    /// Reasons that a tracer told last, one per agent or none.
    pub(crate) reasons: &'j mut [Reasons],
    pub(crate) part: &'j mut Part,
}

/// What all parts share.
pub(crate) struct Shared<'s, B, C> {
    pub(crate) program: &'s Program<B, C>,
    pub(crate) rom: &'s Rom<'s>,
    pub(crate) context: &'s C,
    pub(crate) lives: &'s [u32],
    /// Number of the agent at place 0.
    pub(crate) base: usize,
    pub(crate) variants: &'s [VariantId],
    pub(crate) now: u32,
    pub(crate) mismatch: Mismatch,
    pub(crate) terms: Terms<'s>,
    pub(crate) strict: bool,
    /// Whether anybody may sleep.
    pub(crate) sleeps: bool,
}

impl Part {
    fn begin(&mut self, terms: &Terms<'_>) {
        self.writer.restart(terms);
        self.counters = Counters::default();
        self.restless.clear();
        self.left.clear();
        self.faults.clear();
        self.panicked.clear();
        (self.turns, self.clamped, self.ran) = (0, 0, true);
    }

    /// A tick in which everybody ran leaves a long list behind; a crowd that sleeps does not keep it.
    pub(crate) fn give_back_memory(&mut self) {
        const SMALL: usize = 1024;
        if !self.ran {
            self.restless.clear();
        }
        let used = self.restless.len();
        if self.restless.capacity() > SMALL.max(used * 8) {
            self.restless.shrink_to(SMALL.max(used * 2));
        }
    }
}

impl<I, B> Job<'_, I, B> {
    /// Is there somebody who is awake or has events?
    pub(crate) fn has_work(&mut self) -> bool {
        self.part.ran = false;
        !self.inbox.is_empty() || !self.listed.is_empty()
    }
}

impl<I: Instance, B: Board> Job<'_, I, B> {
    /// Ticks everybody who is awake or has events. A panic in user code ends its agent alone; the others go on.
    pub(crate) fn run<C>(mut self, shared: &Shared<'_, B, C>) {
        self.part.begin(&shared.terms);
        let mut from = self.first;
        // Bound: each round but the last has a panic at a later place.
        while let Err(place) = self.run_from(shared, from) {
            self.part.writer.discard_agent();
            self.part.panicked.push(agent_at(shared.lives, place, shared.base));
            self.part.trace_panic();
            self.part.turns += 1;
            self.drop_inbox_of(place);
            from = place + 1;
        }
        if let Some(tracer) = &mut self.part.tracer {
            tracer.end();
        }
        self.settle(shared);
        self.count_lost_writes(shared.base);
    }

    /// Who may sleep of those who were not seen at rest?
    fn settle<C>(&mut self, shared: &Shared<'_, B, C>) {
        self.part.restless.retain_mut(|(place, sleep)| {
            let instance = self.instances.get(*place as usize - self.first);
            if let Some(instance) = instance.filter(|_| shared.sleeps) {
                *sleep = shared.program.sleep(shared.rom, instance, shared.now);
            }
            *sleep != Sleep::Asleep
        });
    }

    /// An agent that ends in a tick drops the rest of its inbox, counted. A panic does not tell how much of it was taken: the first event
    /// counts as taken.
    fn drop_inbox_of(&mut self, place: usize) {
        let own = self.inbox.iter().filter(|event| event.place as usize == place);
        for event in own.skip(1) {
            let dropped = &mut self.part.counters.dropped[usize::from(event.event.class.min(3))];
            *dropped = dropped.wrapping_add(1);
        }
    }

    /// Staged writes without room count as critical commands that were dropped; the kernel does not hear of them.
    fn count_lost_writes(&mut self, base: usize) {
        for &agent in &self.part.writer.lost_writes {
            self.part.counters.commands_dropped = self.part.counters.commands_dropped.wrapping_add(1);
            if let Some(instance) = self.instances.get_mut(agent as usize - base - self.first) {
                let flags = &mut instance.header_mut().flags;
                flags.set(flags.get() | flag::COMMAND_DROPPED | flag::CRITICAL_DROPPED);
            }
        }
    }

    /// Ticks from a place on; the place of a panic if there was one.
    fn run_from<C>(&mut self, shared: &Shared<'_, B, C>, from: usize) -> Result<(), usize> {
        let events = self.inbox.partition_point(|event| (event.place as usize) < from);
        let places = self.listed.partition_point(|&place| (place as usize) < from);
        let (inbox, listed) = (&self.inbox[events..], &self.listed[places..]);
        let start = from - self.first;
        let (instances, boards) = (&mut self.instances[start..], &mut self.boards[start..]);
        let part = &mut *self.part;
        let turn = Turn { out: &mut part.writer, lives: shared.lives, first: shared.base, place: from };
        let code = Code { table: &shared.program.table, context: shared.context, strict: shared.strict, turn };
        let mut hosts = PartHosts { first: from, boards, code };
        let mut ear = Ear {
            turns: &mut part.turns,
            restless: &mut part.restless,
            left: &mut part.left,
            faults: &mut part.faults,
            clamped: &mut part.clamped,
            lives: shared.lives,
            base: shared.base,
        };
        let counters = &mut part.counters;
        let reasons = self.reasons.get_mut(start..).unwrap_or_default();
        let traced = part.tracer.as_deref_mut().map(|tracer| (tracer, reasons));
        let run = AssertUnwindSafe(|| {
            let batch = Batch {
                first_place: from,
                first_agent: shared.base as u64,
                tick: shared.now,
                // One per place up to the last instance.
                variants: shared.variants.get(..from + instances.len()).unwrap_or(&[]),
                inbox: SortedInbox::assume(inbox),
                visit: Visit::WithEventsAnd(listed),
                mismatch: shared.mismatch,
            };
            let done = |place: usize, report: &Report, left: &[InboxEvent]| ear.hear(place, report, left);
            let ran = match traced {
                None => tick_batch(shared.rom, instances, &mut hosts, &batch, counters, done),
                Some((tracer, reasons)) => {
                    let mut hosts = TracedHosts { hosts: &mut hosts, tracer, reasons };
                    tick_batch(shared.rom, instances, &mut hosts, &batch, counters, done)
                }
            };
            debug_assert_eq!(ran, Ok(()), "the crowd gives legal batches");
        });
        catch_unwind(run).map_err(|_| hosts.code.turn.place)
    }
}

/// Hears what became of the agents of a run.
struct Ear<'p> {
    turns: &'p mut usize,
    restless: &'p mut Vec<(u32, Sleep)>,
    left: &'p mut Vec<InboxEvent>,
    faults: &'p mut Vec<(AgentId, Fault)>,
    clamped: &'p mut u32,
    lives: &'p [u32],
    base: usize,
}

impl Ear<'_> {
    #[inline]
    fn hear(&mut self, place: usize, report: &Report, left: &[InboxEvent]) {
        *self.turns += 1;
        if !report.rests {
            self.note(place, report, left);
        }
    }

    #[inline(never)]
    fn note(&mut self, place: usize, report: &Report, left: &[InboxEvent]) {
        self.restless.push((place as u32, Sleep::Awake));
        self.faults.extend(report.fault.map(|fault| (agent_at(self.lives, place, self.base), fault)));
        *self.clamped += u32::from(report.clamped);
        self.left.extend_from_slice(left);
    }
}

/// User code of all agents of a run.
pub(super) struct PartHosts<'p, B, C> {
    /// Place of the first blackboard.
    pub(super) first: usize,
    boards: &'p mut [B],
    pub(super) code: Code<'p, B, C>,
}

impl<'p, B: Board, C> Hosts for PartHosts<'p, B, C> {
    type Host<'h>
        = AgentHost<'h, 'p, B, C>
    where
        Self: 'h;

    #[inline]
    fn of(&mut self, place: usize, _: u64) -> AgentHost<'_, 'p, B, C> {
        self.code.turn.place = place;
        self.code.turn.out.begin();
        self.again(place, 0)
    }

    #[inline]
    fn again(&mut self, place: usize, _: u64) -> AgentHost<'_, 'p, B, C> {
        AgentHost { board: &mut self.boards[place - self.first], code: &mut self.code }
    }

    #[inline]
    fn fetch(&self, place: usize) {
        if let Some(board) = self.boards.get(place - self.first) {
            prefetch(board);
        }
    }
}
