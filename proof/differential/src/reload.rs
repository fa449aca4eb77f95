//! LOAD-9: agents that live on in another version of their machine. An agent of a random machine runs
//! for a while, a random edit is made, kernel and oracle map it each in their own way, and both run on.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use statewright_author::graph::Machine;
use statewright_generator::Rng;
use statewright_kernel::{Instance, check, flag, renew, with_tier};
use statewright_oracle::{Became, Reloaded, Snapshot};
use statewright_reload::{Anew, Completed, Extent, Fate, Lost, Mapped, Mapper, Plan, Quick};
use statewright_rom::Rom;

use crate::bytes::Bytes;
use crate::compare::{Comparison, panic_text, tools};
use crate::edits::{EDITS, MOVES, name_transitions, write_ids};
use crate::machine::{CompiledCase, of_seed};
use crate::reworks::REWORKS;
use crate::script::Script;
use crate::scripted_user_code::{ScriptedUserCode, UserCodeConfig};

/// Ticks after the reload.
const AFTER: u32 = 12;

/// What became of agents, to know that something was proved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Pairs of machines with an agent.
    pub cases: u64,
    /// Edits that no compiler takes.
    pub refused: u64,
    /// Agents that went on where they were.
    pub kept: u64,
    /// Agents that were completed.
    pub completed: u64,
    /// Agents that began anew.
    pub anew: u64,
    /// Agents that had suspended states and kept them.
    pub with_frames: u64,
    /// Agents that were paused.
    pub paused: u64,
    /// Agents whose suspended states would have shared places with others.
    pub shared: u64,
    /// Agents whose bytes stayed, because only parameters changed (LOAD-2).
    pub unchanged: u64,
    /// Agents that lost something.
    pub lost: u64,
    /// Agents whose channels were released.
    pub released: u64,
    /// Agents that run on an old deadline.
    pub on_old_deadlines: u64,
    /// Agents that were mapped by their leaf alone.
    pub at_once: u64,
    /// Agents that began anew because the file says so.
    pub reset: u64,
}

impl Tally {
    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.refused += other.refused;
        self.kept += other.kept;
        self.completed += other.completed;
        self.anew += other.anew;
        self.with_frames += other.with_frames;
        self.paused += other.paused;
        self.shared += other.shared;
        self.unchanged += other.unchanged;
        self.lost += other.lost;
        self.released += other.released;
        self.on_old_deadlines += other.on_old_deadlines;
        self.at_once += other.at_once;
        self.reset += other.reset;
    }
}

