//! The trace of a run: the file that grows with every tick, and the line that shows how far the run
//! is.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use statewright::ReloadReport;
use statewright::trace::{Legend, Record, WriteError, Writer};
use statewright_simulate::report::number;
use statewright_simulate::{Monitor, Progress, SimulationError, Version};

use super::versions::Versions;
use crate::console::Console;
use crate::error::CliError;
use crate::progress::Ticks;

/// Shows how far a run is, writes its trace if one is wanted, and brings other versions of the machine.
pub(super) struct Watcher<'a> {
    pub(super) agents: u32,
    pub(super) bar: Ticks,
    pub(super) trace: Option<Trace>,
    pub(super) console: &'a Console,
    pub(super) versions: Option<Versions<'a>>,
}

/// A trace before and after its first bytes.
pub(super) enum Trace {
    Wanted(Recorder),
    Begun(Recording),
}

impl Monitor for Watcher<'_> {
    type Error = CliError;

    fn begin(&mut self, legend: &Legend) -> Result<(), CliError> {
        self.trace = match self.trace.take() {
            Some(Trace::Wanted(recorder)) => Some(Trace::Begun(recorder.begin(legend)?)),
            other => other,
        };
        Ok(())
    }

    fn ticked(
        &mut self,
        progress: Progress,
        records: &mut dyn Iterator<Item = &Record>,
    ) -> Result<(), CliError> {
        if let Some(Trace::Begun(recording)) = &mut self.trace {
            recording.add(progress.tick, records)?;
        }
        self.show(progress);
        Ok(())
    }

    fn loaded(&mut self, report: &ReloadReport) {
        self.console.note(format_args!("loaded: {report}"));
    }

    fn has_versions(&self) -> bool {
        self.versions.is_some()
    }

    fn next_version(&mut self) -> Option<Version> {
        self.versions.as_mut()?.next()
    }

    fn reloaded(&mut self, outcome: Result<&ReloadReport, &SimulationError>) {
        if let Some(versions) = &self.versions {
            versions.tell(outcome);
        }
    }

    fn renamed(&mut self, tick: u64, legend: &Legend) -> Result<(), CliError> {
        match &mut self.trace {
            Some(Trace::Begun(recording)) => recording.reload(tick, legend),
            Some(Trace::Wanted(_)) | None => Ok(()),
        }
    }
}

impl Watcher<'_> {
    fn show(&self, progress: Progress) {
        let rate = progress.ticks as f64 / progress.ticking.as_secs_f64().max(1e-9);
        self.bar.show(progress.ticks, || {
            format!(
                "{} ticks/s, {} agents/s",
                number(rate as u64),
                number((rate * f64::from(self.agents)) as u64)
            )
        });
    }

    /// Ends the trace, if one was written; how many records it has.
    pub(super) fn close(self) -> Result<Option<u64>, CliError> {
        match self.trace {
            Some(Trace::Begun(recording)) => recording.close().map(Some),
            Some(Trace::Wanted(_)) | None => Ok(None),
        }
    }
}

/// A file for a trace, open and still empty.
pub(super) struct Recorder {
    pub(super) path: PathBuf,
    pub(super) file: File,
}

impl Recorder {
    /// Writes the names behind the numbers. A file that cannot take them goes away again.
    fn begin(self, legend: &Legend) -> Result<Recording, CliError> {
        let Self { path, file } = self;
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
                Err(cannot_write(&path, error))
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
    fn add<'r>(
        &mut self,
        tick: u64,
        records: impl Iterator<Item = &'r Record>,
    ) -> Result<(), CliError> {
        let count = &mut self.records;
        let written = self
            .writer
            .add(tick, records.inspect(|_| *count += 1))
            .and_then(|()| self.writer.flush());
        written.map_err(|error| cannot_go_on(&self.path, error))
    }

    /// Another version of the machine runs from a tick on.
    fn reload(&mut self, tick: u64, legend: &Legend) -> Result<(), CliError> {
        let written = self.writer.reload(tick, legend);
        written.map_err(|error| cannot_go_on(&self.path, error))
    }

    /// Says that the trace is complete; how many records it has.
    fn close(self) -> Result<u64, CliError> {
        let (path, records) = (self.path, self.records);
        let closed = self
            .writer
            .close()
            .and_then(|file| file.sync_all().or_else(is_no_file).map_err(WriteError::Io));
        closed
            .map(|()| records)
            .map_err(|error| cannot_go_on(&path, error))
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

/// Nothing of the trace is there.
fn cannot_write(path: &Path, error: WriteError) -> CliError {
    match error {
        WriteError::Io(error) => CliError::write(&path.display().to_string(), error),
        WriteError::Legend(_) => CliError::new(error.to_string()),
    }
}

/// The trace ends in the middle of the run.
fn cannot_go_on(path: &Path, error: WriteError) -> CliError {
    let is_legend = matches!(error, WriteError::Legend(_));
    let told = cannot_write(path, error);
    if is_legend {
        return told;
    }
    told.help("the run was ended; what the trace has so far can be read")
}
