//! The picture as SVG: one file, no scripts, no fonts, no links.

use std::fmt::Write;

use crate::bridges::bridges;
use crate::chart::{Chart, Kind};
use crate::escape::xml;
use crate::heat::{Colors, Heat};
use crate::layout::boxes::{DIAMOND, DOT, TITLE_HEIGHT};
use crate::layout::{Direction, HISTORY, Picture, PlacedLane, Point, layout};
use crate::metrics::{LINE, SMALL, width};
use crate::path::{Number, direction, rounded, simplified, straight};
use crate::scene::{Link, Scene, Words, is_symbol};
use crate::theme::{HEAT_STEPS, Theme, style};

/// Space around everything.
const MARGIN: f64 = 16.0;
/// Length and half the width of an arrow head.
const HEAD: (f64, f64) = (9.0, 4.0);

/// What to light up, and in which colors.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The colors.
    pub theme: Theme,
    /// States to light up, by number.
    pub active: Vec<usize>,
    /// Counts to color by.
    pub heat: Option<Heat>,
    /// Which way it runs.
    pub direction: Direction,
}

/// A drawn machine.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The SVG file.
    pub svg: String,
    /// How many transitions are written in boxes because there are too many for lines.
    pub written: usize,
}

/// Draws a machine. The same chart and options give the same bytes.
pub fn svg(chart: &Chart, options: &Options) -> Drawing {
    let scene = Scene::new(chart);
    let picture = layout(chart, &scene, options.direction);
    let paths = drawn_lines(&picture);
    let colors = options.heat.as_ref().map(|heat| Colors::new(heat, chart));
    let mut canvas = Canvas {
        out: String::new(),
        chart,
        scene: &scene,
        picture: &picture,
        bridges: bridges(&paths),
        paths,
        options,
        colors,
    };
    canvas.draw();
    Drawing {
        svg: canvas.out,
        written: scene.written,
    }
}

/// The corners of each link.
fn drawn_lines(picture: &Picture) -> Vec<Vec<Point>> {
    let links = picture.links.iter();
    links.map(|link| simplified(&link.points)).collect()
}

struct Canvas<'a> {
    out: String,
    chart: &'a Chart,
    scene: &'a Scene,
    picture: &'a Picture,
    /// The corners of each link, without those that change nothing.
    paths: Vec<Vec<Point>>,
    /// Where each link passes over others.
    bridges: Vec<Vec<Point>>,
    options: &'a Options,
    colors: Option<Colors<'a>>,
}

/// Adds formatted text to a canvas; writing to a string cannot fail.
macro_rules! put {
    ($canvas:expr, $($part:tt)*) => { _ = writeln!($canvas.out, $($part)*) };
}

