//! Automatic layout: a layered drawing of each region, nested.
//!
//! Comes in: chart and scene. Goes out: a [`Picture`], everything at its absolute place. Steps:
//! `plan` and `rows` (from the outside in), then from the inside out per region `spots`, `order`,
//! `place`, `ports` and `channels`, put together by `region` and `boxes`; `draft` tries this with
//! regions cut into columns. Here at last come the corners and the lines from end to end, and the
//! picture is turned if its rows run to the right (`way`). Nothing depends on hashes, threads or fonts: the same
//! chart gives the same picture.

pub(crate) mod boxes;
mod channels;
mod draft;
mod order;
mod place;
mod plan;
mod ports;
mod region;
mod rows;
mod spots;
#[cfg(test)]
mod tests;
mod way;

use crate::chart::Chart;
use crate::metrics::{LINE, SMALL, width};
use crate::scene::{Course, End, Item, Scene, chain, holder, is_symbol};
use boxes::{DIAMOND, HISTORY, LOOP, Mark, PAD, Shape, TITLE_HEIGHT};
use draft::{Draft, MANY};
pub(crate) use plan::Side;
pub(crate) use region::Point;
use spots::Extent;
use way::Way;

/// Which way the rows of a picture follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Whichever makes the picture smaller.
    #[default]
    Auto,
    /// From top to bottom.
    Down,
    /// From left to right.
    Right,
}

/// To the right only if the picture becomes so much smaller: people read downward.
const PREFERENCE: f64 = 0.85;

/// A box of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Box {
    pub(crate) at: Point,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Left end of title and text; for a symbol on its first baseline.
    pub(crate) text: Point,
    pub(crate) lanes: Vec<PlacedLane>,
}

impl Box {
    /// A box that has no place yet.
    fn sized(extent: &Extent) -> Self {
        Self {
            width: extent.width,
            height: extent.height,
            ..Self::default()
        }
    }
}

/// A region in a box.
#[derive(Clone, Debug)]
pub(crate) struct PlacedLane {
    pub(crate) region: usize,
    pub(crate) at: Point,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Where its name starts.
    pub(crate) name: Option<Point>,
}

/// A history point. One may stand twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedHistory {
    pub(crate) history: usize,
    pub(crate) middle: Point,
    /// Where its name starts.
    pub(crate) name: Point,
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
    /// What several states share, by its place in the chart.
    pub(crate) shared: Vec<Box>,
    /// Left upper corner of the dot of each region.
    pub(crate) dots: Vec<Point>,
    pub(crate) histories: Vec<PlacedHistory>,
    /// By link of the scene.
    pub(crate) links: Vec<PlacedLink>,
}

/// What of a link lies in a region, from the top down, and whether the link runs that way.
type Part = (usize, bool, Vec<Point>);

pub(crate) fn layout(chart: &Chart, scene: &Scene, direction: Direction) -> Picture {
    let draft = match direction {
        Direction::Down => Draft::best(chart, scene, Way::Down),
        Direction::Right => Draft::best(chart, scene, Way::Right),
        Direction::Auto => {
            let down = Draft::best(chart, scene, Way::Down);
            if chart.states.len() > MANY && down.is_well_shaped() {
                return placed(chart, scene, &down);
            }
            let right = Draft::best(chart, scene, Way::Right);
            match right.cost() < down.cost() * PREFERENCE {
                true => right,
                false => down,
            }
        }
    };
    placed(chart, scene, &draft)
}

fn placed(chart: &Chart, scene: &Scene, draft: &Draft) -> Picture {
    let Draft { way, shapes, .. } = draft;
    let mut picture = Picture {
        boxes: vec![Box::default(); chart.states.len()],
        shared: draft.shared.iter().map(Box::sized).collect(),
        dots: vec![(0.0, 0.0); chart.regions.len()],
        links: vec![PlacedLink::default(); scene.links.len()],
        ..Picture::default()
    };
    let mut stretches: Vec<Vec<Part>> = vec![Vec::new(); scene.links.len()];
    // Parents have lower numbers, so the corner of each box is known when its turn comes.
    for state in 0..chart.states.len() {
        picture.put_state(scene, draft, state, &mut stretches);
    }
    for (link, stretches) in stretches.into_iter().enumerate() {
        let points = joined(chart, scene, link, stretches);
        let points = picture.to_symbol(chart, scene, shapes, link, points);
        picture.links[link].points = picture.to_the_symbol(chart, scene, link, points);
    }
    let extent = &shapes[0].extent;
    (picture.width, picture.height) = (extent.width, extent.height);
    picture.turn(*way);
    picture.put_texts(chart, *way, shapes);
    picture
}

