//! A tape opened for travel: to any tick, back and forth, and why an agent does what it does there
//! (TAPE-7).
//!
//! ```text
//!  checkpoint 0 ───── checkpoint 60 ───── checkpoint 120 ───── …
//!                          └──── run again ────▶ tick 97
//! ```
//!
//! Going back is going to the checkpoint before and running on from there, so that every move takes at
//! most as long as the stretch between two checkpoints, and what is seen is compared with the tape.

use std::sync::Arc;

use statewright::trace::{Level, Settings};
use statewright::{AgentId, Board, Context, Crowd, Inspection, Missing, Saved};

use crate::file::Tape;
use crate::programs::Programs;
use crate::replay::{Replay, ReplayError};
use crate::sealed::Answers;

/// A tape opened for travel.
///
/// ```
/// use statewright::prelude::*;
/// use statewright_tape::{Recording, RecordingOptions, Tape, Timeline};
///
/// let machine = Machine::from_text("dog", r#"{ "machine": "Dog", "events": ["Call"], "initial": "sit",
///   "states": { "sit": { "transitions": [{ "on": "Call", "to": "walk" }] }, "walk": {} } }"#)?;
/// let program = std::sync::Arc::new(machine.bind(Functions::<(), ()>::new())?);
/// let mut dogs = Crowd::new(program.clone(), 1);
/// let dog = dogs.spawn(());
/// let recording = Recording::begin(&mut dogs, Vec::new(), RecordingOptions::default())?;
/// for tick in 0..10 {
///     if tick == 5 {
///         dogs.send(dog, machine.event("Call")?, ())?;
///     }
///     dogs.tick(&());
/// }
/// let (bytes, _) = recording.finish(&mut dogs)?;
///
/// let tape = Tape::read(&bytes)?;
/// let mut timeline = Timeline::open(&tape, program, |dogs| { dogs.tick(&()); None })?;
/// timeline.seek(6)?;
/// assert_eq!(timeline.agent(dog)?.leaves, ["walk"]);
/// timeline.back()?;
/// assert_eq!(timeline.agent(dog)?.leaves, ["sit"]);
/// assert!(timeline.why(dog)?.contains(&"Call: sit -> walk".to_owned()));
/// assert_eq!(timeline.now(), 6, "to say why, the tick was run");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Timeline<'t, B, C: Context + ?Sized, F> {
    tape: &'t Tape<'t>,
    programs: Programs<B, C>,
    replay: Replay<'t, B, C>,
    /// What user code says, if it is the tape that says it.
    answers: Option<Arc<Answers>>,
    /// Ticks the crowd once; the digest of the context.
    tick: F,
}

impl<'t, B, C, F> Timeline<'t, B, C, F>
where
    B: Board + Saved,
    C: Context + ?Sized,
    F: FnMut(&mut Crowd<B, C>) -> Option<u64>,
{
    /// Before the first tick of a tape. `tick` ticks the crowd once, as the host did when it
    /// recorded, and gives the digest of the context if it has one.
    pub fn open(
        tape: &'t Tape<'t>,
        programs: impl Into<Programs<B, C>>,
        tick: F,
    ) -> Result<Self, ReplayError> {
        Self::start(tape, programs.into(), tick, None)
    }

    pub(crate) fn start(
        tape: &'t Tape<'t>,
        programs: Programs<B, C>,
        tick: F,
        answers: Option<Arc<Answers>>,
    ) -> Result<Self, ReplayError> {
        let replay = Replay::start(tape, programs.clone(), 0, answers.clone())?;
        Ok(Self {
            tape,
            programs,
            replay,
            answers,
            tick,
        })
    }

    /// The tick that comes.
    pub fn now(&self) -> u64 {
        self.replay.crowd().now()
    }

    /// Everybody as they are before the tick that comes.
    pub fn crowd(&self) -> &Crowd<B, C> {
        self.replay.crowd()
    }

    /// An agent, whole.
    pub fn agent(&self, agent: AgentId) -> Result<Inspection, Missing> {
        self.crowd().inspect(agent)
    }

    /// To the time before a tick; `false` if the tape ends earlier, which is as far as it went. Of a
    /// tape whose host went back in time, the last time that it was that tick.
    pub fn seek(&mut self, tick: u64) -> Result<bool, ReplayError> {
        let start = self
            .tape
            .checkpoints()
            .filter(|&start| start <= tick)
            .last();
        let ahead = start.is_some_and(|start| start > self.now());
        if tick < self.now() || ahead {
            let (programs, answers) = (self.programs.clone(), self.answers.clone());
            self.replay = Replay::start(self.tape, programs, tick, answers)?;
        }
        while self.now() != tick {
            if !self.forward()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One tick on; `false` at the end of the tape.
    pub fn forward(&mut self) -> Result<bool, ReplayError> {
        self.replay.step(&mut self.tick)
    }

    /// One tick back; `false` at the beginning of the tape.
    pub fn back(&mut self) -> Result<bool, ReplayError> {
        let first = self.tape.checkpoints().next();
        match self.now().checked_sub(1) {
            Some(before) if first.is_some_and(|first| first <= before) => self.seek(before),
            _ => Ok(false),
        }
    }

    /// Runs the tick that comes and says everything that an agent did in it, in order: events,
    /// candidates with the reasons why they were not taken, exits, entries, timers, commands.
    /// Nothing at the end of the tape, or of an agent who is not there.
    pub fn why(&mut self, agent: AgentId) -> Result<Vec<String>, ReplayError> {
        let crowd = self.replay.crowd_mut();
        let before = crowd.trace_settings().cloned();
        let settings = Settings::new(Level::All).agents([agent.index()]);
        // Settings that name no states and no events are never refused.
        let traced = crowd.set_trace(Some(settings)).is_ok();
        let ran = self.forward();
        let crowd = self.replay.crowd_mut();
        let legend = crowd.legend();
        let words = crowd.trace().map(|record| legend.words(record)).collect();
        // As it was: these are settings that it had.
        _ = crowd.set_trace(before);
        Ok(if ran? && traced { words } else { Vec::new() })
    }

    /// The last tick before the one that comes in which something was so of an agent, looking back
    /// from here; nothing if it never was. Goes there: before that tick.
    pub fn last(
        &mut self,
        agent: AgentId,
        mut is_so: impl FnMut(&Inspection) -> bool,
    ) -> Result<Option<u64>, ReplayError> {
        let mut end = self.now();
        // Stretch by stretch, each run once: bound is the tape.
        loop {
            let starts = self.tape.checkpoints().filter(|&start| start < end);
            let Some(start) = starts.max() else {
                return Ok(None);
            };
            self.seek(start)?;
            let mut found = None;
            while self.now() < end {
                if self.agent(agent).is_ok_and(|seen| is_so(&seen)) {
                    found = Some(self.now());
                }
                if !self.forward()? {
                    break;
                }
            }
            if let Some(found) = found {
                self.seek(found)?;
                return Ok(Some(found));
            }
            end = start;
        }
    }
}
