//! Libraries and programs that have no tests of their own are not built and run as if they had: each of these
//! costs a build of the whole crate. And none that has some is left out.

use super::Problem;
use crate::repository::File;

/// A library or a program of a manifest.
struct Target<'f> {
    manifest: &'f File,
    /// The lines of its section, if it has one.
    section: Option<&'f str>,
    /// For messages, and how its section begins.
    what: &'static str,
    sources: Vec<&'f File>,
}

pub fn check(files: &[File]) -> Vec<Problem> {
    let manifests = files.iter().filter(|file| file.is("/Cargo.toml"));
    let targets = manifests.flat_map(|manifest| targets(files, manifest));
    targets.flat_map(|target| problems(&target)).collect()
}

/// The library of a manifest and the programs that it names.
fn targets<'f>(files: &'f [File], manifest: &'f File) -> Vec<Target<'f>> {
    let folder = manifest.path.trim_end_matches("Cargo.toml");
    let inside = |file: &'f File| Some((file.path.strip_prefix(folder)?, file));
    let sources: Vec<_> = files.iter().filter_map(inside).collect();
    let is_program = |path: &str| path == "src/main.rs" || path.starts_with("src/bin/");
    let of = |wanted: &dyn Fn(&str) -> bool| {
        let mine = sources.iter().filter(|(path, file)| {
            file.is(".rs") && (path.starts_with("src/") || *path == "lib.rs") && wanted(path)
        });
        mine.map(|(_, file)| *file).collect::<Vec<_>>()
    };
    let has_library = sources
        .iter()
        .any(|(path, _)| *path == "src/lib.rs" || *path == "lib.rs");
    let mut targets = Vec::new();
    if has_library {
        targets.push(Target {
            manifest,
            section: sections(manifest, "[lib]").next(),
            what: "[lib]",
            sources: of(&|path| !is_program(path)),
        });
    }
    for section in sections(manifest, "[[bin]]") {
        let path = value(section, "path").unwrap_or_default();
        let alone = has_library || path != "src/main.rs";
        targets.push(Target {
            manifest,
            section: Some(section),
            what: "[[bin]]",
            sources: of(&|other| other == path || !alone),
        });
    }
    targets
}

/// The texts behind each such head.
fn sections<'f>(manifest: &'f File, head: &'static str) -> impl Iterator<Item = &'f str> {
    let rest = manifest.text.split(head).skip(1);
    rest.map(|rest| rest.split("\n[").next().unwrap_or(rest))
}

/// What stands in quotes behind a key.
fn value<'s>(section: &'s str, key: &str) -> Option<&'s str> {
    let line = section.lines().find_map(|line| line.strip_prefix(key))?;
    line.split('"').nth(1)
}

fn problems(target: &Target<'_>) -> Vec<Problem> {
    let any = |has: fn(&File) -> bool| target.sources.iter().any(|file| has(file));
    let mut kinds = vec![("test = false", "tests", any(has_tests))];
    if target.what == "[lib]" {
        kinds.push(("doctest = false", "examples in its docs", any(has_examples)));
    }
    let mut problems = Vec::new();
    for (line, kind, has) in kinds {
        let says = target
            .section
            .is_some_and(|section| section.lines().any(|other| other.trim() == line));
        let what = target.what;
        let (wrong, remedy) = match (has, says) {
            (true, true) => (
                format!("{what} says `{line}`, but has {kind}, which never run"),
                format!("take `{line}` out"),
            ),
            (false, false) => (
                format!("{what} has no {kind}, and is built for them"),
                format!("say `{line}` in its `{what}`"),
            ),
            (true, false) | (false, true) => continue,
        };
        problems.push(Problem::new(target.manifest.path.clone(), wrong, remedy));
    }
    problems
}

fn has_tests(file: &File) -> bool {
    file.text.lines().any(|line| line.trim() == "#[test]")
}

/// Code in documentation that is not only text, or a page that has some.
fn has_examples(file: &File) -> bool {
    let mut inside = false;
    for line in file.text.lines().map(str::trim_start) {
        if line.contains("doc = include_str!(") {
            return true;
        }
        let comment = line.strip_prefix("///").or(line.strip_prefix("//!"));
        let Some(kind) = comment.and_then(|text| text.trim().strip_prefix("```")) else {
            continue;
        };
        if !inside && kind != "text" {
            return true;
        }
        inside = !inside;
    }
    false
}

#[cfg(test)]
mod checks {
    use super::super::test_support::files;
    use super::*;

    fn whats(manifest: &str, source: &str) -> Vec<String> {
        let list = [("a/Cargo.toml", manifest), ("a/src/lib.rs", source)];
        let problems = check(&files(&list)).into_iter();
        problems.map(|problem| problem.what).collect()
    }

    const SAYS: &str = "[package]\n\n[lib]\ntest = false\ndoctest = false\n\n[lints]\n";

    #[test]
    fn what_has_no_tests_says_so() {
        assert!(whats(SAYS, "/// ```text\n/// a\n/// ```\n").is_empty());
        assert_eq!(
            whats("[package]\n", ""),
            [
                "[lib] has no tests, and is built for them",
                "[lib] has no examples in its docs, and is built for them"
            ]
        );
    }

    #[test]
    fn tests_that_never_run_are_found() {
        let source = "/// ```\n/// a();\n/// ```\nfn a() {}\n    #[test]\n";
        assert!(whats("[package]\n", source).is_empty());
        assert_eq!(
            whats(SAYS, source),
            [
                "[lib] says `test = false`, but has tests, which never run",
                "[lib] says `doctest = false`, but has examples in its docs, which never run"
            ]
        );
        let page = "#![doc = include_str!(\"../README.md\")]\n";
        assert_eq!(whats(SAYS, page).len(), 1);
    }

    #[test]
    fn programs_are_told_apart() {
        let manifest = "[lib]\ntest = false\ndoctest = false\n\n[[bin]]\nname = \"b\"\npath = \"src/main.rs\"\ntest = false\n";
        let list = [
            ("a/Cargo.toml", manifest),
            ("a/src/lib.rs", ""),
            ("a/src/main.rs", "#[test]\n"),
        ];
        let problems = check(&files(&list));
        assert_eq!(problems.len(), 1);
        assert!(problems[0].what.starts_with("[[bin]] says `test = false`"));
    }
}