impl Picture {
    fn put_state(
        &mut self,
        scene: &Scene,
        Draft { plans, shapes, .. }: &Draft,
        state: usize,
        stretches: &mut [Vec<Part>],
    ) {
        let (shape, (x, y)) = (&shapes[state], self.boxes[state].at);
        let (width, height) = (shape.extent.width, shape.extent.height);
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
                    Item::Shared(place) => self.shared[place].at = at,
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
                width: lane.width,
                height: lane.height,
                name,
            };
            self.boxes[state].lanes.push(placed);
        }
        let placed = &mut self.boxes[state];
        (placed.width, placed.height) = (width, height);
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
                .find(|mark| mark.history == history && mark.side == from);
            if let Some(Mark { at, .. }) = found {
                let edge = if from == Side::Top { -HISTORY } else { HISTORY };
                points.push((corner.0 + at.0, corner.1 + at.1 + edge));
            }
        }
        points
    }

    /// Lines that leave or enter a choice behind its text go on to the diamond.
    fn to_the_symbol(
        &self,
        chart: &Chart,
        scene: &Scene,
        link: usize,
        mut points: Vec<Point>,
    ) -> Vec<Point> {
        let link = &scene.links[link];
        let corner = |end: End| {
            let state = holder(chart, end).filter(|&state| is_symbol(chart, state));
            state.map(|state| self.boxes[state].at.1 + DIAMOND)
        };
        if let (Some(edge), Some(first)) = (corner(link.from), points.first_mut()) {
            first.1 = first.1.min(edge);
        }
        if let (Some(edge), Some(last)) = (corner(link.to), points.last_mut()) {
            last.1 = last.1.min(edge);
        }
        points
    }

    /// Turns everything that has been placed as if rows ran downward.
    fn turn(&mut self, way: Way) {
        let turn = |at: &mut Point| *at = way.turned(*at);
        (self.width, self.height) = way.turned((self.width, self.height));
        self.dots.iter_mut().for_each(turn);
        for placed in self.boxes.iter_mut().chain(&mut self.shared) {
            turn(&mut placed.at);
            (placed.width, placed.height) = way.turned((placed.width, placed.height));
            for lane in &mut placed.lanes {
                turn(&mut lane.at);
                lane.name.iter_mut().for_each(turn);
                (lane.width, lane.height) = way.turned((lane.width, lane.height));
            }
        }
        for link in &mut self.links {
            link.points.iter_mut().for_each(turn);
            link.label.iter_mut().for_each(turn);
        }
    }

    /// Places what always reads from left to right: titles and names of history points.
    fn put_texts(&mut self, chart: &Chart, way: Way, shapes: &[Shape]) {
        for placed in &mut self.shared {
            placed.text = (placed.at.0 + PAD, placed.at.1);
        }
        for (state, shape) in shapes.iter().enumerate() {
            let placed = &mut self.boxes[state];
            let (x, y) = placed.at;
            placed.text = match (is_symbol(chart, state), way) {
                (true, Way::Down) => (x + DIAMOND + 6.0, y + DIAMOND / 2.0 + 4.0),
                (true, Way::Right) => (x, y + DIAMOND + LINE),
                (false, Way::Down | Way::Right) => (x + shape.text_x, y),
            };
            for mark in &shape.histories {
                let at = way.turned(mark.at);
                let middle = (x + at.0, y + at.1);
                let name = HISTORY + 4.0 + width(&chart.histories[mark.history].name, SMALL);
                let beside = match (way, mark.side) {
                    // The line comes from the right.
                    (Way::Right, Side::Bottom) => -name,
                    (Way::Right, Side::Top) | (Way::Down, Side::Top | Side::Bottom) => {
                        HISTORY + 4.0
                    }
                };
                self.histories.push(PlacedHistory {
                    history: mark.history,
                    middle,
                    name: (middle.0 + beside, middle.1 + 4.0),
                });
            }
        }
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
