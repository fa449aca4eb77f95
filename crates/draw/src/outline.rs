//! What the three text formats have in common: short ids, and every line with the region that holds
//! both of its ends.

use crate::chart::{Chart, Node};
use crate::scene::{End, chain};
use crate::words::Label;

/// An arrow; a transition with several targets is several.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) words: String,
}

/// The id of a state or history point in a file.
pub(crate) fn id(end: End) -> String {
    match end {
        End::State(state) => format!("s{state}"),
        End::History(history) => format!("h{history}"),
        End::Dot(region) => format!("i{region}"),
        End::Shared(place) => format!("t{place}"),
    }
}

/// All arrows, in the order of the chart: starts, transitions, branches, defaults of history
/// points.
pub(crate) fn arrows(chart: &Chart) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    let mut push = |from: End, targets: &[Node], words: String| {
        for (place, &target) in targets.iter().enumerate() {
            let words = match place {
                0 => words.clone(),
                _ => format!("with {}", chart.node_name(targets[0])),
            };
            let to = match target {
                Node::State(state) => End::State(state),
                Node::History(history) => End::History(history),
            };
            arrows.push(Arrow { from, to, words });
        }
    };
    for (number, region) in chart.regions.iter().enumerate() {
        let label = Label {
            effects: region.effects.clone(),
            ..Label::default()
        };
        push(End::Dot(number), &region.initial, label.line());
    }
    for (_, transition) in chart.drawn() {
        push(
            End::State(transition.source),
            &transition.targets,
            transition.label.line(),
        );
    }
    for (number, state) in chart.states.iter().enumerate() {
        state
            .branches
            .iter()
            .for_each(|branch| push(End::State(number), &branch.targets, branch.label.line()));
    }
    for (number, history) in chart.histories.iter().enumerate() {
        push(End::History(number), &history.default, "else".to_owned());
    }
    arrows
}

/// The innermost region that holds both ends of an arrow, each end as a whole; `None` is the
/// outside of the root.
pub(crate) fn home(chart: &Chart, arrow: &Arrow) -> Option<usize> {
    let (from, to) = (chain(chart, arrow.from), chain(chart, arrow.to));
    let shared = from
        .iter()
        .zip(&to)
        .take_while(|(from, to)| from.0 == to.0)
        .map(|(from, _)| from.0);
    shared.last().filter(|_| arrow.from != End::State(0))
}

/// Whether an end lies deeper in a region than in one of several side by side.
pub(crate) fn is_behind_lane(chart: &Chart, end: End, home: Option<usize>) -> bool {
    let regions = chain(chart, end).into_iter().map(|(region, _)| region);
    let deeper = regions
        .skip_while(|&region| home.is_some_and(|home| region != home))
        .skip(usize::from(home.is_some()));
    let is_lane = |region: usize| chart.states[chart.regions[region].owner].regions.len() > 1;
    deeper.into_iter().any(is_lane)
}

/// What each state does by itself: its lines, then transitions that lead nowhere.
pub(crate) fn all_lines(chart: &Chart) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = chart
        .states
        .iter()
        .map(|state| state.lines.clone())
        .collect();
    let lead_nowhere = chart.drawn().filter(|(_, one)| one.targets.is_empty());
    for (_, transition) in lead_nowhere {
        all[transition.source].push(transition.label.line());
    }
    all
}
