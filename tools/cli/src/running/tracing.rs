//! The trace of a run: which agents, how much of them, and the file that grows with every tick.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use statewright::trace::{Legend, Level, Record, Settings, WriteError, Writer};

/// Which agents are recorded, and how much of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) level: Level,
    /// Places, in order.
    pub(crate) agents: Vec<u32>,
}

/// What a crowd has to record: everybody in outline, only counted, for the report; those that are
/// chosen as closely as was asked for.
pub(super) fn settings(chosen: Option<&Chosen>) -> Settings {
    let settings = Settings::new(Level::Outline).totals();
    match chosen {
        Some(chosen) => settings.closer(chosen.level, chosen.agents.iter().copied()),
        None => settings,
    }
}

/// Why a run cannot go on.
pub(crate) enum Failed {
    /// The trace cannot be begun: there is none.
    NoTrace(PathBuf, WriteError),
    /// The trace cannot be written on: what it has so far can be read.
    Trace(PathBuf, WriteError),
    /// Anything else.
    Other(String),
}

impl From<String> for Failed {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}

/// A file for a trace, open and still empty.
pub(crate) struct Recorder {
    pub(crate) chosen: Chosen,
    pub(crate) path: PathBuf,
    pub(crate) file: File,
}

impl Recorder {
    /// Writes the names behind the numbers. A file that cannot take them goes away again.
    pub(super) fn begin(self, legend: &Legend) -> Result<Recording, Failed> {
        let Self { path, file, .. } = self;
        let is_plain = file.metadata().is_ok_and(|found| found.is_file());
        match Writer::new(file, legend) {
            Ok(writer) => Ok(Recording {
                writer,
                path,
                records: 0,
            }),
            Err(error) => {
                if is_plain {
                    // Nothing more can be done about a file that cannot be removed.
                    _ = std::fs::remove_file(&path);
                }
                Err(Failed::NoTrace(path, error))
            }
        }
    }
}

/// A trace that is being written.
pub(super) struct Recording {
    writer: Writer<File>,
    path: PathBuf,
    records: u64,
}

impl Recording {
    /// Adds a tick. It is in the file afterwards, whatever happens to the program.
    pub(super) fn add<'r>(
        &mut self,
        tick: u64,
        records: impl Iterator<Item = &'r Record>,
    ) -> Result<(), Failed> {
        let count = &mut self.records;
        let written = self
            .writer
            .add(tick, records.inspect(|_| *count += 1))
            .and_then(|()| self.writer.flush());
        written.map_err(|error| Failed::Trace(self.path.clone(), error))
    }

    /// Says that the trace is complete; how many records it has.
    pub(super) fn close(self) -> Result<u64, Failed> {
        let (path, records) = (self.path, self.records);
        let closed = self
            .writer
            .close()
            .and_then(|file| file.sync_all().or_else(is_no_file).map_err(WriteError::Io));
        closed
            .map(|()| records)
            .map_err(|error| Failed::Trace(path, error))
    }
}

/// Pipes and devices have nothing to be synced.
fn is_no_file(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::InvalidInput {
        Ok(())
    } else {
        Err(error)
    }
}
