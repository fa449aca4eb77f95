//! What user code answered and did, call by call, as bytes (TAPE-2): written down while agents are
//! sealed, read again by whoever runs them without the game.
//!
//! ```text
//! turn   index of the agent, length, calls
//! call   kind, function, question │ what it did, in order │ its answer, or that it panicked
//! ```
//!
//! - `log` writes, where user code is called; `read` reads, and believes nothing
//! - `redo` does again what a call did
//!
//! For tools that record and replay. A crowd in which nobody is sealed pays nothing for it.

mod log;
mod read;
mod redo;

use statewright_kernel::{Call, Cause, Mode};
use statewright_rom::ids::{FunctionId, TransitionId};

pub(crate) use log::{Answer, SealLog};
pub use read::{Calls, Deed, Malformed, Outcome, Step, Turns};
pub use redo::Refused;

/// Whose user code is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// That of all agents.
    All,
    /// That of agents with these indices, whoever has them; in ascending order. The others go on as fast as
    /// without.
    Agents(Vec<u32>),
}

impl Sealed {
    /// Is the agent at an index sealed?
    pub fn has(&self, index: u32) -> bool {
        match self {
            Self::All => true,
            Self::Agents(indices) => indices.binary_search(&index).is_ok(),
        }
    }
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CallKind {
    /// A guard.
    Guard = 1,
    /// A scorer.
    Scorer = 2,
    /// A value function.
    Value = 3,
    /// An action.
    Action = 4,
    /// An activity that runs.
    Run = 5,
    /// An activity that is canceled.
    Cancel = 6,
}

impl CallKind {
    const ALL: [Self; 6] = [
        Self::Guard,
        Self::Scorer,
        Self::Value,
        Self::Action,
        Self::Run,
        Self::Cancel,
    ];

    fn of(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u8 == number)
    }

    /// An activity in a mode.
    pub fn of_mode(mode: Mode) -> Self {
        match mode {
            Mode::Run => Self::Run,
            Mode::Cancel => Self::Cancel,
        }
    }
}

/// A number for all that a function is asked: who asks the same gets the same number.
pub(crate) fn question(call: &Call<'_>) -> u32 {
    let mut hash = u64::from(call.function.raw());
    let mut mix = |word: u32| {
        hash = (hash.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    };
    mix(call.state.raw().into());
    mix(TransitionId::to_raw(call.transition).into());
    match call.cause {
        Cause::None => mix(0),
        Cause::Event(event, words) => {
            mix(1 << 16 | u32::from(event.raw()));
            words.into_iter().for_each(&mut mix);
        }
        Cause::Timer(timer) => mix(2 << 16 | u32::from(timer.raw())),
    }
    for argument in call.arguments {
        argument.words.iter().for_each(|word| mix(word.get()));
    }
    (hash >> 32) as u32
}

/// Numbers of what a call does and how it ends.
mod code {
    pub(super) const POST: u8 = 16;
    pub(super) const RAISE: u8 = 17;
    pub(super) const SEND: u8 = 18;
    pub(super) const EMIT: u8 = 19;
    pub(super) const MERGE: u8 = 20;
    pub(super) const START_TIMER: u8 = 21;
    pub(super) const STOP_TIMER: u8 = 22;
    pub(super) const SET_SCRATCH: u8 = 23;
    pub(super) const CLEAR_HISTORY: u8 = 24;
    pub(super) const WRITE_KEY: u8 = 25;
    pub(super) const RNG: u8 = 26;
    pub(super) const ANSWER: u8 = 32;
    pub(super) const PANIC: u8 = 33;
}

/// A call, as far as it is known before it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is called.
    pub kind: CallKind,
    /// The function.
    pub function: FunctionId,
    /// All that it is asked, as one number.
    pub question: u32,
}
