//! `cargo xtask prove`, `reloads`, `crowds`, `tapes`, `charts` and `mistakes`: the long proofs, in release.

use crate::steps::{Step, cargo};

/// Programs are named without their package: so dependencies have the features that the whole
/// workspace asks for, and all programs share one build of everything below them.
const PROVE: [&str; 4] = ["run", "--release", "--bin", "prove"];
/// The same in a build whose fast paths can be switched off.
const TOGGLES: [&str; 2] = ["--features", "statewright-differential/toggles"];
const RELOADS: [&str; 4] = ["run", "--release", "--bin", "reloads"];
const CROWDS: [&str; 4] = ["run", "--release", "--bin", "crowds"];
const CHARTS: [&str; 4] = ["run", "--release", "--bin", "charts"];
/// A small program that builds and runs the long part, in release, by itself.
const MISTAKES: [&str; 3] = ["run", "--bin", "mistakes"];

/// What the proofs run, but for the mistakes, which have a build of their own.
pub const PROGRAMS: [&str; 4] = [PROVE[3], RELOADS[3], CROWDS[3], CHARTS[3]];

/// Shows that mistakes of the kernel are seen, with the given arguments.
pub fn mistakes(arguments: &[String]) -> Result<(), String> {
    hand_over("mistakes", &MISTAKES, arguments)
}

/// Runs the proofs about crowds with the given arguments.
pub fn crowds(arguments: &[String]) -> Result<(), String> {
    hand_over("crowds", &CROWDS, arguments)
}

/// Runs the proofs about tapes with the given arguments.
pub fn tapes(arguments: &[String]) -> Result<(), String> {
    let only = ["--tapes".to_owned()];
    hand_over("tapes", &CROWDS, &[&only[..], arguments].concat())
}

/// Maps agents of random machines to edited versions, with the given arguments.
pub fn reloads(arguments: &[String]) -> Result<(), String> {
    hand_over("reloads", &RELOADS, arguments)
}

/// Runs random SCXML documents with the given arguments.
pub fn charts(arguments: &[String]) -> Result<(), String> {
    hand_over("charts", &CHARTS, arguments)
}

fn hand_over(name: &str, command: &[&str], arguments: &[String]) -> Result<(), String> {
    let status = cargo().args(command).arg("--").args(arguments).status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("==> {name} ended with an error, see above"))
    }
}

/// Runs the prover with the given arguments; `--plain` needs a build with toggles.
pub fn prove(arguments: &[String]) -> Result<(), String> {
    let plain = arguments.iter().any(|argument| argument == "--plain");
    let features: &[&str] = if plain { &TOGGLES } else { &[] };
    hand_over("prove", &[&PROVE, features].concat(), arguments)
}

fn step(name: &'static str, program: &[&'static str], arguments: &[&'static str]) -> Step {
    Step::cargo(name, &[program, &["--"], arguments].concat())
}

/// What CI proves: random machines (and the stack that ticks use), the exhaustive small scope,
/// crowds, random SCXML documents, and that the alarm works. That fast paths change nothing and
/// that nothing is allocated is among the tests.
pub fn steps() -> Vec<Step> {
    let random = ["--machines", "10000", "--ticks", "1000"];
    // A few of a hundred stop at limits of the engine, so that at least 10,000 run to their end.
    let documents = ["--documents", "11000"];
    vec![
        step("proof: random machines", &PROVE, &random)
            .about("the kernel does what the reference interpreter does, on random machines"),
        step("proof: small scope", &PROVE, &["--small", "6"])
            .about("the same on all machines of a few states"),
        step("proof: reloads", &RELOADS, &["--cases", "2000"])
            .about("agents live on in edited machines as the reference interpreter says"),
        // Each seed runs in every number of threads and every size of chunks; a difference between
        // those shows with any seed.
        step("proof: crowds", &CROWDS, &["--seeds", "5"])
            .about("sleeping, threads, chunks and rollback change no byte of a crowd"),
        step("proof: tapes", &CROWDS, &["--tapes"])
            .about("recorded crowds run again to the same bytes; a changed bit is found by name"),
        step("proof: SCXML documents", &CHARTS, &documents)
            .about("imported SCXML does what the recommendation says, on random documents"),
        Step::cargo("proof: mistakes on purpose", &MISTAKES)
            .about("mistakes in the kernel are found: the alarm works"),
    ]
}

/// What takes too long for CI: the same proofs with more and other seeds, and what follows from
/// others. Without fast paths the kernel does what the oracle does, because with them it does
/// (`proof: random machines`) and each of them changes nothing (a test).
pub fn long_steps() -> Vec<Step> {
    let plain = [&PROVE[..], &TOGGLES].concat();
    #[rustfmt::skip]
    let (many, other, tapes, allocations, hashes, fused) = (
        ["--first", "100000", "--machines", "100000", "--ticks", "1000"],
        ["--first", "200000", "--machines", "20000", "--ticks", "1000", "--plain"],
        ["--tapes", "--worlds", "1000", "--ticks", "1000", "--trials", "10000", "--every-way"],
        ["test", "--release", "--package", "statewright-differential", "--test", "allocations"],
        ["test", "--release", "--package", "statewright-differential", "--test", "hashes"],
        ["test", "--release", "--package", "statewright-fused-proof"],
    );
    vec![
        step("long: random machines", &PROVE, &many).about("a hundred thousand other machines"),
        step("long: random machines, plain", &plain, &other)
            .about("twenty thousand without any fast path"),
        step(
            "long: small scope, plain",
            &plain,
            &["--small", "6", "--plain"],
        )
        .about("all small machines without any fast path"),
        step(
            "long: reloads",
            &RELOADS,
            &["--first", "100000", "--cases", "200000"],
        )
        .about("two hundred thousand other pairs of machines"),
        Step::cargo("long: crowds", &CROWDS).about("four times as many seeds for threads"),
        step("long: tapes", &CROWDS, &tapes).about("a thousand worlds, ten thousand changed bits"),
        Step::cargo("long: no allocation", &allocations)
            .about("ten million ticks of agents allocate nothing in release"),
        Step::cargo("long: structure hash", &hashes)
            .about("bytes mean the same where the hash is the same, on ten times as many edits")
            .env("STATEWRIGHT_LONG", "1"),
        Step::cargo("long: machines as code", &fused)
            .about("sixty machines as code, a hundred thousand ticks each")
            .env("STATEWRIGHT_LONG", "1"),
    ]
}
