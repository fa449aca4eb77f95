//! What a person sees of larger machines: pictures of a good shape, transitions drawn once, lines
//! merged, names short.

use std::path::Path;

use statewright_compile::{Output, compile_text};
use statewright_draw::{Chart, Direction, Facts, Heat, Options, page, svg};

fn compiled(text: &str) -> Output {
    let (output, problems) = compile_text("x", text, &Default::default());
    output.unwrap_or_else(|| panic!("{problems:?}"))
}

fn chart_of(text: &str) -> Chart {
    let output = compiled(text);
    Chart::new(&output.rom.as_rom(), &output.symbols)
}

fn text_of(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn chart(name: &str) -> Chart {
    chart_of(&text_of(&format!("tests/machines/{name}.sw.json")))
}

fn drawn(chart: &Chart, direction: Direction) -> String {
    let options = Options {
        direction,
        ..Options::default()
    };
    svg(chart, &options).svg
}

/// Width and height.
fn size(svg: &str) -> (f64, f64) {
    let number = |name: &str| -> f64 {
        let rest = svg.split_once(&format!(" {name}=\"")).unwrap().1;
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    (number("width"), number("height"))
}

/// The numbers of the transitions of each line.
fn lines(svg: &str) -> Vec<Vec<usize>> {
    let tree = roxmltree::Document::parse(svg).unwrap();
    let lists = tree
        .descendants()
        .filter_map(|node| node.attribute("data-transitions"));
    lists
        .map(|list| list.split(' ').filter_map(|one| one.parse().ok()).collect())
        .collect()
}

/// All texts of a class.
fn texts(svg: &str, class: &str) -> Vec<String> {
    let tree = roxmltree::Document::parse(svg).unwrap();
    let nodes = tree.descendants().filter(|node| {
        node.attribute("class")
            .is_some_and(|c| c.split(' ').any(|c| c == class))
    });
    nodes
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

#[test]
fn pictures_are_neither_towers_nor_ribbons() {
    for (name, states) in [("flat_15", 15), ("flat_38", 38), ("nested_43", 43)] {
        let chart = chart(name);
        assert_eq!(chart.states.len(), states + 1, "and the root");
        for direction in [Direction::Auto, Direction::Down] {
            let (width, height) = size(&drawn(&chart, direction));
            let ratio = width / height;
            assert!(
                (0.5..=2.0).contains(&ratio),
                "{name} {direction:?}: {width} x {height}"
            );
        }
    }
    // Before regions were cut into columns: 432 x 3985 and 1418 x 3107.
    let area = |name: &str| {
        let (width, height) = size(&drawn(&chart(name), Direction::Auto));
        width.max(height)
    };
    assert!(area("flat_38") < 2000.0 && area("nested_43") < 2600.0);
}

#[test]
fn the_direction_is_as_asked_and_the_same_each_time() {
    let chart = chart("flat_15");
    let [down, right] = [Direction::Down, Direction::Right].map(|way| drawn(&chart, way));
    assert_ne!(down, right);
    assert_eq!(right, drawn(&chart, Direction::Right));
    // The first arrow leads from the dot to the state where the machine starts.
    let first = |svg: &str| {
        let path = svg.split_once("class=\"line\" d=\"M").unwrap().1;
        let path = path.split_once('"').unwrap().0;
        let ends: Vec<Vec<f64>> = path
            .split('L')
            .map(|at| at.split(' ').map(|x| x.parse().unwrap()).collect())
            .collect();
        (ends[0].clone(), ends[1].clone())
    };
    let (from, to) = first(&down);
    assert!(from[0] == to[0] && from[1] < to[1], "{from:?} {to:?}");
    let (from, to) = first(&right);
    assert!(from[1] == to[1] && from[0] < to[0], "{from:?} {to:?}");
    let auto = drawn(&chart, Direction::Auto);
    assert!([down, right].contains(&auto));
}

#[test]
fn a_transition_set_is_drawn_once_with_who_uses_it() {
    let chart = chart("flat_15");
    let svg = drawn(&chart, Direction::Auto);
    let shared = &chart.shared[0];
    assert_eq!((shared.title(), shared.users.len()), ("alarms", 5));
    assert_eq!(svg.matches("data-shared=\"alarms\"").count(), 1);
    assert_eq!(
        texts(&svg, "text")
            .iter()
            .filter(|text| *text == "uses alarms")
            .count(),
        5
    );
    let robbed = |svg: &str| {
        let labels = texts(svg, "label").into_iter();
        labels.filter(|text| text.starts_with("Robbed")).count()
    };
    assert_eq!(robbed(&svg), 1);
    // Its line stands for what each of the states has.
    let numbers = &shared.transitions[1];
    assert_eq!(numbers.len(), 5);
    assert!(lines(&svg).contains(numbers), "{numbers:?}");
    // Every transition is drawn once; whoever has no names of sets sees each of them.
    let mut all: Vec<usize> = lines(&svg).into_iter().flatten().collect();
    all.sort_unstable();
    assert_eq!(all, (0..chart.transitions.len()).collect::<Vec<_>>());
    let output = compiled(&text_of("tests/machines/flat_15.sw.json"));
    let mut symbols = output.symbols.clone();
    symbols.shared.clear();
    let apart = Chart::new(&output.rom.as_rom(), &symbols);
    assert_eq!(robbed(&drawn(&apart, Direction::Auto)), 5);
}

#[test]
fn a_page_lists_a_transition_set_once() {
    let html = page(&chart("flat_15"), &Facts::default(), &Options::default());
    assert_eq!(
        html.matches("set alarms:").count(),
        2,
        "one row for each of its transitions"
    );
}

#[test]
fn any_state_transitions_are_drawn_once() {
    let chart = chart_of(&text_of("../../machines/boss.sw.json"));
    let svg = drawn(&chart, Direction::Auto);
    assert_eq!(svg.matches("data-shared=\"any state\"").count(), 1);
    assert!(texts(&svg, "text").contains(&"in fighting, roaring".to_owned()));
}

/// The same set, but `home` is another state for the children of `b`, and nobody shares with `c`.
#[test]
fn a_set_that_means_something_else_stands_apart() {
    let chart = chart_of(
        r#"{ "machine": "M", "events": ["Call", "Move"], "initial": "a",
            "transition_sets": { "calls": [{ "on": "Call", "to": "home" }] },
            "transitions": [{ "on": "Move", "to": "b" }],
            "states": {
                "home": {},
                "a": { "use": ["calls"] },
                "c": { "use": ["calls"] },
                "b": { "initial": "x", "states": { "home": {}, "x": { "use": ["calls"] }, "y": { "use": ["calls"] } } }
            } }"#,
    );
    let users: Vec<Vec<&str>> = chart
        .shared
        .iter()
        .map(|one| {
            one.users
                .iter()
                .map(|&user| chart.states[user].name.as_str())
                .collect()
        })
        .collect();
    assert_eq!(users, [vec!["a", "c"], vec!["x", "y"]]);
    let targets: Vec<usize> = chart
        .shared
        .iter()
        .map(
            |one| match chart.transitions[one.transitions[0][0]].targets[..] {
                [statewright_draw::Node::State(state)] => state,
                ref other => panic!("{other:?}"),
            },
        )
        .collect();
    assert_ne!(targets[0], targets[1]);
}

#[test]
fn all_ways_between_two_boxes_are_one_line() {
    let chart = chart_of(
        r#"{ "machine": "M", "events": ["A", "B", "C"], "initial": "x", "states": {
            "x": { "transitions": [
                { "on": "A", "to": "y" }, { "on": "B", "to": "y", "interrupt": true }, { "on": "C", "to": "y" } ] },
            "y": { "transitions": [{ "on": "A", "to": "x" }] } } }"#,
    );
    let svg = drawn(&chart, Direction::Auto);
    let mut merged: Vec<usize> = lines(&svg).into_iter().max_by_key(Vec::len).unwrap();
    merged.sort_unstable();
    assert_eq!(merged, [0, 1, 2]);
    assert_eq!(texts(&svg, "label").len(), 4, "{svg}");
    assert_eq!(texts(&svg, "interrupt").len(), 1, "only its words are red");
}

