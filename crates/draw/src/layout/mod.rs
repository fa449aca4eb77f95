//! Automatic layout: a layered drawing of each region, nested.
//!
//! Comes in: chart and scene. Goes out: a [`Picture`], everything at its absolute place. Steps:
//! `plan` and `rows` (from the outside in), then from the inside out per region `spots`, `order`,
//! `place`, `ports` and `channels`, put together by `region` and `boxes`, and here at last the
//! corners and the lines from end to end. Nothing depends on hashes, threads or fonts: the same
//! chart gives the same picture.

pub(crate) mod boxes;
mod channels;
mod order;
mod place;
mod plan;
mod ports;
mod region;
mod rows;
mod spots;
#[cfg(test)]
mod tests;

use crate::chart::Chart;
use crate::scene::{Course, End, Item, Scene, chain};
use boxes::{HISTORY, LOOP, Shape, TITLE_HEIGHT, shapes};
pub(crate) use plan::Side;
pub(crate) use region::Point;

/// A box of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Box {
    pub(crate) at: Point,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Left end of title and text.
    pub(crate) text_x: f64,
    pub(crate) lanes: Vec<PlacedLane>,
}

/// A region in a box.
#[derive(Clone, Debug)]
pub(crate) struct PlacedLane {
    pub(crate) region: usize,
    pub(crate) at: Point,
    pub(crate) height: f64,
    /// Where its name starts.
    pub(crate) name: Option<Point>,
}

/// A line with its label.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlacedLink {
    /// From its start to its end.
    pub(crate) points: Vec<Point>,
    pub(crate) label: Option<Point>,
}

/// Everything at its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picture {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// By state.
    pub(crate) boxes: Vec<Box>,
    /// Left upper corner of the dot of each region.
    pub(crate) dots: Vec<Point>,
    /// Number and middle of each history point; one may stand twice.
    pub(crate) histories: Vec<(usize, Point)>,
    /// By link of the scene.
    pub(crate) links: Vec<PlacedLink>,
}

/// What of a link lies in a region, from the top down, and whether the link runs that way.
type Part = (usize, bool, Vec<Point>);

pub(crate) fn layout(chart: &Chart, scene: &Scene) -> Picture {
    let plans = plan::plans(chart, scene);
    let shapes = shapes(chart, scene, &plans);
    let mut picture = Picture {
        boxes: vec![Box::default(); chart.states.len()],
        dots: vec![(0.0, 0.0); chart.regions.len()],
        links: vec![PlacedLink::default(); scene.links.len()],
        ..Picture::default()
    };
    let mut stretches: Vec<Vec<Part>> = vec![Vec::new(); scene.links.len()];
    // Parents have lower numbers, so the corner of each box is known when its turn comes.
    for state in 0..chart.states.len() {
        picture.put_state(scene, &plans, &shapes, state, &mut stretches);
    }
    for (link, stretches) in stretches.into_iter().enumerate() {
        let points = joined(chart, scene, link, stretches);
        picture.links[link].points = picture.to_symbol(chart, scene, &shapes, link, points);
    }
    let extent = &shapes[0].extent;
    (picture.width, picture.height) = (extent.width, extent.height);
    picture
}

