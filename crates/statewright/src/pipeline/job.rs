//! One job: a run of agents that one thread ticks, one after the other (SYS-1).

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use statewright_kernel::{
    self as kernel, Batch, Counters, Done, Fault, Hosts, InboxEvent, Input, Instance, Loss, Report,
    Sleep, SortedInbox, Visit, flag, tick_batch, tick_batch_by_code,
};
use statewright_rom::Rom;
use statewright_rom::ids::KeyId;
use statewright_trace::{Reasons, Tracer};
use zerocopy::{FromBytes, IntoBytes};

use super::awake::AwakeNext;
use super::changes::Before;
use super::chunk::Chunk;
use super::env::{AgentIds, TickEnv};
use super::hosts::{ChunkHosts, CodeHosts};
use super::panicked::{CallPlace, Panicked};
use super::stretch::{Looked, Stretches};
use super::timed_hosts::TimedHosts;
use super::traced_hosts::{Traced, TracedHosts};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::fused::{ByTables, FusedBy};
use crate::program::UnboundCall;

/// What one job works on. Everything but instances and blackboards names agents by their index
/// among all.
pub(crate) struct ChunkJob<'j, I, B> {
    /// Index of the first instance.
    pub(super) first: usize,
    /// Who they are.
    pub(super) ids: AgentIds<'j>,
    pub(super) instances: &'j mut [I],
    pub(super) boards: &'j mut [B],
    pub(super) inbox: &'j [InboxEvent],
    /// Who is awake; `None` for all.
    pub(super) awake: Option<&'j [u32]>,
    /// Agents that are stopped at their turn.
    pub(super) stops: &'j [u32],
    /// Reasons that a tracer told last, one per agent or none.
    pub(super) reasons: &'j mut [Reasons],
    pub(super) chunk: &'j mut Chunk,
}

/// Where user code unwound, and with what.
pub(super) struct Unwound {
    pub(super) index: usize,
    pub(super) call: Option<CallPlace>,
    pub(super) panic: Box<dyn Any + Send>,
}

impl<I, B> ChunkJob<'_, I, B> {
    /// Is there somebody who is awake, is stopped or has events?
    pub(super) fn has_work(&mut self) -> bool {
        self.chunk.ran = false;
        !self.inbox.is_empty()
            || !self.stops.is_empty()
            || self.awake.is_none_or(|awake| !awake.is_empty())
    }
}

