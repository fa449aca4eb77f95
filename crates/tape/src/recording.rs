//! Recording a crowd into a file: what hosts choose and call (TAPE-1 to TAPE-4). Who hears the crowd is
//! `recorder`.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread::JoinHandle;

use statewright::commands::Lane;
use statewright::{AgentId, Board, Context, Crowd, CrowdNumber, Machine, Missing, NotHere, Saved};

use crate::chosen::Chosen;
use crate::file::{EndReason, Origin, TapeWriter, WriteError};
use crate::gatherer::{ContextDigest, Gathering};
use crate::outputs::Lanes;
use crate::queue::{Queue, Shared, Written};
use crate::recorder::{Choice, Lent, Recorder, Wanted, beginning_of};

/// What a tape says of the outcome of ticks (TAPE-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// Nothing: only checkpoints are compared.
    None,
    /// Digests of crowd, blackboards and commands after every tick.
    #[default]
    Ticks,
    /// Also a hash of every agent that changed: replay names the agent, and the field as it is at the next
    /// checkpoint.
    Agents,
    /// Also what changed of every agent, byte by byte: replay names agent and field. Costs a look at
    /// every agent in every tick.
    Bytes,
}

impl Proof {
    const ALL: [Self; 4] = [Self::None, Self::Ticks, Self::Bytes, Self::Agents];

    /// Its number in tapes.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Ticks => 1,
            Self::Bytes => 2,
            Self::Agents => 3,
        }
    }

    pub(crate) fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|proof| proof.number() == number)
    }
}

/// What happens when the output is slower than the crowd (TAPE-4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenSlow {
    /// The tick waits.
    #[default]
    Wait,
    /// The recording ends; [`Recording::ended`] says so, and the tape, too.
    End,
}

/// What is recorded, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingOptions {
    /// What the tape says of the outcome of ticks.
    pub proof: Proof,
    /// What happens when the output is too slow.
    pub when_slow: WhenSlow,
    /// Ticks from one checkpoint to the next; `None` for one second of play.
    pub checkpoint_ticks: Option<u32>,
    /// Whether everything that user code says and does is recorded, too: then anybody can run the tape
    /// again without it (TAPE-2). While it is, agents go by the tables of their machine.
    pub sealed: bool,
    /// Agents that the tape is of; `None` for all. What others send to them is on it, and nobody else is
    /// looked at: a tape of a few among many costs little. [`Recording::choose`] chooses others later. In a
    /// [`WorldRecorder`](crate::WorldRecorder) they may be of any crowds that are recorded.
    pub agents: Option<Vec<AgentId>>,
    /// Lanes whose commands are kept, as the host was given them, and compared when the tape is run again. A crowd
    /// that forgets its commands has none to keep.
    pub outputs: Vec<Lane>,
    /// Who records.
    pub origin: Origin,
}

impl RecordingOptions {
    /// What a recorder of a crowd is asked for.
    pub(crate) fn wanted<B: Board, C: Context + ?Sized>(
        &self,
        crowd: &Crowd<B, C>,
    ) -> Result<Wanted, RecordError> {
        let own = |agents: &Vec<AgentId>| Chosen::of(crowd, agents.iter().copied());
        let wanted = Wanted {
            proof: self.proof,
            every: self.checkpoints_of(crowd.machine()),
            sealed: self.sealed,
            chosen: self.agents.as_ref().map(own).transpose()?,
            outputs: Lanes::of(&self.outputs),
        };
        wanted.check(crowd).map(|()| wanted)
    }

    /// The same of one crowd of a world: agents of the others are on the tapes of theirs.
    pub(crate) fn of_crowd(&self, crowd: CrowdNumber) -> Self {
        let own = |agents: &Vec<AgentId>| {
            let own = agents.iter().copied();
            own.filter(|agent| agent.crowd() == crowd).collect()
        };
        Self {
            agents: self.agents.as_ref().map(own),
            ..self.clone()
        }
    }

    /// Ticks from checkpoint to checkpoint.
    pub(crate) fn checkpoints_of(&self, machine: &Machine) -> u32 {
        let rate = machine.rom().header().tick_rate.get();
        self.checkpoint_ticks.unwrap_or(rate.into()).max(1)
    }
}

