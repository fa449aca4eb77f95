//! Lines as SVG paths: coordinates, directions, round corners.

use std::fmt::Write;

use crate::layout::Point;

/// Radius of the corners of lines.
const CORNER: f64 = 6.0;

/// A coordinate with at most one digit after the point.
pub(crate) struct Number(pub(crate) f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tenths = (self.0 * 10.0).round();
        write!(f, "{}", if tenths == 0.0 { 0.0 } else { tenths / 10.0 })
    }
}

/// Unit vectors along a line and across it.
pub(crate) fn direction(from: Point, to: Point) -> (Point, Point) {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y).max(0.001);
    ((x / length, y / length), (-y / length, x / length))
}

/// Without points that change nothing.
pub(crate) fn simplified(points: &[Point]) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    for &point in points {
        if out
            .last()
            .is_some_and(|last| (last.0 - point.0).abs() + (last.1 - point.1).abs() < 0.6)
        {
            continue;
        }
        if let [.., a, b] = out[..]
            && ((a.0 == b.0 && b.0 == point.0) || (a.1 == b.1 && b.1 == point.1))
        {
            out.pop();
        }
        out.push(point);
    }
    out
}

/// A path of straight lines.
pub(crate) fn straight(points: &[Point]) -> String {
    let mut out = String::new();
    for (number, point) in points.iter().enumerate() {
        _ = write!(
            out,
            "{}{} {}",
            if number == 0 { 'M' } else { 'L' },
            Number(point.0),
            Number(point.1)
        );
    }
    out
}

/// A path with round corners.
pub(crate) fn rounded(points: &[Point]) -> String {
    let mut out = straight(&points[..1]);
    for corner in points.windows(3) {
        let [before, at, after] = [corner[0], corner[1], corner[2]];
        let reach = |other: Point| (other.0 - at.0).hypot(other.1 - at.1) / 2.0;
        let radius = CORNER.min(reach(before)).min(reach(after));
        let toward = |other: Point| {
            let (along, _) = direction(at, other);
            (at.0 + along.0 * radius, at.1 + along.1 * radius)
        };
        let (from, to) = (toward(before), toward(after));
        _ = write!(out, "L{} {}", Number(from.0), Number(from.1));
        _ = write!(
            out,
            "Q{} {} {} {}",
            Number(at.0),
            Number(at.1),
            Number(to.0),
            Number(to.1)
        );
    }
    if let Some(last) = points.last() {
        _ = write!(out, "L{} {}", Number(last.0), Number(last.1));
    }
    out
}
