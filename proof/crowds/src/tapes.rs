//! Tapes (TAPE-1, TAPE-6): worlds of two or three crowds of random machines, which send each other messages and are
//! reloaded in the middle, are recorded; each crowd is run again from every checkpoint, asleep and awake, on several
//! threads, with its functions and without. And one changed bit of an input is found where it first shows.

use std::mem::{Discriminant, discriminant};
use std::sync::OnceLock;

use statewright::commands::Lane;
use statewright::{AgentId, BindError, Blackboard, Extent, Machine, Program, Reload};
use statewright_differential::machine::CompiledCase;
use statewright_differential::reload::versions;
use statewright_generator::Rng;
use statewright_tape::{
    Item, Programs, Proof, Record, RecordingOptions, Replay, ReplayError, SealedProgram, Tape,
    TapeInput, Verified, WhatDiffers, WorldRecorder, WorldTape, rewrite,
};

use crate::outside::Outside;
use crate::user::{Crowd, World, functions};
use crate::wake::{crowd_at, first_tick, machine_of};

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
    /// Reloads that happened again.
    pub reloads: u64,
    /// Commands that were compared.
    pub outputs: u64,
}

impl Total {
    fn of(verified: &Verified) -> Self {
        Self {
            ticks: verified.ticks,
            inputs: verified.inputs,
            checkpoints: verified.checkpoints,
            sealed: 0,
            reloads: verified.reloads,
            outputs: verified.outputs,
        }
    }

    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.ticks += other.ticks;
        self.inputs += other.inputs;
        self.checkpoints += other.checkpoints;
        self.sealed += other.sealed;
        self.reloads += other.reloads;
        self.outputs += other.outputs;
    }
}

/// Agents of each crowd.
const AGENTS: u32 = 12;

/// Two versions of the machine of a crowd, often the same one.
type Versions = [Machine; 2];

/// A world that was recorded.
struct Made {
    crowds: Vec<Versions>,
    /// What user code looks at before and after the reload.
    contexts: [World; 2],
    tape: Vec<u8>,
    /// Each crowd as it was at the end, as checkpoints of its tape have it.
    ends: Vec<Vec<u8>>,
}

/// Machines of the two or three crowds of a seed; most have another version if reloads are wanted.
fn machines_of(seed: u64, reloads: bool) -> Result<Vec<Versions>, String> {
    let count = 2 + seed % 2;
    let one = |place: u64| {
        let own = seed * 3 + place;
        let machine = |case: CompiledCase| Machine::from(case.output);
        match versions(own).filter(|_| reloads && !own.is_multiple_of(4)) {
            Some((old, new, _)) => Ok([machine(old), machine(new)]),
            None => machine_of(own).map(|machine| [machine.clone(), machine]),
        }
    };
    (0..count).map(one).collect()
}

fn bind(machine: &Machine) -> Result<Program<Blackboard, World>, BindError> {
    machine.bind(functions(machine))
}

