//! Exact instruction counts of parts of a run, as many as there are.
//!
//! Counting a whole program twice and taking the difference would warm every machine up twice, which
//! is most of the work here. Instead callgrind counts only inside [`counted`] and writes what it
//! counted after each call of it: nothing else is in the sum.

use std::path::PathBuf;

use crate::callgrind::{callgrind, without};

/// The function that is counted, as callgrind knows it. Two patterns, because callgrind takes only
/// the first of several options with one.
const COUNTED: [&str; 2] = ["*measure::sections::counted*", "*sections::counted*"];

/// Runs what callgrind counts.
#[inline(never)]
pub fn counted(run: &mut dyn FnMut()) {
    run();
    // Something behind the call, so that it stays a call.
    std::hint::black_box(());
}

/// What each call of [`counted`] in a run of this program with these arguments took.
pub fn count(what: &str, arguments: Vec<String>) -> Result<Vec<u64>, String> {
    let folder = Folder::new()?;
    let file = folder.0.join("counts");
    let options = [
        format!("--callgrind-out-file={}", file.display()),
        format!("--toggle-collect={}", COUNTED[0]),
        format!("--dump-after={}", COUNTED[1]),
    ];
    callgrind(what, &options, arguments.into_iter().chain(without()))?;
    let part = |number: u32| std::fs::read_to_string(format!("{}.{number}", file.display())).ok();
    let parts = (1..).map_while(part);
    let counts = parts.map(|text| total(&text).ok_or("callgrind wrote no total".to_owned()));
    counts.collect()
}

/// The number in `totals: 123`.
fn total(text: &str) -> Option<u64> {
    let line = |line: &str| line.strip_prefix("totals:")?.trim().parse().ok();
    text.lines().rev().find_map(line)
}

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, String> {
        let name = format!("statewright-bench-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let made = std::fs::create_dir_all(&path);
        made.map_err(|error| format!("cannot make {}: {error}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays is only a small file too many.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_found_in_what_callgrind_writes() {
        let text = "part: 1\nevents: Ir\nfn=(1)\n1 2\n\ntotals: 10723\n";
        assert_eq!(total(text), Some(10_723));
        assert_eq!(total("part: 1\n"), None);
    }
}
