//! How large a state is and what stands where inside it: title and text, history points, lanes with
//! their regions.
//!
//! Lines that go on inside cross the border of a box; text is put beside them, never under them.
//! The title is always on top: where rows run downward it makes room for lines, where they run to
//! the right it lies beside all of them.

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
/// Radius of a history point.
pub(crate) const HISTORY: f64 = 10.0;
/// Height of a row of history points.
const STRIP: f64 = 28.0;
/// Size of the diamond of a choice.
pub(crate) const DIAMOND: f64 = 22.0;
/// Size of the dot where a region starts.
pub(crate) const DOT: f64 = 12.0;
/// How far the loop of a state reaches out of its box.
pub(crate) const LOOP: f64 = 20.0;
/// How much wider a box may become for straight lines.
const STRETCH: f64 = 1.35;
/// Text keeps this distance from lines.
const CLEAR: f64 = 8.0;

/// A region in its box, relative to it.
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
    pub(crate) arranged: Arranged,
}

/// A history point in a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) history: usize,
    /// The side it is reached from.
    pub(crate) side: Side,
    /// Its middle.
    pub(crate) at: Point,
}

/// A state with its inside, its corner at 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) extent: Extent,
    /// Left end of title and text.
    pub(crate) text_x: f64,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) histories: Vec<Mark>,
}

/// What shapes are made from.
pub(crate) struct Shapes<'a> {
    pub(crate) chart: &'a Chart,
    pub(crate) scene: &'a Scene,
    pub(crate) plans: &'a Plans,
    pub(crate) way: Way,
    /// The sizes of what several states share.
    pub(crate) shared: Vec<Extent>,
}