/// A tape of the world of a seed, whose machines become other versions in the middle. Some tapes are of some
/// agents alone.
fn record(
    seed: u64,
    ticks: u64,
    reloads: bool,
    options: &RecordingOptions,
) -> Result<Made, String> {
    let text = |error: &dyn std::fmt::Display| format!("seed {seed}: {error}");
    let crowds = machines_of(seed, reloads)?;
    let first = first_tick(seed);
    let mut world = statewright::World::new().starting_at(first);
    let (mut keys, mut outsides, mut agents) = (Vec::new(), Vec::new(), Vec::new());
    for (place, [machine, _]) in (0..).zip(&crowds) {
        let crowd = crowd_at(machine, seed + place, first)?;
        let mut outside = Outside::new(seed + place * 1000);
        outside.know(crowd.agents());
        agents.extend(crowd.agents());
        let key = world.join(&format!("crowd {place}"), crowd);
        keys.push(key.map_err(|error| text(&error))?);
        outsides.push(outside);
    }
    let numbers: Vec<_> = keys.iter().map(|&key| world[key].number()).collect();
    let contexts = [0, 1].map(|version| {
        let machines = crowds.iter().map(|versions| &versions[version]);
        World::of_crowds(numbers.iter().copied().zip(machines), seed, AGENTS)
    });
    let options = RecordingOptions {
        agents: options
            .agents
            .as_ref()
            .map(|_| agents.iter().copied().step_by(3).collect()),
        ..options.clone()
    };
    let chosen = options.agents.clone();
    let recorder = keys
        .iter()
        .fold(WorldRecorder::new(options), |recorder, &key| {
            recorder.with(key)
        });
    let recording = recorder.begin(&mut world, Vec::new());
    let recording = recording.map_err(|error| text(&error))?;
    for tick in 0..ticks {
        let is_late = tick >= ticks / 2;
        for ((&key, outside), [old, new]) in keys.iter().zip(&mut outsides).zip(&crowds) {
            outside.happen(std::slice::from_mut(&mut world[key]));
            let plan = Reload::plan(old, new);
            if tick == ticks / 2 && plan.extent() != Extent::Nothing {
                let program = bind(new).map_err(|error| text(&error))?;
                let reloaded = world[key].reload(program, plan);
                reloaded.map_err(|error| text(&error))?;
                outside.happen(std::slice::from_mut(&mut world[key]));
            }
        }
        world.tick(&contexts[usize::from(is_late)]);
    }
    let ends = keys.iter().map(|&key| {
        let crowd = &world[key];
        match &chosen {
            Some(chosen) => part_of(crowd, chosen.iter().copied()),
            None => crowd.snapshot(),
        }
    });
    let ends = ends.collect();
    let (tape, summary) = recording.finish(&mut world).map_err(|error| text(&error))?;
    if summary.ticks != ticks {
        return Err(format!("seed {seed}: {} of {ticks} ticks", summary.ticks));
    }
    Ok(Made {
        crowds,
        contexts,
        tape,
        ends,
    })
}

/// Some agents of a crowd, as checkpoints of their tape have them.
fn part_of<C>(
    crowd: &statewright::Crowd<Blackboard, C>,
    agents: impl Iterator<Item = AgentId>,
) -> Vec<u8> {
    let own = agents.filter(|agent| agent.crowd() == crowd.number());
    let mut own: Vec<AgentId> = own.collect();
    own.sort_by_key(|agent| agent.index());
    let mut part = Vec::new();
    crowd.part_into(&own, &mut part);
    part
}

impl Made {
    /// What the functions of a crowd look at: by the version of its machine that runs.
    fn context<C>(&self, place: usize, crowd: &statewright::Crowd<Blackboard, C>) -> &World {
        let hashes = |machine: &Machine| {
            let rom = machine.rom();
            [rom.structure_hash(), rom.parameter_hash()]
        };
        let is_old = hashes(crowd.machine()) == hashes(&self.crowds[place][0]);
        &self.contexts[usize::from(!is_old)]
    }
}

/// Records the world of a seed and runs the tape of each of its crowds again: from its beginning in every way, from later
/// checkpoints in one each unless they are wanted in all of them, too.
pub fn run(seed: u64, ticks: u64, every_way: bool) -> Result<Total, String> {
    let proof = [Proof::Ticks, Proof::Bytes, Proof::None, Proof::Agents][(seed % 4) as usize];
    let options = RecordingOptions {
        proof,
        checkpoint_ticks: Some(1 + (ticks as u32) / 3),
        // Each is also run without its functions.
        sealed: true,
        agents: (seed % 5 == 3).then(Vec::new),
        outputs: Vec::from_iter(seed.is_multiple_of(2).then_some(Lane::AUDIO)),
        ..RecordingOptions::default()
    };
    let made = record(seed, ticks, true, &options)?;
    let world = WorldTape::read(&made.tape).map_err(|error| error.to_string())?;
    let mut total = Total::default();
    for (place, (_, tape)) in world.crowds().enumerate() {
        for (number, start) in tape.checkpoints().enumerate() {
            let is_one = |way: &usize| every_way || number == 0 || *way == (number + place) % 4;
            for way in (0..4).filter(is_one) {
                let told = format!("seed {seed}, crowd {place}, from {start}, way {way}");
                run_again(&made, (place, tape), (start, way), &mut total)
                    .map_err(|error| format!("{told}: {error}"))?;
                if every_way || number > 0 || way % 3 == 0 {
                    run_sealed(tape, (start, way), &mut total)
                        .map_err(|error| format!("{told}, sealed: {error}"))?;
                }
            }
        }
    }
    Ok(total)
}

