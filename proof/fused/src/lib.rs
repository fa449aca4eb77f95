//! Machines as generated Rust: what `machine!` would write for them, made by the build script. Random ones, and some
//! that were written by hand.
//!
//! The functions of these machines are those of the other proofs, reached by their numbers, so that
//! calls, arguments, commands and bytes can be compared with the kernel's tables and with the
//! reference interpreter. Some of them look at nothing but the blackboard ([`Plainly`]).

use statewright_differential::compare;
use statewright_differential::kernel_side::{ByCode, FusedCode};
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_differential::plainly::Plainly;

/// A machine as code.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Its seed, or the name of its file.
    pub name: &'static str,
    /// The seed that a random one is made of.
    pub seed: u64,
    /// The file of one that was written by hand.
    pub text: Option<&'static str>,
    /// Features of its ROM.
    pub features: u32,
    /// Which of [`SHAPES`] its code has.
    pub shapes: [bool; SHAPES.len()],
    /// The mistake of the generator that its code has; 0 for none.
    pub mistake: u8,
    /// The code.
    pub code: FusedCode,
}

/// What a run of a machine did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ran {
    /// Ticks, of all agents together.
    pub ticks: u64,
    /// What was done by code.
    pub by_code: ByCode,
    /// The same by agents that stand beside each other.
    pub neighbors: ByCode,
}

/// What an agent of a machine that was written by hand meets depends on chance: so many agents are run.
const AGENTS_BY_HAND: u64 = 10;

impl Machine {
    /// Runs agents for so many ticks in all, by code and by tables as it happens, beside the slow path and the
    /// reference interpreter. What was done, or the first difference.
    pub fn run(&self, ticks: u64) -> Result<Ran, String> {
        let graph = self.text.map_or_else(
            || of_seed(self.seed),
            |text| statewright_author::text::read(self.name, text).0,
        );
        let compiled = CompiledCase::new(graph)?;
        let agents = match self.text {
            Some(_) => 0..AGENTS_BY_HAND,
            None => self.seed..self.seed + 1,
        };
        let each = ticks / (agents.end - agents.start);
        let mut ran = Ran::default();
        for seed in agents {
            let tally = compare::run_fused(&compiled, seed, each, self.code);
            let tally = tally.map_err(|difference| {
                let tick = difference.after_ticks;
                match self.text {
                    Some(_) => format!("{}, agent {seed}, tick {tick}: {difference:#?}", self.name),
                    None => format!("seed {seed}, tick {tick}: {difference:#?}"),
                }
            })?;
            ran.ticks += tally.ticks;
            ran.by_code.add(&tally.fused);
            ran.neighbors.add(&tally.neighbors);
        }
        Ok(ran)
    }
}

#[allow(
    missing_docs,
    unused_variables,
    unused_mut,
    unused_parens,
    unused_braces,
    unused_comparisons,
    unreachable_code,
    clippy::all
)]
mod machines {
    use super::{FusedCode, Machine, Plainly};

    // Four megabytes of generated code: looking at all of it takes a minute and says nothing new.
    #[cfg(not(any(clippy, doc)))]
    include!(concat!(env!("OUT_DIR"), "/machines.rs"));
    #[cfg(any(clippy, doc))]
    include!(concat!(env!("OUT_DIR"), "/few.rs"));
}

pub use machines::{MACHINES, SHAPES};
