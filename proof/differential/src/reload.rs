//! LOAD-9: agents that live on in another version of their machine. An agent of a random machine runs
//! for a while, a random edit is made, kernel and oracle map it each in their own way, and both run on.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use statewright_generator::Rng;
use statewright_kernel::{Instance, check, flag, with_tier};
use statewright_oracle::Became;
use statewright_reload::{Anew, Fate, Mapper, Plan};
use statewright_rom::Rom;

use crate::bytes::Bytes;
use crate::compare::{Comparison, panic_text, tools};
use crate::edits::{EDITS, MOVES, name_transitions, write_ids};
use crate::machine::{CompiledCase, of_seed};
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
    Some((old, CompiledCase::new(graph).ok()?, done.join(", ")))
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

fn run_tiers<O: Instance, N: Instance>(
    old: &CompiledCase,
    new: &CompiledCase,
    seed: u64,
) -> Result<Tally, String> {
    let (old_rom, new_rom) = (old.output.rom.as_rom(), new.output.rom.as_rom());
    let mut before = Comparison::<O>::new(old, &old_rom, seed, user_code(old, seed));
    let mut script = Script::new(seed, old_rom.events().len() as u32);
    let mut rng = Rng::new(seed);
    let mut now = script.now();
    for _ in 0..rng.below(40) {
        for step in script.next_tick() {
            before
                .step(&step)
                .map_err(|what| format!("before the reload: {what}"))?;
        }
        before.end_of_tick();
        now = script.now();
    }
    let plan = Plan::new(&old_rom, &new_rom);
    let mapper = Mapper::new(&plan, &old_rom, &new_rom, now).ok_or("a plan of these machines")?;
    let instance = before.traced.instance;
    let (mapped, outcome) = mapper.map::<O, N>(&instance);
    let mut after = Comparison::<N>::new(new, &new_rom, seed, user_code(new, seed));
    after.oracle = before.oracle;
    // The oracle has no places that states could share: it is told.
    let shared = outcome.fate == Fate::Anew(Anew::Places);
    let became = match shared {
        true => after.oracle.reload_anew(&new.graph, new.tier(), now),
        false => after.oracle.reload(&new.graph, new.tier(), now),
    };
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
    check(&new_rom, &mapped).map_err(|fault| format!("no legal instance: {fault:?}"))?;
    after
        .compare()
        .map_err(|what| format!("right after: {what}"))?;
    if plan.hashes()[0] == plan.hashes()[1] {
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
    })
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
