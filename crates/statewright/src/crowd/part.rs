//! One part of a crowd: a run of agents that one thread ticks (SYS-1).

use std::panic::{AssertUnwindSafe, catch_unwind};

use statewright_kernel::{
    Batch, Counters, Fault, Hosts, InboxEvent, Instance, Mismatch, Sleep, SortedInbox, Visit, flag, prefetch,
    tick_batch,
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
    pub(crate) faults: Vec<(u32, Fault)>,
    pub(crate) panicked: Vec<u32>,
    pub(crate) clamped: u32,
    /// Whether it had something to do in this tick: else everything else is of an earlier one.
    pub(crate) ran: bool,
}

/// What one part works on; places of `inbox` and `listed` count from the first agent of the crowd.
pub(crate) struct Job<'j, I, B> {
    pub(crate) first: usize,
    pub(crate) instances: &'j mut [I],
    pub(crate) boards: &'j mut [B],
    pub(crate) lives: &'j [u32],
    pub(crate) variants: &'j [VariantId],
    pub(crate) inbox: &'j mut [InboxEvent],
    pub(crate) listed: &'j mut [u32],
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
        self.inbox.iter_mut().for_each(|event| event.place -= first);
        self.listed.iter_mut().for_each(|place| *place -= first);
        let mut from = 0;
        // Bound: each round but the last has a panic at a later place.
        while let Err(place) = self.run_from(shared, from) {
            self.part.writer.discard_agent();
            self.part.panicked.push(place as u32 + first);
            self.part.touched.push((place as u32 + first, Sleep::Asleep));
            from = place + 1;
        }
        for (place, sleeps) in &mut self.part.touched {
            if let Some(instance) = self.instances.get((*place - first) as usize) {
                *sleeps =
                    if shared.sleeps { shared.program.sleep(shared.rom, instance, shared.now) } else { Sleep::Awake };
            }
        }
        self.count_lost_writes();
    }

    /// Staged writes without room count as critical commands that were dropped; the kernel does not hear of them.
    fn count_lost_writes(&mut self) {
        for &place in &self.part.writer.lost_writes {
            self.part.counters.commands_dropped = self.part.counters.commands_dropped.wrapping_add(1);
            if let Some(instance) = self.instances.get_mut(place as usize - self.first) {
                let flags = &mut instance.header_mut().flags;
                flags.set(flags.get() | flag::COMMAND_DROPPED | flag::CRITICAL_DROPPED);
            }
        }
    }

    /// Ticks from a place on; the place of a panic if there was one.
    fn run_from<C>(&mut self, shared: &Shared<'_, B, C>, from: usize) -> Result<(), usize> {
        let events = self.inbox.partition_point(|event| (event.place as usize) < from);
        let places = self.listed.partition_point(|&place| (place as usize) < from);
        let (inbox, listed) = (&mut self.inbox[events..], &mut self.listed[places..]);
        let first = self.first as u32;
        let part = &mut *self.part;
        let mut hosts = PartHosts {
            table: &shared.program.table,
            boards: &mut self.boards[from..],
            lives: self.lives.get(from..).unwrap_or(&[]),
            context: shared.context,
            out: &mut part.writer,
            strict: shared.strict,
            first: self.first + from,
            last: 0,
        };
        // Places count from the first agent of the run.
        inbox.iter_mut().for_each(|event| event.place -= from as u32);
        listed.iter_mut().for_each(|place| *place -= from as u32);
        let (touched, left, faults) = (&mut part.touched, &mut part.left, &mut part.faults);
        let (clamped, counters) = (&mut part.clamped, &mut part.counters);
        let run = AssertUnwindSafe(|| {
            let Ok(sorted) = SortedInbox::new(inbox) else { return };
            let batch = Batch {
                first_agent: (self.first + from) as u64,
                tick: shared.now,
                variants: self.variants.get(from..).unwrap_or(&[]),
                inbox: sorted,
                visit: Visit::WithEventsAnd(listed),
                mismatch: shared.mismatch,
            };
            let done = |place: usize, report: &statewright_kernel::Report, rest: &[InboxEvent]| {
                let place = (place + from) as u32 + first;
                touched.push((place, Sleep::Awake));
                faults.extend(report.fault.map(|fault| (place, fault)));
                *clamped += u32::from(report.clamped);
                left.extend(rest.iter().map(|event| InboxEvent { place, ..*event }));
            };
            let ran = tick_batch(shared.rom, &mut self.instances[from..], &mut hosts, &batch, counters, done);
            debug_assert_eq!(ran, Ok(()), "the crowd gives legal batches");
        });
        let result = catch_unwind(run);
        let last = hosts.last;
        inbox.iter_mut().for_each(|event| event.place += from as u32);
        listed.iter_mut().for_each(|place| *place += from as u32);
        result.map_err(|_| from + last)
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
            // Agents that no crowd owns have no successors.
            agent: AgentId::new((self.first + place) as u32, self.lives.get(place).copied().unwrap_or(1)),
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
