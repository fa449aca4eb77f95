//! Random machines for tests: what a seed and a size give is a valid machine that uses every
//! feature now and then.
//!
//! [`machine`] makes one, [`to_text`] writes it as a machine file, [`shrink`](shrink::shrink) makes
//! one that fails a test as small as possible. Depends on the author graph alone: what it generates
//! is judged by others, so it must not share their code.
//!
//! # Code map
//!
//! `rng` chance · [`Size`] knobs · `plan` the tree and its budgets · `refer` how states are named ·
//! `declare` events, keys and the rest · `code` expressions · `action` actions · `aim` targets ·
//! `transition`, `sugar`, `state` the graph · `generator` the machine · [`scope`] all small
//! machines · `write` its text · [`shrink`] smaller ones.
#![forbid(unsafe_code)]

mod action;
mod aim;
mod code;
mod declare;
mod generator;
mod plan;
mod refer;
mod rng;
pub mod scope;
mod seeded;
pub mod shrink;
mod size;
mod state;
mod sugar;
mod text;
mod together;
mod transition;
mod words;
mod write;

pub use rng::Rng;
pub use seeded::of_seed;
pub use size::Size;
pub use write::{to_text, without_spans};

use statewright_author::graph::Machine;

/// The machine of a seed. The same on every platform and in every run.
///
/// It compiles without errors if a tier that is too small is promoted; it may give warnings.
pub fn machine(seed: u64, size: Size) -> Machine {
    generator::Generator::new(seed, size).machine()
}
