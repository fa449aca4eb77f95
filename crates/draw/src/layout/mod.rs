//! Automatic layout: a layered drawing of each region, nested.
//!
//! Comes in: chart and scene. Goes out: a [`Picture`], everything at its absolute place. Steps:
//! `plan` and `rows` (from the outside in), then from the inside out per region `spots`, `order`,
//! `place`, `ports` and `channels`, put together by `region` and `boxes` (with `histories`). `choice`
//! does this both ways (`way`) and finds in which states rows run downward and in which to the right;
//! where that changes, lines turn in a `corridor`. `draft` tries it with regions cut into columns.
//! Here at last come the corners and the lines from end to end. Nothing depends on hashes, threads
//! or fonts: the same chart gives the same picture.

pub(crate) mod boxes;
mod channels;
mod choice;
mod corridor;
mod draft;
mod histories;
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
use boxes::{DIAMOND, LOOP, Lane, PAD, TITLE_HEIGHT};
use draft::Draft;
pub(crate) use histories::HISTORY;
pub(crate) use plan::Side;
pub(crate) use region::Point;
use spots::Extent;
use way::{Frame, Way};

/// Which way the rows of a picture follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Whichever makes the picture smaller; both in one picture if either alone makes a tower or a
    /// ribbon.
    #[default]
    Auto,
    /// From top to bottom.
    Down,
    /// From left to right.
    Right,
}

/// A box of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Box {
    pub(crate) at: Point,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Left end of title and text; for a symbol on its first baseline.
    pub(crate) text: Point,
    /// Height of the line under the title, if there are lanes.
    pub(crate) rule: f64,
    pub(crate) lanes: Vec<PlacedLane>,
}

impl Box {
    /// A box that has no place yet.
    fn sized(extent: &Extent, around: Way) -> Self {
        let (width, height) = around.turned((extent.width, extent.height));
        Self {
            width,
            height,
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
        Direction::Down => Draft::best(chart, scene, draft::DOWN),
        Direction::Right => Draft::best(chart, scene, draft::RIGHT),
        Direction::Auto => Draft::best_of_all(chart, scene),
    };
    placed(chart, scene, &draft)
}

fn placed(chart: &Chart, scene: &Scene, draft: &Draft) -> Picture {
    let shared = draft.shared.iter().zip(&chart.shared);
    let shared = shared.map(|(extent, shared)| {
        let around = draft.ways[chart.regions[shared.region].owner];
        Box::sized(extent, around)
    });
    let boxes = draft.shapes.iter().enumerate();
    let boxes = boxes.map(|(state, shape)| Box::sized(&shape.extent, draft.around(chart, state)));
    let mut picture = Picture {
        shared: shared.collect(),
        boxes: boxes.collect(),
        dots: vec![(0.0, 0.0); chart.regions.len()],
        links: vec![PlacedLink::default(); scene.links.len()],
        ..Picture::default()
    };
    (picture.width, picture.height) = (picture.boxes[0].width, picture.boxes[0].height);
    let mut parts: Vec<Vec<Part>> = vec![Vec::new(); scene.links.len()];
    // Parents have lower numbers, so the corner of each box is known when its turn comes.
    for state in 0..chart.states.len() {
        picture.put_state(chart, scene, draft, state, &mut parts);
    }
    for (link, parts) in parts.into_iter().enumerate() {
        let points = joined(chart, scene, link, parts);
        if !points.is_empty() {
            let points = picture.to_history(chart, scene, draft, link, points);
            picture.links[link].points = picture.to_diamond(chart, scene, draft, link, points);
        }
    }
    picture.put_texts(chart, draft);
    picture
}

impl Picture {
    fn put_state(
        &mut self,
        chart: &Chart,
        scene: &Scene,
        draft: &Draft,
        state: usize,
        parts: &mut [Vec<Part>],
    ) {
        let frame = self.frame(draft, state);
        for lane in &draft.shapes[state].lanes {
            self.put_items(draft, lane, frame);
            self.put_lines(scene, draft, (state, lane), frame, parts);
            let (corner, way) = (frame.place((lane.x, lane.y)), frame.way);
            let (width, height) = way.turned((lane.width, lane.height));
            let name = lane
                .name
                .map(|(x, y)| frame.place((lane.x + x, lane.y + y)));
            self.boxes[state].lanes.push(PlacedLane {
                region: lane.region,
                at: corner,
                width,
                height,
                name,
            });
        }
        if let Some(&link) = draft.plans.loops.get(&state) {
            self.put_loop(link, state, draft.around(chart, state));
        }
    }

    /// How things lie in a state.
    fn frame(&self, draft: &Draft, state: usize) -> Frame {
        Frame {
            corner: self.boxes[state].at,
            way: draft.ways[state],
        }
    }

    fn put_items(&mut self, draft: &Draft, lane: &Lane, frame: Frame) {
        let content = frame.from((lane.x, lane.y)).from(lane.content);
        let items = &draft.plans.regions[lane.region].items;
        for (item, &at) in items.iter().zip(&lane.arranged.items) {
            let at = content.place(at);
            match *item {
                Item::State(child) => self.boxes[child].at = at,
                Item::Dot => self.dots[lane.region] = at,
                Item::Shared(place) => self.shared[place].at = at,
            }
        }
    }

