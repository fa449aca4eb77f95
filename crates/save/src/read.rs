//! Taking a file apart: everything is checked before it is believed.

use std::fmt;

use statewright::form::Forms;
use statewright::{
    Board, Context, Crowd, LoadError, Machine, Reload, ReloadReport, Saved, SavedCrowd, SavedWorld,
    SymbolTable, World, WorldSnapshotError,
};
use statewright_bytes::frames::{End, Frames, RawFrame};
use statewright_bytes::{Head, ReadError, Reader};

use crate::chunk::{FORMAT, Kind, MOST_CHUNK, OF_CROWD};
use crate::refused::{Refused, of_end, of_head, refused};

/// Where the beginning is: behind the head and its length.
const BEGINNING: usize = size_of::<Head>() + size_of::<u32>();

/// Why a save was not loaded; everything is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadFailed {
    /// There is no crowd of this name in the save.
    NoCrowd(String),
    /// It is the save of single crowds, not of a world.
    NoWorld,
    /// What it holds of the crowd is refused.
    Crowd {
        /// Name of the crowd.
        crowd: String,
        /// Why.
        error: LoadError,
    },
    /// What it holds of the world is refused.
    World(WorldSnapshotError),
}

impl fmt::Display for LoadFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCrowd(name) => write!(f, "there is no crowd `{name}` in the save"),
            Self::NoWorld => f.write_str("the save is one of single crowds, not of a world"),
            Self::Crowd { crowd, error } => write!(f, "crowd `{crowd}`: {error}"),
            Self::World(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadFailed {}

/// A save that was read: every checksum is right, and every machine is one.
#[derive(Clone, Debug)]
pub struct Save<'b> {
    library: &'b str,
    program: &'b str,
    shared: Option<&'b [u8]>,
    crowds: Vec<SavedEntry<'b>>,
}

/// A crowd of a save.
#[derive(Clone, Debug)]
pub struct SavedEntry<'b> {
    /// Its name.
    pub name: &'b str,
    /// What it holds.
    pub crowd: SavedCrowd<'b>,
}

/// Content of a chunk, and where it begins.
#[derive(Clone, Copy)]
struct Chunk<'b> {
    kind: Kind,
    offset: usize,
    content: &'b [u8],
}

impl<'b> Save<'b> {
    /// Reads a file. Damage of any kind is refused.
    pub fn read(bytes: &'b [u8]) -> Result<Self, Refused> {
        if bytes.is_empty() {
            return Err(refused(0, "the file is empty"));
        }
        let (beginning, file, end) = read_beginning(bytes)?;
        let mut reader = Reader::new(beginning);
        let both = reader
            .text()
            .and_then(|library| Ok((library, reader.text()?)));
        let both = both.and_then(|both| reader.end().map(|()| both));
        let (library, program) = both.map_err(|error| inside(BEGINNING, error))?;
        let mut save = Self {
            library,
            program,
            shared: None,
            crowds: Vec::new(),
        };
        let mut frames = Frames::new(bytes, end, file, MOST_CHUNK);
        let mut chunks = Vec::new();
        loop {
            match frames.next_frame() {
                Ok(frame) => chunks.push(chunk(&frame)?),
                Err(End::Closed) => break,
                Err(end) => return Err(of_end(bytes, end)),
            }
        }
        save.take(&chunks)?;
        Ok(save)
    }

    fn take(&mut self, chunks: &[Chunk<'b>]) -> Result<(), Refused> {
        let mut rest = chunks;
        if let [world, others @ ..] = rest
            && world.kind == Kind::World
        {
            self.shared = Some(world.content);
            rest = others;
        }
        while let Some(first) = rest.first() {
            let own = rest.split_off(..OF_CROWD.len());
            let own = own.filter(|own| own.iter().map(|chunk| chunk.kind).eq(OF_CROWD));
            let Some([name, machine, agents, form, boards]) = own else {
                let reason = format!("{} is not where it should be", first.kind.words());
                return Err(refused(first.offset, reason));
            };
            let entry = SavedEntry {
                name: read_name(name)?,
                crowd: SavedCrowd {
                    machine: read_machine(machine)?,
                    agents: agents.content.into(),
                    forms: Forms::from_bytes(form.content)
                        .map_err(|error| inside(form.offset, error))?,
                    boards: boards.content.into(),
                },
            };
            if self.crowd(entry.name).is_some() {
                return Err(refused(name.offset, "two crowds have one name"));
            }
            self.crowds.push(entry);
        }
        Ok(())
    }

    /// Version of the library that wrote it.
    pub fn library(&self) -> &'b str {
        self.library
    }

