//! The machine calls functions with other arguments than they take.

use statewright::prelude::*;

#[derive(Arguments)]
struct Burst {
    rounds: i32,
    spread: f32,
}

#[derive(Board)]
struct Body;

#[functions]
impl Body {
    #[guard]
    fn is_hurt(&self, below: f32) -> bool {
        below > 0.0
    }

    #[action]
    fn shout(&self, power: f32, cx: &mut ActionCx) {
        let _ = (power, cx);
    }

    #[action]
    fn aim(&self, text: &str) {
        let _ = text;
    }

    #[action]
    fn fire(&self, burst: Burst) {
        let _ = (burst.rounds, burst.spread);
    }
}

statewright::machine!(mod gunner = "gunner.sw.json", functions = Body);

fn main() {
    let _ = gunner::machine();
}
