//! The sealed beginning of a tape: who wrote it, the machine with its names.

use statewright::commands::LaneRule;
use statewright::{Machine, SymbolTable};
use statewright_bytes::{Head, HeadError, ReadError, Reader, Writer, seal};

use super::FORMAT;
use super::block::{pack, unpack};
use super::read::{Refused, refused};

/// Most bytes of it before it is compressed.
const MOST: usize = 32 << 20;
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

/// What a sealed tape says so that nobody needs the game (TAPE-2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seal {
    /// What holds of each lane, with what the host said of it.
    pub lanes: Vec<LaneRule>,
}

/// What the beginning holds.
#[derive(Clone, Debug)]
pub(crate) struct Beginning {
    /// Version of the library.
    pub(crate) library: String,
    pub(crate) origin: Origin,
    pub(crate) rom: Vec<u8>,
    /// Names, as a sidecar.
    pub(crate) names: String,
    pub(crate) hashes: [u64; 2],
    /// If all agents are sealed.
    pub(crate) seal: Option<Seal>,
}

impl Beginning {
    pub(crate) fn of(machine: &Machine, origin: Origin) -> Self {
        let rom = machine.rom();
        Self {
            library: env!("CARGO_PKG_VERSION").to_owned(),
            origin,
            rom: machine.bytes().to_vec(),
            names: machine.symbols().to_json(),
            hashes: [rom.structure_hash(), rom.parameter_hash()],
            seal: None,
        }
    }

    pub(crate) fn sealed(self, seal: Seal) -> Self {
        Self {
            seal: Some(seal),
            ..self
        }
    }

    /// As bytes; what frames are sealed with.
    pub(super) fn to_bytes(&self) -> Option<(Vec<u8>, u64)> {
        let mut raw = Vec::new();
        raw.put_text(&self.library);
        raw.put_text(&self.origin.program);
        for part in [&self.origin.data, &self.rom, self.names.as_bytes()] {
            raw.put_u64(part.len() as u64);
            raw.put(part);
        }
        raw.put_u8(self.seal.is_some().into());
        if let Some(seal) = &self.seal {
            raw.put_list(&seal.lanes, |out, lane| {
                out.put_u8(lane.critical.unwrap_or(false).into());
                out.put_u16(lane.cap.unwrap_or(0));
            });
        }
        if raw.len() > MOST {
            return None;
        }
        let mut packed = Vec::new();
        pack(&raw, &mut packed);
        let mut bytes = FORMAT.head(self.hashes).to_bytes().to_vec();
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
        let (head, rest) = FORMAT
            .read_head(bytes)
            .map_err(|error| wrong_head(bytes, error))?;
        let cut = || refused(bytes.len(), "cut off within its beginning");
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        let packed = rest.get(..length).ok_or_else(cut)?;
        let end = CONTENT + length;
        FORMAT
            .check_sum(head, bytes.get(..end).unwrap_or(bytes))
            .map_err(|error| wrong_head(bytes, error))?;
        let wrong = || refused(CONTENT, "its beginning holds something that is none");
        let raw = unpack(packed, MOST).ok_or_else(wrong)?;
        let beginning = Self::parse(&raw, head.hashes()).map_err(|_| wrong())?;
        Ok((beginning, head.checksum.get(), end))
    }

    fn parse(raw: &[u8], hashes: [u64; 2]) -> Result<Self, ReadError> {
        let mut reader = Reader::new(raw);
        let (library, program) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        let mut part = || {
            let length = reader.count(1)?;
            reader.take(length)
        };
        let (data, rom, names) = (part()?.to_vec(), part()?.to_vec(), part()?);
        let wrong = reader.wrong(statewright_bytes::ReadProblem::Text);
        let names = str::from_utf8(names).map_err(|_| wrong)?.to_owned();
        let seal = match reader.u8()? {
            0 => None,
            _ => Some(Seal {
                lanes: reader.list(|reader| {
                    Ok::<_, ReadError>(LaneRule {
                        critical: Some(reader.u8()? != 0),
                        cap: Some(reader.u16()?),
                    })
                })?,
            }),
        };
        reader.end()?;
        let origin = Origin { program, data };
        Ok(Self {
            library,
            origin,
            rom,
            names,
            hashes,
            seal,
        })
    }

    /// The machine, after all its proofs.
    pub(crate) fn machine(&self) -> Result<Machine, Refused> {
        let wrong = |what: String| refused(CONTENT, what);
        let names = SymbolTable::from_json(&self.names)
            .map_err(|error| wrong(format!("the names of its machine: {error}")))?;
        let machine = Machine::from_rom(self.rom.clone(), names)
            .map_err(|error| wrong(format!("its machine: {error}")))?;
        let rom = machine.rom();
        if [rom.structure_hash(), rom.parameter_hash()] != self.hashes {
            return Err(wrong("its machine is not the one that it names".to_owned()));
        }
        Ok(machine)
    }
}

/// Place and words for a head that is refused.
fn wrong_head(bytes: &[u8], error: HeadError) -> Refused {
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
