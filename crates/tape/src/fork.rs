//! Another run that begins like a recorded one (TAPE-8).
//!
//! ```text
//!  tape   ── tick 0 ───────── tick 130 ──────────────────▶
//!                                 └── other inputs ──────▶ fork, a tape of its own
//! ```
//!
//! Up to the fork everything is as recorded, and compared. From there on inputs may be left out and
//! others come; answers of user code come from the tape as long as an agent asks what it asked there,
//! and are guesses from its first other question on. In another version of the machine a question is the same if
//! the same function is called. Messages that agents of the crowd send each
//! other are those of the fork; what comes from other crowds, or by groups, is what was recorded.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use statewright::commands::{Lane, What};
use statewright::{Blackboard, Crowd, Envelope, Event, Machine, Reload, Tick};

use crate::file::{Damaged, Item, Tape, Version, rewrite};
use crate::record::{Record, TapeAgent, TapeInput, put_guessed};
use crate::recorder::seal_of;
use crate::recording::{Proof, RecordError, Recording, RecordingOptions};
use crate::replay::{Replay, ReplayError};
use crate::sealed::{Answers, SealedProgram, Translation, Unanswered, program};

/// A crowd without its game.
type Agents = Crowd<Blackboard, Answers>;

/// Says what is other in a fork.
pub struct Fork<'f> {
    /// The tick that it begins before.
    pub at: u64,
    /// The last tick; `None` for that of the tape.
    pub to: Option<u64>,
    /// Another version of the machine, in which it runs from its beginning on (through a reload).
    pub machine: Option<&'f Machine>,
    /// What is other at its beginning already.
    pub prepare: &'f mut dyn FnMut(&mut Agents),
    /// What becomes of each input of the tape from there on: the tick that comes, the input; nothing
    /// if it is left out.
    pub keep: &'f mut dyn FnMut(u64, TapeInput) -> Option<TapeInput>,
    /// What else happens before a tick.
    pub before: &'f mut dyn FnMut(&mut Agents),
    /// Hears how many ticks are done.
    pub ticked: &'f mut dyn FnMut(u64),
}

impl fmt::Debug for Fork<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fork")
            .field("at", &self.at)
            .field("to", &self.to)
            .finish_non_exhaustive()
    }
}

/// Why there is no fork.
#[derive(Debug)]
pub enum ForkError {
    /// The tape cannot be run up to it.
    Replay(ReplayError),
    /// The tape ends earlier.
    Ended {
        /// The tick that comes at its end.
        at: u64,
    },
    /// The new tape cannot be written.
    Record(RecordError),
    /// The new tape cannot be read.
    Damaged(Damaged),
}

impl fmt::Display for ForkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replay(error) => error.fmt(f),
            Self::Ended { at } => write!(f, "the tape ends before tick {at}"),
            Self::Record(error) => error.fmt(f),
            Self::Damaged(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ForkError {}

impl From<ReplayError> for ForkError {
    fn from(error: ReplayError) -> Self {
        Self::Replay(error)
    }
}

impl From<RecordError> for ForkError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

/// A fork as a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forked {
    /// The tape, which is sealed.
    pub tape: Vec<u8>,
    /// Agents whose answers are guesses, by index, and since which tick.
    pub guessed: BTreeMap<u32, u64>,
    /// Ticks of it.
    pub ticks: u64,
    /// The tick before which it ends because others are chosen there on a tape of chosen agents: nobody knows how
    /// they came there in another run.
    pub others_at: Option<u64>,
}

