//! Who takes part, and what is compared of all.

use statewright::{InboxEvent, StateHandle};

use super::machine::Real;

/// Agents of one machine, and a way to run them. They begin started, in tick 0.
pub trait Contender<R: Real> {
    /// Its name as people write it.
    fn name(&self) -> &'static str;

    /// One tick with these events.
    fn tick(&mut self, inbox: &[InboxEvent]);

    /// What is remembered is where it is now.
    fn keep(&mut self);

    /// Goes back to what is remembered.
    fn go_back(&mut self);

    /// Where everybody is after the last tick, and what was done in it.
    fn outcome(&self) -> Outcome<R>;
}

/// All that can be seen of agents after a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<R: Real> {
    /// The active leaves of each agent; none of those who ended.
    pub leaves: Vec<Vec<StateHandle>>,
    /// The blackboards.
    pub boards: Vec<R::Board>,
    /// The next random number of each agent is made of this.
    pub chances: Vec<u32>,
    /// The commands of the last tick, with the place of who said them.
    pub commands: Vec<(u32, R::Command)>,
    /// Transitions carried out so far.
    pub transitions: u64,
}

/// Leaves in an order that all agree on.
pub fn sorted(leaves: impl Iterator<Item = StateHandle>) -> Vec<StateHandle> {
    let mut leaves: Vec<StateHandle> = leaves.collect();
    leaves.sort_by_key(|leaf| leaf.id().index());
    leaves
}
