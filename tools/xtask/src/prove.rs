//! `cargo xtask prove` and `cargo xtask crowds`: the long proofs, in release.

use crate::steps::{Step, cargo};

const PROVE: [&str; 7] = ["run", "--quiet", "--release", "--package", "statewright-trial", "--bin", "prove"];
/// The same in a build whose fast paths can be switched off.
const SWITCHES: [&str; 2] = ["--features", "switches"];

const CROWDS: [&str; 7] = ["run", "--quiet", "--release", "--package", "statewright-crowds", "--bin", "crowds"];

/// Runs the proofs about crowds with the given arguments.
pub fn crowds(arguments: &[String]) -> Result<(), String> {
    let status = cargo().args(CROWDS).arg("--").args(arguments).status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("==> crowds ended with an error, see above".to_owned()) }
}

/// Runs the prover with the given arguments; `--plain` needs a build with switches.
pub fn prove(arguments: &[String]) -> Result<(), String> {
    let plain = arguments.iter().any(|argument| argument == "--plain");
    let features: &[&str] = if plain { &SWITCHES } else { &[] };
    let status = cargo().args(PROVE).args(features).arg("--").args(arguments).status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("==> prove ended with an error, see above".to_owned()) }
}

/// What CI proves: random machines and the exhaustive small scope, with the fast paths and without (and the stack that ticks use), that
/// the fast paths change nothing, that nothing is allocated, and that the alarm works.
pub fn steps() -> Vec<Step> {
    let prove = |name, features: &[&'static str], arguments: &[&'static str]| {
        Step::cargo(name, &[&PROVE, features, &["--"], arguments].concat())
    };
    let test = |name, feature, test| {
        Step::cargo(
            name,
            &["test", "--release", "--package", "statewright-trial", "--features", feature, "--test", test],
        )
    };
    let allocations = ["test", "--release", "--package", "statewright-trial", "--test", "allocations"];
    let (random, small) = (["--machines", "10000", "--ticks", "1000"], ["--small", "6"]);
    let plain = |arguments: &[&'static str]| [arguments, &["--plain"]].concat();
    vec![
        prove("proof: random machines", &[], &random),
        prove("proof: small scope", &[], &small),
        prove("proof: random machines, plain", &SWITCHES, &plain(&random)),
        prove("proof: small scope, plain", &SWITCHES, &plain(&small)),
        Step::cargo("proof: crowds", &CROWDS),
        test("proof: switches", "switches", "switches"),
        Step::cargo("proof: no allocation", &allocations),
        test("proof: deliberate bugs", "deliberate-bugs", "bugs"),
    ]
}
