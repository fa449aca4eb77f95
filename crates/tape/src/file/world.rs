//! The tape of a world: the tapes of its crowds in one file, with one clock.
//!
//! ```text
//! head | name and beginning of each crowd | block of one | block of another | ... | their indices | closing
//! ```
//!
//! Blocks lie in the order in which they were written, and the kind of each says of which crowd it is, so that what is
//! cut off anywhere is readable for all of them. Messages from one crowd to another are inputs of the
//! receiver: each can be run again without the others.

use statewright_bytes::{Reader, Writer, seal};

use super::beginning::wrong_head;
use super::read::{Ending, Refused, Tape, refused};
use super::{Beginning, WORLD_FORMAT};

/// Most bytes of names and beginnings.
const MOST: usize = 256 << 20;
/// Most crowds.
const MOST_CROWDS: usize = 1 << 12;

/// The beginning of a file; what frames are sealed with. Nothing if it is too large.
pub(super) fn to_bytes(crowds: &[(String, Beginning)]) -> Option<(Vec<u8>, u64)> {
    let mut content = Vec::new();
    content.put_u16(u16::try_from(crowds.len()).ok()?);
    for (name, beginning) in crowds {
        let (bytes, _) = beginning.to_bytes()?;
        content.put_text(name);
        content.put_u64(bytes.len() as u64);
        content.put(&bytes);
    }
    if content.len() > MOST || crowds.len() > MOST_CROWDS {
        return None;
    }
    let mut bytes = WORLD_FORMAT.head([0; 2]).to_bytes().to_vec();
    bytes.put_u32(content.len() as u32);
    bytes.put(&content);
    let file = seal(&mut bytes);
    Some((bytes, file))
}

/// A tape of a world: a tape of each of its crowds.
///
/// An example stands at [`WorldRecording`](crate::WorldRecording).
#[derive(Clone, Debug)]
pub struct WorldTape<'b> {
    crowds: Vec<(String, Tape<'b>)>,
}

impl<'b> WorldTape<'b> {
    /// Do bytes begin like one, of any version?
    pub fn begins(bytes: &[u8]) -> bool {
        WORLD_FORMAT.begins(bytes)
    }

    /// Reads the bytes of a file, as [`Tape::read`] does.
    pub fn read(bytes: &'b [u8]) -> Result<Self, Refused> {
        let head = WORLD_FORMAT.read_head(bytes);
        let (head, rest) = head.map_err(|error| wrong_head(bytes, error))?;
        let cut = || refused(bytes.len(), "cut off within its beginning");
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let content = rest.get(..length).ok_or_else(cut)?;
        let start = bytes.len() - rest.len();
        let end = start + length;
        WORLD_FORMAT
            .check_sum(head, bytes.get(..end).unwrap_or(bytes))
            .map_err(|error| wrong_head(bytes, error))?;
        let (names, beginnings) = read_crowds(content, start)?;
        let tapes = Tape::read_all(bytes, (head.checksum.get(), end), beginnings);
        Ok(Self {
            crowds: names.into_iter().zip(tapes).collect(),
        })
    }

    /// The crowds in the order in which they ran, each with its tape.
    pub fn crowds(&self) -> impl Iterator<Item = (&str, &Tape<'b>)> {
        self.crowds.iter().map(|(name, tape)| (name.as_str(), tape))
    }

    /// The same, each on its own.
    pub fn into_crowds(self) -> Vec<(String, Tape<'b>)> {
        self.crowds
    }

    /// The tape of a crowd.
    pub fn crowd(&self, name: &str) -> Option<&Tape<'b>> {
        let found = self.crowds().find(|(crowd, _)| *crowd == name);
        found.map(|(_, tape)| tape)
    }

    /// How it ends; [`Ending::Open`] if it has no crowds.
    pub fn ending(&self) -> Ending {
        let first = self.crowds.first();
        first.map_or(Ending::Open, |(_, tape)| tape.ending().clone())
    }
}

/// Names and beginnings; `at` is where they stand in the file.
fn read_crowds(content: &[u8], at: usize) -> Result<(Vec<String>, Vec<Beginning>), Refused> {
    let wrong = || refused(at, "its beginning holds something that is none");
    let mut reader = Reader::new(content);
    let count = reader.u16().map_err(|_| wrong())?;
    if usize::from(count) > MOST_CROWDS {
        return Err(wrong());
    }
    let (mut names, mut beginnings) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let name = reader.text().map_err(|_| wrong())?;
        let length = reader.count(1).map_err(|_| wrong())?;
        let bytes = reader.take(length).map_err(|_| wrong())?;
        let (beginning, _, end) = Beginning::read(bytes)?;
        if end != bytes.len() {
            return Err(wrong());
        }
        names.push(name.to_owned());
        beginnings.push(beginning);
    }
    reader.end().map_err(|_| wrong())?;
    Ok((names, beginnings))
}
