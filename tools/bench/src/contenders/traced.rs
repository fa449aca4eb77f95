//! Statewright with a trace of level 1: events, transitions and leaves of all agents (SYS-3).

use std::rc::Rc;
use std::sync::Arc;

use statewright_kernel::{
    ActionCx, Batch, Command, Counters, Event, GuardCx, Host, Hosts, InboxEvent, Instance,
    Instance64, Mismatch, Mode, SortedInbox, Status, Trace, Verdict, Visit, tick_batch,
};
use statewright_rom::OwnedRom;
use statewright_rom::ids::{FunctionId, KeyId};
use statewright_trace::{Filter, Level, Settings, Tracer};

use crate::board::{Board, Totals};
use crate::contenders::Contender;
use crate::contenders::statewright::{Functions, One, compile, inboxes};
use crate::script::Script;

/// User code, and where records go.
struct TracedFunctions {
    functions: Functions,
    tracer: Tracer,
}

/// User code of one agent, and its tracer.
struct TracedOne<'f> {
    one: One<'f>,
    tracer: &'f mut Tracer,
}

impl Hosts for TracedFunctions {
    type Host<'h> = TracedOne<'h>;

    #[inline(always)]
    fn of(&mut self, place: usize, agent: u64) -> TracedOne<'_> {
        self.tracer.begin(agent as u32);
        TracedOne {
            one: self.functions.of(place, agent),
            tracer: &mut self.tracer,
        }
    }

    #[inline]
    fn fetch(&self, place: usize) {
        self.functions.fetch(place);
    }

    #[inline]
    fn pass(&mut self, _: usize, agent: u64, event: &Event) {
        self.tracer.begin(agent as u32);
        self.tracer.pass(event);
    }
}

impl Host for TracedOne<'_> {
    fn guard(&self, function: FunctionId, view: GuardCx<'_, '_>) -> Verdict {
        self.one.guard(function, view)
    }

    fn score(&self, function: FunctionId, view: GuardCx<'_, '_>) -> f32 {
        self.one.score(function, view)
    }

    fn value(&self, function: FunctionId, view: GuardCx<'_, '_>) -> [u32; 3] {
        self.one.value(function, view)
    }

    #[inline]
    fn action(&mut self, function: FunctionId, actor: ActionCx<'_, '_>) {
        self.one.action(function, actor);
    }

    #[inline]
    fn activity(&mut self, function: FunctionId, mode: Mode, actor: ActionCx<'_, '_>) -> Status {
        self.one.activity(function, mode, actor)
    }

    fn command(&mut self, command: &Command) -> bool {
        self.one.command(command)
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        self.one.read_key(key)
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        self.one.write_key(key, words);
    }

    #[inline]
    fn is_tracing(&self) -> bool {
        true
    }

    #[inline]
    fn is_outline(&self) -> bool {
        true
    }

    #[inline(always)]
    fn trace(&mut self, trace: &Trace) {
        self.tracer.trace(trace, None);
    }
}

/// Agents with a trace.
pub struct Traced {
    rom: Rc<OwnedRom>,
    instances: Vec<Instance64>,
    host: TracedFunctions,
    ticks: Vec<Vec<InboxEvent>>,
    now: u32,
    counters: Counters,
    records: u64,
}

impl Traced {
    /// Agents of a machine of 64 bytes, started.
    pub fn new(text: &str, agents: usize) -> Result<Self, String> {
        let output = compile("benchmark", text)?;
        let functions = Functions::new(&output, agents)?;
        let rom = output.rom.as_rom();
        let settings = Settings::new(Level::Outline);
        let filter = Filter::new(&rom, settings).map_err(|error| error.to_string())?;
        let instances = (0..agents as u64)
            .filter_map(|agent| Instance64::new(&rom, 1, agent))
            .collect();
        let host = TracedFunctions {
            functions,
            tracer: Tracer::new(Arc::new(filter)),
        };
        let (ticks, counters) = (vec![Vec::new()], Counters::default());
        let mut traced = Self {
            rom: Rc::new(output.rom),
            instances,
            host,
            ticks,
            now: 0,
            counters,
            records: 0,
        };
        traced.run(1);
        Ok(traced)
    }
}

impl Contender for Traced {
    fn bytes_per_agent(&self) -> usize {
        size_of::<Instance64>() + size_of::<Board>()
    }

    fn load(&mut self, script: &Script) {
        self.ticks = inboxes(&self.rom.as_rom(), script);
    }

    fn run(&mut self, ticks: usize) {
        let script = std::mem::take(&mut self.ticks);
        let owned = Rc::clone(&self.rom);
        let rom = owned.as_rom();
        let sorted = |events| SortedInbox::new(events).expect("scripts are sorted");
        let inboxes: Vec<SortedInbox<'_>> = script
            .iter()
            .map(|events| sorted(events.as_slice()))
            .collect();
        for &inbox in inboxes.iter().cycle().take(ticks) {
            self.host.tracer.begin_tick(self.now);
            let (tick, mismatch) = (self.now, Mismatch::Quarantine);
            let batch = Batch {
                first_place: 0,
                first_agent: 0,
                tick,
                variants: &[],
                inbox,
                visit: Visit::All,
                mismatch,
            };
            tick_batch(
                &rom,
                &mut self.instances,
                &mut self.host,
                &batch,
                &mut self.counters,
                |_, _, _| {},
            )
            .expect("all events are for agents that exist");
            self.now = tick.wrapping_add(1);
            self.records += self.host.tracer.records().count() as u64;
        }
        self.ticks = script;
    }

    fn totals(&self) -> Option<Totals> {
        // Every event has at least a record of its own.
        assert!(
            self.records >= self.counters.events,
            "{} records",
            self.records
        );
        Some(Totals::of(
            self.host.functions.boards.iter(),
            self.counters.events,
        ))
    }
}