/// The phases.
impl<I: Instance, B: Board> ChunkJob<'_, I, B> {
    /// Ticks everybody who is awake or has events. A panic in user code ends its agent alone; the
    /// others go on.
    pub(super) fn run<C>(mut self, env: &TickEnv<'_, B, C>) {
        self.chunk.begin(&env.limits);
        let before = env.lists_changed.then(|| Before::of(&mut self));
        let mut from = self.first;
        for &stop in self.stops {
            self.run_between(env, from, stop as usize);
            self.stop(env, stop as usize);
            from = stop as usize + 1;
        }
        self.run_between(env, from, self.first + self.instances.len());
        if let Some(tracer) = &mut self.chunk.tracer {
            tracer.end_tick();
        }
        if let Some(log) = &mut self.chunk.sealed {
            log.close();
        }
        self.choose_sleepers(env);
        self.drop_surplus(env);
        self.write_what_waited(env);
        if let Some(before) = before {
            before.list_changed(&mut self);
        }
    }

    /// Ticks from an index on, up to another. Sealed and traced agents go by themselves, so that the others
    /// pay nothing for them.
    fn run_between<C>(&mut self, env: &TickEnv<'_, B, C>, from: usize, to: usize) {
        let stretches = Stretches::new(env.sealed, (self.chunk.tracer.is_some(), env.traced));
        let mut at = from;
        // Bound: each stretch ends behind its beginning.
        while at < to {
            let (looked, end) = stretches.at(at, to);
            self.run_alike(env, (at, end), looked);
            at = end;
        }
    }

    /// Ticks from an index on, up to another: all of them are looked at in one way.
    fn run_alike<C>(
        &mut self,
        env: &TickEnv<'_, B, C>,
        (mut from, to): (usize, usize),
        looked: Looked,
    ) {
        let is_plain = looked.is_plain() && env.timing.is_none() && !env.strict;
        // Bound: each round but the last has a panic at a later index.
        while let Err(unwound) = match is_plain {
            true => self.run_until_panic::<C, false>(env, (from, to), looked),
            false => self.run_until_panic::<C, true>(env, (from, to), looked),
        } {
            let index = unwound.index;
            self.end_by_panic(env, &unwound);
            if looked.seal {
                self.seal_panic(env, index);
            }
            // A panic does not tell how much of the inbox was taken: the first event counts as
            // taken.
            self.drop_inbox_of(index, 1);
            from = index + 1;
        }
    }

    /// Ticks from an index on, up to another; the index of a panic, and what it carries, if there
    /// was one. Compiled twice, so that ticks that nobody traces or measures, and whose writes do not wait,
    /// pay nothing for the other ones.
    fn run_until_panic<C, const OBSERVED: bool>(
        &mut self,
        env: &TickEnv<'_, B, C>,
        (from, to): (usize, usize),
        looked: Looked,
    ) -> Result<(), Unwound> {
        let [first, last] = [from, to].map(|end| {
            self.inbox
                .partition_point(|event| (event.place as usize) < end)
        });
        let inbox = &self.inbox[first..last];
        let awake = self.awake.map(|awake| {
            let [first, last] =
                [from, to].map(|end| awake.partition_point(|&index| (index as usize) < end));
            &awake[first..last]
        });
        if inbox.is_empty() && awake.is_some_and(<[u32]>::is_empty) {
            // Between those who are looked at there is often nobody.
            return Ok(());
        }
        let (start, end) = (from - self.first, to - self.first);
        let instances = &mut self.instances[start..end];
        let chunk = &mut *self.chunk;
        let (boards, writer) = (&mut self.boards[start..end], &mut chunk.writer);
        let mut hosts: ChunkHosts<'_, B, C> =
            ChunkHosts::new(env, self.ids, (from, boards), writer);
        if OBSERVED && looked.seal {
            hosts.seal(chunk.sealed.take().unwrap_or_default());
        }
        let mut sink = TickSink {
            turns: 0,
            awake_next: &mut chunk.awake_next,
            pollers_stay: env.sleepers.all_pollers_stay_awake(),
            left: &mut chunk.left,
            faults: &mut chunk.faults,
            clamped: &mut chunk.clamped,
            overflowed: &mut chunk.overflowed,
            ids: self.ids,
        };
        let counters = &mut chunk.counters;
        let mut calls = take_calls(&mut chunk.tracer);
        let tracer = chunk.tracer.as_deref_mut().filter(|_| looked.trace);
        let traced = tracer.map(|tracer| Traced {
            tracer,
            reasons: self.reasons.get_mut(start..).unwrap_or_default(),
            calls: Cell::from_mut(calls.as_mut_slice()).as_slice_of_cells(),
        });
        let times = RefCell::new(std::mem::take(&mut chunk.times));
        let run = AssertUnwindSafe(|| {
            let batch = Batch {
                first_place: from,
                first_agent: 0,
                tick: env.now,
                // One per agent up to the last instance.
                variants: env.variants.get(..from + instances.len()).unwrap_or(&[]),
                inbox: SortedInbox::assume(inbox),
                visit: awake.map_or(Visit::All, Visit::WithEventsAnd),
                mismatch: env.mismatch,
            };
            if !OBSERVED && let Some(code) = env.table.fused.filter(|_| env.rom.tier() == I::TIER) {
                return code(FusedBatch {
                    rom: env.rom,
                    instances: instances.as_mut_bytes(),
                    hosts: &mut hosts,
                    batch: &batch,
                    counters,
                    sink: &mut sink,
                });
            }
            let done =
                |index: usize, report: &Report, left: &[InboxEvent]| sink.take(index, report, left);
            let ran = match (env.timing, traced) {
                (Some(timing), traced) if OBSERVED => {
                    let timing = (timing, env.now);
                    let mut hosts = TimedHosts::new(&mut hosts, traced, timing, &times);
                    tick_batch(env.rom, instances, &mut hosts, &batch, counters, done)
                }
                (_, Some(traced)) if OBSERVED => {
                    let mut hosts = TracedHosts::new(&mut hosts, traced);
                    tick_batch(env.rom, instances, &mut hosts, &batch, counters, done)
                }
                // Writes wait.
                _ if OBSERVED => tick_batch(env.rom, instances, &mut hosts, &batch, counters, done),
                _ => {
                    debug_assert!(!env.strict, "nobody would ask");
                    let (hosts, code) = (&mut hosts, ByTables);
                    let mut hosts = CodeHosts { hosts, code };
                    tick_batch(env.rom, instances, &mut hosts, &batch, counters, done)
                }
            };
            debug_assert_eq!(ran, Ok(()), "jobs are legal batches");
        });
        let ran = catch_unwind(run);
        chunk.turns += sink.turns;
        chunk.times = times.into_inner();
        put_calls(&mut chunk.tracer, calls);
        if OBSERVED && let Some(log) = hosts.unseal() {
            chunk.sealed = Some(log);
        }
        ran.map_err(|panic| Unwound {
            index: hosts.index(),
            call: hosts.unwound(),
            panic,
        })
    }

    /// Writes down that user code of a sealed agent panicked: what the agent is from then on.
    #[cold]
    fn seal_panic<C>(&mut self, env: &TickEnv<'_, B, C>, index: usize) {
        let place = index - self.first;
        let Some(log) = &mut self.chunk.sealed else {
            return;
        };
        if let Some(board) = self.boards.get(place) {
            for number in 0..env.rom.keys().len() {
                if let Some(key) = KeyId::from_index(number) {
                    log.write_key(key, board.read(env.table.field(key)));
                }
            }
        }
        if let Some(instance) = self.instances.get(place) {
            log.rng(instance.header().rng.get());
        }
        let agent = self.ids.at(index);
        let said = self.chunk.panicked.last().filter(|one| one.agent == agent);
        log.panic(said.map_or("the function is not there", |said| &said.message));
    }

    pub(super) fn end_by_panic<C>(&mut self, env: &TickEnv<'_, B, C>, unwound: &Unwound) {
        self.chunk.writer.discard_agent();
        let agent = self.ids.at(unwound.index);
        match unwound.panic.downcast_ref() {
            Some(&UnboundCall(function)) => self.chunk.unbound_calls.push((agent, function)),
            None => {
                let Unwound { call, panic, .. } = unwound;
                let panicked = Panicked::new(agent, *call, env.machine, &**panic);
                self.chunk.panicked.push(panicked);
            }
        }
        self.chunk.trace_panic(agent);
        self.chunk.turns += 1;
    }

    /// Runs all exits of an agent and ends it (SYS-10), in the place of its tick.
    #[cold]
    fn stop<C>(&mut self, env: &TickEnv<'_, B, C>, index: usize) {
        let agent = self.ids.at(index);
        let input = Input {
            variant: env.variant(index),
            ..Input::new(index as u64, env.now)
        };
        let chunk = &mut *self.chunk;
        let writer = &mut chunk.writer;
        let mut hosts: ChunkHosts<'_, B, C> =
            ChunkHosts::new(env, self.ids, (self.first, self.boards), writer);
        let seal = env.sealed.is_some_and(|sealed| sealed.has(index as u32));
        if seal {
            hosts.seal(chunk.sealed.take().unwrap_or_default());
        }
        let instance = &mut self.instances[index - self.first];
        let counters = &mut chunk.counters;
        let mut calls = take_calls(&mut chunk.tracer);
        let traced = chunk.tracer.as_deref_mut().map(|tracer| Traced {
            tracer,
            reasons: &mut *self.reasons,
            calls: Cell::from_mut(calls.as_mut_slice()).as_slice_of_cells(),
        });
        let times = RefCell::new(std::mem::take(&mut chunk.times));
        let run = AssertUnwindSafe(|| match (env.timing, traced) {
            (Some(timing), traced) => {
                let timing = (timing, env.now);
                let mut hosts = TimedHosts::new(&mut hosts, traced, timing, &times);
                let mut host = hosts.of(index, input.agent);
                kernel::stop(env.rom, instance, &mut host, &input, counters)
            }
            (None, None) => {
                let mut host = hosts.of(index, input.agent);
                kernel::stop(env.rom, instance, &mut host, &input, counters)
            }
            (None, Some(traced)) => {
                let mut hosts = TracedHosts::new(&mut hosts, traced);
                let mut host = hosts.of(index, input.agent);
                kernel::stop(env.rom, instance, &mut host, &input, counters)
            }
        });
        let ran = catch_unwind(run);
        chunk.times = times.into_inner();
        put_calls(&mut chunk.tracer, calls);
        let call = hosts.unwound();
        if let Some(log) = hosts.unseal() {
            chunk.sealed = Some(log);
        }
        match ran {
            Ok(stopped) => {
                let fault = stopped.err().map(|fault| (agent, fault));
                self.chunk.turns += 1;
                self.chunk.faults.extend(fault);
                self.chunk.awake_next.ask(index as u32);
            }
            Err(panic) => {
                let unwound = Unwound { index, call, panic };
                self.end_by_panic(env, &unwound);
                if seal {
                    self.seal_panic(env, index);
                }
            }
        }
        self.drop_inbox_of(index, 0);
    }
}

