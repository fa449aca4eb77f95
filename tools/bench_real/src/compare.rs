//! All contenders have the same outcome, or there is no figure.

use std::collections::HashSet;

use statewright::{Machine, StateHandle};
use statewright_rom::layout::StateKind;

use super::contender::{Contender, Outcome};
use super::machine::{Drive, Real, contenders};

/// What was compared: equal outcomes mean little where nothing happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Transitions of all agents.
    pub transitions: u64,
    /// Commands of all agents.
    pub commands: u64,
    /// States without children that nobody was in after any tick.
    pub unseen: Vec<String>,
}

/// Runs all contenders and compares them after every tick.
pub fn compare<R: Real>(drive: &Drive) -> Result<Seen, String> {
    let machine = R::machine();
    let ticks = [
        drive.warm_up_ticks::<R>(&machine),
        drive.measured_ticks::<R>(&machine),
    ];
    let mut all = contenders::<R>(drive.agents)?;
    same(&all, "at the start")?;
    let (mut seen, mut leaves) = (Seen::default(), HashSet::new());
    for (number, inbox) in ticks.iter().flatten().enumerate() {
        all.iter_mut().for_each(|contender| contender.tick(inbox));
        let outcome = same(&all, &format!("after tick {}", number + 1))?;
        seen.transitions = outcome.transitions;
        seen.commands += outcome.commands.len() as u64;
        leaves.extend(outcome.leaves.iter().flatten().map(|leaf| leaf.id()));
    }
    let unseen = childless(&machine).into_iter();
    let unseen = unseen.filter(|(state, _)| !leaves.contains(&state.id()));
    seen.unseen = unseen.map(|(_, name)| name).collect();
    Ok(seen)
}

/// States that agents can be in without being in a state inside: no choices.
fn childless(machine: &Machine) -> Vec<(StateHandle, String)> {
    let names: Vec<(StateHandle, &str)> = machine.states().collect();
    let rom = machine.rom();
    let is_choice = |state: StateHandle| {
        let record = rom.state(state.id());
        record.is_some_and(|record| record.kind == StateKind::Choice)
    };
    let is_outer = |name: &str| {
        let inside = |other: &str| other.strip_prefix(name)?.strip_prefix('/').map(drop);
        name.is_empty() || names.iter().any(|(_, other)| inside(other).is_some())
    };
    let own = names
        .iter()
        .filter(|&&(state, name)| !is_choice(state) && !is_outer(name));
    own.map(|&(state, name)| (state, name.to_owned())).collect()
}

/// The outcome of all, if it is the same; `when` is for the message.
pub fn same<R: Real>(all: &[Box<dyn Contender<R>>], when: &str) -> Result<Outcome<R>, String> {
    let (first, others) = all.split_first().ok_or("nobody takes part")?;
    let expected = first.outcome();
    for other in others {
        if let Some(difference) = difference(&expected, &other.outcome()) {
            let (name, first, other) = (R::NAME, first.name(), other.name());
            return Err(format!(
                "{name} {when}: {first} and {other} differ: {difference}"
            ));
        }
    }
    Ok(expected)
}

/// What is different first.
fn difference<R: Real>(one: &Outcome<R>, other: &Outcome<R>) -> Option<String> {
    if one == other {
        return None;
    }
    for place in 0..one.leaves.len() {
        let of = |outcome: &Outcome<R>| {
            let is_own = |command: &&(u32, R::Command)| command.0 as usize == place;
            let said: Vec<_> = outcome.commands.iter().filter(is_own).copied().collect();
            let (leaves, board) = (&outcome.leaves[place], &outcome.boards[place]);
            (leaves.clone(), board.clone(), outcome.chances[place], said)
        };
        let (one, other) = (of(one), of(other));
        if one != other {
            return Some(format!("agent {place}\n  {one:?}\n  {other:?}"));
        }
    }
    let counts = (one.transitions, other.transitions);
    Some(format!("transitions {counts:?}, or the order of commands"))
}
