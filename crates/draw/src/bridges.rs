//! Where lines cross: the level one passes over the upright one with a bow, so that nobody takes a
//! crossing for a turn.
//!
//! Comes in: the corners of all lines. Goes out: for each line the points where it gets a bow.

use crate::layout::Point;
use crate::path::BOW;

/// An upright piece of a line.
struct Upright {
    x: f64,
    top: f64,
    bottom: f64,
}

/// The points at which each line passes over another.
pub(crate) fn bridges(paths: &[Vec<Point>]) -> Vec<Vec<Point>> {
    let mut upright: Vec<Upright> = paths.iter().flat_map(|path| pieces(path)).collect();
    upright.sort_by(|a, b| a.x.total_cmp(&b.x));
    paths
        .iter()
        .map(|path| {
            let level = path.windows(2).filter(|pair| pair[0].1 == pair[1].1);
            level
                .flat_map(|pair| crossed(pair[0], pair[1], &upright))
                .collect()
        })
        .collect()
}

fn pieces(path: &[Point]) -> impl Iterator<Item = Upright> {
    let upright = path.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    upright.map(|pair| Upright {
        x: pair[0].0,
        top: pair[0].1.min(pair[1].1),
        bottom: pair[0].1.max(pair[1].1),
    })
}

/// Where a level piece crosses upright ones, with room for a bow on both sides.
fn crossed(from: Point, to: Point, upright: &[Upright]) -> Vec<Point> {
    let (left, right, y) = (from.0.min(to.0) + BOW, from.0.max(to.0) - BOW, from.1);
    let first = upright.partition_point(|piece| piece.x < left);
    upright[first..]
        .iter()
        .take_while(|piece| piece.x <= right)
        .filter(|piece| piece.top < y && piece.bottom > y)
        .map(|piece| (piece.x, y))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_line_passes_over_upright_ones_and_only_there() {
        let level = vec![(0.0, 10.0), (100.0, 10.0)];
        let upright = vec![(50.0, 0.0), (50.0, 20.0), (80.0, 20.0)];
        let beside = vec![(30.0, 11.0), (30.0, 20.0)];
        let found = bridges(&[level, upright, beside]);
        assert_eq!(found, [vec![(50.0, 10.0)], vec![], vec![]]);
    }
}