/// Why a recording did not begin, or what became of it.
#[derive(Debug)]
pub enum RecordError {
    /// The tape cannot be written.
    Write(WriteError),
    /// The system gives no thread.
    Thread(io::Error),
    /// A crowd is not in the world that is recorded.
    NotHere,
    /// An agent that was chosen is not there.
    Missing(Missing),
    /// An agent that was chosen is of a crowd that is not recorded.
    Outside(AgentId),
    /// Commands are to be kept of a crowd that forgets them.
    Forgets,
    /// Others are to be chosen where the whole crowd is recorded.
    Whole,
    /// The thread that writes was ended by a panic of its output.
    Panicked,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(error) => write!(f, "the tape cannot be written: {error}"),
            Self::NotHere => NotHere.fmt(f),
            Self::Missing(error) => write!(f, "an agent that was chosen for the tape: {error}"),
            Self::Outside(agent) => write!(
                f,
                "{agent} was chosen for the tape, and its crowd is not recorded: give the recorder its crowd (`WorldRecorder::with`), or leave it out"
            ),
            Self::Forgets => f.write_str(
                "the crowd forgets its commands, so that none can be kept: `set_forgets_commands(false)` before the recording begins",
            ),
            Self::Whole => f.write_str(
                "the whole crowd is recorded: begin with chosen agents (`agents` of the options) to choose others later",
            ),
            Self::Thread(error) => write!(f, "cannot start a thread for the tape: {error}"),
            Self::Panicked => f.write_str("the output of the tape panicked"),
        }
    }
}

impl std::error::Error for RecordError {}

impl From<WriteError> for RecordError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

/// What a finished tape has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Ticks.
    pub ticks: u64,
    /// Inputs.
    pub inputs: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Why it ends.
    pub end: EndReason,
}

/// A recording that runs. The crowd tells it everything; the host ends it.
///
/// ```
/// use statewright::prelude::*;
/// use statewright_tape::{Recording, RecordingOptions, Replay, Tape};
///
/// let machine = Machine::from_text("dog", r#"{ "machine": "Dog", "events": ["Call"], "initial": "sit",
///   "states": { "sit": { "transitions": [{ "on": "Call", "to": "walk" }] }, "walk": {} } }"#)?;
/// let program = std::sync::Arc::new(machine.bind(Functions::<(), ()>::new())?);
/// let mut dogs = Crowd::new(program.clone(), 1);
///
/// let recording = Recording::begin(&mut dogs, Vec::new(), RecordingOptions::default())?;
/// let dog = dogs.spawn(());
/// dogs.tick(&());
/// dogs.send(dog, machine.event("Call")?, ())?;
/// dogs.tick(&());
/// let (bytes, summary) = recording.finish(&mut dogs)?;
/// assert_eq!((summary.ticks, summary.inputs), (2, 2));
///
/// let tape = Tape::read(&bytes)?;
/// let mut replay = Replay::new(&tape, program)?;
/// let verified = replay.run(|dogs| { dogs.tick(&()); None })?;
/// assert_eq!(verified.ticks, 2);
/// assert_eq!(replay.crowd().digest(), dogs.digest());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recording<W> {
    shared: Arc<Shared>,
    context: ContextDigest,
    queue: Queue,
    thread: JoinHandle<Written<W>>,
    /// Who is chosen from now on.
    choice: Choice,
    /// What the crowd did not do before.
    lent: Lent,
}

