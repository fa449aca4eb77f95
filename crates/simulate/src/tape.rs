//! Tapes of runs: everything that happened to the agents, and the same run once more (TAPE-1, TAPE-6).
//!
//! Stand-ins follow from a seed and from what guards are to answer; both are in the tape, so that it
//! can be run again without anything else. So is the storage of blackboards: where versions of the machine may
//! come, blackboards may grow.

use std::fmt;
use std::io::Write;

use statewright::Missing;
use statewright::commands::Lane;
use statewright::prelude::*;
use statewright_tape::{
    Origin, Programs, Proof, RecordError, Recording, RecordingOptions, Refused, Replay,
    ReplayError, SealedProgram, Summary, Tape, Verified,
};

use crate::Answer;
use crate::board::{BoardStorage, InlineBoard};
use crate::simulation::{SimulationError, Threads, first_life};
use crate::stand_ins::{StandIns, stubs};

/// What tapes of runs say of their origin.
const PROGRAM: &str = "statewright run";

/// That a run is recorded, and where to.
pub struct Recorded {
    /// Where the tape goes.
    pub out: Box<dyn Write + Send>,
    /// What it says of the outcome of ticks.
    pub proof: Proof,
    /// Whose functions it answers for, so that it can be run again by anybody; `None` if nobody's.
    pub sealed: Option<SealedAgents>,
    /// Lanes whose commands it keeps.
    pub outputs: Vec<Lane>,
}

/// Whose functions a tape answers for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SealedAgents {
    /// Those of all agents.
    All,
    /// Those of agents with these indices. The tape is of these alone.
    Some(Vec<u32>),
}

/// A tape that is being written.
pub(crate) type RunRecording = Recording<Box<dyn Write + Send>>;

/// Begins a tape with the agents as they are.
pub(crate) fn begin<S: BoardStorage>(
    crowd: &mut Crowd<InlineBoard<S>, StandIns>,
    recorded: Recorded,
    seed: u64,
    guards: Answer,
) -> Result<RunRecording, RecordError> {
    let mut data = seed.to_le_bytes().to_vec();
    data.push(match guards {
        Answer::True => 1,
        Answer::False => 0,
        Answer::Random => 2,
    });
    data.push(S::WORDS as u8);
    let agents = match &recorded.sealed {
        None | Some(SealedAgents::All) => None,
        Some(SealedAgents::Some(indices)) => {
            let there = indices.iter().map(|&index| {
                let gone = RecordError::Missing(Missing::Gone(first_life(index)));
                crowd.agent_at(index).ok_or(gone)
            });
            Some(there.collect::<Result<Vec<_>, _>>()?)
        }
    };
    if !recorded.outputs.is_empty() {
        crowd.set_forgets_commands(false);
    }
    let options = RecordingOptions {
        proof: recorded.proof,
        sealed: recorded.sealed.is_some(),
        agents,
        outputs: recorded.outputs,
        origin: Origin {
            program: PROGRAM.to_owned(),
            data,
        },
        ..RecordingOptions::default()
    };
    Recording::begin(crowd, recorded.out, options)
}

/// Ends a tape.
pub(crate) fn finish<S: BoardStorage>(
    crowd: &mut Crowd<InlineBoard<S>, StandIns>,
    recording: RunRecording,
) -> Result<Summary, RecordError> {
    let (mut out, summary) = recording.finish(crowd)?;
    out.flush()
        .map_err(|error| RecordError::Write(error.into()))?;
    Ok(summary)
}

/// Why a tape was not run to its end.
#[derive(Debug)]
pub enum TapeError {
    /// It was recorded by another program, which has functions of its own.
    Foreign(String),
    /// Its machine is refused.
    Machine(Refused),
    /// The stand-ins do not fit the machine, or there are no threads.
    Simulation(SimulationError),
    /// It differs, or holds something that cannot be.
    Replay(ReplayError),
    /// It cannot be recorded anew.
    Record(RecordError),
}

