//! Blackboards that do not offer what the machine needs: a field is missing, has another type, or
//! one that machine files do not have.

use statewright::prelude::*;

type Speed = f32;

#[derive(Board)]
struct Body {
    health: f32,
    target: Vec<f32>,
    speed: Speed,
}

statewright::machine!(mod keyed = "keyed.sw.json", board = Body);

struct ByHand;

impl Board for ByHand {
    const FIELDS: &'static [(&'static str, statewright::Type)] = &[
        ("health", statewright::Type::I32),
        ("target", statewright::Type::Vec3),
        ("speed", statewright::Type::I32),
    ];
}

#[functions]
impl ByHand {}

statewright::machine!(mod by_hand = "keyed.sw.json", functions = ByHand);

#[derive(Clone, Copy, statewright::Value)]
struct Two(i32, i32);

fn main() {}
