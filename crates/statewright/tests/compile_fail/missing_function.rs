//! The machine calls what nobody wrote, and something that is of another kind.

use statewright::prelude::*;

#[derive(Board)]
struct Body;

#[functions]
impl Body {
    #[action]
    fn is_hurt(&self) {}

    #[action]
    fn shout(&self, power: i32) {
        let _ = power;
    }
}

statewright::machine!(mod guard = "guard.sw.json", functions = Body);

fn main() {
    let _ = guard::machine();
}
