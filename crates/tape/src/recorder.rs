//! Recording a crowd: hears its inputs and ticks, gathers records, makes checkpoints (TAPE-1 to TAPE-4).

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use statewright::commands::Lane;
use statewright::sealed::Sealed;
use statewright::{
    Board, Context, Crowd, Envelope, Input, Machine, NotHere, Observer, Reload, Saved, Sent, Tick,
};

use crate::boards::BoardDigests;
use crate::file::{
    Beginning, CheckpointBlocks, CheckpointReason, Counts, EndReason, Kind, MOST_BLOCK, Origin,
    Seal, TapeReload, TapeWriter, Version, WriteError,
};
use crate::flight::Ring;
use crate::hashes::Hashes;
use crate::queue::{Block, Queue, Shared, Written};
use crate::record::{
    AgentHash, Digests, RecordedSettings, TickProof, put_calls, put_changed, put_hash, put_input,
    put_keys, put_message, put_sends, put_tick,
};
use crate::sealed::Layout;
use crate::shadow::Shadow;

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
    /// Who records.
    pub origin: Origin,
}

impl RecordingOptions {
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
    /// The thread that writes was ended by a panic of its output.
    Panicked,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(error) => write!(f, "the tape cannot be written: {error}"),
            Self::NotHere => NotHere.fmt(f),
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
        let machine = crowd.machine();
        let every = options.checkpoints_of(machine);
        let RecordingOptions {
            proof,
            when_slow,
            sealed,
            origin,
            ..
        } = options;
        let version = Version::of(machine, sealed.then(|| seal_of(crowd)));
        let beginning = Beginning::new(version, proof, origin);
        let writer = TapeWriter::new(out, &beginning)?;
        let shared = Arc::new(Shared::default());
        let wait = when_slow == WhenSlow::Wait;
        let queue = Queue::new(writer, wait, Arc::clone(&shared));
        let (queue, thread) = queue.map_err(RecordError::Thread)?;
        let context = ContextDigest::default();
        let gathering = Gathering::Queue {
            queue: queue.clone(),
            shared: Arc::clone(&shared),
            context: context.clone(),
        };
        let lent = Recorder::attach(crowd, gathering, proof, (every, sealed))?;
        Ok(Self {
            shared,
            context,
            queue,
            thread,
            lent,
        })
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
        self.queue.close();
        let written = self.thread.join().map_err(|_| RecordError::Panicked)?;
        let (out, counts, bytes) = written?;
        let counts = counts.first().copied().unwrap_or_default();
        let summary = Summary {
            ticks: counts.ticks,
            inputs: counts.inputs,
            bytes,
            end: self.shared.ended().unwrap_or_default(),
        };
        Ok((out, summary))
    }
}

/// What a sealed tape of a crowd says for whoever has no game.
pub(crate) fn seal_of<B: Board, C: Context + ?Sized>(crowd: &Crowd<B, C>) -> Seal {
    let lanes = (0..=u8::MAX).map_while(Lane::numbered);
    Seal {
        lanes: lanes.map(|lane| crowd.program().lane_rule(lane)).collect(),
    }
}

/// The digest of the commands of a tick. What happens to be left of them in a crowd that forgets them
/// is no outcome of it.
pub(crate) fn commands_digest<B: Board, C: Context + ?Sized>(crowd: &Crowd<B, C>) -> u32 {
    match crowd.settings().forgets_commands {
        true => 0,
        false => crowd.commands_digest() as u32,
    }
}

/// What a crowd does for a recording alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lent {
    digest: bool,
    sealed: bool,
}

impl Lent {
    pub(crate) fn give_back<B: Board, C: Context + ?Sized>(self, crowd: &mut Crowd<B, C>) {
        if self.digest {
            crowd.keep_digest(false);
        }
        if self.sealed {
            crowd.set_sealed(None);
        }
    }
}

/// What the host said of its context for the next tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContextDigest(Arc<Mutex<Option<u64>>>);

impl ContextDigest {
    pub(crate) fn set(&self, digest: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(digest);
    }

    fn take(&self) -> Option<u64> {
        let mut digest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        digest.take()
    }
}

