//! What one means of expression costs: a machine of a few states for each, in which every agent uses
//! it once in every tick.
//!
//! Two more are workloads of `tools/bench`: `W1 activity` and `W2 regions`. A crate of its own, so that it is built
//! beside the others: it is one unit.
#![forbid(unsafe_code)]

use statewright::prelude::*;
use statewright::{Event, InboxEvent, Instance, Instance64, Slices, SlicesOutput};
use statewright_measure::Gated;
use statewright_measure::sections::{self, counted};
use statewright_measure::text::{aligned, short_number};

/// Agents and counted ticks.
const AGENTS: usize = 500;
const TICKS: usize = 16;

/// One feature.
struct Feature {
    name: &'static str,
    /// The machine. All declare what any of them uses, so that they are alike but for the feature.
    machine: fn() -> Machine,
    /// Whether everybody gets the event `Go` in every tick; otherwise nobody gets one.
    has_event: bool,
    /// How many transitions an agent makes in a tick.
    transitions: u64,
    /// What an agent's `value` grows by in a tick.
    growth: i32,
}

const fn on_event(name: &'static str, machine: fn() -> Machine) -> Feature {
    Feature {
        name,
        machine,
        has_event: true,
        transitions: 1,
        growth: 0,
    }
}

/// The machines, as code, too.
macro_rules! machines {
    ($($name:ident = $file:literal;)+) => {
        $(
            statewright::machine!(
                mod $name = $file,
                functions = crate::Tester,
                warnings = allow,
            );
        )+
    };
}

machines! {
    event = "machines/event.sw.json";
    guard_in_the_file = "machines/guard_in_the_file.sw.json";
    guard_in_rust = "machines/guard_in_rust.sw.json";
    history = "machines/history.sw.json";
    choice = "machines/choice.sw.json";
    two_regions = "machines/two_regions.sw.json";
    score = "machines/score.sw.json";
    after = "machines/after.sw.json";
    update = "machines/update.sw.json";
}

const FEATURES: [Feature; 9] = [
    on_event("event", event::machine),
    on_event("guard in the file", guard_in_the_file::machine),
    on_event("guard in Rust", guard_in_rust::machine),
    on_event("history", history::machine),
    on_event("choice", choice::machine),
    Feature {
        transitions: 2,
        ..on_event("two regions at once", two_regions::machine)
    },
    on_event("score of three", score::machine),
    Feature {
        has_event: false,
        ..on_event("after", after::machine)
    },
    Feature {
        has_event: false,
        transitions: 0,
        growth: 1,
        ..on_event("update", update::machine)
    },
];

/// The blackboard of all of them.
#[derive(Clone, Debug, Default, Board)]
struct Tester {
    value: i32,
    energy: f32,
}

#[functions]
impl Tester {
    #[guard]
    fn ready(&self) -> bool {
        self.value < 5
    }
}

impl Feature {
    /// Runs what is counted, and checks that it happened.
    fn run(&self, fused: bool) -> Result<(), String> {
        let mut agents = Agents::new(self, fused)?;
        let inbox = if self.has_event {
            agents.go()?
        } else {
            Vec::new()
        };
        // Start, and everybody where both directions have been seen.
        agents.tick(&[]);
        (0..2).for_each(|_| agents.tick(&inbox));
        let before = agents.done();
        counted(&mut || (0..TICKS).for_each(|_| agents.tick(&inbox)));
        let done = agents.done();
        let turns = (AGENTS * TICKS) as u64;
        let expected = (
            turns * self.transitions,
            turns as i64 * i64::from(self.growth),
        );
        let found = (done.0 - before.0, done.1 - before.1);
        if found == expected {
            Ok(())
        } else {
            let name = self.name;
            Err(format!("{name}: {found:?} happened, not {expected:?}"))
        }
    }
}

/// Agents of one feature.
struct Agents {
    program: Program<Tester, ()>,
    instances: Vec<Instance64>,
    boards: Vec<Tester>,
    output: SlicesOutput,
    transitions: u64,
    now: u64,
}

