//! Tapes (TAPE-1, TAPE-6): random machines are recorded and run again from every checkpoint, asleep and
//! awake, on several threads; and one changed bit of an input is found where it first shows.

use std::sync::OnceLock;

use statewright::{AgentId, Blackboard};
use statewright_generator::Rng;
use statewright_tape::{
    Proof, Record, Recording, RecordingOptions, Replay, ReplayError, SealedProgram, Tape,
    TapeInput, Verified, WhatDiffers, rewrite,
};

use crate::outside::Outside;
use crate::user::{Crowd, World};
use crate::wake::{crowd_of, machine_of};

/// What was run again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    /// Ticks that were run again and compared.
    pub ticks: u64,
    /// Inputs that entered again.
    pub inputs: u64,
    /// Checkpoints that were compared byte by byte.
    pub checkpoints: u64,
    /// Ticks that were run again without functions.
    pub sealed: u64,
}

impl Total {
    fn of(verified: &Verified) -> Self {
        Self {
            ticks: verified.ticks,
            inputs: verified.inputs,
            checkpoints: verified.checkpoints,
            sealed: 0,
        }
    }

    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.ticks += other.ticks;
        self.inputs += other.inputs;
        self.checkpoints += other.checkpoints;
        self.sealed += other.sealed;
    }
}

/// A tape of the machine of a seed, and the snapshot at its end.
fn record(seed: u64, ticks: u64, options: RecordingOptions) -> Result<(Vec<u8>, Vec<u8>), String> {
    let machine = machine_of(seed)?;
    let world = World::new(&machine, seed, 12);
    let mut crowds = [crowd_of(&machine, seed)?];
    let mut outside = Outside::new(seed);
    outside.know(crowds[0].agents().collect::<Vec<_>>());
    let text = |error: statewright_tape::RecordError| error.to_string();
    let recording = Recording::begin(&mut crowds[0], Vec::new(), options).map_err(text)?;
    for _ in 0..ticks {
        outside.happen(&mut crowds);
        crowds[0].tick(&world);
    }
    let (bytes, summary) = recording.finish(&mut crowds[0]).map_err(text)?;
    if summary.ticks != ticks {
        return Err(format!("seed {seed}: {} of {ticks} ticks", summary.ticks));
    }
    Ok((bytes, crowds[0].snapshot()))
}

/// Records the machine of a seed and runs its tape again in every way.
pub fn run(seed: u64, ticks: u64) -> Result<Total, String> {
    let proof = [Proof::Ticks, Proof::Bytes, Proof::None, Proof::Agents][(seed % 4) as usize];
    let options = RecordingOptions {
        proof,
        checkpoint_ticks: Some(1 + (ticks as u32) / 4),
        // Each is also run without its functions.
        sealed: true,
        ..RecordingOptions::default()
    };
    let (bytes, end) = record(seed, ticks, options)?;
    let tape = Tape::read(&bytes).map_err(|error| error.to_string())?;
    let machine = machine_of(seed)?;
    let world = World::new(&machine, seed, 12);
    let mut total = Total::default();
    for start in tape.checkpoints() {
        for way in 0..4 {
            let program = machine.bind(crate::user::functions(&machine));
            let program = program.map_err(|error| error.to_string())?;
            let failed =
                |error: ReplayError| format!("seed {seed}, from {start}, way {way}: {error}");
            let mut replay = Replay::from_tick(&tape, program, start).map_err(failed)?;
            replay.crowd_mut().set_sleeping(way % 2 == 0);
            replay.crowd_mut().set_chunk_size([1000, 1, 2, 7][way]);
            let verified = replay
                .run(|crowd| {
                    tick_on(way, crowd, &world);
                    None
                })
                .map_err(failed)?;
            if replay.crowd().snapshot() != end {
                return Err(format!("seed {seed}, from {start}: another end"));
            }
            total.add(&Total::of(&verified));
        }
    }
    if tape.seal().is_some() {
        run_sealed(seed, &tape, &mut total)?;
    }
    Ok(total)
}

