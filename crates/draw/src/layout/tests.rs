//! What must hold in every picture: boxes lie in their parents, nothing solid lies on anything else
//! solid, lines run straight up, down or across and never through text or through a box that is not
//! theirs.

use std::path::Path;
use std::str::Chars;

use statewright_author::graph::Machine;
use statewright_compile::{Options, compile, compile_text};
use statewright_generator::{Rng, Size, machine};

use super::boxes::{DIAMOND, TITLE_HEIGHT};
use super::choice::{Freedom, is_well_shaped};
use super::draft::Draft;
use super::way::Way;
use super::{Direction, HISTORY, Picture, Point, layout, placed};
use crate::bridges::bridges;
use crate::chart::{Chart, Kind};
use crate::metrics::{LINE, SMALL, TITLE, bold_width, width};
use crate::path::{BOW, simplified};
use crate::scene::{Course, End, Scene, is_symbol, widest};

/// Something that nothing else may touch.
#[derive(Clone, Debug)]
struct Solid {
    what: String,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    /// The state that lines may come from or lead to.
    state: Option<usize>,
}

impl Solid {
    fn new(what: String, at: Point, size: (f64, f64), state: Option<usize>) -> Self {
        Self {
            what,
            left: at.0,
            top: at.1,
            right: at.0 + size.0,
            bottom: at.1 + size.1,
            state,
        }
    }

    fn touches(&self, other: &Self) -> bool {
        let apart = |a: (f64, f64), b: (f64, f64)| a.1 <= b.0 + 0.5 || b.1 <= a.0 + 0.5;
        !apart((self.left, self.right), (other.left, other.right))
            && !apart((self.top, self.bottom), (other.top, other.bottom))
    }
}

/// Leaf boxes, titles with their text, names of regions, history points and labels.
fn solids(chart: &Chart, scene: &Scene, picture: &Picture) -> Vec<Solid> {
    let mut solids = Vec::new();
    for (number, state) in chart.states.iter().enumerate() {
        let placed = &picture.boxes[number];
        let texts = &scene.texts[number];
        if is_symbol(chart, number) {
            let diamond = Solid::new(
                state.path.clone(),
                placed.at,
                (DIAMOND, DIAMOND),
                Some(number),
            );
            let size = (
                width(&state.name, SMALL).max(widest(texts)),
                LINE * (1 + texts.len()) as f64 - 2.0,
            );
            let text = (placed.text.0, placed.text.1 - LINE + 4.0);
            let text = Solid::new(format!("text of {}", state.path), text, size, None);
            solids.extend([diamond, text]);
        } else if state.regions.is_empty() {
            solids.push(Solid::new(
                state.path.clone(),
                placed.at,
                (placed.width, placed.height),
                Some(number),
            ));
        } else {
            let name = if number == 0 {
                &chart.name
            } else {
                &state.name
            };
            let size = (
                bold_width(name, TITLE).max(widest(texts)),
                TITLE_HEIGHT + LINE * texts.len() as f64,
            );
            solids.push(Solid::new(
                format!("title of {}", state.path),
                (placed.text.0, placed.at.1 + 2.0),
                size,
                None,
            ));
        }
        for lane in &placed.lanes {
            if let (Some(at), Some(name)) = (lane.name, &chart.regions[lane.region].name) {
                let size = (width(name, SMALL), LINE - 2.0);
                solids.push(Solid::new(
                    format!("name of {name}"),
                    (at.0, at.1 - LINE + 4.0),
                    size,
                    None,
                ));
            }
        }
    }
    for (place, placed) in picture.shared.iter().enumerate() {
        solids.push(Solid::new(
            format!("shared {}", chart.shared[place].title()),
            placed.at,
            (placed.width, placed.height),
            Some(chart.states.len() + place),
        ));
    }
    for placed in &picture.histories {
        let (found, (x, y)) = (&chart.histories[placed.history], placed.middle);
        if chart.states[found.owner].regions.is_empty() {
            continue;
        }
        solids.push(Solid::new(
            format!("history {}", found.name),
            (x - HISTORY, y - HISTORY),
            (HISTORY * 2.0, HISTORY * 2.0),
            Some(found.owner),
        ));
        solids.push(Solid::new(
            format!("name of history {}", found.name),
            (placed.name.0, placed.name.1 - LINE + 4.0),
            (width(&found.name, SMALL), LINE - 2.0),
            None,
        ));
    }
    for (link, placed) in scene.links.iter().zip(&picture.links) {
        if let Some(at) = placed.label {
            let size = (widest(&link.label), LINE * link.label.len() as f64);
            solids.push(Solid::new(
                format!("label {:?}", link.label[0].text),
                at,
                size,
                None,
            ));
        }
    }
    solids
}

