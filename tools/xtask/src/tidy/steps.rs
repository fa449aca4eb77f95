//! Steps of `cargo xtask test` that docs and the workflow choose by name.

use super::Problem;
use crate::repository::File;

const ONLY: &str = "xtask test --only ";

pub fn check(files: &[File]) -> Vec<Problem> {
    let names = crate::test::names();
    let telling = files
        .iter()
        .filter(|file| file.is(".md") || file.is(".yml"));
    let mut problems = Vec::new();
    for file in telling {
        for (line, text) in file.lines() {
            let chosen = text.split(ONLY).skip(1).map(argument);
            for name in chosen.filter(|name| !names.iter().any(|step| step.contains(*name))) {
                let what = format!("`{name}` is no step");
                let remedy = "`cargo xtask test --list` has the names";
                problems.push(Problem::new(file.at(line), what, remedy));
            }
        }
    }
    problems
}

/// The first argument of what follows, with or without quotes; a name in capitals stands for any.
fn argument(rest: &str) -> &str {
    let name = match rest.chars().next() {
        Some(quote @ ('\'' | '"')) => rest[1..].split(quote).next(),
        _ => rest.split([' ', '`', ')', ']', ',']).next(),
    };
    name.filter(|name| *name != "NAME").unwrap_or_default()
}

#[cfg(test)]
mod checks {
    use super::super::test_support::files;
    use super::*;

    #[test]
    fn a_step_that_is_not_there_is_found() {
        let text = "`cargo xtask test --only lint`\ncargo xtask test --only 'no such step'\n\
                    cargo xtask test --only NAME\n";
        let problems = check(&files(&[("a.md", text)]));
        let whats: Vec<&str> = problems
            .iter()
            .map(|problem| problem.what.as_str())
            .collect();
        assert_eq!(whats, ["`no such step` is no step"]);
    }
}
