//! How large a state is and what stands where inside it: title and text, history points, lanes with
//! their regions.
//!
//! Lines that go on inside cross the border of a box; text is put beside them, never under them.
//! The title is always on top: where rows run downward it makes room for lines, where they run to
//! the right it lies beside all of them. If rows in a box run another way than those around it,
//! lines turn in a `corridor` at its edge.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::corridor::{bends, room};
use super::histories::{Mark, Strips};
use super::place::CORNER;
use super::plan::{Plans, Side};
use super::ports::PORT_GAP;
use super::region::{Arranged, Point, arrange};
use super::spots::{Extent, LABEL_GAP};
use super::way::Way;
use crate::chart::{Chart, Kind};
use crate::metrics::{LINE, SMALL, TITLE, bold_width, width};
use crate::scene::{Course, Item, Scene, Words, is_symbol, widest};

/// Space around text in a box.
pub(crate) const PAD: f64 = 12.0;
/// Space around the content of a lane.
const LANE_PAD: f64 = 14.0;
/// Height of the title of a box.
pub(crate) const TITLE_HEIGHT: f64 = 26.0;
/// Height of the name of a region.
const NAME_HEIGHT: f64 = 18.0;
/// Size of the diamond of a choice.
pub(crate) const DIAMOND: f64 = 22.0;
/// Size of the dot where a region starts.
pub(crate) const DOT: f64 = 12.0;
/// How far the loop of a state reaches out of its box.
pub(crate) const LOOP: f64 = 20.0;
/// How much wider a box may become for straight lines.
const STRETCH: f64 = 1.35;
/// Text keeps this distance from lines.
pub(super) const CLEAR: f64 = 8.0;

/// A region in its box, relative to it and as the rows in it run.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    pub(crate) region: usize,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Where its name starts.
    pub(crate) name: Option<Point>,
    /// Where its content starts.
    pub(crate) content: Point,
    /// How far along the box lines from the state around start.
    pub(crate) start: f64,
    pub(crate) arranged: Rc<Arranged>,
}

/// A state with its inside, its corner at 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// As the rows around it run.
    pub(crate) extent: Extent,
    /// Left end of title and text.
    pub(crate) text_x: f64,
    /// How far below its top the line under the title of a state with lanes is.
    pub(crate) rule: f64,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) histories: Vec<Mark>,
    /// Where links turn on their way from the border inward or back, as the rows in it run. None if
    /// they run the same way around it.
    pub(crate) bends: BTreeMap<(usize, Side), Point>,
}

/// Which way the rows in a state run, and those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ways {
    pub(crate) inside: Way,
    pub(crate) around: Way,
}

/// What shapes are made from.
pub(crate) struct Shapes<'a> {
    pub(crate) chart: &'a Chart,
    pub(crate) scene: &'a Scene,
    pub(crate) plans: &'a Plans,
}