impl Shapes<'_> {
    /// The shapes of all states.
    pub(crate) fn all(&self) -> Vec<Shape> {
        let states = &self.chart.states;
        let mut shapes = vec![Shape::default(); states.len()];
        // Children have higher numbers than their parents.
        for state in (0..states.len()).rev() {
            let mut shape = match states[state].regions.is_empty() {
                true if is_symbol(self.chart, state) => self.symbol(state),
                true => self.leaf(state),
                false => self.container(state, &shapes),
            };
            self.make_room(&mut shape.extent, Item::State(state));
            shapes[state] = shape;
        }
        shapes
    }

    /// Finds the sizes of what several states share.
    pub(crate) fn measure_shared(&mut self) {
        let shared = self.chart.shared.iter().enumerate();
        self.shared = shared
            .map(|(place, shared)| {
                let mut extent = Extent::default();
                let size = self.head(shared.title(), 0.0, &self.scene.shared_texts[place]);
                let size = ((size.0 + PAD * 2.0).max(64.0), size.1.max(34.0));
                (extent.width, extent.height) = self.way.turned(size);
                self.make_room(&mut extent, Item::Shared(place));
                extent
            })
            .collect();
    }

    /// A diamond, with its text where no line leaves it: on its right, or below it.
    fn symbol(&self, state: usize) -> Shape {
        let texts = &self.scene.texts[state];
        let text = width(&self.chart.states[state].name, SMALL).max(widest(texts));
        let lines = LINE * (1 + texts.len()) as f64;
        let (height, beside) = match self.way {
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

    fn leaf(&self, state: usize) -> Shape {
        let (text, head) = self.header(state);
        let mut shape = Shape {
            text_x: PAD,
            ..Shape::default()
        };
        let size = ((text + PAD * 2.0).max(64.0), head.max(34.0));
        (shape.extent.width, shape.extent.height) = self.way.turned(size);
        if !self.chart.states[state].histories.is_empty() {
            let width = shape.extent.width;
            let strips =
                self.place_histories(state, &mut shape, [Vec::new(), Vec::new()], head, width);
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
    fn make_room(&self, extent: &mut Extent, item: Item) {
        let links = &self.scene.links;
        if extent.only_port.is_none() {
            for side in [Side::Top, Side::Bottom] {
                let free = self.plans.ends.get(&(item, side));
                let free = free.map_or(&[][..], Vec::as_slice);
                let fixed = extent.ports.keys().filter(|(_, at)| *at == side).count();
                extent.width = extent
                    .width
                    .max(PORT_GAP * (free.len() + fixed) as f64 + PAD * 2.0 - PORT_GAP);
                let label = |&link: &usize| self.way.words(&links[link].label).0;
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
            let (across, along) = self.way.words(&links[link].label);
            extent.beside = extent.beside.max(LOOP + 8.0 + across);
            extent.height = extent.height.max(along + 12.0).max(44.0);
        }
    }

    fn container(&self, state: usize, shapes: &[Shape]) -> Shape {
        let (text, head) = self.header(state);
        let mut lanes: Vec<Lane> = self.chart.states[state]
            .regions
            .iter()
            .map(|&region| self.lane(region, shapes))
            .collect();
        // Where the title takes its room from.
        let (start, title) = match self.way {
            Way::Down => (0.0, text + PAD * 2.0),
            Way::Right => (head, 0.0),
        };
        let inner: f64 = lanes.iter().map(|lane| lane.width).sum();
        let extra = ((title - inner).max(0.0) / lanes.len() as f64).ceil();
        let mut x = start;
        for lane in &mut lanes {
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
        let mut shape = Shape {
            text_x: PAD,
            ..Shape::default()
        };
        self.note_ports(&mut shape, &lanes);
        let lines = [Side::Top, Side::Bottom].map(|side| self.lines(&lanes, side));
        let mut above = lines[0].clone();
        let strips = self.place_histories(state, &mut shape, lines, head, x);
        let mut width = x.max(strips.width);
        if self.way == Way::Down {
            let symbols = shape.histories.iter().filter(|mark| mark.side == Side::Top);
            above.extend(symbols.map(|mark| mark.at.0));
            above.sort_by(f64::total_cmp);
            shape.text_x = beside_lines(&above, text, (PAD, PAD), &mut width, false);
        }
        if let Some(last) = lanes.last_mut() {
            last.width += width - x;
        }
        let before = strips.before + if self.way == Way::Down { head } else { 0.0 };
        let least = match self.way {
            Way::Down => 0.0,
            Way::Right => text + PAD * 2.0 - before - strips.after,
        };
        let height = lanes.iter().map(|lane| lane.height).fold(least, f64::max);
        for lane in &mut lanes {
            (lane.y, lane.height) = (before, height);
        }
        shape.extent.width = width;
        shape.extent.height = before + height + strips.after;
        // The strip behind the lanes starts where they end.
        for mark in &mut shape.histories {
            if mark.side == Side::Bottom {
                mark.at.1 += height;
            }
        }
        shape.lanes = lanes;
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

    fn lane(&self, region: usize, shapes: &[Shape]) -> Lane {
        let plan = &self.plans.regions[region];
        let extents: Vec<Extent> = plan
            .items
            .iter()
            .map(|&item| self.extent(item, shapes))
            .collect();
        let arranged = arrange(plan, self.scene, self.way, &extents);
        let mut lane = Lane {
            region,
            x: 0.0,
            y: 0.0,
            width: 0.0,
            height: 0.0,
            name: None,
            content: (0.0, 0.0),
            arranged,
        };
        let name = self.chart.regions[region].name.as_ref();
        let name = name.map(|name| width(name, SMALL));
        let top = if name.is_some() {
            NAME_HEIGHT + 6.0
        } else {
            12.0
        };
        match self.way {
            Way::Down => lane.name_above(name, top),
            Way::Right => lane.name_beside(name, top),
        }
        lane
    }

    /// Size and ports of an item of a region.
    fn extent(&self, item: Item, shapes: &[Shape]) -> Extent {
        match item {
            Item::State(state) => shapes[state].extent.clone(),
            Item::Shared(place) => self.shared[place].clone(),
            Item::Dot => Extent {
                width: DOT,
                height: DOT,
                only_port: Some(DOT / 2.0),
                ..Extent::default()
            },
        }
    }

    /// Puts each history point on the side from which lines come, on both if they come from both.
    /// Those on the right of the title leave it its place.
    fn place_histories(
        &self,
        state: usize,
        shape: &mut Shape,
        mut taken: [Vec<f64>; 2],
        head: f64,
        width_so_far: f64,
    ) -> Strips {
        let mut strips = Strips {
            before: 0.0,
            after: 0.0,
            width: width_so_far,
        };
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
                let x = self.place_history(history, side, shape, lines, head, &mut strips);
                for (link, _) in links.iter().filter(|(_, at)| *at == side) {
                    shape.extent.ports.insert((*link, side), x);
                }
            }
        }
        self.settle_strips(shape, &strips, head);
        strips
    }

    /// Finds a place across for a history point, beside lines and the others, and makes its strip
    /// long enough.
    fn place_history(
        &self,
        history: usize,
        side: Side,
        shape: &mut Shape,
        lines: &mut Vec<f64>,
        head: f64,
        strips: &mut Strips,
    ) -> f64 {
        lines.sort_by(f64::total_cmp);
        let name = HISTORY * 2.0 + 4.0 + width(&self.chart.histories[history].name, SMALL);
        let (block, strip, pads) = match self.way {
            Way::Down => (name, STRIP, (PAD, PAD)),
            Way::Right => (HISTORY * 2.0, name + 12.0, (head + 4.0, 4.0)),
        };
        let x =
            beside_lines(lines, block, pads, &mut strips.width, self.way == Way::Down) + HISTORY;
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

    /// Where along the way history points stand; those behind the lanes as if there were none.
    fn settle_strips(&self, shape: &mut Shape, strips: &Strips, head: f64) {
        for mark in &mut shape.histories {
            mark.at.1 = match (self.way, mark.side) {
                (Way::Down, Side::Top) => head + STRIP / 2.0 - 2.0,
                (Way::Down, Side::Bottom) => head + strips.before + STRIP / 2.0,
                (Way::Right, Side::Top) => HISTORY + 4.0,
                // Its name stands before it, away from the line.
                (Way::Right, Side::Bottom) => strips.before + strips.after - HISTORY - 4.0,
            };
        }
    }
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

/// Room for history points before and behind the lanes, and how wide the box must be.
struct Strips {
    before: f64,
    after: f64,
    width: f64,
}

/// The left end of a block of text that no line crosses; the box grows to the right if there is no
/// such place.
fn beside_lines(
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
