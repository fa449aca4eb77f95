//! Reading: everything is checked before it is believed.

use std::fmt;

use statewright::Machine;
pub use statewright::trace::Refused;
use statewright_bytes::Reader;
use statewright_bytes::frames::{End, Frames, RawFrame};

use super::block::{Kind, LONGEST, unpack};
use super::write::EndReason;
use super::{Beginning, MOST_BLOCK, MOST_CHECKPOINT, Origin, Seal};
use crate::record::{Record, RecordedSettings, Wrong};

/// Says that a file is not read at all, where and why.
pub(super) fn refused(offset: usize, reason: impl Into<String>) -> Refused {
    Refused {
        offset,
        reason: reason.into(),
    }
}

/// A block whose checksums are right and that holds something that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Where the block begins, in bytes from the beginning.
    pub offset: usize,
    /// What is wrong.
    pub reason: &'static str,
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the block at byte {} holds {}", self.offset, self.reason)
    }
}

impl std::error::Error for Damaged {}

/// How a tape ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As its writer meant it to.
    Closed(EndReason),
    /// After a whole block, but the writer did not say that it was the last.
    Open,
    /// Within a block: what came before is whole.
    CutOff {
        /// Where the block begins.
        offset: usize,
    },
    /// With something that cannot be believed: what came before is whole.
    Damaged {
        /// Where the damage begins.
        offset: usize,
        /// What is wrong.
        reason: String,
    },
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(reason) => write!(f, "the tape is complete: {reason}"),
            Self::Open => {
                f.write_str("the tape was not closed: its program still runs, or was ended")
            }
            Self::CutOff { offset } => write!(
                f,
                "the last block, at byte {offset}, is cut off: everything before it is whole"
            ),
            Self::Damaged { offset, reason } => write!(
                f,
                "damaged at byte {offset}: {reason}; everything before it is whole"
            ),
        }
    }
}

/// What a tape has in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Ticks.
    pub ticks: u64,
    /// Inputs.
    pub inputs: u64,
    /// Checkpoints.
    pub checkpoints: u64,
}

/// A tape that was read as far as it can be believed.
#[derive(Clone, Debug)]
pub struct Tape<'b> {
    pub(super) beginning: Beginning,
    pub(super) frames: Vec<RawFrame<'b>>,
    index: Option<Index>,
    ending: Ending,
}

impl<'b> Tape<'b> {
    /// Reads the bytes of a file. A beginning that is damaged, foreign or of another version is
    /// refused; damage behind it ends the reading, and the [ending](Self::ending) says so.
    pub fn read(bytes: &'b [u8]) -> Result<Self, Refused> {
        let (beginning, file, offset) = Beginning::read(bytes)?;
        let mut raw = Frames::new(bytes, offset, file, LONGEST);
        let (mut frames, mut index) = (Vec::new(), None);
        let ending = loop {
            match raw.next_frame() {
                Ok(frame) if frame.kind == Kind::Index as u32 => match read_index(&frame) {
                    Some(read) => index = Some(read),
                    None => break damaged(frame.offset, "an index that is none"),
                },
                Ok(frame) if index.is_none() && Kind::of(frame.kind).is_some() => {
                    frames.push(frame);
                }
                Ok(frame) => break damaged(frame.offset, "a block of an unknown kind"),
                Err(End::Closed) => match index {
                    Some((_, why)) => break Ending::Closed(why),
                    None => break damaged(bytes.len(), "the end comes before the index"),
                },
                Err(End::Open) => break Ending::Open,
                Err(End::CutOff { offset }) => break Ending::CutOff { offset },
                Err(End::Damaged { offset, damage }) => break damaged(offset, damage.to_string()),
            }
        };
        Ok(Self {
            beginning,
            frames,
            index: index.map(|(index, _)| index),
            ending,
        })
    }

    /// How it ends.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Version of the library that recorded it.
    pub fn library(&self) -> &str {
        &self.beginning.library
    }

    /// Who recorded it.
    pub fn origin(&self) -> &Origin {
        &self.beginning.origin
    }

    /// Structure and parameter hash of its machine.
    pub fn hashes(&self) -> [u64; 2] {
        self.beginning.hashes
    }

    /// What it says for whoever has no game, if all agents are sealed.
    pub fn seal(&self) -> Option<&Seal> {
        self.beginning.seal.as_ref()
    }

