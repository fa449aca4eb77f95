//! `cargo xtask prove`: the long proofs, in release.

use crate::steps::{Step, cargo};

const PROVE: [&str; 7] = ["run", "--quiet", "--release", "--package", "statewright-trial", "--bin", "prove"];

/// Runs the prover with the given arguments.
pub fn prove(arguments: &[String]) -> Result<(), String> {
    let status = cargo().args(PROVE).arg("--").args(arguments).status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("==> prove ended with an error, see above".to_owned()) }
}

/// What CI proves: random machines and the exhaustive small scope (with the stack that ticks use), that nothing is allocated, and that
/// the alarm works.
pub fn steps() -> Vec<Step> {
    let prove = |name, arguments: &[&str]| {
        let all: Vec<&str> = PROVE.iter().copied().chain(["--"]).chain(arguments.iter().copied()).collect();
        Step::cargo(name, &all)
    };
    let bugs =
        ["test", "--release", "--package", "statewright-trial", "--features", "deliberate-bugs", "--test", "bugs"];
    let allocations = ["test", "--release", "--package", "statewright-trial", "--test", "allocations"];
    vec![
        prove("proof: random machines", &["--machines", "10000", "--ticks", "1000"]),
        prove("proof: small scope", &["--small", "6"]),
        Step::cargo("proof: no allocation", &allocations),
        Step::cargo("proof: deliberate bugs", &bugs),
    ]
}