    /// The program that wrote it, as it called itself.
    pub fn program(&self) -> &'b str {
        self.program
    }

    /// Is it the save of a world?
    pub fn is_world(&self) -> bool {
        self.shared.is_some()
    }

    /// All crowds.
    pub fn crowds(&self) -> impl Iterator<Item = &SavedEntry<'b>> {
        self.crowds.iter()
    }

    /// The crowd of a name.
    pub fn crowd(&self, name: &str) -> Option<&SavedCrowd<'b>> {
        let mut crowds = self.crowds.iter();
        let found = crowds.find(|entry| entry.name == name);
        found.map(|entry| &entry.crowd)
    }

    /// The world, if it is the save of one.
    pub fn world(&self) -> Option<SavedWorld<'b>> {
        let crowds = self.crowds.iter();
        Some(SavedWorld {
            shared: self.shared?.into(),
            crowds: crowds
                .map(|entry| (entry.name.to_owned(), entry.crowd.clone()))
                .collect(),
        })
    }

    /// A crowd becomes what the save holds under a name; its agents go on in the machine that the crowd
    /// has (LOAD-1 to LOAD-7). What became of them. If anything is refused, nothing changes.
    pub fn load<B: Board + Saved, C: Context + ?Sized>(
        &self,
        name: &str,
        crowd: &mut Crowd<B, C>,
    ) -> Result<ReloadReport, LoadFailed> {
        let saved = self.crowd(name);
        let saved = saved.ok_or_else(|| LoadFailed::NoCrowd(name.to_owned()))?;
        let plan = Reload::plan(&saved.machine, crowd.machine());
        let loaded = crowd.load_saved(saved, &plan);
        loaded.map_err(|error| LoadFailed::Crowd {
            crowd: name.to_owned(),
            error,
        })
    }

    /// The same of a whole world, which must have the crowds of the save by name.
    pub fn load_world<C: Context + ?Sized>(
        &self,
        world: &mut World<C>,
    ) -> Result<Vec<(String, ReloadReport)>, LoadFailed> {
        let saved = self.world().ok_or(LoadFailed::NoWorld)?;
        world.load_saved(&saved).map_err(LoadFailed::World)
    }
}

/// The sealed beginning: its content, what chunks are sealed with, and where they begin.
fn read_beginning(bytes: &[u8]) -> Result<(&[u8], u64, usize), Refused> {
    let (head, rest) = FORMAT
        .read_head(bytes)
        .map_err(|error| of_head(bytes, error))?;
    let cut = || refused(bytes.len(), "cut off within its beginning");
    let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    let length = u32::from_le_bytes(*length) as usize;
    let content = rest.get(..length).ok_or_else(cut)?;
    let end = BEGINNING + length;
    FORMAT
        .check_sum(head, bytes.get(..end).unwrap_or(bytes))
        .map_err(|error| of_head(bytes, error))?;
    Ok((content, head.checksum.get(), end))
}

fn inside(offset: usize, error: ReadError) -> Refused {
    refused(
        offset.saturating_add(error.offset),
        error.problem.to_string(),
    )
}

/// What a frame holds; of a kind and version that this program knows.
fn chunk<'b>(frame: &RawFrame<'b>) -> Result<Chunk<'b>, Refused> {
    let (number, version) = (frame.kind & 0xFFFF, frame.kind >> 16);
    let mut all = [Kind::World].into_iter().chain(OF_CROWD);
    let Some(kind) = all.find(|&kind| kind as u32 == number) else {
        let reason = format!("a part of kind {number}, which this program does not know");
        return Err(refused(frame.offset, reason));
    };
    let known = kind.version();
    if version != u32::from(known) {
        let reason = format!(
            "{} of version {version}, this program reads version {known}",
            kind.words()
        );
        return Err(refused(frame.offset, reason));
    }
    match frame.content.split_first() {
        Some((0, content)) => Ok(Chunk {
            kind,
            offset: frame.offset + 1,
            content,
        }),
        _ => Err(refused(frame.offset, "a part that does not begin like one")),
    }
}

fn read_name<'b>(chunk: &Chunk<'b>) -> Result<&'b str, Refused> {
    let mut reader = Reader::new(chunk.content);
    let name = reader.text().and_then(|name| reader.end().map(|()| name));
    name.map_err(|error| inside(chunk.offset, error))
}

fn read_machine(chunk: &Chunk<'_>) -> Result<Machine, Refused> {
    let mut reader = Reader::new(chunk.content);
    let mut part = || {
        let length = reader.count(1)?;
        reader.take(length)
    };
    let both = part().and_then(|rom| Ok((rom, part()?)));
    let both = both.and_then(|both| reader.end().map(|()| both));
    let (rom, names) = both.map_err(|error| inside(chunk.offset, error))?;
    let wrong = |what: String| refused(chunk.offset, what);
    let names = str::from_utf8(names)
        .map_err(|_| wrong("the names of its machine are no UTF-8".to_owned()))?;
    let names = SymbolTable::from_json(names)
        .map_err(|error| wrong(format!("the names of its machine: {error}")))?;
    Machine::from_rom(rom.to_vec(), names).map_err(|error| wrong(format!("its machine: {error}")))
}
