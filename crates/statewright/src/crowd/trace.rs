//! Traces of crowds: what their agents did, and why (SYS-3, SEL-7).
//!
//! Every part has a tracer of its own, so that threads share nothing; parts are read in their
//! order, so that a trace is the same for any number of threads. A crowd without a trace has hosts
//! that know nothing of one.

use std::io::Write;
use std::sync::Arc;

use statewright_kernel::{
    self as kernel, ActionCx as Actor, Command, Event, GuardCx as View, Host, Hosts, Mode, Status,
    Trace, Verdict,
};
use statewright_rom::ids::{FunctionId, KeyId};
use statewright_trace::file::{WriteError, Writer};
use statewright_trace::{
    Filter, Kind, Legend, Level, Reasons, Record, Settings, Totals, Tracer, UnknownNumber,
};

use super::part::{Part, PartHosts};
use super::store::with_instances;
use super::{Crowd, agents};
use crate::board::Board;
use crate::host::AgentHost;
use crate::value::AgentId;

/// What a crowd keeps for its trace.
#[derive(Debug, Default)]
pub(super) struct Tracing {
    /// What is recorded; `None` for nothing.
    filter: Option<Arc<Filter>>,
    /// What was said of agents between the last tick and the one before.
    told: Option<Box<Tracer>>,
    /// The same since the last tick.
    coming: Option<Box<Tracer>>,
    /// One per agent at level 3.
    reasons: Vec<Reasons>,
}

impl Tracing {
    /// A tick begins: gives every part its tracer, or takes it away.
    pub(super) fn begin(&mut self, parts: &mut [Part], lives: &[u32], now: u32) -> &mut [Reasons] {
        let Some(filter) = &self.filter else {
            parts
                .iter_mut()
                .filter(|part| part.tracer.is_some())
                .for_each(|part| part.tracer = None);
            return &mut [];
        };
        std::mem::swap(&mut self.told, &mut self.coming);
        if let Some(told) = &mut self.told {
            told.end_tick();
        }
        if let Some(coming) = &mut self.coming {
            coming.begin_tick(now.wrapping_add(1));
        }
        for part in parts {
            let tracer = part
                .tracer
                .get_or_insert_with(|| Box::new(Tracer::new(filter.clone())));
            tracer.set_filter(filter);
            tracer.begin_tick(now);
        }
        if filter.highest_level() == Level::All {
            self.reasons.resize_with(lives.len(), Reasons::default);
            for (place, (reasons, &life)) in self.reasons.iter_mut().zip(lives).enumerate() {
                if filter.has_agent(place as u32) && filter.level_of(place as u32) == Level::All {
                    reasons.prepare(filter.transitions(), life);
                }
            }
        }
        &mut self.reasons
    }

    /// An agent was taken away.
    pub(super) fn despawned(&mut self, place: usize) {
        if let Some(coming) = &mut self.coming
            && coming.filter().has_agent(place as u32)
        {
            coming.say(place as u32, Kind::Despawned, 0);
        }
    }

    fn records(&self) -> impl Iterator<Item = &Record> {
        self.told.iter().flat_map(|told| told.records())
    }
}

impl Part {
    /// A panic in user code ended the agent whose turn it was.
    pub(super) fn trace_panic(&mut self, agent: AgentId) {
        if let Some(tracer) = &mut self.tracer
            && tracer.filter().has_agent(agent.index())
        {
            tracer.say(agent.index(), Kind::Panicked, 0);
        }
    }
}

/// Traces.
impl<B: Board, C> Crowd<B, C> {
    /// Records what agents do from the next tick on, or nothing any more. May be called between any
    /// two ticks. Agents that were not recorded before begin with the leaves that they are in.
    ///
    /// Settings that name states or events of another machine are refused, and nothing changes.
    pub fn set_trace(&mut self, settings: Option<Settings>) -> Result<(), UnknownNumber> {
        let Some(settings) = settings else {
            self.tracing = Tracing::default();
            return Ok(());
        };
        let filter = Arc::new(Filter::new(&self.machine().rom(), settings)?);
        let mut coming = self
            .tracing
            .coming
            .take()
            .unwrap_or_else(|| Box::new(Tracer::new(filter.clone())));
        if self.tracing.filter.is_none() {
            coming.begin_tick(self.now as u32);
        }
        coming.set_filter(&filter);
        let before = self.tracing.filter.replace(filter.clone());
        self.tracing.coming = Some(coming);
        self.note_presence(|place| {
            before
                .as_ref()
                .is_none_or(|before| !before.has_agent(place))
        });
        self.tracing
            .told
            .get_or_insert_with(|| Box::new(Tracer::new(filter)));
        if self
            .tracing
            .filter
            .as_ref()
            .is_some_and(|filter| filter.highest_level() < Level::All)
        {
            self.tracing.reasons = Vec::new();
        }
        Ok(())
    }

    /// Says in which leaves recorded agents are, of those that this is news of.
    fn note_presence(&mut self, is_news: impl Fn(u32) -> bool) {
        let Some(coming) = &mut self.tracing.coming else {
            return;
        };
        for place in agents(&self.lives)
            .map(AgentId::index)
            .filter(|&place| is_news(place))
        {
            if coming.filter().has_agent(place) {
                with_instances!(&self.store, list => {
                    let leaves = kernel::active_leaves(&list[place as usize]);
                    leaves.for_each(|leaf| coming.say(place, Kind::Present, leaf.raw()));
                });
            }
        }
    }

    /// All agents are others than before: the trace says where they are, and every reason is news.
    pub(super) fn restart_trace(&mut self) {
        if let Some(coming) = &mut self.tracing.coming {
            coming.begin_tick(self.now as u32);
            self.tracing.reasons = Vec::new();
            self.note_presence(|_| true);
        }
    }

