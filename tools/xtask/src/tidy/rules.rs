//! Rules: each has one heading with an anchor in `docs/semantics.md`, every id that anybody cites
//! is one of them, and each is held by a fixture or a test that names it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, find};
use crate::repository::File;

const RULES: &str = "docs/semantics.md";
const FIXTURES: &str = "proof/fixtures/";
/// Begins the text of a rule that nobody carries out yet.
const NOT_BUILT: &str = "**Not built yet";

/// Rules that no test can name, and who holds them instead.
const HELD_ELSEWHERE: [(&str, &str); 1] =
    [("SYS-7", "the example in crates/statewright/src/registry.rs")];

pub fn check(files: &[File]) -> Vec<Problem> {
    let Some(file) = find(files, RULES) else {
        return vec![Problem::new(
            RULES,
            "is not there",
            "the rules belong there",
        )];
    };
    let (rules, mut problems) = headings(file);
    problems.extend(unknown(files, &rules));
    problems.extend(stray_fixtures(files, &rules));
    problems.extend(unlinked(files, &rules));
    problems.extend(untested(files, file, &rules));
    problems
}

/// A rule: the line of its heading, and whether it is built.
struct Rule {
    line: usize,
    built: bool,
}

/// `### <a id="SEL-4"></a>SEL-4 Conflicts`.
fn headings(file: &File) -> (BTreeMap<String, Rule>, Vec<Problem>) {
    let (mut rules, mut problems) = (BTreeMap::new(), Vec::new());
    let lines: Vec<(usize, &str)> = file.lines().collect();
    for &(line, text) in &lines {
        let Some(title) = text.strip_prefix("### ") else {
            continue;
        };
        let id = title.rsplit("</a>").next().unwrap_or(title);
        let id = id.split(' ').next().unwrap_or(id);
        if !title.starts_with(&format!("<a id=\"{id}\"></a>{id} ")) {
            let remedy = "write `### <a id=\"SEL-4\"></a>SEL-4 Title`";
            problems.push(Problem::new(file.at(line), "no heading of a rule", remedy));
        }
        let text = lines[line..].iter().find(|(_, text)| !text.is_empty());
        let built = text.is_none_or(|(_, text)| !text.starts_with(NOT_BUILT));
        if rules.insert(id.to_owned(), Rule { line, built }).is_some() {
            let what = format!("{id} is there twice");
            problems.push(Problem::new(
                file.at(line),
                what,
                "one meaning in one place",
            ));
        }
    }
    (rules, problems)
}

/// Ids that are no rules.
fn unknown(files: &[File], rules: &BTreeMap<String, Rule>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.path != "Cargo.lock") {
        for (line, text) in file.lines() {
            for id in ids(text, rules).filter(|id| !rules.contains_key(id)) {
                let remedy = format!("see {RULES} for the rules there are");
                problems.push(Problem::new(
                    file.at(line),
                    format!("{id} is no rule"),
                    remedy,
                ));
            }
        }
    }
    problems
}

/// Fixtures that are named after no rule.
fn stray_fixtures(files: &[File], rules: &BTreeMap<String, Rule>) -> Vec<Problem> {
    let fixtures = files.iter().filter(|file| file.path.starts_with(FIXTURES));
    let strays = fixtures.filter(|file| !rules.contains_key(rule_of(&file.path)));
    let remedy = "a fixture is named after the rule that it shows";
    strays
        .map(|file| Problem::new(file.path.clone(), "no rule has this name", remedy))
        .collect()
}

/// Ids on the front pages of crates that lead nowhere: readers of rustdoc do not have this folder.
fn unlinked(files: &[File], rules: &BTreeMap<String, Rule>) -> Vec<Problem> {
    let front = |file: &&File| file.path.starts_with("crates/") && file.is("/src/lib.rs");
    let mut problems = Vec::new();
    for file in files.iter().filter(front) {
        let page = file.lines().filter(|(_, text)| text.starts_with("//!"));
        for (line, text) in page {
            for id in ids(text, rules).filter(|id| !text.contains(&format!("[{id}]"))) {
                let what = format!("{id} is no link on the front page");
                let remedy = format!("write [{id}](statewright_rom::rules#{id})");
                problems.push(Problem::new(file.at(line), what, remedy));
            }
        }
    }
    problems
}

/// The rule that a fixture is named after.
fn rule_of(path: &str) -> &str {
    path.trim_start_matches(FIXTURES).trim_end_matches(".txt")
}

