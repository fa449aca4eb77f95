//! What was counted in a trace, as colors of a picture.

use statewright_draw::Heat;
use statewright_trace::{Legend, Totals};

/// How often each state or one inside it was entered, and each transition taken.
pub(crate) fn heat(totals: &Totals, legend: &Legend) -> Heat {
    Heat {
        states: visits(totals, legend),
        transitions: totals.transitions.clone(),
    }
}

/// How often each state or one inside it was entered.
pub(crate) fn visits(totals: &Totals, legend: &Legend) -> Vec<u64> {
    let mut visits = totals.leaves.clone();
    visits.resize(legend.states.len(), 0);
    // Children have larger numbers than their parents.
    for (number, state) in legend.states.iter().enumerate().rev() {
        if let Some(parent) = state.parent {
            visits[usize::from(parent)] += visits[number];
        }
    }
    visits
}
