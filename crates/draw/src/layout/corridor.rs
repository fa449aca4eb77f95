//! Where lines turn that enter a box whose rows run another way than those around it.
//!
//! Around the box rows run downward, in it to the right (or the other way round, with the two axes
//! swapped). What the region around sees as the top of the box is the left of the region inside:
//!
//! ```text
//!       b  a                     Each line has a track of its own in the corridor before the
//!    ┌──│──│──── title ────┐     lanes. Who goes farther turns on the outer track, so that no
//!    │  │  └──▶ first      │     two of them cross. Those that leave do the same behind the
//!    │  │            c ──┐ │     lanes: who has the longer way is on the outer track.
//!    │  └─────▶ second   │ │
//!    └───────────────────│─┘
//!                        c
//! ```

use std::collections::BTreeMap;

use super::place::CORNER;
use super::plan::Side;
use super::ports::PORT_GAP;
use super::region::Point;
use super::spots::Extent;

/// Space between the last track and the lanes.
const INNER: f64 = 4.0;

/// Where links cross a border.
type Ports = BTreeMap<(usize, Side), f64>;

/// How wide the corridor on a side is.
pub(crate) fn room(ports: &Ports, side: Side) -> f64 {
    match places(ports, side).len() {
        0 => 0.0,
        count => CORNER + PORT_GAP * (count - 1) as f64 + INNER,
    }
}

/// Where each link turns, as the rows inside run. The first corridor starts here, the last one
/// there.
pub(crate) fn bends(ports: &Ports, first: f64, last: f64) -> BTreeMap<(usize, Side), Point> {
    let (before, behind) = (places(ports, Side::Top), places(ports, Side::Bottom));
    let bend = |(&(link, side), &across): (&(usize, Side), &f64)| {
        let (places, start) = match side {
            Side::Top => (&before, first + CORNER),
            Side::Bottom => (&behind, last + INNER),
        };
        // Both corridors have the one that is farthest across on their first track.
        let track = places.iter().filter(|&&place| place > across).count();
        ((link, side), (across, start + PORT_GAP * track as f64))
    };
    ports.iter().map(bend).collect()
}

/// Where across lines go on inside. Those that lead to the same history point are one.
fn places(ports: &Ports, side: Side) -> Vec<f64> {
    let here = ports.iter().filter(|((_, at), _)| *at == side);
    let mut places: Vec<f64> = here.map(|(_, &across)| across).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

impl Extent {
    /// The same as seen from around: across and along change places, and lines cross the border
    /// where they turn.
    pub(crate) fn turn(&mut self, bends: &BTreeMap<(usize, Side), Point>) {
        (self.width, self.height) = (self.height, self.width);
        let port = |(&key, bend): (&(usize, Side), &Point)| (key, bend.1);
        self.ports = bends.iter().map(port).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_turn_so_that_they_do_not_cross() {
        let top = [(0, 50.0), (1, 90.0), (2, 50.0)].map(|(link, at)| ((link, Side::Top), at));
        let bottom = [(3, 20.0), (4, 70.0)].map(|(link, at)| ((link, Side::Bottom), at));
        let ports: Ports = top.into_iter().chain(bottom).collect();
        assert_eq!(room(&ports, Side::Top), CORNER + PORT_GAP + INNER);
        let bends = bends(&ports, 0.0, 100.0);
        let track = |link, side| bends[&(link, side)].1;
        assert!(track(1, Side::Top) < track(0, Side::Top), "it goes farther");
        assert_eq!(track(0, Side::Top), track(2, Side::Top));
        assert!(
            track(4, Side::Bottom) < track(3, Side::Bottom),
            "it leaves sooner"
        );
        assert_eq!(track(3, Side::Bottom), 100.0 + INNER + PORT_GAP);
        assert_eq!(room(&Ports::new(), Side::Top), 0.0);
    }
}
