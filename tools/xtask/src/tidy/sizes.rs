//! Long files: one subject needs no more than some hundred lines; the few that have more say why.

use super::Problem;
use crate::repository::File;

const MOST_LINES: usize = 800;

/// Files that are longer, and why they stay whole.
const LONG: [(&str, &str); 3] = [
    (
        "crates/rom/src/view.rs",
        "one accessor per table of the format",
    ),
    (
        "crates/rom/tests/refusals.rs",
        "one list of what is refused, table by table, in the order of the format",
    ),
    (
        "crates/statewright/tests/commands.rs",
        "cases of lanes and budgets that share their host",
    ),
];

pub fn check(files: &[File]) -> Vec<Problem> {
    let sources = files.iter().filter(|file| file.is(".rs"));
    let long: Vec<(&str, usize)> = sources
        .map(|file| (file.path.as_str(), file.text.lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .collect();
    let mut problems = Vec::new();
    for (path, lines) in &long {
        if LONG.iter().all(|(known, _)| known != path) {
            let what = format!("{lines} lines, more than {MOST_LINES}");
            let remedy = "split it by subject, or say in tools/xtask/src/tidy/sizes.rs why not";
            problems.push(Problem::new(*path, what, remedy));
        }
    }
    for (path, _) in LONG {
        let here = files
            .iter()
            .any(|file| file.path.starts_with("tools/xtask"));
        if here && long.iter().all(|(known, _)| *known != path) {
            let remedy = "take it out of tools/xtask/src/tidy/sizes.rs";
            problems.push(Problem::new(path, "is listed as long and is not", remedy));
        }
    }
    problems
}

#[cfg(test)]
mod checks {
    use super::super::test_support::files;
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        let (long, short) = ("\n".repeat(801), "\n".repeat(800));
        let problems = check(&files(&[
            ("a.rs", &long),
            ("b.rs", &short),
            ("c.md", &long),
        ]));
        let places: Vec<&str> = problems
            .iter()
            .map(|problem| problem.place.as_str())
            .collect();
        assert_eq!(places, ["a.rs"]);
    }
}
