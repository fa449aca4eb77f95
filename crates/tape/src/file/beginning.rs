//! The sealed beginning of a tape: who wrote it, the machine with its names.

use statewright::Machine;
use statewright_bytes::{Format, Head, HeadError, ReadError, Reader, Writer, seal};

use super::FORMAT;
use super::block::{pack, unpack};
use super::read::{Refused, refused};
use super::version::{MOST, Version};
use crate::outputs::Lanes;
use crate::recording::Proof;

/// The earliest version that is read: tapes in which no machine was reloaded.
const EARLIEST: u16 = 2;
/// Where its content begins: behind the head and its length.
const CONTENT: usize = size_of::<Head>() + size_of::<u32>();

/// Who recorded, as the host says it. A host that can run its tapes again by itself says here how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Name of the program.
    pub program: String,
    /// What it needs to run the tape again.
    pub data: Vec<u8>,
}

/// What the beginning holds.
#[derive(Clone, Debug)]
pub(crate) struct Beginning {
    /// Version of the library.
    pub(crate) library: String,
    pub(crate) origin: Origin,
    /// The machine that the tape begins with.
    pub(crate) version: Version,
    /// What the tape says of the outcome of ticks; tapes of version 2 do not tell.
    pub(crate) proof: Option<Proof>,
    /// It is of some agents alone.
    pub(crate) is_part: bool,
    /// Lanes whose commands are kept.
    pub(crate) outputs: Lanes,
}

impl Beginning {
    pub(crate) fn new(version: Version, proof: Proof, origin: Origin) -> Self {
        Self {
            library: env!("CARGO_PKG_VERSION").to_owned(),
            origin,
            version,
            proof: Some(proof),
            is_part: false,
            outputs: Lanes::default(),
        }
    }

    /// As bytes; what frames are sealed with.
    pub(super) fn to_bytes(&self) -> Option<(Vec<u8>, u64)> {
        let mut raw = Vec::new();
        raw.put_text(&self.library);
        raw.put_text(&self.origin.program);
        raw.put_u64(self.origin.data.len() as u64);
        raw.put(&self.origin.data);
        self.version.put(&mut raw);
        raw.put_u8(self.proof.map_or(u8::MAX, Proof::number));
        raw.put_u8(self.is_part.into());
        raw.put_u32(self.outputs.bits());
        if raw.len() > MOST {
            return None;
        }
        let mut packed = Vec::new();
        pack(&raw, &mut packed);
        let mut bytes = FORMAT.head(self.version.hashes).to_bytes().to_vec();
        bytes.put_u32(packed.len() as u32);
        bytes.put(&packed);
        let file = seal(&mut bytes);
        Some((bytes, file))
    }

    /// From the head of a file; what frames are sealed with, and where they begin.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, u64, usize), Refused> {
        if bytes.is_empty() {
            return Err(refused(0, "the file is empty"));
        }
        let (format, (head, rest)) = read_head(bytes)?;
        let cut = || refused(bytes.len(), "cut off within its beginning");
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let packed = rest.get(..length).ok_or_else(cut)?;
        let end = CONTENT + length;
        format
            .check_sum(head, bytes.get(..end).unwrap_or(bytes))
            .map_err(|error| wrong_head(bytes, error))?;
        let wrong = || refused(CONTENT, "its beginning holds something that is none");
        let raw = unpack(packed, MOST).ok_or_else(wrong)?;
        let beginning = Self::parse(&raw, head).map_err(|_| wrong())?;
        Ok((beginning, head.checksum.get(), end))
    }

    fn parse(raw: &[u8], head: &Head) -> Result<Self, ReadError> {
        let mut reader = Reader::new(raw);
        let (library, program) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        let length = reader.count(1)?;
        let data = reader.take(length)?.to_vec();
        let version = Version::read(&mut reader, head.hashes())?;
        let version_of_tape = head.version.get();
        let proof = match version_of_tape {
            2 => None,
            _ => Proof::of(reader.u8()?),
        };
        let (is_part, outputs) = match version_of_tape {
            2 | 3 => (false, 0),
            _ => (reader.u8()? != 0, reader.u32()?),
        };
        reader.end()?;
        Ok(Self {
            library,
            origin: Origin { program, data },
            version,
            proof,
            is_part,
            outputs: Lanes::from_bits(outputs),
        })
    }

    /// The machine that the tape begins with, after all its proofs.
    pub(crate) fn machine(&self) -> Result<Machine, Refused> {
        self.version.machine(CONTENT)
    }
}

/// The head of a version that is read.
fn read_head(bytes: &[u8]) -> Result<(Format, (&Head, &[u8])), Refused> {
    let read = |format: Format| format.read_head(bytes).map(|head| (format, head));
    let read = match read(FORMAT) {
        Err(HeadError::Version { found, .. }) if (EARLIEST..FORMAT.version).contains(&found) => {
            read(Format {
                version: found,
                ..FORMAT
            })
        }
        other => other,
    };
    read.map_err(|error| wrong_head(bytes, error))
}

/// Place and words for a head that is refused.
pub(super) fn wrong_head(bytes: &[u8], error: HeadError) -> Refused {
    match error {
        HeadError::Magic(_) => refused(0, "this is not a tape: it does not begin like one"),
        HeadError::Truncated { .. } => refused(bytes.len(), "cut off within its head"),
        HeadError::Version { found, expected } => refused(
            4,
            format!("it is of version {found}, this program reads version {expected}"),
        ),
        HeadError::ByteOrder { .. } => refused(
            6,
            "it comes from a computer with another byte order: only such a one can run it again",
        ),
        HeadError::Checksum { .. } => {
            refused(24, "its beginning is damaged: it has another checksum")
        }
    }
}
