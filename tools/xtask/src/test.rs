//! `cargo xtask test` and `cargo xtask bless`: the list of steps, for people and for CI.

use crate::needs::{self, Need};
use crate::steps::{Step, quoted, run};

/// A processor without an operating system, to prove that `rom` and `kernel` need no std.
const BARE_TARGET: &str = "thumbv7em-none-eabi";
/// Browsers.
const WEB_TARGET: &str = "wasm32-unknown-unknown";

/// What the caller asks for.
pub struct Wish {
    /// Only the steps whose name contains this.
    pub only: Option<String>,
    /// Names and purposes instead of running anything.
    pub list: bool,
    /// Also what takes too long for CI.
    pub long: bool,
    /// Install what is missing instead of leaving steps out.
    pub install: bool,
}

/// Runs (or lists) everything that must hold.
pub fn test(wish: &Wish) -> Result<(), String> {
    let mut steps = steps();
    if wish.long {
        steps.extend(crate::prove::long_steps());
    }
    if wish.list {
        list(&steps);
        return Ok(());
    }
    if let Some(only) = &wish.only {
        let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
        steps = chosen(steps, only).ok_or_else(|| {
            let names = quoted(&names).join(", ");
            format!("no step is named `{only}`; there are {names}")
        })?;
    }
    run(
        steps,
        wish.install || std::env::var("CI").as_deref() == Ok("true"),
    )
}

/// The step of exactly this name, else all whose names contain it.
fn chosen(steps: Vec<Step>, only: &str) -> Option<Vec<Step>> {
    let exact = steps.iter().any(|step| step.name == only);
    let fits = |name: &str| match exact {
        true => name == only,
        false => name.contains(only),
    };
    let chosen: Vec<Step> = steps.into_iter().filter(|step| fits(step.name)).collect();
    (!chosen.is_empty()).then_some(chosen)
}

/// Names of all steps, the long ones included.
pub fn names() -> Vec<&'static str> {
    let all = steps().into_iter().chain(crate::prove::long_steps());
    all.map(|step| step.name).collect()
}

fn list(steps: &[Step]) {
    let width = steps.iter().map(|step| step.name.len()).max();
    for step in steps {
        let width = width.unwrap_or_default();
        println!("{:<width$}  {}", step.name, step.about);
    }
}

/// Cheap ones first, so that a slip is seen at once.
fn steps() -> Vec<Step> {
    let mut steps = vec![
        Step::cargo("format", &["fmt", "--all", "--check"])
            .about("the code is formatted: `cargo fmt --all` mends it"),
        Step::check("tidy", crate::tidy::tidy)
            .about("rule ids, paths, crates, limits and words in docs and code fit together"),
        lint(),
        tests(),
        documentation(),
        Step::check("features", crate::features::features)
            .about("each feature of the library compiles alone; without any it needs no compiler"),
        Step::cargo("core without std", &BARE)
            .about("rom and kernel build for a processor without an operating system")
            .needs(Need::Target(BARE_TARGET)),
        Step::cargo("web", &WEB)
            .about("the library and what editors ask build for browsers")
            .needs(Need::Target(WEB_TARGET)),
        Step::cargo("editor", &EDITOR)
            .about("Neovim's own client fixes, completes and renames with `statewright lsp`")
            .needs(needs::NEOVIM),
        Step::cargo("dependencies", &DENY)
            .about("licenses, sources and bans of `deny.toml`")
            .needs(needs::DENY),
    ];
    steps.extend(crate::engines::steps());
    steps.push(programs());
    let gates = crate::bench::gates().into_iter();
    steps.extend(gates.map(|gate| gate.needs(needs::VALGRIND)));
    steps.extend(crate::prove::steps());
    steps
}

#[rustfmt::skip]
const BARE: [&str; 7] = [
    "build", "--package", "statewright-rom", "--package", "statewright-kernel", "--target", BARE_TARGET,
];
#[rustfmt::skip]
const WEB: [&str; 7] = [
    "check", "--package", "statewright", "--package", "statewright-language", "--target", WEB_TARGET,
];
/// What `tests` builds, too: one of its programs, by name.
#[rustfmt::skip]
const EDITOR: [&str; 6] = ["test", "--workspace", "--features", TESTED_FEATURES, "--test", "neovim"];
/// With the toggles of the fast paths, so that the tests of those run, too, and with vectors of
/// `glam`; the proofs are without them.
const TESTED_FEATURES: &str = "statewright-differential/toggles,statewright/glam";
#[rustfmt::skip]
const DENY: [&str; 7] = ["deny", "--offline", "--all-features", "check", "bans", "licenses", "sources"];

/// One run with everything on: what is only there without a feature the step `features` compiles.
fn lint() -> Step {
    #[rustfmt::skip]
    let arguments = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    Step::cargo("lint", &arguments).about("no warning of compiler and clippy")
}

/// One command for tests, examples and code in documentation: they share one build.
fn tests() -> Step {
    Step::cargo(
        "tests",
        &["test", "--workspace", "--features", TESTED_FEATURES],
    )
    .about("tests of all crates, fixtures, examples and code in documentation")
}

/// With the features of `lint`, whose builds of other people's crates it shares.
fn documentation() -> Step {
    #[rustfmt::skip]
    let arguments = ["doc", "--workspace", "--all-features", "--no-deps", "--document-private-items"];
    Step::cargo("documentation", &arguments)
        .about("the documentation builds, and no link in it leads nowhere")
        .env("RUSTDOCFLAGS", "-D warnings")
}

/// In release, where nothing of the steps before is built. So it is begun ahead: it uses what lint and tests leave
/// of the processor.
fn programs() -> Step {
    let programs = crate::bench::PROGRAMS.into_iter();
    let programs = programs.chain(crate::prove::PROGRAMS);
    let arguments: Vec<&str> = ["build", "--release"]
        .into_iter()
        .chain(programs.flat_map(|program| ["--bin", program]))
        .collect();
    Step::cargo("programs", &arguments)
        .about("the programs of all gates and proofs are built, at once, from the beginning on")
        .ahead()
}

/// Rewrites all expectations.
pub fn bless() -> Result<(), String> {
    let tests = ["test", "--workspace", "--no-fail-fast"];
    let step = Step::cargo("bless", &tests)
        .about("every committed expectation is written anew; look at `git diff`")
        .env("BLESS", "1");
    run(vec![step], false)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all() -> Vec<Step> {
        let mut all = steps();
        all.extend(crate::prove::long_steps());
        all
    }

    #[test]
    fn every_step_has_a_name_of_its_own_and_says_what_it_is_for() {
        let names: BTreeSet<&str> = all().iter().map(|step| step.name).collect();
        assert_eq!(names.len(), all().len());
        assert!(all().iter().all(|step| !step.about.is_empty()));
    }

    #[test]
    fn an_exact_name_chooses_one_step_and_a_part_of_it_all_that_have_it() {
        assert_eq!(chosen(all(), "tests").unwrap().len(), 1);
        assert!(chosen(all(), "proof").unwrap().len() > 3);
        assert!(chosen(all(), "no such step").is_none());
    }
}
