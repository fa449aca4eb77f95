//! Transitions that were written once and that several states have: a transition set, or the
//! any-state transitions of a state. A ROM has them once for each state; a picture shows them once,
//! with who has them.
//!
//! Comes in: a chart and the names of its machine, which say where transitions were written. States
//! for which the same text means something else, because their targets differ, stand apart.

use std::collections::BTreeMap;

use statewright_symbols::{SharedTransitions, SymbolTable};

use crate::chart::{Chart, Node, Transition};
use crate::escape::visible;
use crate::scene::{End, chain};
use crate::words::Label;

/// Transitions that several states have.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Name of the set; `None` for any-state transitions.
    pub set: Option<String>,
    /// The states that have them.
    pub users: Vec<usize>,
    /// For each that was written, its numbers: one per state that has it.
    pub transitions: Vec<Vec<usize>>,
    /// The innermost region around all of these states.
    pub region: usize,
}

impl Shared {
    /// As it is called in a picture.
    pub fn title(&self) -> &str {
        self.set.as_deref().unwrap_or("any state")
    }

    /// Which states have them, in words.
    pub(crate) fn used_by(&self, chart: &Chart) -> String {
        let names: Vec<&str> = self
            .users
            .iter()
            .map(|&user| chart.states[user].name.as_str())
            .collect();
        let word = if self.set.is_some() { "used by" } else { "in" };
        format!("{word} {}", names.join(", "))
    }
}

/// All lists that at least two states have.
pub(crate) fn shared(chart: &Chart, symbols: &SymbolTable) -> Vec<Shared> {
    let lists = symbols.shared.iter();
    lists.flat_map(|list| alike(chart, list)).collect()
}

/// What a transition says and does, whoever has it.
type Meaning<'c> = (&'c Label, &'c [Node], bool);

fn meaning(transition: &Transition) -> Meaning<'_> {
    (&transition.label, &transition.targets, transition.interrupt)
}

/// The states for which one list means the same, together.
fn alike(chart: &Chart, list: &SharedTransitions) -> Vec<Shared> {
    let mut by_user: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for number in list.transitions.iter().map(|id| id.index()) {
        // Names may come from anywhere: what the machine does not have is nobody's.
        let drawn = chart.transitions.get(number).filter(|one| !one.is_listed);
        if let Some(transition) = drawn {
            by_user.entry(transition.source).or_default().push(number);
        }
    }
    let mut groups: Vec<(Vec<Meaning<'_>>, Vec<usize>)> = Vec::new();
    for (&user, numbers) in &by_user {
        let meanings: Vec<Meaning<'_>> = numbers
            .iter()
            .map(|&number| meaning(&chart.transitions[number]))
            .collect();
        match groups.iter_mut().find(|(known, _)| *known == meanings) {
            Some((_, users)) => users.push(user),
            None => groups.push((meanings, vec![user])),
        }
    }
    let several = groups.into_iter().filter(|(_, users)| users.len() > 1);
    several
        .filter_map(|(meanings, users)| {
            let numbers = |place: usize| {
                let all = users.iter().map(|user| by_user[user][place]);
                all.flat_map(|first| chart.numbers(first)).collect()
            };
            Some(Shared {
                set: list.set.as_deref().map(visible),
                transitions: (0..meanings.len()).map(numbers).collect(),
                region: common(chart, &users)?,
                users,
            })
        })
        .collect()
}

/// The innermost region around some states; `None` if the root is one of them.
fn common(chart: &Chart, users: &[usize]) -> Option<usize> {
    let regions = |&user: &usize| -> Vec<usize> {
        let chain = chain(chart, End::State(user)).into_iter();
        chain.map(|(region, _)| region).collect()
    };
    let mut all = users.iter().map(regions);
    let first = all.next()?;
    let shared = all.fold(first.len(), |shared, other| {
        let same = first.iter().zip(&other).take_while(|(a, b)| a == b);
        same.count().min(shared)
    });
    first.get(shared.checked_sub(1)?).copied()
}
