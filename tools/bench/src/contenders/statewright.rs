//! Statewright: a compiled machine, instances beside blackboards, and a host that has a table of functions.
//!
//! Everything that knows the kernel's interface is in this file.

use std::hint::black_box;
use std::rc::Rc;

use statewright_author::render::{Style, render_text};
use statewright_compile::{Options, Output, compile_with};
use statewright_kernel::{
    Actor, Batch, Call, Command, Counters, Event, Host, Inbox, InboxEvent, Input, Instance, Instance64, Instance128,
    Instance256, Mismatch, Mode, Status, Verdict, View, post, tick, tick_batch,
};
use statewright_rom::ids::{EventId, KeyId};
use statewright_rom::{OwnedRom, Rom};

use crate::board::{Board, Totals};
use crate::callbacks;
use crate::contenders::{Contender, Kind};
use crate::script::{Script, Tick};

/// Compiles a machine and makes agents of it, started; `kind` says how events reach them.
pub fn machine(name: &str, text: &str, kind: Kind, agents: usize) -> Result<Box<dyn Contender>, String> {
    let (graph, problems) = statewright_author::text::read(name, text);
    let (output, problems) = compile_with(&graph, problems, &Options::default());
    let output = output.ok_or_else(|| render_text(&problems, &graph.source, Style::default()))?;
    Ok(match output.rom.as_rom().header().tier {
        0 => Box::new(Agents::<Instance64>::new(output, kind, agents)?),
        1 => Box::new(Agents::<Instance128>::new(output, kind, agents)?),
        _ => Box::new(Agents::<Instance256>::new(output, kind, agents)?),
    })
}

/// User code: functions by their number, and the blackboards.
struct Functions {
    actions: Vec<fn(&mut Board)>,
    guards: Vec<fn(&Board) -> bool>,
    boards: Vec<Board>,
    /// Whose turn it is.
    agent: usize,
}

impl Functions {
    fn new(output: &Output, agents: usize) -> Result<Self, String> {
        let names = || output.symbols.functions.iter().map(|function| function.name.as_str());
        if let Some(name) = names().find(|name| callbacks::action(name).is_none() && callbacks::guard(name).is_none()) {
            return Err(format!("the machine calls `{name}`, which the benchmark does not have"));
        }
        Ok(Self {
            actions: names().map(|name| callbacks::action(name).unwrap_or(|_| {})).collect(),
            guards: names().map(|name| callbacks::guard(name).unwrap_or(|_| false)).collect(),
            boards: vec![Board::default(); agents],
            agent: 0,
        })
    }
}

impl Host for Functions {
    fn begin(&mut self, agent: u64) {
        self.agent = agent as usize;
    }

    fn guard(&self, call: &Call<'_>, _: &mut View<'_, '_>) -> Verdict {
        let guard = self.guards[call.function.index()];
        Verdict::from(guard(&self.boards[self.agent]))
    }

    fn score(&self, _: &Call<'_>, _: &mut View<'_, '_>) -> f32 {
        0.0
    }

    fn action(&mut self, call: &Call<'_>, _: &mut Actor<'_, '_>) {
        let action = self.actions[call.function.index()];
        action(&mut self.boards[self.agent]);
    }

    fn activity(&mut self, _: &Call<'_>, _: Mode, _: &mut Actor<'_, '_>) -> Status {
        Status::Running
    }

    fn command(&mut self, _: &Command) -> bool {
        true
    }

    fn read_key(&self, _: KeyId) -> [u32; 3] {
        [0; 3]
    }

    fn write_key(&mut self, _: KeyId, _: [u32; 3]) {}
}

/// Many agents.
struct Agents<I> {
    rom: Rc<OwnedRom>,
    kind: Kind,
    instances: Vec<I>,
    host: Functions,
    /// The events of each tick, as the batch wants them.
    ticks: Vec<Vec<InboxEvent>>,
    /// The same for an agent that is alone and gets one event in every tick.
    singles: Vec<InboxEvent>,
    now: u32,
    counters: Counters,
}

impl<I: Instance> Agents<I> {
    fn new(output: Output, kind: Kind, agents: usize) -> Result<Self, String> {
        let host = Functions::new(&output, agents)?;
        let rom = output.rom.as_rom();
        let new = |agent| I::new(&rom, 1, agent as u64).ok_or("the machine has another tier");
        let instances = (0..agents).map(new).collect::<Result<Vec<I>, _>>()?;
        let ticks = vec![Vec::new()];
        let mut agents = Self {
            rom: Rc::new(output.rom),
            kind,
            instances,
            host,
            ticks,
            singles: Vec::new(),
            now: 0,
            counters: Counters::default(),
        };
        agents.run(1);
        Ok(agents)
    }
}