impl Shapes<'_> {
    /// The shape of a state with nothing inside.
    pub(crate) fn leaf(&self, state: usize, around: Way) -> Shape {
        let mut shape = match is_symbol(self.chart, state) {
            true => self.symbol(state, around),
            false => self.plain(state, around),
        };
        self.make_room(&mut shape.extent, Item::State(state), around);
        shape
    }

    /// The size of what several states share.
    pub(crate) fn shared(&self, place: usize, around: Way) -> Extent {
        let (title, texts) = (
            self.chart.shared[place].title(),
            &self.scene.shared_texts[place],
        );
        let size = self.head(title, 0.0, texts);
        let size = ((size.0 + PAD * 2.0).max(64.0), size.1.max(34.0));
        let mut extent = Extent::default();
        (extent.width, extent.height) = around.turned(size);
        self.make_room(&mut extent, Item::Shared(place), around);
        extent
    }

    /// A diamond, with its text where no line leaves it: on its right, or below it.
    fn symbol(&self, state: usize, around: Way) -> Shape {
        let texts = &self.scene.texts[state];
        let text = width(&self.chart.states[state].name, SMALL).max(widest(texts));
        let lines = LINE * (1 + texts.len()) as f64;
        let (height, beside) = match around {
            Way::Down => (DIAMOND.max(lines), text + 8.0),
            Way::Right => (DIAMOND.max(text), lines + 4.0),
        };
        Shape {
            extent: Extent {
                width: DIAMOND,
                height,
                beside,
                only_port: Some(DIAMOND / 2.0),
                ..Extent::default()
            },
            ..Shape::default()
        }
    }

    fn plain(&self, state: usize, around: Way) -> Shape {
        let (text, head) = self.header(state);
        let mut shape = Shape {
            text_x: PAD,
            ..Shape::default()
        };
        let size = ((text + PAD * 2.0).max(64.0), head.max(34.0));
        (shape.extent.width, shape.extent.height) = around.turned(size);
        if !self.chart.states[state].histories.is_empty() {
            let mut strips = Strips::new(around, head, shape.extent.width);
            self.place_histories(state, &mut shape, [Vec::new(), Vec::new()], &mut strips);
            shape.extent.width = shape.extent.width.max(strips.width);
            shape.extent.height += strips.before + strips.after;
        }
        shape
    }

    /// Width and height of title and text.
    fn header(&self, state: usize) -> (f64, f64) {
        let (chart, found) = (self.chart, &self.chart.states[state]);
        let name = if state == 0 { &chart.name } else { &found.name };
        let icon = if found.kind == Kind::Final { 20.0 } else { 0.0 };
        self.head(name, icon, &self.scene.texts[state])
    }

    fn head(&self, name: &str, icon: f64, texts: &[Words]) -> (f64, f64) {
        let title = bold_width(name, TITLE) + icon;
        let below = if texts.is_empty() {
            0.0
        } else {
            LINE * texts.len() as f64 + 8.0
        };
        (title.max(widest(texts)), TITLE_HEIGHT + below + 4.0)
    }

    /// Wide enough for all lines that end at it and, if little is missing, for the labels between
    /// them; high enough for its loop.
    fn make_room(&self, extent: &mut Extent, item: Item, around: Way) {
        let links = &self.scene.links;
        if extent.only_port.is_none() {
            for side in [Side::Top, Side::Bottom] {
                let free = self.plans.ends.get(&(item, side));
                let free = free.map_or(&[][..], Vec::as_slice);
                let fixed = extent.ports.keys().filter(|(_, at)| *at == side).count();
                extent.width = extent
                    .width
                    .max(PORT_GAP * (free.len() + fixed) as f64 + PAD * 2.0 - PORT_GAP);
                let label = |&link: &usize| around.words(&links[link].label).0;
                let mut labels: Vec<f64> = free.iter().map(label).collect();
                labels.sort_by(f64::total_cmp);
                let between: f64 = labels
                    .iter()
                    .skip(1)
                    .map(|label| label + LABEL_GAP + PAD)
                    .sum();
                let wanted = between + CORNER * 2.0;
                if wanted <= extent.width * STRETCH {
                    extent.width = extent.width.max(wanted);
                }
            }
            // Even, so that its middle is a whole number and lines at it are straight.
            extent.width = (extent.width / 2.0).ceil() * 2.0;
        }
        if let Item::State(state) = item
            && let Some(&link) = self.plans.loops.get(&state)
        {
            let (across, along) = around.words(&links[link].label);
            extent.beside = extent.beside.max(LOOP + 8.0 + across);
            extent.height = extent.height.max(along + 12.0).max(44.0);
        }
    }

    /// The shape of a state around its lanes.
    pub(crate) fn container(&self, state: usize, ways: Ways, mut lanes: Vec<Lane>) -> Shape {
        let (text, head) = self.header(state);
        // Where the title takes its room from.
        let (start, title) = match ways.inside {
            Way::Down => (0.0, text + PAD * 2.0),
            Way::Right => (head, 0.0),
        };
        let end = side_by_side(&mut lanes, start, title);
        let mut shape = Shape::default();
        self.note_ports(&mut shape, &lanes);
        let lines = [Side::Top, Side::Bottom].map(|side| self.lines(&lanes, side));
        let mut strips = Strips::new(ways.inside, head, end);
        self.place_histories(state, &mut shape, lines.clone(), &mut strips);
        let halls = match ways.inside == ways.around {
            true => [0.0; 2],
            false => [Side::Top, Side::Bottom].map(|side| room(&shape.extent.ports, side)),
        };
        let [above, _] = lines;
        let mut width = strips.width;
        shape.text_x = match ways {
            Ways {
                inside: Way::Right, ..
            } => PAD + halls[0],
            // All lines come from the side, below the title.
            Ways {
                around: Way::Right, ..
            } => PAD,
            Ways { .. } => shape.beside_lines_from_above(above, text, &mut width),
        };
        if let Some(last) = lanes.last_mut() {
            last.width += width - end;
        }
        shape.extent.width = width;
        let title = match ways.inside {
            Way::Down => (head, 0.0),
            Way::Right => (0.0, shape.text_x + text + PAD),
        };
        shape.stack(lanes, title, &strips, halls);
        shape.rule = match ways.inside {
            Way::Down => shape.rule,
            Way::Right => head,
        };
        if ways.inside != ways.around {
            let last = shape.extent.height - halls[1];
            shape.bends = bends(&shape.extent.ports, title.0, last);
            shape.extent.turn(&shape.bends);
        }
        self.make_room(&mut shape.extent, Item::State(state), ways.around);
        shape
    }

    /// Where links that go on inside cross the border.
    fn note_ports(&self, shape: &mut Shape, lanes: &[Lane]) {
        for lane in lanes {
            for (&(link, side), &at) in &lane.arranged.ports {
                let is_own = [Course::Inward(lane.region), Course::Outward(lane.region)]
                    .contains(&self.scene.links[link].course);
                if !is_own {
                    let at = lane.x + lane.content.0 + at;
                    shape.extent.ports.insert((link, side), at);
                }
            }
        }
    }

    /// Where lines run between a border and the lanes.
    fn lines(&self, lanes: &[Lane], side: Side) -> Vec<f64> {
        let found = lanes
            .iter()
            .flat_map(|lane| lane.arranged.ports.iter().map(move |port| (lane, port)));
        let mut lines: Vec<f64> = found
            .filter(|(lane, ((link, at), _))| {
                *at == side && self.scene.links[*link].course != Course::Inward(lane.region)
            })
            .map(|(lane, (_, at))| lane.x + lane.content.0 + at)
            .collect();
        lines.sort_by(f64::total_cmp);
        lines
    }

    /// A region, given the sizes of its items.
    pub(crate) fn lane(&self, region: usize, way: Way, extents: &[Extent]) -> Lane {
        let arranged = arrange(&self.plans.regions[region], self.scene, way, extents);
        let mut lane = Lane {
            region,
            x: 0.0,
            y: 0.0,
            width: 0.0,
            height: 0.0,
            name: None,
            content: (0.0, 0.0),
            start: 0.0,
            arranged: Rc::new(arranged),
        };
        let name = self.chart.regions[region].name.as_ref();
        let name = name.map(|name| width(name, SMALL));
        let top = if name.is_some() {
            NAME_HEIGHT + 6.0
        } else {
            12.0
        };
        match way {
            Way::Down => lane.name_above(name, top),
            Way::Right => lane.name_beside(name, top),
        }
        lane
    }
}

