//! Every case of `proof/fixtures`: on the oracle, on the kernel in every tier that fits, from ROM
//! bytes read again, and as a batch; traced on the slow path, and untraced on the fast ones.
//!
//! `BLESS=1` (or `cargo xtask bless`) writes what the oracle says into the files, for review. With
//! a filter only the cases that match are written. `cargo xtask mistakes MarksStay --fixtures` runs
//! them with a kernel that makes that mistake: cases of its rule must fail.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use statewright_differential::fixture::{Case, File, Outcome, parse, problems, run};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

fn main() {
    let arguments = Arguments::from_args();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder of fixtures")
        .map(|entry| entry.expect("a file").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut trials = Vec::new();
    for path in paths {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("a readable file");
        let mut file =
            parse(&text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        if std::env::var_os("BLESS").is_some() {
            let wanted = |title: &str| match &arguments.filter {
                Some(filter) => title.contains(filter.as_str()),
                None => true,
            };
            bless(&path, &mut file, |case| {
                wanted(&format!("{name}: {}", case.title))
            });
        }
        let cases = file.cases.into_iter();
        trials.extend(
            cases.map(|case| Trial::test(format!("{name}: {}", case.title), move || check(&case))),
        );
    }
    trials.push(Trial::test(
        "there are at least 150 cases",
        enough(trials.len()),
    ));
    libtest_mimic::run(&arguments, trials).exit();
}

fn enough(count: usize) -> impl FnOnce() -> Result<(), Failed> + Send {
    move || {
        if count >= 150 {
            Ok(())
        } else {
            Err(format!("there are {count}").into())
        }
    }
}

fn bless(path: &Path, file: &mut File, wanted: impl Fn(&Case) -> bool) {
    let before = file.to_text();
    for case in file.cases.iter_mut().filter(|case| wanted(case)) {
        if case.problems.is_some() {
            case.problems = Some(problems(case));
        }
        if case.script.is_empty() {
            continue;
        }
        let outcomes = run(case)
            .unwrap_or_else(|problem| panic!("{}: {}: {problem}", path.display(), case.title));
        for (line, said) in case.script.iter_mut().zip(&outcomes[0].lines) {
            line.expected.clone_from(said);
        }
    }
    let after = file.to_text();
    if after != before {
        fs::write(path, after).expect("a writable file");
    }
}

fn check(case: &Case) -> Result<(), Failed> {
    if let Some(expected) = &case.problems {
        let found = problems(case);
        if *expected != found {
            return Err(format!(
                "problems\nexpected:\n{}found:\n{}",
                show(expected),
                show(&found)
            )
            .into());
        }
        if case.script.is_empty() {
            return Ok(());
        }
    }
    for outcome in run(case)? {
        compare(case, &outcome)?;
    }
    Ok(())
}

fn show(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

fn compare(case: &Case, outcome: &Outcome) -> Result<(), Failed> {
    let Some(number) = outcome.first_wrong(case) else {
        return Ok(());
    };
    let line = &case.script[number];
    Err(format!(
        "{}: command {} `{}`\nexpected:\n{}found:\n{}",
        outcome.engine,
        number + 1,
        line.command,
        show(&line.expected),
        show(&outcome.lines[number])
    )
    .into())
}
