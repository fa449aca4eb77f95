//! Lines as SVG paths: coordinates, directions, round corners.

use std::fmt::Write;

use crate::layout::Point;

/// Radius of the corners of lines.
const CORNER: f64 = 6.0;
/// Radius of the bow of a line over another.
pub(crate) const BOW: f64 = 4.0;

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

/// A path with round corners, and with a bow where it passes over another line.
pub(crate) fn rounded(points: &[Point], bridges: &[Point]) -> String {
    let mut out = straight(&points[..1]);
    for (place, pair) in points.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        let after = points.get(place + 2);
        let round = after.map_or(0.0, |&after| radius(from, to, after, bridges));
        let (along, _) = direction(from, to);
        let end = (to.0 - along.0 * round, to.1 - along.1 * round);
        bows(&mut out, from, to, bridges);
        _ = write!(out, "L{} {}", Number(end.0), Number(end.1));
        if let Some(&after) = after {
            let (along, _) = direction(to, after);
            let next = (to.0 + along.0 * round, to.1 + along.1 * round);
            let [x, y] = [to, next].map(|at| format!("{} {}", Number(at.0), Number(at.1)));
            _ = write!(out, "Q{x} {y}");
        }
    }
    out
}

/// How round a corner can be: not beyond half of the lines that meet there, nor into a bow.
fn radius(before: Point, at: Point, after: Point, bridges: &[Point]) -> f64 {
    let half = |other: Point| (other.0 - at.0).hypot(other.1 - at.1) / 2.0;
    let bow = bridges
        .iter()
        .filter(|bridge| is_on(**bridge, before, at) || is_on(**bridge, at, after))
        .map(|bridge| (bridge.0 - at.0).abs() - BOW);
    let free = bow.fold(CORNER, f64::min).max(0.0);
    free.min(half(before)).min(half(after))
}

/// Whether a point lies on a level line.
fn is_on(at: Point, from: Point, to: Point) -> bool {
    at.1 == from.1 && at.1 == to.1 && at.0 > from.0.min(to.0) && at.0 < from.0.max(to.0)
}

/// The bows of a level line, in the order of its way; those that would touch become one.
fn bows(out: &mut String, from: Point, to: Point, bridges: &[Point]) {
    let mut at: Vec<f64> = bridges
        .iter()
        .filter(|bridge| is_on(**bridge, from, to))
        .map(|bridge| bridge.0)
        .collect();
    at.sort_by(f64::total_cmp);
    let mut spans: Vec<(f64, f64)> = Vec::new();
    for x in at {
        match spans.last_mut() {
            Some(last) if x - last.1 <= BOW * 2.0 + 1.0 => last.1 = x,
            _ => spans.push((x, x)),
        }
    }
    let is_rightward = to.0 > from.0;
    if !is_rightward {
        spans.reverse();
    }
    let sign = if is_rightward { 1.0 } else { -1.0 };
    for (low, high) in spans {
        let (start, end) = if is_rightward {
            (low, high)
        } else {
            (high, low)
        };
        let turn = u8::from(is_rightward);
        let y = from.1;
        let arc = |x: f64, y: f64| format!("A{BOW} {BOW} 0 0 {turn} {} {}", Number(x), Number(y));
        _ = write!(out, "L{} {}", Number(start - sign * BOW), Number(y));
        _ = match low == high {
            true => write!(out, "{}", arc(end + sign * BOW, y)),
            false => write!(
                out,
                "{}L{} {}{}",
                arc(start, y - BOW),
                Number(end),
                Number(y - BOW),
                arc(end + sign * BOW, y)
            ),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_line_has_a_bow_over_each_crossing() {
        let points = [(0.0, 10.0), (100.0, 10.0), (100.0, 50.0)];
        assert_eq!(rounded(&points, &[]), "M0 10L94 10Q100 10 100 16L100 50");
        assert_eq!(
            rounded(&points, &[(50.0, 10.0)]),
            "M0 10L46 10A4 4 0 0 1 54 10L94 10Q100 10 100 16L100 50"
        );
        let back = [(100.0, 10.0), (0.0, 10.0)];
        assert_eq!(
            rounded(&back, &[(50.0, 10.0)]),
            "M100 10L54 10A4 4 0 0 0 46 10L0 10"
        );
    }

    #[test]
    fn bows_side_by_side_become_one_and_corners_make_room() {
        let points = [(0.0, 10.0), (100.0, 10.0), (100.0, 50.0)];
        assert_eq!(
            rounded(&points, &[(50.0, 10.0), (57.0, 10.0)]),
            "M0 10L46 10A4 4 0 0 1 50 6L57 6A4 4 0 0 1 61 10L94 10Q100 10 100 16L100 50"
        );
        assert_eq!(
            rounded(&points, &[(95.0, 10.0)]),
            "M0 10L91 10A4 4 0 0 1 99 10L99 10Q100 10 100 11L100 50"
        );
    }
}
