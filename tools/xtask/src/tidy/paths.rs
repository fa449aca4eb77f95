//! Paths: what docs and comments name in backquotes as a file of this repository is there, and so
//! is what links lead to, anchors of rules included.

use super::{Problem, find};
use crate::repository::{File, root};

/// A path of this repository begins with one of these.
const FOLDERS: [&str; 8] = [
    "crates/",
    "proof/",
    "tools/",
    "docs/",
    "machines/",
    "schemas/",
    "examples/",
    ".github/",
];
/// Patterns, and what the compiler writes beside a machine.
const STAND_FOR_MANY: [&str; 7] = [" ", "<", "…", "NAME", "xxxx", ".swrom", ".swdbg"];
/// The changelog tells of files that were.
const CHANGELOG: &str = "CHANGELOG.md";

pub fn check(files: &[File]) -> Vec<Problem> {
    let told = files.iter().filter(|file| file.path != CHANGELOG);
    let told = told.filter(|file| file.is(".md") || (file.is(".rs") && !is_here(file)));
    told.flat_map(|file| lines(files, file)).collect()
}

/// This file has paths that are not there, in its tests.
fn is_here(file: &File) -> bool {
    file.path.starts_with("tools/xtask/src/tidy/")
}

fn lines(files: &[File], file: &File) -> Vec<Problem> {
    let (mut problems, mut code) = (Vec::new(), false);
    for (line, text) in file.lines() {
        let prose = match file.is(".md") {
            true => text,
            false => comment(text),
        };
        if prose.trim_start().starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        for path in quoted_paths(prose).filter(|path| !exists(path)) {
            let what = format!("`{path}` is not there");
            problems.push(Problem::new(file.at(line), what, "write where it is now"));
        }
        if file.is(".md") {
            let broken = links(prose).filter(|target| !leads_somewhere(files, file, target));
            for target in broken {
                let what = format!("the link to {target} leads nowhere");
                problems.push(Problem::new(file.at(line), what, "write where it is now"));
            }
        }
    }
    problems
}

/// The comment on a line of Rust.
fn comment(line: &str) -> &str {
    line.find("//").map_or("", |start| &line[start + 2..])
}

/// What stands in backquotes and begins like a path of ours; patterns and things that are built
/// are not looked up.
fn quoted_paths(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|path| FOLDERS.iter().any(|folder| path.starts_with(folder)));
    let plain = paths.filter(|path| !STAND_FOR_MANY.iter().any(|part| path.contains(part)));
    plain.map(|path| path.split(['#', ':']).next().unwrap_or(path))
}

/// Whether a path from the root is there; `*` in its last part stands for any name.
fn exists(path: &str) -> bool {
    match path.split_once('*') {
        None => root().join(path).exists(),
        Some((before, _)) => {
            let folder = before.rsplit_once('/').map_or("", |(folder, _)| folder);
            root().join(folder).is_dir()
        }
    }
}

/// Targets of `[text](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

fn leads_somewhere(files: &[File], from: &File, target: &str) -> bool {
    if target.contains("://") || target.is_empty() {
        return true;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = from.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = match path {
        "" => from.path.clone(),
        path => joined(folder, path),
    };
    exists(&path) && find(files, &path).is_none_or(|file| has_anchor(file, anchor))
}

/// `docs/guide` and `../semantics.md` give `docs/semantics.md`.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn has_anchor(file: &File, anchor: &str) -> bool {
    let headings = file.text.lines().filter(|line| line.starts_with('#'));
    anchor.is_empty()
        || file.text.contains(&format!("<a id=\"{anchor}\"></a>"))
        || headings.map(slug).any(|slug| slug == anchor)
}

/// The anchor that a heading gets by itself.
fn slug(heading: &str) -> String {
    let title = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = title
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod checks {
    use super::super::test_support::files;
    use super::*;

    fn whats(path: &str, text: &str) -> Vec<String> {
        let problems = check(&files(&[
            (path, text),
            ("docs/semantics.md", "## The end\n"),
        ]));
        problems.into_iter().map(|problem| problem.what).collect()
    }

    #[test]
    fn a_path_that_is_not_there_is_found_in_docs_and_comments() {
        let text = "see `crates/no/such.rs`, `crates/kernel/src/` and `proof/*.txt`";
        let found = ["`crates/no/such.rs` is not there"];
        assert_eq!(whats("a.md", text), found);
        assert_eq!(whats("a.rs", &format!("//! {text}")), found);
        assert!(whats("a.rs", &format!("let path = {text}")).is_empty());
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let text =
            "[a](../semantics.md#the-end) [b](../semantics.md#start) [c](https://x.y) [d](none.md)";
        assert_eq!(
            whats("docs/guide/a.md", text),
            [
                "the link to ../semantics.md#start leads nowhere",
                "the link to none.md leads nowhere"
            ]
        );
    }
}