    /// The machine that was recorded, with its names.
    pub fn machine(&self) -> Result<Machine, Refused> {
        self.beginning.machine()
    }

    /// What it has in all: from the index at its end, or counted anew if that is missing.
    pub fn index(&self) -> Result<Index, Damaged> {
        if let Some(index) = self.index {
            return Ok(index);
        }
        let mut index = Index::default();
        let mut player = self.play();
        while let Some(item) = player.next_item()? {
            match item {
                Item::Checkpoint(_) => index.checkpoints += 1,
                Item::Record(Record::Input(_)) => index.inputs += 1,
                Item::Record(Record::Tick(_)) => index.ticks += 1,
                Item::Record(
                    Record::Changed(_) | Record::Keys(_) | Record::Calls(_) | Record::Guessed(_),
                ) => {}
            }
        }
        Ok(index)
    }

    /// Ticks that checkpoints stand before, in the order of the tape.
    pub fn checkpoints(&self) -> impl Iterator<Item = u64> + '_ {
        self.frames
            .iter()
            .filter(|frame| frame.kind == Kind::Checkpoint as u32)
            .map(|frame| frame.tick)
    }

    /// Bytes of all its records before they were compressed.
    pub fn record_bytes(&self) -> Result<usize, Damaged> {
        let (mut player, mut bytes) = (self.play(), 0);
        while let Some((_, record)) = player.next_raw()? {
            bytes += record.len();
        }
        Ok(bytes)
    }

    /// Everything from the beginning on.
    pub fn play(&self) -> Player<'_> {
        self.play_from(0)
    }

    /// Everything from a checkpoint on: the last that stands before a tick or before an earlier one;
    /// else the first.
    pub fn play_before(&self, tick: u64) -> Player<'_> {
        let is_start =
            |frame: &RawFrame<'_>| frame.kind == Kind::Checkpoint as u32 && frame.tick <= tick;
        let start = self.frames.iter().rposition(is_start);
        self.play_from(start.unwrap_or(0))
    }

    fn play_from(&self, start: usize) -> Player<'_> {
        Player {
            frames: self.frames.get(start..).unwrap_or_default(),
            block: Vec::new(),
            at: 0,
            offset: 0,
            is_sealed: self.beginning.seal.is_some(),
        }
    }
}

fn damaged(offset: usize, reason: impl Into<String>) -> Ending {
    Ending::Damaged {
        offset,
        reason: reason.into(),
    }
}

fn read_index(frame: &RawFrame<'_>) -> Option<(Index, EndReason)> {
    let raw = unpack(frame.content, 64)?;
    let mut reader = Reader::new(&raw);
    let why = EndReason::of(reader.u8().ok()?)?;
    let index = Index {
        ticks: reader.u64().ok()?,
        inputs: reader.u64().ok()?,
        checkpoints: reader.u64().ok()?,
    };
    reader.end().ok()?;
    Some((index, why))
}

/// Why there is a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointReason {
    /// To begin there: the crowd is what the ticks before made of it.
    Regular,
    /// The host restored a snapshot.
    Restored,
}

/// The whole crowd between two ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The tick that comes.
    pub tick: u64,
    /// Why it is there.
    pub why: CheckpointReason,
    /// Settings, which are in no snapshot.
    pub settings: RecordedSettings,
    /// The snapshot.
    pub snapshot: Vec<u8>,
    /// Of a sealed tape: what machine files see of all blackboards.
    pub keys: Option<Keys>,
}

/// What machine files see of all blackboards of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Where blackboards begin in the snapshot.
    pub boards_at: usize,
    /// How many blackboards there are.
    pub slots: usize,
    /// Words of the machine's layout, blackboard after blackboard.
    pub words: Vec<u8>,
}

/// What comes next in a tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The whole crowd.
    Checkpoint(Checkpoint),
    /// Something that happened.
    Record(Record),
}

/// Goes through a tape.
#[derive(Clone, Debug)]
pub struct Player<'t> {
    frames: &'t [RawFrame<'t>],
    /// Records that are being read.
    block: Vec<u8>,
    /// Where in them.
    at: usize,
    /// Where the block lies in the file.
    offset: usize,
    /// Checkpoints have keys.
    is_sealed: bool,
}

