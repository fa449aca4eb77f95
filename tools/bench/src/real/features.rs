//! What one means of expression costs: a machine of a few states for each, in which every agent uses
//! it once in every tick.
//!
//! Two more are workloads: `W1 activity` and `W2 regions`.

use statewright::prelude::*;
use statewright::{Event, InboxEvent, Instance, Instance64, Slices, SlicesOutput};

use super::sections::{self, counted};

/// Agents and counted ticks.
const AGENTS: usize = 500;
const TICKS: usize = 16;

/// One feature.
struct Feature {
    name: &'static str,
    /// Root of the machine: states, regions and transitions.
    machine: &'static str,
    /// Whether everybody gets the event `Go` in every tick; otherwise nobody gets one.
    has_event: bool,
    /// How many transitions an agent makes in a tick.
    transitions: u64,
    /// What an agent's `value` grows by in a tick.
    growth: i32,
}

const fn on_event(name: &'static str, machine: &'static str) -> Feature {
    Feature {
        name,
        machine,
        has_event: true,
        transitions: 1,
        growth: 0,
    }
}

const FEATURES: [Feature; 9] = [
    on_event(
        "event",
        r#""initial": "a", "states": {
            "a": { "transitions": [{ "on": "Go", "to": "b" }] },
            "b": { "transitions": [{ "on": "Go", "to": "a" }] } }"#,
    ),
    on_event(
        "guard in the file",
        r#""initial": "a", "states": {
            "a": { "transitions": [{ "on": "Go", "if": "value < 5", "to": "b" }] },
            "b": { "transitions": [{ "on": "Go", "if": "value < 5", "to": "a" }] } }"#,
    ),
    on_event(
        "guard in Rust",
        r#""initial": "a", "states": {
            "a": { "transitions": [{ "on": "Go", "if": "Ready", "to": "b" }] },
            "b": { "transitions": [{ "on": "Go", "if": "Ready", "to": "a" }] } }"#,
    ),
    on_event(
        "history",
        r#""initial": "a", "states": {
            "a": { "initial": "x", "history": { "h": {} }, "states": { "x": {}, "y": {} },
                "transitions": [{ "on": "Go", "to": "b/h" }] },
            "b": { "initial": "x", "history": { "h": {} }, "states": { "x": {}, "y": {} },
                "transitions": [{ "on": "Go", "to": "a/h" }] } }"#,
    ),
    on_event(
        "choice",
        r#""initial": "a", "states": {
            "a": { "transitions": [{ "on": "Go", "to": "to_b" }] },
            "b": { "transitions": [{ "on": "Go", "to": "to_a" }] },
            "to_b": { "choice": [{ "if": "value > 5", "to": "a" }, { "to": "b" }] },
            "to_a": { "choice": [{ "if": "value > 5", "to": "b" }, { "to": "a" }] } }"#,
    ),
    Feature {
        transitions: 2,
        ..on_event(
            "two regions at once",
            r#""regions": {
            "one": { "initial": "a", "states": {
                "a": { "transitions": [{ "on": "Go", "to": "b" }] },
                "b": { "transitions": [{ "on": "Go", "to": "a" }] } } },
            "two": { "initial": "c", "states": {
                "c": { "transitions": [{ "on": "Go", "to": "d" }] },
                "d": { "transitions": [{ "on": "Go", "to": "c" }] } } } }"#,
        )
    },
    on_event(
        "score of three",
        r#""initial": "a", "states": {
            "a": { "transitions": [
                { "on": "Go", "to": "c", "score": "0.1" },
                { "on": "Go", "to": "b", "score": "energy" },
                { "on": "Go", "stay": true, "score": "0.2" }] },
            "b": { "transitions": [
                { "on": "Go", "to": "c", "score": "0.1" },
                { "on": "Go", "to": "a", "score": "energy" },
                { "on": "Go", "stay": true, "score": "0.2" }] },
            "c": {} }"#,
    ),
    Feature {
        has_event: false,
        ..on_event(
            "after",
            r#""initial": "a", "states": {
            "a": { "transitions": [{ "after": "1t", "to": "b" }] },
            "b": { "transitions": [{ "after": "1t", "to": "a" }] } }"#,
        )
    },
    Feature {
        has_event: false,
        transitions: 0,
        growth: 1,
        ..on_event(
            "update",
            r#""initial": "a", "states": { "a": { "update": "value += 1" } }"#,
        )
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
    /// The machine declares what any of them uses, so that all are alike but for the feature.
    fn machine(&self) -> Result<Machine, String> {
        let text = format!(
            r#"{{ "machine": "Feature", "tier": "crowd", "events": ["Go"],
                "blackboard": {{ "value": "i32", "energy": "f32" }},
                "functions": {{ "Ready": "guard" }}, {} }}"#,
            self.machine
        );
        Machine::from_text(self.name, &text).map_err(|error| error.to_string())
    }

    /// Runs what is counted, and checks that it happened.
    fn run(&self) -> Result<(), String> {
        let mut agents = Agents::new(self)?;
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
    fn new(feature: &Feature) -> Result<Self, String> {
        let machine = feature.machine()?;
        let program = machine.bind(Tester::functions());
        let rom = machine.rom();
        let new = |agent| Instance64::new(&rom, 1, agent).ok_or("not of this tier");
        let board = Tester {
            value: 0,
            energy: 0.5,
        };
        Ok(Self {
            program: program.map_err(|error| error.to_string())?,
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

/// What the program does under callgrind.
pub fn once() -> Result<(), String> {
    FEATURES.iter().try_for_each(Feature::run)
}

/// Instructions per agent and tick of every feature.
pub fn count() -> Result<Vec<(&'static str, f64)>, String> {
    let counts = sections::count("features", vec!["features-once".to_owned()])?;
    let turns = (AGENTS * TICKS) as f64;
    if counts.len() != FEATURES.len() {
        return Err(format!("{} counts of features", counts.len()));
    }
    let names = FEATURES.iter().map(|feature| feature.name);
    let counts = counts.into_iter().map(|count| count as f64 / turns);
    Ok(names.zip(counts).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_used_in_every_tick() {
        once().unwrap();
    }
}
