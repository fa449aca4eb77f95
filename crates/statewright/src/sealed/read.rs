//! Reading: nothing is believed.

use std::fmt;

use statewright_bytes::{ReadError, Reader};
use statewright_kernel::{Class, Status, Verdict};
use statewright_rom::Number;
use statewright_rom::ids::*;

use super::{CallKind, Question, code};
use crate::agent_id::AgentId;

/// These bytes are no calls of user code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("answers of user code that are none")
    }
}

impl std::error::Error for Malformed {}

impl From<ReadError> for Malformed {
    fn from(_: ReadError) -> Self {
        Self
    }
}

/// Turns of one tick: index of each agent and its calls.
#[derive(Clone, Debug)]
pub struct Turns<'b> {
    reader: Reader<'b>,
}

impl<'b> Turns<'b> {
    /// Of the bytes of a tick.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self {
            reader: Reader::new(bytes),
        }
    }

    /// The next one; nothing at the end.
    pub fn next_turn(&mut self) -> Result<Option<(u32, &'b [u8])>, Malformed> {
        if self.reader.rest().is_empty() {
            return Ok(None);
        }
        let index = u32::try_from(self.reader.varint()?).map_err(|_| Malformed)?;
        let length = self.reader.u32()? as usize;
        Ok(Some((index, self.reader.take(length)?)))
    }
}

/// Calls of one turn.
#[derive(Clone, Debug)]
pub struct Calls<'b> {
    reader: Reader<'b>,
}

/// What a call did, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'b> {
    /// It did something.
    Did(Deed<'b>),
    /// It answered.
    Answered(Outcome),
    /// It panicked and said this.
    Panicked(&'b str),
}

/// The answer of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Of a guard.
    Verdict(Verdict),
    /// Of a scorer.
    Score(f32),
    /// Of a value function.
    Value([u32; 3]),
    /// Of an action.
    Done,
    /// Of an activity.
    Status(Status),
}

/// Something that user code did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed<'b> {
    /// An event for itself.
    Post(EventId, Option<Class>, [u32; 4]),
    /// An internal event.
    Raise(EventId, [u32; 4]),
    /// A message to another agent; whether there was room.
    Send(AgentId, EventId, [u32; 4], bool),
    /// A command of the user's own.
    Emit {
        /// Number of its lane.
        lane: u8,
        /// Number of its name.
        name: u32,
        /// Its bytes.
        payload: &'b [u8],
        /// Whether there was room.
        had_room: bool,
    },
    /// A command of the user's own that earlier ones took in.
    Merge {
        /// Number of its lane.
        lane: u8,
        /// Number of its name.
        name: u32,
        /// Bytes of each.
        length: u16,
        /// How many became others.
        count: usize,
        /// What these are now: place among the earlier ones, bytes.
        became: &'b [u8],
    },
    /// A timer begins.
    StartTimer(TimerId, u32),
    /// A timer ends.
    StopTimer(TimerId),
    /// A word of scratch.
    SetScratch(ScratchId, u8, u16),
    /// History is forgotten.
    ClearHistory(StateId),
    /// A key of the blackboard.
    WriteKey(KeyId, [u32; 3]),
    /// What the rng held afterwards.
    Rng(u32),
}

impl<'b> Calls<'b> {
    /// Of the bytes of a turn, from a place on.
    pub fn new(bytes: &'b [u8], at: usize) -> Self {
        Self {
            reader: Reader::new(bytes.get(at..).unwrap_or_default()),
        }
    }

    /// Bytes that were read so far.
    pub fn offset(&self) -> usize {
        self.reader.offset()
    }

    /// The next call; nothing at the end.
    pub fn next_call(&mut self) -> Result<Option<Question>, Malformed> {
        if self.reader.rest().is_empty() {
            return Ok(None);
        }
        let kind = CallKind::of(self.reader.u8()?).ok_or(Malformed)?;
        let function = FunctionId::new(self.reader.u16()?).ok_or(Malformed)?;
        let question = self.reader.u32()?;
        Ok(Some(Question {
            kind,
            function,
            question,
        }))
    }

