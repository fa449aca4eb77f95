//! The flight recorder (TAPE-5): the last seconds of a crowd in memory, as a tape when something went
//! wrong.
//!
//! ```text
//!  ring:  [checkpoint, ticks] [checkpoint, ticks] [checkpoint, ticks …   ◀── blocks of the recorder
//!          dropped when the others reach back far enough, or when there is no room
//! ```
//!
//! What is kept begins with a checkpoint, so that it is a whole tape at any time. Nothing is compressed
//! before somebody asks for it: the tick pays for a copy of the crowd now and then, and for its inputs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use statewright::commands::Lane;
use statewright::{AgentId, Board, Context, Crowd, Saved, Tick};

use crate::chosen::Chosen;
use crate::file::{Beginning, EndReason, Kind, Origin, TapeWriter, Version, WriteError};
use crate::gatherer::Gathering;
use crate::outputs::Lanes;
use crate::queue::Block;
use crate::record::TapeAgent;
use crate::recorder::{Choice, Lent, Recorder, Wanted, beginning_of};
use crate::recording::{Proof, RecordError};

/// What a flight recorder keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlightOptions {
    /// Ticks that it reaches back at least, if there is room; `None` for ten seconds of play.
    pub ticks: Option<u32>,
    /// Most bytes that it keeps.
    pub budget: usize,
    /// What the tape says of the outcome of ticks.
    pub proof: Proof,
    /// Whether everything that user code says and does is kept, too
    /// ([`RecordingOptions::sealed`](crate::RecordingOptions::sealed)).
    pub sealed: bool,
    /// Agents that it looks at; `None` for all. A hundred among 100,000 cost little, and only what goes wrong with
    /// one of them is an incident. [`FlightRecorder::choose`] chooses others later.
    pub agents: Option<Vec<AgentId>>,
    /// Lanes whose commands are kept
    /// ([`RecordingOptions::outputs`](crate::RecordingOptions::outputs)).
    pub outputs: Vec<Lane>,
    /// Who records.
    pub origin: Origin,
}

impl Default for FlightOptions {
    fn default() -> Self {
        Self {
            ticks: None,
            budget: 16 << 20,
            proof: Proof::None,
            sealed: false,
            agents: None,
            outputs: Vec::new(),
            origin: Origin::default(),
        }
    }
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A panic of user code ended an agent.
    Panicked,
    /// A fault ended an agent.
    Quarantined,
    /// An agent entered its fail-safe.
    FailSafe,
    /// The queue of an agent had no room for an event.
    Overflowed,
}

/// A tape of what led to some trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// The tick in which it happened, the last of the tape.
    pub tick: u64,
    /// What happened.
    pub trouble: Trouble,
    /// To whom first.
    pub agent: Option<TapeAgent>,
    /// The tape.
    pub tape: Vec<u8>,
}

/// The last seconds of a crowd, in memory.
///
/// ```
/// use statewright::prelude::*;
/// use statewright_tape::{FlightOptions, FlightRecorder, Tape, Trouble};
///
/// let machine = Machine::build("Dog", |m| {
///     m.event("Call");
///     m.state("sit", |s| {
///         s.on("Call").run("Bark");
///     });
/// })?;
/// let bark = Functions::<(), ()>::new().action("Bark", |_, _, _| panic!("no voice"));
/// let mut dogs = Crowd::new(machine.bind(bark)?, 1);
/// let dog = dogs.spawn(());
/// let recorder = FlightRecorder::begin(&mut dogs, FlightOptions::default())?;
/// dogs.tick(&());
/// assert!(recorder.take_incident().is_none());
///
/// dogs.send(dog, machine.event("Call")?, ())?;
/// dogs.tick(&());
/// let incident = recorder.take_incident().unwrap();
/// assert_eq!((incident.tick, incident.trouble), (1, Trouble::Panicked));
/// assert_eq!(Tape::read(&incident.tape)?.index()?.ticks, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FlightRecorder {
    ring: Arc<Mutex<Ring>>,
    /// Who is chosen from now on.
    choice: Choice,
    /// What the crowd did not do before.
    lent: Lent,
}

