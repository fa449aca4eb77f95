//! One region with everything in it at its place: rows from the top, lines between them.

use std::collections::BTreeMap;

use super::channels::channel;
use super::order::order;
use super::place::Places;
use super::plan::{Plan, Side};
use super::ports::ports;
use super::spots::{Align, Extent, LABEL_GAP, Spots, Use};
use super::way::Way;
use crate::scene::Scene;

/// A position.
pub(crate) type Point = (f64, f64);

/// A part of a link in a region, from the top down.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    pub(crate) link: usize,
    /// Whether the link itself runs from the top down here.
    pub(crate) is_down: bool,
    pub(crate) points: Vec<Point>,
    /// Where its label starts, if it is here.
    pub(crate) label: Option<Point>,
}

/// A region with places, its own left upper corner at 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arranged {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Left upper corner of each item of the plan.
    pub(crate) items: Vec<Point>,
    pub(crate) stretches: Vec<Stretch>,
    /// Where links cross the border.
    pub(crate) ports: BTreeMap<(usize, Side), f64>,
}

pub(crate) fn arrange(plan: &Plan, scene: &Scene, way: Way, extents: &[Extent]) -> Arranged {
    let mut spots = Spots::new(plan, scene, way, extents);
    order(&mut spots);
    let mut places = Places::new(&spots);
    for _ in 0..3 {
        let (at, _) = places.positions(&spots);
        places.straighten(&spots, &ports(&spots, &at, extents));
    }
    let (at, width) = places.positions(&spots);
    let ends = ports(&spots, &at, extents);
    let mut between: Vec<Vec<usize>> = vec![Vec::new(); plan.count];
    for (number, joint) in spots.joints.iter().enumerate() {
        between[spots.spots[joint.upper].row].push(number);
    }
    let (mut y, mut tops, mut heights) = (0.0, Vec::new(), Vec::new());
    let mut turns: Vec<Option<f64>> = vec![None; spots.joints.len()];
    for (row, joints) in between.iter().enumerate() {
        let height = spots.rows[row]
            .iter()
            .map(|&spot| spots.spots[spot].height)
            .fold(0.0, f64::max);
        tops.push(y);
        heights.push(height);
        y += height;
        if row + 1 == plan.count {
            break;
        }
        let made = channel(&joints.iter().map(|&joint| ends[joint]).collect::<Vec<_>>());
        for (&joint, turn) in joints.iter().zip(made.turns) {
            turns[joint] = turn.map(|turn| y + turn);
        }
        y += made.height;
    }
    let top = |spot: usize| {
        let spot = &spots.spots[spot];
        let spare = heights[spot.row] - spot.height;
        tops[spot.row]
            + match spot.align {
                Align::Top => 0.0,
                Align::Bottom => spare,
            }
    };
    let items = (0..extents.len())
        .map(|item| (at[item] - spots.spots[item].left, top(item)))
        .collect();
    let stretches = spots.pieces.iter().map(|piece| {
        let first = spots.joints[piece.joints[0]];
        let mut points = vec![(
            ends[piece.joints[0]].0,
            top(first.upper) + spots.spots[first.upper].height,
        )];
        for &joint in &piece.joints {
            let (above, below) = ends[joint];
            points.extend(
                turns[joint]
                    .into_iter()
                    .flat_map(|turn| [(above, turn), (below, turn)]),
            );
        }
        let last = piece.joints[piece.joints.len() - 1];
        points.push((ends[last].1, top(spots.joints[last].lower)));
        let label = piece
            .spots
            .iter()
            .find(|&&spot| spots.spots[spot].usage == Use::Label);
        let is_down = piece.is_down;
        Stretch {
            link: piece.link,
            is_down,
            points,
            label: label.map(|&spot| (at[spot] + LABEL_GAP, top(spot))),
        }
    });
    let border = spots.pieces.iter().flat_map(|piece| {
        let (first, last) = (piece.spots[0], piece.spots[piece.spots.len() - 1]);
        let is_border = |spot: usize| spots.spots[spot].usage == Use::Border;
        let top = is_border(first).then(|| ((piece.link, Side::Top), at[first]));
        top.into_iter()
            .chain(is_border(last).then(|| ((piece.link, Side::Bottom), at[last])))
    });
    let (stretches, ports) = (stretches.collect(), border.collect());
    Arranged {
        width,
        height: y,
        items,
        stretches,
        ports,
    }
}
