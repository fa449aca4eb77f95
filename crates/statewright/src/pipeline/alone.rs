//! The turn of one agent that is ticked by itself: what a [`ChunkJob`] does for a run of agents,
//! without what only many need.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice::from_mut;

use statewright_kernel::{Event, Hosts, Inbox, Input, Instance, Loss, Report, tick};

use super::chunk::Chunk;
use super::env::{AgentIds, TickEnv};
use super::hosts::ChunkHosts;
use super::job::{ChunkJob, Unwound};
use super::panicked::CallPlace;
use crate::board::Board;

/// One agent and where its turn leaves what comes of it.
pub(crate) struct Alone<'j, I, B> {
    /// Who it is.
    pub(crate) ids: AgentIds<'j>,
    pub(crate) instance: &'j mut I,
    pub(crate) board: &'j mut B,
    pub(crate) chunk: &'j mut Chunk,
}

impl<I: Instance, B: Board> Alone<'_, I, B> {
    /// Ticks it. `None` if user code unwound: the agent has ended, and all its events are gone.
    #[inline]
    pub(crate) fn run<C>(mut self, env: &TickEnv<'_, B, C>, events: &[Event]) -> Option<Report> {
        self.chunk.go_on(env.limits.tick);
        let ran = self.run_until_panic(env, events);
        let report = match ran {
            Ok(report) => {
                self.drop_surplus(env, events.get(report.inbox_taken..).unwrap_or(&[]));
                Some(report)
            }
            Err(unwound) => {
                self.end_by_panic(env, &unwound, events);
                None
            }
        };
        if env.strict {
            self.job().write_what_waited(env);
        }
        report
    }

    /// User code unwound before anything else was done in its tick.
    #[cold]
    pub(crate) fn unwind<C>(
        mut self,
        env: &TickEnv<'_, B, C>,
        (call, panic): (Option<CallPlace>, Box<dyn Any + Send>),
        events: &[Event],
    ) {
        let unwound = Unwound {
            index: 0,
            call,
            panic,
        };
        self.end_by_panic(env, &unwound, events);
    }

    #[inline]
    fn run_until_panic<C>(
        &mut self,
        env: &TickEnv<'_, B, C>,
        events: &[Event],
    ) -> Result<Report, Unwound> {
        let Chunk {
            writer, counters, ..
        } = &mut *self.chunk;
        let boards = from_mut(self.board);
        let mut hosts: ChunkHosts<'_, B, C> = ChunkHosts::new(env, self.ids, (0, boards), writer);
        let input = Input {
            variant: env.variant(0),
            inbox: Inbox::Own(events),
            mismatch: env.mismatch,
            ..Input::new(0, env.now)
        };
        let instance = &mut *self.instance;
        let run = AssertUnwindSafe(|| {
            let mut host = hosts.of(0, 0);
            tick(env.rom, instance, &mut host, &input, counters)
        });
        catch_unwind(run).map_err(|panic| Unwound {
            index: 0,
            call: hosts.unwound(),
            panic,
        })
    }

    /// The same as one of many.
    fn job(&mut self) -> ChunkJob<'_, I, B> {
        ChunkJob {
            first: 0,
            ids: self.ids,
            instances: from_mut(self.instance),
            boards: from_mut(self.board),
            inbox: &[],
            awake: None,
            stops: &[],
            reasons: &mut [],
            chunk: self.chunk,
        }
    }

    /// A panic does not tell how many events were taken: the first counts as taken.
    #[cold]
    #[inline(never)]
    fn end_by_panic<C>(&mut self, env: &TickEnv<'_, B, C>, unwound: &Unwound, events: &[Event]) {
        self.job().end_by_panic(env, unwound);
        for event in events.iter().skip(1) {
            self.chunk.counters.lose(Loss::Ended, event.class());
        }
    }

    /// Of events that were not taken one cap's worth is offered again; the newest of more are dropped
    /// (EVT-4).
    #[inline]
    fn drop_surplus<C>(&mut self, env: &TickEnv<'_, B, C>, left: &[Event]) {
        if left.is_empty() {
            return;
        }
        let cap = usize::from(env.rom.header().events_per_tick.get());
        for event in left.iter().skip(cap) {
            self.chunk.counters.lose(Loss::Surplus, event.class());
        }
    }
}