/// Records go out in blocks of about so many bytes.
const GATHERED: usize = 64 << 10;

/// Where blocks go.
pub(crate) enum Gathering {
    /// To a file, behind a queue.
    Queue {
        queue: Queue,
        shared: Arc<Shared>,
        context: ContextDigest,
    },
    /// Into memory, for a while.
    Ring(Arc<Mutex<Ring>>),
}

impl Gathering {
    /// Takes a block; `false` if there will be no more.
    fn take(&self, block: Block) -> bool {
        match self {
            Self::Queue { queue, shared, .. } => queue.send(block, shared),
            Self::Ring(ring) => {
                ring.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .add(block);
                true
            }
        }
    }

    /// What the host said of the context of the tick.
    fn context(&self) -> Option<u64> {
        match self {
            Self::Queue { context, .. } => context.take(),
            Self::Ring(_) => None,
        }
    }
}

/// Hears a crowd.
pub(crate) struct Recorder {
    /// Nothing after the recording ended.
    gathering: Option<Gathering>,
    proof: Proof,
    /// Ticks from one checkpoint to the next.
    every: u32,
    since_checkpoint: u32,
    /// Records that wait to go out.
    records: Vec<u8>,
    counts: Counts,
    /// Tick of the first of them.
    first: u64,
    /// Kept for its memory.
    snapshot: Vec<u8>,
    shadow: Option<Shadow>,
    hashes: Option<Hashes>,
    /// Fail-safes that the crowd has counted.
    fail_safes: u64,
    /// Where keys lie in blackboards, if agents are sealed.
    layout: Option<Layout>,
    /// Keys of one blackboard; kept for its memory.
    keys: Vec<u8>,
    boards: BoardDigests,
    /// The reload that is about to be carried out.
    reloading: Option<Reload>,
}

impl Recorder {
    /// Begins with a crowd as it is, with so many ticks from checkpoint to checkpoint, sealed or not.
    /// What the crowd does for this alone.
    pub(crate) fn attach<B, C>(
        crowd: &mut Crowd<B, C>,
        gathering: Gathering,
        proof: Proof,
        (every, sealed): (u32, bool),
    ) -> Result<Lent, RecordError>
    where
        B: Board + Saved + 'static,
        C: Context + ?Sized + 'static,
    {
        let mut recorder = Self {
            gathering: Some(gathering),
            proof,
            every,
            since_checkpoint: 0,
            records: Vec::new(),
            counts: Counts::default(),
            first: crowd.now(),
            snapshot: Vec::new(),
            shadow: (proof == Proof::Bytes).then(Shadow::default),
            hashes: (proof == Proof::Agents).then(Hashes::default),
            fail_safes: crowd.counters().fail_safes,
            layout: sealed.then(|| Layout::of(crowd.program())),
            keys: Vec::new(),
            boards: BoardDigests::default(),
            reloading: None,
        };
        recorder.checkpoint(crowd, CheckpointReason::Regular)?;
        recorder.write_changes(crowd);
        recorder.write_hashes(crowd, true);
        let lent = Lent {
            digest: proof != Proof::None && !crowd.keeps_digest(),
            sealed,
        };
        if lent.digest {
            crowd.keep_digest(true);
        }
        if sealed {
            crowd.set_sealed(Some(Sealed::All));
        }
        crowd.set_observer(Some(Box::new(recorder)));
        Ok(lent)
    }

    fn end(&mut self, why: EndReason) {
        if let Some(Gathering::Queue { shared, .. }) = self.gathering.take() {
            shared.end(why);
        }
    }

    fn send(&mut self, kind: Kind, tick: u64, raw: Vec<u8>, counts: Counts) {
        let block = Block {
            crowd: 0,
            kind,
            tick,
            raw,
            counts,
        };
        let gathering = self.gathering.as_ref();
        if !gathering.is_some_and(|gathering| gathering.take(block)) {
            self.gathering = None;
        }
    }

