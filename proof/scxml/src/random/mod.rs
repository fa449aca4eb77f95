//! Random documents and steps to drive them. The same seed and limits give the same text on every
//! platform.

mod aim;
mod condition;
mod content;
mod generator;
mod plan;
mod rng;
mod steps;
mod transition;
mod write;

pub use steps::{Step, random_events};

use generator::Generator;

/// What a random document may use at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// State, parallel and final elements.
    pub states: usize,
    /// Levels of states below the document.
    pub depth: usize,
    /// Leaves that can be active at once; most documents stay at 4.
    pub leaves: usize,
    /// Event names, without those of done events.
    pub events: usize,
    /// Elements of the kinds `raise` and `send` without delay in the whole document.
    pub raises: usize,
    /// Of a hundred states, how many have an id with a dot in it.
    pub dotted_ids: usize,
    /// Whether there are delayed sends.
    pub delays: bool,
    /// Whether there are data, with assignments and comparisons.
    pub data: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            states: 24,
            depth: 5,
            leaves: 8,
            events: 6,
            raises: 4,
            dotted_ids: 3,
            delays: true,
            data: true,
        }
    }
}

/// The text of the document of a seed. It is valid, every state has an id, and nearly everything it
/// does leaves a log.
pub fn random_document(seed: u64, limits: &Limits) -> String {
    Generator::new(seed, limits).document()
}