/// Runs the cases of some seeds on all processors, to the end or until one differs: what became of
/// agents, and which seeds differ.
pub fn search(seeds: Range<u64>, ends_early: bool) -> (Tally, Vec<(u64, String)>) {
    let next = AtomicU64::new(seeds.start);
    let total = Mutex::new((Tally::default(), Vec::new()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let done = run(seed);
            let mut total = total.lock().expect("no thread panics");
            match done {
                Ok(tally) => total.0.add(&tally),
                Err(what) => total.1.push((seed, what)),
            }
            if ends_early && !total.1.is_empty() {
                return;
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
    let (tally, mut differing) = total.into_inner().expect("no thread panics");
    differing.sort();
    (tally, differing)
}

/// Two versions of the machine of a seed, and what was done to the second; `None` if the edits do not
/// compile.
pub fn versions(seed: u64) -> Option<(CompiledCase, CompiledCase, String)> {
    let mut rng = Rng::new(seed ^ 0x4E10_AD00);
    let mut graph = of_seed(seed);
    if rng.chance(70) {
        name_transitions(&mut graph);
    }
    write_ids(&mut graph, &mut rng);
    let old = CompiledCase::new(graph.clone()).ok()?;
    let mut done = Vec::new();
    // None at all in some pairs: then nothing may change.
    for _ in 0..rng.below(4) {
        let (name, edit) = match rng.chance(60) {
            true => MOVES[rng.below(MOVES.len() as u32) as usize],
            false => EDITS[rng.below(EDITS.len() as u32) as usize],
        };
        let mut edited = graph.clone();
        if edit(&mut edited, &mut rng) && CompiledCase::new(edited.clone()).is_ok() {
            graph = edited;
            done.push(name);
        }
    }
    if seed % 3 == 1 {
        rework(&mut graph, &mut rng, &mut done);
    }
    Some((old, CompiledCase::new(graph).ok()?, done.join(", ")))
}

/// How often an edit is tried that the compiler refuses.
const TRIES: usize = 8;

/// Makes one or two larger edits.
fn rework(graph: &mut Machine, rng: &mut Rng, done: &mut Vec<&'static str>) {
    let mut wanted = rng.between(1, 2);
    for _ in 0..TRIES {
        let (name, edit) = REWORKS[rng.below(REWORKS.len() as u32) as usize];
        let mut edited = graph.clone();
        if wanted > 0 && edit(&mut edited, rng) && CompiledCase::new(edited.clone()).is_ok() {
            *graph = edited;
            done.push(name);
            wanted -= 1;
        }
    }
}

/// Ticks that a case waits at most.
const WAITING: u32 = 60;

/// What the agent of a case is to have when the reload comes.
#[derive(Clone, Copy)]
enum Wish {
    Nothing,
    Latch,
    Frames,
    Result,
    Queue,
}

impl Wish {
    fn of(seed: u64) -> Self {
        match (seed % 3, seed / 3 % 6) {
            (1, 0 | 1) => Self::Latch,
            (1, 2 | 3) => Self::Frames,
            (1, 4) => Self::Result,
            (1, 5) => Self::Queue,
            _ => Self::Nothing,
        }
    }

    fn is_fulfilled(self, agent: &Snapshot) -> bool {
        match self {
            Self::Nothing => true,
            Self::Latch => !agent.latched.is_empty(),
            Self::Frames => !agent.frames.is_empty(),
            Self::Result => !agent.results.is_empty(),
            Self::Queue => !agent.queue.is_empty(),
        }
    }
}

/// Runs the case of a seed; what differs, if anything does.
pub fn run(seed: u64) -> Result<Tally, String> {
    let Some((old, new, edits)) = versions(seed) else {
        return Ok(Tally {
            refused: 1,
            ..Tally::default()
        });
    };
    let all = std::panic::AssertUnwindSafe(|| {
        with_tier!(old.output.rom.as_rom(), O => {
            with_tier!(new.output.rom.as_rom(), N => run_tiers::<O, N>(&old, &new, seed))
        })
    });
    let result = std::panic::catch_unwind(all);
    let result = result.unwrap_or_else(|panic| Err(panic_text(panic.as_ref())));
    result.map_err(|what| format!("edits: {edits}\n{what}"))
}

fn user_code(compiled: &CompiledCase, seed: u64) -> ScriptedUserCode {
    let rom = compiled.output.rom.as_rom();
    let config = UserCodeConfig::of_seed(seed);
    ScriptedUserCode::new(seed, config, tools(&rom), compiled.blackboard())
}

/// An agent of the old machine when the reload comes, and the tick that comes.
fn lived<'m, O: Instance>(
    old: &'m CompiledCase,
    rom: &'m Rom<'m>,
    seed: u64,
) -> Result<(Comparison<'m, O>, u32), String> {
    let mut one = Comparison::<O>::new(old, rom, seed, user_code(old, seed));
    let mut script = Script::new(seed, rom.events().len() as u32);
    let mut rng = Rng::new(seed);
    let count = rng.below(40);
    let wish = Wish::of(seed);
    for tick in 0..count + WAITING {
        // Some wait for what chance hardly ever brings about when the reload comes.
        if tick >= count && wish.is_fulfilled(&one.oracle.snapshot()) {
            break;
        }
        for step in script.next_tick() {
            one.step(&step)
                .map_err(|what| format!("before the reload: {what}"))?;
        }
        one.end_of_tick();
    }
    Ok((one, script.now()))
}

/// What becomes of the agent of a seed.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its leaves in the old machine.
    pub leaves: Vec<usize>,
    /// It ran, was whole, and nothing was suspended.
    pub is_plain: bool,
    /// What became of it.
    pub fate: Fate,
}

/// The agent of a seed, by the kernel's mapping.
pub fn agent(old: &CompiledCase, new: &CompiledCase, seed: u64) -> Result<Agent, String> {
    let (old_rom, new_rom) = (old.output.rom.as_rom(), new.output.rom.as_rom());
    let plan = Plan::new(&old_rom, &new_rom);
    with_tier!(old_rom, O => {
        let (one, now) = lived::<O>(old, &old_rom, seed)?;
        let mapper = Mapper::new(&plan, &old_rom, &new_rom, now).ok_or("a plan of these")?;
        let snapshot = one.oracle.snapshot();
        let flags = snapshot.flags;
        let (_, mapped) = with_tier!(new_rom, N => {
            let (mapped, outcome) = mapper.map::<O, N>(&one.traced.instance);
            (mapped.header().flags.get(), outcome)
        });
        Ok(Agent {
            is_plain: flags.started
                && !flags.terminated
                && !flags.quarantined
                && !flags.incomplete
                && snapshot.frames.is_empty(),
            leaves: snapshot.leaves,
            fate: mapped.fate,
        })
    })
}

fn run_tiers<O: Instance, N: Instance>(
    old: &CompiledCase,
    new: &CompiledCase,
    seed: u64,
) -> Result<Tally, String> {
    let (old_rom, new_rom) = (old.output.rom.as_rom(), new.output.rom.as_rom());
    let (before, now) = lived::<O>(old, &old_rom, seed)?;
    let plan = Plan::new(&old_rom, &new_rom);
    let mapper = Mapper::new(&plan, &old_rom, &new_rom, now).ok_or("a plan of these machines")?;
    let instance = before.traced.instance;
    let (mut mapped, mut outcome) = mapper.map::<O, N>(&instance);
    let at_once = Quick::<N>::new(mapper).at_once(&instance);
    if let Some((quick, said)) = &at_once {
        is_same(
            "an agent that its leaf decides",
            &mapped.as_bytes(),
            &quick.as_bytes(),
        )?;
        is_same("what becomes of it", &outcome, said)?;
    }
    // Every other one of them goes the way of a structure, which must come to the same.
    let stays = plan.extent() == Extent::Parameters && seed.is_multiple_of(2);
    if stays {
        outcome = unmapped(&instance, outcome);
        mapped =
            N::read_from_bytes(instance.as_bytes()).map_err(|_| "a machine of another tier")?;
        renew(&new_rom, &mut mapped);
    }
    let mut after = Comparison::<N>::new(new, &new_rom, seed, user_code(new, seed));
    after.oracle = before.oracle;
    // The oracle has no places that states could share: it is told.
    let shared = outcome.fate == Fate::Anew(Anew::Places);
    // A file that says `reset` and is the one that runs resets nobody: the oracle knows no hashes.
    let mut graph = new.graph.clone();
    if plan.extent() == Extent::Nothing {
        graph.policies.reload_resets = None;
    }
    let reloaded = match (shared, stays) {
        (true, _) => after.oracle.reload_anew(&graph, new.tier(), now),
        (false, true) => after.oracle.reload_parameters(&graph, new.tier(), now),
        (false, false) => after.oracle.reload(&graph, new.tier(), now),
    };
    let became = reloaded.became;
    for (to, from) in [
        (&mut after.traced, &before.traced),
        (&mut after.fast, &before.fast),
    ] {
        (to.instance, to.counters) = (mapped, from.counters);
    }
    if fate(became) != kind(&outcome.fate) {
        return Err(format!(
            "fate\n  oracle: {became:?}\n  kernel: {:?}",
            outcome.fate
        ));
    }
    compare_losses(&reloaded, &outcome)?;
    check(&new_rom, &mapped).map_err(|fault| format!("no legal instance: {fault:?}"))?;
    after
        .compare()
        .map_err(|what| format!("right after: {what}"))?;
    if plan.extent() == Extent::Nothing {
        same_but_generation(&new_rom, &instance, &mapped)?;
    }
    let mut script = Script::new(seed ^ 1, new_rom.events().len() as u32).at(now);
    for tick in 0..AFTER {
        for step in script.next_tick() {
            after
                .step(&step)
                .map_err(|what| format!("{tick} ticks after ({became:?}): {what}"))?;
        }
        after.end_of_tick();
        let header = after.traced.instance.header();
        if header.has(flag::INCOMPLETE) && !header.has(flag::PAUSED) {
            return Err("still incomplete after a tick".to_owned());
        }
    }
    let count = |is: bool| u64::from(is);
    Ok(Tally {
        cases: 1,
        refused: 0,
        kept: count(became == Became::Kept),
        completed: count(became == Became::Completed),
        anew: count(became == Became::Anew),
        with_frames: count(mapped.header().stack_depth > 0),
        paused: count(mapped.header().has(flag::PAUSED)),
        shared: count(shared),
        unchanged: count(stays),
        lost: count(!outcome.lost.is_nothing()),
        released: count(outcome.released != 0),
        on_old_deadlines: count(outcome.on_old_deadline),
        at_once: count(at_once.is_some()),
        reset: count(outcome.fate == Fate::Anew(Anew::File)),
    })
}

/// What becomes of an agent whose bytes stay (LOAD-2).
fn unmapped<O: Instance>(instance: &O, by_structure: Mapped) -> Mapped {
    let has = |flags: u16| instance.header().flags.get() & flags != 0;
    let fate = match (has(flag::ENDED), has(flag::STARTED), has(flag::INCOMPLETE)) {
        (true, ..) => Fate::Ended,
        (_, true, true) => Fate::Completed(Completed::Before),
        (_, true, false) => Fate::Kept,
        (_, false, true) => Fate::Anew(Anew::Before),
        (_, false, false) => Fate::Unstarted,
    };
    Mapped {
        fate,
        lost: Lost::default(),
        released: 0,
        on_old_deadline: by_structure.on_old_deadline,
    }
}

fn is_same<T: PartialEq + std::fmt::Debug>(what: &str, one: &T, other: &T) -> Result<(), String> {
    if one == other {
        Ok(())
    } else {
        Err(format!(
            "{what}\n  the longer way: {one:?}\n  at once: {other:?}"
        ))
    }
}

/// What an agent lost, what it has to give back and on which deadlines it runs.
fn compare_losses(oracle: &Reloaded, kernel: &Mapped) -> Result<(), String> {
    let Lost {
        timers,
        history,
        cooldowns,
        latches,
        results,
        scratch,
        events,
    } = kernel.lost;
    let lost = statewright_oracle::Lost {
        timers,
        history,
        cooldowns,
        latches,
        results,
        scratch,
        events,
    };
    let channels = (0..u32::BITS).filter(|channel| kernel.released >> channel & 1 == 1);
    let of_kernel = Reloaded {
        became: oracle.became,
        lost,
        released: channels.map(|channel| channel as usize).collect(),
        on_old_deadline: oracle.on_old_deadline.map(|_| kernel.on_old_deadline),
    };
    if of_kernel == *oracle {
        Ok(())
    } else {
        Err(format!(
            "what was lost\n  oracle: {oracle:?}\n  kernel: {of_kernel:?}"
        ))
    }
}

/// Where nothing was edited, only the generation and deferred marks change, and what follows from those.
fn same_but_generation<O: Instance, N: Instance>(
    rom: &Rom<'_>,
    old: &O,
    new: &N,
) -> Result<(), String> {
    let mut before = Bytes::new(rom, old.as_bytes()).snapshot();
    let after = Bytes::new(rom, new.as_bytes()).snapshot();
    before.generation = before.generation.wrapping_add(1);
    for event in &mut before.queue {
        event.deferred = false;
    }
    (before.flags.work, before.flags.polls) = (after.flags.work, after.flags.polls);
    if before == after {
        Ok(())
    } else {
        Err(format!(
            "a reload of the same machine\n  before: {before:?}\n  after:  {after:?}"
        ))
    }
}

fn fate(became: Became) -> &'static str {
    match became {
        Became::Kept => "kept",
        Became::Completed => "completed",
        Became::Anew => "anew",
        Became::Unstarted => "unstarted",
        Became::Ended => "ended",
    }
}

fn kind(fate: &Fate) -> &'static str {
    match fate {
        Fate::Kept => "kept",
        Fate::Completed(_) => "completed",
        Fate::Anew(_) => "anew",
        Fate::Unstarted => "unstarted",
        Fate::Ended => "ended",
        Fate::Quarantined => "quarantined",
    }
}
