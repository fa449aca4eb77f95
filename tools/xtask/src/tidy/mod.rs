//! `cargo xtask tidy`: what no compiler holds together. Docs, code and tests name rules, files,
//! crates and steps; here each of those names is looked up.
//!
//! - `rules` rule ids and their tests · `paths` files and links · `crates` members, manifests, the
//!   map · `sizes` long files · `words` words that readers cannot look up · `tests` test files that
//!   nobody runs · `targets` what is built for tests · `steps` steps that docs and the workflow name

mod crates;
mod paths;
mod rules;
mod sizes;
mod steps;
mod targets;
mod tests;
mod words;

use crate::repository::{File, files};

/// One thing that does not fit.
#[derive(Debug, PartialEq)]
struct Problem {
    /// File, and line where there is one.
    place: String,
    what: String,
    /// What to do.
    remedy: String,
}

impl Problem {
    fn new(place: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (place, what, remedy) = (place.into(), what.into(), remedy.into());
        Self {
            place,
            what,
            remedy,
        }
    }
}

/// Looks at all files and says what is amiss.
type Check = fn(&[File]) -> Vec<Problem>;

/// Runs all checks; the error lists everything that was found.
pub fn tidy() -> Result<(), String> {
    let files = files()?;
    let checks: [Check; 8] = [
        rules::check,
        paths::check,
        crates::check,
        sizes::check,
        words::check,
        tests::check,
        targets::check,
        steps::check,
    ];
    let problems: Vec<Problem> = checks.iter().flat_map(|check| check(&files)).collect();
    if problems.is_empty() {
        println!("    {} files, nothing amiss", files.len());
        return Ok(());
    }
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| format!("{}: {}; {}", problem.place, problem.what, problem.remedy))
        .collect();
    Err(format!("{}\n{} in all", lines.join("\n"), lines.len()))
}

/// The file of a path, if it is there.
fn find<'a>(files: &'a [File], path: &str) -> Option<&'a File> {
    files.iter().find(|file| file.path == path)
}

#[cfg(test)]
mod test_support {
    use super::File;

    /// A repository made of paths and texts.
    pub fn files(list: &[(&str, &str)]) -> Vec<File> {
        let file = |&(path, text): &(&str, &str)| File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        list.iter().map(file).collect()
    }
}
#[cfg(test)]
mod repository_test {
    #[test]
    fn this_repository_is_tidy() {
        if let Err(problems) = super::tidy() {
            panic!("{problems}");
        }
    }
}
