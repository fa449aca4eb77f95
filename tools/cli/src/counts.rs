//! How often states were entered and transitions taken, counted from records of a trace.

use statewright_draw::Heat;
use statewright_trace::{Kind, Legend, Record};

/// Counts by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// How often each transition was taken.
    pub(crate) transitions: Vec<u64>,
    /// How often each leaf was entered.
    entered: Vec<u64>,
}

impl Counts {
    pub(crate) fn new(legend: &Legend) -> Self {
        Self { transitions: vec![0; legend.transitions.len()], entered: vec![0; legend.states.len()] }
    }

    /// Counts some records. A transition that stays enters nothing, even where its record says in which leaf.
    pub(crate) fn count<'r>(&mut self, legend: &Legend, records: impl IntoIterator<Item = &'r Record>) {
        let raise = |counts: &mut Vec<u64>, number: u16| {
            if let Some(count) = counts.get_mut(usize::from(number)) {
                *count += 1;
            }
        };
        for record in records {
            let subject = record.subject.get();
            match record.kind() {
                Some(Kind::Transition) => {
                    raise(&mut self.transitions, subject);
                    let stays = legend.transitions.get(usize::from(subject)).is_some_and(|found| found.is_internal);
                    if let Some(leaf) = record.leaf().filter(|_| !stays) {
                        raise(&mut self.entered, leaf);
                    }
                }
                Some(Kind::Leaf | Kind::Present) => raise(&mut self.entered, subject),
                _ => {}
            }
        }
    }

    /// How often each state or one inside it was entered.
    pub(crate) fn visits(&self, legend: &Legend) -> Vec<u64> {
        let mut visits = self.entered.clone();
        // Children have larger numbers than their parents.
        for number in (0..visits.len()).rev() {
            if let Some(parent) = legend.states.get(number).and_then(|state| state.parent) {
                visits[usize::from(parent)] += visits[number];
            }
        }
        visits
    }

    /// As colors of a picture.
    pub(crate) fn heat(&self, legend: &Legend) -> Heat {
        Heat { states: self.visits(legend), transitions: self.transitions.clone() }
    }
}
