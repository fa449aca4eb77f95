//! What commands cost (CMD-2): a 16-byte command written by an action of a crowd, beside the same 16 bytes pushed to a vector that has
//! room for them; and what it costs the host to read them back.
//!
//! All three contenders are the same crowd with the same events and differ in one action; `nothing` is the crowd alone and is taken off
//! the others. They take turns round by round. What was written is compared after every round.

use std::hint::black_box;

use statewright::Program;
use statewright::ids::EventId;
use statewright::prelude::*;

use crate::clock;
use crate::table::{aligned, short_number};

const MACHINE: &str = r#"{ "machine": "Speaker", "tier": "crowd", "events": ["Write", "Push", "Nothing"], "initial": "calm",
  "states": { "calm": { "transitions": [
    { "on": "Write", "do": "Write" }, { "on": "Push", "do": "Push" }, { "on": "Nothing", "do": "Nothing" } ] } } }"#;

/// At most this many times the push (CMD-2).
const TARGET: f64 = 3.0;

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
struct Note([u32; 4]);

impl Note {
    fn new(agent: u32, number: u32) -> Self {
        Self([agent, number, agent ^ number, 7])
    }
}

/// The pushed ones, if somebody pushes.
#[derive(Default)]
struct Speaker {
    notes: Vec<Note>,
}

impl Board for Speaker {}

/// Commands per agent and tick.
type Count = u32;

fn functions() -> Functions<Speaker, Count> {
    Functions::new()
        .action("Write", |_: &mut Speaker, &count: &Count, act| {
            for number in numbers(count) {
                act.emit(Note::new(act.agent().index(), number));
            }
        })
        .action("Push", |me, &count, act| {
            for number in numbers(count) {
                me.notes.push(Note::new(act.agent().index(), number));
            }
        })
        .action("Nothing", |_, &count, _| numbers(count).for_each(drop))
}

/// Numbers that the compiler does not foresee: it can neither merge nor leave out what is done with them.
fn numbers(count: Count) -> impl Iterator<Item = u32> {
    (0..count).map(black_box)
}

/// One size of crowd.
struct Bench {
    crowd: Crowd<Speaker, Count>,
    agents: Vec<AgentId>,
    count: Count,
    events: [EventId; 3],
}

/// What one round took, in nanoseconds per command.
#[derive(Default)]
struct Times {
    write: Vec<f64>,
    push: Vec<f64>,
    nothing: Vec<f64>,
    read: Vec<f64>,
    commit: Vec<f64>,
}

impl Bench {
    fn new(agents: usize, count: Count) -> Result<Self, String> {
        let machine = Machine::from_text("speaker.sw.json", MACHINE).map_err(|error| error.to_string())?;
        let program: Program<_, _> = machine.bind(functions()).map_err(|error| error.to_string())?;
        let mut crowd = Crowd::new(program, 1);
        crowd.set_budget(statewright::commands::MAX_BUDGET).map_err(|error| error.to_string())?;
        let agents = (0..agents).map(|_| crowd.spawn(Speaker { notes: Vec::with_capacity(count as usize) }));
        let agents = agents.collect();
        crowd.tick(&0);
        let event = |name| machine.event(name).map_err(|error| error.to_string());
        Ok(Self { crowd, agents, count, events: [event("Write")?, event("Push")?, event("Nothing")?] })
    }

    fn commands(&self) -> usize {
        self.agents.len() * self.count as usize
    }

    /// Time of one tick with an event for all, per command.
    fn tick(&mut self, event: EventId) -> f64 {
        self.crowd.broadcast(event, ());
        let start = clock::now();
        self.crowd.tick(&self.count);
        self.per_command(start)
    }

    fn per_command(&self, start: std::time::Duration) -> f64 {
        (clock::now() - start).as_nanos() as f64 / self.commands() as f64
    }

    /// One round of all.
    fn round(&mut self, times: &mut Times) -> Result<(), String> {
        let [write, push, nothing] = self.events;
        for &agent in &self.agents {
            self.crowd.board_mut(agent).map_err(|error| error.to_string())?.notes.clear();
        }
        times.nothing.push(self.tick(nothing));
        times.push.push(self.tick(push));
        times.write.push(self.tick(write));
        self.compare()?;
        let (start, mut sum) = (clock::now(), 0);
        self.crowd.lane(Lane::GAMEPLAY).for_each(|command| sum += command.get::<Note>().map_or(0, |note| note.0[3]));
        times.read.push(self.per_command(start));
        let start = clock::now();
        self.crowd.commit(|command| sum += command.get::<Note>().map_or(0, |note| note.0[3]));
        times.commit.push(self.per_command(start));
        if sum as usize == self.commands() * 14 { Ok(()) } else { Err("commands were not all read".to_owned()) }
    }

    /// All were written, and are what was pushed.
    fn compare(&self) -> Result<(), String> {
        let boards = self.agents.iter().filter_map(|&agent| self.crowd.board(agent).ok());
        let pushed = boards.flat_map(|board| &board.notes).copied();
        let written = self.crowd.commands().filter_map(|command| command.get::<Note>());
        let same = self.crowd.commands().count() == self.commands() && pushed.eq(written);
        if same && self.crowd.counters().commands_dropped == 0 {
            Ok(())
        } else {
            Err("what was written is not what was pushed".to_owned())
        }
    }
}

/// The best round: whatever else the machine does only adds.
fn best(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The table: some sizes of crowds, and one or many commands per call.
pub fn table(quick: bool) -> Result<String, String> {
    let head = ["agents", "commands each", "write", "push", "x push", "read a lane", "commit"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    let rounds = if quick { 300 } else { 2_000 };
    let mut missed = false;
    for (agents, count) in [(100, 64), (1_000, 64), (10_000, 4), (10_000, 1)] {
        let mut bench = Bench::new(agents, count)?;
        (0..3).try_for_each(|_| bench.round(&mut Times::default()))?;
        let mut times = Times::default();
        (0..rounds).try_for_each(|_| bench.round(&mut times))?;
        let nothing = best(&times.nothing);
        let (write, push) = (best(&times.write) - nothing, best(&times.push) - nothing);
        missed |= count == 64 && write > push * TARGET;
        let numbers = [write, push, write / push, best(&times.read), best(&times.commit)];
        lines.push([agents.to_string(), count.to_string()].into_iter().chain(numbers.map(short_number)).collect());
    }
    let target = if missed { "missed" } else { "met" };
    Ok(format!(
        "{}\nns of CPU time per command of 16 bytes, best of {rounds} rounds; what the crowd costs without commands is taken off.\n\
         Target: with many commands at most {TARGET} x a push to a vector that has room: {target}\n",
        aligned(&lines)
    ))
}