    /// What is recorded.
    pub fn trace_settings(&self) -> Option<&Settings> {
        self.tracing.filter.as_deref().map(Filter::settings)
    }

    /// What was recorded in the last tick: what happened before it outside of ticks, then agent by
    /// agent.
    pub fn trace(&self) -> impl Iterator<Item = &Record> {
        let inside = self
            .ran()
            .filter_map(|part| part.tracer.as_ref())
            .flat_map(|tracer| tracer.records());
        self.tracing.records().chain(inside)
    }

    /// How often everything happened since the [settings](Settings::totals) ask for totals; nothing
    /// if they do not.
    pub fn trace_totals(&self) -> Totals {
        let tracers = self.parts.iter().filter_map(|part| part.tracer.as_ref());
        let tracers = tracers
            .chain(&self.tracing.told)
            .chain(&self.tracing.coming);
        let mut sum = Totals::default();
        tracers
            .filter_map(|tracer| tracer.totals())
            .for_each(|totals| sum.add(totals));
        sum
    }

    /// The names behind the numbers of records.
    pub fn legend(&self) -> Legend {
        self.program.legend()
    }

    /// Adds what was recorded in the last tick to a file.
    pub fn write_trace<W: Write>(&self, writer: &mut Writer<W>) -> Result<(), WriteError> {
        writer.add(self.now.saturating_sub(1), self.trace())
    }
}

/// User code of all agents of a run, with a tracer.
pub(super) struct TracedHosts<'t, 'p, B, C> {
    pub(super) hosts: &'t mut PartHosts<'p, B, C>,
    pub(super) tracer: &'t mut Tracer,
    /// From the first agent of the run on, or none.
    pub(super) reasons: &'t mut [Reasons],
}

/// User code of one agent, with a tracer.
pub(super) struct TracedHost<'h, 'p, B, C> {
    host: AgentHost<'h, 'p, B, C>,
    tracer: &'h mut Tracer,
    reasons: Option<&'h mut Reasons>,
    /// Whether this agent is recorded.
    is_on: bool,
}

impl<'p, B: Board, C> TracedHosts<'_, 'p, B, C> {
    /// Number of the agent at a place.
    fn agent(&self, place: usize) -> u32 {
        (self.hosts.code.turn.first + place) as u32
    }

    fn host(&mut self, place: usize, is_on: bool, host: HostOf<B, C>) -> TracedHost<'_, 'p, B, C>
    where
        B: Board,
    {
        let first = self.hosts.first;
        let reasons = self
            .reasons
            .get_mut(place - first)
            .filter(|reasons| is_on && !reasons.is_empty());
        TracedHost {
            host: host(self.hosts, place),
            tracer: self.tracer,
            reasons,
            is_on,
        }
    }
}

/// How the host of an agent is had: for its turn, or once more.
type HostOf<B, C> = for<'h, 'p> fn(&'h mut PartHosts<'p, B, C>, usize) -> AgentHost<'h, 'p, B, C>;

impl<'p, B: Board, C> Hosts for TracedHosts<'_, 'p, B, C> {
    type Host<'h>
        = TracedHost<'h, 'p, B, C>
    where
        Self: 'h;

    #[inline]
    fn of(&mut self, place: usize, _: u64) -> TracedHost<'_, 'p, B, C> {
        let agent = self.agent(place);
        let is_on = self.tracer.filter().has_agent(agent);
        if is_on {
            self.tracer.begin(agent);
        }
        self.host(place, is_on, |hosts, place| hosts.of(place, 0))
    }

    #[inline]
    fn again(&mut self, place: usize, _: u64) -> TracedHost<'_, 'p, B, C> {
        let is_on = self.tracer.filter().has_agent(self.agent(place));
        self.host(place, is_on, |hosts, place| hosts.again(place, 0))
    }

    #[inline]
    fn fetch(&self, place: usize) {
        self.hosts.fetch(place);
    }

    #[inline]
    fn traces_steps(&self, place: usize) -> bool {
        let agent = self.agent(place);
        !self.tracer.is_outline_of(agent) && self.tracer.filter().has_agent(agent)
    }

    #[inline]
    fn pass(&mut self, place: usize, _: u64, event: &Event) {
        let agent = self.agent(place);
        if self.tracer.filter().has_agent(agent) {
            self.tracer.begin(agent);
            self.tracer.pass(event);
        }
    }
}

impl<B: Board, C> Host for TracedHost<'_, '_, B, C> {
    #[inline]
    fn guard(&self, function: FunctionId, view: View<'_, '_>) -> Verdict {
        self.host.guard(function, view)
    }

    #[inline]
    fn score(&self, function: FunctionId, view: View<'_, '_>) -> f32 {
        self.host.score(function, view)
    }

    #[inline]
    fn action(&mut self, function: FunctionId, actor: Actor<'_, '_>) {
        self.host.action(function, actor);
    }

    #[inline]
    fn activity(&mut self, function: FunctionId, mode: Mode, actor: Actor<'_, '_>) -> Status {
        self.host.activity(function, mode, actor)
    }

    fn command(&mut self, command: &Command) -> bool {
        self.host.command(command)
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.host.read_key(key)
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        self.host.write_key(key, words);
    }

    #[inline]
    fn is_tracing(&self) -> bool {
        self.is_on
    }

    #[inline]
    fn is_outline(&self) -> bool {
        self.tracer.is_outline()
    }

    #[inline(always)]
    fn trace(&mut self, trace: &Trace) {
        if let Trace::Started = trace {
            self.tracer
                .set_life(self.host.code.turn.agent().generation());
        }
        self.tracer.trace(trace, self.reasons.as_deref_mut());
    }
}
