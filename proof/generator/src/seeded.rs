//! The machine of a seed, as the proofs run it.

use std::collections::BTreeSet;

use statewright_author::graph::{Event, Machine};
use statewright_author::span::{Name, Span, Spanned};

use crate::{Rng, Size};

/// The machine of a seed, with caps low enough that a machine that never rests is clamped soon: a
/// tick that repeats itself a thousand times proves no more than one that does so ten times. One in
/// 32 keeps what was generated.
pub fn of_seed(seed: u64) -> Machine {
    // Mostly small: what goes wrong in a large machine goes wrong in a small one, and ten of them
    // run in the same time.
    let size = match seed % 64 {
        0..54 => Size::SMALL,
        54..60 => Size::MEDIUM,
        60..63 => Size::random(&mut Rng::new(!seed)),
        _ => Size::LARGE,
    };
    let mut machine = crate::machine(seed, size);
    if seed % 32 != 30 {
        let mut rng = Rng::new(seed ^ 0xCA9);
        let mut cap = |most: u32| Some(Spanned::new(rng.between(1, most), Span::default()));
        machine.budgets.events_per_tick = cap(5);
        machine.budgets.microsteps_per_tick = cap(7);
        machine.budgets.clamp_limit = cap(6);
    }
    if seed % 8 == 3 {
        announce_completion(&mut machine);
    }
    machine
}

/// Declares the events of completed states (EVT-10), which random machines cannot name.
fn announce_completion(machine: &mut Machine) {
    machine.policies.done_events = Some(Spanned::new(true, Span::default()));
    let mut names = BTreeSet::new();
    let mut open: Vec<_> = machine
        .root
        .regions
        .iter()
        .flat_map(|region| &region.states)
        .collect();
    while let Some(state) = open.pop() {
        if !state.regions.is_empty() {
            names.insert(format!("done.state.{}", state.name.value));
        }
        open.extend(state.regions.iter().flat_map(|region| &region.states));
    }
    let event = |name| Event {
        name: Name::new(name, Span::default()),
        ..Event::default()
    };
    machine.events.extend(names.into_iter().take(6).map(event));
}