/// What is wrong with the pictures of a machine.
#[derive(Default)]
struct Found {
    problems: Vec<String>,
    /// Lines that lie on each other.
    doubled: Vec<String>,
    /// How many lines turn at the border of a state.
    bends: usize,
}

impl Found {
    fn look_at(&mut self, chart: &Chart, scene: &Scene, picture: &Picture) {
        self.problems.extend(problems_of(chart, scene, picture));
        self.doubled.extend(lines_on_lines(chart, scene, picture));
    }

    /// If all rows run down, or all to the right.
    fn one_way(chart: &Chart) -> Self {
        let (scene, mut found) = (Scene::new(chart), Self::default());
        for way in [Direction::Down, Direction::Right] {
            found.look_at(chart, &scene, &layout(chart, &scene, way));
        }
        found
    }

    /// If rows run both ways.
    fn both_ways(chart: &Chart) -> Self {
        let (scene, mut found) = (Scene::new(chart), Self::default());
        let draft = Draft::best(chart, &scene, BOTH);
        found.bends = draft.shapes.iter().map(|shape| shape.bends.len()).sum();
        found.look_at(chart, &scene, &placed(chart, &scene, &draft));
        found
    }

    fn assert_none(&self, what: &str) {
        assert_eq!(self.problems, [""; 0], "{what}");
        assert_eq!(self.doubled, [""; 0], "{what}");
    }
}

/// Wide states must have high children, and the other way round, so that many are turned.
const BOTH: Freedom = Freedom {
    ways: &[Way::Down, Way::Right],
    wishes: &[5.0, 0.2],
};

fn problems_of(chart: &Chart, scene: &Scene, picture: &Picture) -> Vec<String> {
    let mut problems = Vec::new();
    let states = chart.states.iter().zip(&picture.boxes).skip(1);
    let states = states.map(|(state, placed)| {
        let region = state.region.expect("only the root lies nowhere");
        (state.path.as_str(), region, placed)
    });
    let shared = chart.shared.iter().zip(&picture.shared);
    let shared = shared.map(|(shared, placed)| (shared.title(), shared.region, placed));
    for (name, region, inner) in states.chain(shared) {
        let outer = &picture.boxes[chart.regions[region].owner];
        let is_inside = inner.at.0 >= outer.at.0
            && inner.at.1 >= outer.at.1 + TITLE_HEIGHT
            && inner.at.0 + inner.width <= outer.at.0 + outer.width
            && inner.at.1 + inner.height <= outer.at.1 + outer.height;
        if !is_inside {
            problems.push(format!("{name} is not inside its parent"));
        }
    }
    let solids = solids(chart, scene, picture);
    for (number, a) in solids.iter().enumerate() {
        let others = solids[number + 1..].iter().filter(|b| a.touches(b));
        problems.extend(others.map(|b| format!("{} lies on {}", a.what, b.what)));
    }
    for (link, placed) in scene.links.iter().zip(&picture.links) {
        let ends = [link.from, link.to].map(|end| match end {
            End::State(state) => Some(state),
            End::History(history) => Some(chart.histories[history].owner),
            End::Shared(place) => Some(chart.states.len() + place),
            End::Dot(_) => None,
        });
        if placed.points.len() < 2 {
            problems.push(format!("{link:?} has no line"));
        }
        for pair in placed.points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if (a.0 - b.0).abs() > 0.6 && (a.1 - b.1).abs() > 0.6 {
                problems.push(format!("{link:?} is slanted from {a:?} to {b:?}"));
            }
            let (left, top) = (a.0.min(b.0), a.1.min(b.1));
            let line = Solid::new(
                String::new(),
                (left - 0.6, top - 0.6),
                ((a.0 - b.0).abs() + 1.2, (a.1 - b.1).abs() + 1.2),
                None,
            );
            for solid in &solids {
                let is_own = solid.state.is_some() && ends.contains(&solid.state);
                if !is_own && line.touches(solid) {
                    problems.push(format!(
                        "{:?} to {:?} runs through {}",
                        link.from, link.to, solid.what
                    ));
                }
            }
        }
        if !link.label.is_empty()
            && placed.label.is_none()
            && !matches!(link.course, Course::Loop(_))
        {
            problems.push(format!("{link:?} has lost its label"));
        }
    }
    problems
}

