//! Running a machine without a game: a crowd of agents, events from a seed or a script, and a
//! report.

mod json;
mod outcome;
mod page;
mod script;
mod source;
mod tally;
mod text;
mod tracing;
mod world;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use statewright::prelude::*;
use statewright_step::Answer;

pub(crate) use json::report as json_report;
pub(crate) use outcome::Outcome;
pub(crate) use page::{page, plot};
pub(crate) use script::{Line, ScriptError, read as read_script};
pub(crate) use text::{number, report as text_report};
pub(crate) use tracing::{Chosen, Failed, Recorder};

use crate::counts::visits;
use outcome::peak_memory;
use source::Source;
use tally::Tally;
use world::{Room, Words, World, stubs};

/// Most parts that a crowd is cut into for threads.
const MOST_PARTS: usize = 64;

/// What to run.
pub(crate) struct Plan {
    pub(crate) agents: u32,
    pub(crate) ticks: u64,
    pub(crate) seed: u64,
    /// Random events per agent and tick.
    pub(crate) rate: f64,
    pub(crate) script: Vec<Line>,
    pub(crate) stub_guards: Answer,
    /// `None` for all cores.
    pub(crate) threads: Option<u16>,
    /// Where a trace goes, if one is wanted.
    pub(crate) recorder: Option<Recorder>,
}

/// Runs a machine. `progress` hears how many ticks are done and how long they took; once `stop` is
/// set the run ends after its tick.
pub(crate) fn run(
    machine: &Machine,
    plan: Plan,
    stop: &AtomicBool,
    progress: impl FnMut(u64, Duration),
) -> Result<Outcome, Failed> {
    match machine.rom().blackboard_words() {
        0..=4 => run_with::<[u32; 4]>(machine, plan, stop, progress),
        5..=8 => run_with::<[u32; 8]>(machine, plan, stop, progress),
        _ => run_with::<Box<[u32]>>(machine, plan, stop, progress),
    }
}

/// The same with blackboards that lie in so much room.
fn run_with<S: Room>(
    machine: &Machine,
    plan: Plan,
    stop: &AtomicBool,
    mut progress: impl FnMut(u64, Duration),
) -> Result<Outcome, Failed> {
    let begun = Instant::now();
    let world = World::new(machine, plan.seed, plan.stub_guards);
    let program = machine
        .bind(stubs(machine))
        .map_err(|error| error.to_string())?;
    let mut crowd = Crowd::new(program, plan.seed);
    crowd.set_forgets_commands(true);
    // What a part keeps besides its agents is shared by more of them where there are many.
    crowd.set_chunk_size((plan.agents as usize).div_ceil(MOST_PARTS).max(1024));
    crowd.reserve(plan.agents as usize);
    let board: Words<S> = Words::new(machine);
    let board_bytes = board.bytes() * plan.agents as usize;
    for _ in 0..plan.agents {
        crowd.spawn(board.clone());
    }
    let settings = tracing::settings(plan.recorder.as_ref().map(|recorder| &recorder.chosen));
    crowd
        .set_trace(Some(settings))
        .map_err(|error| error.to_string())?;
    let legend = crowd.legend();
    let mut recording = plan
        .recorder
        .map(|recorder| recorder.begin(&legend))
        .transpose()?;
    let mut source = Source::new(machine, plan.seed, plan.rate, plan.script);
    let mut tally = Tally::new(plan.ticks);
    let pool = threads(plan.threads)?;
    let mut ticking = Duration::ZERO;
    let mut ticks = 0;
    while ticks < plan.ticks && !stop.load(Ordering::Relaxed) {
        // In the first tick agents only start.
        if ticks > 0 {
            source.happen(&mut crowd, ticks);
        }
        let start = Instant::now();
        let tick = match &pool {
            Some(pool) => pool.install(|| crowd.tick_parallel(&world)),
            None => crowd.tick_parallel(&world),
        };
        tally.turns += tick.ran as u64;
        ticking += start.elapsed();
        if let Some(recording) = &mut recording {
            recording.add(ticks, crowd.trace())?;
        }
        tally.sample(&crowd, ticks, ticks + 1 == plan.ticks);
        ticks += 1;
        progress(ticks, ticking);
    }
    if ticks > 0 {
        tally.sample(&crowd, ticks - 1, true);
    }
    let totals = crowd.trace_totals();
    let traced = recording.map(tracing::Recording::close).transpose()?;
    Ok(Outcome {
        visits: visits(&totals, &legend),
        legend,
        traced,
        agents: plan.agents,
        ticks,
        wanted_ticks: plan.ticks,
        seed: plan.seed,
        sent: source.sent,
        turns: tally.turns,
        counters: *crowd.counters(),
        ticking,
        elapsed: begun.elapsed(),
        instance_bytes: usize::from(machine.rom().tier().bytes) * plan.agents as usize,
        board_bytes,
        peak_bytes: peak_memory(),
        transitions: totals.transitions,
        functions: world.calls(machine),
        stub_guards: plan.stub_guards.word(),
        ended: tally.samples.last().map_or(0, |sample| sample.ended),
        samples: tally.samples,
    })
}

/// So many threads, if a number was asked for.
fn threads(count: Option<u16>) -> Result<Option<rayon::ThreadPool>, Failed> {
    let build = |count: u16| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(count.into())
            .build();
        pool.map_err(|error| format!("cannot start {count} threads: {error}").into())
    };
    count.map(build).transpose()
}