    /// Sends out what was gathered.
    fn flush(&mut self, next: u64) {
        if !self.records.is_empty() {
            let records = match &self.gathering {
                Some(Gathering::Queue { queue, .. }) => {
                    std::mem::replace(&mut self.records, queue.memory())
                }
                // What is kept takes as little as it can.
                Some(Gathering::Ring(_)) | None => {
                    let records = self.records.clone();
                    self.records.clear();
                    records
                }
            };
            let counts = std::mem::take(&mut self.counts);
            self.send(Kind::Records, self.first, records, counts);
        }
        self.first = next;
    }

    /// The whole crowd.
    fn checkpoint<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        why: CheckpointReason,
    ) -> Result<(), WriteError> {
        self.flush(crowd.now());
        crowd.snapshot_into(&mut self.snapshot);
        let keys = self.layout.as_ref();
        let length = self.snapshot.len();
        let keys = keys.map(|layout| layout.of_crowd(crowd, length, &mut self.keys));
        let blocks = CheckpointBlocks {
            why,
            settings: RecordedSettings::of(crowd.settings()),
            snapshot: &self.snapshot,
            keys: keys.as_ref(),
        };
        for (kind, raw) in blocks.cut()? {
            self.send(kind, crowd.now(), raw, Counts::default());
        }
        self.since_checkpoint = 0;
        Ok(())
    }

    /// Makes a checkpoint, or ends the recording if there is no room for one.
    fn try_checkpoint<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        why: CheckpointReason,
    ) {
        if self.checkpoint(crowd, why).is_err() {
            self.end(EndReason::TooLarge);
        }
    }

    /// What agents are others than they were: at the beginning all, so that a reader needs nothing but
    /// this to know each byte.
    fn write_changes<B: Board + Saved, C: Context + ?Sized>(&mut self, crowd: &Crowd<B, C>) {
        if let Some(mut shadow) = self.shadow.take() {
            shadow.follow(crowd, |agent, instance, board| {
                let from = self.records.len();
                put_changed(&mut self.records, agent, instance, board);
                self.go_on(from, crowd.now());
            });
            self.shadow = Some(shadow);
        }
    }

    /// The same as a hash of each; after a tick only some can be others.
    fn write_hashes<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        anybody: bool,
    ) {
        if let Some(mut hashes) = self.hashes.take() {
            let changed = |hash: &AgentHash| {
                let from = self.records.len();
                put_hash(&mut self.records, hash);
                self.go_on(from, crowd.now());
            };
            match anybody {
                true => hashes.follow_all(crowd, changed),
                false => hashes.follow(crowd, changed),
            }
            self.hashes = Some(hashes);
        }
    }

    /// Sends out what was gathered if it is enough for a block, which is never larger than a tape has
    /// room for. `from` is where the last record begins.
    fn go_on(&mut self, from: usize, now: u64) {
        if self.records.len() <= GATHERED {
            return;
        }
        if self.records.len() - from > MOST_BLOCK {
            self.records.truncate(from);
            self.flush(now);
            self.end(EndReason::TooLarge);
        } else if self.records.len() > MOST_BLOCK {
            let last = self.records.split_off(from);
            self.flush(now);
            self.records = last;
        }
        self.flush(now);
    }
}

impl<B: Board + Saved, C: Context + ?Sized> Observer<B, C> for Recorder {
    fn entering(&mut self, crowd: &Crowd<B, C>, input: &Input<B>) {
        if self.gathering.is_none() {
            return;
        }
        if let Input::Reload(reloaded) = input {
            self.reloading = Some(reloaded.plan().clone());
            return;
        }
        self.put_keys_of(crowd, input);
        let from = self.records.len();
        if put_input(&mut self.records, input, |agent| crowd.board(agent).ok()) {
            self.counts.inputs += 1;
        }
        self.go_on(from, crowd.now());
    }

    fn sent(&mut self, crowd: &Crowd<B, C>, events: Sent<'_>) {
        if self.gathering.is_some() {
            self.counts.inputs += events.len() as u64;
            let from = self.records.len();
            put_sends(&mut self.records, events);
            self.go_on(from, crowd.now());
        }
    }

