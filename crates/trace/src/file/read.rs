//! Reading: everything is checked before it is believed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use statewright_bytes::frames::{End, FRAME_HEAD, Frames, RawFrame};
use statewright_bytes::{Format, Head, HeadError, ReadError, Reader};
use zerocopy::FromBytes;

use super::{FORMAT, FORMAT_4, MOST_LEGEND, MOST_RECORDS, NAME, RECORDS, RELOAD};
use crate::legend::Legend;
use crate::record::{Cause, CommandSaid, Kind, NO_FUNCTION, NO_TRANSITION, Record};

/// Why a file is not read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Where, in bytes from the beginning.
    pub offset: usize,
    /// Why.
    pub reason: String,
}

impl Refused {
    pub(super) fn new(offset: usize, reason: impl Into<String>) -> Self {
        Self {
            offset,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.reason)
    }
}

impl std::error::Error for Refused {}

/// How a file ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As its writer meant it to.
    Closed,
    /// After a whole frame, but the writer did not say that it was the last.
    Open,
    /// Within a frame: what came before is whole.
    CutOff {
        /// Where the frame begins.
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
            Self::Closed => f.write_str("the trace is complete"),
            Self::Open => {
                f.write_str("the trace was not closed: its program still runs, or was ended")
            }
            Self::CutOff { offset } => {
                write!(
                    f,
                    "the last frame, at byte {offset}, is cut off: everything before it is whole"
                )
            }
            Self::Damaged { offset, reason } => {
                write!(
                    f,
                    "damaged at byte {offset}: {reason}; everything before it is whole"
                )
            }
        }
    }
}

/// Records of one frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'b> {
    /// Where it begins, in bytes.
    pub offset: usize,
    /// Tick of its first record.
    pub tick: u64,
    /// Its records.
    pub records: &'b [Record],
    /// Which version of the machine they are of: how many reloads came before
    /// ([`Reading::legend_of`]).
    pub version: usize,
}

impl Frame<'_> {
    /// The whole tick of one of its records.
    pub fn tick_of(&self, record: &Record) -> u64 {
        self.tick
            .wrapping_add(record.tick.get().wrapping_sub(self.tick as u32).into())
    }
}

/// Another version of the machine took the place of the one that ran (LOAD-7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reload {
    /// The tick that came next.
    pub tick: u64,
    /// Structure and parameter hash of both machines, the old one first.
    pub hashes: [[u64; 2]; 2],
    /// The names behind the numbers from here on.
    pub legend: Legend,
}

impl fmt::Display for Reload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [old, new] = self
            .hashes
            .map(|[structure, parameters]| format!("{structure:016x}/{parameters:016x}"));
        write!(f, "the machine is reloaded, {old} becomes {new}")
    }
}

/// A file that was read as far as it can be believed.
#[derive(Clone, Debug)]
pub struct Reading<'b> {
    /// The names behind the numbers, up to the first reload.
    pub legend: Legend,
    /// Reloads of the machine, in order.
    pub reloads: Vec<Reload>,
    /// Whole frames, in order.
    pub frames: Vec<Frame<'b>>,
    /// What came behind them.
    pub ending: Ending,
}

impl<'b> Reading<'b> {
    /// Reads the bytes of a file. A head that is damaged, foreign or of a later version is refused;
    /// damage behind it ends the reading, and the [ending](Self::ending) says so.
    pub fn new(bytes: &'b [u8]) -> Result<Self, Refused> {
        let (mut legend, file, offset) = head(bytes)?;
        let mut raw = Frames::new(bytes, offset, file, LONGEST);
        let (mut frames, mut reloads) = (Vec::new(), Vec::<Reload>::new());
        let mut commands = BTreeMap::new();
        let ending = loop {
            let frame = match raw.next_frame() {
                Ok(frame) => frame,
                Err(end) => break end.into(),
            };
            let version = reloads.len();
            let now = reloads.last().map_or(&legend, |reload| &reload.legend);
            let read = match frame.kind {
                NAME => name(&frame, &mut commands),
                RELOAD => reload(&frame, now).map(|reload| reloads.push(reload)),
                _ => records(&frame, now, version).map(|frame| frames.push(frame)),
            };
            if let Err(ending) = read {
                break ending;
            }
        };
        // One list for all: a file may have many reloads.
        legend.commands = Arc::new(commands);
        for reload in &mut reloads {
            reload.legend.commands = Arc::clone(&legend.commands);
        }
        Ok(Self {
            legend,
            reloads,
            frames,
            ending,
        })
    }

    /// The same with other names in all legends ([`Legend::map_names`]).
    pub fn map_names(self, map: impl Fn(&str) -> String) -> Self {
        let commands = Arc::new(self.legend.mapped_commands(&map));
        let named = |legend: Legend| legend.map_own_names(&map, Arc::clone(&commands));
        let reloads = self.reloads.into_iter().map(|reload| Reload {
            legend: named(reload.legend),
            ..reload
        });
        Self {
            reloads: reloads.collect(),
            legend: named(self.legend),
            ..self
        }
    }

