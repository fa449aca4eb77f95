//! One part of a crowd: a run of agents that one thread ticks (SYS-1).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use statewright_kernel::{
    self as kernel, Batch, Counters, Fault, Hosts, InboxEvent, Input, Instance, Mismatch, Report,
    Sleep, SortedInbox, Visit, flag, prefetch, tick_batch,
};
use statewright_rom::Rom;
use statewright_rom::ids::{FunctionId, VariantId};

use super::trace::TracedHosts;
use crate::board::Board;
use crate::commands::{Terms, Writer};
use crate::host::{AgentHost, Code, Turn, agent_at};
use crate::program::{Program, Unanswered};
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
    pub(crate) unanswered: Vec<(AgentId, FunctionId)>,
    pub(crate) clamped: u32,
    /// Whether it had something to do in this tick: else everything else is of an earlier one.
    pub(crate) ran: bool,
    /// Records its agents, if somebody wants to know (SYS-3).
    pub(crate) tracer: Option<Box<Tracer>>,
}

/// What one part works on. Everything but instances and blackboards names agents by their place in
/// the crowd.
pub(crate) struct Job<'j, I, B> {
    /// Place of the first instance.
    pub(crate) first: usize,
    pub(crate) instances: &'j mut [I],
    pub(crate) boards: &'j mut [B],
    pub(crate) inbox: &'j [InboxEvent],
    /// Who is awake; `None` for all.
    pub(crate) awake: Option<&'j [u32]>,
    /// Agents that are stopped at their turn; they are awake, too.
    pub(crate) stops: &'j [u32],
    /// Reasons that a tracer told last, one per agent or none.
    pub(crate) reasons: &'j mut [Reasons],
    pub(crate) part: &'j mut Part,
}

/// Where user code unwound, and with what.
type Panic = (usize, Box<dyn Any + Send>);

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
        self.unanswered.clear();
        (self.turns, self.clamped, self.ran) = (0, 0, true);
    }

    /// A tick in which everybody ran leaves a long list behind; a crowd that sleeps does not keep
    /// it.
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
        !self.inbox.is_empty() || self.awake.is_none_or(|awake| !awake.is_empty())
    }
}