/// Between two rows several lines may each want to turn above the next one, in a circle. One of them
/// then starts where another ends. So many pairs of all lines of some hundred random machines do.
const MOST_DOUBLED: usize = 4;

/// Lines that lie on each other for a while, unless they lead to the same symbol.
fn lines_on_lines(chart: &Chart, scene: &Scene, picture: &Picture) -> Vec<String> {
    let mut problems = Vec::new();
    let lines: Vec<_> = scene.links.iter().zip(&picture.links).collect();
    let is_small = |end: End| match end {
        End::State(state) => is_symbol(chart, state),
        End::History(_) | End::Dot(_) => true,
        End::Shared(_) => false,
    };
    for (number, &(link, placed)) in lines.iter().enumerate() {
        for &(other, beside) in &lines[number + 1..] {
            let mut ends = [link.from, link.to].into_iter();
            if ends.any(|end| is_small(end) && [other.from, other.to].contains(&end)) {
                continue;
            }
            let mut pairs = placed.points.windows(2).flat_map(|a| {
                let others = beside.points.windows(2);
                others.map(move |b| ((a[0], a[1]), (b[0], b[1])))
            });
            if let Some(pair) = pairs.find(|&(a, b)| lie_on_each_other(a, b)) {
                problems.push(format!("{link:?} lies on {other:?}: {pair:?}"));
            }
        }
    }
    problems
}

/// Whether two straight lines have more than a point in common.
fn lie_on_each_other(a: (Point, Point), b: (Point, Point)) -> bool {
    let turned = |(x, y): Point| (y, x);
    let level = |a: (Point, Point), b: (Point, Point)| {
        let is_level = [a.0.1, a.1.1, b.0.1, b.1.1]
            .iter()
            .all(|y| (y - a.0.1).abs() < 1.0);
        let (start, end) = (a.0.0.min(a.1.0), a.0.0.max(a.1.0));
        let (from, to) = (b.0.0.min(b.1.0), b.0.0.max(b.1.0));
        is_level && end.min(to) - start.max(from) > 2.0
    };
    level(a, b) || level((turned(a.0), turned(a.1)), (turned(b.0), turned(b.1)))
}

fn charted(machine: &Machine) -> Option<Chart> {
    let (output, _) = compile(
        machine,
        &Options {
            strict: false,
            dev: true,
        },
    );
    output.map(|output| Chart::new(&output.rom.as_rom(), &output.symbols))
}

#[test]
fn nothing_lies_on_anything_in_the_samples() {
    let folders = ["../../machines", "tests/machines"]
        .map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let mut count = 0;
    for entry in folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
    {
        let path = entry.unwrap().path();
        if path.to_string_lossy().ends_with(".sw.json") {
            let (output, _) = compile_text(
                "x",
                &std::fs::read_to_string(&path).unwrap(),
                &Options::default(),
            );
            let output = output.unwrap();
            let chart = Chart::new(&output.rom.as_rom(), &output.symbols);
            let name = path.display().to_string();
            Found::one_way(&chart).assert_none(&name);
            Found::both_ways(&chart).assert_none(&name);
            count += 1;
        }
    }
    assert!(count >= 8);
}

