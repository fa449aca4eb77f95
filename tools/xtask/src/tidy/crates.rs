//! Crates: the members of the workspace, the folders that have a manifest and the chapters of the
//! map are the same, and each crate says about itself what all of them say.

use std::collections::BTreeSet;

use super::{Problem, find};
use crate::repository::File;

const WORKSPACE: &str = "Cargo.toml";
const MAP: &str = "docs/architecture.md";
/// What every manifest has.
const SAID: [&str; 5] = [
    "description = \"",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "[lints]\nworkspace = true",
];

pub fn check(files: &[File]) -> Vec<Problem> {
    let (Some(workspace), Some(map)) = (find(files, WORKSPACE), find(files, MAP)) else {
        return vec![Problem::new(
            WORKSPACE,
            "workspace or map is not there",
            "both belong here",
        )];
    };
    let folders: BTreeSet<&str> = manifests(files).map(|(folder, _)| folder).collect();
    let mut problems = Vec::new();
    let lists = [
        (workspace, members(workspace), "`members` of the workspace"),
        (map, chapters(map), "the chapters (### `crates/name`)"),
    ];
    for (file, listed, what) in lists {
        for folder in folders.difference(&listed) {
            let missing = format!("`{folder}` is missing in {what}");
            problems.push(Problem::new(file.path.clone(), missing, "add it"));
        }
        for folder in listed.difference(&folders) {
            let stray = format!("`{folder}` is no crate, but among {what}");
            problems.push(Problem::new(file.path.clone(), stray, "take it out"));
        }
    }
    problems.extend(manifests(files).flat_map(|(folder, file)| said(files, folder, file)));
    problems
}

/// Manifests of crates, with their folders.
fn manifests(files: &[File]) -> impl Iterator<Item = (&str, &File)> {
    files.iter().filter_map(|file| {
        let folder = file.path.strip_suffix("/Cargo.toml")?;
        let ours = ["crates/", "proof/", "tools/"];
        let inside = ours.iter().any(|one| folder.starts_with(one));
        let member = inside && folder.matches('/').count() == 1;
        // The samples are a crate where people look for them.
        (member || folder == "machines").then_some((folder, file))
    })
}

fn members(workspace: &File) -> BTreeSet<&str> {
    let lines = workspace.text.lines().map(str::trim);
    let list = lines.skip_while(|line| *line != "members = [").skip(1);
    list.take_while(|line| *line != "]")
        .map(|line| line.trim_matches(['"', ',']))
        .collect()
}

/// Every path in backquotes in a heading of the map.
fn chapters(map: &File) -> BTreeSet<&str> {
    let headings = map.text.lines().filter(|line| line.starts_with("### "));
    headings
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect()
}

fn said(files: &[File], folder: &str, manifest: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for wanted in SAID.iter().filter(|said| !manifest.text.contains(*said)) {
        let what = format!("does not say `{}`", wanted.replace('\n', " "));
        problems.push(Problem::new(
            manifest.path.clone(),
            what,
            "every crate says it",
        ));
    }
    let readme = format!("{folder}/README.md");
    if published(manifest) && find(files, &readme).is_none() {
        let remedy = "say in a few lines what the crate is for";
        problems.push(Problem::new(readme, "is not there", remedy));
    }
    problems
}

/// Crates that others can depend on.
fn published(manifest: &File) -> bool {
    let text = &manifest.text;
    !text.contains("publish = false") && !text.contains("publish.workspace = true")
}

#[cfg(test)]
mod checks {
    use super::super::test_support::files;
    use super::*;

    const WHOLE: &str = "description = \"d\"\nedition.workspace = true\n\
        rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n\
        [lints]\nworkspace = true\n";

    fn whats(members: &str, map: &str, manifest: &str) -> Vec<String> {
        let list = [
            (WORKSPACE, members),
            (MAP, map),
            ("crates/a/Cargo.toml", manifest),
        ];
        let problems = check(&files(&list)).into_iter();
        problems
            .map(|problem| format!("{}: {}", problem.place, problem.what))
            .collect()
    }

    #[test]
    fn lists_that_differ_are_found() {
        let members = "members = [\n    \"crates/a\",\n]\n";
        assert!(whats(members, "### `crates/a`: it\n", WHOLE).is_empty());
        assert_eq!(
            whats(members, "### `crates/b`\n", WHOLE),
            [
                "docs/architecture.md: `crates/a` is missing in the chapters (### `crates/name`)",
                "docs/architecture.md: `crates/b` is no crate, but among the chapters (### `crates/name`)"
            ]
        );
    }

    #[test]
    fn a_manifest_that_says_too_little_is_found() {
        let members = "members = [\n    \"crates/a\",\n]\n";
        let manifest = WHOLE
            .replace("rust-version", "version")
            .replace("publish", "version");
        assert_eq!(
            whats(members, "### `crates/a`\n", &manifest),
            [
                "crates/a/Cargo.toml: does not say `rust-version.workspace = true`",
                "crates/a/README.md: is not there"
            ]
        );
    }
}