/// After the last turn.
impl<I: Instance, B: Board> ChunkJob<'_, I, B> {
    /// Who may sleep of those who were not seen at rest?
    fn choose_sleepers<C>(&mut self, env: &TickEnv<'_, B, C>) {
        if !env.sleeping {
            return;
        }
        let (instances, first) = (&*self.instances, self.first);
        self.chunk
            .awake_next
            .choose(|index| match instances.get(index as usize - first) {
                Some(instance) => env.sleepers.sleep(env.rom, instance, env.now),
                None => Sleep::Awake,
            });
    }

    /// Of events that were not taken, one cap's worth per agent is offered again; the newest of
    /// more are dropped (EVT-4).
    fn drop_surplus<C>(&mut self, env: &TickEnv<'_, B, C>) {
        let cap = usize::from(env.rom.header().events_per_tick.get());
        if self.chunk.left.len() <= cap {
            return;
        }
        let mut left = std::mem::take(&mut self.chunk.left);
        let (mut current, mut kept) = (None, 0);
        left.retain(|event| {
            if current != Some(event.place) {
                (current, kept) = (Some(event.place), 0);
            }
            kept += 1;
            if kept > cap {
                let agent = self.ids.number(event.place as usize);
                self.chunk.drop_surplus(agent, event);
            }
            kept <= cap
        });
        self.chunk.left = left;
    }

    /// An agent that ends in a tick drops the rest of its inbox, counted.
    fn drop_inbox_of(&mut self, index: usize, taken: usize) {
        let agent = self.ids.number(index);
        let first = self
            .inbox
            .partition_point(|event| (event.place as usize) < index);
        let own = self.inbox[first..]
            .iter()
            .take_while(|event| event.place as usize == index);
        own.skip(taken)
            .for_each(|event| self.chunk.lose(agent, event, Loss::Ended));
    }

    /// In strict mode.
    pub(super) fn write_what_waited<C>(&mut self, env: &TickEnv<'_, B, C>) {
        self.count_lost_writes();
        self.write_staged(env);
    }

    /// Staged writes without room count as critical commands that were dropped; the kernel does not
    /// hear of them.
    fn count_lost_writes(&mut self) {
        for &index in &self.chunk.writer.lost_writes {
            let dropped = &mut self.chunk.counters.commands_dropped;
            *dropped = dropped.wrapping_add(1);
            if let Some(instance) = self.instances.get_mut(index as usize - self.first) {
                let flags = &mut instance.header_mut().flags;
                flags.set(flags.get() | flag::COMMAND_DROPPED | flag::CRITICAL_DROPPED);
            }
        }
    }

    /// Does the writes that waited for the end of the tick (CODE-5). Nobody but its own agent reads
    /// a blackboard, so that this need not wait for other chunks. A condition that waits for such a
    /// key may hold now: whoever wrote is awake.
    fn write_staged<C>(&mut self, env: &TickEnv<'_, B, C>) {
        let Chunk {
            writer, awake_next, ..
        } = &mut *self.chunk;
        if writer.staged.is_empty() && writer.staged_fields.is_empty() {
            return;
        }
        let writes = writer.iter().filter_map(|command| command.write(env.rom));
        for ((key, words), &index) in writes.zip(&writer.staged) {
            self.boards[index as usize - self.first].write(env.table.field(key), words);
        }
        for &(index, field, words) in &writer.staged_fields {
            self.boards[index as usize - self.first].write(field, words);
        }
        let fields = writer.staged_fields.iter().map(|&(index, ..)| index);
        awake_next.wake(writer.staged.iter().copied().chain(fields));
    }
}

