//! Where the history points of a state stand in its box: in a strip before its lanes, in one behind
//! them, or in both, on the side from which lines come.

use super::boxes::{CLEAR, PAD, Shape, Shapes, beside_lines};
use super::plan::Side;
use super::region::Point;
use super::way::Way;
use crate::metrics::{SMALL, width};

/// Radius of a history point.
pub(crate) const HISTORY: f64 = 10.0;
/// Height of a row of history points.
const STRIP: f64 = 28.0;

/// A history point in a box, as the rows in it run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) history: usize,
    /// The side it is reached from.
    pub(crate) side: Side,
    /// Its middle.
    pub(crate) at: Point,
}

/// Room for history points before and behind the lanes, and how wide the box must be.
pub(crate) struct Strips {
    way: Way,
    /// Height of title and text.
    head: f64,
    pub(crate) before: f64,
    pub(crate) after: f64,
    pub(crate) width: f64,
}

impl Strips {
    /// No strips, in a box so wide.
    pub(crate) fn new(way: Way, head: f64, width: f64) -> Self {
        Self {
            way,
            head,
            before: 0.0,
            after: 0.0,
            width,
        }
    }

    /// Where along the way history points stand; those behind the lanes as if there were none.
    fn settle(&self, marks: &mut [Mark]) {
        for mark in marks {
            mark.at.1 = match (self.way, mark.side) {
                (Way::Down, Side::Top) => self.head + STRIP / 2.0 - 2.0,
                (Way::Down, Side::Bottom) => self.head + self.before + STRIP / 2.0,
                (Way::Right, Side::Top) => HISTORY + 4.0,
                // Its name stands before it, away from the line.
                (Way::Right, Side::Bottom) => self.before + self.after - HISTORY - 4.0,
            };
        }
    }
}

impl Shapes<'_> {
    /// Puts each history point on the side from which lines come, on both if they come from both.
    /// Those on the right of the title leave it its place.
    pub(crate) fn place_histories(
        &self,
        state: usize,
        shape: &mut Shape,
        mut taken: [Vec<f64>; 2],
        strips: &mut Strips,
    ) {
        for &history in &self.chart.states[state].histories {
            let links = self.plans.histories.get(&history);
            let links = links.map_or(&[][..], Vec::as_slice);
            for side in [Side::Top, Side::Bottom] {
                let is_wanted = links.iter().any(|(_, at)| *at == side)
                    || (links.is_empty() && side == Side::Top);
                if !is_wanted {
                    continue;
                }
                let lines = &mut taken[usize::from(side == Side::Bottom)];
                let x = self.place_history(history, side, shape, lines, strips);
                for (link, _) in links.iter().filter(|(_, at)| *at == side) {
                    shape.extent.ports.insert((*link, side), x);
                }
            }
        }
        strips.settle(&mut shape.histories);
    }

    /// Finds a place across for a history point, beside lines and the others, and makes its strip
    /// long enough.
    fn place_history(
        &self,
        history: usize,
        side: Side,
        shape: &mut Shape,
        lines: &mut Vec<f64>,
        strips: &mut Strips,
    ) -> f64 {
        lines.sort_by(f64::total_cmp);
        let name = HISTORY * 2.0 + 4.0 + width(&self.chart.histories[history].name, SMALL);
        let (block, strip, pads) = match strips.way {
            Way::Down => (name, STRIP, (PAD, PAD)),
            Way::Right => (HISTORY * 2.0, name + 12.0, (strips.head + 4.0, 4.0)),
        };
        let is_from_right = strips.way == Way::Down;
        let x = beside_lines(lines, block, pads, &mut strips.width, is_from_right) + HISTORY;
        match side {
            Side::Top => strips.before = strips.before.max(strip),
            Side::Bottom => strips.after = strips.after.max(strip),
        }
        // A fence, so that the next one does not see free space inside.
        let posts = (block / CLEAR).ceil() as usize;
        lines.extend((0..=posts).map(|post| x - HISTORY + block * post as f64 / posts as f64));
        shape.histories.push(Mark {
            history,
            side,
            at: (x, 0.0),
        });
        x
    }
}
