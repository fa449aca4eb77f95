//! How many agents are where over time: one band per leaf, on top of each other.

use std::fmt::Write;

use statewright_draw::xml;

use super::{number, put};
use crate::outcome::{Outcome, Series};

/// Size of the plot and of the space around it.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 40.0;
/// Leaves with a color of their own; the others share the last.
const COLORS: [&str; 10] = [
    "#4477aa", "#ee7733", "#228833", "#cc3377", "#ccbb44", "#66ccee", "#aa3377", "#009988",
    "#dd6688", "#8899aa",
];

/// The color of those who have ended.
const ENDED: &str = "#99a3b1";

/// How many agents are where over time, as a picture of its own.
pub fn plot(outcome: &Outcome) -> String {
    let mut out = String::new();
    let (plot_height, legend) = (TOP + HEIGHT + BOTTOM, legend_rows(outcome));
    let height = plot_height + legend as f64 * 22.0 + 8.0;
    put!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {height:.0}\" width=\"{:.0}\" height=\"{height:.0}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">",
        LEFT + WIDTH + 20.0,
        LEFT + WIDTH + 20.0
    );
    put!(
        out,
        "<title>{}: where agents are over time</title>",
        xml(&outcome.legend.symbols.machine)
    );
    put!(out, "<style>{PLOT_STYLE}</style>");
    put!(
        out,
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>"
    );
    areas(&mut out, outcome);
    axes(&mut out, outcome);
    keys(&mut out, outcome, plot_height);
    put!(out, "</svg>");
    out
}

const PLOT_STYLE: &str = ".paper{fill:#fff}.axis{stroke:#66758c}.grid{stroke:#66758c;stroke-opacity:.25}.label{fill:#445064}\
@media (prefers-color-scheme: dark){.paper{fill:#0d1117}.label{fill:#b7c2d3}}";

/// Names and colors: the first of a list, the rest together.
fn shown<'o>(series: &'o [Series<'o>]) -> (&'o [Series<'o>], &'o [Series<'o>]) {
    if series.len() <= COLORS.len() {
        (series, &[])
    } else {
        series.split_at(COLORS.len() - 1)
    }
}

fn legend_rows(outcome: &Outcome) -> usize {
    (outcome.series().len().min(COLORS.len()) + 1).div_ceil(3)
}

/// One band per leaf, on top of each other.
fn areas(out: &mut String, outcome: &Outcome) {
    let series = outcome.series();
    let (first, others) = shown(&series);
    let points = outcome.samples.len();
    let (ended, scale) = (outcome.ended_series(), Scale::new(outcome));
    let x = |at: usize| scale.x(outcome.samples.get(at).map_or(0, |sample| sample.tick));
    let y = |count: u64| scale.y(100.0 * count as f64 / f64::from(outcome.agents.max(1)));
    let mut below = vec![0_u64; points];
    let rest: Vec<u64> = (0..points)
        .map(|at| others.iter().map(|series| series.counts[at]).sum())
        .collect();
    let bands = first
        .iter()
        .map(|series| &series.counts)
        .chain((!others.is_empty()).then_some(&rest));
    for (counts, color) in bands.zip(COLORS).chain([(&ended, ENDED)]) {
        let above: Vec<u64> = below
            .iter()
            .zip(counts)
            .map(|(below, count)| below + count)
            .collect();
        let mut path = String::new();
        for (at, &count) in above.iter().enumerate() {
            _ = write!(
                path,
                "{}{:.1},{:.1} ",
                if at == 0 { "M" } else { "L" },
                x(at),
                y(count)
            );
        }
        for (at, &count) in below.iter().enumerate().rev() {
            _ = write!(path, "L{:.1},{:.1} ", x(at), y(count));
        }
        // A run of one tick is a bar.
        if points == 1 {
            path = format!(
                "M{LEFT},{:.1} H{:.1} V{:.1} H{LEFT} Z",
                y(above[0]),
                LEFT + WIDTH,
                y(below[0])
            );
        }
        put!(out, "<path d=\"{}\" fill=\"{color}\"/>", path.trim_end());
        below = above;
    }
}

/// Where ticks and shares lie on the paper.
struct Scale {
    last: u64,
    /// Percent between two lines, and at the top: those in several regions count once for each.
    step: u64,
    top: u64,
}

impl Scale {
    fn new(outcome: &Outcome) -> Self {
        let sums = outcome
            .samples
            .iter()
            .map(|sample| sample.leaves.iter().sum::<u64>() + sample.ended);
        let percent = (sums.max().unwrap_or(0) * 100)
            .div_ceil(outcome.agents.max(1).into())
            .max(100);
        let step = [25, 50, 100]
            .into_iter()
            .find(|step| percent <= step * 5)
            .unwrap_or_else(|| round(percent));
        let last = outcome.samples.last().map_or(0, |sample| sample.tick);
        Self {
            last,
            step,
            top: percent.next_multiple_of(step),
        }
    }

    fn x(&self, tick: u64) -> f64 {
        LEFT + WIDTH * tick as f64 / self.last.max(1) as f64
    }

    fn y(&self, percent: f64) -> f64 {
        TOP + HEIGHT * (1.0 - percent / self.top as f64)
    }
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

fn axes(out: &mut String, outcome: &Outcome) {
    let scale = Scale::new(outcome);
    for percent in (0..=scale.top).step_by(scale.step as usize) {
        let y = scale.y(percent as f64);
        put!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{y:.0}\" y2=\"{y:.0}\"/>",
            LEFT + WIDTH
        );
        put!(
            out,
            "<text class=\"label\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{percent} %</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    for tick in (0..=scale.last).step_by(round(scale.last) as usize) {
        put!(
            out,
            "<text class=\"label\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
            scale.x(tick),
            TOP + HEIGHT + 18.0,
            number(tick)
        );
    }
    put!(
        out,
        "<text class=\"label\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">tick</text>",
        LEFT + WIDTH / 2.0,
        TOP + HEIGHT + 35.0
    );
    put!(
        out,
        "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{:.0}\" y2=\"{:.0}\"/>",
        LEFT + WIDTH,
        TOP + HEIGHT,
        TOP + HEIGHT
    );
}

/// Which color is which leaf.
fn keys(out: &mut String, outcome: &Outcome, top: f64) {
    let series = outcome.series();
    let (first, others) = shown(&series);
    let rest = format!("{} others", others.len());
    let names = first
        .iter()
        .map(|series| series.name)
        .chain((!others.is_empty()).then_some(rest.as_str()));
    let ended =
        (outcome.ended_series().iter().any(|&count| count != 0)).then_some(("(ended)", ENDED));
    for (index, (name, color)) in names.zip(COLORS).chain(ended).enumerate() {
        let (x, y) = (
            LEFT + (index % 3) as f64 * 300.0,
            top + (index / 3) as f64 * 22.0,
        );
        put!(
            out,
            "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"14\" height=\"14\" rx=\"3\" fill=\"{color}\"/>"
        );
        let short: String = if name.chars().count() > 36 {
            name.chars().take(35).chain(['…']).collect()
        } else {
            name.to_owned()
        };
        put!(
            out,
            "<text class=\"label\" x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            x + 20.0,
            y + 12.0,
            xml(&short)
        );
    }
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
}