impl Agents {
    fn new(feature: &Feature, fused: bool) -> Result<Self, String> {
        let machine = (feature.machine)();
        let bound = machine.bind(Tester::functions());
        let program = bound.map_err(|error| error.to_string())?;
        if !program.is_fused() {
            return Err(format!("{} is no code", feature.name));
        }
        let program = match fused {
            true => program,
            false => program.interpreted(),
        };
        let rom = machine.rom();
        let new = |agent| Instance64::new(&rom, 1, agent).ok_or("not of this tier");
        let board = Tester {
            value: 0,
            energy: 0.5,
        };
        Ok(Self {
            program,
            instances: (0..AGENTS as u64).map(new).collect::<Result<_, _>>()?,
            boards: vec![board; AGENTS],
            output: SlicesOutput::default(),
            transitions: 0,
            now: 0,
        })
    }

    /// The event for everybody.
    fn go(&self) -> Result<Vec<InboxEvent>, String> {
        let event = self.program.machine().event("Go");
        let id = event.map_err(|error| error.to_string())?.id();
        let event = Event::new(id, Class::Normal);
        let to = |place| InboxEvent { place, event };
        Ok((0..AGENTS as u32).map(to).collect())
    }

    fn tick(&mut self, inbox: &[InboxEvent]) {
        let slices = Slices {
            tick: self.now,
            inbox,
            ..Slices::default()
        };
        let (instances, boards) = (&mut self.instances, &mut self.boards);
        let done = self
            .program
            .tick_slices(instances, boards, &(), slices, &mut self.output);
        done.expect("events are sorted");
        self.transitions += self.output.counters().transitions;
        self.now += 1;
    }

    /// Transitions, and the sum of all values.
    fn done(&self) -> (u64, i64) {
        let values = self.boards.iter().map(|board| i64::from(board.value));
        (self.transitions, values.sum())
    }
}

/// What the program does under callgrind: every feature by tables, then every one by code.
pub fn once() -> Result<(), String> {
    let both = [false, true].into_iter();
    both.flat_map(|fused| FEATURES.iter().map(move |feature| (feature, fused)))
        .try_for_each(|(feature, fused)| feature.run(fused))
}

/// Instructions per agent and tick of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// The feature.
    pub name: &'static str,
    /// By the tables.
    pub tables: f64,
    /// By code.
    pub fused: f64,
}

/// What every feature costs.
pub fn count() -> Result<Vec<Price>, String> {
    let counts = sections::count("features", vec!["features-once".to_owned()])?;
    if counts.len() != 2 * FEATURES.len() {
        return Err(format!("{} counts of features", counts.len()));
    }
    let turns = (AGENTS * TICKS) as f64;
    let (tables, fused) = counts.split_at(FEATURES.len());
    let counts = FEATURES.iter().zip(tables.iter().zip(fused));
    let prices = counts.map(|(feature, (&tables, &fused))| Price {
        name: feature.name,
        tables: tables as f64 / turns,
        fused: fused as f64 / turns,
    });
    Ok(prices.collect())
}

/// What has a limit in CI: all of them, by tables and by code.
pub fn gated() -> Result<Vec<Gated>, String> {
    let rows = |price: Price| {
        let fused = format!("{} fused", price.name);
        [(price.name.to_owned(), price.tables), (fused, price.fused)]
    };
    Ok(count()?.into_iter().flat_map(rows).collect())
}

/// What each feature costs.
pub fn table(counted: &[Price]) -> String {
    let line = |price: &Price| {
        let counts = [price.tables, price.fused].map(short_number);
        [price.name.to_owned()].into_iter().chain(counts).collect()
    };
    let head = ["feature", "slices", "fused"].map(str::to_owned).to_vec();
    let lines: Vec<_> = std::iter::once(head)
        .chain(counted.iter().map(line))
        .collect();
    format!(
        "{}\nInstructions per agent and tick (callgrind); every agent uses the feature once in every tick.\n",
        aligned(&lines)
    )
}