/// Everything in a text that looks like the id of a rule: a group that rules have, and a number.
fn ids<'a>(text: &'a str, rules: &'a BTreeMap<String, Rule>) -> impl Iterator<Item = String> + 'a {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.split(move |c| !inside(c)).filter_map(move |word| {
        let (group, number) = word.split_once('-')?;
        let known = rules.keys().any(|id| {
            let rest = id.strip_prefix(group);
            rest.is_some_and(|rest| rest.starts_with('-'))
        });
        (known && number.parse::<u32>().is_ok()).then(|| word.to_owned())
    })
}

fn untested(files: &[File], file: &File, rules: &BTreeMap<String, Rule>) -> Vec<Problem> {
    let tested = tested(files, rules);
    let elsewhere = |id: &str| HELD_ELSEWHERE.iter().any(|(rule, _)| *rule == id);
    let missing = rules
        .iter()
        .filter(|(id, rule)| rule.built && !tested.contains(*id) && !elsewhere(id));
    missing
        .map(|(id, rule)| {
            let remedy = format!(
                "write {FIXTURES}{id}.txt (docs/fixtures.md says how), or name it in the test"
            );
            Problem::new(file.at(rule.line), format!("no test names {id}"), remedy)
        })
        .collect()
}

/// Ids that fixtures are named after, that tests cite, or that tests are named after
/// (`fn evt_5_…`).
fn tested(files: &[File], rules: &BTreeMap<String, Rule>) -> BTreeSet<String> {
    let mut tested = BTreeSet::new();
    for file in files {
        if file.path.starts_with(FIXTURES) {
            tested.insert(rule_of(&file.path).to_owned());
        } else if file.is(".rs") && (file.path.contains("/tests") || file.path.contains("_test")) {
            tested.extend(ids(&file.text, rules));
            tested.extend(named_after(&file.text));
        }
    }
    tested
}

fn named_after(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split("fn ").skip(1).filter_map(|rest| {
        let (group, rest) = rest.split_once('_')?;
        let (number, _) = rest.split_once('_')?;
        let number = number.parse::<u32>().ok()?;
        Some(format!("{}-{number}", group.to_uppercase()))
    })
}

#[cfg(test)]
mod checks {
    use super::super::test_support::files;
    use super::*;

    const TWO: &str = "### <a id=\"EVT-1\"></a>EVT-1 One\n\nText.\n\n\
                       ### <a id=\"EVT-2\"></a>EVT-2 Two\n\n**Not built yet.** Later.\n";

    fn whats(list: &[(&str, &str)]) -> Vec<String> {
        let problems = check(&files(list)).into_iter();
        problems
            .map(|problem| format!("{}: {}", problem.place, problem.what))
            .collect()
    }

    #[test]
    fn a_rule_needs_a_test_unless_it_is_not_built() {
        assert_eq!(
            whats(&[(RULES, TWO)]),
            ["docs/semantics.md:1: no test names EVT-1"]
        );
        assert!(whats(&[(RULES, TWO), ("proof/fixtures/EVT-1.txt", "")]).is_empty());
        assert!(whats(&[(RULES, TWO), ("a/tests/b.rs", "fn evt_1_is_kept() {}")]).is_empty());
    }

    #[test]
    fn an_id_that_is_no_rule_is_found_and_other_words_are_not() {
        let text = format!("EVT-1 to EVT-2\nUTF-8, EVT-x, (EVT-{})\n", 12);
        let list = [
            (RULES, TWO),
            ("proof/fixtures/EVT-1.txt", ""),
            ("a.md", &text),
        ];
        assert_eq!(whats(&list), [format!("a.md:2: EVT-{} is no rule", 12)]);
    }

    #[test]
    fn a_front_page_links_its_rules() {
        let page = "//! Carries [EVT-1](x::rules#EVT-1)\n//! and EVT-2.\n// EVT-2\n";
        let fixture = ("proof/fixtures/EVT-1.txt", "");
        let found = whats(&[(RULES, TWO), fixture, ("crates/a/src/lib.rs", page)]);
        let expected = ["crates/a/src/lib.rs:2: EVT-2 is no link on the front page"];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_heading_without_an_anchor_and_a_second_meaning_are_found() {
        let text = format!("{TWO}### EVT-1 Again\n");
        let found = whats(&[(RULES, &text), ("proof/fixtures/EVT-1.txt", "")]);
        assert_eq!(
            found,
            [
                "docs/semantics.md:8: no heading of a rule",
                "docs/semantics.md:8: EVT-1 is there twice"
            ]
        );
    }
}