/// Runs the tape of a crowd again by the functions of its machines.
fn run_again(
    made: &Made,
    (place, tape): (usize, &Tape<'_>),
    (start, way): (u64, usize),
    total: &mut Total,
) -> Result<(), String> {
    let text = |error: ReplayError| error.to_string();
    let mut replay = Replay::from_tick(tape, Programs::by(bind), start).map_err(text)?;
    replay.crowd_mut().set_sleeping(way.is_multiple_of(2));
    replay.crowd_mut().set_chunk_size([1000, 1, 2, 7][way]);
    let ran = replay.run(|crowd| {
        let context = made.context(place, crowd);
        tick_on(way, crowd, context);
        None
    });
    total.add(&Total::of(&ran.map_err(text)?));
    let crowd = replay.crowd();
    let end = match tape.is_part() {
        true => part_of(crowd, crowd.agents()),
        false => crowd.snapshot(),
    };
    match end == made.ends[place] {
        true => Ok(()),
        false => Err("another end".to_owned()),
    }
}

/// Runs a tape again without the functions of its machines.
fn run_sealed(
    tape: &Tape<'_>,
    (start, way): (u64, usize),
    total: &mut Total,
) -> Result<(), String> {
    let text = |error: ReplayError| error.to_string();
    let sealed = SealedProgram::of(tape).map_err(text)?;
    let mut replay = sealed.replay(tape, start).map_err(text)?;
    replay.crowd_mut().set_sleeping(way.is_multiple_of(2));
    replay.crowd_mut().set_chunk_size([1000, 1, 2, 7][way]);
    let ran = replay.run(|crowd| {
        tick_on(way, crowd, &**sealed.answers());
        None
    });
    let verified = ran.map_err(text)?;
    total.sealed += verified.ticks;
    total.add(&Total::of(&verified));
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
    let made = record(seed, ticks, false, &options)?;
    let world = WorldTape::read(&made.tape).map_err(|error| error.to_string())?;
    let place = (trial / 200 + seed) as usize % made.crowds.len();
    let (_, tape) = world.crowds().nth(place).ok_or("a crowd of the world")?;
    let mut rng = Rng::new(seed ^ trial << 20 ^ 0xB17);
    let inputs = tape.index().map_err(|error| error.to_string())?.inputs;
    let (target, mut number) = (u64::from(rng.below(inputs.max(1) as u32)), 0);
    let changed = rewrite(tape, &(0..=u64::MAX), |record, bytes| {
        let Record::Input(input) = record else {
            return None;
        };
        number += 1;
        (number == target + 1).then(|| flipped(input, bytes, &mut rng))
    });
    let (changed, _) = changed.map_err(|error| error.to_string())?;
    let found = find(&made, place, &changed)?;
    let other = Tape::read(&changed).map_err(|error| error.to_string())?;
    let told = format!("seed {seed}, trial {trial}, crowd {place}");
    let up_to = match found != Found::Nothing && kinds(tape) != kinds(&other) {
        // What stands behind the bit is other records than it was, those of the outcome among them: whatever replay says
        // of them, it says something.
        true => first_other(tape, &other),
        false => None,
    };
    let expected = first_difference(&made, (place, tape), &other, up_to)?;
    let is_early = |tick: u64| up_to.is_some_and(|up_to| tick < up_to);
    match (expected, found) {
        _ if expected == found => Ok(found),
        // Up to there nothing differs, and replay says nothing of it.
        (Found::Nothing, Found::At(tick, _)) if up_to.is_some() && !is_early(tick) => {
            Ok(Found::Refused)
        }
        (Found::Nothing, Found::Refused) if up_to.is_some() => Ok(Found::Refused),
        _ => Err(format!("{told}: {expected:?} expected, {found:?} found")),
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

/// The tick that comes where a tape has another record than the one input that was changed; nothing if it never has.
fn first_other(tape: &Tape<'_>, changed: &Tape<'_>) -> Option<u64> {
    let (mut one, mut two) = (tape.play(), changed.play());
    let (mut now, mut is_behind) = (0, false);
    loop {
        let (Ok(left), Ok(right)) = (one.next_item(), two.next_item()) else {
            return Some(now);
        };
        if left != right {
            let is_input =
                |item: &Option<Item>| matches!(item, Some(Item::Record(Record::Input(_))));
            if is_behind || !is_input(&left) || !is_input(&right) {
                return Some(now);
            }
            is_behind = true;
        }
        match left? {
            Item::Checkpoint(checkpoint) => now = checkpoint.tick,
            Item::Record(Record::Tick(_)) => now += 1,
            Item::Record(_) | Item::Reload(_) => {}
        }
    }
}

/// Without anything to compare with, and without the ticks from one on.
fn bare(tape: &Tape<'_>, up_to: Option<u64>) -> Result<Vec<u8>, String> {
    let last = up_to.map_or(u64::MAX, |up_to| up_to.saturating_sub(1));
    let bare = rewrite(tape, &(0..=last), |record, _| match record {
        Record::Input(_) => None,
        Record::Changed(_)
        | Record::Keys(_)
        | Record::Calls(_)
        | Record::Guessed(_)
        | Record::Output(_)
        | Record::Hash(_) => Some(Vec::new()),
        // Whether its messages came from the world stays.
        Record::Tick(proof) => Some(vec![0, u8::from(proof.apart) << 2]),
    });
    Ok(bare.map_err(|error| error.to_string())?.0)
}

/// What a tape has, one after the other; nothing if it cannot be read to its end.
fn kinds(tape: &Tape<'_>) -> Option<Vec<Option<Discriminant<Record>>>> {
    let (mut player, mut kinds) = (tape.play(), Vec::new());
    while let Some(item) = player.next_item().ok()? {
        kinds.push(match &item {
            Item::Record(record) => Some(discriminant(record)),
            Item::Checkpoint(_) | Item::Reload(_) => None,
        });
    }
    Some(kinds)
}

/// Runs both tapes side by side, whole or up to a tick, and compares everything after every tick.
fn first_difference(
    made: &Made,
    (place, tape): (usize, &Tape<'_>),
    changed: &Tape<'_>,
    up_to: Option<u64>,
) -> Result<Found, String> {
    let first = tape.checkpoints().next();
    if up_to.is_some() && up_to <= first {
        return Ok(Found::Nothing);
    }
    let world = &made.contexts[0];
    let machine = &made.crowds[place][0];
    let (one, two) = (bare(tape, up_to)?, bare(changed, up_to)?);
    let (one, two) = (
        Tape::read(&one).expect("a tape"),
        Tape::read(&two).expect("a tape"),
    );
    let replay = |tape| {
        let program = bind(machine).map_err(|error| error.to_string())?;
        Replay::new(tape, program).map_err(|error| error.to_string())
    };
    let (mut one, mut two) = (replay(&one)?, replay(&two)?);
    loop {
        let tick = one.crowd().now();
        let more = one.step(|crowd| (crowd.tick(world), None).1);
        let more = more.map_err(|error| error.to_string())?;
        if two.step(|crowd| (crowd.tick(world), None).1).is_err() {
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
fn find(made: &Made, place: usize, changed: &[u8]) -> Result<Found, String> {
    let world = &made.contexts[0];
    let tape = Tape::read(changed).map_err(|error| error.to_string())?;
    let program = bind(&made.crowds[place][0]).map_err(|error| error.to_string())?;
    let mut replay = Replay::new(&tape, program).map_err(|error| error.to_string())?;
    match replay.run(|crowd| (crowd.tick(world), None).1) {
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
                    return Err(format!("no field is named: {difference}"));
                }
            };
            Ok(Found::At(difference.tick, agent))
        }
        Err(_) => Ok(Found::Refused),
    }
}