/// Counts of calls, out of a tracer for the time of a run: guards count, too, and they change
/// nothing.
fn take_calls(tracer: &mut Option<Box<Tracer>>) -> Vec<u64> {
    tracer
        .as_mut()
        .map_or_else(Vec::new, |tracer| tracer.take_calls())
}

fn put_calls(tracer: &mut Option<Box<Tracer>>, calls: Vec<u64>) {
    if let Some(tracer) = tracer {
        tracer.put_calls(calls);
    }
}

/// A tick of many agents for code that was made of one machine.
#[cfg_attr(
    not(feature = "macros"),
    allow(dead_code, reason = "only what `machine!` writes makes use of it")
)]
pub(crate) struct FusedBatch<'j, 'a, 'c, B, C> {
    rom: &'a Rom<'a>,
    /// Instances of the machine's tier.
    instances: &'a mut [u8],
    hosts: &'j mut ChunkHosts<'c, B, C>,
    batch: &'j Batch<'a>,
    counters: &'a mut Counters,
    sink: &'j mut TickSink<'c>,
}

#[cfg_attr(
    not(feature = "macros"),
    allow(dead_code, reason = "only what `machine!` writes makes use of it")
)]
impl<B: Board, C> FusedBatch<'_, '_, '_, B, C> {
    /// Ticks them by code for instances of this type.
    pub(crate) fn run<I: Instance, F: FusedBy<B, C>>(self, code: F) {
        let Ok(instances) = <[I]>::mut_from_bytes(self.instances) else {
            debug_assert!(false, "the code is of the machine's tier");
            return;
        };
        let mut hosts = CodeHosts {
            hosts: self.hosts,
            code,
        };
        let ran = tick_batch_by_code(
            self.rom,
            instances,
            &mut hosts,
            self.batch,
            self.counters,
            self.sink,
        );
        debug_assert_eq!(ran, Ok(()), "jobs are legal batches");
    }
}

