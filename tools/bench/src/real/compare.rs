//! All contenders have the same outcome, or there is no figure.

use super::contender::{Contender, Outcome};
use super::machine::{Drive, Real, contenders};

/// Runs all contenders and compares them after every tick. How many transitions there were.
pub fn compare<R: Real>(drive: &Drive) -> Result<u64, String> {
    let machine = R::machine();
    let ticks = [
        drive.warm_up_ticks::<R>(&machine),
        drive.measured_ticks::<R>(&machine),
    ];
    let mut all = contenders::<R>(drive.agents)?;
    same(&all, "at the start")?;
    for (number, inbox) in ticks.iter().flatten().enumerate() {
        all.iter_mut().for_each(|contender| contender.tick(inbox));
        same(&all, &format!("after tick {}", number + 1))?;
    }
    Ok(all[0].outcome().transitions)
}

/// Holds that the outcomes of all are equal; `when` is for the message.
pub fn same<R: Real>(all: &[Box<dyn Contender<R>>], when: &str) -> Result<(), String> {
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
    Ok(())
}

/// What is different first.
fn difference<R: Real>(one: &Outcome<R>, other: &Outcome<R>) -> Option<String> {
    if one == other {
        return None;
    }
    for place in 0..one.leaves.len() {
        let of = |outcome: &Outcome<R>| {
            let (leaves, board) = (&outcome.leaves[place], &outcome.boards[place]);
            let is_own = |command: &&(u32, R::Command)| command.0 as usize == place;
            let said: Vec<_> = outcome.commands.iter().filter(is_own).collect();
            let chance = outcome.chances[place];
            format!("{leaves:?} {board:?} {chance:#x} {said:?}")
        };
        let (one, other) = (of(one), of(other));
        if one != other {
            return Some(format!("agent {place}\n  {one}\n  {other}"));
        }
    }
    let counts = (one.transitions, other.transitions);
    Some(format!("transitions {counts:?}, or the order of commands"))
}
