//! What commands cost (CMD-2): a 16-byte command written by an action of a crowd, beside the same
//! 16 bytes pushed to a vector that has room for them; and what it costs the host to read them
//! back.
//!
//! All three contenders are the same crowd with the same events and differ in one action; `nothing`
//! is the crowd alone and is taken off the others. They take turns round by round. What was written
//! is compared after every round.

use std::hint::black_box;

use statewright::EventHandle;
use statewright::Program;
use statewright::prelude::*;
use statewright_measure::clock;
use statewright_measure::text::{aligned, short_number};

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
        .action("Write", |_: &mut Speaker, &count: &Count, cx| {
            for number in numbers(count) {
                cx.emit(Note::new(cx.agent().index(), number));
            }
        })
        .action("Push", |me, &count, cx| {
            for number in numbers(count) {
                me.notes.push(Note::new(cx.agent().index(), number));
            }
        })
        .action("Nothing", |_, &count, _| numbers(count).for_each(drop))
}

/// Numbers that the compiler does not foresee: it can neither merge nor leave out what is done with
/// them.
fn numbers(count: Count) -> impl Iterator<Item = u32> {
    (0..count).map(black_box)
}

/// One size of crowd.
struct Bench {
    crowd: Crowd<Speaker, Count>,
    agents: Vec<AgentId>,
    count: Count,
    events: [EventHandle; 3],
}

/// What one round took, in nanoseconds per command.
#[derive(Clone, Copy, Default)]
struct Times {
    write: f64,
    push: f64,
    nothing: f64,
    read: f64,
    commit: f64,
}

impl Times {
    fn total(&self) -> f64 {
        self.write + self.push + self.nothing + self.read + self.commit
    }
}

impl Bench {
    fn new(agents: usize, count: Count) -> Result<Self, String> {
        let machine =
            Machine::from_text("speaker.sw.json", MACHINE).map_err(|error| error.to_string())?;
        let program: Program<_, _> = machine
            .bind(functions())
            .map_err(|error| error.to_string())?;
        let mut crowd = Crowd::new(program, 1);
        crowd
            .set_budget(statewright::commands::MAX_BUDGET)
            .map_err(|error| error.to_string())?;
        let agents = (0..agents).map(|_| {
            crowd.spawn(Speaker {
                notes: Vec::with_capacity(count as usize),
            })
        });
        let agents = agents.collect();
        crowd.tick(&0);
        let event = |name| machine.event(name).map_err(|error| error.to_string());
        Ok(Self {
            crowd,
            agents,
            count,
            events: [event("Write")?, event("Push")?, event("Nothing")?],
        })
    }

    fn commands(&self) -> usize {
        self.agents.len() * self.count as usize
    }

    /// Time of one tick with an event for all, per command.
    fn tick(&mut self, event: EventHandle) -> f64 {
        let sent = self.crowd.broadcast(event, ());
        sent.expect("an event of the machine");
        let start = clock::now();
        self.crowd.tick(&self.count);
        self.per_command(start)
    }

    fn per_command(&self, start: std::time::Duration) -> f64 {
        (clock::now() - start).as_nanos() as f64 / self.commands() as f64
    }

    /// One round of all.
    fn round(&mut self) -> Result<Times, String> {
        let mut times = Times::default();
        let [write, push, nothing] = self.events;
        for &agent in &self.agents {
            self.crowd
                .board_mut(agent)
                .map_err(|error| error.to_string())?
                .notes
                .clear();
        }
        times.nothing = self.tick(nothing);
        times.push = self.tick(push);
        times.write = self.tick(write);
        self.compare()?;
        let (start, mut sum) = (clock::now(), 0);
        self.crowd
            .lane(Lane::GAMEPLAY)
            .for_each(|command| sum += command.get::<Note>().map_or(0, |note| note.0[3]));
        times.read = self.per_command(start);
        let start = clock::now();
        self.crowd
            .commit(|command| sum += command.get::<Note>().map_or(0, |note| note.0[3]));
        times.commit = self.per_command(start);
        if sum as usize == self.commands() * 14 {
            Ok(times)
        } else {
            Err("commands were not all read".to_owned())
        }
    }

    /// All were written, and are what was pushed.
    fn compare(&self) -> Result<(), String> {
        let boards = self
            .agents
            .iter()
            .filter_map(|&agent| self.crowd.board(agent).ok());
        let pushed = boards.flat_map(|board| &board.notes).copied();
        let written = self
            .crowd
            .commands()
            .filter_map(|command| command.get::<Note>());
        let same = self.crowd.commands().count() == self.commands() && pushed.eq(written);
        if same && self.crowd.counters().commands_dropped == 0 {
            Ok(())
        } else {
            Err("what was written is not what was pushed".to_owned())
        }
    }
}

/// The middle one of the quietest tenth of all rounds: whatever else the machine does only adds,
/// and a round is compared with itself.
fn middle(quiet: &[Times], figure: impl Fn(&Times) -> f64) -> f64 {
    let mut figures: Vec<f64> = quiet.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(0.0)
}

/// The table: some sizes of crowds, and one or many commands per call.
pub fn table(quick: bool) -> Result<String, String> {
    let head = [
        "agents",
        "commands each",
        "write",
        "push",
        "x push",
        "read a lane",
        "commit",
    ];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    let rounds = if quick { 300 } else { 2_000 };
    let mut missed = false;
    for (agents, count) in [(100, 64), (1_000, 64), (10_000, 4), (10_000, 1)] {
        let mut bench = Bench::new(agents, count)?;
        let mut times: Vec<Times> = (0..rounds)
            .map(|_| bench.round())
            .collect::<Result<_, _>>()?;
        times.sort_by(|one, other| one.total().total_cmp(&other.total()));
        let quiet = times.get(..rounds / 10).unwrap_or(&times);
        let write = |times: &Times| times.write - times.nothing;
        let push = |times: &Times| times.push - times.nothing;
        let ratio = middle(quiet, |times| write(times) / push(times));
        missed |= count == 64 && ratio > TARGET;
        let [read, commit] = [
            middle(quiet, |times| times.read),
            middle(quiet, |times| times.commit),
        ];
        let numbers = [
            middle(quiet, write),
            middle(quiet, push),
            ratio,
            read,
            commit,
        ];
        lines.push(
            [agents.to_string(), count.to_string()]
                .into_iter()
                .chain(numbers.map(short_number))
                .collect(),
        );
    }
    let target = if missed { "missed" } else { "met" };
    Ok(format!(
        "{}\nns of CPU time per command of 16 bytes, middle of the quietest tenth of {rounds} rounds; what the crowd costs without commands is taken off\n\
         (with one command each that leaves little: the ratio is rough).\n\
         Target: with many commands at most {TARGET} x a push to a vector that has room: {target}\n",
        aligned(&lines)
    ))
}