impl FlightRecorder {
    /// Begins with the crowd as it is. It ends when [`Self::finish`] says so, or when another
    /// observer takes its place; what it has stays.
    pub fn begin<B, C>(crowd: &mut Crowd<B, C>, options: FlightOptions) -> Result<Self, RecordError>
    where
        B: Board + Saved + 'static,
        C: Context + ?Sized + 'static,
    {
        let machine = crowd.machine();
        let rate = u32::from(machine.rom().header().tick_rate.get());
        let (ticks, every) = options.stretch(rate);
        let chosen = options.agents.map(|agents| Chosen::of(crowd, agents));
        let wanted = Wanted {
            proof: options.proof,
            every,
            sealed: options.sealed,
            chosen: chosen.transpose()?,
            outputs: Lanes::of(&options.outputs),
        };
        wanted.check(crowd)?;
        let beginning = beginning_of(crowd, &wanted, options.origin);
        let ring = Ring::new(beginning, ticks, options.budget);
        let gathering = Gathering::Ring(Arc::clone(&ring));
        let (lent, choice) = Recorder::attach(crowd, gathering, wanted)?;
        let too_large = lock(&ring).bytes > options.budget;
        if too_large {
            crowd.set_observer(None);
            lent.give_back(crowd);
            let bytes = lock(&ring).bytes;
            return Err(RecordError::Write(WriteError::Checkpoint(bytes)));
        }
        Ok(Self { ring, choice, lent })
    }

    /// From now on it looks at these agents, whoever was chosen before
    /// ([`Recording::choose`](crate::Recording::choose)).
    pub fn choose<B: Board, C: Context + ?Sized>(
        &self,
        crowd: &mut Crowd<B, C>,
        agents: impl IntoIterator<Item = AgentId>,
    ) -> Result<(), RecordError> {
        self.choice.choose(crowd, self.lent, agents)
    }

    /// What is there so far, as a tape of the ticks that are over. Never waits: nothing while the crowd
    /// adds to it, as in a hook for panics.
    pub fn dump(&self) -> Option<Vec<u8>> {
        dump(&self.ring)
    }

    /// The first trouble since this was asked last, with the tape that ends with its tick.
    pub fn take_incident(&self) -> Option<Incident> {
        lock(&self.ring).take_incident()
    }

    /// Bytes that are kept now.
    pub fn kept_bytes(&self) -> usize {
        lock(&self.ring).kept_bytes()
    }

    /// Ends it.
    pub fn finish<B: Board, C: Context + ?Sized>(self, crowd: &mut Crowd<B, C>) {
        crowd.set_observer(None);
        self.lent.give_back(crowd);
    }
}

impl FlightOptions {
    /// How many ticks are kept, and from one checkpoint to the next, at so many ticks per second.
    pub(crate) fn stretch(&self, rate: u32) -> (u32, u32) {
        let ticks = self.ticks.unwrap_or(10 * rate).max(1);
        // A quarter of the time apart, so that little more is kept than asked for.
        (ticks, ticks.div_ceil(4))
    }
}

