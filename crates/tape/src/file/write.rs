//! Writing: each block as one whole frame.

use std::fmt;
use std::io::{self, Write};

use statewright_bytes::Writer;
use statewright_bytes::frames::{CLOSING, FRAME_HEAD, seal_frame};

use super::block::{Kind, pack};
use super::read::{CheckpointReason, Keys};
use super::world;
use super::{Beginning, MOST_BLOCK, MOST_CHECKPOINT};
use crate::record::RecordedSettings;

/// Why a tape cannot be written.
#[derive(Debug)]
pub enum WriteError {
    /// The output takes no more.
    Io(io::Error),
    /// Machine and names take more than a tape has room for.
    Machine,
    /// A checkpoint of so many bytes, more than [`MOST_CHECKPOINT`].
    Checkpoint(usize),
    /// What one agent's blackboard takes is more than a block has room for.
    Record(usize),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Machine => f.write_str("machine and names are too large for a tape"),
            Self::Checkpoint(bytes) => write!(
                f,
                "a checkpoint of the crowd has {bytes} bytes, a tape has room for {MOST_CHECKPOINT}"
            ),
            Self::Record(bytes) => write!(
                f,
                "one blackboard takes {bytes} bytes, a tape has room for {MOST_BLOCK}"
            ),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Why a tape ends where it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndReason {
    /// The host ended the recording.
    #[default]
    Host,
    /// The output was too slow, and the host had chosen not to wait ([`WhenSlow::End`](crate::WhenSlow::End)).
    Slow,
    /// Something was too large for a tape.
    TooLarge,
    /// It is a part of another tape.
    Cut,
    /// The output took no more: [`Recording::finish`](crate::Recording::finish) says why.
    Failed,
    /// The machine was reloaded, which ended tapes of version 2.
    Reloaded,
}

impl EndReason {
    const ALL: [Self; 6] = [
        Self::Host,
        Self::Slow,
        Self::TooLarge,
        Self::Cut,
        Self::Failed,
        Self::Reloaded,
    ];

    pub(crate) fn of(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Host => "the host ended the recording",
            Self::Slow => "the recording ended early: its output was too slow",
            Self::TooLarge => "the recording ended early: something was too large for a tape",
            Self::Cut => "it is a part of another tape",
            Self::Failed => "the recording ended early: its output took no more",
            Self::Reloaded => "the recording ended when the machine was reloaded",
        })
    }
}

/// How much a block or a tape has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) ticks: u64,
    pub(crate) inputs: u64,
}

/// Writes a tape, block by block.
pub(crate) struct TapeWriter<W> {
    out: W,
    /// What frames are sealed with.
    file: u64,
    frames: u32,
    frame: Vec<u8>,
    /// What there is of each crowd, with its checkpoints.
    crowds: Vec<(Counts, u64)>,
    bytes: u64,
}

impl<W: Write> TapeWriter<W> {
    /// Writes the beginning of a tape of one crowd.
    pub(crate) fn new(out: W, beginning: &Beginning) -> Result<Self, WriteError> {
        let beginning = beginning.to_bytes().ok_or(WriteError::Machine)?;
        Self::begun(out, beginning, 1)
    }

    /// The same of a world, whose blocks say of which crowd they are.
    pub(crate) fn world(out: W, crowds: &[(String, Beginning)]) -> Result<Self, WriteError> {
        let beginning = world::to_bytes(crowds).ok_or(WriteError::Machine)?;
        Self::begun(out, beginning, crowds.len())
    }

    fn begun(mut out: W, (bytes, file): (Vec<u8>, u64), crowds: usize) -> Result<Self, WriteError> {
        out.write_all(&bytes)?;
        out.flush()?;
        Ok(Self {
            out,
            file,
            frames: 0,
            frame: Vec::new(),
            crowds: vec![Default::default(); crowds],
            bytes: bytes.len() as u64,
        })
    }

    /// Writes a block of the only crowd.
    pub(crate) fn block(
        &mut self,
        kind: Kind,
        tick: u64,
        raw: &[u8],
        counts: Counts,
    ) -> Result<(), WriteError> {
        self.block_of(0, (kind, tick), raw, counts)
    }

