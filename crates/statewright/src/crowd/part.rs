//! One part of a crowd: a run of agents that one thread ticks (SYS-1).

use std::panic::{AssertUnwindSafe, catch_unwind};

use statewright_kernel::{
    self as kernel, Batch, Counters, Fault, Hosts, InboxEvent, Input, Instance, Mismatch, Sleep, SortedInbox, Visit,
    flag, prefetch, tick_batch,
};
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use crate::board::Board;
use crate::commands::{Terms, Writer};
use crate::host::AgentHost;
use crate::program::{Program, Table};
use crate::value::AgentId;

/// What one part leaves behind. Kept from tick to tick for its memory.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) writer: Writer,
    pub(crate) counters: Counters,
    /// Agents that something happened to, and whether they may sleep.
    pub(crate) touched: Vec<(u32, Sleep)>,
    /// Events that were not taken.
    pub(crate) left: Vec<InboxEvent>,
    pub(crate) faults: Vec<(AgentId, Fault)>,
    pub(crate) panicked: Vec<AgentId>,
    pub(crate) clamped: u32,
    /// Whether it had something to do in this tick: else everything else is of an earlier one.
    pub(crate) ran: bool,
}

/// What one part works on; places of `inbox`, `listed` and `stops` count from the first agent of the crowd.
pub(crate) struct Job<'j, I, B> {
    pub(crate) first: usize,
    /// Number of the agent at place 0.
    pub(crate) base: usize,
    pub(crate) instances: &'j mut [I],
    pub(crate) boards: &'j mut [B],
    pub(crate) lives: &'j [u32],
    pub(crate) variants: &'j [VariantId],
    pub(crate) inbox: &'j mut [InboxEvent],
    pub(crate) listed: &'j mut [u32],
    /// Agents that are stopped at their turn; they are listed, too.
    pub(crate) stops: &'j [u32],
    pub(crate) part: &'j mut Part,
}