impl fmt::Display for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(program) if program.is_empty() => f.write_str(
                "it was recorded by a program with functions of its own and is not sealed: only that program can run it again",
            ),
            Self::Foreign(program) => write!(
                f,
                "it was recorded by `{program}`, which has functions of its own, and is not sealed: only that program can run it again"
            ),
            Self::Machine(error) => error.fmt(f),
            Self::Simulation(error) => error.fmt(f),
            Self::Replay(error) => error.fmt(f),
            Self::Record(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TapeError {}

impl From<RecordError> for TapeError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

impl From<ReplayError> for TapeError {
    fn from(error: ReplayError) -> Self {
        Self::Replay(error)
    }
}

/// Runs a sealed tape, or one of [`run`](crate::run), again, from the last checkpoint before a tick
/// on, on so many threads. `ticked` hears how many ticks are done.
pub fn replay(
    tape: &Tape<'_>,
    from: u64,
    threads: Option<u16>,
    mut ticked: impl FnMut(u64),
) -> Result<Verified, TapeError> {
    let threads = Threads::new(threads).map_err(TapeError::Simulation)?;
    if tape.seal().is_none() {
        return run_again(tape, from, (&threads, &mut ticked), None);
    }
    let sealed = SealedProgram::of(tape)?;
    let mut replay = sealed.replay(tape, from)?;
    let mut ticks = 0;
    let verified = replay.run(|crowd| {
        threads.tick(crowd, &**sealed.answers());
        ticks += 1;
        ticked(ticks);
        None
    })?;
    Ok(verified)
}

/// A tape of [`run`](crate::run) as a sealed one, which says itself what stood in for functions: what
/// asks tapes more than to be run again asks sealed ones.
pub fn seal(tape: &Tape<'_>, mut ticked: impl FnMut(u64)) -> Result<Vec<u8>, TapeError> {
    let threads = Threads::new(None).map_err(TapeError::Simulation)?;
    let mut out = Vec::new();
    run_again(tape, 0, (&threads, &mut ticked), Some(&mut out))?;
    Ok(out)
}

/// On which threads, and who hears of ticks.
type How<'h> = (&'h Threads, &'h mut dyn FnMut(u64));

/// Runs a tape again, and records what happens if there is somewhere to put it.
fn run_again(
    tape: &Tape<'_>,
    from: u64,
    how: How<'_>,
    sealed: Option<&mut Vec<u8>>,
) -> Result<Verified, TapeError> {
    let (stand_ins, words) = stand_ins(tape.origin())?;
    let words = match words {
        Some(words) => words,
        // Tapes of earlier versions had what fits the machine.
        None => {
            let machine = tape.machine().map_err(TapeError::Machine)?;
            match machine.rom().blackboard_words() {
                0..=4 => 4,
                5..=8 => 8,
                _ => 0,
            }
        }
    };
    match words {
        4 => run_stored::<[u32; 4]>((tape, from), &stand_ins, how, sealed),
        8 => run_stored::<[u32; 8]>((tape, from), &stand_ins, how, sealed),
        _ => run_stored::<Box<[u32]>>((tape, from), &stand_ins, how, sealed),
    }
}

fn run_stored<S: BoardStorage>(
    (tape, from): (&Tape<'_>, u64),
    stand_ins: &StandIns,
    (threads, ticked): How<'_>,
    sealed: Option<&mut Vec<u8>>,
) -> Result<Verified, TapeError> {
    let programs = Programs::by(|machine: &Machine| machine.bind(stubs::<S>(machine)));
    let mut replay = Replay::from_tick(tape, programs, from)?;
    let options = RecordingOptions {
        sealed: true,
        outputs: tape.outputs().collect(),
        origin: tape.origin().clone(),
        ..RecordingOptions::default()
    };
    let recording = match &sealed {
        Some(_) => Some(Recording::begin(replay.crowd_mut(), Vec::new(), options)?),
        None => None,
    };
    let mut ticks = 0;
    let verified = replay.run(|crowd| {
        threads.tick(crowd, stand_ins);
        ticks += 1;
        ticked(ticks);
        None
    })?;
    if let (Some(recording), Some(out)) = (recording, sealed) {
        (*out, _) = recording.finish(replay.crowd_mut())?;
    }
    Ok(verified)
}

/// What stood in for functions when a tape was recorded, and how many words blackboards had room for
/// (0 for as many as there are), if the tape says so.
fn stand_ins(origin: &Origin) -> Result<(StandIns, Option<u8>), TapeError> {
    let foreign = || TapeError::Foreign(origin.program.clone());
    let (seed, answer, words) = match (origin.program.as_str(), origin.data.split_first_chunk()) {
        (PROGRAM, Some((seed, [answer]))) => (u64::from_le_bytes(*seed), *answer, None),
        (PROGRAM, Some((seed, [answer, words]))) => {
            (u64::from_le_bytes(*seed), *answer, Some(*words))
        }
        _ => return Err(foreign()),
    };
    let answer = match answer {
        0 => Answer::False,
        1 => Answer::True,
        2 => Answer::Random,
        _ => return Err(foreign()),
    };
    Ok((StandIns::new(seed, answer), words))
}