    /// The names behind the numbers of a version of the machine ([`Frame::version`]).
    pub fn legend_of(&self, version: usize) -> &Legend {
        let reload = version.checked_sub(1).and_then(|at| self.reloads.get(at));
        reload.map_or(&self.legend, |reload| &reload.legend)
    }

    /// All records with their whole ticks, in order. What their numbers mean depends on the version of
    /// the machine: [`Self::told`].
    pub fn records(&self) -> impl Iterator<Item = (u64, &'b Record)> + '_ {
        self.told().map(|(_, tick, record)| (tick, record))
    }

    /// All records with the version of the machine that they are of and their whole ticks, in order.
    pub fn told(&self) -> impl Iterator<Item = (usize, u64, &'b Record)> + '_ {
        self.frames.iter().flat_map(|frame| {
            let records = frame.records.iter();
            records.map(|record| (frame.version, frame.tick_of(record), record))
        })
    }
}

/// Longest content of a frame: records, or hashes and names of another version of the machine.
const LONGEST: usize = {
    let (records, reload) = (MOST_RECORDS * size_of::<Record>(), HASHES + MOST_LEGEND);
    if records > reload { records } else { reload }
};
/// Bytes of the hashes of two machines.
const HASHES: usize = size_of::<[[u64; 2]; 2]>();

/// Legend, checksum and end of the sealed beginning.
fn head(bytes: &[u8]) -> Result<(Legend, u64, usize), Refused> {
    if bytes.is_empty() {
        return Err(Refused::new(0, "the file is empty"));
    }
    let (format, (head, rest)) = read_head(bytes).map_err(|error| refused(bytes, error))?;
    let Some((length, rest)) = rest.split_first_chunk() else {
        return Err(Refused::new(
            bytes.len(),
            format!("cut off within its head of {LEGEND} bytes"),
        ));
    };
    let length = u32::from_le_bytes(*length) as usize;
    if length > MOST_LEGEND {
        return Err(Refused::new(
            size_of::<Head>(),
            format!("its names take {length} bytes, at most {MOST_LEGEND} are allowed"),
        ));
    }
    let Some(names) = rest.get(..length) else {
        return Err(Refused::new(
            bytes.len(),
            format!("cut off within its names, which take {length} bytes"),
        ));
    };
    let end = LEGEND + length;
    format
        .check_sum(head, bytes.get(..end).unwrap_or(bytes))
        .map_err(|error| refused(bytes, error))?;
    let legend = Legend::from_bytes(head.hashes(), names);
    let legend = legend.map_err(|refused| Refused::new(LEGEND + refused.offset, refused.reason))?;
    Ok((legend, head.checksum.get(), end))
}

/// The head of a version that is read.
fn read_head(bytes: &[u8]) -> Result<(Format, (&Head, &[u8])), HeadError> {
    let read = |format: Format| format.read_head(bytes).map(|head| (format, head));
    match read(FORMAT) {
        Err(HeadError::Version { found: 4, .. }) => read(FORMAT_4),
        other => other,
    }
}

/// Where the legend begins: behind the head and its length.
const LEGEND: usize = size_of::<Head>() + size_of::<u32>();

/// Place and words for a head that is refused.
fn refused(bytes: &[u8], error: HeadError) -> Refused {
    match error {
        HeadError::Magic(_) => Refused::new(0, "this is not a trace: it does not begin like one"),
        HeadError::Truncated { .. } => Refused::new(
            bytes.len(),
            format!("cut off within its head of {LEGEND} bytes"),
        ),
        HeadError::Version { found, expected } => Refused::new(
            4,
            format!("it is of version {found}, this program reads version {expected}"),
        ),
        HeadError::ByteOrder { .. } => Refused::new(6, error.to_string()),
        HeadError::Checksum { .. } => Refused::new(
            24,
            "its head is damaged: the checksum of head and names is another one",
        ),
    }
}

impl From<End> for Ending {
    fn from(end: End) -> Self {
        match end {
            End::Closed => Self::Closed,
            End::Open => Self::Open,
            End::CutOff { offset } => Self::CutOff { offset },
            End::Damaged { offset, damage } => Self::Damaged {
                offset,
                reason: damage.to_string(),
            },
        }
    }
}

/// The name of a command type.
fn name(raw: &RawFrame<'_>, commands: &mut BTreeMap<u32, String>) -> Result<(), Ending> {
    let read = |mut from: Reader<'_>| -> Result<(u32, String), ReadError> {
        let named = (from.u32()?, from.text()?.to_owned());
        from.end().map(|()| named)
    };
    let (number, name) = read(Reader::new(raw.content)).map_err(|error| Ending::Damaged {
        offset: raw.offset + error.offset,
        reason: "a frame with a name that is none".to_owned(),
    })?;
    commands.insert(number, name);
    Ok(())
}

/// Another version of the machine.
fn reload(raw: &RawFrame<'_>, before: &Legend) -> Result<Reload, Ending> {
    let damaged = |offset, reason: &str| Ending::Damaged {
        offset: raw.offset + offset,
        reason: reason.to_owned(),
    };
    let mut reader = Reader::new(raw.content);
    let mut hashes = [[0; 2]; 2];
    for hash in hashes.as_flattened_mut() {
        *hash = reader
            .u64()
            .map_err(|_| damaged(0, "a reload that is none"))?;
    }
    if hashes[0] != before.hashes() {
        return Err(damaged(
            0,
            "a reload of another machine than the one that runs",
        ));
    }
    let legend = Legend::from_bytes(hashes[1], reader.rest())
        .map_err(|error| damaged(HASHES + error.offset, &error.reason))?;
    Ok(Reload {
        tick: raw.tick,
        hashes,
        legend,
    })
}

/// The records of a frame, each about something that the machine has.
fn records<'b>(raw: &RawFrame<'b>, legend: &Legend, version: usize) -> Result<Frame<'b>, Ending> {
    let damaged = |offset, reason: &str| Ending::Damaged {
        offset,
        reason: reason.to_owned(),
    };
    let records = <[Record]>::ref_from_bytes(raw.content);
    let records = records
        .ok()
        .filter(|records| raw.kind == RECORDS && records.len() <= MOST_RECORDS)
        .ok_or_else(|| damaged(raw.offset, "a frame that holds something unknown"))?;
    if let Some(wrong) = records.iter().position(|record| !is_sound(record, legend)) {
        let reason =
            "a record of an unknown kind, or about something that the machine does not have";
        return Err(damaged(raw.offset + wrong * size_of::<Record>(), reason));
    }
    Ok(Frame {
        offset: raw.offset - FRAME_HEAD,
        tick: raw.tick,
        records,
        version,
    })
}

