//! What a tape says: inputs in their order, what changed, ticks (TAPE-1, TAPE-3).
//!
//! Each record is a byte for its kind and then as little as possible:
//!
//! ```text
//! Send      index, generation, event          7 to 11 bytes and the payload
//! Tick      a mask, digests, context          at most 22 bytes, 30 with a digest of the context
//! Changed   index, generation, two patches    what became of an agent's bytes in the tick
//! ```
//!
//! Numbers are as short as they can be. Agents are named by index and generation: the crowd is that
//! of the tape.

mod read;
mod settings;
mod words;
mod write;

use std::fmt;

use statewright::ids::VariantId;
use statewright::{AgentId, CrowdNumber, Event, ParameterChange};
use statewright_bytes::ReadError;

pub(crate) use read::read_short_send;
pub use settings::RecordedSettings;
pub(crate) use write::{
    LONGEST_SEND, put_calls, put_changed, put_guessed, put_hash, put_input, put_keys, put_message,
    put_output, put_sends, put_tick,
};

use crate::outputs::Output;

/// The first byte of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Code {
    Tick,
    Send,
    Broadcast,
    Spawn,
    Despawn,
    Reset,
    Stop,
    Pause,
    Resume,
    Written,
    SetVariant,
    SetParameter,
    ClearFlags,
    Settings,
    StartAt,
    Number,
    Instance,
    ResetCounters,
    Changed,
    Message,
    Keys,
    Calls,
    Guessed,
    Hash,
    Output,
}

impl Code {
    const ALL: [Self; 25] = [
        Self::Tick,
        Self::Send,
        Self::Broadcast,
        Self::Spawn,
        Self::Despawn,
        Self::Reset,
        Self::Stop,
        Self::Pause,
        Self::Resume,
        Self::Written,
        Self::SetVariant,
        Self::SetParameter,
        Self::ClearFlags,
        Self::Settings,
        Self::StartAt,
        Self::Number,
        Self::Instance,
        Self::ResetCounters,
        Self::Changed,
        Self::Message,
        Self::Keys,
        Self::Calls,
        Self::Guessed,
        Self::Hash,
        Self::Output,
    ];
}

/// An agent of the tape's crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TapeAgent {
    /// Its index.
    pub index: u32,
    /// Its generation; even where nobody is any more.
    pub generation: u32,
}

impl TapeAgent {
    /// Its id in a crowd.
    #[inline]
    pub fn in_crowd(self, crowd: CrowdNumber) -> AgentId {
        AgentId::new(self.index, self.generation).in_crowd(crowd)
    }
}

impl From<AgentId> for TapeAgent {
    #[inline]
    fn from(agent: AgentId) -> Self {
        Self {
            index: agent.index(),
            generation: agent.generation(),
        }
    }
}

impl fmt::Display for TapeAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent {}.{}", self.index, self.generation)
    }
}

/// One thing that a tape says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// Something entered the crowd.
    Input(TapeInput),
    /// An agent is another one after the tick that is told next.
    Changed(Changed),
    /// Keys of the blackboard that the next input brings, as words of the machine's layout: for whoever
    /// has no such blackboards.
    Keys(Box<[u8]>),
    /// What user code of sealed agents says and does in the tick that is told next, as
    /// [`Turns`](statewright::sealed::Turns) reads it.
    Calls(Box<[u8]>),
    /// From the tick that is told next on, answers of an agent are guesses: the tape is a fork.
    Guessed(TapeAgent),
    /// An agent is another one after the tick that is told next: what it comes to.
    Hash(AgentHash),
    /// A command of the tick that is told next.
    Output(Output),
    /// The crowd ticked.
    Tick(TickProof),
}

/// What happens to one agent without more words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentInput {
    /// It is taken away.
    Despawn,
    /// It is made as new.
    Reset,
    /// It ends in the next tick.
    Stop,
    /// Its time stops.
    Pause,
    /// Its time goes on.
    Resume,
    /// Its marks were seen.
    ClearFlags,
}

