//! `statewright check --watch`: checks again whenever a file is saved, until Ctrl-C.
//!
//! Files are asked for their time and size a few times per second: a person saves a handful of files,
//! and this works on every file system, also where a container or another computer has the disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use statewright_files::Wanted;

use super::check;
use super::summary::count;
use crate::args::Check;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::collect;

/// How long a save may stay unnoticed.
const PAUSE: Duration = Duration::from_millis(200);

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
        let seen = Snapshot::new(&args.paths);
        console.clear();
        outcome = check::once(args, console);
        console.note(format_args!(
            "watching {}; Ctrl-C ends",
            count(seen.files.len(), "file")
        ));
        while !stop.load(Ordering::Relaxed) && Snapshot::new(&args.paths) == seen {
            std::thread::sleep(PAUSE);
        }
    }
    Ok(outcome)
}

/// Which files there are, and when each was saved.
#[derive(PartialEq)]
struct Snapshot {
    files: Vec<(PathBuf, Option<(SystemTime, u64)>)>,
}

impl Snapshot {
    fn new(paths: &[PathBuf]) -> Self {
        let (inputs, _) = collect(paths, Wanted::Everything);
        let stamp = |path: PathBuf| {
            let data = std::fs::metadata(&path).ok();
            let stamp = data.and_then(|data| Some((data.modified().ok()?, data.len())));
            (path, stamp)
        };
        Self {
            files: inputs
                .into_iter()
                .filter_map(|input| input.path)
                .map(stamp)
                .collect(),
        }
    }
}