/// Whether a record is about something that exists.
fn is_sound(record: &Record, legend: &Legend) -> bool {
    let subject = usize::from(record.subject.get());
    let Some(kind) = record.kind() else {
        return false;
    };
    match kind {
        Kind::Unhandled | Kind::Deferred => subject < legend.symbols.events.len(),
        Kind::Event => subject < legend.symbols.events.len() && record.value_kind().is_some(),
        // An event that is lost may be one that the machine does not have.
        Kind::EventLost => record.loss().is_some(),
        Kind::Wrote | Kind::Read => {
            subject < legend.symbols.keys.len() && record.value_kind().is_some()
        }
        Kind::Gave => subject < legend.symbols.functions.len() && record.value_kind().is_some(),
        Kind::More => subject < 4 && record.value_kind().is_some(),
        Kind::Asked => subject < legend.symbols.functions.len() && record.detail <= 1,
        Kind::Drew => {
            subject < legend.symbols.functions.len() || record.subject.get() == NO_FUNCTION
        }
        Kind::Score => subject < legend.transitions.len(),
        Kind::Command => match record.command() {
            Some((CommandSaid::Emit { name, .. }, _)) => usize::from(name) < legend.texts.len(),
            Some((CommandSaid::Send { event }, _)) => {
                usize::from(event) < legend.symbols.events.len()
            }
            Some((CommandSaid::ByFunction { function, .. }, _)) => {
                usize::from(function) < legend.symbols.functions.len()
            }
            // What nobody named is called by its number.
            Some((CommandSaid::Release { .. } | CommandSaid::Typed { .. }, _)) => true,
            None => false,
        },
        Kind::Timer | Kind::TimerSet | Kind::TimerStopped => subject < legend.symbols.timers.len(),
        Kind::Transition | Kind::Latched => {
            let cause = match record.cause() {
                Some(Cause::None) => true,
                Some(Cause::Event(event)) => usize::from(event) < legend.symbols.events.len(),
                Some(Cause::Timer(timer)) => usize::from(timer) < legend.symbols.timers.len(),
                None => false,
            };
            let leaf = record
                .leaf()
                .is_none_or(|leaf| usize::from(leaf) < legend.states.len());
            cause && leaf && subject < legend.transitions.len()
        }
        Kind::Rejected => subject < legend.transitions.len() && record.reason().is_some(),
        Kind::Present
        | Kind::Leaf
        | Kind::Entered
        | Kind::Exited
        | Kind::Suspended
        | Kind::Resumed => subject < legend.states.len(),
        Kind::Activity => subject < legend.states.len() && record.detail <= 3,
        Kind::Guard => {
            let transition =
                subject < legend.transitions.len() || record.subject.get() == NO_TRANSITION;
            transition && usize::from(record.guard().0) < legend.states.len() && record.detail <= 1
        }
        Kind::Faulted => record.fault().is_some(),
        Kind::Started
        | Kind::Terminated
        | Kind::Panicked
        | Kind::Clamped
        | Kind::FailSafe
        | Kind::Lost
        | Kind::Despawned => true,
    }
}
