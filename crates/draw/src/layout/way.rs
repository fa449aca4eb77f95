//! Which way the rows of a region follow each other: downward, or to the right.
//!
//! Everything in a box is placed as if its rows ran downward: the first coordinate lies across the
//! way, the second along it. Only what has a real width and height, such as text, asks here how it
//! lies. A [`Frame`] brings what is placed so to where it really stands; rows in a box may run
//! another way than those around it.

use super::region::Point;
use crate::metrics::LINE;
use crate::scene::{Words, widest};

/// Which way rows follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Down,
    Right,
}

impl Way {
    /// Width and height as extents across and along, or the other way round; points likewise.
    pub(crate) fn turned(self, (a, b): Point) -> Point {
        match self {
            Self::Down => (a, b),
            Self::Right => (b, a),
        }
    }

    /// How far words reach across and along.
    pub(crate) fn words(self, words: &[Words]) -> Point {
        self.turned((widest(words), words.len() as f64 * LINE))
    }
}

/// Where across and along are counted from, and which way they run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) corner: Point,
    pub(crate) way: Way,
}

impl Frame {
    /// The real place of a point.
    pub(crate) fn place(self, at: Point) -> Point {
        let (x, y) = self.way.turned(at);
        (self.corner.0 + x, self.corner.1 + y)
    }

    /// The same way, counted from a point.
    pub(crate) fn from(self, at: Point) -> Self {
        Self {
            corner: self.place(at),
            way: self.way,
        }
    }
}
