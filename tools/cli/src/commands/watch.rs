//! `statewright check --watch`: checks again whenever a file is saved, until Ctrl-C; and how `run --watch`
//! notices that ([`Watched`]). The files of parts count as well, wherever they are (LANG-5).
//!
//! Files are asked for their time and size a few times per second: a person saves a handful of files,
//! and this works on every file system, also where a container or another computer has the disk.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use statewright_author::parts::PartFiles;
use statewright_files::{Disk, Wanted};

use super::check;
use super::summary::count;
use crate::args::Check;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::collect;

/// How long a save may stay unnoticed.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// Checks now and after every save; ends with what the last check found.
pub(crate) fn run(args: &Check, console: &Console) -> Result<Outcome, CliError> {
    if args.paths.iter().any(|path| path.as_os_str() == "-") {
        let error = CliError::new("standard input cannot be watched");
        return Err(error.help("name files or folders, or leave `--watch` out"));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    ctrlc::set_handler(move || heard.store(true, Ordering::Relaxed))
        .map_err(|error| CliError::new(format!("Ctrl-C cannot be heard: {error}")))?;
    let mut outcome = Outcome::Fine;
    while !stop.load(Ordering::Relaxed) {
        // Looked at before the check: what is saved while it runs is checked again.
        let watched = Watched::new(&args.paths);
        console.clear();
        outcome = check::once(args, console, watched.parts());
        console.note(format_args!(
            "watching {}; Ctrl-C ends",
            count(watched.count(), "file")
        ));
        while !stop.load(Ordering::Relaxed) && !watched.have_changed(&args.paths) {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(outcome)
}

/// Files as they were when somebody looked, and those of parts that were read since.
pub(super) struct Watched {
    files: Snapshot,
    parts: PartsSeen,
}

impl Watched {
    /// Looks at them: before they are read, so that what is saved meanwhile is noticed.
    pub(super) fn new(paths: &[PathBuf]) -> Self {
        Self {
            files: Snapshot::new(paths),
            parts: PartsSeen::default(),
        }
    }

    /// Who reads parts, and keeps in mind which.
    pub(super) fn parts(&self) -> &dyn PartFiles {
        &self.parts
    }

    /// How many files there are.
    pub(super) fn count(&self) -> usize {
        self.files.with(&self.parts)
    }

    /// Was any of them saved since?
    pub(super) fn have_changed(&self, paths: &[PathBuf]) -> bool {
        Snapshot::new(paths) != self.files || !self.parts.are_as_seen()
    }
}

/// Which files there are, and when each was saved.
#[derive(PartialEq)]
struct Snapshot {
    files: BTreeMap<PathBuf, Stamp>,
}

/// When a file was saved, and its size; `None` if there is none.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(path: &Path) -> Stamp {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

impl Snapshot {
    fn new(paths: &[PathBuf]) -> Self {
        let (inputs, _) = collect(paths, Wanted::Everything);
        Self {
            files: inputs
                .into_iter()
                .filter_map(|input| input.path)
                .map(|path| (path.clone(), stamp(&path)))
                .collect(),
        }
    }

    /// How many files there are with those of parts.
    fn with(&self, parts: &PartsSeen) -> usize {
        let parts = parts.files.borrow();
        let others = parts.keys().filter(|part| !self.files.contains_key(*part));
        self.files.len() + others.count()
    }
}

/// Reads the files of parts and keeps in mind which, also those that there are not yet.
#[derive(Default)]
struct PartsSeen {
    files: RefCell<BTreeMap<PathBuf, Stamp>>,
}

impl PartsSeen {
    fn are_as_seen(&self) -> bool {
        let files = self.files.borrow();
        files.iter().all(|(path, seen)| stamp(path) == *seen)
    }
}

impl PartFiles for PartsSeen {
    fn read(&self, name: &str) -> Result<String, String> {
        let path = PathBuf::from(name);
        // Looked at before it is read: what is saved meanwhile is read again.
        let seen = stamp(&path);
        self.files.borrow_mut().entry(path).or_insert(seen);
        Disk.read(name)
    }
}