impl<'t> Player<'t> {
    /// What comes next; nothing at the end of what can be believed.
    pub fn next_item(&mut self) -> Result<Option<Item>, Damaged> {
        self.next_raw().map(|next| next.map(|(item, _)| item))
    }

    /// The same with the bytes of a record.
    pub(super) fn next_raw(&mut self) -> Result<Option<(Item, &[u8])>, Damaged> {
        while self.at >= self.block.len() {
            let Some((frame, rest)) = self.frames.split_first() else {
                return Ok(None);
            };
            self.frames = rest;
            self.offset = frame.offset;
            match Kind::of(frame.kind) {
                Some(Kind::Checkpoint) => {
                    let checkpoint = self.checkpoint(frame)?.map(Item::Checkpoint);
                    return Ok(checkpoint.map(|item| (item, &[][..])));
                }
                Some(Kind::Records) => {
                    self.block = self.unpack(frame)?;
                    self.at = 0;
                }
                Some(Kind::Part | Kind::Index | Kind::Keys) | None => {
                    return Err(self.damaged("a part of a checkpoint that is not there"));
                }
            }
        }
        let start = self.at;
        let mut reader = Reader::new(&self.block[start..]);
        let read = Record::read(&mut reader);
        let end = start + reader.offset();
        let record = read.map_err(|Wrong(reason)| self.damaged(reason))?;
        self.at = end;
        Ok(Some((Item::Record(record), &self.block[start..end])))
    }

    fn damaged(&self, reason: &'static str) -> Damaged {
        Damaged {
            offset: self.offset,
            reason,
        }
    }

    fn unpack(&self, frame: &RawFrame<'_>) -> Result<Vec<u8>, Damaged> {
        unpack(frame.content, MOST_BLOCK).ok_or(Damaged {
            offset: frame.offset,
            reason: "something that cannot be decompressed",
        })
    }

    /// A checkpoint with all its parts; nothing if the tape is cut off within it.
    fn checkpoint(&mut self, frame: &RawFrame<'t>) -> Result<Option<Checkpoint>, Damaged> {
        let raw = self.unpack(frame)?;
        let mut reader = Reader::new(&raw);
        let wrong = self.damaged("a checkpoint that is none");
        let why = match reader.u8() {
            Ok(0) => CheckpointReason::Regular,
            Ok(1) => CheckpointReason::Restored,
            _ => return Err(wrong),
        };
        let settings = RecordedSettings::read(&mut reader).map_err(|_| wrong.clone())?;
        let Some(snapshot) = self.long(reader)? else {
            return Ok(None);
        };
        let keys = match self.frames.split_first() {
            None if self.is_sealed => return Ok(None),
            Some((next, rest)) if self.is_sealed && next.kind == Kind::Keys as u32 => {
                self.frames = rest;
                let raw = self.unpack(next)?;
                let mut reader = Reader::new(&raw);
                let boards_at = reader.u32().map_err(|_| wrong.clone())? as usize;
                let slots = reader.u32().map_err(|_| wrong.clone())? as usize;
                let Some(words) = self.long(reader)? else {
                    return Ok(None);
                };
                // Each has an instance in the snapshot, which is longer than a word.
                if boards_at > snapshot.len() || slots > snapshot.len() / 4 {
                    return Err(wrong);
                }
                Some(Keys {
                    boards_at,
                    slots,
                    words,
                })
            }
            Some(_) if self.is_sealed => return Err(wrong),
            _ => None,
        };
        Ok(Some(Checkpoint {
            tick: frame.tick,
            why,
            settings,
            snapshot,
            keys,
        }))
    }

    /// Bytes that begin here and go on in parts; nothing if the tape is cut off within them.
    fn long(&mut self, mut reader: Reader<'_>) -> Result<Option<Vec<u8>>, Damaged> {
        let wrong = self.damaged("a checkpoint that is none");
        let length = reader.u32().map_err(|_| wrong.clone())? as usize;
        if length > MOST_CHECKPOINT {
            return Err(wrong);
        }
        let mut bytes = reader.rest().to_vec();
        while bytes.len() < length {
            let Some((part, rest)) = self.frames.split_first() else {
                return Ok(None);
            };
            if part.kind != Kind::Part as u32 {
                return Err(wrong);
            }
            bytes.extend(self.unpack(part)?);
            self.frames = rest;
        }
        if bytes.len() != length {
            return Err(wrong);
        }
        Ok(Some(bytes))
    }
}
