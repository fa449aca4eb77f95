//! The name of an event with two letters swapped.

statewright::machine!(mod guard = "guard.sw.json");

fn main() {
    let _ = guard::events::SIHGT;
}
