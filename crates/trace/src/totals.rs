//! How often everything happened: what is left of records that nobody keeps.

use crate::legend::Legend;
use crate::record::{Kind, Record};

/// Counts by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How often each transition was taken.
    pub transitions: Vec<u64>,
    /// How often each leaf was entered, or was active when a trace began.
    pub leaves: Vec<u64>,
    /// How often each user function was called.
    pub calls: Vec<u64>,
}

impl Totals {
    /// Of a machine with so many states and transitions; calls are not in records.
    pub fn new(states: usize, transitions: usize) -> Self {
        Self {
            transitions: vec![0; transitions],
            leaves: vec![0; states],
            calls: Vec::new(),
        }
    }

    /// Counts a record. A transition that stays enters nothing, even where its record says in which
    /// leaf.
    pub fn count(&mut self, record: &Record, stays: impl Fn(u16) -> bool) {
        let raise = |counts: &mut Vec<u64>, number: u16| {
            if let Some(count) = counts.get_mut(usize::from(number)) {
                *count += 1;
            }
        };
        let subject = record.subject.get();
        match record.kind() {
            Some(Kind::Transition) => {
                raise(&mut self.transitions, subject);
                if let Some(leaf) = record.leaf().filter(|_| !stays(subject)) {
                    raise(&mut self.leaves, leaf);
                }
            }
            Some(Kind::Leaf | Kind::Present) => raise(&mut self.leaves, subject),
            Some(
                Kind::Started
                | Kind::Latched
                | Kind::Unhandled
                | Kind::Deferred
                | Kind::Terminated
                | Kind::Faulted
                | Kind::Panicked
                | Kind::Clamped
                | Kind::FailSafe
                | Kind::Lost
                | Kind::Despawned
                | Kind::Timer
                | Kind::Entered
                | Kind::Exited
                | Kind::Suspended
                | Kind::Resumed
                | Kind::TimerSet
                | Kind::TimerStopped
                | Kind::Event
                | Kind::Guard
                | Kind::Activity
                | Kind::Rejected
                | Kind::EventLost
                | Kind::Wrote
                | Kind::Command
                | Kind::More
                | Kind::Read
                | Kind::Asked
                | Kind::Score
                | Kind::Drew
                | Kind::Gave,
            )
            | None => {}
        }
    }

    /// How often each state or one inside it was entered, by number.
    pub fn visits(&self, legend: &Legend) -> Vec<u64> {
        let mut visits = self.leaves.clone();
        visits.resize(legend.states.len(), 0);
        // Children have larger numbers than their parents: from the back, each is complete when it
        // is added to its parent.
        for (number, state) in legend.states.iter().enumerate().rev() {
            if let Some(parent) = state.parent {
                visits[usize::from(parent)] += visits[number];
            }
        }
        visits
    }

    /// Adds others of the same machine.
    pub fn add(&mut self, other: &Self) {
        let all = [
            (&mut self.transitions, &other.transitions),
            (&mut self.leaves, &other.leaves),
            (&mut self.calls, &other.calls),
        ];
        for (mine, others) in all {
            mine.resize(mine.len().max(others.len()), 0);
            mine.iter_mut()
                .zip(others)
                .for_each(|(mine, other)| *mine += other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::LEADS;
    use zerocopy::byteorder::little_endian::{U16, U32};

    #[test]
    fn transitions_and_leaves_are_counted() {
        let record = |kind: Kind, detail: u8, subject: u16, value: u32| Record {
            kind: kind as u8,
            detail,
            subject: U16::new(subject),
            value: U32::new(value),
            ..Record::default()
        };
        let mut totals = Totals::new(4, 2);
        totals.calls = vec![0, 0, 5];
        let records = [
            record(Kind::Leaf, 0, 1, 0),
            record(Kind::Present, 0, 3, 0),
            record(Kind::Transition, 1 | LEADS, 0, 2 << 16),
            record(Kind::Transition, 1 | LEADS, 1, 2 << 16),
            record(Kind::Transition, 1, 0, 0),
            record(Kind::Entered, 0, 0, 0),
            record(Kind::Leaf, 0, 99, 0),
        ];
        records
            .iter()
            .for_each(|record| totals.count(record, |transition| transition == 1));
        assert_eq!(
            totals,
            Totals {
                transitions: vec![2, 1],
                leaves: vec![0, 1, 1, 1],
                calls: vec![0, 0, 5],
            }
        );
        let mut sum = Totals::default();
        sum.add(&totals);
        sum.add(&totals);
        assert_eq!(
            sum,
            Totals {
                transitions: vec![4, 2],
                leaves: vec![0, 2, 2, 2],
                calls: vec![0, 0, 10],
            }
        );
    }
}
