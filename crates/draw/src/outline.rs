//! What the three text formats have in common: short ids, and every line with the region that holds both of its ends.

use crate::chart::{Chart, Node};
use crate::words::Label;

/// One end of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tip {
    State(usize),
    History(usize),
    /// The start of a region.
    Start(usize),
}

/// An arrow; a transition with several targets is several.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) from: Tip,
    pub(crate) to: Tip,
    pub(crate) words: String,
}

/// The id of a state or history point in a file.
pub(crate) fn id(tip: Tip) -> String {
    match tip {
        Tip::State(state) => format!("s{state}"),
        Tip::History(history) => format!("h{history}"),
        Tip::Start(region) => format!("i{region}"),
    }
}

/// All arrows, in the order of the chart: starts, transitions, branches, defaults of history points.
pub(crate) fn arrows(chart: &Chart) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    let mut push = |from: Tip, targets: &[Node], words: String| {
        for (place, &target) in targets.iter().enumerate() {
            let words = match place {
                0 => words.clone(),
                _ => format!("with {}", chart.node_name(targets[0])),
            };
            let to = match target {
                Node::State(state) => Tip::State(state),
                Node::History(history) => Tip::History(history),
            };
            arrows.push(Arrow { from, to, words });
        }
    };
    for (number, region) in chart.regions.iter().enumerate() {
        let label = Label { effects: region.effects.clone(), ..Label::default() };
        push(Tip::Start(number), &region.initial, label.line());
    }
    for transition in &chart.transitions {
        push(Tip::State(transition.source), &transition.targets, transition.label.line());
    }
    for (number, state) in chart.states.iter().enumerate() {
        state.branches.iter().for_each(|branch| push(Tip::State(number), &branch.targets, branch.label.line()));
    }
    for (number, history) in chart.histories.iter().enumerate() {
        push(Tip::History(number), &history.default, "else".to_owned());
    }
    arrows
}

/// What each state does by itself: its lines, then transitions that lead nowhere.
pub(crate) fn all_lines(chart: &Chart) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = chart.states.iter().map(|state| state.lines.clone()).collect();
    for transition in chart.transitions.iter().filter(|one| one.targets.is_empty()) {
        all[transition.source].push(transition.label.line());
    }
    all
}