/// One tick, in the ways that events can come.
impl<I: Instance> Agents<I> {
    fn run_all(&mut self, rom: &Rom<'_>, inbox: &[InboxEvent]) {
        let batch = Batch { first_agent: 0, tick: self.now, variants: &[], inbox, mismatch: Mismatch::Quarantine };
        tick_batch(rom, &mut self.instances, &mut self.host, &batch, &mut self.counters, |_, _, _| {})
            .expect("the inbox is sorted");
    }

    fn run_one(&mut self, rom: &Rom<'_>, place: u32, events: &[Event]) {
        self.host.begin(u64::from(place));
        let input = Input { inbox: Inbox::Own(events), ..Input::new(u64::from(place), self.now) };
        tick(rom, &mut self.instances[place as usize], &mut self.host, &input, &mut self.counters);
    }

    fn post_all(&mut self, rom: &Rom<'_>, events: &[InboxEvent]) {
        for InboxEvent { place, event } in events {
            let id = event.id().expect("scripts have known events only");
            let instance = &mut self.instances[*place as usize];
            post(rom, instance, self.now, id, None, [0; 4], &mut self.counters).expect("the instance is sound");
        }
    }

    /// One agent, one event in every tick.
    fn run_alone(&mut self, rom: &Rom<'_>, event: &InboxEvent) {
        match self.kind {
            Kind::Queue => {
                self.post_all(rom, std::slice::from_ref(event));
                self.run_one(rom, 0, &[]);
            }
            _ => self.run_one(rom, 0, std::slice::from_ref(&event.event)),
        }
        self.now = self.now.wrapping_add(1);
    }

    fn run_tick(&mut self, rom: &Rom<'_>, events: &[InboxEvent]) {
        // Some get an event, and nobody else has anything to do.
        let few = !events.is_empty() && events.len() < self.instances.len();
        match self.kind {
            _ if events.is_empty() && self.instances.len() == 1 => self.run_one(rom, 0, &[]),
            Kind::Queue => {
                self.post_all(rom, events);
                self.run_all(rom, &[]);
            }
            Kind::Inbox if few => {
                events.iter().for_each(|event| self.run_one(rom, event.place, std::slice::from_ref(&event.event)));
            }
            _ => self.run_all(rom, events),
        }
        self.now = self.now.wrapping_add(1);
    }
}

impl<I: Instance> Contender for Agents<I> {
    fn bytes_per_agent(&self) -> usize {
        size_of::<I>() + size_of::<Board>()
    }

    fn load(&mut self, script: &Script) {
        let rom = self.rom.as_rom();
        let event = |number: u8| {
            let id = EventId::new(u16::from(number)).expect("event numbers are small");
            let class = rom.event(id).map_or(0, |record| record.class);
            Event::new(id, statewright_kernel::Class::from_number(class))
        };
        self.ticks.clear();
        self.ticks.extend(script.ticks.iter().map(|tick| match tick {
            Tick::Quiet => Vec::new(),
            Tick::All(events) => (0..).zip(events).map(|(place, &e)| InboxEvent { place, event: event(e) }).collect(),
            Tick::Some(events) => events.iter().map(|&(place, e)| InboxEvent { place, event: event(e) }).collect(),
        }));
        let singles = script.singles().unwrap_or_default();
        self.singles = singles.into_iter().map(|e| InboxEvent { place: 0, event: event(e) }).collect();
    }

    fn run(&mut self, ticks: usize) {
        let script = std::mem::take(&mut self.ticks);
        let owned = Rc::clone(&self.rom);
        let rom = owned.as_rom();
        let singles = std::mem::take(&mut self.singles);
        if singles.is_empty() {
            script.iter().cycle().take(ticks).for_each(|events| self.run_tick(&rom, black_box(events)));
        } else {
            singles.iter().cycle().take(ticks).for_each(|event| black_box(&mut *self).run_alone(&rom, event));
        }
        self.singles = singles;
        self.ticks = script;
    }

    fn totals(&self) -> Option<Totals> {
        let counters = &self.counters;
        let lost = counters.dropped.iter().chain(&counters.evicted).sum::<u64>() + counters.expired;
        assert_eq!((lost, counters.clamps, counters.quarantines), (0, 0, 0), "events or agents were lost");
        Some(Totals::of(self.host.boards.iter(), counters.events))
    }
}
