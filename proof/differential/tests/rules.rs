//! Every rule of sections 4 to 9 is cited by a fixture or a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Rules that say something about the compiler or about crates still to come, with where they are
/// held.
const ELSEWHERE: [(&str, &str); 1] = [(
    "CODE-2",
    "typed names and missing functions at build time: the macro crate",
)];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Ids such as `EVT-5` of the sections 4 to 9.
fn rules() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("docs/semantics.md")).unwrap();
    let mut section = 0;
    let mut rules = BTreeSet::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            section = title
                .split('.')
                .next()
                .and_then(|number| number.parse().ok())
                .unwrap_or(0);
        }
        let id = line
            .strip_prefix("- ")
            .and_then(|line| line.split_whitespace().next())
            .unwrap_or_default();
        let is_id = id.split_once('-').is_some_and(|(group, number)| {
            group.chars().all(|c| c.is_ascii_uppercase()) && number.parse::<u32>().is_ok()
        });
        if (4..=9).contains(&section) && is_id {
            rules.insert(id.to_owned());
        }
    }
    rules
}

/// Fixtures and test sources.
fn cited() -> BTreeSet<String> {
    let mut cited = BTreeSet::new();
    let mut open = vec![
        root().join("proof"),
        root().join("crates"),
        root().join("tools"),
    ];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let shown = path.to_string_lossy().replace('\\', "/");
            if path.is_dir() && !shown.ends_with("/target") {
                open.push(path);
            } else if shown.contains("/proof/fixtures/") {
                cited.insert(path.file_stem().unwrap().to_string_lossy().into_owned());
            } else if shown.contains("/tests/")
                && shown.ends_with(".rs")
                && !shown.ends_with("tests/rules.rs")
            {
                cited.extend(ids_in(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
    cited
}

/// Ids in a source: tests are named after their rule, `fn evt_5_…`.
fn ids_in(text: &str) -> BTreeSet<String> {
    let names = text
        .split("fn ")
        .skip(1)
        .filter_map(|rest| rest.split('(').next());
    let id = |name: &str| {
        let (group, rest) = name.split_once('_')?;
        let (number, _) = rest.split_once('_')?;
        number
            .parse::<u32>()
            .ok()
            .map(|number| format!("{}-{number}", group.to_uppercase()))
    };
    names.filter_map(id).collect()
}

#[test]
fn every_rule_is_cited_by_a_fixture_or_a_test() {
    let rules = rules();
    assert!(rules.len() >= 45, "the rules were found: {rules:?}");
    let cited = cited();
    let missing: Vec<&String> = rules
        .iter()
        .filter(|rule| !cited.contains(*rule) && ELSEWHERE.iter().all(|(id, _)| id != rule))
        .collect();
    assert!(
        missing.is_empty(),
        "no fixture and no test cites {missing:?}"
    );
}

#[test]
fn every_fixture_belongs_to_a_rule() {
    let text = fs::read_to_string(root().join("docs/semantics.md")).unwrap();
    for entry in fs::read_dir(root().join("proof/fixtures")).unwrap() {
        let name = entry
            .unwrap()
            .path()
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        assert!(
            text.contains(&format!("- {name} ")),
            "{name} is no rule of docs/semantics.md"
        );
    }
}