impl Canvas<'_> {
    fn draw(&mut self) {
        let notes = self.notes();
        let notes_width = notes
            .iter()
            .map(|note| width(note, SMALL))
            .fold(0.0, f64::max);
        let legend = if self.options.heat.is_some() {
            26.0
        } else {
            0.0
        };
        let wide = self.picture.width.max(notes_width).max(legend * 19.0) + MARGIN * 2.0;
        let high = self.picture.height + MARGIN * 2.0 + legend + notes.len() as f64 * (LINE + 4.0);
        let name = xml(&self.chart.name);
        put!(
            self,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" \
aria-label=\"State machine {name}\">",
            Number(wide),
            Number(high)
        );
        put!(self, "<style>\n{}</style>", style(self.options.theme));
        put!(
            self,
            "<rect class=\"paper\" width=\"{}\" height=\"{}\"/>",
            Number(wide),
            Number(high)
        );
        put!(self, "<g transform=\"translate({MARGIN} {MARGIN})\">");
        (0..self.chart.states.len()).for_each(|state| self.state(state));
        (0..self.chart.shared.len()).for_each(|place| self.shared(place));
        (0..self.scene.links.len()).for_each(|link| self.line(link));
        self.symbols();
        (0..self.scene.links.len()).for_each(|link| self.label(link));
        let mut y = self.picture.height + 16.0;
        if let Some(ends) = self.colors.as_ref().map(Colors::ends) {
            self.legend(ends, y);
            y += 26.0;
        }
        for note in notes {
            self.text("text", 0.0, y + 4.0, &note);
            y += LINE + 4.0;
        }
        self.out.push_str("</g>\n</svg>\n");
    }

    fn notes(&self) -> Vec<String> {
        let written = self.scene.written;
        let text = format!(
            "{written} transitions are written in the boxes of their states: lines for all would hide each other."
        );
        if written > 0 { vec![text] } else { Vec::new() }
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        put!(
            self,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
            Number(x),
            Number(y),
            xml(text)
        );
    }

    fn state(&mut self, state: usize) {
        let (found, placed) = (&self.chart.states[state], &self.picture.boxes[state]);
        let (x, y) = placed.at;
        let count = self.colors.as_ref().map(|colors| colors.entered(state));
        let entered = count.map_or_else(String::new, |count| format!(": entered {count} times"));
        put!(
            self,
            "<g data-state=\"{0}\"><title>{0}{entered}</title>",
            xml(&found.path)
        );
        let class = self.state_class(state);
        if is_symbol(self.chart, state) {
            let half = DIAMOND / 2.0;
            let points = [
                (x + half, y),
                (x + DIAMOND, y + half),
                (x + half, y + DIAMOND),
                (x, y + half),
            ];
            put!(
                self,
                "<path class=\"box {class}\" d=\"{}Z\"/>",
                straight(&points)
            );
            let (left, baseline) = placed.text;
            self.text("text", left, baseline, &found.name);
            self.lines(left, baseline + LINE, &self.scene.texts[state]);
            self.out.push_str("</g>\n");
            return;
        }
        let (wide, high) = (placed.width, placed.height);
        let round = if found.kind == Kind::Final {
            (high / 2.0).min(17.0)
        } else {
            8.0
        };
        put!(
            self,
            "<rect class=\"box {class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            Number(x),
            Number(y),
            Number(wide),
            Number(high),
            Number(round)
        );
        self.inside(state);
        self.out.push_str("</g>\n");
    }

    /// The box of what several states share.
    fn shared(&mut self, place: usize) {
        let (shared, placed) = (&self.chart.shared[place], &self.picture.shared[place]);
        let ((x, y), texts) = (placed.at, &self.scene.shared_texts[place]);
        put!(
            self,
            "<g data-shared=\"{0}\"><title>{0}, {1}</title>",
            xml(shared.title()),
            xml(&shared.used_by(self.chart))
        );
        put!(
            self,
            "<rect class=\"box shared\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"/>",
            Number(x),
            Number(y),
            Number(placed.width),
            Number(placed.height)
        );
        let middle = y + 4.0 + TITLE_HEIGHT / 2.0;
        self.text("title", placed.text.0, middle + 4.5, shared.title());
        self.lines(placed.text.0, y + TITLE_HEIGHT + 4.0 + LINE, texts);
        self.out.push_str("</g>\n");
    }

    fn state_class(&self, state: usize) -> String {
        let is_leaf = self.chart.states[state].regions.is_empty();
        let mut depth = 0;
        let mut at = state;
        while let Some(region) = self.chart.states[at].region {
            at = self.chart.regions[region].owner;
            depth += 1;
        }
        let mut class = if is_leaf {
            "leaf"
        } else {
            ["even", "odd"][depth % 2]
        }
        .to_owned();
        if let Some(colors) = &self.colors
            && is_leaf
            && let Some(step) = colors.state(state)
        {
            class = format!("heat{step}");
        }
        if self.options.active.contains(&state) {
            class.push_str(if is_leaf { " lit active" } else { " lit" });
        } else if self
            .options
            .active
            .iter()
            .any(|&active| self.chart.is_inside(active, state))
        {
            class.push_str(" lit");
        }
        class
    }

    /// Title, text and lanes of a box.
    fn inside(&mut self, state: usize) {
        let (found, placed) = (&self.chart.states[state], &self.picture.boxes[state]);
        let (chart, scene, y) = (self.chart, self.scene, placed.at.1);
        let name = if state == 0 { &chart.name } else { &found.name };
        let texts = &scene.texts[state];
        let is_leaf = found.regions.is_empty();
        let icon = if found.kind == Kind::Final { 20.0 } else { 0.0 };
        let x = placed.text.0;
        // A name alone stands in the middle.
        let is_alone = is_leaf && texts.is_empty() && found.histories.is_empty();
        let middle = if is_alone {
            y + placed.height / 2.0
        } else {
            y + 4.0 + TITLE_HEIGHT / 2.0
        };
        if found.kind == Kind::Final {
            self.bullseye((x + 7.0, middle));
            self.text("title", x + icon, middle + 4.5, name);
        } else if is_alone {
            self.text(
                "title middle",
                placed.at.0 + placed.width / 2.0,
                middle + 4.5,
                name,
            );
        } else {
            self.text("title", x, middle + 4.5, name);
        }
        if !texts.is_empty() {
            self.lines(x, y + TITLE_HEIGHT + 4.0 + LINE, texts);
        }
        let lanes = &placed.lanes;
        if !(is_leaf && texts.is_empty()) {
            let rule = if is_leaf {
                y + TITLE_HEIGHT + 2.0
            } else {
                placed.rule
            };
            let (left, right) = (placed.at.0, placed.at.0 + placed.width);
            put!(
                self,
                "<path class=\"rule\" d=\"{}\"/>",
                straight(&[(left, rule), (right, rule)])
            );
        }
        for (number, lane) in lanes.iter().enumerate() {
            if number > 0 {
                let ends = border(&lanes[0], lane);
                put!(self, "<path class=\"lane\" d=\"{}\"/>", straight(&ends));
            }
            if let (Some(name), Some(at)) = (&chart.regions[lane.region].name, lane.name) {
                self.text("name", at.0, at.1, name);
            }
        }
    }

    fn lines(&mut self, x: f64, y: f64, lines: &[Words]) {
        for (number, line) in lines.iter().enumerate() {
            self.text(
                "text",
                x + line.indent(),
                y + LINE * number as f64,
                &line.text,
            );
        }
    }

    fn bullseye(&mut self, (x, y): Point) {
        put!(
            self,
            "<circle class=\"ring paper\" cx=\"{}\" cy=\"{}\" r=\"7\"/>",
            Number(x),
            Number(y)
        );
        put!(
            self,
            "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"4\"/>",
            Number(x),
            Number(y)
        );
    }

    /// Dots and history points, which lie on the ends of lines.
    fn symbols(&mut self) {
        let (chart, picture) = (self.chart, self.picture);
        for &(x, y) in &picture.dots {
            let half = DOT / 2.0;
            put!(
                self,
                "<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                Number(x + half),
                Number(y + half),
                half - 0.5
            );
        }
        for placed in &picture.histories {
            let (found, (x, y)) = (&chart.histories[placed.history], placed.middle);
            put!(
                self,
                "<circle class=\"ring paper\" cx=\"{}\" cy=\"{}\" r=\"{HISTORY}\"/>",
                Number(x),
                Number(y)
            );
            self.text("mark", x, y + 4.0, if found.deep { "H*" } else { "H" });
            self.text("name", placed.name.0, placed.name.1, &found.name);
        }
    }

    /// The classes of a line and its words.
    fn link_class(&self, is_interrupt: bool, transitions: &[usize]) -> String {
        match &self.colors {
            Some(_) if transitions.is_empty() => String::new(),
            Some(colors) => colors
                .transitions(transitions)
                .map_or(" never".to_owned(), |step| format!(" warm{step}")),
            None if is_interrupt => " interrupt".to_owned(),
            None => String::new(),
        }
    }

    fn line(&mut self, number: usize) {
        let link = &self.scene.links[number];
        let mut points = self.paths[number].clone();
        let (Some(&end), true) = (points.last(), points.len() > 1) else {
            return;
        };
        let class = self.link_class(link.is_interrupt, &link.transitions);
        let (along, across) = direction(points[points.len() - 2], end);
        let back = (end.0 - along.0 * HEAD.0, end.1 - along.1 * HEAD.0);
        let wing = (across.0 * HEAD.1, across.1 * HEAD.1);
        let last = points.len() - 1;
        points[last] = back;
        let names: Vec<String> = link.transitions.iter().map(ToString::to_string).collect();
        put!(self, "<g data-transitions=\"{}\">", names.join(" "));
        let path = rounded(&points, &self.bridges[number]);
        if let Some(words) = self.taken(link) {
            // A line is thin: what the pointer meets is wider.
            put!(self, "<title>{}</title>", xml(&words));
            put!(self, "<path class=\"touch\" d=\"{path}\"/>");
        }
        put!(self, "<path class=\"line{class}\" d=\"{path}\"/>");
        let head = [
            end,
            (back.0 + wing.0, back.1 + wing.1),
            (back.0 - wing.0, back.1 - wing.1),
        ];
        put!(
            self,
            "<path class=\"head{class}\" d=\"{}Z\"/></g>",
            straight(&head)
        );
    }

    /// What a link stands for and how often it was taken, if that is known.
    fn taken(&self, link: &Link) -> Option<String> {
        let colors = self.colors.as_ref()?;
        let drawn = link.transitions.iter();
        let drawn = drawn.filter(|&&number| !self.chart.transitions[number].is_listed);
        let words = drawn.map(|&number| {
            let label = self.chart.transitions[number].label.line();
            format!("{label}: taken {} times", colors.taken(number))
        });
        let words: Vec<String> = words.collect();
        (!words.is_empty()).then(|| words.join("\n"))
    }

    fn label(&mut self, number: usize) {
        let (link, Some((x, y))) = (&self.scene.links[number], self.picture.links[number].label)
        else {
            return;
        };
        for (line, words) in link.label.iter().enumerate() {
            let class = self.link_class(words.is_interrupt, &words.transitions);
            self.text(
                &format!("label{class}"),
                x,
                y + LINE * (line as f64 + 1.0) - 3.0,
                &words.text,
            );
        }
    }

    fn legend(&mut self, (least, most): (u64, u64), y: f64) {
        let seldom = format!("entered {least} times");
        self.text("text", 0.0, y + 10.0, &seldom);
        let left = width(&seldom, SMALL) + 8.0;
        for step in 0..HEAT_STEPS {
            let x = left + 18.0 * step as f64;
            put!(
                self,
                "<rect class=\"heat{step}\" x=\"{}\" y=\"{}\" width=\"18\" height=\"12\"/>",
                Number(x),
                Number(y)
            );
        }
        let often = format!("{most} times; without color or dotted: never");
        self.text(
            "text",
            left + 18.0 * HEAT_STEPS as f64 + 8.0,
            y + 10.0,
            &often,
        );
    }
}

/// The line between a lane and the one before it.
fn border(first: &PlacedLane, lane: &PlacedLane) -> [Point; 2] {
    let (x, y) = lane.at;
    if first.at.0 < x {
        [(x, y), (x, y + lane.height)]
    } else {
        [(x, y), (x + lane.width, y)]
    }
}
