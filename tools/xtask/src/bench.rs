//! `cargo xtask bench`.

use crate::steps::{Step, run};

/// Runs the benchmarks of the compiler and the loader.
pub fn bench(quick: bool) -> Result<(), String> {
    let step = Step::cargo("bench", &["bench", "--package", "statewright-compile", "--bench", "compile"]);
    run(vec![step.env("STATEWRIGHT_BENCH_QUICK", if quick { "1" } else { "" })])
}
