//! `cargo xtask mistakes`: builds the prover with the copy of the kernel and runs it once per
//! mistake. Every one must be seen, and without a mistake nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use clap::Parser;
use statewright_mistakes::list::List;
use statewright_mistakes::{all, copy, root};

/// Every mistake must be seen within so many machines.
const MACHINES: &str = "10000";
/// How many are tried from the one on that saw a mistake before.
const MACHINES_AROUND: &str = "16";
/// Machines that must do the same without a mistake.
const MACHINES_WITHOUT: &str = "200";
/// Ticks of each.
const TICKS: &str = "300";
/// Reloads in which a mistake must be seen.
const RELOADS: &str = "6000";
/// Parts that are compared with the same states written out.
const PARTS: &str = "100";

/// Without packages, so that programs share the build of the other proofs, and that of one another.
const BUILD: [&str; 3] = [
    "build",
    "--release",
    "--message-format=json-render-diagnostics",
];
/// Compares kernel and oracle.
const PROVER: &str = "prove";
/// Machines as code whose generator makes mistakes.
const CODE: &str = "fused-mistakes";
const CHECK: [&str; 11] = [
    "check",
    "--package",
    "statewright-kernel",
    "--package",
    "statewright-compile",
    "--package",
    "statewright-author",
    "--package",
    "statewright-reload",
    "--package",
    "statewright-fuse",
];
const FIXTURES: [&str; 5] = [
    "test",
    "--package",
    "statewright-differential",
    "--test",
    "fixtures",
];

const BROKEN: &str = "an edit of proof/mistakes/mistakes.md does not compile: see above, the path \
                      below `kernel_with_mistakes`, `compiler_with_mistakes`, `author_with_mistakes`, `reload_with_mistakes` or `fuse_with_mistakes` is that of the original";

/// Shows that kernel against oracle sees each mistake of `proof/mistakes/mistakes.md`.
#[derive(Parser)]
#[command(name = "cargo xtask mistakes", bin_name = "cargo xtask mistakes")]
struct Arguments {
    /// Only these mistakes.
    names: Vec<String>,
    /// Instead: only whether the copy with all mistakes compiles.
    #[arg(long)]
    check: bool,
    /// Instead: run the cases of `proof/fixtures` with the first of them; cases of its rule must fail.
    #[arg(long, requires = "names")]
    fixtures: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, String> {
    let list = all()?;
    let numbers = chosen(&list, &arguments.names)?;
    let workspace = copy::write(&list)?;
    if arguments.check {
        return check(&workspace);
    }
    if arguments.fixtures {
        return fixtures(&workspace, numbers[0]);
    }
    let is_code = |number: &u8| list.mistake(*number).is_some_and(|one| one.in_code);
    let (in_code, numbers): (Vec<u8>, Vec<u8>) = numbers.into_iter().partition(is_code);
    let (start, count) = (Instant::now(), numbers.len() + in_code.len());
    build(&workspace, &list, &in_code, !numbers.is_empty())?;
    let mut missed = search_code(&workspace, &list, &in_code)?;
    if numbers.is_empty() && missed.is_empty() {
        return Ok(format!("{count} mistakes of the generator, each seen"));
    }
    let prover = workspace.join(PROVER);
    for number in numbers {
        let (start, name) = (Instant::now(), list.name(number));
        match search(&prover, &list, number)? {
            Some(said) => println!("{name}: {said} ({:.1} s)", start.elapsed().as_secs_f32()),
            None => missed.push(name),
        }
    }
    if !missed.is_empty() {
        return Err(format!(
            "not seen within {MACHINES} machines, or by machines as code: {}",
            missed.join(", ")
        ));
    }
    let without = first_difference(&prover, 0, 0, MACHINES_WITHOUT)?;
    let reloads = difference(&prover, 0, &["--reloads", RELOADS])?;
    if let Some(said) = without.or(difference_in_parts(&prover, 0)?).or(reloads) {
        return Err(format!("without a mistake nothing must differ, but {said}"));
    }
    let time = start.elapsed().as_secs_f32();
    Ok(format!(
        "{count} mistakes, each seen; without one nothing differs ({time:.0} s)"
    ))
}

/// The numbers of some names, of all if there are none.
fn chosen(list: &List, names: &[String]) -> Result<Vec<u8>, String> {
    let known = || (1_u8..).zip(&list.mistakes);
    if names.is_empty() {
        return Ok(known().map(|(number, _)| number).collect());
    }
    let number = |name: &String| {
        let found = known().find(|(_, mistake)| mistake.name == *name);
        let all = || {
            known()
                .map(|(_, mistake)| mistake.name.as_str())
                .collect::<Vec<_>>()
        };
        found.map(|(number, _)| number).ok_or_else(|| {
            format!(
                "no mistake is named `{name}`, there are: {}",
                all().join(", ")
            )
        })
    };
    names.iter().map(number).collect()
}

/// A cargo command on the workspace with the copy in place of the kernel.
fn cargo(workspace: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    command
        .current_dir(workspace)
        .args(arguments)
        .env("CARGO_TARGET_DIR", root().join(target));
    command
}

/// The names of those mistakes of the generator of fused machines that nobody sees: each has machines as code
/// that it changes, in one program for all of them.
fn search_code<'l>(
    workspace: &Path,
    list: &'l List,
    numbers: &[u8],
) -> Result<Vec<&'l str>, String> {
    let program = workspace.join(CODE);
    let mut missed = Vec::new();
    for &number in numbers {
        // The kernel may make it, too, below the code.
        let run = Command::new(&program)
            .arg(number.to_string())
            .env("MISTAKE", number.to_string())
            .output()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        if !run.status.success() {
            return Err("the program of machines as code failed".to_owned());
        }
        match String::from_utf8_lossy(&run.stdout).trim() {
            "" => missed.push(list.name(number)),
            by => println!("{}: {by}", list.name(number)),
        }
    }
    Ok(missed)
}

