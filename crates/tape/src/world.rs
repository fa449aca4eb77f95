//! Recording a world: its crowds with one clock, in one file (TAPE-1).

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;
use std::sync::Arc;
use std::thread::JoinHandle;

use statewright::{Board, Context, Crowd, CrowdKey, CrowdNumber, Saved, World};

use crate::file::{Beginning, Counts, EndReason, TapeWriter};
use crate::gatherer::{ContextDigest, Gathering};
use crate::queue::{Queue, Shared, Written};
use crate::recorder::{Lent, Recorder, beginning_of};
use crate::recording::{RecordError, RecordingOptions, Summary, WhenSlow};

/// Says which crowds of a world are recorded, and how. Who is left out is outside: what its agents send
/// to recorded ones is an input there.
pub struct WorldRecorder<C: Context + ?Sized> {
    options: RecordingOptions,
    tracks: Vec<Box<dyn Track<C>>>,
}

impl<C: Context + ?Sized> fmt::Debug for WorldRecorder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldRecorder")
            .field("options", &self.options)
            .field("crowds", &self.tracks.len())
            .finish()
    }
}

/// A recording of a world that runs: one tape of its crowds, which can be sent to a colleague.
///
/// ```
/// use statewright::World;
/// use statewright::prelude::*;
/// use statewright_tape::{RecordingOptions, SealedProgram, WorldRecorder, WorldTape};
///
/// let text = |name: &str| format!(r#"{{ "machine": "{name}", "events": {{ "Greet": {{ "payload": "entity" }} }},
///   "initial": "silent", "states": {{ "silent": {{ "transitions": [{{ "on": "Greet", "to": "glad", "do": "Answer" }}] }}, "glad": {{}} }} }}"#);
/// let [cat, dog] = ["Cat", "Dog"].map(|name| Machine::from_text(name, &text(name)).unwrap());
/// let crowd = |machine: &Machine| {
///     let functions = Functions::<(), ()>::new().action("Answer", |_, _, cx| {
///         let (greet, other) = (cx.event().expect("it was greeted"), cx.payload::<AgentId>());
///         cx.send(other, greet, cx.agent());
///     });
///     Crowd::new(machine.bind(functions).unwrap(), 1)
/// };
/// let mut world = World::new();
/// let cats = world.join("cats", crowd(&cat))?;
/// let dogs = world.join("dogs", crowd(&dog))?;
///
/// let options = RecordingOptions { sealed: true, ..RecordingOptions::default() };
/// let recorder = WorldRecorder::new(options).with(cats).with(dogs);
/// let recording = recorder.begin(&mut world, Vec::new())?;
/// let (tom, rex) = (world[cats].spawn(()), world[dogs].spawn(()));
/// world.tick(&());
/// world.send(tom, cat.event("Greet")?, rex)?;
/// world.tick(&());
/// world.tick(&());
/// let (bytes, summary) = recording.finish(&mut world)?;
/// assert_eq!(summary.ticks, 3);
///
/// // Somebody else.
/// let tape = WorldTape::read(&bytes)?;
/// for (name, tape) in tape.crowds() {
///     let sealed = SealedProgram::of(tape)?;
///     let mut replay = sealed.replay(tape, 0)?;
///     assert_eq!(replay.run(|crowd| sealed.tick(crowd))?.ticks, 3, "{name}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WorldRecording<W, C: Context + ?Sized> {
    shared: Arc<Shared>,
    queue: Queue,
    thread: JoinHandle<Written<W>>,
    /// Crowds with what they do for the recording alone.
    tracks: Vec<(Box<dyn Track<C>>, Lent)>,
    contexts: Vec<ContextDigest>,
}

impl<W, C: Context + ?Sized> fmt::Debug for WorldRecording<W, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorldRecording")
            .field("crowds", &self.tracks.len())
            .field("ended", &self.shared.ended())
            .finish_non_exhaustive()
    }
}

/// A crowd that is recorded, whatever its blackboards are.
trait Track<C: Context + ?Sized>: Send {
    /// Its number.
    fn number(&self, world: &World<C>) -> Result<CrowdNumber, RecordError>;

    /// Its name, and the beginning of its tape.
    fn beginning(
        &self,
        world: &World<C>,
        options: &RecordingOptions,
    ) -> Result<(String, Beginning), RecordError>;

    fn attach(
        &self,
        world: &mut World<C>,
        gathering: Gathering,
        options: &RecordingOptions,
    ) -> Result<Lent, RecordError>;

    /// Ends it, if the crowd is still there.
    fn detach(&self, world: &mut World<C>, lent: Lent);
}

struct OfBoard<B> {
    key: CrowdKey<B>,
    board: PhantomData<fn() -> B>,
}