    fn reloaded(&mut self, crowd: &Crowd<B, C>) {
        if let Some(plan) = self.reloading.take()
            && self.gathering.is_some()
        {
            self.flush(crowd.now());
            if self.put_reload(crowd, &plan).is_err() {
                return self.end(EndReason::TooLarge);
            }
            self.boards.forget();
            self.try_checkpoint(crowd, CheckpointReason::Reloaded);
            self.write_hashes(crowd, true);
        }
    }

    fn restored(&mut self, crowd: &Crowd<B, C>) {
        if self.gathering.is_some() {
            self.boards.forget();
            self.try_checkpoint(crowd, CheckpointReason::Restored);
            self.write_changes(crowd);
            self.write_hashes(crowd, true);
        }
    }

    fn ticked(&mut self, crowd: &Crowd<B, C>, tick: &Tick) {
        let Some(gathering) = &self.gathering else {
            return;
        };
        let context = gathering.context();
        for calls in crowd.sealed_calls() {
            let from = self.records.len();
            put_calls(&mut self.records, calls);
            self.go_on(from, crowd.now());
        }
        self.write_changes(crowd);
        self.write_hashes(crowd, false);
        let digests = (self.proof != Proof::None).then(|| Digests {
            crowd: crowd.digest(),
            commands: commands_digest(crowd),
            boards: self.boards.after_tick(crowd),
        });
        let proof = TickProof {
            digests,
            context,
            apart: crowd.ticked_apart(),
        };
        put_tick(&mut self.records, &proof);
        self.counts.ticks += 1;
        self.since_checkpoint += 1;
        if let Some(Gathering::Ring(ring)) = &self.gathering {
            let ring = Arc::clone(ring);
            self.look(crowd, tick, &ring);
        }
        if self.since_checkpoint >= self.every {
            self.try_checkpoint(crowd, CheckpointReason::Regular);
        } else if self.records.len() > GATHERED {
            self.flush(crowd.now());
        }
    }

    fn received(&mut self, crowd: &Crowd<B, C>, message: &Envelope, is_own: bool) {
        if self.gathering.is_some() {
            let from = self.records.len();
            put_message(&mut self.records, message.to.into(), &message.event, is_own);
            self.counts.inputs += 1;
            self.go_on(from, crowd.now());
        }
    }
}

impl Recorder {
    /// The new version of the machine, whole: nobody needs a file beside the tape.
    fn put_reload<B: Board, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        plan: &Reload,
    ) -> Result<(), WriteError> {
        let is_sealed = self.layout.is_some();
        let version = Version::of(crowd.machine(), is_sealed.then(|| seal_of(crowd)));
        self.layout = is_sealed.then(|| Layout::of(crowd.program()));
        let reload = TapeReload::of(crowd.now(), plan, version);
        let blocks = reload.blocks()?;
        if let Some(Gathering::Ring(ring)) = &self.gathering {
            let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
            ring.reloaded(reload.version);
        }
        for (kind, raw) in blocks {
            self.send(kind, crowd.now(), raw, Counts::default());
        }
        Ok(())
    }

    /// Keys of the blackboard that an input brings, for whoever has no such blackboards.
    fn put_keys_of<B: Board, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        input: &Input<B>,
    ) {
        let Some(layout) = &self.layout else { return };
        let board = match input {
            Input::Spawn { board, .. } => Some(board),
            Input::Written(agent) => crowd.board(*agent).ok(),
            _ => None,
        };
        if let Some(board) = board {
            self.keys.clear();
            layout.put(board, &mut self.keys);
            put_keys(&mut self.records, &self.keys);
        }
    }

    /// In memory every tick is a block, so that whoever asks gets all that are over.
    fn look<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        tick: &Tick,
        ring: &Mutex<Ring>,
    ) {
        let lock = || ring.lock().unwrap_or_else(PoisonError::into_inner);
        self.flush(crowd.now());
        let fail_safes = crowd.counters().fail_safes;
        let new = fail_safes.saturating_sub(self.fail_safes);
        self.fail_safes = fail_safes;
        lock().look(crowd, tick, new);
        if lock().is_full() {
            // From here on there is room again, unless the crowd alone is too large.
            self.try_checkpoint(crowd, CheckpointReason::Regular);
            if lock().is_full() {
                self.end(EndReason::TooLarge);
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let now = self.first;
        self.flush(now);
    }
}
