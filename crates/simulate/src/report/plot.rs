//! How many agents are where over time: one panel for the machine and a smaller one for each of
//! several regions, in it one band per state, on top of each other. A panel of a region has the
//! shares of those who are in it, so none reaches above 100 %.

use std::fmt::Write;

use statewright_draw::xml;

use super::{number, put};
use crate::groups::{Group, percent};
use crate::outcome::Outcome;

/// Size of the bands of the machine, and of a region: two of these stand side by side.
const LARGE: (f64, f64) = (940.0, 300.0);
const SMALL: (f64, f64) = (420.0, 110.0);
/// Space around the bands of a panel.
const LEFT: f64 = 60.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 38.0;
const AXIS: f64 = 42.0;
/// Columns and height of the names below a panel.
const COLUMNS: (usize, usize) = (3, 2);
const KEY: f64 = 22.0;
/// States with a color of their own.
const COLORS: [&str; 9] = [
    "#4477aa", "#ee7733", "#228833", "#cc3377", "#ccbb44", "#66ccee", "#332288", "#009988",
    "#aa7755",
];
/// The other states together, and those who have ended: light and dark, so that nobody takes one
/// for the other.
const OTHERS: &str = "#c9d0da";
const ENDED: &str = "#4b5563";

/// Pages have other pictures with classes of their own beside it.
const STYLE: &str = ".paper{fill:#fff}.axis{stroke:#66758c}.grid{stroke:#66758c;stroke-opacity:.3}.tick{fill:#445064;font-size:13px}\
.heading{fill:#17202e;font-weight:bold;font-size:15px}.band{stroke:#fff;stroke-width:.6}.band:hover{opacity:.8}.ended{stroke:#66758c}\
@media (prefers-color-scheme: dark){.paper{fill:#0d1117}.tick{fill:#b7c2d3}.heading{fill:#e6ebf3}.band{stroke:#0d1117}.ended{stroke:#a0adc0}}";

/// One color of a panel.
struct Band {
    name: String,
    color: &'static str,
    counts: Vec<u64>,
}

/// Bands on top of each other, with a place on the paper.
struct Panel<'o> {
    outcome: &'o Outcome,
    title: String,
    bands: Vec<Band>,
    /// What shares are shares of, over time.
    whole: Vec<u64>,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    columns: usize,
}

/// How many agents are where over time, as a picture of its own.
pub fn plot(outcome: &Outcome) -> String {
    let mut out = String::new();
    let panels = panels(outcome);
    let bottom = panels.iter().map(Panel::bottom).fold(0.0, f64::max);
    let (width, height) = (LEFT + LARGE.0 + RIGHT, bottom + 8.0);
    put!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">"
    );
    put!(
        out,
        "<title>{}: where agents are over time</title>",
        xml(&outcome.legend.symbols.machine)
    );
    put!(out, "<style>{STYLE}</style>");
    put!(
        out,
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>"
    );
    for panel in &panels {
        panel.areas(&mut out);
        panel.axes(&mut out);
        panel.keys(&mut out);
    }
    put!(out, "</svg>");
    out
}

/// The machine, then its regions in two columns.
fn panels(outcome: &Outcome) -> Vec<Panel<'_>> {
    let mut panels: Vec<Panel<'_>> = Vec::new();
    let (mut top, mut is_right) = (0.0, false);
    for group in &outcome.groups() {
        let mut panel = Panel::new(outcome, group, top);
        if group.region.is_none() {
            top = panel.bottom();
        } else if is_right {
            panel.left += SMALL.0 + LEFT + RIGHT;
            top = panels
                .iter()
                .map(Panel::bottom)
                .fold(panel.bottom(), f64::max);
            is_right = false;
        } else {
            is_right = true;
        }
        panels.push(panel);
    }
    panels
}

/// The states of a group as bands: the first with colors of their own, the rest together.
fn bands(outcome: &Outcome, group: &Group<'_>) -> Vec<Band> {
    let first = match group.series.len() {
        count if count <= COLORS.len() => count,
        _ => COLORS.len() - 1,
    };
    let (first, others) = group.series.split_at(first);
    let mut bands: Vec<Band> = first
        .iter()
        .zip(COLORS)
        .map(|(series, color)| Band {
            name: group.short_name(series.name).to_owned(),
            color,
            counts: series.counts.clone(),
        })
        .collect();
    if !others.is_empty() {
        let at = |sample: usize| others.iter().map(|series| series.counts[sample]).sum();
        bands.push(Band {
            name: format!("{} others", others.len()),
            color: OTHERS,
            counts: (0..outcome.samples.len()).map(at).collect(),
        });
    }
    let ended = outcome.ended_series();
    if group.region.is_none() && ended.iter().any(|&count| count != 0) {
        bands.push(Band {
            name: "(ended)".to_owned(),
            color: ENDED,
            counts: ended,
        });
    }
    bands
}

impl<'o> Panel<'o> {
    fn new(outcome: &'o Outcome, group: &Group<'_>, above: f64) -> Self {
        let (title, (width, height), columns) = match &group.region {
            Some(region) => (region.clone(), SMALL, COLUMNS.1),
            None => ("Share of all agents".to_owned(), LARGE, COLUMNS.0),
        };
        Self {
            outcome,
            title,
            bands: bands(outcome, group),
            whole: group.whole.clone(),
            left: LEFT,
            top: above + TOP,
            width,
            height,
            columns,
        }
    }

    /// Where the next one starts.
    fn bottom(&self) -> f64 {
        let rows = self.bands.len().div_ceil(self.columns);
        self.top + self.height + AXIS + rows as f64 * KEY + 10.0
    }

