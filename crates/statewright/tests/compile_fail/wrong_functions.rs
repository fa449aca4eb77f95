//! Functions that are none for a machine.

use statewright::prelude::*;

#[derive(Board)]
struct Body;

struct World;

#[functions(context = World)]
impl Body {
    #[guard]
    fn silent(&self) {}

    #[guard]
    fn number(&self) -> i32 {
        1
    }

    #[scorer]
    fn whole(&self) -> i32 {
        1
    }

    #[action]
    fn answers(&self) -> bool {
        true
    }

    #[guard]
    #[action]
    fn both(&self) -> bool {
        true
    }

    #[guard(rgn)]
    fn misspelled(&self) -> bool {
        true
    }

    #[action(rng)]
    fn draws(&self) {}

    #[action]
    async fn later(&self) {}

    #[action]
    unsafe fn danger(&self) {}

    #[action]
    fn generic<T>(&self) {}

    #[action]
    fn nobody() {}

    #[action]
    fn changes_the_world(&self, world: &mut World) {
        let _ = world;
    }

    #[guard(name = "no name")]
    fn unnamed(&self) -> bool {
        true
    }

    #[activity]
    fn ready(&self) -> bool {
        true
    }
}

#[functions(contxt = World)]
impl World {}

#[functions]
mod nobodys {}

fn main() {}
