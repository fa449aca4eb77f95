//! `cargo xtask prove` and `cargo xtask crowds`: the long proofs, in release.

use crate::steps::{Step, cargo};

const PROVE: [&str; 6] = [
    "run",
    "--release",
    "--package",
    "statewright-trial",
    "--bin",
    "prove",
];
/// The same in a build whose fast paths can be switched off.
const SWITCHES: [&str; 2] = ["--features", "switches"];

const CROWDS: [&str; 6] = [
    "run",
    "--release",
    "--package",
    "statewright-crowds",
    "--bin",
    "crowds",
];

const CHARTS: [&str; 6] = [
    "run",
    "--release",
    "--package",
    "statewright-charts",
    "--bin",
    "charts",
];

/// A small program that builds and runs the long part, in release, by itself.
const MISTAKES: [&str; 6] = [
    "run",
    "--quiet",
    "--package",
    "statewright-mistakes",
    "--bin",
    "mistakes",
];

/// Shows that mistakes of the kernel are seen, with the given arguments.
pub fn mistakes(arguments: &[String]) -> Result<(), String> {
    hand_over("mistakes", &MISTAKES, arguments)
}

/// Runs the proofs about crowds with the given arguments.
pub fn crowds(arguments: &[String]) -> Result<(), String> {
    hand_over("crowds", &CROWDS, arguments)
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

/// Runs the prover with the given arguments; `--plain` needs a build with switches.
pub fn prove(arguments: &[String]) -> Result<(), String> {
    let plain = arguments.iter().any(|argument| argument == "--plain");
    let features: &[&str] = if plain { &SWITCHES } else { &[] };
    hand_over("prove", &[&PROVE, features].concat(), arguments)
}

/// What CI proves: random machines, random SCXML documents and the exhaustive small scope, with the
/// fast paths and without (and the stack that ticks use), that the fast paths change nothing, that
/// nothing is allocated, and that the alarm works.
pub fn steps() -> Vec<Step> {
    let prove = |name, features: &[&'static str], arguments: &[&'static str]| {
        Step::cargo(name, &[&PROVE, features, &["--"], arguments].concat())
    };
    let test = |name, feature, test| {
        Step::cargo(
            name,
            &[
                "test",
                "--release",
                "--package",
                "statewright-trial",
                "--features",
                feature,
                "--test",
                test,
            ],
        )
    };
    let allocations = [
        "test",
        "--release",
        "--package",
        "statewright-trial",
        "--test",
        "allocations",
    ];
    let (random, small) = (["--machines", "10000", "--ticks", "1000"], ["--small", "6"]);
    // Without its fast paths the kernel is much slower, and most of it has been seen above.
    let fewer = ["--machines", "3000", "--ticks", "1000"];
    let plain = |arguments: &[&'static str]| [arguments, &["--plain"]].concat();
    vec![
        prove("proof: random machines", &[], &random)
            .about("the kernel does what the reference interpreter does, on random machines"),
        prove("proof: small scope", &[], &small).about("the same on all machines of a few states"),
        prove("proof: random machines, plain", &SWITCHES, &plain(&fewer))
            .about("random machines once more, without any fast path"),
        prove("proof: small scope, plain", &SWITCHES, &plain(&small))
            .about("all small machines once more, without any fast path"),
        Step::cargo("proof: crowds", &CROWDS)
            .about("sleeping, threads, parts and rollback change no byte of a crowd"),
        // A few of a hundred stop at limits of the engine, so that at least 10,000 run to their
        // end.
        Step::cargo(
            "proof: SCXML documents",
            &[&CHARTS[..], &["--", "--documents", "11000"]].concat(),
        )
        .about("imported SCXML does what the recommendation says, on random documents"),
        test("proof: switches", "switches", "switches")
            .about("each fast path alone changes nothing"),
        Step::cargo("proof: no allocation", &allocations).about("a tick allocates nothing"),
        Step::cargo("proof: mistakes on purpose", &MISTAKES)
            .about("mistakes in the kernel are found: the alarm works"),
    ]
}

/// What takes too long for CI: the same proofs with other seeds and more of them.
pub fn long_steps() -> Vec<Step> {
    let long = |name, features: &[&'static str], arguments: &[&'static str]| {
        Step::cargo(name, &[&PROVE, features, &["--"], arguments].concat())
    };
    #[rustfmt::skip]
    let (many, plain) = (
        ["--first", "100000", "--machines", "100000", "--ticks", "1000"],
        ["--first", "200000", "--machines", "20000", "--ticks", "1000", "--plain"],
    );
    vec![
        long("long: random machines", &[], &many).about("a hundred thousand other machines"),
        long("long: random machines, plain", &SWITCHES, &plain)
            .about("twenty thousand without any fast path"),
    ]
}
