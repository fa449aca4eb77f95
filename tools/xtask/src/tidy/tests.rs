//! Tests that nobody runs: where a crate has one test program for all its files (it links once
//! instead of a dozen times), each file is named in it.

use super::{Problem, find};
use crate::repository::File;

/// Turns the search for test programs off.
const BY_NAME: &str = "autotests = false";

pub fn check(files: &[File]) -> Vec<Problem> {
    let manifests = files.iter().filter(|file| file.is("Cargo.toml"));
    let by_name = manifests.filter(|file| file.text.contains(BY_NAME));
    by_name
        .flat_map(|manifest| forgotten(files, manifest))
        .collect()
}

fn forgotten(files: &[File], manifest: &File) -> Vec<Problem> {
    let folder = manifest.path.trim_end_matches("Cargo.toml");
    let tests = format!("{folder}tests/");
    let program = find(files, &format!("{tests}all.rs"));
    let mut problems = Vec::new();
    for file in files {
        let name = file
            .path
            .strip_prefix(&tests)
            .and_then(|rest| rest.strip_suffix(".rs"));
        let Some(name) = name.filter(|name| !name.contains('/')) else {
            continue;
        };
        let is_program = manifest
            .text
            .contains(&format!("path = \"tests/{name}.rs\""));
        let is_part = program.is_some_and(|all| all.text.contains(&format!("mod {name};")));
        if !is_program && !is_part {
            let remedy = format!("write `mod {name};` into {tests}all.rs");
            problems.push(Problem::new(
                file.path.clone(),
                "no program has these tests",
                remedy,
            ));
        }
    }
    problems
}

#[cfg(test)]
mod checks {
    use super::super::test_support::files;
    use super::*;

    #[test]
    fn a_file_that_no_program_names_is_found() {
        let manifest = "autotests = false\n[[test]]\nname = \"all\"\npath = \"tests/all.rs\"\n";
        let list = [
            ("crates/a/Cargo.toml", manifest),
            ("crates/a/tests/all.rs", "mod one;\n"),
            ("crates/a/tests/one.rs", ""),
            ("crates/a/tests/two.rs", ""),
            ("crates/a/tests/common/mod.rs", ""),
            ("crates/b/tests/three.rs", ""),
        ];
        let places: Vec<String> = check(&files(&list)).into_iter().map(|p| p.place).collect();
        assert_eq!(places, ["crates/a/tests/two.rs"]);
    }
}
