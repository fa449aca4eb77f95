//! Guards and scorers only look.

use statewright::prelude::*;

#[derive(Board)]
struct Body {
    health: i32,
}

#[functions]
impl Body {
    #[guard]
    fn is_hurt(&mut self) -> bool {
        self.health -= 1;
        self.health < 30
    }

    #[scorer]
    fn danger(&self, cx: &mut ActionCx) -> f32 {
        let _ = act;
        0.0
    }
}

fn main() {}
