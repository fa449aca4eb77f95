//! Reading: everything is checked before it is believed.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64_with_seed;
use zerocopy::FromBytes;

use super::{
    FRAME_HEAD, FRAME_MAGIC, FrameHead, HEAD, Head, MAGIC, MOST_LEGEND, MOST_RECORDS, VERSION,
};
use crate::legend::Legend;
use crate::record::{Cause, Kind, NO_TRANSITION, Record};

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
}

impl Frame<'_> {
    /// The whole tick of one of its records.
    pub fn tick_of(&self, record: &Record) -> u64 {
        self.tick
            .wrapping_add(record.tick.get().wrapping_sub(self.tick as u32).into())
    }
}

/// A file that was read as far as it can be believed.
#[derive(Clone, Debug)]
pub struct Reading<'b> {
    /// The names behind the numbers.
    pub legend: Legend,
    /// Whole frames, in order.
    pub frames: Vec<Frame<'b>>,
    /// What came behind them.
    pub ending: Ending,
}

impl<'b> Reading<'b> {
    /// Reads the bytes of a file. A head that is damaged, foreign or of a later version is refused;
    /// damage behind it ends the reading, and the [ending](Self::ending) says so.
    pub fn new(bytes: &'b [u8]) -> Result<Self, Refused> {
        let (legend, file, mut offset) = head(bytes)?;
        let mut frames = Vec::new();
        let ending = loop {
            match next_frame(bytes, offset, file, frames.len(), &legend) {
                Ok(frame) => {
                    offset += FRAME_HEAD + size_of_val(frame.records);
                    frames.push(frame);
                }
                Err(ending) => break ending,
            }
        };
        Ok(Self {
            legend,
            frames,
            ending,
        })
    }

    /// All records with their whole ticks, in order.
    pub fn records(&self) -> impl Iterator<Item = (u64, &'b Record)> + '_ {
        self.frames.iter().flat_map(|frame| {
            frame
                .records
                .iter()
                .map(|record| (frame.tick_of(record), record))
        })
    }
}

fn head(bytes: &[u8]) -> Result<(Legend, u64, usize), Refused> {
    let start = bytes.get(..MAGIC.len().min(bytes.len())).unwrap_or(bytes);
    if bytes.is_empty() {
        return Err(Refused::new(0, "the file is empty"));
    }
    if !MAGIC.starts_with(start) {
        return Err(Refused::new(
            0,
            "this is not a trace: it does not begin like one",
        ));
    }
    let Ok((head, rest)) = Head::read_from_prefix(bytes) else {
        return Err(Refused::new(
            bytes.len(),
            format!("cut off within its head of {HEAD} bytes"),
        ));
    };
    if head.version.get() != VERSION {
        let version = head.version.get();
        let reason = format!("it is of version {version}, this program reads version {VERSION}");
        return Err(Refused::new(8, reason));
    }
    let length = head.legend.get() as usize;
    if length > MOST_LEGEND {
        return Err(Refused::new(
            12,
            format!("its names take {length} bytes, at most {MOST_LEGEND} are allowed"),
        ));
    }
    let Some(names) = rest.get(..length) else {
        return Err(Refused::new(
            bytes.len(),
            format!("cut off within its names, which take {length} bytes"),
        ));
    };
    if head.expected(names) != head.checksum.get() {
        return Err(Refused::new(
            16,
            "its head is damaged: the checksum of version, length and names is another one",
        ));
    }
    let legend = Legend::from_bytes(names).map_err(|r| Refused::new(HEAD + r.offset, r.reason))?;
    Ok((legend, head.checksum.get(), HEAD + length))
}

fn next_frame<'b>(
    bytes: &'b [u8],
    offset: usize,
    file: u64,
    number: usize,
    legend: &Legend,
) -> Result<Frame<'b>, Ending> {
    let damaged = |at: usize, reason: String| Err(Ending::Damaged { offset: at, reason });
    let rest = bytes.get(offset..).unwrap_or(&[]);
    if rest.is_empty() {
        return Err(Ending::Open);
    }
    let start = rest
        .get(..FRAME_MAGIC.len().min(rest.len()))
        .unwrap_or(rest);
    if !FRAME_MAGIC.starts_with(start) {
        return damaged(offset, "no frame begins here".to_owned());
    }
    let Ok((head, rest)) = FrameHead::read_from_prefix(rest) else {
        return Err(Ending::CutOff { offset });
    };
    if head.expected(file) != head.checksum.get() {
        return damaged(
            offset,
            "the head of a frame has another checksum".to_owned(),
        );
    }
    let count = head.count.get() as usize;
    if head.number.get() as usize != number || count > MOST_RECORDS || head.reserved.get() != 0 {
        return damaged(
            offset,
            format!("frame {number} is missing or has an impossible head"),
        );
    }
    let length = count * size_of::<Record>();
    let Some(records) = rest.get(..length) else {
        return Err(Ending::CutOff { offset });
    };
    if xxh3_64_with_seed(records, file ^ number as u64) != head.records.get() {
        return damaged(
            offset + FRAME_HEAD,
            format!("the records of frame {number} have another checksum"),
        );
    }
    if count == 0 {
        let more = rest.len();
        let behind = offset + FRAME_HEAD;
        return if more == 0 {
            Err(Ending::Closed)
        } else {
            damaged(behind, format!("{more} bytes behind the end"))
        };
    }
    let records = <[Record]>::ref_from_bytes(records).unwrap_or(&[]);
    if let Some(wrong) = records.iter().position(|record| !is_sound(record, legend)) {
        let at = offset + FRAME_HEAD + wrong * size_of::<Record>();
        return damaged(
            at,
            "a record of an unknown kind, or about something that the machine does not have"
                .to_owned(),
        );
    }
    Ok(Frame {
        offset,
        tick: head.tick.get(),
        records,
    })
}

/// Whether a record is about something that exists.
fn is_sound(record: &Record, legend: &Legend) -> bool {
    let subject = usize::from(record.subject.get());
    let Some(kind) = record.kind() else {
        return false;
    };
    match kind {
        Kind::Event | Kind::Unhandled | Kind::Deferred => subject < legend.symbols.events.len(),
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