/// Builds what is asked for in one go, and puts the programs beside the copy, where no other build
/// replaces them.
fn build(workspace: &Path, list: &List, in_code: &[u8], prover: bool) -> Result<(), String> {
    let mut command = cargo(workspace, &BUILD);
    if prover {
        command.args(["--bin", PROVER]);
    }
    if !in_code.is_empty() {
        let mistakes = with_machines(list, in_code);
        command
            .args(["--bin", CODE])
            .env("FUSED_MISTAKES", mistakes);
    }
    let messages = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !messages.status.success() {
        return Err(BROKEN.to_owned());
    }
    let messages = String::from_utf8_lossy(&messages.stdout);
    for built in messages.lines().filter_map(executable) {
        let name = built.file_stem().ok_or("a program without a name")?;
        fs::copy(&built, workspace.join(name))
            .map_err(|error| format!("cannot copy the program: {error}"))?;
    }
    Ok(())
}

/// Mistakes of the generator, each with the machine that saw it before.
fn with_machines(list: &List, numbers: &[u8]) -> String {
    let named = numbers.iter().map(|number| {
        let mistake = list.mistake(*number);
        let machine = mistake.and_then(|mistake| mistake.machine.clone());
        let seed = mistake.and_then(|mistake| mistake.seed);
        let name = machine.or_else(|| seed.map(|seed| seed.to_string()));
        name.map_or_else(|| number.to_string(), |name| format!("{number}:{name}"))
    });
    named.collect::<Vec<_>>().join(",")
}

/// The program that a message of cargo tells of.
fn executable(message: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    message.get("executable")?.as_str().map(PathBuf::from)
}

/// Who sees a mistake: around the machine that did before, else among all.
fn search(prover: &Path, list: &List, number: u8) -> Result<Option<String>, String> {
    if list.mistake(number).is_some_and(|mistake| mistake.in_parts) {
        return difference_in_parts(prover, number);
    }
    if list
        .mistake(number)
        .is_some_and(|mistake| mistake.in_reloads)
    {
        return difference(prover, number, &["--reloads", RELOADS]);
    }
    if let Some(seed) = list.mistake(number).and_then(|mistake| mistake.seed) {
        if let Some(said) = first_difference(prover, number, seed, MACHINES_AROUND)? {
            return Ok(Some(said));
        }
        let name = list.name(number);
        println!("{name}: seed {seed} does not see it any more, the search takes longer");
    }
    first_difference(prover, number, 0, MACHINES)
}

/// What the prover says of the first machine from a seed on that differs, if one does.
fn first_difference(
    prover: &Path,
    number: u8,
    first: u64,
    machines: &str,
) -> Result<Option<String>, String> {
    let first = first.to_string();
    #[rustfmt::skip]
    let arguments = ["--machines", machines, "--ticks", TICKS, "--first", &first];
    difference(prover, number, &arguments)
}

/// What it says of the first part that does not do what the same states do that are written out.
fn difference_in_parts(prover: &Path, number: u8) -> Result<Option<String>, String> {
    difference(prover, number, &["--parts", PARTS])
}

fn difference(prover: &Path, number: u8, arguments: &[&str]) -> Result<Option<String>, String> {
    let run = Command::new(prover)
        .arg("--brief")
        .args(arguments)
        .env("MISTAKE", number.to_string())
        .output()
        .map_err(|error| format!("cannot start the prover: {error}"))?;
    let said = String::from_utf8_lossy(&run.stderr).trim().to_owned();
    match run.status.success() {
        true => Ok(None),
        // Anything else is no difference but a prover that does not work.
        false if said.starts_with("seed ") => Ok(Some(said)),
        false => Err(format!("the prover failed: {said}")),
    }
}

fn check(workspace: &Path) -> Result<String, String> {
    let status = cargo(workspace, &CHECK).status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok("kernel, compiler and author with all their mistakes compile".to_owned()),
        false => Err(BROKEN.to_owned()),
    }
}

fn fixtures(workspace: &Path, number: u8) -> Result<String, String> {
    let mut command = cargo(workspace, &FIXTURES);
    let status = command.env("MISTAKE", number.to_string()).status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Err("no case fails with this mistake".to_owned()),
        false => Ok("the cases above see the mistake".to_owned()),
    }
}