impl Shape {
    /// Where a title stands beside the lines that run through it, to lanes and history points.
    fn beside_lines_from_above(&self, mut lines: Vec<f64>, text: f64, width: &mut f64) -> f64 {
        let marks = self.histories.iter().filter(|mark| mark.side == Side::Top);
        lines.extend(marks.map(|mark| mark.at.0));
        lines.sort_by(f64::total_cmp);
        beside_lines(&lines, text, (PAD, PAD), width, false)
    }

    /// Finds places along the way: title, corridor, history points, lanes, history points, corridor.
    /// The title has a length of its own, and all together must have another.
    fn stack(
        &mut self,
        mut lanes: Vec<Lane>,
        (title, least): (f64, f64),
        strips: &Strips,
        halls: [f64; 2],
    ) {
        let before = title + halls[0] + strips.before;
        let behind = strips.after + halls[1];
        let least = least - before - behind;
        let height = lanes.iter().map(|lane| lane.height).fold(least, f64::max);
        // History points may stand where a line through their strip would run.
        let start = if strips.before > 0.0 { before } else { title };
        for lane in &mut lanes {
            (lane.y, lane.height, lane.start) = (before, height, start);
        }
        for mark in &mut self.histories {
            mark.at.1 += halls[0];
            // The strip behind the lanes starts where they end.
            if mark.side == Side::Bottom {
                mark.at.1 += height;
            }
        }
        self.rule = if halls[0] > 0.0 { title } else { before };
        self.extent.height = before + height + behind;
        self.lanes = lanes;
    }
}