    /// What the call did next, or how it ended.
    pub fn next_step(&mut self, kind: CallKind) -> Result<Step<'b>, Malformed> {
        let reader = &mut self.reader;
        Ok(match reader.u8()? {
            code::ANSWER => Step::Answered(read_outcome(reader, kind)?),
            code::PANIC => {
                Step::Panicked(str::from_utf8(read_text(reader)?).map_err(|_| Malformed)?)
            }
            deed => Step::Did(read_deed(reader, deed)?),
        })
    }
}

fn read_outcome(reader: &mut Reader<'_>, kind: CallKind) -> Result<Outcome, Malformed> {
    Ok(match kind {
        CallKind::Guard => Outcome::Verdict(Verdict {
            holds: read_bool(reader)?,
            code: reader.u16()?,
        }),
        CallKind::Scorer => Outcome::Score(f32::from_bits(reader.u32()?)),
        CallKind::Value => Outcome::Value(read_words(reader)?),
        CallKind::Action => Outcome::Done,
        CallKind::Run | CallKind::Cancel => Outcome::Status(match reader.u8()? {
            0 => Status::Running,
            1 => Status::Succeeded,
            2 => Status::Failed,
            _ => return Err(Malformed),
        }),
    })
}

fn read_deed<'b>(reader: &mut Reader<'b>, deed: u8) -> Result<Deed<'b>, Malformed> {
    Ok(match deed {
        code::POST => {
            let event = read_id(reader, EventId::new)?;
            let class = match reader.u8()? {
                u8::MAX => None,
                number => Some(Class::of_byte(number).ok_or(Malformed)?),
            };
            Deed::Post(event, class, read_words(reader)?)
        }
        code::RAISE => Deed::Raise(read_id(reader, EventId::new)?, read_words(reader)?),
        code::SEND => {
            let to = AgentId::from_bits(reader.u64()?);
            let event = read_id(reader, EventId::new)?;
            Deed::Send(to, event, read_words(reader)?, read_bool(reader)?)
        }
        code::EMIT => {
            let (lane, name) = (read_lane(reader)?, reader.u32()?);
            let had_room = read_bool(reader)?;
            Deed::Emit {
                lane,
                name,
                payload: read_text(reader)?,
                had_room,
            }
        }
        code::MERGE => {
            let (lane, name) = (read_lane(reader)?, reader.u32()?);
            let length = u16::try_from(reader.varint()?).map_err(|_| Malformed)?;
            let count = usize::try_from(reader.varint()?).map_err(|_| Malformed)?;
            let from = reader.rest();
            let start = reader.offset();
            for _ in 0..count {
                reader.varint()?;
                read_text(reader)?;
            }
            Deed::Merge {
                lane,
                name,
                length,
                count,
                became: from.get(..reader.offset() - start).ok_or(Malformed)?,
            }
        }
        code::START_TIMER => Deed::StartTimer(read_id(reader, TimerId::new)?, reader.u32()?),
        code::STOP_TIMER => Deed::StopTimer(read_id(reader, TimerId::new)?),
        code::SET_SCRATCH => Deed::SetScratch(
            read_id(reader, ScratchId::new)?,
            reader.u8()?,
            reader.u16()?,
        ),
        code::CLEAR_HISTORY => Deed::ClearHistory(read_id(reader, StateId::new)?),
        code::WRITE_KEY => Deed::WriteKey(read_id(reader, KeyId::new)?, read_words(reader)?),
        code::RNG => Deed::Rng(reader.u32()?),
        _ => return Err(Malformed),
    })
}

fn read_id<I>(reader: &mut Reader<'_>, id: impl FnOnce(u16) -> Option<I>) -> Result<I, Malformed> {
    id(reader.u16()?).ok_or(Malformed)
}

fn read_words<const N: usize>(reader: &mut Reader<'_>) -> Result<[u32; N], Malformed> {
    let mut words = [0; N];
    for word in &mut words {
        *word = reader.u32()?;
    }
    Ok(words)
}

fn read_bool(reader: &mut Reader<'_>) -> Result<bool, Malformed> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed),
    }
}

fn read_lane(reader: &mut Reader<'_>) -> Result<u8, Malformed> {
    let lane = reader.u8()?;
    if lane < 32 { Ok(lane) } else { Err(Malformed) }
}

pub(super) fn read_text<'b>(reader: &mut Reader<'b>) -> Result<&'b [u8], Malformed> {
    let length = usize::try_from(reader.varint()?).map_err(|_| Malformed)?;
    Ok(reader.take(length)?)
}
