//! What the owner of ticks keeps for their trace (SYS-3, SEL-7).
//!
//! Every chunk has a tracer of its own, so that threads share nothing; chunks are read in their
//! order, so that a trace is the same for any number of threads.

use std::sync::Arc;

use statewright_kernel::{self as kernel, Instance, Loss};
use statewright_trace::{Filter, Kind, Level, Reasons, Record, Totals, Tracer};

use super::output::TickOutput;
use crate::agent_id::AgentId;

/// What the owner of ticks keeps for their trace.
#[derive(Debug, Default)]
pub(crate) struct Tracing {
    /// What is recorded; `None` for nothing.
    filter: Option<Arc<Filter>>,
    /// What was said of agents between the last tick and the one before.
    told: Option<Box<Tracer>>,
    /// The same since the last tick.
    coming: Option<Box<Tracer>>,
    /// One per agent at level 3.
    reasons: Vec<Reasons>,
}

/// Between ticks.
impl Tracing {
    /// What is recorded.
    pub(crate) fn filter(&self) -> Option<&Arc<Filter>> {
        self.filter.as_ref()
    }

    /// Records by a filter from the next tick, `now`, on, or nothing any more. The filter before.
    pub(crate) fn set_filter(
        &mut self,
        filter: Option<Arc<Filter>>,
        now: u32,
    ) -> Option<Arc<Filter>> {
        let before = std::mem::replace(&mut self.filter, filter);
        let Some(filter) = &self.filter else {
            *self = Self::default();
            return before;
        };
        let tracer = || Box::new(Tracer::new(filter.clone()));
        let coming = self.coming.get_or_insert_with(tracer);
        if before.is_none() {
            coming.begin_tick(now);
        }
        coming.set_filter(filter);
        self.told.get_or_insert_with(tracer);
        if filter.highest_level() < Level::All {
            self.reasons = Vec::new();
        }
        before
    }

    /// Says in which leaves an agent is, if it is recorded.
    pub(crate) fn note_presence<I: Instance>(&mut self, agent: u32, instance: &I) {
        if let Some(coming) = &mut self.coming
            && coming.filter().has_agent(agent)
        {
            let leaves = kernel::active_leaves(instance);
            leaves.for_each(|leaf| coming.say(agent, Kind::Present, leaf.raw()));
        }
    }

    /// All agents are others than before, in time, too: every reason is news, and records of what was
    /// would be misread.
    pub(crate) fn restart(&mut self, now: u32) {
        if let Some(told) = &mut self.told {
            told.begin_tick(now);
        }
        if let Some(coming) = &mut self.coming {
            coming.begin_tick(now);
            self.reasons = Vec::new();
        }
    }

    /// A tick is left out: what was told before the last one is over. What comes is told before the next.
    pub(crate) fn forget_told(&mut self) {
        if let Some(told) = &mut self.told {
            told.begin_tick(0);
        }
    }

    /// An agent was taken away.
    pub(crate) fn note_despawn(&mut self, agent: AgentId) {
        if let Some(coming) = &mut self.coming
            && coming.filter().has_agent(agent.index())
        {
            coming.say(agent.index(), Kind::Despawned, 0);
        }
    }
}

/// Ticks.
impl Tracing {
    /// A tick begins: gives every chunk its tracer, or takes it away. So many agents there are, with these ids;
    /// indices of those who are recorded, if not all are.
    pub(crate) fn begin(
        &mut self,
        output: &mut TickOutput,
        ids: impl Iterator<Item = AgentId>,
        (agents, traced): (usize, Option<&[u32]>),
        now: u32,
    ) -> &mut [Reasons] {
        let chunks = output.chunks_mut();
        let Some(filter) = &self.filter else {
            chunks
                .iter_mut()
                .filter(|chunk| chunk.tracer.is_some())
                .for_each(|chunk| chunk.tracer = None);
            return &mut [];
        };
        if let Some(coming) = &mut self.coming {
            let surplus = chunks.iter().flat_map(|chunk| &chunk.surplus);
            surplus.for_each(|(agent, event)| coming.lose(*agent, event, Loss::Surplus));
        }
        std::mem::swap(&mut self.told, &mut self.coming);
        if let Some(told) = &mut self.told {
            told.end_tick();
        }
        if let Some(coming) = &mut self.coming {
            coming.begin_tick(now.wrapping_add(1));
        }
        for chunk in chunks {
            chunk.surplus.clear();
            let tracer = chunk
                .tracer
                .get_or_insert_with(|| Box::new(Tracer::new(filter.clone())));
            tracer.set_filter(filter);
            tracer.begin_tick(now);
        }
        if filter.highest_level() == Level::All {
            self.reasons.resize_with(agents, Reasons::default);
            let prepare = |(agent, reasons): (AgentId, &mut Reasons)| {
                let number = agent.index();
                if filter.has_agent(number) && filter.level_of(number) == Level::All {
                    reasons.prepare(filter.transitions(), agent.into());
                }
            };
            let mut all = ids.zip(&mut self.reasons);
            match traced {
                None => all.for_each(prepare),
                Some(indices) => {
                    let mut passed = 0;
                    for &index in indices {
                        let skipped = (index as usize).saturating_sub(passed);
                        if let Some(one) = all.nth(skipped) {
                            prepare(one);
                        }
                        passed = index as usize + 1;
                    }
                }
            }
        }
        &mut self.reasons
    }

    /// What was recorded in the last tick: what happened before it outside of ticks, then agent by
    /// agent.
    pub(crate) fn records<'o>(
        &'o self,
        output: &'o TickOutput,
    ) -> impl Iterator<Item = &'o Record> {
        let before = self.told.iter().flat_map(|told| told.records());
        let inside = output
            .ran()
            .filter_map(|chunk| chunk.tracer.as_ref())
            .flat_map(|tracer| tracer.records());
        before.chain(inside)
    }

    /// How many random numbers the agent at an index drew while it was traced at level 3 (CODE-6).
    pub(crate) fn draws(&self, index: usize) -> Option<u64> {
        let reasons = self.reasons.get(index)?;
        (!reasons.is_empty()).then(|| reasons.draws())
    }

    /// How often everything happened, if the settings ask for totals.
    pub(crate) fn totals(&self, output: &TickOutput) -> Totals {
        let tracers = output
            .chunks()
            .iter()
            .filter_map(|chunk| chunk.tracer.as_ref());
        let tracers = tracers.chain(&self.told).chain(&self.coming);
        let mut sum = Totals::default();
        tracers
            .filter_map(|tracer| tracer.totals())
            .for_each(|totals| sum.add(totals));
        sum
    }
}