/// What is there so far; nothing while somebody adds to it.
pub(crate) fn dump(ring: &Mutex<Ring>) -> Option<Vec<u8>> {
    let ring = match ring.try_lock() {
        Ok(ring) => ring,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    ring.to_tape().ok()
}

pub(crate) fn lock(ring: &Mutex<Ring>) -> std::sync::MutexGuard<'_, Ring> {
    ring.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A checkpoint and what came after it.
#[derive(Debug, Default)]
struct Segment {
    blocks: Vec<Block>,
    ticks: u64,
    bytes: usize,
    /// The version of the machine that runs behind it, if it was reloaded there.
    reloaded: Option<Version>,
}

/// Segments, the oldest first.
#[derive(Debug)]
pub(crate) struct Ring {
    beginning: Beginning,
    segments: VecDeque<Segment>,
    /// Ticks that are kept at least, if there is room.
    ticks: u64,
    budget: usize,
    bytes: usize,
    incident: Option<Incident>,
}

impl Ring {
    /// For so many ticks, if there is room for them.
    pub(crate) fn new(beginning: Beginning, ticks: u32, budget: usize) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            beginning,
            segments: VecDeque::new(),
            ticks: ticks.into(),
            budget,
            bytes: 0,
            incident: None,
        }))
    }

    /// Adds a block; what is too old goes.
    pub(crate) fn add(&mut self, block: Block) {
        if block.kind == Kind::Checkpoint {
            self.segments.push_back(Segment::default());
        }
        let Some(segment) = self.segments.back_mut() else {
            return;
        };
        self.bytes += block.raw.len();
        segment.bytes += block.raw.len();
        segment.ticks += block.counts.ticks;
        segment.blocks.push(block);
        self.drop_old();
    }

    /// The machine is another version from here on: what is kept begins with the one that ran at its
    /// beginning.
    pub(crate) fn reloaded(&mut self, version: Version) {
        if let Some(segment) = self.segments.back_mut() {
            segment.reloaded = Some(version);
        }
    }

    fn drop_old(&mut self) {
        // The last segment stays: without it there is nothing.
        while self.segments.len() > 1 {
            let later: u64 = self.segments.iter().skip(1).map(|one| one.ticks).sum();
            if later < self.ticks && self.bytes <= self.budget {
                return;
            }
            if let Some(old) = self.segments.pop_front() {
                self.bytes -= old.bytes;
                if let Some(version) = old.reloaded {
                    self.beginning.version = version;
                }
            }
        }
    }

    /// Whether there is no room but for a new beginning.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes > self.budget
    }

    fn to_tape(&self) -> Result<Vec<u8>, WriteError> {
        let mut writer = TapeWriter::new(Vec::new(), &self.beginning)?;
        let mut tick = 0;
        for block in self.segments.iter().flat_map(|segment| &segment.blocks) {
            tick = block.tick;
            writer.block(block.kind, tick, &block.raw, block.counts)?;
        }
        Ok(writer.close(EndReason::Host, tick)?.0)
    }

    /// Looks whether a tick went wrong, for chosen agents if there are some; so often the fail-safe was
    /// entered. The first trouble stays until somebody takes it.
    pub(crate) fn look<B: Board, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        tick: &Tick,
        (fail_safes, chosen): (u64, Option<&Chosen>),
    ) {
        let quiet = tick.panicked + tick.unbound_calls + tick.faults == 0 && fail_safes == 0;
        if quiet && crowd.overflowed().next().is_none() {
            return;
        }
        if let Some((trouble, agent)) = trouble(crowd, fail_safes, chosen) {
            self.note(tick.tick, trouble, agent);
        }
    }

    /// Something went wrong in a tick, the last that there is.
    pub(crate) fn note(&mut self, tick: u64, trouble: Trouble, agent: AgentId) {
        if self.incident.is_none()
            && let Ok(tape) = self.to_tape()
        {
            self.incident = Some(Incident {
                tick,
                trouble,
                agent: Some(agent.into()),
                tape,
            });
        }
    }

    /// What goes wrong for the first time is an incident.
    pub(crate) fn take_incident(&mut self) -> Option<Incident> {
        self.incident.take()
    }

    /// Bytes that are kept now.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.bytes
    }
}

/// Of an agent that was clamped ([`Inspection::flags`](statewright::Inspection::flags)).
const CLAMPED: &str = "budget_exceeded";

/// What went wrong in the last tick, and with whom first.
fn trouble<B: Board, C: Context + ?Sized>(
    crowd: &Crowd<B, C>,
    fail_safes: u64,
    chosen: Option<&Chosen>,
) -> Option<(Trouble, AgentId)> {
    let is_ours = |agent: &AgentId| chosen.is_none_or(|chosen| chosen.has(*agent));
    let panicked = crowd.panicked().map(|one| one.agent);
    let unbound = crowd.unbound_calls().map(|(agent, _)| agent);
    if let Some(agent) = panicked.chain(unbound).find(is_ours) {
        return Some((Trouble::Panicked, agent));
    }
    let mut faults = crowd.faults().map(|(agent, _)| agent);
    if let Some(agent) = faults.find(is_ours) {
        return Some((Trouble::Quarantined, agent));
    }
    // The fail-safe clears the count of ticks in a row: whoever was clamped without it has at least this one. Who ended
    // in a clamped tick is not marked.
    let entered = |agent: &AgentId| {
        let seen = crowd.inspect(*agent);
        seen.is_ok_and(|seen| seen.clamped_ticks == 0 && seen.flags.contains(&CLAMPED))
    };
    let mut clamped = crowd.clamped().filter(|_| fail_safes > 0);
    if let Some(agent) = clamped.find(|agent| is_ours(agent) && entered(agent)) {
        return Some((Trouble::FailSafe, agent));
    }
    let agent = crowd.overflowed().find(is_ours)?;
    Some((Trouble::Overflowed, agent))
}
