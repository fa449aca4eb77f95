//! One run: a crowd of agents, what happens to them, and the count of it.
//!
//! Each tick: what is due is sent ([`Source`]), the crowd ticks, agents are counted ([`Tally`]).

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use statewright::prelude::*;
use statewright::trace::{Legend, Level, Record, Settings, UnknownNumber};
use statewright::{
    BindError, Counters, CrowdNumber, LoadError, Reload, ReloadError, ReloadReport, SavedCrowd,
};
use statewright_step::Answer;
use statewright_tape::{RecordError, Summary};

use crate::board::{BoardStorage, InlineBoard};
use crate::cost::{Clock, Stopwatch};
use crate::outcome::Outcome;
use crate::script::Script;
use crate::source::Source;
use crate::stand_ins::{StandIns, named_calls, stubs};
use crate::tally::Tally;
use crate::tape::{self, Recorded, RunRecording};
use crate::weights::Weights;

/// The one crowd of a run.
const CROWD: CrowdNumber = match CrowdNumber::new(1) {
    Some(number) => number,
    None => CrowdNumber::NONE,
};

/// The agent at an index: all of a run are in their first life.
pub(crate) fn first_life(index: u32) -> AgentId {
    AgentId::new(index % AgentId::INDICES, 1).in_crowd(CROWD)
}

/// Most parts that a crowd is cut into for threads.
const MOST_CHUNKS: usize = 64;

/// What to run.
pub struct Plan {
    /// How many agents.
    pub agents: u32,
    /// For how many ticks.
    pub ticks: u64,
    /// The seed of events, of the stand-ins and of the machine's own random numbers.
    pub seed: u64,
    /// Random events per agent and tick.
    pub rate: f64,
    /// Which of them come how often; without weights all are as likely.
    pub weights: Option<Weights>,
    /// What else happens.
    pub script: Script,
    /// What guards answer.
    pub stub_guards: Answer,
    /// `None` for all cores. Without the feature `parallel` there is one.
    pub threads: Option<u16>,
    /// Who is recorded for [`Monitor::ticked`], if anybody is.
    pub traced: Option<Traced>,
    /// Where a tape of the run goes, if one is wanted.
    pub recorded: Option<Recorded>,
    /// Agents of a save, in the place of new ones: [`Self::agents`] is how many it has.
    pub loaded: Option<SavedCrowd<'static>>,
    /// Whether the agents are wanted for a save when the run is over ([`Outcome::saved`]).
    pub saves: bool,
    /// Measures the run. It changes nothing else.
    pub clock: Clock,
    /// Tells how long processors have worked for all threads of the program together; `None` where
    /// nobody can tell.
    pub processor_clock: Option<Clock>,
}

impl Default for Plan {
    /// One agent that nothing happens to, for one tick.
    fn default() -> Self {
        Self {
            agents: 1,
            ticks: 1,
            seed: 0,
            rate: 0.0,
            weights: None,
            script: Script::default(),
            stub_guards: Answer::default(),
            threads: None,
            traced: None,
            recorded: None,
            loaded: None,
            saves: false,
            clock: Box::new(|| Duration::ZERO),
            processor_clock: None,
        }
    }
}

/// Which agents are recorded, and how much of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// How much.
    pub level: Level,
    /// Their indices, in order.
    pub agents: Vec<u32>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Ticks that are done, the one just told of included.
    pub ticks: u64,
    /// How long they took.
    pub ticking: Duration,
    /// The number of the last one: more than [`Self::ticks`] if agents were loaded.
    pub tick: u64,
}

/// Another version of the machine that runs, with what happens in it.
#[derive(Debug)]
pub struct Version {
    /// The machine.
    pub machine: Machine,
    /// How often random events come.
    pub weights: Option<Weights>,
    /// What else happens.
    pub script: Script,
}

/// Who hears what a run does while it runs.
pub trait Monitor {
    /// Why it gives the run up.
    type Error;

    /// All agents are there, nobody has had a turn. `legend` has the names behind the numbers of
    /// the records to come.
    fn begin(&mut self, legend: &Legend) -> Result<(), Self::Error>;

    /// A tick is over; `records` is what [`Plan::traced`] asked for, in order.
    fn ticked(
        &mut self,
        progress: Progress,
        records: &mut dyn Iterator<Item = &Record>,
    ) -> Result<(), Self::Error>;

    /// Agents of a save are there, before [`Self::begin`].
    fn loaded(&mut self, report: &ReloadReport) {
        let _ = report;
    }

    /// May versions come? Then blackboards may grow.
    fn has_versions(&self) -> bool {
        false
    }

    /// Another version of the machine, if there is one now. Asked after every tick.
    fn next_version(&mut self) -> Option<Version> {
        None
    }