impl Picture {
    fn put_state(
        &mut self,
        scene: &Scene,
        plans: &plan::Plans,
        shapes: &[Shape],
        state: usize,
        stretches: &mut [Vec<Part>],
    ) {
        let (shape, (x, y)) = (&shapes[state], self.boxes[state].at);
        let (width, height) = (shape.extent.width, shape.extent.height);
        self.histories.extend(
            shape
                .histories
                .iter()
                .map(|&(history, _, at)| (history, (x + at.0, y + at.1))),
        );
        for lane in &shape.lanes {
            let corner = (x + lane.x, y + lane.y);
            let (left, top) = (corner.0 + lane.content.0, corner.1 + lane.content.1);
            for (item, at) in plans.regions[lane.region]
                .items
                .iter()
                .zip(&lane.arranged.items)
            {
                let at = (left + at.0, top + at.1);
                match *item {
                    Item::State(child) => self.boxes[child].at = at,
                    Item::Dot => self.dots[lane.region] = at,
                }
            }
            for stretch in &lane.arranged.stretches {
                let mut points: Vec<Point> = stretch
                    .points
                    .iter()
                    .map(|at| (left + at.0, top + at.1))
                    .collect();
                // What starts or ends at the state around goes all the way to it.
                match scene.links[stretch.link].course {
                    Course::Inward(region) if region == lane.region => points[0].1 = corner.1,
                    Course::Outward(region) if region == lane.region => {
                        let last = points.len() - 1;
                        points[last].1 = y + height;
                    }
                    _ => {}
                }
                stretches[stretch.link].push((lane.region, stretch.is_down, points));
                if let Some(label) = stretch.label {
                    self.links[stretch.link].label = Some((left + label.0, top + label.1));
                }
            }
            let name = lane.name.map(|name| (corner.0 + name.0, corner.1 + name.1));
            let placed = PlacedLane {
                region: lane.region,
                at: corner,
                height: lane.height,
                name,
            };
            self.boxes[state].lanes.push(placed);
        }
        let placed = &mut self.boxes[state];
        (placed.width, placed.height, placed.text_x) = (width, height, x + shape.text_x);
        if let Some(&link) = plans.loops.get(&state) {
            let (right, upper) = (x + width, y + TITLE_HEIGHT / 2.0);
            let lower = (y + height - 10.0).min(upper + 26.0);
            let out = right + LOOP;
            self.links[link].points =
                vec![(right, upper), (out, upper), (out, lower), (right, lower)];
            self.links[link].label = Some((out + 6.0, upper - 8.0));
        }
    }

    /// Lines to a history point go on from the border to its symbol.
    fn to_symbol(
        &self,
        chart: &Chart,
        scene: &Scene,
        shapes: &[Shape],
        link: usize,
        mut points: Vec<Point>,
    ) -> Vec<Point> {
        if points.is_empty() {
            return self.links[link].points.clone();
        }
        if let End::History(history) = scene.links[link].to
            && let Some(&last) = points.last()
        {
            let owner = chart.histories[history].owner;
            let corner = self.boxes[owner].at;
            let from = if last.1 <= corner.1 + 0.5 {
                Side::Top
            } else {
                Side::Bottom
            };
            let found = shapes[owner]
                .histories
                .iter()
                .find(|&&(number, side, _)| number == history && side == from);
            if let Some((_, _, at)) = found {
                let edge = if from == Side::Top { -HISTORY } else { HISTORY };
                points.push((corner.0 + at.0, corner.1 + at.1 + edge));
            }
        }
        points
    }
}

/// A link from start to end, out of its parts in the regions it passes.
fn joined(chart: &Chart, scene: &Scene, link: usize, stretches: Vec<Part>) -> Vec<Point> {
    let found = &scene.links[link];
    let widest = match found.course {
        Course::Between(region) | Course::Inward(region) | Course::Outward(region) => region,
        Course::Loop(_) => return Vec::new(),
    };
    let mut order: Vec<usize> = Vec::new();
    order.extend(
        chain(chart, found.from)
            .iter()
            .rev()
            .map(|&(region, _)| region)
            .take_while(|&region| region != widest),
    );
    order.push(widest);
    order.extend(
        chain(chart, found.to)
            .iter()
            .map(|&(region, _)| region)
            .skip_while(|&region| region != widest)
            .skip(1),
    );
    let mut points: Vec<Point> = Vec::new();
    for region in order {
        let Some((_, is_down, part)) = stretches.iter().find(|(at, ..)| *at == region) else {
            continue;
        };
        match is_down {
            true => points.extend(part),
            false => points.extend(part.iter().rev()),
        }
    }
    points
}