/// What all parts share.
pub(crate) struct Shared<'s, B, C> {
    pub(crate) program: &'s Program<B, C>,
    pub(crate) rom: &'s Rom<'s>,
    pub(crate) context: &'s C,
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
        self.touched.clear();
        self.left.clear();
        self.faults.clear();
        self.panicked.clear();
        self.clamped = 0;
        self.ran = true;
    }

    /// A tick in which everybody ran leaves a long list behind; a crowd that sleeps does not keep it.
    pub(crate) fn give_back_memory(&mut self) {
        const SMALL: usize = 1024;
        if !self.ran {
            self.touched.clear();
        }
        let used = self.touched.len();
        if self.touched.capacity() > SMALL.max(used * 8) {
            self.touched.shrink_to(SMALL.max(used * 2));
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
        let first = self.first as u32;
        rebase(self.inbox, self.listed, |place| place - first, first);
        let mut from = 0;
        for &stop in self.stops {
            let stop = (stop - first) as usize;
            self.run_between(shared, from, stop);
            self.stop(shared, stop);
            from = stop + 1;
        }
        self.run_between(shared, from, self.instances.len());
        for (place, sleeps) in &mut self.part.touched {
            if let Some(instance) = self.instances.get((*place - first) as usize) {
                *sleeps =
                    if shared.sleeps { shared.program.sleep(shared.rom, instance, shared.now) } else { Sleep::Awake };
            }
        }
        self.count_lost_writes();
    }

    /// Ticks from a place on, up to another.
    fn run_between<C>(&mut self, shared: &Shared<'_, B, C>, mut from: usize, to: usize) {
        // Bound: each round but the last has a panic at a later place.
        while let Err(place) = self.run_until_panic(shared, from, to) {
            // A panic does not tell how much of its inbox was taken: the first event counts as taken.
            self.end_by_panic(place);
            self.drop_inbox_of(place, 1);
            from = place + 1;
        }
    }

    fn end_by_panic(&mut self, place: usize) {
        self.part.writer.discard_agent();
        self.part.panicked.push(agent_at(self.lives, place, self.first + self.base));
        self.part.touched.push(((place + self.first) as u32, Sleep::Asleep));
    }

    /// Runs all exits of an agent and ends it (SYS-10), in the place of its tick.
    #[cold]
    fn stop<C>(&mut self, shared: &Shared<'_, B, C>, place: usize) {
        let agent = agent_at(self.lives, place, self.first + self.base);
        let variant = self.variants.get(place).copied().unwrap_or(VariantId::PLAIN);
        let input = Input { variant, ..Input::new(agent.index().into(), shared.now) };
        let Part { writer: out, counters, .. } = &mut *self.part;
        out.begin();
        let (table, board, context) = (&shared.program.table, &mut self.boards[place], shared.context);
        let mut host = AgentHost { table, board, context, out, agent, strict: shared.strict };
        let instance = &mut self.instances[place];
        let run = AssertUnwindSafe(|| kernel::stop(shared.rom, instance, &mut host, &input, counters));
        match catch_unwind(run) {
            Ok(stopped) => {
                self.part.faults.extend(stopped.err().map(|fault| (agent, fault)));
                self.part.touched.push(((place + self.first) as u32, Sleep::Asleep));
            }
            Err(_) => self.end_by_panic(place),
        }
        self.drop_inbox_of(place, 0);
    }

    /// An agent that ends in a tick drops the rest of its inbox, counted.
    fn drop_inbox_of(&mut self, place: usize, taken: usize) {
        let own = self.inbox.iter().filter(|event| event.place as usize == place);
        for event in own.skip(taken) {
            let dropped = &mut self.part.counters.dropped[usize::from(event.event.class.min(3))];
            *dropped = dropped.wrapping_add(1);
        }
    }

    /// Staged writes without room count as critical commands that were dropped; the kernel does not hear of them.
    fn count_lost_writes(&mut self) {
        for &place in &self.part.writer.lost_writes {
            self.part.counters.commands_dropped = self.part.counters.commands_dropped.wrapping_add(1);
            if let Some(instance) = self.instances.get_mut(place as usize - self.first - self.base) {
                let flags = &mut instance.header_mut().flags;
                flags.set(flags.get() | flag::COMMAND_DROPPED | flag::CRITICAL_DROPPED);
            }
        }
    }

    /// Ticks from a place on, up to another; the place of a panic if there was one.
    fn run_until_panic<C>(&mut self, shared: &Shared<'_, B, C>, from: usize, to: usize) -> Result<(), usize> {
        let events = [from, to].map(|end| self.inbox.partition_point(|event| (event.place as usize) < end));
        let places = [from, to].map(|end| self.listed.partition_point(|&place| (place as usize) < end));
        let inbox = &mut self.inbox[events[0]..events[1]];
        let listed = &mut self.listed[places[0]..places[1]];
        let first = self.first as u32;
        let part = &mut *self.part;
        let mut hosts = PartHosts {
            table: &shared.program.table,
            boards: &mut self.boards[from..],
            lives: self.lives.get(from..).unwrap_or(&[]),
            context: shared.context,
            out: &mut part.writer,
            strict: shared.strict,
            first: self.first + self.base + from,
            last: 0,
        };
        // Places count from the first agent of the run.
        rebase(inbox, listed, |place| place - from as u32, from as u32);
        let (touched, left, faults) = (&mut part.touched, &mut part.left, &mut part.faults);
        let (clamped, counters) = (&mut part.clamped, &mut part.counters);
        let (lives, agents) = (self.lives, self.first + self.base);
        let run = AssertUnwindSafe(|| {
            let batch = Batch {
                first_agent: (agents + from) as u64,
                tick: shared.now,
                variants: self.variants.get(from..to).unwrap_or(&[]),
                inbox: SortedInbox::assume(inbox),
                visit: Visit::WithEventsAnd(listed),
                mismatch: shared.mismatch,
            };
            let done = |place: usize, report: &statewright_kernel::Report, rest: &[InboxEvent]| {
                let at = place + from;
                let place = at as u32 + first;
                touched.push((place, Sleep::Awake));
                if report.fault.is_some() || report.clamped || !rest.is_empty() {
                    faults.extend(report.fault.map(|fault| (agent_at(lives, at, agents), fault)));
                    *clamped += u32::from(report.clamped);
                    left.extend(rest.iter().map(|event| InboxEvent { place, ..*event }));
                }
            };
            let ran = tick_batch(shared.rom, &mut self.instances[from..to], &mut hosts, &batch, counters, done);
            debug_assert_eq!(ran, Ok(()), "the crowd gives legal batches");
        });
        let result = catch_unwind(run);
        let last = hosts.last;
        rebase(inbox, listed, |place| place + from as u32, from as u32);
        result.map_err(|_| from + last)
    }
}

/// The agent at a place; those that no crowd owns have no successors.
#[inline]
fn agent_at(lives: &[u32], place: usize, first: usize) -> AgentId {
    AgentId::new((first + place) as u32, lives.get(place).copied().unwrap_or(1))
}

/// Counts places from another agent; nothing to do if that is the first.
fn rebase(inbox: &mut [InboxEvent], listed: &mut [u32], place: impl Fn(u32) -> u32, by: u32) {
    if by != 0 {
        inbox.iter_mut().for_each(|event| event.place = place(event.place));
        listed.iter_mut().for_each(|listed| *listed = place(*listed));
    }
}

/// User code of all agents of a run.
struct PartHosts<'p, B, C> {
    table: &'p Table<B, C>,
    boards: &'p mut [B],
    lives: &'p [u32],
    context: &'p C,
    out: &'p mut Writer,
    strict: bool,
    first: usize,
    /// The agent that runs.
    last: usize,
}

impl<B: Board, C> Hosts for PartHosts<'_, B, C> {
    type Host<'h>
        = AgentHost<'h, B, C>
    where
        Self: 'h;

    #[inline]
    fn of(&mut self, place: usize, _: u64) -> AgentHost<'_, B, C> {
        self.last = place;
        self.out.begin();
        AgentHost {
            table: self.table,
            board: &mut self.boards[place],
            context: self.context,
            out: self.out,
            agent: agent_at(self.lives, place, self.first),
            strict: self.strict,
        }
    }

    #[inline]
    fn fetch(&self, place: usize) {
        if let Some(board) = self.boards.get(place) {
            prefetch(board);
        }
    }
}