#[test]
fn states_are_named_as_shortly_as_they_are_clear() {
    let svg = drawn(
        &chart_of(&text_of("../../machines/soldier.sw.json")),
        Direction::Auto,
    );
    assert!(svg.contains("in(hold)") && !svg.contains("in(alive"));
    assert!(svg.contains("ammo -= 3") && !svg.contains("+= -"));
}

#[test]
fn counts_are_shown_under_the_pointer() {
    let chart = chart("flat_15");
    let heat = Heat {
        states: (0..chart.states.len() as u64).collect(),
        transitions: vec![7; chart.transitions.len()],
    };
    let options = Options {
        heat: Some(heat),
        ..Options::default()
    };
    let svg = svg(&chart, &options).svg;
    assert!(svg.contains("<title>asleep: entered 1 times</title>"));
    assert!(svg.contains("<title>Morning: taken 7 times</title>"));
    assert!(!drawn(&chart, Direction::Auto).contains("times</title>"));
}

#[test]
fn lang_1_a_list_of_events_is_drawn_once_and_counted_together() {
    let chart = chart_of(
        r#"{ "machine": "M", "events": ["Hit", "Noise", "Calm"], "initial": "a",
             "states": { "a": { "transitions": [{ "on": ["Hit", "Noise"], "to": "b" }] },
                         "b": { "transitions": [{ "on": "Calm", "to": "a" }] } } }"#,
    );
    let heat = Heat {
        states: vec![1, 5, 5],
        transitions: vec![2, 3, 4],
    };
    let options = Options {
        heat: Some(heat),
        ..Options::default()
    };
    let picture = svg(&chart, &options).svg;
    assert_eq!(
        texts(&picture, "label")
            .iter()
            .filter(|t| t.contains("Hit"))
            .count(),
        1
    );
    assert!(texts(&picture, "label").contains(&"Hit, Noise".to_owned()));
    assert!(picture.contains("Hit, Noise: taken 5 times"), "{picture}");
    // The first one leads into the machine.
    assert_eq!(lines(&picture), [vec![], vec![0, 1], vec![2]]);
}

#[test]
fn lang_7_namesakes_have_paths_with_their_regions() {
    let chart = chart_of(
        r#"{ "machine": "M", "initial": "s", "states": { "s": { "regions": {
               "left": { "initial": "idle", "states": { "idle": {}, "run": {} } }, "right": { "states": { "idle": {} } } } } } }"#,
    );
    let paths: Vec<&str> = chart
        .states
        .iter()
        .map(|state| state.path.as_str())
        .collect();
    assert_eq!(paths, ["root", "s", "s/left/idle", "s/run", "s/right/idle"]);
    assert_eq!(chart.find("left/idle"), Ok(2));
    assert!(chart.find("idle").is_err());
}