impl AgentInput {
    fn word(self) -> &'static str {
        match self {
            Self::Despawn => "despawn",
            Self::Reset => "reset",
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::ClearFlags => "clear the flags of",
        }
    }
}

/// Something that entered a crowd from outside: [`Input`](statewright::Input) as a tape holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapeInput {
    /// An event for an agent.
    Send(TapeAgent, Event),
    /// An event for every agent.
    Broadcast(Event),
    /// An agent begins.
    Spawn {
        /// The variant of its parameters.
        variant: Option<VariantId>,
        /// Its blackboard, saved.
        board: Box<[u8]>,
    },
    /// Something without more words.
    Agent(AgentInput, TapeAgent),
    /// A blackboard was written; what it is now, saved.
    Written(TapeAgent, Box<[u8]>),
    /// An agent has other parameters.
    SetVariant(TapeAgent, VariantId),
    /// A parameter has another value.
    SetParameter(ParameterChange),
    /// Ticks are carried out in another way.
    Settings(RecordedSettings),
    /// The next tick of a crowd without agents.
    StartAt(u64),
    /// The number of a crowd without agents.
    Number(CrowdNumber),
    /// An instance becomes what these bytes say.
    Instance(TapeAgent, Box<[u8]>),
    /// Counters begin at zero.
    ResetCounters,
    /// A message from outside the crowd, or by a group, or, in a world, of one of its own agents.
    Message {
        /// The receiver, who may be gone.
        to: TapeAgent,
        /// What it gets.
        event: Event,
        /// Whether an agent of the crowd sent it straight to the other.
        is_own: bool,
    },
}

/// An agent whose bytes are others than after the tick before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The agent; its generation is even if it is gone.
    pub agent: TapeAgent,
    /// Of its instance.
    pub instance: Patch,
    /// Of its blackboard, saved.
    pub board: Patch,
}

/// What an agent comes to, in two numbers (TAPE-3, level `agents`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentHash {
    /// The agent; its generation is even if it is gone.
    pub agent: TapeAgent,
    /// [`Crowd::agent_digest`](statewright::Crowd::agent_digest).
    pub instance: u64,
    /// Its part of [`Crowd::boards_digest`](statewright::Crowd::boards_digest).
    pub board: u64,
}

impl AgentHash {
    /// Where nobody ever was.
    pub(crate) fn nobody(index: u32) -> Self {
        Self {
            agent: TapeAgent {
                index,
                generation: 0,
            },
            instance: 0,
            board: 0,
        }
    }
}

/// Bytes that changed: the new length, and runs of new bytes with their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    pub(crate) length: usize,
    pub(crate) runs: Vec<(usize, Box<[u8]>)>,
}

/// What a tick came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TickProof {
    /// Digests, if the tape has any.
    pub digests: Option<Digests>,
    /// What the host said of its context, if it did.
    pub context: Option<u64>,
    /// Messages of the tick were left to a world: those that came are told behind it.
    pub apart: bool,
}

/// Digests of a crowd after a tick (TAPE-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digests {
    /// [`Crowd::digest`](statewright::Crowd::digest).
    pub crowd: u64,
    /// The low half of [`Crowd::commands_digest`](statewright::Crowd::commands_digest).
    pub commands: u32,
    /// [`Crowd::boards_digest`](statewright::Crowd::boards_digest).
    pub boards: u64,
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrong(pub(crate) &'static str);

impl From<ReadError> for Wrong {
    fn from(_: ReadError) -> Self {
        Self("a record that ends too early or has an impossible number")
    }
}

impl Patch {
    /// Changes bytes. What is new behind their old end is in the runs, so that no number in a tape
    /// makes anybody reserve more memory than the tape has bytes.
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>) -> Result<(), Wrong> {
        let given: usize = self.runs.iter().map(|(_, run)| run.len()).sum();
        if self.length > bytes.len() + given {
            return Err(Wrong("changed bytes that are not there"));
        }
        bytes.resize(self.length, 0);
        for (start, run) in &self.runs {
            if let Some(place) = bytes.get_mut(*start..*start + run.len()) {
                place.copy_from_slice(run);
            }
        }
        Ok(())
    }
}