impl<W: Write + Send + 'static> Recording<W> {
    /// Begins with the crowd as it is. Everything that enters it and every tick is recorded until
    /// [`Self::finish`], or until another observer takes its place. A crowd of a world is recorded with
    /// the messages that it gets; it is run again without the world.
    pub fn begin<B, C>(
        crowd: &mut Crowd<B, C>,
        out: W,
        options: RecordingOptions,
    ) -> Result<Self, RecordError>
    where
        B: Board + Saved + 'static,
        C: Context + ?Sized + 'static,
    {
        let wanted = options.wanted(crowd)?;
        let beginning = beginning_of(crowd, &wanted, options.origin);
        let writer = TapeWriter::new(out, &beginning)?;
        let shared = Arc::new(Shared::default());
        let wait = options.when_slow == WhenSlow::Wait;
        let queue = Queue::new(writer, wait, Arc::clone(&shared));
        let (queue, thread) = queue.map_err(RecordError::Thread)?;
        let context = ContextDigest::default();
        let gathering = Gathering::Queue {
            queue: queue.clone(),
            shared: Arc::clone(&shared),
            context: context.clone(),
        };
        let (lent, choice) = Recorder::attach(crowd, gathering, wanted)?;
        Ok(Self {
            shared,
            context,
            queue,
            thread,
            choice,
            lent,
        })
    }

    /// From now on the tape is of these agents, whoever was chosen before: by their ids, or of all those that
    /// something holds of (`crowd.agents().filter(…)`). Between any two ticks; whoever runs the tape again begins
    /// there anew with them.
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright_tape::{Recording, RecordingOptions, SealedProgram, Tape};
    ///
    /// let machine = Machine::from_text("dog", r#"{ "machine": "Dog", "events": ["Call"], "initial": "sit",
    ///   "states": { "sit": { "transitions": [{ "on": "Call", "if": "Hears", "to": "walk" }] }, "walk": {} } }"#)?;
    /// let hears = Functions::<(), ()>::new().guard("Hears", |_, _, cx| Verdict::from(cx.agent().index() == 700));
    /// let mut dogs = Crowd::new(machine.bind(hears)?, 1);
    /// let agents: Vec<AgentId> = (0..1000).map(|_| dogs.spawn(())).collect();
    /// let options = RecordingOptions { agents: Some(vec![agents[3]]), sealed: true, ..RecordingOptions::default() };
    /// let recording = Recording::begin(&mut dogs, Vec::new(), options)?;
    /// dogs.tick(&());
    /// recording.choose(&mut dogs, [agents[3], agents[700]])?;
    /// dogs.broadcast(machine.event("Call")?, ())?;
    /// dogs.tick(&());
    /// let (bytes, summary) = recording.finish(&mut dogs)?;
    /// assert_eq!(summary.ticks, 2);
    ///
    /// // Anybody: these two, and nobody else.
    /// let tape = Tape::read(&bytes)?;
    /// let sealed = SealedProgram::of(&tape)?;
    /// let mut replay = sealed.replay(&tape, 0)?;
    /// replay.run(|dogs| sealed.tick(dogs))?;
    /// assert_eq!(replay.crowd().agents().collect::<Vec<_>>(), [agents[3], agents[700]]);
    /// assert_eq!(replay.crowd().path(agents[700])?, "walk");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn choose<B: Board, C: Context + ?Sized>(
        &self,
        crowd: &mut Crowd<B, C>,
        agents: impl IntoIterator<Item = AgentId>,
    ) -> Result<(), RecordError> {
        self.choice.choose(crowd, self.lent, agents)
    }

    /// What the context of the next tick comes to, in one number of the host's making: replay then
    /// tells a context that differs from an engine that does (TAPE-2).
    pub fn set_context(&self, digest: u64) {
        self.context.set(digest);
    }

    /// Why it ended before its time, if it did.
    pub fn ended(&self) -> Option<EndReason> {
        self.shared.ended()
    }

    /// Ends it; the output, and what the tape has.
    pub fn finish<B: Board, C: Context + ?Sized>(
        self,
        crowd: &mut Crowd<B, C>,
    ) -> Result<(W, Summary), RecordError> {
        // The recorder sends out what it has when it is dropped.
        crowd.set_observer(None);
        self.lent.give_back(crowd);
        Summary::of(self.queue, self.thread, &self.shared)
    }
}

impl Summary {
    /// Of a tape that the thread has written when the queue is closed; with its output.
    pub(crate) fn of<W>(
        queue: Queue,
        thread: JoinHandle<Written<W>>,
        shared: &Shared,
    ) -> Result<(W, Self), RecordError> {
        queue.close();
        let written = thread.join().map_err(|_| RecordError::Panicked)?;
        let (out, counts, bytes) = written?;
        let counts = counts.first().copied().unwrap_or_default();
        let summary = Self {
            ticks: counts.ticks,
            inputs: counts.inputs,
            bytes,
            end: shared.ended().unwrap_or_default(),
        };
        Ok((out, summary))
    }
}
