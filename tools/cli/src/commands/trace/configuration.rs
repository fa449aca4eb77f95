//! Which leaves of an agent are active, followed through its records.

use statewright_trace::{Kind, Legend, Record};

/// The active leaves of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) leaves: Vec<u16>,
}

impl Configuration {
    /// Takes a record; the leaf that became active, if one did.
    pub(super) fn follow(&mut self, record: &Record, legend: &Legend) -> Option<u16> {
        let leaf = match record.kind()? {
            Kind::Present | Kind::Leaf => Some(record.subject.get()),
            Kind::Transition => {
                let is_internal = legend
                    .transitions
                    .get(usize::from(record.subject.get()))?
                    .is_internal;
                let leaf = record.leaf()?;
                // A transition that stays tells where; it entered nothing.
                if is_internal && self.leaves.contains(&leaf) {
                    return None;
                }
                Some(leaf)
            }
            Kind::Started | Kind::Terminated | Kind::Faulted | Kind::Panicked | Kind::Despawned => {
                self.leaves.clear();
                None
            }
            Kind::Latched
            | Kind::Unhandled
            | Kind::Deferred
            | Kind::Clamped
            | Kind::FailSafe
            | Kind::Lost
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
            | Kind::Gave
            | Kind::Drew => None,
        }?;
        self.leaves
            .retain(|&other| other != leaf && are_concurrent(leaf, other, legend));
        let place = self.leaves.partition_point(|&other| other < leaf);
        self.leaves.insert(place, leaf);
        Some(leaf)
    }

    /// Is a state active?
    pub(super) fn is_active(&self, state: u16, legend: &Legend) -> bool {
        self.leaves
            .iter()
            .any(|&leaf| legend.is_around(state, leaf))
    }

    /// All active states but the root, outer before inner.
    pub(super) fn states(&self, legend: &Legend) -> Vec<u16> {
        let mut states: Vec<u16> = self
            .leaves
            .iter()
            .flat_map(|&leaf| path(leaf, legend))
            .collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// Their leaves in words.
    pub(super) fn words(&self, legend: &Legend) -> String {
        let names: Vec<&str> = self.leaves.iter().map(|&leaf| legend.state(leaf)).collect();
        if names.is_empty() {
            "unknown".to_owned()
        } else {
            names.join(" + ")
        }
    }
}

/// A state and those around it, without the root.
fn path(state: u16, legend: &Legend) -> impl Iterator<Item = u16> + '_ {
    let parent = |state: &u16| legend.states.get(usize::from(*state))?.parent;
    std::iter::successors(Some(state), parent).filter(move |state| parent(state).is_some())
}

/// Can two leaves be active together? Only if they lie in different regions of one state.
fn are_concurrent(a: u16, b: u16, legend: &Legend) -> bool {
    let region = |state: u16| {
        legend
            .states
            .get(usize::from(state))
            .and_then(|state| state.region)
    };
    path(a, legend)
        .all(|outer| path(b, legend).all(|other| outer == other || region(outer) != region(other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use statewright_symbols::{Symbol, SymbolTable};
    use statewright_trace::State;
    use zerocopy::byteorder::little_endian::{U16, U32};

    /// root { calm, fight { [left, right], [up, down] } }: numbers 0 to 6.
    fn legend() -> Legend {
        let states = [
            ("root", None, None),
            ("calm", Some(0), Some(0)),
            ("fight", Some(0), Some(0)),
            ("left", Some(2), Some(1)),
            ("right", Some(2), Some(1)),
            ("up", Some(2), Some(2)),
            ("down", Some(2), Some(2)),
        ];
        let state = |(name, parent, region): (&str, Option<u16>, Option<u16>)| State {
            parent,
            region,
            is_leaf: !matches!(name, "root" | "fight"),
        };
        Legend {
            symbols: SymbolTable {
                states: states.map(|(name, ..)| Symbol::named(name)).into(),
                ..SymbolTable::default()
            },
            states: states.map(state).into(),
            regions: vec![0, 2, 2],
            ..Legend::default()
        }
    }

    fn leaf(subject: u16) -> Record {
        let kind = Kind::Leaf as u8;
        Record {
            tick: U32::new(0),
            agent: U32::new(0),
            kind,
            detail: 0,
            subject: U16::new(subject),
            value: U32::new(0),
        }
    }

    #[test]
    fn leaves_of_one_region_replace_each_other() {
        let legend = legend();
        let mut configuration = Configuration::default();
        let mut after = |state: u16| {
            configuration.follow(&leaf(state), &legend);
            configuration.words(&legend)
        };
        assert_eq!(after(1), "calm");
        assert_eq!(after(3), "left");
        assert_eq!(after(5), "left + up");
        assert_eq!(after(4), "right + up");
        assert_eq!(after(1), "calm");
    }
}