/// Takes what becomes of the agents of a run.
pub(crate) struct TickSink<'c> {
    turns: usize,
    awake_next: &'c mut AwakeNext,
    /// Whoever polls stays awake, wherever it is.
    pollers_stay: bool,
    left: &'c mut Vec<InboxEvent>,
    faults: &'c mut Vec<(AgentId, Fault)>,
    clamped: &'c mut Vec<AgentId>,
    overflowed: &'c mut Vec<AgentId>,
    ids: AgentIds<'c>,
}

impl Done for TickSink<'_> {
    #[inline(always)]
    fn done(&mut self, index: usize, report: &Report, left: &[InboxEvent]) {
        self.take(index, report, left);
    }

    #[inline(always)]
    fn rests(&mut self, _: usize) {
        self.turns += 1;
    }

    #[inline(always)]
    fn polled(&mut self, first: usize, count: usize) {
        if count != 0 {
            self.take_polled(first, count);
        }
    }
}

impl TickSink<'_> {
    #[inline(always)]
    fn take(&mut self, index: usize, report: &Report, left: &[InboxEvent]) {
        self.turns += 1;
        if report.rests {
            return;
        }
        self.awake_next.ask(index as u32);
        if !report.is_plain() || !left.is_empty() {
            self.note(index, report, left);
        }
    }

    #[inline(never)]
    fn take_polled(&mut self, first: usize, count: usize) {
        self.turns += count;
        match self.pollers_stay {
            true => self.awake_next.stay_all(first as u32, count as u32),
            false => self.awake_next.ask_all(first as u32, count as u32),
        }
    }

    #[inline(never)]
    fn note(&mut self, index: usize, report: &Report, left: &[InboxEvent]) {
        let fault = report.fault.map(|fault| (self.ids.at(index), fault));
        self.faults.extend(fault);
        let agent = || self.ids.at(index);
        self.clamped.extend(report.clamped.then(agent));
        self.overflowed.extend(report.overflowed.then(agent));
        self.left.extend_from_slice(left);
    }
}
