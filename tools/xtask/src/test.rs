//! `cargo xtask test` and `cargo xtask bless`.

use std::process::{Command, Stdio};

use crate::steps::{Step, run};

/// A processor without an operating system, to prove that `rom` and `kernel` need no std.
const BARE_TARGET: &str = "thumbv7em-none-eabi";

/// Runs everything that must hold.
pub fn test(only: Option<&str>) -> Result<(), String> {
    let mut steps = vec![
        Step::cargo("format", &["fmt", "--all", "--check"]),
        Step::cargo(
            "lint",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
        ),
        Step::cargo(
            "lint with all features",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--all-features",
                "--",
                "-D",
                "warnings",
            ],
        ),
        // A test runs them; `--all-targets` would build them as tests.
        Step::cargo(
            "examples",
            &["build", "--package", "statewright", "--examples"],
        ),
        Step::cargo("tests", &["test", "--workspace", "--all-targets"]),
        Step::cargo("doc tests", &["test", "--workspace", "--doc"]),
        Step::cargo(
            "documentation",
            &[
                "doc",
                "--workspace",
                "--no-deps",
                "--document-private-items",
            ],
        )
        .env("RUSTDOCFLAGS", "-D warnings"),
        Step::cargo(
            "rom without alloc",
            &[
                "build",
                "--package",
                "statewright-rom",
                "--no-default-features",
            ],
        ),
    ];
    if only.is_none_or(|only| "core without std".contains(only)) {
        match bare_target() {
            true => steps.push(Step::cargo(
                "core without std",
                &[
                    "build",
                    "--package",
                    "statewright-rom",
                    "--package",
                    "statewright-kernel",
                    "--target",
                    BARE_TARGET,
                ],
            )),
            false => {
                println!("==> core without std: left out, target {BARE_TARGET} cannot be had here")
            }
        }
    }
    if only.is_none_or(|only| "instruction gate".contains(only)) {
        match valgrind() {
            true => steps.push(crate::bench::gate()),
            false => println!(
                "==> instruction gate: left out, valgrind is not here (Debian, Ubuntu: `apt install valgrind`)"
            ),
        }
    }
    steps.extend(crate::prove::steps());
    steps.retain(|step| only.is_none_or(|only| step.name.contains(only)));
    if steps.is_empty() {
        return Err(format!("no step is named `{}`", only.unwrap_or_default()));
    }
    run(steps)
}

/// Whether the bare target is installed or can be added.
fn bare_target() -> bool {
    let rustup = |arguments: &[&str]| {
        Command::new("rustup")
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    };
    rustup(&["target", "add", BARE_TARGET]).is_ok_and(|status| status.success())
}

/// Whether instructions can be counted here: valgrind is installed, or can be (Debian packages).
fn valgrind() -> bool {
    let works = |command: &str, arguments: &[&str]| {
        let run = Command::new(command)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        run.is_ok_and(|status| status.success())
    };
    let install = ["install", "--yes", "--no-install-recommends", "valgrind"];
    let sudo: Vec<&str> = ["-n", "apt-get"].into_iter().chain(install).collect();
    let is_here = || works("valgrind", &["--version"]);
    is_here() || ((works("apt-get", &install) || works("sudo", &sudo)) && is_here())
}

/// Rewrites all expectations.
pub fn bless() -> Result<(), String> {
    run(vec![
        Step::cargo(
            "bless",
            &["test", "--workspace", "--tests", "--no-fail-fast"],
        )
        .env("BLESS", "1"),
    ])
}
