//! Every case of `proof/charts/fixtures`: imported, imported by way of a native file, and by the
//! letter of the document. `docs/scxml.md` names the case of every line, and every case it names
//! exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use statewright_charts::fixture::{Case, check, parse};

/// Fewest cases.
const ENOUGH: usize = 80;

fn main() {
    let arguments = Arguments::from_args();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = fs::read_dir(here.join("fixtures"))
        .expect("the folder of fixtures")
        .map(|entry| entry.expect("a file").path())
        .collect();
    paths.sort();
    let (mut trials, mut names, mut lone) = (Vec::new(), BTreeSet::new(), 0);
    for path in paths {
        let file = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("a readable file");
        let cases = parse(&text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        for case in cases {
            let name = format!("{file}: {}", case.name);
            assert!(names.insert(name.clone()), "two cases are called `{name}`");
            lone += usize::from(!case.script.is_empty() && !case.asks_document);
            trials.push(Trial::test(name, move || run(&case)));
        }
    }
    let page = fs::read_to_string(here.join("../../docs/scxml.md")).unwrap_or_default();
    let count = names.len();
    trials.push(Trial::test("there are enough cases", move || {
        holds(count >= ENOUGH, format!("there are {count}"))
    }));
    trials.push(Trial::test("few cases ask the importer alone", move || {
        holds(lone * 5 < count, format!("{lone} of {count} do"))
    }));
    trials.push(Trial::test(
        "every case that docs/scxml.md names exists, and every line of its tables names one",
        move || page_is_true(&page, &names),
    ));
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(case: &Case) -> Result<(), Failed> {
    check(case).map_err(|words| format!("{words}\n{}", case.document).into())
}

fn holds(holds: bool, words: String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(words.into()) }
}

/// Cases stand in the last column of the tables, each in backticks as `file: name`.
fn page_is_true(page: &str, names: &BTreeSet<String>) -> Result<(), Failed> {
    let lines: Vec<&str> = page.lines().collect();
    let is_head = |at: usize| {
        lines
            .get(at + 1)
            .is_some_and(|next| next.starts_with("|--"))
    };
    let rows = (0..lines.len())
        .filter(|&at| lines[at].starts_with("| ") && !is_head(at))
        .map(|at| lines[at]);
    let rows: Vec<&str> = rows.collect();
    holds(
        rows.len() >= 60,
        format!("the page has {} lines in its tables", rows.len()),
    )?;
    for row in rows {
        let cell = row
            .trim_end_matches([' ', '|'])
            .rsplit(" | ")
            .next()
            .unwrap_or_default();
        let named: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        holds(!named.is_empty(), format!("this line names no case: {row}"))?;
        let missing = named.iter().find(|name| !names.contains(**name));
        holds(
            missing.is_none(),
            format!("there is no case {missing:?}: {row}"),
        )?;
    }
    Ok(())
}