    /// Writes a block of a crowd. It is in the file afterwards, whatever happens to the program.
    pub(crate) fn block_of(
        &mut self,
        crowd: u16,
        (kind, tick): (Kind, u64),
        raw: &[u8],
        counts: Counts,
    ) -> Result<(), WriteError> {
        if raw.len() > MOST_BLOCK {
            return Err(WriteError::Record(raw.len()));
        }
        self.frame.clear();
        self.frame.resize(FRAME_HEAD, 0);
        pack(raw, &mut self.frame);
        self.send(kind.of_crowd(crowd), tick)?;
        if let Some((all, checkpoints)) = self.crowds.get_mut(usize::from(crowd)) {
            all.ticks += counts.ticks;
            all.inputs += counts.inputs;
            *checkpoints += u64::from(kind == Kind::Checkpoint);
        }
        Ok(())
    }

    fn send(&mut self, kind: u32, tick: u64) -> Result<(), WriteError> {
        seal_frame(&mut self.frame, self.file, self.frames, kind, tick);
        self.out.write_all(&self.frame)?;
        self.out.flush()?;
        self.frames += 1;
        self.bytes += self.frame.len() as u64;
        Ok(())
    }

    /// Says what the tape has, and that it is complete. Output, ticks and inputs of each crowd, bytes.
    pub(crate) fn close(
        mut self,
        why: EndReason,
        tick: u64,
    ) -> Result<(W, Vec<Counts>, u64), WriteError> {
        let crowds = self.crowds.clone();
        for (crowd, (Counts { ticks, inputs }, checkpoints)) in (0..).zip(&crowds) {
            let mut index = vec![why as u8];
            for count in [ticks, inputs, checkpoints] {
                index.put_u64(*count);
            }
            self.block_of(crowd, (Kind::Index, tick), &index, Counts::default())?;
        }
        self.frame.clear();
        self.frame.resize(FRAME_HEAD, 0);
        self.send(CLOSING, tick)?;
        let counts = crowds.into_iter().map(|(counts, _)| counts).collect();
        Ok((self.out, counts, self.bytes))
    }
}

/// A checkpoint as blocks.
pub(crate) struct CheckpointBlocks<'c> {
    pub(crate) why: CheckpointReason,
    pub(crate) settings: RecordedSettings,
    pub(crate) snapshot: &'c [u8],
    /// Of a sealed tape.
    pub(crate) keys: Option<&'c Keys>,
}

impl CheckpointBlocks<'_> {
    /// Cuts a checkpoint into blocks, the first of which says what it is.
    pub(crate) fn cut(&self) -> Result<Vec<(Kind, Vec<u8>)>, WriteError> {
        let Self {
            why,
            settings,
            snapshot,
            keys,
        } = self;
        let length = snapshot.len() + keys.map_or(0, |keys| keys.words.len());
        if length > MOST_CHECKPOINT {
            return Err(WriteError::Checkpoint(length));
        }
        let mut first = Vec::with_capacity(snapshot.len().min(PART) + 32);
        first.put_u8(match why {
            CheckpointReason::Regular => 0,
            CheckpointReason::Restored => 1,
            CheckpointReason::Reloaded => 2,
            CheckpointReason::Chosen => 3,
        });
        settings.put(&mut first);
        let mut blocks = Vec::new();
        put_long(&mut blocks, Kind::Checkpoint, first, snapshot);
        if let Some(keys) = keys {
            let mut first = Vec::new();
            first.put_u32(keys.boards_at as u32);
            first.put_u32(keys.slots as u32);
            put_long(&mut blocks, Kind::Keys, first, &keys.words);
        }
        Ok(blocks)
    }
}

/// Bytes in as many blocks as they take, with what stands before them.
pub(super) fn put_long(
    blocks: &mut Vec<(Kind, Vec<u8>)>,
    kind: Kind,
    mut first: Vec<u8>,
    bytes: &[u8],
) {
    first.put_u32(bytes.len() as u32);
    let (head, rest) = bytes.split_at(bytes.len().min(PART));
    first.put(head);
    blocks.push((kind, first));
    blocks.extend(rest.chunks(PART).map(|part| (Kind::Part, part.to_vec())));
}

/// Bytes of one part of a checkpoint.
const PART: usize = 1 << 20;
const _: () = assert!(PART + 32 < MOST_BLOCK);
