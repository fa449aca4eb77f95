//! Pictures as SVG, on a light ground of their own so that they can be read on any page.

use std::fmt::Write as _;

use statewright_measure::text::short_number;

use crate::curves::Axes;
use crate::row::short_count;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 464.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 730.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = 400.0;
/// Colors that differ for everybody, and in print.
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#00795b", "#a3487b"];

/// A line of the picture: its name and its points.
pub type Line<'n> = (&'n str, Vec<(f64, f64)>);

/// From values to places on the picture.
struct Scale {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn place(&self, value: f64) -> f64 {
        let position = |value: f64| if self.log { value.ln() } else { value };
        let share =
            (position(value) - position(self.low)) / (position(self.high) - position(self.low));
        self.from + share * (self.to - self.from)
    }

    /// Where the axis has numbers.
    fn marks(&self) -> Vec<f64> {
        if self.log {
            let powers =
                (-3..=9).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
            let all: Vec<f64> = powers
                .filter(|mark| (self.low..=self.high).contains(mark))
                .collect();
            let many = all.len() > 10;
            return all
                .into_iter()
                .filter(|mark| !many || mark.log10().fract().abs() < 1e-9)
                .collect();
        }
        let step = step(self.high - self.low);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|number| number as f64 * step).collect()
    }
}

/// About eight steps of 1, 2 or 5 times a power of ten.
fn step(span: f64) -> f64 {
    let rough = span / 8.0;
    let power = 10_f64.powf(rough.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|digit| digit * power >= rough);
    digit.unwrap_or(10.0) * power
}

