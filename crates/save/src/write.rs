//! Putting a file together.

use std::fmt;

use statewright::{SavedCrowd, SavedWorld};
use statewright_bytes::frames::{CLOSING, FRAME_HEAD, seal_frame};
use statewright_bytes::{Writer as _, seal};

use crate::chunk::{FORMAT, Kind, MOST_CHUNK};

/// A part of the save has more bytes than a file can say: 1 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What it is.
    pub part: &'static str,
    /// How many it has.
    pub bytes: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, bytes } = self;
        write!(
            f,
            "{part} would be {bytes} bytes of the save, more than the {MOST_CHUNK} that it can have: save several crowds"
        )
    }
}

impl std::error::Error for TooLarge {}

/// The bytes of a save.
///
/// ```
/// use statewright::prelude::*;
/// use statewright_save::{Save, Writer};
///
/// let machine = Machine::from_text("ant", r#"{ "machine": "Ant", "states": { "walk": {} } }"#)?;
/// let mut ants = Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1);
/// ants.spawn(());
///
/// let bytes = Writer::new("Ants 1.0").crowd("ants", &ants.to_saved())?.finish();
/// let save = Save::read(&bytes)?;
/// assert_eq!((save.program(), save.crowds().count()), ("Ants 1.0", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    bytes: Vec<u8>,
    /// What chunks are sealed with.
    file: u64,
    chunks: u32,
}

impl Writer {
    /// Begins a save of a program, whose name and version are for people.
    pub fn new(program: &str) -> Self {
        // A save is about several machines: each crowd has its own.
        let mut bytes = FORMAT.head([0; 2]).to_bytes().to_vec();
        let mut beginning = Vec::new();
        beginning.put_text(env!("CARGO_PKG_VERSION"));
        beginning.put_text(program);
        bytes.put_u32(beginning.len() as u32);
        bytes.put(&beginning);
        let file = seal(&mut bytes);
        let chunks = 0;
        Self {
            bytes,
            file,
            chunks,
        }
    }

    /// Adds a crowd under a name.
    pub fn crowd(mut self, name: &str, crowd: &SavedCrowd<'_>) -> Result<Self, TooLarge> {
        let mut title = Vec::new();
        title.put_text(name);
        self.chunk(Kind::Crowd, &title)?;
        let mut machine = Vec::new();
        let names = crowd.machine.symbols().to_json();
        for part in [crowd.machine.bytes(), names.as_bytes()] {
            machine.put_u64(part.len() as u64);
            machine.put(part);
        }
        self.chunk(Kind::Machine, &machine)?;
        self.chunk(Kind::Agents, &crowd.agents)?;
        self.chunk(Kind::Form, &crowd.forms.to_bytes())?;
        self.chunk(Kind::Boards, &crowd.boards)?;
        Ok(self)
    }

    /// Adds a world: what its crowds share, and all crowds.
    pub fn world(mut self, world: &SavedWorld<'_>) -> Result<Self, TooLarge> {
        self.chunk(Kind::World, &world.shared)?;
        let mut crowds = world.crowds.iter();
        crowds.try_fold(self, |writer, (name, crowd)| writer.crowd(name, crowd))
    }

    /// The whole file.
    pub fn finish(mut self) -> Vec<u8> {
        self.put(CLOSING, &[]);
        self.bytes
    }

    fn chunk(&mut self, kind: Kind, content: &[u8]) -> Result<(), TooLarge> {
        if content.len() >= MOST_CHUNK {
            return Err(TooLarge {
                part: kind.words(),
                bytes: content.len(),
            });
        }
        self.put(kind.number(), content);
        Ok(())
    }

    fn put(&mut self, kind: u32, content: &[u8]) {
        let begun = self.bytes.len();
        self.bytes.extend_from_slice(&[0; FRAME_HEAD]);
        // A frame without content closes a file: a byte before says that there may be some.
        if kind != CLOSING {
            self.bytes.put_u8(0);
        }
        self.bytes.put(content);
        seal_frame(&mut self.bytes[begun..], self.file, self.chunks, kind, 0);
        self.chunks += 1;
    }
}