impl<B, C> Track<C> for OfBoard<B>
where
    B: Board + Saved + 'static,
    C: Context + ?Sized + 'static,
{
    fn number(&self, world: &World<C>) -> Result<CrowdNumber, RecordError> {
        let crowd = world.crowd(self.key).map_err(|_| RecordError::NotHere)?;
        Ok(crowd.number())
    }

    fn beginning(
        &self,
        world: &World<C>,
        options: &RecordingOptions,
    ) -> Result<(String, Beginning), RecordError> {
        let crowd = world.crowd(self.key).map_err(|_| RecordError::NotHere)?;
        let name = world.name_of(crowd.number()).ok_or(RecordError::NotHere)?;
        let wanted = options.of_crowd(crowd.number()).wanted(crowd)?;
        let beginning = beginning_of(crowd, &wanted, options.origin.clone());
        Ok((name.to_owned(), beginning))
    }

    fn attach(
        &self,
        world: &mut World<C>,
        gathering: Gathering,
        options: &RecordingOptions,
    ) -> Result<Lent, RecordError> {
        let crowd: &mut Crowd<B, C> = world
            .crowd_mut(self.key)
            .map_err(|_| RecordError::NotHere)?;
        let wanted = options.of_crowd(crowd.number()).wanted(crowd)?;
        Recorder::attach(crowd, gathering, wanted).map(|(lent, _)| lent)
    }

    fn detach(&self, world: &mut World<C>, lent: Lent) {
        if let Ok(crowd) = world.crowd_mut(self.key) {
            crowd.set_observer(None);
            lent.give_back(crowd);
        }
    }
}

impl<C: Context + ?Sized + 'static> WorldRecorder<C> {
    /// Without a crowd so far.
    pub fn new(options: RecordingOptions) -> Self {
        Self {
            options,
            tracks: Vec::new(),
        }
    }

    /// With a crowd of the world.
    #[must_use]
    pub fn with<B: Board + Saved + 'static>(mut self, key: CrowdKey<B>) -> Self {
        let board = PhantomData;
        self.tracks.push(Box::new(OfBoard { key, board }));
        self
    }

    /// Begins with the world as it is. Everything that enters these crowds and every tick is recorded
    /// until [`WorldRecording::finish`]. Nobody waits for a crowd that left the world before: what it has not
    /// written by then is not on the tape.
    pub fn begin<W: Write + Send + 'static>(
        self,
        world: &mut World<C>,
        out: W,
    ) -> Result<WorldRecording<W, C>, RecordError> {
        let Self { options, tracks } = self;
        let numbers = tracks.iter().map(|track| track.number(world));
        let numbers: Vec<CrowdNumber> = numbers.collect::<Result<_, _>>()?;
        let mut chosen = options.agents.iter().flatten();
        if let Some(&agent) = chosen.find(|agent| !numbers.contains(&agent.crowd())) {
            return Err(RecordError::Outside(agent));
        }
        let beginnings = tracks.iter().map(|track| track.beginning(world, &options));
        let beginnings: Vec<(String, Beginning)> = beginnings.collect::<Result<_, _>>()?;
        let writer = TapeWriter::world(out, &beginnings)?;
        let shared = Arc::new(Shared::default());
        let wait = options.when_slow == WhenSlow::Wait;
        let queue = Queue::new(writer, wait, Arc::clone(&shared));
        let (queue, thread) = queue.map_err(RecordError::Thread)?;
        let mut recording = WorldRecording {
            shared,
            queue,
            thread,
            tracks: Vec::new(),
            contexts: Vec::new(),
        };
        for (crowd, track) in (0..).zip(tracks) {
            let context = ContextDigest::default();
            let gathering = Gathering::Queue {
                queue: recording.queue.of_crowd(crowd),
                shared: Arc::clone(&recording.shared),
                context: context.clone(),
            };
            let lent = match track.attach(world, gathering, &options) {
                Ok(lent) => lent,
                Err(error) => {
                    // Those that were begun end; the reason is that of this one.
                    _ = recording.finish(world);
                    return Err(error);
                }
            };
            recording.tracks.push((track, lent));
            recording.contexts.push(context);
        }
        Ok(recording)
    }
}

impl<W: Write + Send + 'static, C: Context + ?Sized> WorldRecording<W, C> {
    /// What the context of the next tick comes to
    /// ([`Recording::set_context`](crate::Recording::set_context)).
    pub fn set_context(&self, digest: u64) {
        self.contexts.iter().for_each(|context| context.set(digest));
    }

    /// Why it ended before its time, if it did: for all crowds at once.
    pub fn ended(&self) -> Option<EndReason> {
        self.shared.ended()
    }

    /// Ends it; the output, and what the tape has: most ticks of a crowd, inputs of all.
    pub fn finish(self, world: &mut World<C>) -> Result<(W, Summary), RecordError> {
        for (track, lent) in self.tracks {
            track.detach(world, lent);
        }
        self.queue.close();
        let written = self.thread.join().map_err(|_| RecordError::Panicked)?;
        let (out, counts, bytes): (W, Vec<Counts>, u64) = written?;
        let ticks = counts.iter().map(|counts| counts.ticks).max();
        let summary = Summary {
            ticks: ticks.unwrap_or(0),
            inputs: counts.iter().map(|counts| counts.inputs).sum(),
            bytes,
            end: self.shared.ended().unwrap_or_default(),
        };
        Ok((out, summary))
    }
}
