//! `cargo xtask bench`.

use crate::steps::{Step, cargo, run};

/// Programs are named without their package, as in `prove`: they share one build.
const BENCH: [&str; 4] = ["run", "--release", "--bin", "bench"];

const CROWD: [&str; 4] = ["run", "--release", "--bin", "crowd-bench"];

/// What the gates run.
pub const PROGRAMS: [&str; 2] = [BENCH[3], CROWD[3]];

/// Runs the benchmarks of the kernel with the given arguments, and without any or with `--quick`
/// alone those of commands and crowds as well; with `--compile` those of the compiler and the
/// loader, with `--crowd` those of crowds, with `--tape` those of recording and replay, with `--rollback` those of going back, with `--symbols` what is compiled once and what per
/// host.
pub fn bench(arguments: &[String]) -> Result<(), String> {
    if arguments == ["--symbols"] {
        return crate::symbols::symbols();
    }
    let without = |flag: &str| {
        let (found, rest): (Vec<&String>, Vec<&String>) =
            arguments.iter().partition(|&argument| argument == flag);
        (!found.is_empty()).then_some(rest)
    };
    if arguments.iter().all(|argument| argument == "--quick") {
        kernel(arguments)?;
        println!("\ncommands");
        kernel(&["--commands".to_owned()])?;
        println!();
        return crowd(&arguments.iter().collect::<Vec<_>>());
    }
    let of_crowds = ["--tape", "--rollback"];
    if arguments
        .iter()
        .any(|argument| of_crowds.contains(&argument.as_str()))
    {
        return crowd(&arguments.iter().collect::<Vec<_>>());
    }
    match (without("--crowd"), without("--compile")) {
        (Some(rest), _) => crowd(&rest),
        (None, Some(rest)) => compile(&rest),
        (None, None) => kernel(arguments),
    }
}

fn crowd(arguments: &[&String]) -> Result<(), String> {
    let status = cargo().args(CROWD).arg("--").args(arguments).status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("==> bench ended with an error, see above".to_owned())
    }
}

fn kernel(arguments: &[String]) -> Result<(), String> {
    let toggles = arguments
        .iter()
        .any(|argument| argument.starts_with("--without"));
    let features: &[&str] = if toggles {
        &["--features", "statewright-bench/toggles"]
    } else {
        &[]
    };
    let status = cargo()
        .args(BENCH)
        .args(features)
        .arg("--")
        .args(arguments)
        .status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("==> bench ended with an error, see above".to_owned())
    }
}

fn compile(arguments: &[&String]) -> Result<(), String> {
    let quick = match arguments {
        [] => "",
        [only] if *only == "--quick" => "1",
        _ => {
            return Err(
                "`cargo xtask bench --compile` takes `--quick` and nothing else".to_owned(),
            );
        }
    };
    let step = Step::cargo(
        "bench",
        &[
            "bench",
            "--package",
            "statewright-compile",
            "--bench",
            "compile",
        ],
    );
    let step = step.about("what compiler and loader cost");
    run(vec![step.env("STATEWRIGHT_BENCH_QUICK", quick)], false)
}

/// What CI holds: the kernel needs no more instructions than committed, an event of a crowd neither, and a
/// world hardly more than its crowds.
pub fn gates() -> [Step; 2] {
    let gate = |name, program: [&'static str; 4]| {
        let arguments: Vec<&str> = program.iter().copied().chain(["--", "--gate"]).collect();
        Step::cargo(name, &arguments)
    };
    [
        gate("instruction gate", BENCH)
            .about("the kernel needs no more instructions than committed"),
        gate("world gate", CROWD).about(
            "an event of a crowd, and a world beside its crowds alone, cost no more than they may",
        ),
    ]
}
