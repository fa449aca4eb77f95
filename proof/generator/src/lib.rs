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
//! `transition`, `sugar`, `state` the graph · `extra`, `nest`, `together` what chance hardly ever
//! makes · `generator` the machine · [`scope`] all small machines · `write` its text · [`shrink`]
//! smaller ones.
#![forbid(unsafe_code)]

mod action;
mod aim;
mod code;
mod declare;
mod extra;
mod generator;
mod nest;
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
use statewright_author::span::{Span, Spanned};

/// The machine of a seed. The same on every platform and in every run.
///
/// It compiles without errors if a tier that is too small is promoted; it may give warnings.
pub fn machine(seed: u64, size: Size) -> Machine {
    let mut machine = generator::Generator::new(seed, size).machine();
    // It is about reloads alone. Few have it, because most agents are to live on, and no random number is drawn
    // for it, so that all else stays as it was.
    let resets = match seed % 64 {
        5 => Some(true),
        9 => Some(false),
        _ => None,
    };
    machine.policies.reload_resets = resets.map(|resets| Spanned::new(resets, Span::default()));
    machine
}