impl Fork<'_> {
    /// Runs the fork of a sealed tape and records it.
    pub fn run(self, tape: &Tape<'_>) -> Result<Forked, ForkError> {
        let Self {
            at,
            to,
            machine,
            prepare,
            keep,
            before,
            ticked,
        } = self;
        let sealed = SealedProgram::answering(tape, Unanswered::Guessed)?;
        let mut replay = sealed.replay(tape, at)?;
        let mut done = 0;
        while replay.crowd().now() != at {
            if !replay.step(|crowd| sealed.tick(crowd))? {
                let at = replay.crowd().now();
                return Err(ForkError::Ended { at });
            }
            done += 1;
            ticked(done);
        }
        // Up to here nobody may have guessed: it is the recorded run.
        if let Some((index, tick)) = sealed.answers().guessed().pop_first() {
            let misfit = format!("agent {index} asks something else");
            return Err(ReplayError::Answers { tick, misfit }.into());
        }
        replay.fork(move |tick, _, input| match input {
            // Agents of the crowd send their own.
            TapeInput::Message { is_own: true, .. } => None,
            input => keep(tick, input),
        });
        if let Some(machine) = machine {
            go_over(&sealed, &mut replay, machine)?;
        }
        prepare(replay.crowd_mut());
        let options = RecordingOptions {
            proof: Proof::Ticks,
            sealed: true,
            // Nobody else was there.
            agents: tape.is_part().then(|| replay.crowd().agents().collect()),
            // As on the tape, so that both can be compared.
            outputs: match replay.crowd().settings().forgets_commands {
                true => Vec::new(),
                false => tape.outputs().collect(),
            },
            origin: tape.origin().clone(),
            ..RecordingOptions::default()
        };
        let recording = Recording::begin(replay.crowd_mut(), Vec::new(), options)?;
        let last = to.unwrap_or(u64::MAX);
        while replay.crowd().now() <= last
            && replay.step(|crowd| {
                before(crowd);
                tick(&sealed, crowd);
                None
            })?
        {
            done += 1;
            ticked(done);
        }
        let (bytes, summary) = recording.finish(replay.crowd_mut())?;
        let guessed = sealed.answers().guessed();
        let tape = mark(&bytes, &guessed).map_err(ForkError::Damaged)?;
        Ok(Forked {
            tape,
            guessed,
            ticks: summary.ticks,
            others_at: replay.others_at(),
        })
    }
}

/// The fork goes on in another version of the machine.
fn go_over(
    sealed: &SealedProgram,
    replay: &mut Replay<'_, Blackboard, Answers>,
    machine: &Machine,
) -> Result<(), ForkError> {
    let recorded = replay.crowd().machine().clone();
    let program = program(&Version::of(
        machine,
        Some(seal_of(replay.crowd().program())),
    ))?;
    let plan = Reload::plan(&recorded, machine);
    let told = || "go on in another version of the machine".to_owned();
    replay.become_reloaded(Arc::new(program), plan, told)?;
    sealed
        .answers()
        .translate(Translation::new(&recorded, machine));
    Ok(())
}

/// One tick of a fork; messages of agents to agents of the same crowd arrive.
pub(crate) fn tick(sealed: &SealedProgram, crowd: &mut Agents) -> Tick {
    let ticked = crowd.tick(sealed.answers());
    if !crowd.ticked_apart() {
        return ticked;
    }
    let number = crowd.number();
    let rom = crowd.machine().rom();
    let messages = crowd.lane(Lane::MESSAGE).filter_map(|command| {
        let What::Send { to, event, payload } = command.what(&rom) else {
            return None;
        };
        let class = rom.event(event)?.class.get();
        let event = Event::new(event, class).with_words(payload);
        (to.crowd() == number).then_some(Envelope { to, event })
    });
    let messages: Vec<Envelope> = messages.collect();
    for message in messages {
        crowd.receive(message, true);
    }
    ticked
}

/// A tape that says whose answers are guesses.
fn mark(bytes: &[u8], guessed: &BTreeMap<u32, u64>) -> Result<Vec<u8>, Damaged> {
    let tape = Tape::read(bytes).map_err(|error| Damaged {
        offset: error.offset,
        reason: "a fork that cannot be read again",
    })?;
    let mut tick = tape.checkpoints().next().unwrap_or(0);
    let edit = |record: &Record, bytes: &[u8]| {
        let Record::Tick(_) = record else {
            return None;
        };
        let mut marks = Vec::new();
        for (&index, _) in guessed.iter().filter(|(_, since)| **since == tick) {
            // Whoever is there then: agents of a fork are known by their index.
            let generation = 1;
            put_guessed(&mut marks, TapeAgent { index, generation });
        }
        tick += 1;
        marks.extend_from_slice(bytes);
        Some(marks)
    };
    rewrite(&tape, &(0..=u64::MAX), edit).map(|(bytes, _)| bytes)
}

/// Agents of a tape whose answers are guesses, by index, and since which tick. None, unless it is a
/// fork.
pub fn guessed(tape: &Tape<'_>) -> Result<BTreeMap<u32, u64>, Damaged> {
    let (mut player, mut found, mut tick) = (tape.play(), BTreeMap::new(), 0);
    while let Some(item) = player.next_item()? {
        match item {
            Item::Checkpoint(checkpoint) => tick = checkpoint.tick,
            Item::Record(Record::Tick(_)) => tick += 1,
            Item::Record(Record::Guessed(agent)) => {
                found.entry(agent.index).or_insert(tick);
            }
            Item::Record(_) | Item::Reload(_) => {}
        }
    }
    Ok(found)
}
