//! Which way the rows of a picture follow each other: downward, or to the right.
//!
//! Everything in the layout is placed as if rows ran downward: the first coordinate lies across the
//! way, the second along it. Only what has a real width and height, such as text, asks here how it
//! lies, and the finished picture is turned once, at the end.

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
