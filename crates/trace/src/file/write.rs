//! Writing: records are gathered and go out as whole frames.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use statewright_bytes::frames::{CLOSING, FRAME_HEAD, seal_frame};
use statewright_bytes::{Writer as Put, seal};
use zerocopy::IntoBytes;

use super::{FORMAT, MOST_LEGEND, MOST_RECORDS, NAME, RECORDS, RELOAD};
use crate::legend::Legend;
use crate::record::Record;

/// Why nothing was written.
#[derive(Debug)]
pub enum WriteError {
    /// The output failed. Whole frames that were written before can be read.
    Io(io::Error),
    /// The legend is longer than a file can hold.
    Legend(usize),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the trace cannot be written: {error}"),
            Self::Legend(bytes) => {
                write!(
                    f,
                    "the names of the machine take {bytes} bytes, a trace holds {MOST_LEGEND}: shorten them"
                )
            }
        }
    }
}

impl std::error::Error for WriteError {}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a trace. What was [flushed](Self::flush) stays readable whatever happens next.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    file: u64,
    frames: u32,
    /// Head and records of the frame that is gathered.
    frame: Vec<u8>,
    tick: u64,
    /// Structure and parameter hash of the machine that the numbers in records are of.
    hashes: [u64; 2],
    /// Numbers of command types whose names were written.
    named: BTreeSet<u32>,
    failed: bool,
}

impl Writer<File> {
    /// Makes a file, or empties the one that is there.
    pub fn create(path: impl AsRef<Path>, legend: &Legend) -> Result<Self, WriteError> {
        Self::new(File::create(path)?, legend)
    }
}

impl<W: Write> Writer<W> {
    /// Begins a trace with its legend.
    pub fn new(mut out: W, legend: &Legend) -> Result<Self, WriteError> {
        let (hashes, names) = (legend.hashes(), names_of(legend)?);
        let length = (names.len() as u32).to_le_bytes();
        let mut bytes = [&FORMAT.head(hashes).to_bytes()[..], &length, &names].concat();
        let file = seal(&mut bytes);
        out.write_all(&bytes)?;
        out.flush()?;
        let frame = vec![0; FRAME_HEAD];
        let mut writer = Self {
            out,
            file,
            frames: 0,
            frame,
            tick: 0,
            hashes,
            named: BTreeSet::new(),
            failed: false,
        };
        writer.name_known(legend)?;
        Ok(writer)
    }

    /// Structure and parameter hash of the machine whose records are written.
    pub fn hashes(&self) -> [u64; 2] {
        self.hashes
    }

    /// Says that another version of the machine runs from a tick on: the numbers in records that come are
    /// those of its legend ([LOAD-7](statewright_rom::rules#LOAD-7)). Nothing if it is the same.
    pub fn reload(&mut self, tick: u64, legend: &Legend) -> Result<(), WriteError> {
        if legend.hashes() == self.hashes {
            return Ok(());
        }
        let names = names_of(legend)?;
        self.flush()?;
        let before = std::mem::replace(&mut self.hashes, legend.hashes());
        for hash in [before, self.hashes].as_flattened() {
            self.frame.put_u64(*hash);
        }
        self.frame.put(&names);
        self.tick = tick;
        self.send(RELOAD)?;
        self.name_known(legend)
    }

    /// Names of command types that a legend has already.
    fn name_known(&mut self, legend: &Legend) -> Result<(), WriteError> {
        let known = legend.commands.iter();
        self.name_commands(known.map(|(&number, name)| (number, name.as_str())))
    }

    /// Says what command types are called, by the number of their name. Each name is written once, in
    /// a frame of its own.
    pub fn name_commands<'n>(
        &mut self,
        names: impl IntoIterator<Item = (u32, &'n str)>,
    ) -> Result<(), WriteError> {
        for (number, name) in names {
            if !self.named.contains(&number) {
                self.flush()?;
                self.frame.put_u32(number);
                self.frame.put_text(name);
                self.send(NAME)?;
                self.named.insert(number);
            }
        }
        Ok(())
    }

    /// Adds the records of a tick; full frames go out.
    pub fn add<'r>(
        &mut self,
        tick: u64,
        records: impl IntoIterator<Item = &'r Record>,
    ) -> Result<(), WriteError> {
        // Ticks of a frame do not go back; those of a crowd do when it is restored.
        if tick < self.tick {
            self.flush()?;
        }
        for record in records {
            if self.gathered() == 0 {
                self.tick = tick;
            }
            self.frame.extend_from_slice(record.as_bytes());
            if self.gathered() == MOST_RECORDS {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn gathered(&self) -> usize {
        (self.frame.len() - FRAME_HEAD) / size_of::<Record>()
    }

    /// Sends what was gathered out as one whole frame.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        if self.gathered() == 0 {
            Ok(())
        } else {
            self.send(RECORDS)
        }
    }

    /// Says that the trace is complete.
    pub fn close(mut self) -> Result<W, WriteError> {
        self.flush()?;
        self.send(CLOSING)?;
        Ok(self.out)
    }

    /// Gives the output back as it is; what was not flushed is gone.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Sends a frame out with what was put behind its head.
    fn send(&mut self, kind: u32) -> Result<(), WriteError> {
        if self.failed {
            // A frame behind a broken one could not be found again.
            return Err(WriteError::Io(io::Error::other(
                "an earlier write failed; begin a new file",
            )));
        }
        seal_frame(&mut self.frame, self.file, self.frames, kind, self.tick);
        let written = self
            .out
            .write_all(&self.frame)
            .and_then(|()| self.out.flush());
        self.failed = written.is_err();
        self.frame.truncate(FRAME_HEAD);
        self.frames += 1;
        Ok(written?)
    }
}

/// The names of a legend, as they stand in a file.
fn names_of(legend: &Legend) -> Result<Vec<u8>, WriteError> {
    let names = legend.to_bytes();
    match names.len() <= MOST_LEGEND {
        true => Ok(names),
        false => Err(WriteError::Legend(names.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Ending, Reading};

    fn legend(hash: u64) -> Legend {
        let mut legend = Legend::default();
        legend.symbols.structure_hash = hash;
        legend
    }

    #[test]
    fn load_7_a_reload_of_another_machine_than_the_one_that_ran_is_damage() {
        for (before, reloads) in [(1, 1), (2, 0)] {
            let mut writer = Writer::new(Vec::new(), &legend(1)).unwrap();
            writer.hashes = [before, 0];
            writer.reload(5, &legend(3)).unwrap();
            let bytes = writer.close().unwrap();
            let reading = Reading::new(&bytes).unwrap();
            assert_eq!(reading.reloads.len(), reloads);
            match &reading.ending {
                Ending::Damaged { reason, .. } => {
                    assert!(
                        reloads == 0 && reason.contains("another machine"),
                        "{reason}"
                    );
                }
                ending => assert_eq!((reloads, ending), (1, &Ending::Closed)),
            }
        }
    }
}
