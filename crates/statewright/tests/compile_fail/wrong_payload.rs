//! Events of a machine file that are sent with what they do not carry, and to a context that
//! borrows nothing.

use statewright::prelude::*;

statewright::machine!(mod guard = "guard.sw.json");

type Nothing = borrowed!(u32);

fn main() {
    let machine = guard::machine();
    let mut guards = Crowd::new(machine.bind(Functions::<(), ()>::new()).unwrap(), 1);
    let agent = guards.spawn(());
    let _ = guards.send(agent, guard::events::SIGHT, 2.5_f32);
    let _ = guards.broadcast(guard::events::SIGHT, "loud");
}
