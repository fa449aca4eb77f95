//! The exhaustive small scope on both engines: every tree shape, every source, target, kind and
//! history (EXEC-2 to EXEC-4).

use std::collections::BTreeMap;

use statewright_generator::scope::{Memory, Shape, Small, machine, shapes};
use statewright_generator::to_text;

use crate::compare::run_script;
use crate::machine::CompiledCase;
use crate::script::{Outside, ScriptStep};
use crate::scripted_user_code::ScriptedUserCode;

/// What an exhaustive run did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Machines.
    pub machines: u64,
    /// Transitions tried, each from several configurations.
    pub moves: u64,
    /// Transitions carried out.
    pub transitions: u64,
    /// Most bytes of stack that a tick used.
    pub deepest_stack: usize,
}

/// Every machine with so many states below the root.
pub fn all(states: usize) -> Vec<(Shape, Memory)> {
    shapes(states)
        .into_iter()
        .flat_map(|shape| Memory::ALL.map(|memory| (shape.clone(), memory)))
        .collect()
}

/// Tries every transition of a machine from several configurations; the problem is a text for
/// people.
pub fn run(shape: &Shape, memory: Memory) -> Result<Count, String> {
    let small = machine(shape, memory);
    let text = || to_text(&small.machine);
    let compiled = CompiledCase::new(small.machine.clone())
        .map_err(|problem| format!("{problem}\n{}", text()))?;
    let user_code = ScriptedUserCode::given(BTreeMap::new(), Vec::new());
    let tally = run_script(&compiled, 1, user_code, script(&small)).map_err(|found| {
        format!(
            "{}\nafter {} ticks at {:?}\n{}",
            found.what,
            found.after_ticks,
            found.script.last(),
            text()
        )
    })?;
    let moves = small.moves.len() as u64;
    let least = moves * small.states as u64;
    if tally.counters.transitions < least {
        return Err(format!(
            "{} transitions, expected at least {least}\n{}",
            tally.counters.transitions,
            text()
        ));
    }
    let (transitions, deepest_stack) = (tally.counters.transitions, tally.deepest_stack);
    Ok(Count {
        machines: 1,
        moves,
        transitions,
        deepest_stack,
    })
}

/// For each move and each state: go to that state, then to the source, then take the move.
fn script(small: &Small) -> impl Iterator<Item = ScriptStep> + '_ {
    let event = |event: usize| Outside {
        event,
        class: None,
        payload: [0; 4],
    };
    let to = move |state: usize| state.checked_sub(1).map(event);
    let inboxes = small.moves.iter().flat_map(move |one| {
        (1..=small.states).map(move |state| {
            [to(state), to(one.source), Some(event(one.event))]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        })
    });
    inboxes
        .zip(0_u32..)
        .map(|(inbox, now)| ScriptStep::Tick(now, inbox))
}
