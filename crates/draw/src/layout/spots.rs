//! A region as spots in rows, joined from row to row: what ordering, placing and routing work on.
//!
//! Comes in: the plan of a region and the sizes of its items. A line over several rows gets a spot
//! in each row it passes, a label is a spot of its size, and a line that leaves the region ends in
//! a spot of the first or last row.

use std::collections::BTreeMap;

use super::boxes::DOT;
use super::plan::{Plan, Side};
use super::way::Way;
use crate::scene::{Item, Scene};

/// Space between a line and its label.
pub(crate) const LABEL_GAP: f64 = 6.0;

/// What a spot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// An item of the region, by its place in the plan.
    Item(usize),
    /// A line passes.
    Bend,
    /// A line passes with its label beside it.
    Label,
    /// A line meets the border.
    Border,
}

/// Where a spot stands in its row if the row is higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Top,
    Bottom,
}

/// A place in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) row: usize,
    pub(crate) usage: Use,
    /// How far it reaches to the left and right of its position.
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) height: f64,
    pub(crate) align: Align,
}

/// A line from a spot to one in the next row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    /// Where it must end at an item, as distance from the item's position; `None` is anywhere on
    /// its border.
    pub(crate) upper_port: Option<f64>,
    pub(crate) lower_port: Option<f64>,
}

/// The part of a link that lies in this region, from the top down.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) link: usize,
    /// Whether the link itself runs from the top down here.
    pub(crate) is_down: bool,
    pub(crate) spots: Vec<usize>,
    pub(crate) joints: Vec<usize>,
}

/// Size and fixed ports of an item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extent {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Room to the right of the box that belongs to the item.
    pub(crate) beside: f64,
    /// Where links that go on inside cross the border, from the left edge.
    pub(crate) ports: BTreeMap<(usize, Side), f64>,
    /// All lines end here, from the left edge.
    pub(crate) only_port: Option<f64>,
}

impl Extent {
    /// The dot where a region starts.
    pub(crate) fn dot() -> Self {
        Self {
            width: DOT,
            height: DOT,
            only_port: Some(DOT / 2.0),
            ..Self::default()
        }
    }

    /// Where a link must end, as distance from the middle of the box.
    fn port(&self, link: usize, side: Side) -> Option<f64> {
        let fixed = self
            .only_port
            .or_else(|| self.ports.get(&(link, side)).copied());
        fixed.map(|port| port - self.width / 2.0)
    }
}

/// A region as spots.
#[derive(Clone, Debug)]
pub(crate) struct Spots {
    way: Way,
    pub(crate) spots: Vec<Spot>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) pieces: Vec<Piece>,
    /// Spots of each row, from left to right.
    pub(crate) rows: Vec<Vec<usize>>,
}

impl Spots {
    pub(crate) fn new(plan: &Plan, scene: &Scene, way: Way, extents: &[Extent]) -> Self {
        let mut made = Self {
            way,
            spots: Vec::new(),
            joints: Vec::new(),
            pieces: Vec::new(),
            rows: Vec::new(),
        };
        for (item, extent) in extents.iter().enumerate() {
            let half = extent.width / 2.0;
            let align = if plan.items[item] == Item::Dot {
                Align::Bottom
            } else {
                Align::Top
            };
            let (usage, right) = (Use::Item(item), half + extent.beside);
            made.spots.push(Spot {
                row: plan.rows[item],
                usage,
                left: half,
                right,
                height: extent.height,
                align,
            });
        }
        for local in &plan.locals {
            let (upper, lower) = (local.upper, local.lower);
            let align = if local.is_down {
                Align::Top
            } else {
                Align::Bottom
            };
            let ports = (
                extents[upper].port(local.link, Side::Bottom),
                extents[lower].port(local.link, Side::Top),
            );
            made.string(
                scene,
                local.link,
                (upper, lower),
                local.is_down,
                local.label,
                align,
                ports,
            );
        }
        for crossing in &plan.crossings {
            let row = if crossing.side == Side::Top {
                0
            } else {
                plan.count - 1
            };
            let (left, right, height, align) = (0.0, 0.0, 0.0, Align::Top);
            let border = made.spots.len();
            made.spots.push(Spot {
                row,
                usage: Use::Border,
                left,
                right,
                height,
                align,
            });
            let port = extents[crossing.item].port(crossing.link, crossing.side);
            let (ends, ports, align) = match crossing.side {
                Side::Top => ((border, crossing.item), (None, port), Align::Bottom),
                Side::Bottom => ((crossing.item, border), (port, None), Align::Top),
            };
            made.string(
                scene,
                crossing.link,
                ends,
                crossing.is_down,
                crossing.label,
                align,
                ports,
            );
        }
        made.rows = vec![Vec::new(); plan.count];
        for (number, spot) in made.spots.iter().enumerate() {
            made.rows[spot.row].push(number);
        }
        made
    }

    /// Adds the spots of a line and joins them.
    #[expect(
        clippy::too_many_arguments,
        reason = "one line, with everything that is known of it"
    )]
    fn string(
        &mut self,
        scene: &Scene,
        link: usize,
        (upper, lower): (usize, usize),
        is_down: bool,
        label: Option<usize>,
        align: Align,
        ports: (Option<f64>, Option<f64>),
    ) {
        let words = &scene.links[link].label;
        let mut spots = vec![upper];
        for row in self.spots[upper].row + 1..self.spots[lower].row {
            let (mut right, mut height, mut usage) = (0.0, 0.0, Use::Bend);
            if label == Some(row) {
                let (across, along) = self.way.words(words);
                (right, height) = (LABEL_GAP + across, along);
                usage = Use::Label;
            }
            spots.push(self.spots.len());
            self.spots.push(Spot {
                row,
                usage,
                left: 0.0,
                right,
                height,
                align,
            });
        }
        spots.push(lower);
        let mut joints = Vec::new();
        for (place, pair) in spots.windows(2).enumerate() {
            let upper_port = ports.0.filter(|_| place == 0);
            let lower_port = ports.1.filter(|_| place + 2 == spots.len());
            joints.push(self.joints.len());
            self.joints.push(Joint {
                upper: pair[0],
                lower: pair[1],
                upper_port,
                lower_port,
            });
        }
        self.pieces.push(Piece {
            link,
            is_down,
            spots,
            joints,
        });
    }

    /// Whether a spot lies on a line instead of being an item.
    pub(crate) fn is_on_line(&self, spot: usize) -> bool {
        !matches!(self.spots[spot].usage, Use::Item(_))
    }

    /// Where in its row each spot stands.
    pub(crate) fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.spots.len()];
        for row in &self.rows {
            row.iter()
                .enumerate()
                .for_each(|(position, &spot)| positions[spot] = position);
        }
        positions
    }
}