/// Runs a tape again without the functions of its machine, in every way.
fn run_sealed(seed: u64, tape: &Tape<'_>, total: &mut Total) -> Result<(), String> {
    for start in tape.checkpoints() {
        for way in 0..4 {
            let failed = |error: ReplayError| {
                format!("seed {seed}, sealed, from {start}, way {way}: {error}")
            };
            let sealed = SealedProgram::of(tape).map_err(failed)?;
            let mut replay = sealed.replay(tape, start).map_err(failed)?;
            replay.crowd_mut().set_sleeping(way % 2 == 0);
            replay.crowd_mut().set_chunk_size([1000, 1, 2, 7][way]);
            let ran = replay.run(|crowd| {
                tick_on(way, crowd, &**sealed.answers());
                None
            });
            let verified = ran.map_err(failed)?;
            total.sealed += verified.ticks;
            total.add(&Total::of(&verified));
        }
    }
    Ok(())
}

/// One tick on 1, 2 or 7 threads, or on all.
fn tick_on<C: Sync>(way: usize, crowd: &mut statewright::Crowd<Blackboard, C>, context: &C) {
    static POOLS: OnceLock<[rayon::ThreadPool; 2]> = OnceLock::new();
    let pools = POOLS.get_or_init(|| {
        [2, 7].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads can be had")
        })
    });
    match way {
        0 => crowd.tick(context),
        1 => crowd.tick_parallel(context),
        _ => pools[way - 2].install(|| crowd.tick_parallel(context)),
    };
}

/// What a changed bit comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It was found in this tick, of an agent or of the crowd as a whole.
    At(u64, Option<(u32, u32)>),
    /// It changes nothing.
    Nothing,
    /// The input is none any more.
    Refused,
}

/// Changes one bit of an input of the machine of a seed, and looks whether replay finds where it first
/// shows. Whoever looks for it here compares two crowds byte by byte.
pub fn localize(seed: u64, trial: u64, ticks: u64) -> Result<Found, String> {
    let options = RecordingOptions {
        proof: Proof::Bytes,
        checkpoint_ticks: Some(u32::MAX),
        ..RecordingOptions::default()
    };
    let (bytes, _) = record(seed, ticks, options)?;
    let tape = Tape::read(&bytes).map_err(|error| error.to_string())?;
    let mut rng = Rng::new(seed ^ trial << 20 ^ 0xB17);
    let inputs = tape.index().map_err(|error| error.to_string())?.inputs;
    let (target, mut number) = (u64::from(rng.below(inputs.max(1) as u32)), 0);
    let changed = rewrite(&tape, &(0..=u64::MAX), |record, bytes| {
        let Record::Input(input) = record else {
            return None;
        };
        number += 1;
        (number == target + 1).then(|| flipped(input, bytes, &mut rng))
    });
    let (changed, _) = changed.map_err(|error| error.to_string())?;
    let expected = first_difference(seed, &tape, &changed)?;
    let found = find(seed, &changed)?;
    if expected == found {
        Ok(found)
    } else {
        Err(format!(
            "seed {seed}, trial {trial}: {expected:?} expected, {found:?} found"
        ))
    }
}

/// One bit of what an input says besides its kind.
fn flipped(input: &TapeInput, bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    // What an event carries, or a blackboard, stands at the end; else whom it is for.
    let first = match input {
        TapeInput::Send(_, event)
        | TapeInput::Broadcast(event)
        | TapeInput::Message { event, .. } => bytes.len() - event_words(event.words()) * 4,
        TapeInput::Spawn { board, .. } | TapeInput::Written(_, board) => bytes.len() - board.len(),
        TapeInput::Agent(..)
        | TapeInput::SetVariant(..)
        | TapeInput::SetParameter(_)
        | TapeInput::Settings(_)
        | TapeInput::StartAt(_)
        | TapeInput::Number(_)
        | TapeInput::Instance(..)
        | TapeInput::ResetCounters => 1,
    };
    let first = if first < bytes.len() { first } else { 1 };
    if first < bytes.len() {
        let place = first + rng.below((bytes.len() - first) as u32) as usize;
        bytes[place] ^= 1 << rng.below(8);
    }
    bytes
}

/// Words of a payload up to the last that is not 0.
fn event_words(words: [u32; 4]) -> usize {
    words
        .iter()
        .rposition(|&word| word != 0)
        .map_or(0, |last| last + 1)
}

/// Without anything to compare with.
fn bare(tape: &Tape<'_>) -> Result<Vec<u8>, String> {
    let bare = rewrite(tape, &(0..=u64::MAX), |record, _| match record {
        Record::Input(_) => None,
        Record::Changed(_)
        | Record::Keys(_)
        | Record::Calls(_)
        | Record::Guessed(_)
        | Record::Output(_)
        | Record::Hash(_) => Some(Vec::new()),
        Record::Tick(_) => Some(vec![0, 0]),
    });
    Ok(bare.map_err(|error| error.to_string())?.0)
}