    /// What became of the agents in it, or why they go on in the old one.
    fn reloaded(&mut self, outcome: Result<&ReloadReport, &SimulationError>) {
        let _ = outcome;
    }

    /// It was reloaded: `legend` has the names behind the numbers of records from a tick on.
    fn renamed(&mut self, tick: u64, legend: &Legend) -> Result<(), Self::Error> {
        let _ = (tick, legend);
        Ok(())
    }
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Monitor for Unwatched {
    type Error = std::convert::Infallible;

    fn begin(&mut self, _: &Legend) -> Result<(), Self::Error> {
        Ok(())
    }

    fn ticked(
        &mut self,
        _: Progress,
        _: &mut dyn Iterator<Item = &Record>,
    ) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Why a simulation cannot begin.
#[derive(Debug)]
pub enum SimulationError {
    /// The stand-ins do not fit the machine.
    Bind(BindError),
    /// [`Plan::traced`] names somebody or something that is not there.
    Trace(UnknownNumber),
    /// The system gives no threads.
    Threads {
        /// How many were asked for.
        count: u16,
        /// What it says.
        reason: String,
    },
    /// The tape does not begin.
    Tape(RecordError),
    /// The agents of the save are refused.
    Load(LoadError),
    /// Another version does not take the place of the one that runs.
    Reload(ReloadError),
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind(error) => error.fmt(f),
            Self::Trace(error) => error.fmt(f),
            Self::Threads { count, reason } => write!(f, "cannot start {count} threads: {reason}"),
            Self::Tape(error) => error.fmt(f),
            Self::Load(error) => error.fmt(f),
            Self::Reload(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SimulationError {}

/// Why a run has no outcome.
#[derive(Debug)]
pub enum RunError<E> {
    /// It could not begin.
    Simulation(SimulationError),
    /// The [`Monitor`] gave it up.
    Monitor(E),
    /// The tape of the run could not be written to its end.
    Tape(RecordError),
}

impl<E> From<SimulationError> for RunError<E> {
    fn from(error: SimulationError) -> Self {
        Self::Simulation(error)
    }
}

/// Runs a machine to the end of a plan. Once `stop` is set, the run ends after its tick and its
/// outcome says so.
pub fn run<M: Monitor>(
    machine: &Machine,
    plan: Plan,
    stop: &AtomicBool,
    monitor: &mut M,
) -> Result<Outcome, RunError<M::Error>> {
    match machine.rom().blackboard_words() {
        _ if monitor.has_versions() => drive::<Box<[u32]>, M>(machine, plan, stop, monitor),
        0..=4 => drive::<[u32; 4], M>(machine, plan, stop, monitor),
        5..=8 => drive::<[u32; 8], M>(machine, plan, stop, monitor),
        _ => drive::<Box<[u32]>, M>(machine, plan, stop, monitor),
    }
}

/// The same with blackboards that lie in a given storage.
fn drive<S: BoardStorage, M: Monitor>(
    machine: &Machine,
    plan: Plan,
    stop: &AtomicBool,
    monitor: &mut M,
) -> Result<Outcome, RunError<M::Error>> {
    let mut simulation = Simulation::<S>::new(machine, plan)?;
    if let Some(report) = &simulation.load_report {
        monitor.loaded(report);
    }
    monitor
        .begin(&simulation.legend)
        .map_err(RunError::Monitor)?;
    while !simulation.is_over() && !stop.load(Ordering::Relaxed) {
        let progress = simulation.tick();
        monitor
            .ticked(progress, &mut simulation.crowd.trace())
            .map_err(RunError::Monitor)?;
        if simulation.tape_ended() {
            break;
        }
        if let Some(version) = monitor.next_version() {
            let outcome = simulation.reload(version);
            monitor.reloaded(outcome.as_ref());
            if outcome.is_ok() {
                let renamed = monitor.renamed(simulation.crowd.now(), &simulation.legend);
                renamed.map_err(RunError::Monitor)?;
            }
        }
    }
    let tape = simulation.finish_tape().map_err(RunError::Tape)?;
    Ok(Outcome {
        tape,
        ..simulation.into_outcome()
    })
}

/// A run that its owner ticks. `Simulation<Box<[u32]>>` takes any machine; [`run`] chooses smaller
/// storage where blackboards are small.
pub struct Simulation<S> {
    crowd: Crowd<InlineBoard<S>, StandIns>,
    stand_ins: StandIns,
    source: Source,
    tally: Tally,
    legend: Legend,
    plan: Plan,
    threads: Threads,
    recording: Option<RunRecording>,
    board_bytes: usize,
    stopwatch: Stopwatch,
    ticks: u64,
    /// What was counted before the run, of agents of a save.
    counted_before: Counters,
    /// How many there were at the last reload.
    reloaded_after: Option<u64>,
    /// What became of the agents of a save.
    load_report: Option<ReloadReport>,
}

impl<S: BoardStorage> Simulation<S> {
    /// All agents, before their first tick.
    pub fn new(machine: &Machine, mut plan: Plan) -> Result<Self, SimulationError> {
        let clock = std::mem::replace(&mut plan.clock, Plan::default().clock);
        let stopwatch = Stopwatch::new(clock, plan.processor_clock.take());
        let loaded = plan.loaded.take();
        let agents = plan.agents as usize;
        let program = machine
            .bind(stubs(machine))
            .map_err(SimulationError::Bind)?;
        let mut crowd = Crowd::new(program, plan.seed).numbered(CROWD);
        crowd.set_forgets_commands(true);
        // What a chunk keeps besides its agents is shared by more of them where there are many.
        crowd.set_chunk_size(agents.div_ceil(MOST_CHUNKS).max(1024));
        let board: InlineBoard<S> = InlineBoard::new(machine);
        let board_bytes = board.bytes() * agents;
        let load_report = match &loaded {
            Some(saved) => {
                let by = Reload::plan(&saved.machine, machine);
                let report = crowd.load_saved(saved, &by);
                plan.agents = crowd.len() as u32;
                Some(report.map_err(SimulationError::Load)?)
            }
            None => {
                crowd.reserve(agents);
                for _ in 0..agents {
                    crowd.spawn(board.clone());
                }
                None
            }
        };
        let counted_before = *crowd.counters();
        crowd
            .set_trace(Some(settings(plan.traced.as_ref())))
            .map_err(SimulationError::Trace)?;
        let script = std::mem::take(&mut plan.script);
        // Those of a save have any ids.
        let ids = loaded.map(|_| crowd.agents().collect());
        let recording = plan.recorded.take().map(|recorded| {
            let begun = tape::begin(&mut crowd, recorded, plan.seed, plan.stub_guards);
            begun.map_err(SimulationError::Tape)
        });
        Ok(Self {
            recording: recording.transpose()?,
            legend: crowd.legend(),
            crowd,
            stand_ins: StandIns::new(plan.seed, plan.stub_guards),
            source: Source::new(machine, plan.seed, plan.rate, plan.weights.as_ref(), script)
                .for_agents(ids),
            tally: Tally::new(plan.ticks),
            threads: Threads::new(plan.threads)?,
            plan,
            board_bytes,
            stopwatch,
            ticks: 0,
            counted_before,
            reloaded_after: None,
            load_report,
        })
    }

    /// The agents, between ticks.
    pub fn crowd(&self) -> &Crowd<InlineBoard<S>, StandIns> {
        &self.crowd
    }

    /// The agents, for what should happen to them besides the plan.
    pub fn crowd_mut(&mut self) -> &mut Crowd<InlineBoard<S>, StandIns> {
        &mut self.crowd
    }

    /// Whether the tape of the run ended before its time.
    fn tape_ended(&self) -> bool {
        let recording = self.recording.as_ref();
        recording.is_some_and(|recording| recording.ended().is_some())
    }

    /// Ends the tape of the run, if there is one; what it has.
    pub fn finish_tape(&mut self) -> Result<Option<Summary>, RecordError> {
        let recording = self.recording.take();
        let finish = |recording| tape::finish(&mut self.crowd, recording);
        recording.map(finish).transpose()
    }

    /// Whether all ticks of the plan are done. More may follow all the same.
    pub fn is_over(&self) -> bool {
        self.ticks >= self.plan.ticks
    }

    /// Lets happen what is due, and ticks everybody.
    pub fn tick(&mut self) -> Progress {
        // In the first tick agents only start.
        if self.ticks > 0 {
            self.source.apply_due(&mut self.crowd, self.ticks);
        }
        let lap = self.stopwatch.start();
        let turns = self.threads.tick(&mut self.crowd, &self.stand_ins);
        self.stopwatch.stop(&lap, self.ticks == 0);
        self.tally.turns += turns as u64;
        let is_last = self.ticks + 1 == self.plan.ticks;
        self.tally.sample(&self.crowd, self.ticks, is_last);
        self.ticks += 1;
        Progress {
            ticks: self.ticks,
            ticking: self.stopwatch.ticking,
            tick: self.crowd.now().saturating_sub(1),
        }
    }

    /// Another version of the machine takes the place of the one that runs; what is counted begins
    /// anew. If it cannot, nothing changes.
    pub fn reload(&mut self, version: Version) -> Result<ReloadReport, SimulationError> {
        let Version {
            machine,
            weights,
            script,
        } = version;
        let program = machine.bind(stubs(&machine));
        let program = program.map_err(SimulationError::Bind)?;
        let plan = Reload::plan(self.crowd.machine(), &machine);
        let report = self.crowd.reload(program, plan);
        let report = report.map_err(SimulationError::Reload)?;
        // Numbers of states and transitions are others.
        self.crowd
            .set_trace(None)
            .and_then(|()| {
                self.crowd
                    .set_trace(Some(settings(self.plan.traced.as_ref())))
            })
            .map_err(SimulationError::Trace)?;
        self.legend = self.crowd.legend();
        self.tally.samples.clear();
        self.reloaded_after = Some(self.ticks);
        let board: InlineBoard<S> = InlineBoard::new(&machine);
        self.board_bytes = board.bytes() * self.plan.agents as usize;
        self.source.renew(&machine, weights.as_ref(), script);
        Ok(report)
    }

    /// Ends the run, wherever it is.
    pub fn into_outcome(mut self) -> Outcome {
        if let Some(last) = self.ticks.checked_sub(1) {
            self.tally.sample(&self.crowd, last, true);
        }
        let saved = self.plan.saves.then(|| self.crowd.to_saved());
        let (machine, totals) = (self.crowd.machine(), self.crowd.trace_totals());
        Outcome {
            agents: self.plan.agents,
            ticks: self.ticks,
            wanted_ticks: (self.plan.ticks < u64::MAX).then_some(self.plan.ticks),
            reloaded_after: self.reloaded_after,
            loaded: self.load_report,
            seed: self.plan.seed,
            sent: self.source.sent,
            turns: self.tally.turns,
            counters: since(self.crowd.counters(), &self.counted_before),
            lost_messages: self.crowd.lost_messages(),
            ticking: self.stopwatch.ticking,
            elapsed: self.stopwatch.elapsed(),
            processor: self.stopwatch.working(self.threads.is_one()),
            instance_bytes: usize::from(machine.rom().capacity().bytes) * self.plan.agents as usize,
            board_bytes: self.board_bytes,
            peak_bytes: None,
            visits: totals.visits(&self.legend),
            transitions: totals.transitions,
            functions: named_calls(machine, &totals.calls),
            stub_guards: self.plan.stub_guards,
            ended: self.tally.samples.last().map_or(0, |sample| sample.ended),
            legend: self.legend,
            samples: self.tally.samples,
            tape: None,
            saved,
        }
    }
}

/// What was counted since then: the report of a run is about the run. The crowd goes on counting, so that a
/// save of it is what it would be without a stop.
fn since(now: &Counters, before: &Counters) -> Counters {
    let (mut values, before) = (now.values(), before.values());
    let all = values.iter_mut().zip(before);
    all.for_each(|(now, before)| *now = now.saturating_sub(before));
    Counters::from_values(values)
}

/// What a crowd has to record: everybody in outline, only counted, for the report; those that are
/// chosen as closely as was asked for.
fn settings(traced: Option<&Traced>) -> Settings {
    let settings = Settings::new(Level::Outline).totals();
    match traced {
        Some(traced) => settings.closer(traced.level, traced.agents.iter().copied()),
        None => settings,
    }
}

/// Where agents have their turns: on so many threads, if a number was asked for.
#[cfg(feature = "parallel")]
pub(crate) struct Threads(Option<rayon::ThreadPool>);

#[cfg(feature = "parallel")]
impl Threads {
    pub(crate) fn new(count: Option<u16>) -> Result<Self, SimulationError> {
        let build = |count: u16| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(count.into())
                .build();
            pool.map_err(|error| SimulationError::Threads {
                count,
                reason: error.to_string(),
            })
        };
        count.map(build).transpose().map(Self)
    }

    /// Whether there is one.
    fn is_one(&self) -> bool {
        let count = self.0.as_ref().map(rayon::ThreadPool::current_num_threads);
        count.unwrap_or_else(rayon::current_num_threads) == 1
    }

    /// Ticks a crowd; how many agents had a turn.
    pub(crate) fn tick<B: Board + Send, C: Sync>(
        &self,
        crowd: &mut Crowd<B, C>,
        context: &C,
    ) -> usize {
        match &self.0 {
            Some(pool) => pool.install(|| crowd.tick_parallel(context)).ran,
            None => crowd.tick_parallel(context).ran,
        }
    }
}

/// Agents have their turns one after the other.
#[cfg(not(feature = "parallel"))]
pub(crate) struct Threads;

#[cfg(not(feature = "parallel"))]
impl Threads {
    pub(crate) fn new(_: Option<u16>) -> Result<Self, SimulationError> {
        Ok(Self)
    }

    /// Whether there is one.
    fn is_one(&self) -> bool {
        true
    }

    /// Ticks a crowd; how many agents had a turn.
    pub(crate) fn tick<B: Board, C>(&self, crowd: &mut Crowd<B, C>, context: &C) -> usize {
        crowd.tick(context).ran
    }
}
