//! Why a tape was not run to its end, in words.

use std::fmt;

use statewright::SnapshotError;

use crate::difference::Difference;
use crate::file::{Damaged, Refused};

/// Why a tape was not run to its end.
#[derive(Clone, Debug)]
pub enum ReplayError {
    /// The program has another machine, or another version of it.
    Machine {
        /// Hashes of the tape's machine.
        found: [u64; 2],
        /// Hashes of the program's.
        expected: [u64; 2],
    },
    /// It has no checkpoint to begin with.
    Empty,
    /// Nobody wrote down what user code said: only the program that recorded it can run it again.
    NotSealed,
    /// It cannot be run without its program.
    Bind(String),
    /// Its machine is refused.
    Refused(Refused),
    /// What user code said, as the tape has it, does not fit what was asked.
    Answers {
        /// The tick.
        tick: u64,
        /// Which agent and function.
        misfit: String,
    },
    /// A block holds something that cannot be.
    Damaged(Damaged),
    /// A checkpoint is refused.
    Checkpoint {
        /// The tick before which it stands.
        tick: u64,
        /// Why.
        error: SnapshotError,
    },
    /// An input is refused: it is for somebody who never lived, or for another machine.
    Input {
        /// The tick before which it came.
        tick: u64,
        /// The input, in words.
        input: String,
        /// Why.
        reason: String,
    },
    /// Something came out differently.
    Difference(Box<Difference>),
    /// The host did not tick the crowd exactly once.
    NotTicked {
        /// The tick that should have been.
        tick: u64,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine { found, expected } => write!(
                f,
                "the tape is of another machine or version (structure {:016x}, parameters {:016x}; here {:016x}, {:016x})",
                found[0], found[1], expected[0], expected[1]
            ),
            Self::Empty => f.write_str("the tape has no checkpoint: there is nothing to run"),
            Self::NotSealed => f.write_str(
                "the tape is not sealed: only the program that recorded it can run it again",
            ),
            Self::Bind(error) => write!(f, "the tape cannot be run without its program: {error}"),
            Self::Refused(error) => error.fmt(f),
            Self::Answers { tick, misfit } => write!(
                f,
                "tick {tick}: the answers of the tape do not fit: {misfit}"
            ),
            Self::Damaged(error) => error.fmt(f),
            Self::Checkpoint { tick, error } => {
                write!(f, "the checkpoint before tick {tick} is refused: {error}")
            }
            Self::Input {
                tick,
                input,
                reason,
            } => write!(f, "before tick {tick}, `{input}` is refused: {reason}"),
            Self::Difference(difference) => difference.fmt(f),
            Self::NotTicked { tick } => {
                write!(f, "the host did not tick the crowd once for tick {tick}")
            }
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<Damaged> for ReplayError {
    fn from(error: Damaged) -> Self {
        Self::Damaged(error)
    }
}