#[test]
fn nothing_lies_on_anything_in_random_machines() {
    let (mut drawn, mut shared, mut crossed, mut doubled, mut seen) = (0, 0, 0, 0, [false; 5]);
    for seed in 0..400 {
        let Some(chart) = charted(&machine(seed, Size::random(&mut Rng::new(seed)))) else {
            continue;
        };
        let found = Found::one_way(&chart);
        assert!(
            found.problems.is_empty(),
            "seed {seed}: {:#?}",
            found.problems
        );
        doubled += found.doubled.len();
        drawn += 1;
        shared += chart.shared.len();
        crossed += crossings_of(&chart);
        for state in &chart.states {
            seen[match state.kind {
                Kind::Atomic => 0,
                Kind::Compound => 1,
                Kind::Orthogonal => 2,
                Kind::Final => 3,
                Kind::Choice => 4,
            }] = true;
        }
    }
    assert!(drawn > 300 && seen == [true; 5], "{drawn} {seen:?}");
    assert!(shared > 10 && crossed > 1000, "{shared} {crossed}");
    assert!(doubled <= MOST_DOUBLED, "{doubled}");
}

#[test]
fn nothing_lies_on_anything_where_rows_run_both_ways() {
    let (mut bent, mut doubled) = (0, 0);
    for seed in 0..150 {
        let Some(chart) = charted(&machine(seed, Size::random(&mut Rng::new(seed)))) else {
            continue;
        };
        let found = Found::both_ways(&chart);
        assert!(
            found.problems.is_empty(),
            "seed {seed}: {:#?}",
            found.problems
        );
        bent += found.bends;
        doubled += found.doubled.len();
    }
    assert!(bent > 300, "{bent}");
    assert!(doubled <= MOST_DOUBLED, "{doubled}");
}

/// Machines of 30 to 60 states: `.` is a leaf, brackets hold states that lead to each other in a
/// circle, braces regions.
const NESTED: [(&str, usize); 12] = [
    ("[[[...][...][...]][[...][...][...]][[...][...][...]]]", 39),
    (
        "[[[...][...].][[...][...].][[...][...].][[...][...].][...]]",
        44,
    ),
    (
        "[[[...][...].][[...][...].][[...][...].][[...][...].]....]",
        44,
    ),
    (
        "[[[...][...][...]][[...][...][...]][[...][...][...]][...].]",
        44,
    ),
    (
        "[[[....]..[....]][[....]..[....]][[....]..[....]][....]]",
        44,
    ),
    ("[[[[..][..]][[..][..]]][[[..][..]][[..][..]]]]", 30),
    ("[[.....][.....][.....][.....][.....][.....][.....]]", 42),
    (
        "[[[[...][...][...]][[...][...][...]][[...][...][...]]][...].[.[.[...].].]]",
        55,
    ),
    ("[[[[[...][...].][...].][...][...]].[[...][...][...]]]", 39),
    ("[[[[[[[...]..]..][...].]..][[...]..].][...].]", 33),
    (
        "[{[[...][...][...]][...]}{[...][...]}[[...][...][...]]..]",
        38,
    ),
    (
        "[{[...][...]}{[{[...][...]}..][...]}[...][{[...][...]}[...].]]",
        37,
    ),
];

#[test]
fn nested_machines_are_well_shaped_and_nothing_lies_on_anything() {
    for (shape, states) in NESTED {
        for leads_across in [false, true] {
            let chart = nested(shape, leads_across);
            assert_eq!(chart.states.len(), states + 1, "{shape}");
            let scene = Scene::new(&chart);
            let picture = layout(&chart, &scene, Direction::Auto);
            let size = (picture.width, picture.height);
            assert!(is_well_shaped(size), "{shape} {leads_across}: {size:?}");
            let mut found = Found::default();
            found.look_at(&chart, &scene, &picture);
            found.assert_none(shape);
        }
    }
}

/// A machine of a shape; with lines from every fifth leaf to another one somewhere if it
/// `leads_across`.
fn nested(shape: &str, leads_across: bool) -> Chart {
    let leaves = shape.matches('.').count();
    let mut nest = Nest {
        rest: shape.chars(),
        leads_across,
        leaves,
        leaf: 0,
        state: 0,
    };
    nest.rest.next();
    let inside = nest.group();
    let events = EVENTS.map(|event| format!("{event:?}")).join(", ");
    let text = format!(r#"{{ "machine": "M", "tier": "hero", "events": [{events}], {inside} }}"#);
    let (output, problems) = compile_text("x", &text, &Options::default());
    let output = output.unwrap_or_else(|| panic!("{problems:?}"));
    Chart::new(&output.rom.as_rom(), &output.symbols)
}

const EVENTS: [&str; 5] = ["Seen", "Lost", "Noise", "Calm", "Dawn"];

/// Writes the text of a machine while its shape is read.
struct Nest<'a> {
    rest: Chars<'a>,
    leads_across: bool,
    /// How many leaves there will be, and have been.
    leaves: usize,
    leaf: usize,
    /// How many states there have been.
    state: usize,
}