fn scales(axes: &Axes, lines: &[Line<'_>]) -> (Scale, Scale) {
    let all = || lines.iter().flat_map(|(_, points)| points.iter().copied());
    let low = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let high = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
    let (x_low, x_high) = (
        low(&mut all().map(|point| point.0)),
        high(&mut all().map(|point| point.0)),
    );
    let (y_low, y_high) = (
        low(&mut all().map(|point| point.1)),
        high(&mut all().map(|point| point.1)),
    );
    let (y_low, y_high) = if axes.log_y {
        (
            10_f64.powf(y_low.log10().floor()),
            10_f64.powf(y_high.log10().ceil()),
        )
    } else {
        (0.0, (y_high / step(y_high)).ceil() * step(y_high))
    };
    let x = Scale {
        log: axes.log_x,
        low: x_low,
        high: x_high.max(x_low * 2.0),
        from: LEFT,
        to: RIGHT - 20.0,
    };
    let y = Scale {
        log: axes.log_y,
        low: y_low,
        high: y_high.max(y_low * 10.0),
        from: BOTTOM,
        to: TOP,
    };
    (x, y)
}

fn text(svg: &mut String, x: f64, y: f64, more: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" {more}>{text}</text>"#);
}

fn grid(svg: &mut String, x: &Scale, y: &Scale, axes: &Axes, measured: &[f64]) {
    let mut line = |x1: f64, y1: f64, x2: f64, y2: f64, color: &str| {
        let _ = writeln!(
            svg,
            r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{color}"/>"#
        );
    };
    y.marks()
        .iter()
        .for_each(|&mark| line(LEFT, y.place(mark), RIGHT, y.place(mark), "#dddddd"));
    measured.iter().for_each(|&mark| {
        line(
            x.place(mark),
            BOTTOM,
            x.place(mark),
            BOTTOM + 5.0,
            "#555555",
        )
    });
    line(LEFT, BOTTOM, RIGHT, BOTTOM, "#555555");
    line(LEFT, TOP, LEFT, BOTTOM, "#555555");
    for mark in y.marks() {
        let number = short_number(mark);
        let number = if number.contains('.') {
            number.trim_end_matches('0').trim_end_matches('.')
        } else {
            &number
        };
        text(
            svg,
            LEFT - 8.0,
            y.place(mark) + 4.0,
            r#"text-anchor="end""#,
            number,
        );
    }
    for &mark in measured {
        text(
            svg,
            x.place(mark),
            BOTTOM + 20.0,
            r#"text-anchor="middle""#,
            &short_count(mark.round() as usize),
        );
    }
    text(
        svg,
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 44.0,
        r#"text-anchor="middle""#,
        axes.x,
    );
    let turned = format!(
        r#"text-anchor="middle" transform="rotate(-90 22 {:.1})""#,
        (TOP + BOTTOM) / 2.0
    );
    text(
        svg,
        22.0,
        (TOP + BOTTOM) / 2.0,
        &turned,
        &format!("time, as a multiple of {}", axes.unit),
    );
}

/// A mark at each point, of another shape for each line.
fn point(svg: &mut String, number: usize, x: f64, y: f64, color: &str) {
    let _ = match number % 4 {
        0 => writeln!(
            svg,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{color}"/>"#
        ),
        1 => writeln!(
            svg,
            r#"<rect x="{:.1}" y="{:.1}" width="8" height="8" fill="{color}"/>"#,
            x - 4.0,
            y - 4.0
        ),
        2 => writeln!(
            svg,
            r#"<path d="M{x:.1} {:.1}l5 9h-10z" fill="{color}"/>"#,
            y - 6.0
        ),
        _ => writeln!(
            svg,
            r#"<path d="M{x:.1} {:.1}l5 5l-5 5l-5 -5z" fill="{color}"/>"#,
            y - 5.0
        ),
    };
}

/// Names of the lines, in as many rows as they need.
fn legend(svg: &mut String, lines: &[Line<'_>]) {
    let (mut x, mut y) = (LEFT, 46.0);
    for (number, (name, _)) in lines.iter().enumerate() {
        let width = 32.0 + name.len() as f64 * 6.6;
        if x + width > RIGHT {
            (x, y) = (LEFT, y + 20.0);
        }
        point(svg, number, x + 5.0, y - 4.0, COLORS[number % COLORS.len()]);
        text(svg, x + 15.0, y, r#"font-size="12""#, name);
        x += width;
    }
}

/// The whole picture.
pub fn picture(title: &str, axes: &Axes, lines: &[Line<'_>]) -> String {
    let (x, y) = scales(axes, lines);
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" font-family="sans-serif" font-size="13" fill="#222222">
<title>{title}</title>
<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff" stroke="#bbbbbb"/>
"##
    );
    text(
        &mut svg,
        LEFT,
        24.0,
        r#"font-size="17" font-weight="bold""#,
        title,
    );
    let mut measured: Vec<f64> = lines
        .iter()
        .flat_map(|(_, points)| points.iter().map(|point| point.0))
        .collect();
    measured.sort_by(f64::total_cmp);
    measured.dedup();
    grid(&mut svg, &x, &y, axes, &measured);
    legend(&mut svg, lines);
    for (number, (_, points)) in lines.iter().enumerate() {
        let color = COLORS[number % COLORS.len()];
        let path: Vec<String> = points
            .iter()
            .map(|&(a, b)| format!("{:.1} {:.1}", x.place(a), y.place(b)))
            .collect();
        let _ = writeln!(
            svg,
            r#"<path d="M{}" fill="none" stroke="{color}" stroke-width="2"/>"#,
            path.join("L")
        );
        points
            .iter()
            .for_each(|&(a, b)| point(&mut svg, number, x.place(a), y.place(b), color));
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_put_the_ends_at_the_ends() {
        let scale = Scale {
            log: true,
            low: 1.0,
            high: 100.0,
            from: 0.0,
            to: 10.0,
        };
        assert_eq!(
            (scale.place(1.0), scale.place(10.0), scale.place(100.0)),
            (0.0, 5.0, 10.0)
        );
        assert_eq!(
            Scale {
                log: false,
                low: 0.0,
                high: 16.0,
                from: 0.0,
                to: 1.0
            }
            .marks()[..3],
            [0.0, 2.0, 4.0]
        );
    }

    #[test]
    fn a_picture_names_its_lines_and_axes() {
        let axes = Axes {
            x: "regions",
            unit: "hand64",
            log_x: false,
            log_y: false,
        };
        let svg = picture(
            "Growth",
            &axes,
            &[("one & all", vec![(1.0, 2.0), (2.0, 3.0)])],
        );
        for wanted in [
            "<title>Growth</title>",
            "one &amp; all",
            ">regions<",
            "</svg>",
        ] {
            assert!(svg.contains(wanted), "{wanted} is missing");
        }
    }
}