    /// What of links lies in a lane, and between it and the border where that is no straight line.
    fn put_lines(
        &mut self,
        scene: &Scene,
        draft: &Draft,
        (state, lane): (usize, &Lane),
        frame: Frame,
        parts: &mut [Vec<Part>],
    ) {
        let (left, top) = (lane.x + lane.content.0, lane.y + lane.content.1);
        let placed = &self.boxes[state];
        let (_, end) = frame.way.turned((placed.width, placed.height));
        let bends = &draft.shapes[state].bends;
        for stretch in &lane.arranged.stretches {
            let moved = stretch.points.iter().map(|at| (left + at.0, top + at.1));
            let mut points: Vec<Point> = moved.collect();
            // What starts or ends at the state around goes all the way to it.
            match scene.links[stretch.link].course {
                Course::Inward(region) if region == lane.region => points[0].1 = lane.start,
                Course::Outward(region) if region == lane.region => {
                    let last = points.len() - 1;
                    points[last].1 = end;
                }
                _ => {}
            }
            if let Some(&bend) = bends.get(&(stretch.link, Side::Top)) {
                points.insert(0, bend);
            }
            points.extend(bends.get(&(stretch.link, Side::Bottom)));
            let points = points.into_iter().map(|at| frame.place(at)).collect();
            parts[stretch.link].push((lane.region, stretch.is_down, points));
            if let Some(label) = stretch.label {
                let label = frame.place((left + label.0, top + label.1));
                self.links[stretch.link].label = Some(label);
            }
        }
    }

    fn put_loop(&mut self, link: usize, state: usize, around: Way) {
        let placed = &self.boxes[state];
        let frame = Frame {
            corner: placed.at,
            way: around,
        };
        let (right, height) = around.turned((placed.width, placed.height));
        let upper = TITLE_HEIGHT / 2.0;
        let (lower, out) = ((height - 10.0).min(upper + 26.0), right + LOOP);
        let points = [(right, upper), (out, upper), (out, lower), (right, lower)];
        self.links[link] = PlacedLink {
            points: points.map(|at| frame.place(at)).into(),
            label: Some(frame.place((out + 6.0, upper - 8.0))),
        };
    }

    /// Lines to a history point go on from the border to its symbol.
    fn to_history(
        &self,
        chart: &Chart,
        scene: &Scene,
        draft: &Draft,
        link: usize,
        mut points: Vec<Point>,
    ) -> Vec<Point> {
        let End::History(history) = scene.links[link].to else {
            return points;
        };
        let owner = chart.histories[history].owner;
        let ends = draft.plans.histories.get(&history).into_iter().flatten();
        let side = ends.filter(|end| end.0 == link).map(|end| end.1).next();
        let shape = &draft.shapes[owner];
        let mut marks = shape
            .histories
            .iter()
            .filter(|mark| mark.history == history);
        let mark = marks.find(|mark| Some(mark.side) == side);
        if let Some(mark) = mark {
            let frame = self.frame(draft, owner);
            let bend = shape.bends.get(&(link, mark.side));
            points.extend(bend.map(|&bend| frame.place(bend)));
            let edge = match mark.side {
                Side::Top => -HISTORY,
                Side::Bottom => HISTORY,
            };
            points.push(frame.place((mark.at.0, mark.at.1 + edge)));
        }
        points
    }

    /// Lines that leave or enter a choice behind its text go on to the diamond.
    fn to_diamond(
        &self,
        chart: &Chart,
        scene: &Scene,
        draft: &Draft,
        link: usize,
        mut points: Vec<Point>,
    ) -> Vec<Point> {
        let link = &scene.links[link];
        let last = points.len() - 1;
        for (end, point) in [(link.from, 0), (link.to, last)] {
            let state = holder(chart, end).filter(|&state| is_symbol(chart, state));
            let Some(state) = state else { continue };
            let (x, y) = self.boxes[state].at;
            let at = &mut points[point];
            match draft.around(chart, state) {
                Way::Down => at.1 = at.1.min(y + DIAMOND),
                Way::Right => at.0 = at.0.min(x + DIAMOND),
            }
        }
        points
    }

    /// Places what always reads from left to right: titles and names of history points.
    fn put_texts(&mut self, chart: &Chart, draft: &Draft) {
        for placed in &mut self.shared {
            placed.text = (placed.at.0 + PAD, placed.at.1);
        }
        for (state, shape) in draft.shapes.iter().enumerate() {
            let placed = &mut self.boxes[state];
            let (x, y) = placed.at;
            placed.text = match (is_symbol(chart, state), draft.around(chart, state)) {
                (true, Way::Down) => (x + DIAMOND + 6.0, y + DIAMOND / 2.0 + 4.0),
                (true, Way::Right) => (x, y + DIAMOND + LINE),
                (false, Way::Down | Way::Right) => (x + shape.text_x, y),
            };
            placed.rule = y + shape.rule;
            let frame = self.frame(draft, state);
            for mark in &shape.histories {
                let middle = frame.place(mark.at);
                let name = HISTORY + 4.0 + width(&chart.histories[mark.history].name, SMALL);
                let beside = match (frame.way, mark.side) {
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
