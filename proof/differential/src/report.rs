//! A failure for people: seed, the shrunk machine as a file, the step, the first difference.

use statewright_author::graph::Machine;
use statewright_generator::shrink::shrink;
use statewright_generator::to_text;

use crate::compare::{self, Difference, Tally};
use crate::machine::{CompiledCase, of_seed};

/// Runs the machine of a seed; the problem is a text for people.
pub fn prove(seed: u64, ticks: u64) -> Result<Tally, String> {
    let compiled = CompiledCase::new(of_seed(seed)).map_err(|e| format!("seed {seed}: {e}"))?;
    compare::run(&compiled, seed, ticks)
        .map_err(|found| describe(seed, ticks, &compiled.graph, &found))
}

fn describe(seed: u64, ticks: u64, graph: &Machine, found: &Difference) -> String {
    let ticks = (found.after_ticks + 1).min(ticks);
    // Smaller machines are run a little longer: the same script may need more time.
    let differs = |m: &Machine| difference(m, seed, ticks * 2);
    let small = shrink(graph, |m| differs(m).is_some());
    let last = differs(&small).unwrap_or_else(|| found.clone());
    let script: String = last
        .script
        .iter()
        .map(|step| format!("  {step:?}\n"))
        .collect();
    format!(
        "seed {seed}: kernel and oracle differ after {} ticks\n{}\n\nthe script up to there (the last {} of it):\n{script}\n\
         shrunk machine:\n{}\nrepeat with: cargo xtask prove --seed {seed}\n\
         (first seen in the whole machine after {} ticks: {})",
        last.after_ticks,
        last.what,
        last.script.len(),
        to_text(&small),
        found.after_ticks,
        found.what
    )
}

fn difference(graph: &Machine, seed: u64, ticks: u64) -> Option<Difference> {
    let compiled = CompiledCase::new(graph.clone()).ok()?;
    compare::run(&compiled, seed, ticks)
        .err()
        .map(|found| *found)
}
