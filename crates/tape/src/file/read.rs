//! Reading: everything is checked before it is believed.

use std::fmt;

use statewright::commands::Lane;
pub use statewright::trace::Refused;
use statewright::{Event, Machine, agents_of_part};
use statewright_bytes::Reader;
use statewright_bytes::frames::{End, Frames, RawFrame};

use super::block::{Kind, LONGEST, unpack};
use super::write::EndReason;
use super::{
    Beginning, MOST_BLOCK, MOST_CHECKPOINT, Origin, Seal, TapeReload, Version, WORLD_FORMAT,
};
use crate::outputs::Lanes;
use crate::record::{Record, RecordedSettings, TapeAgent, Wrong, read_short_send};
use crate::recording::Proof;

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
        if WORLD_FORMAT.begins(bytes) {
            return Err(refused(
                0,
                "this is a tape of a world: it has a tape of each of its crowds",
            ));
        }
        let (beginning, file, offset) = Beginning::read(bytes)?;
        let mut tapes = Self::read_all(bytes, (file, offset), vec![beginning]);
        // As many as there are beginnings.
        tapes.pop().ok_or_else(|| refused(0, "the file is empty"))
    }

    /// Tapes with these beginnings, from frames that say of which they are.
    pub(super) fn read_all(
        bytes: &'b [u8],
        (file, offset): (u64, usize),
        beginnings: Vec<Beginning>,
    ) -> Vec<Self> {
        let tape = |beginning| Self {
            beginning,
            frames: Vec::new(),
            index: None,
            ending: Ending::Open,
        };
        let mut tapes: Vec<Self> = beginnings.into_iter().map(tape).collect();
        let mut raw = Frames::new(bytes, offset, file, LONGEST);
        let mut why = None;
        let ending = loop {
            match raw.next_frame() {
                Ok(frame) => {
                    let (kind, crowd) = Kind::parted(frame.kind);
                    let open = tapes.get_mut(crowd).filter(|tape| tape.index.is_none());
                    match (Kind::of(kind), open) {
                        (Some(Kind::Index), Some(tape)) => match read_index(&frame) {
                            Some((index, end)) => (tape.index, why) = (Some(index), Some(end)),
                            None => break damaged(frame.offset, "an index that is none"),
                        },
                        (Some(_), Some(tape)) => tape.frames.push(RawFrame { kind, ..frame }),
                        _ => break damaged(frame.offset, "a block of an unknown kind"),
                    }
                }
                Err(End::Closed) => match why {
                    Some(why) if tapes.iter().all(|tape| tape.index.is_some()) => {
                        break Ending::Closed(why);
                    }
                    _ => break damaged(bytes.len(), "the end comes before the index"),
                },
                Err(End::Open) => break Ending::Open,
                Err(End::CutOff { offset }) => break Ending::CutOff { offset },
                Err(End::Damaged { offset, damage }) => break damaged(offset, damage.to_string()),
            }
        };
        for tape in &mut tapes {
            tape.ending = ending.clone();
        }
        tapes
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

    /// What it says of the outcome of ticks; `None` if it is of version 2, which does not tell.
    pub fn proof(&self) -> Option<Proof> {
        self.beginning.proof
    }

    /// Whether it is of some agents alone: they can be run again without the others.
    pub fn is_part(&self) -> bool {
        self.beginning.is_part
    }

    /// The agents that it begins with, if it is of some alone.
    pub fn chosen(&self) -> Result<Option<Vec<TapeAgent>>, Damaged> {
        if !self.is_part() {
            return Ok(None);
        }
        let Some(Item::Checkpoint(first)) = self.play().next_item()? else {
            return Ok(Some(Vec::new()));
        };
        first.chosen().map(Some)
    }

    /// Lanes whose commands are kept.
    pub fn outputs(&self) -> impl Iterator<Item = Lane> + use<> {
        self.lanes().iter()
    }

    pub(crate) fn lanes(&self) -> Lanes {
        self.beginning.outputs
    }

    /// Structure and parameter hash of the machine that it begins with.
    pub fn hashes(&self) -> [u64; 2] {
        self.beginning.version.hashes
    }

    /// What it says for whoever has no game, if agents are sealed.
    pub fn seal(&self) -> Option<&Seal> {
        self.beginning.version.seal.as_ref()
    }

    /// Reloads of its machine, in order.
    pub fn reloads(&self) -> Result<Vec<TapeReload>, Damaged> {
        let places = 0..self.frames.len();
        let reloads = places.filter(|&place| self.frames[place].kind == Kind::Reload as u32);
        let read: Result<Vec<Option<TapeReload>>, Damaged> =
            reloads.map(|place| self.reload_at(place)).collect();
        let reloads = read?;
        // One that is cut off is none.
        Ok(reloads.into_iter().flatten().collect())
    }

    fn reload_at(&self, place: usize) -> Result<Option<TapeReload>, Damaged> {
        match self.play_from(place).next_item()? {
            Some(Item::Reload(reload)) => Ok(Some(reload)),
            Some(Item::Checkpoint(_) | Item::Record(_)) | None => Ok(None),
        }
    }

    /// The version of the machine that runs where a frame begins.
    pub(crate) fn version_at(&self, start: usize) -> Result<Version, Damaged> {
        let before = self.frames.get(..start).unwrap_or_default();
        let is_reload = |frame: &RawFrame<'_>| frame.kind == Kind::Reload as u32;
        let reload = match before.iter().rposition(is_reload) {
            Some(place) => self.reload_at(place)?,
            None => None,
        };
        Ok(match reload {
            Some(reload) => reload.version,
            None => self.beginning.version.clone(),
        })
    }

    /// The machine that was recorded, with its names: the one that it begins with.
    pub fn machine(&self) -> Result<Machine, Refused> {
        self.beginning.machine()
    }

    /// The machine that ran at the last checkpoint before a tick.
    pub fn machine_before(&self, tick: u64) -> Result<Machine, Refused> {
        let version = self.version_at(self.start_before(tick));
        let version = version.map_err(|error| refused(error.offset, error.reason))?;
        version.machine(0)
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
                Item::Reload(_) => {}
                Item::Record(
                    Record::Changed(_)
                    | Record::Keys(_)
                    | Record::Calls(_)
                    | Record::Guessed(_)
                    | Record::Output(_)
                    | Record::Hash(_),
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
        self.play_from(self.start_before(tick))
    }

    /// The place of that checkpoint.
    pub(crate) fn start_before(&self, tick: u64) -> usize {
        let is_start =
            |frame: &RawFrame<'_>| frame.kind == Kind::Checkpoint as u32 && frame.tick <= tick;
        self.frames.iter().rposition(is_start).unwrap_or(0)
    }

    pub(crate) fn play_from(&self, start: usize) -> Player<'_> {
        Player {
            frames: self.frames.get(start..).unwrap_or_default(),
            block: Vec::new(),
            at: 0,
            offset: 0,
            is_sealed: self.beginning.version.seal.is_some(),
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
    /// The machine was reloaded before it: to begin there nobody needs the old one.
    Reloaded,
    /// Others were chosen: the tape is of these from here on.
    Chosen,
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

impl Checkpoint {
    /// The agents that it holds, on a tape of chosen ones; in ascending order of their indices.
    pub(crate) fn chosen(&self) -> Result<Vec<TapeAgent>, Damaged> {
        let agents = agents_of_part(&self.snapshot).map_err(|_| Damaged {
            offset: 0,
            reason: "agents that are none",
        })?;
        Ok(agents.into_iter().map(TapeAgent::from).collect())
    }
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
    /// Another version of the machine; a checkpoint of what it made of the crowd follows.
    Reload(TapeReload),
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
                Some(Kind::Reload) => {
                    let reload = self.reload(frame)?.map(Item::Reload);
                    return Ok(reload.map(|item| (item, &[][..])));
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

    /// The event that comes next and whom it is for, if it is a short one. Else nothing is passed over.
    #[inline]
    pub(crate) fn next_sent(&mut self) -> Option<(TapeAgent, Event)> {
        let (to, event, length) = read_short_send(self.block.get(self.at..)?)?;
        self.at += length;
        Some((to, event))
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
            Ok(2) => CheckpointReason::Reloaded,
            Ok(3) => CheckpointReason::Chosen,
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

    /// A reload with the whole machine; nothing if the tape is cut off within it.
    fn reload(&mut self, frame: &RawFrame<'t>) -> Result<Option<TapeReload>, Damaged> {
        let raw = self.unpack(frame)?;
        let mut reader = Reader::new(&raw);
        let head = TapeReload::read_head(&mut reader);
        let head = head.map_err(|_| self.damaged("a reload that is none"))?;
        let version = self.long(reader)?;
        let at = (frame.tick, frame.offset);
        version
            .map(|version| TapeReload::read(at, head, &version))
            .transpose()
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
