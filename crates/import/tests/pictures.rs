//! Pictures that `draw` makes come back: the same states, nesting, history points and arrows.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{Read, all_states, has_errors, trigger};
use statewright_author::graph::{Machine, State};
use statewright_compile::{Options, compile_text};
use statewright_draw::{Chart, Kind, Node};

const SAMPLES: [&str; 5] = ["boss", "pedestrian", "soldier", "traffic_light", "watchman"];

fn chart(name: &str) -> Chart {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../machines")
        .join(format!("{name}.sw.json"));
    let text = std::fs::read_to_string(path).unwrap();
    let output = compile_text(name, &text, &Options::default()).0.unwrap();
    Chart::new(&output.rom.as_rom(), &output.symbols)
}

fn imported(read: Read, text: &str) -> Machine {
    let (machine, problems) = read("picture", text);
    assert!(!has_errors(&problems), "{problems:#?}\n{text}");
    machine
}

/// The path of a state in a picture: choices have no names there, only ids.
fn drawn_path(chart: &Chart, state: usize) -> String {
    let found = &chart.states[state];
    let Some(region) = found.region else {
        return String::new();
    };
    let name = if found.kind == Kind::Choice {
        format!("s{state}")
    } else {
        found.name.clone()
    };
    format!("{}/{name}", drawn_path(chart, chart.regions[region].owner))
}

/// Path, what it is, number of regions, initial states.
fn drawn_states(chart: &Chart) -> BTreeSet<String> {
    let all = 0..chart.states.len();
    all.map(|state| {
        let found = &chart.states[state];
        let kind = match found.kind {
            Kind::Final => "final",
            Kind::Choice => "choice",
            _ => "state",
        };
        let initials: Vec<String> = found
            .regions
            .iter()
            .flat_map(|&region| &chart.regions[region].initial)
            .map(|&node| last(&node_path(chart, node)))
            .collect();
        format!(
            "{} {kind} {} {initials:?}",
            drawn_path(chart, state),
            found.regions.len()
        )
    })
    .collect()
}

fn read_states(machine: &Machine) -> BTreeSet<String> {
    let kind = |state: &State| match (&state.choice, state.is_final) {
        (Some(_), _) => "choice",
        (None, Some(_)) => "final",
        (None, None) => "state",
    };
    let initials = |state: &State| -> Vec<String> {
        let initials = state
            .regions
            .iter()
            .filter_map(|region| region.initial.as_ref());
        initials
            .flat_map(|initial| &initial.targets)
            .map(|target| last(&target.value))
            .collect()
    };
    let states = all_states(machine);
    states
        .iter()
        .map(|(path, state)| {
            format!(
                "{path} {} {} {:?}",
                kind(state),
                state.regions.len(),
                initials(state)
            )
        })
        .collect()
}

fn node_path(chart: &Chart, node: Node) -> String {
    match node {
        Node::State(state) => drawn_path(chart, state),
        Node::History(history) => {
            let found = &chart.histories[history];
            format!("{}/{}", drawn_path(chart, found.owner), found.name)
        }
    }
}

fn last(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// Source, trigger, guard and names of targets. Names of history points do not come back from every
/// picture: `H`.
fn drawn_arrows(chart: &Chart) -> Vec<String> {
    let target = |node: Node| match node {
        Node::State(_) => last(&node_path(chart, node)),
        Node::History(_) => "H".to_owned(),
    };
    let mut list: Vec<String> = chart
        .transitions
        .iter()
        .map(|transition| {
            let targets: Vec<String> = transition
                .targets
                .iter()
                .map(|&node| target(node))
                .collect();
            let trigger = match transition.label.trigger.as_str() {
                "" => "always",
                "any event" => "*",
                other => other,
            };
            let guard = transition.label.guard.clone().unwrap_or_default();
            format!(
                "{}: {} [{guard}] -> {targets:?}",
                drawn_path(chart, transition.source),
                time(trigger)
            )
        })
        .collect();
    list.sort();
    list
}

/// Times are written in another way.
fn time(trigger: &str) -> String {
    let duration = trigger
        .strip_prefix("after ")
        .and_then(|text| statewright_author::value::Duration::parse(text).ok());
    duration.map_or_else(
        || trigger.to_owned(),
        |duration| format!("after {duration}"),
    )
}

fn read_arrows(machine: &Machine) -> Vec<String> {
    let points: BTreeSet<String> = all_states(machine)
        .iter()
        .flat_map(|(_, state)| state.history.iter().map(|point| point.name.value.clone()))
        .collect();
    let target = |path: &str| {
        if points.contains(&last(path)) {
            "H".to_owned()
        } else {
            last(path)
        }
    };
    let mut list = Vec::new();
    for (path, state) in all_states(machine) {
        for transition in &state.transitions {
            let targets: Vec<String> = transition
                .targets
                .iter()
                .map(|name| target(&name.value))
                .collect();
            let guard = transition
                .guard
                .as_ref()
                .map_or("", |guard| guard.value.as_str());
            list.push(format!(
                "{path}: {} [{guard}] -> {targets:?}",
                trigger(transition)
            ));
        }
    }
    list.sort();
    list
}

/// Mermaid has no text in boxes with others inside: what such states do without a target is only a
/// comment there.
fn without_inner_lines(chart: &Chart) -> Vec<String> {
    let is_comment = |transition: &statewright_draw::Transition| {
        let source = &chart.states[transition.source];
        transition.targets.is_empty() && !(source.regions.is_empty() && source.histories.is_empty())
    };
    let mut kept = chart.clone();
    kept.transitions
        .retain(|transition| !is_comment(transition));
    drawn_arrows(&kept)
}

#[test]
fn mermaid_comes_back() {
    for name in SAMPLES {
        let chart = chart(name);
        let machine = imported(
            statewright_import::mermaid::read,
            &statewright_draw::mermaid(&chart),
        );
        assert_eq!(read_states(&machine), drawn_states(&chart), "{name}");
        assert_eq!(read_arrows(&machine), without_inner_lines(&chart), "{name}");
    }
}

#[test]
fn plantuml_comes_back() {
    for name in SAMPLES {
        let chart = chart(name);
        let machine = imported(
            statewright_import::plantuml::read,
            &statewright_draw::plantuml(&chart),
        );
        assert_eq!(machine.name.value, chart.name);
        assert_eq!(read_states(&machine), drawn_states(&chart), "{name}");
        // What a picture writes into boxes as `event → path` comes back as well.
        assert_eq!(read_arrows(&machine), drawn_arrows(&chart), "{name}");
    }
}