/// Puts lanes beside each other, wide enough for a title, and says where they end.
fn side_by_side(lanes: &mut [Lane], start: f64, title: f64) -> f64 {
    let inner: f64 = lanes.iter().map(|lane| lane.width).sum();
    let extra = ((title - inner).max(0.0) / lanes.len() as f64).ceil();
    let mut x = start;
    for lane in lanes {
        lane.x = x;
        lane.width += extra;
        let shift = (extra / 2.0).floor();
        lane.content.0 += shift;
        // A name to the right of a line moves with it; one at the border stays there.
        if let Some(name) = lane.name.as_mut().filter(|name| name.0 > PAD) {
            name.0 += shift;
        }
        x += lane.width;
    }
    x
}

impl Lane {
    /// The name above the content, beside the lines that come from above.
    fn name_above(&mut self, name: Option<f64>, top: f64) {
        self.width = self.arranged.width + LANE_PAD * 2.0;
        let ports = self.arranged.ports.iter();
        let mut lines: Vec<f64> = ports
            .filter(|((_, side), _)| *side == Side::Top)
            .map(|(_, at)| at + LANE_PAD)
            .collect();
        lines.sort_by(f64::total_cmp);
        self.name = name.map(|name| {
            let x = beside_lines(&lines, name, (PAD, PAD), &mut self.width, false);
            (x, NAME_HEIGHT - 4.0)
        });
        self.content = (LANE_PAD, top);
        self.height = top + self.arranged.height + LANE_PAD;
    }

    /// The name above the content, where no line comes from above.
    fn name_beside(&mut self, name: Option<f64>, top: f64) {
        self.width = top + self.arranged.width + LANE_PAD;
        self.name = name.map(|_| (NAME_HEIGHT - 4.0, PAD));
        self.content = (top, LANE_PAD);
        let least = name.map_or(0.0, |name| name + PAD * 2.0);
        self.height = (self.arranged.height + LANE_PAD * 2.0).max(least);
    }
}

/// The left end of a block of text that no line crosses; the box grows to the right if there is no
/// such place.
pub(super) fn beside_lines(
    lines: &[f64],
    block: f64,
    (low, high): (f64, f64),
    width: &mut f64,
    is_from_right: bool,
) -> f64 {
    let starts = std::iter::once(low).chain(lines.iter().map(|line| line + CLEAR));
    let ends = lines
        .iter()
        .map(|line| line - CLEAR)
        .chain(std::iter::once(*width - high));
    let mut free = starts.zip(ends).filter(|(start, end)| end - start >= block);
    let found = if is_from_right {
        free.last().map(|(_, end)| end - block)
    } else {
        free.next().map(|(start, _)| start)
    };
    found.unwrap_or_else(|| {
        let start = lines.last().map_or(low, |line| (line + CLEAR).max(low));
        *width = width.max(start + block + high);
        start
    })
}