/// Runs both tapes side by side and compares everything after every tick.
fn first_difference(seed: u64, tape: &Tape<'_>, changed: &[u8]) -> Result<Found, String> {
    let machine = machine_of(seed)?;
    let world = World::new(&machine, seed, 12);
    let Ok(other) = Tape::read(changed) else {
        return Ok(Found::Refused);
    };
    let (Ok(one), Ok(two)) = (bare(tape), bare(&other)) else {
        return Ok(Found::Refused);
    };
    let (one, two) = (
        Tape::read(&one).expect("a tape"),
        Tape::read(&two).expect("a tape"),
    );
    let program = || machine.bind(crate::user::functions(&machine));
    let replay = |tape| {
        let program = program().map_err(|error| error.to_string())?;
        Replay::new(tape, program).map_err(|error| error.to_string())
    };
    let (mut one, mut two) = (replay(&one)?, replay(&two)?);
    loop {
        let tick = one.crowd().now();
        let more = one.step(|crowd| (crowd.tick(&world), None).1);
        let more = more.map_err(|error| format!("seed {seed}: {error}"))?;
        if two.step(|crowd| (crowd.tick(&world), None).1).is_err() {
            return Ok(Found::Refused);
        }
        if !more {
            return Ok(Found::Nothing);
        }
        if let Some(found) = compare(one.crowd(), two.crowd()) {
            return Ok(Found::At(tick, found));
        }
    }
}

/// The first agent that differs; nobody if it is the crowd.
fn compare(one: &Crowd, two: &Crowd) -> Option<Option<(u32, u32)>> {
    let last = |crowd: &Crowd| crowd.agents().last().map_or(0, |agent| agent.index() + 1);
    let seen = |crowd: &Crowd, agent: AgentId| {
        let mut board = Vec::new();
        statewright::Saved::save(crowd.board(agent).ok()?, &mut board);
        Some((
            agent.generation(),
            crowd.instance_bytes(agent).ok()?.to_vec(),
            board,
        ))
    };
    for index in 0..last(one).max(last(two)) {
        let [left, right] = [one, two].map(|crowd| {
            let agent = crowd.agent_at(index)?;
            seen(crowd, agent)
        });
        if left != right {
            let generation =
                |side: &Option<(u32, Vec<u8>, Vec<u8>)>| side.as_ref().map(|one| one.0);
            // That of the crowd that runs now, if it has one.
            let shown = generation(&right).or(generation(&left));
            return Some(Some((index, shown.unwrap_or(0))));
        }
    }
    let digests = |crowd: &Crowd| (crowd.digest(), crowd.commands_digest());
    (digests(one) != digests(two)).then_some(None)
}

/// What replay says.
fn find(seed: u64, changed: &[u8]) -> Result<Found, String> {
    let machine = machine_of(seed)?;
    let world = World::new(&machine, seed, 12);
    let Ok(tape) = Tape::read(changed) else {
        return Ok(Found::Refused);
    };
    let program = machine.bind(crate::user::functions(&machine));
    let program = program.map_err(|error| error.to_string())?;
    let mut replay = Replay::new(&tape, program).map_err(|error| error.to_string())?;
    match replay.run(|crowd| (crowd.tick(&world), None).1) {
        Ok(_) => Ok(Found::Nothing),
        Err(ReplayError::Difference(difference)) => {
            let agent = match &difference.what {
                WhatDiffers::Agent { agent, fields } if !fields.is_empty() => {
                    Some((agent.index, agent.generation))
                }
                WhatDiffers::Presence { agent, .. } => Some((agent.index, agent.generation)),
                WhatDiffers::Crowd | WhatDiffers::Commands | WhatDiffers::Blackboards => None,
                WhatDiffers::Agent { .. }
                | WhatDiffers::Output { .. }
                | WhatDiffers::Other { .. }
                | WhatDiffers::Context { .. } => {
                    return Err(format!("seed {seed}: no field is named: {difference}"));
                }
            };
            Ok(Found::At(difference.tick, agent))
        }
        Err(_) => Ok(Found::Refused),
    }
}
