//! Statewright: a compiled machine, instances beside blackboards, and a host that has a table of
//! functions.
//!
//! Everything that knows the kernel's interface is in this file.

use std::hint::black_box;
use std::rc::Rc;

use statewright_author::render::{Style, render_text};
use statewright_compile::{Options, Output, compile_with};
use statewright_kernel::{
    ActionCx, Batch, Class, Command, Counters, Event, GuardCx, Host, Hosts, Inbox, InboxEvent,
    Input, Instance, Mismatch, Mode, SortedInbox, Status, Verdict, Visit, post, prefetch, tick,
    tick_batch, with_tier,
};
use statewright_rom::ids::{EventId, FunctionId, KeyId};
use statewright_rom::{OwnedRom, Rom};

use crate::board::{Board, Totals};
use crate::callbacks;
use crate::contenders::{Contender, Kind};
use crate::script::{Script, Tick};

/// Compiles a machine and makes agents of it, started; `kind` says how events reach them.
pub fn machine(
    name: &str,
    text: &str,
    kind: Kind,
    agents: usize,
) -> Result<Box<dyn Contender>, String> {
    let output = compile(name, text)?;
    Ok(with_tier!(output.rom.as_rom(), I => Box::new(Agents::<I>::new(output, kind, agents)?)))
}

pub(super) fn compile(name: &str, text: &str) -> Result<Output, String> {
    let (graph, problems) = statewright_author::text::read(name, text);
    let (output, problems) = compile_with(&graph, problems, &Options::default());
    output.ok_or_else(|| render_text(&problems, &graph.source, Style::default()))
}

/// The events of each tick, as a batch wants them.
pub(super) fn inboxes(rom: &Rom<'_>, script: &Script) -> Vec<Vec<InboxEvent>> {
    let event = |number: u8| {
        let id = EventId::new(u16::from(number)).expect("event numbers are small");
        let class = rom
            .event(id)
            .map_or(Class::Low, |record| record.class.get());
        Event::new(id, class)
    };
    let inbox = |tick: &Tick| match tick {
        Tick::Quiet => Vec::new(),
        Tick::All(events) => (0..)
            .zip(events)
            .map(|(place, &e)| InboxEvent {
                place,
                event: event(e),
            })
            .collect(),
        Tick::Some(events) => events
            .iter()
            .map(|&(place, e)| InboxEvent {
                place,
                event: event(e),
            })
            .collect(),
    };
    script.ticks.iter().map(inbox).collect()
}

/// Most functions of a machine here. A table of a fixed size is indexed without a comparison.
const FUNCTIONS: usize = 64;

type Actions = [fn(&mut Board); FUNCTIONS];
type Guards = [fn(&Board) -> bool; FUNCTIONS];

/// User code: functions by their number, and the blackboards.
pub(super) struct Functions {
    actions: Actions,
    guards: Guards,
    pub(super) boards: Vec<Board>,
}

impl Functions {
    pub(super) fn new(output: &Output, agents: usize) -> Result<Self, String> {
        let (mut actions, mut guards): (Actions, Guards) =
            ([|_| {}; FUNCTIONS], [|_| false; FUNCTIONS]);
        for (place, function) in output.symbols.functions.iter().enumerate() {
            match (
                callbacks::action(&function.name),
                callbacks::guard(&function.name),
            ) {
                _ if place >= FUNCTIONS => return Err(format!("more than {FUNCTIONS} functions")),
                (Some(action), _) => actions[place] = action,
                (_, Some(guard)) => guards[place] = guard,
                _ => {
                    return Err(format!(
                        "the machine calls `{}`, which the benchmark does not have",
                        function.name
                    ));
                }
            }
        }
        Ok(Self {
            actions,
            guards,
            boards: vec![Board::default(); agents],
        })
    }
}

/// User code of one agent.
pub(super) struct One<'f> {
    board: &'f mut Board,
    actions: &'f Actions,
    guards: &'f Guards,
}

impl Hosts for Functions {
    type Host<'h> = One<'h>;

    #[inline]
    fn of(&mut self, place: usize, _: u64) -> One<'_> {
        One {
            board: &mut self.boards[place],
            actions: &self.actions,
            guards: &self.guards,
        }
    }

    #[inline]
    fn fetch(&self, place: usize) {
        prefetch(&self.boards[place]);
    }
}

