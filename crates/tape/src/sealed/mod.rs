//! Sealed tapes: user code is on the tape, so that anybody can run it again without the game
//! (TAPE-2).
//!
//! ```text
//!  game ── every call, with what it did and said ──▶ tape ──▶ Answers ──▶ a crowd of plain blackboards
//! ```
//!
//! - `answers` the context of a crowd without its game: gives each call the answer of the tape
//! - `translate` answers of one machine for another version of it
//! - `keys` what machine files see of blackboards whose type nobody knows here

mod answers;
mod keys;
mod translate;

use std::sync::Arc;

use statewright::commands::Lane;
use statewright::{Blackboard, Crowd, Program};

use crate::file::{Tape, Version};
use crate::programs::Programs;
use crate::replay::{Replay, ReplayError};
use crate::timeline::Timeline;
pub use answers::{Answers, Misfit};
pub(crate) use answers::{Unanswered, functions};
pub(crate) use keys::{Layout, SNAPSHOT_HEAD};
pub(crate) use translate::Translation;

/// What a sealed tape needs to be run again: nothing but the tape.
///
/// ```
/// use statewright::prelude::*;
/// use statewright_tape::{Recording, RecordingOptions, SealedProgram, Tape};
///
/// let machine = Machine::from_text("dog", r#"{ "machine": "Dog", "events": ["Call"], "initial": "sit",
///   "states": { "sit": { "transitions": [{ "on": "Call", "if": "Hears", "to": "walk" }] }, "walk": {} } }"#)?;
/// // The game.
/// let hears = Functions::<(), i32>::new().guard("Hears", |_, loudness, _| Verdict::from(*loudness > 3));
/// let mut dogs = Crowd::new(machine.bind(hears)?, 1);
/// let options = RecordingOptions { sealed: true, ..RecordingOptions::default() };
/// let recording = Recording::begin(&mut dogs, Vec::new(), options)?;
/// let dog = dogs.spawn(());
/// dogs.tick(&5);
/// dogs.send(dog, machine.event("Call")?, ())?;
/// dogs.tick(&5);
/// let (bytes, _) = recording.finish(&mut dogs)?;
///
/// // Somewhere else: no functions, no loudness.
/// let tape = Tape::read(&bytes)?;
/// let sealed = SealedProgram::of(&tape)?;
/// let mut replay = sealed.replay(&tape, 0)?;
/// let verified = replay.run(|dogs| sealed.tick(dogs))?;
/// assert_eq!(verified.ticks, 2);
/// assert_eq!(replay.crowd().path(dog)?, "walk");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SealedProgram {
    program: Arc<Program<Blackboard, Answers>>,
    answers: Arc<Answers>,
}

/// What ticks the crowd of a sealed tape ([`SealedProgram::tick`]).
pub type SealedTick = Box<dyn FnMut(&mut Crowd<Blackboard, Answers>) -> Option<u64>>;

impl SealedProgram {
    /// Of a sealed tape.
    pub fn of(tape: &Tape<'_>) -> Result<Self, ReplayError> {
        Self::answering(tape, Unanswered::Refused)
    }

    pub(crate) fn answering(tape: &Tape<'_>, unanswered: Unanswered) -> Result<Self, ReplayError> {
        Ok(Self {
            program: Arc::new(program(&tape.version_at(0)?)?),
            answers: Arc::new(Answers::new(unanswered)),
        })
    }

    /// The program of the machine that the tape begins with.
    pub fn program(&self) -> &Arc<Program<Blackboard, Answers>> {
        &self.program
    }

    /// What user code says.
    pub fn answers(&self) -> &Arc<Answers> {
        &self.answers
    }

    /// The tape from the last checkpoint before a tick on.
    pub fn replay<'t>(
        &self,
        tape: &'t Tape<'_>,
        tick: u64,
    ) -> Result<Replay<'t, Blackboard, Answers>, ReplayError> {
        let answers = Some(Arc::clone(&self.answers));
        Replay::start(tape, self.programs(), tick, answers)
    }

    /// The tape opened for travel.
    pub fn timeline<'t>(
        &self,
        tape: &'t Tape<'t>,
    ) -> Result<Timeline<'t, Blackboard, Answers, SealedTick>, ReplayError> {
        let (sealed, answers) = (self.clone(), Some(Arc::clone(&self.answers)));
        let tick: SealedTick = Box::new(move |crowd| sealed.tick(crowd));
        Timeline::start(tape, self.programs(), tick, answers)
    }

    /// One for each version of the machine.
    fn programs(&self) -> Programs<Blackboard, Answers> {
        Programs::of_tape(Arc::clone(&self.program), program)
    }

    /// Ticks a crowd of the tape once.
    pub fn tick(&self, crowd: &mut Crowd<Blackboard, Answers>) -> Option<u64> {
        crowd.tick(&self.answers);
        None
    }
}

/// A program that does what a sealed tape says.
pub(crate) fn program(version: &Version) -> Result<Program<Blackboard, Answers>, ReplayError> {
    let seal = version.seal.as_ref().ok_or(ReplayError::NotSealed)?;
    let machine = version.machine(0).map_err(ReplayError::Refused)?;
    let bound = machine.bind(functions(&machine));
    let mut program = bound.map_err(|error| ReplayError::Bind(error.to_string()))?;
    for (number, rule) in (0..).zip(&seal.lanes) {
        if let Some(lane) = Lane::numbered(number) {
            program.set_lane(lane, *rule);
        }
    }
    Ok(program)
}
