//! The pedestrian's blackboard. There are no functions: all decisions are expressions of the file.

use statewright::Saved;
use statewright::prelude::*;

/// The blackboard.
#[derive(Clone, Debug, Default, PartialEq, Board, Saved)]
pub struct Person {
    /// From 0 grumpy to 1 sunny.
    pub mood: f32,
    /// How loud the last bang was.
    pub fear: f32,
    /// Whether red lights count.
    pub hurry: bool,
}

/// None; but with a type to belong to, the machine is written as code.
#[functions]
impl Person {}
