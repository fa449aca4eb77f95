//! What a machine file cannot pass.

use statewright::prelude::*;

struct Loud;

struct Other;

#[derive(Board)]
struct Body;

#[functions]
impl Body {
    #[action]
    fn count(&mut self, steps: u32) {
        let _ = steps;
    }

    #[action]
    fn shout(&self, how: Loud) {
        let _ = how;
    }

    #[guard]
    fn is_near(&self, point: (f32, f32), other: &Other) -> bool {
        let _ = (point, other);
        true
    }

    #[guard]
    fn is_late(&self, mode: Mode) -> bool {
        let _ = mode;
        true
    }
}

fn main() {}