    fn last_tick(&self) -> u64 {
        self.outcome.samples.last().map_or(0, |sample| sample.tick)
    }

    fn x(&self, tick: u64) -> f64 {
        self.left + self.width * tick as f64 / self.last_tick().max(1) as f64
    }

    fn y(&self, percent: f64) -> f64 {
        self.top + self.height * (1.0 - percent / 100.0)
    }

    /// One band per state, on top of each other.
    fn areas(&self, out: &mut String) {
        let mut below = vec![0_u64; self.outcome.samples.len()];
        for band in &self.bands {
            let sum = |(below, count): (&u64, &u64)| below + count;
            let above: Vec<u64> = below.iter().zip(&band.counts).map(sum).collect();
            let class = if band.color == ENDED {
                "band ended"
            } else {
                "band"
            };
            put!(
                out,
                "<path class=\"{class}\" d=\"{}\" fill=\"{}\"><title>{}</title></path>",
                self.outline(&below, &above),
                band.color,
                xml(&self.words(band))
            );
            below = above;
        }
    }

    fn outline(&self, below: &[u64], above: &[u64]) -> String {
        let y = |at: usize, count: u64| self.y(percent(count, self.whole[at]));
        // A run of one tick is a bar.
        if let ([below], [above]) = (below, above) {
            let (left, right) = (self.left, self.left + self.width);
            let (above, below) = (y(0, *above), y(0, *below));
            return format!("M{left},{above:.1} H{right:.1} V{below:.1} H{left} Z");
        }
        let x = |at: usize| self.x(self.outcome.samples[at].tick);
        let there = above.iter().enumerate();
        let back = below.iter().enumerate().rev();
        let points: Vec<String> = there
            .chain(back)
            .map(|(at, &count)| format!("{:.1},{:.1}", x(at), y(at, count)))
            .collect();
        format!("M{}", points.join(" L"))
    }

    /// A band in words, with its share at the end.
    fn words(&self, band: &Band) -> String {
        let last = |counts: &[u64]| counts.last().copied().unwrap_or(0);
        let share = percent(last(&band.counts), last(&self.whole));
        let longest = if self.columns == COLUMNS.0 { 34 } else { 22 };
        format!("{} {share:.1} %", short(&band.name, longest))
    }

    fn axes(&self, out: &mut String) {
        let (left, right) = (self.left, self.left + self.width);
        put!(
            out,
            "<text class=\"heading\" x=\"{left:.0}\" y=\"{:.0}\">{}</text>",
            self.top - 12.0,
            xml(&self.title)
        );
        let step = if self.height == LARGE.1 { 25 } else { 50 };
        for percent in (0..=100_u32).step_by(step) {
            let y = self.y(percent.into());
            put!(
                out,
                "<line class=\"grid\" x1=\"{left}\" x2=\"{right:.0}\" y1=\"{y:.0}\" y2=\"{y:.0}\"/>"
            );
            put!(
                out,
                "<text class=\"tick\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{percent} %</text>",
                left - 8.0,
                y + 4.0
            );
        }
        let (last, floor) = (self.last_tick(), self.y(0.0));
        for tick in (0..=last).step_by(self.step() as usize) {
            put!(
                out,
                "<text class=\"tick\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
                self.x(tick),
                floor + 18.0,
                if tick == 0 {
                    "tick 0".to_owned()
                } else {
                    number(tick)
                }
            );
        }
        put!(
            out,
            "<line class=\"axis\" x1=\"{left}\" x2=\"{right:.0}\" y1=\"{floor:.0}\" y2=\"{floor:.0}\"/>"
        );
    }

    /// Ticks between two numbers; a small panel has room for half as many.
    fn step(&self) -> u64 {
        round(self.last_tick() * if self.height == LARGE.1 { 1 } else { 2 })
    }

    /// Which color is which state, with its share at the end.
    fn keys(&self, out: &mut String) {
        let top = self.top + self.height + AXIS - 8.0;
        for (index, band) in self.bands.iter().enumerate() {
            let (x, y) = (
                self.left + (index % self.columns) as f64 * (self.width / self.columns as f64),
                top + (index / self.columns) as f64 * KEY,
            );
            put!(
                out,
                "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"14\" height=\"14\" rx=\"3\" fill=\"{}\"/>",
                band.color
            );
            put!(
                out,
                "<text class=\"tick\" x=\"{:.0}\" y=\"{:.0}\">{}</text>",
                x + 20.0,
                y + 12.0,
                xml(&self.words(band))
            );
        }
    }
}

/// A name that fits into a column: the front makes room, since paths differ at their end.
fn short(name: &str, longest: usize) -> String {
    let length = name.chars().count();
    if length <= longest {
        return name.to_owned();
    }
    std::iter::once('…')
        .chain(name.chars().skip(length - longest + 1))
        .collect()
}

/// A step of 1, 2 or 5 and zeros behind it that leads to a number in at most six.
fn round(most: u64) -> u64 {
    let powers = (0..19).map(|power| 10_u64.pow(power));
    let steps = powers.flat_map(|power| [power, 2 * power, 5_u64.saturating_mul(power)]);
    steps
        .into_iter()
        .find(|step| most / step <= 6)
        .unwrap_or(most)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_numbers() {
        assert_eq!(
            [0, 1, 6, 7, 59, 599, 999_999].map(round),
            [1, 1, 1, 2, 10, 100, 200_000]
        );
        assert!(round(u64::MAX) > 0);
    }

    #[test]
    fn long_names_lose_their_front() {
        assert_eq!(short("alive/idle", 34), "alive/idle");
        let long = short("castle/keep/north_tower/top/watching_the_road", 34);
        assert_eq!(long, "…north_tower/top/watching_the_road");
    }
}