impl<I: Instance, B: Board> Job<'_, I, B> {
    /// Ticks everybody who is awake or has events. A panic in user code ends its agent alone; the
    /// others go on.
    pub(crate) fn run<C>(mut self, shared: &Shared<'_, B, C>) {
        self.part.begin(&shared.terms);
        let mut from = self.first;
        for &stop in self.stops {
            self.run_between(shared, from, stop as usize);
            self.stop(shared, stop as usize);
            from = stop as usize + 1;
        }
        self.run_between(shared, from, self.first + self.instances.len());
        if let Some(tracer) = &mut self.part.tracer {
            tracer.end_tick();
        }
        self.settle(shared);
        self.count_lost_writes(shared.base);
    }

    /// Ticks from a place on, up to another.
    fn run_between<C>(&mut self, shared: &Shared<'_, B, C>, mut from: usize, to: usize) {
        // Bound: each round but the last has a panic at a later place.
        while let Err((place, panic)) = match self.part.tracer {
            None => self.run_until_panic::<C, false>(shared, from, to),
            Some(_) => self.run_until_panic::<C, true>(shared, from, to),
        } {
            self.end_by_panic(shared, place, &*panic);
            // A panic does not tell how much of the inbox was taken: the first event counts as
            // taken.
            self.drop_inbox_of(place, 1);
            from = place + 1;
        }
    }

    fn end_by_panic<C>(
        &mut self,
        shared: &Shared<'_, B, C>,
        place: usize,
        panic: &(dyn Any + Send),
    ) {
        self.part.writer.discard_agent();
        let agent = agent_at(shared.lives, place, shared.base);
        match panic.downcast_ref() {
            Some(&Unanswered(function)) => self.part.unanswered.push((agent, function)),
            None => self.part.panicked.push(agent),
        }
        self.part.trace_panic(agent);
        self.part.turns += 1;
    }

    /// Runs all exits of an agent and ends it (SYS-10), in the place of its tick.
    #[cold]
    fn stop<C>(&mut self, shared: &Shared<'_, B, C>, place: usize) {
        let agent = agent_at(shared.lives, place, shared.base);
        let variant = shared
            .variants
            .get(place)
            .copied()
            .unwrap_or(VariantId::PLAIN);
        let input = Input {
            variant,
            ..Input::new(agent.index().into(), shared.now)
        };
        let at = place - self.first;
        let part = &mut *self.part;
        let turn = Turn {
            out: &mut part.writer,
            lives: shared.lives,
            first: shared.base,
            place,
        };
        let code = Code {
            table: &shared.program.table,
            context: shared.context,
            strict: shared.strict,
            turn,
        };
        let mut hosts = PartHosts {
            first: self.first,
            boards: self.boards,
            code,
        };
        let (instance, counters) = (&mut self.instances[at], &mut part.counters);
        let traced = part
            .tracer
            .as_deref_mut()
            .map(|tracer| (tracer, &mut *self.reasons));
        let run = AssertUnwindSafe(|| match traced {
            None => kernel::stop(
                shared.rom,
                instance,
                &mut hosts.of(place, input.agent),
                &input,
                counters,
            ),
            Some((tracer, reasons)) => {
                let mut hosts = TracedHosts {
                    hosts: &mut hosts,
                    tracer,
                    reasons,
                };
                kernel::stop(
                    shared.rom,
                    instance,
                    &mut hosts.of(place, input.agent),
                    &input,
                    counters,
                )
            }
        });
        match catch_unwind(run) {
            Ok(stopped) => {
                self.part.turns += 1;
                self.part
                    .faults
                    .extend(stopped.err().map(|fault| (agent, fault)));
                self.part.restless.push((place as u32, Sleep::Awake));
            }
            Err(panic) => self.end_by_panic(shared, place, &*panic),
        }
        self.drop_inbox_of(place, 0);
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

    /// An agent that ends in a tick drops the rest of its inbox, counted.
    fn drop_inbox_of(&mut self, place: usize, taken: usize) {
        let first = self
            .inbox
            .partition_point(|event| (event.place as usize) < place);
        let own = self.inbox[first..]
            .iter()
            .take_while(|event| event.place as usize == place);
        for event in own.skip(taken) {
            let dropped = &mut self.part.counters.dropped[usize::from(event.event.class.min(3))];
            *dropped = dropped.wrapping_add(1);
        }
    }

    /// Staged writes without room count as critical commands that were dropped; the kernel does not
    /// hear of them.
    fn count_lost_writes(&mut self, base: usize) {
        for &agent in &self.part.writer.lost_writes {
            self.part.counters.commands_dropped =
                self.part.counters.commands_dropped.wrapping_add(1);
            if let Some(instance) = self.instances.get_mut(agent as usize - base - self.first) {
                let flags = &mut instance.header_mut().flags;
                flags.set(flags.get() | flag::COMMAND_DROPPED | flag::CRITICAL_DROPPED);
            }
        }
    }

    /// Ticks from a place on, up to another; the place of a panic, and what it carries, if there
    /// was one. Compiled twice, so that crowds without a trace pay nothing for the other ones.
    fn run_until_panic<C, const TRACED: bool>(
        &mut self,
        shared: &Shared<'_, B, C>,
        from: usize,
        to: usize,
    ) -> Result<(), Panic> {
        let [first, last] = [from, to].map(|end| {
            self.inbox
                .partition_point(|event| (event.place as usize) < end)
        });
        let inbox = &self.inbox[first..last];
        let awake = self.awake.map(|awake| {
            let [first, last] =
                [from, to].map(|end| awake.partition_point(|&place| (place as usize) < end));
            &awake[first..last]
        });
        let (start, end) = (from - self.first, to - self.first);
        let (instances, boards) = (
            &mut self.instances[start..end],
            &mut self.boards[start..end],
        );
        let part = &mut *self.part;
        let turn = Turn {
            out: &mut part.writer,
            lives: shared.lives,
            first: shared.base,
            place: from,
        };
        let code = Code {
            table: &shared.program.table,
            context: shared.context,
            strict: shared.strict,
            turn,
        };
        let mut hosts = PartHosts {
            first: from,
            boards,
            code,
        };
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
                visit: awake.map_or(Visit::All, Visit::WithEventsAnd),
                mismatch: shared.mismatch,
            };
            let done =
                |place: usize, report: &Report, left: &[InboxEvent]| ear.hear(place, report, left);
            let ran = match traced {
                Some((tracer, reasons)) if TRACED => {
                    let mut hosts = TracedHosts {
                        hosts: &mut hosts,
                        tracer,
                        reasons,
                    };
                    tick_batch(shared.rom, instances, &mut hosts, &batch, counters, done)
                }
                _ => tick_batch(shared.rom, instances, &mut hosts, &batch, counters, done),
            };
            debug_assert_eq!(ran, Ok(()), "the crowd gives legal batches");
        });
        catch_unwind(run).map_err(|panic| (hosts.code.turn.place, panic))
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
        self.faults.extend(
            report
                .fault
                .map(|fault| (agent_at(self.lives, place, self.base), fault)),
        );
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
        AgentHost {
            board: &mut self.boards[place - self.first],
            code: &mut self.code,
        }
    }

    #[inline]
    fn fetch(&self, place: usize) {
        if let Some(board) = self.boards.get(place - self.first) {
            prefetch(board);
        }
    }
}