impl Nest<'_> {
    /// What follows an opening bracket: states that lead to each other in a circle.
    fn group(&mut self) -> String {
        let mut inside = Vec::new();
        while let Some(opening) = self.rest.next().filter(|&c| c != ']') {
            let name = match opening {
                '.' => format!("leaf_{}", self.leaf),
                _ => format!("state_{}", self.state),
            };
            self.state += 1;
            inside.push((name, self.state_of(opening)));
        }
        let count = inside.len();
        let next = |place: usize| &inside[(place + 1) % count].0;
        let states = inside
            .iter()
            .enumerate()
            .map(|(place, (name, (body, lines)))| {
                let ring = format!(
                    r#"{{ "on": {:?}, "to": {:?} }}"#,
                    EVENTS[place % 5],
                    next(place)
                );
                format!(r#"{name:?}: {{ {body} "transitions": [{ring}{lines}] }}"#)
            });
        let states: Vec<String> = states.collect();
        format!(
            r#""initial": {:?}, "states": {{ {} }}"#,
            inside[0].0,
            states.join(", ")
        )
    }

    /// What is in a state, and its lines to somewhere else.
    fn state_of(&mut self, opening: char) -> (String, String) {
        match opening {
            '.' => (String::new(), self.lines()),
            '[' => (format!("{},", self.group()), String::new()),
            _ => (format!("{},", self.regions()), String::new()),
        }
    }

    /// What follows an opening brace.
    fn regions(&mut self) -> String {
        let mut regions = Vec::new();
        while self.rest.next() == Some('[') {
            let name = format!("region_{}", regions.len());
            regions.push(format!("{name:?}: {{ {} }}", self.group()));
        }
        format!(r#""regions": {{ {} }}"#, regions.join(", "))
    }

    fn lines(&mut self) -> String {
        let leaf = self.leaf;
        self.leaf += 1;
        let target = (leaf * 7 + 11) % self.leaves;
        match self.leads_across && leaf.is_multiple_of(5) && target != leaf {
            true => format!(r#", {{ "on": "Dawn", "to": "leaf_{target}" }}"#),
            false => String::new(),
        }
    }
}

/// How many lines cross in a picture, each pair of pieces looked at; all of them have bridges.
fn crossings_of(chart: &Chart) -> usize {
    let scene = Scene::new(chart);
    let picture = layout(chart, &scene, Direction::Auto);
    let paths: Vec<Vec<Point>> = picture
        .links
        .iter()
        .map(|link| simplified(&link.points))
        .collect();
    let bridges = bridges(&paths);
    let mut count = 0;
    for (path, bridges) in paths.iter().zip(&bridges) {
        for level in path.windows(2).filter(|pair| pair[0].1 == pair[1].1) {
            let (left, right) = (level[0].0.min(level[1].0), level[0].0.max(level[1].0));
            for pair in paths.iter().flat_map(|path| path.windows(2)) {
                let ((x, a), (other, b)) = (pair[0], pair[1]);
                let is_crossed = x == other
                    && x - left >= BOW
                    && right - x >= BOW
                    && level[0].1 > a.min(b)
                    && level[0].1 < a.max(b);
                if is_crossed {
                    assert!(bridges.contains(&(x, level[0].1)), "{:?}", level);
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, bridges.iter().map(Vec::len).sum::<usize>());
    count
}

#[test]
fn the_alarm_works() {
    let a = Solid::new("a".into(), (0.0, 0.0), (10.0, 10.0), None);
    let b = Solid::new("b".into(), (9.0, 9.0), (10.0, 10.0), None);
    let c = Solid::new("c".into(), (10.0, 0.0), (10.0, 10.0), None);
    assert!(a.touches(&b) && !a.touches(&c));
}