impl Host for One<'_> {
    fn guard(&self, function: FunctionId, _: GuardCx<'_, '_>) -> Verdict {
        Verdict::from(self.guards[function.index() % FUNCTIONS](self.board))
    }

    fn score(&self, _: FunctionId, _: GuardCx<'_, '_>) -> f32 {
        0.0
    }

    fn value(&self, _: FunctionId, _: GuardCx<'_, '_>) -> [u32; 3] {
        [0; 3]
    }

    #[inline]
    fn action(&mut self, function: FunctionId, _: ActionCx<'_, '_>) {
        self.actions[function.index() % FUNCTIONS](self.board);
    }

    #[inline]
    fn activity(&mut self, function: FunctionId, mode: Mode, _: ActionCx<'_, '_>) -> Status {
        if mode == Mode::Run {
            self.actions[function.index() % FUNCTIONS](self.board);
        }
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
    fn run_batch(&mut self, rom: &Rom<'_>, inbox: SortedInbox<'_>, visit: Visit) {
        let mismatch = Mismatch::Quarantine;
        let batch = Batch {
            first_place: 0,
            first_agent: 0,
            tick: self.now,
            variants: &[],
            inbox,
            visit,
            mismatch,
        };
        tick_batch(
            rom,
            &mut self.instances,
            &mut self.host,
            &batch,
            &mut self.counters,
            |_, _, _| {},
        )
        .expect("all events are for agents that exist");
    }

    fn run_one(&mut self, rom: &Rom<'_>, place: usize, events: &[Event]) {
        let input = Input {
            inbox: Inbox::Own(events),
            ..Input::new(place as u64, self.now)
        };
        let mut host = self.host.of(place, place as u64);
        tick(
            rom,
            &mut self.instances[place],
            &mut host,
            &input,
            &mut self.counters,
        );
    }

    fn post_all(&mut self, rom: &Rom<'_>, events: &[InboxEvent]) {
        for InboxEvent { place, event } in events {
            let id = event.id().expect("scripts have known events only");
            let instance = &mut self.instances[*place as usize];
            post(
                rom,
                instance,
                self.now,
                id,
                None,
                [0; 4],
                &mut self.counters,
            )
            .expect("the instance is sound");
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

    fn run_tick(&mut self, rom: &Rom<'_>, inbox: SortedInbox<'_>) {
        let events = inbox.events();
        // Some get an event, and nobody else has anything to do.
        let few = !events.is_empty() && events.len() < self.instances.len();
        match self.kind {
            _ if events.is_empty() && self.instances.len() == 1 => self.run_one(rom, 0, &[]),
            Kind::Queue => {
                self.post_all(rom, events);
                self.run_batch(rom, SortedInbox::EMPTY, Visit::All);
            }
            Kind::Inbox if few => self.run_batch(rom, inbox, Visit::WithEvents),
            _ => self.run_batch(rom, inbox, Visit::All),
        }
        self.now = self.now.wrapping_add(1);
    }
}

impl<I: Instance> Contender for Agents<I> {
    fn bytes_per_agent(&self) -> usize {
        size_of::<I>() + size_of::<Board>()
    }

    fn load(&mut self, script: &Script) {
        self.ticks = inboxes(&self.rom.as_rom(), script);
        let alone = script.singles().is_some();
        self.singles = if alone {
            self.ticks.iter().flatten().copied().collect()
        } else {
            Vec::new()
        };
    }

    fn run(&mut self, ticks: usize) {
        let script = std::mem::take(&mut self.ticks);
        let owned = Rc::clone(&self.rom);
        let rom = owned.as_rom();
        let singles = std::mem::take(&mut self.singles);
        if singles.is_empty() {
            let sorted = |events| SortedInbox::new(events).expect("scripts are sorted");
            let inboxes: Vec<SortedInbox<'_>> = script
                .iter()
                .map(|events| sorted(events.as_slice()))
                .collect();
            inboxes
                .iter()
                .cycle()
                .take(ticks)
                .for_each(|inbox| self.run_tick(&rom, black_box(*inbox)));
        } else {
            singles
                .iter()
                .cycle()
                .take(ticks)
                .for_each(|event| black_box(&mut *self).run_alone(&rom, event));
        }
        self.singles = singles;
        self.ticks = script;
    }

    fn totals(&self) -> Option<Totals> {
        let counters = &self.counters;
        let evicted = counters.evicted.iter().sum::<u64>();
        let lost = counters.dropped() + evicted + counters.expired;
        assert_eq!(
            (lost, counters.clamps, counters.quarantines),
            (0, 0, 0),
            "events or agents were lost"
        );
        Some(Totals::of(self.host.boards.iter(), counters.events))
    }
}
