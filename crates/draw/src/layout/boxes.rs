//! How large a state is and what stands where inside it: title and text, history points, lanes with
//! their regions.
//!
//! Lines that go on inside cross the upper or lower part of a box; text is put beside them, never
//! under them.

use super::place::CORNER;
use super::plan::{Plans, Side};
use super::ports::PORT_GAP;
use super::region::{Arranged, Point, arrange};
use super::spots::{Extent, LABEL_GAP};
use crate::chart::{Chart, Kind};
use crate::metrics::{LINE, SMALL, TITLE, bold_width, width};
use crate::scene::{Course, Item, Scene, is_symbol, widest};

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

/// A state with its inside, its left upper corner at 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) extent: Extent,
    /// Left end of title and text.
    pub(crate) text_x: f64,
    pub(crate) lanes: Vec<Lane>,
    /// Middle of each history point, with its number and the side it is reached from.
    pub(crate) histories: Vec<(usize, Side, Point)>,
}

/// The shapes of all states.
pub(crate) fn shapes(chart: &Chart, scene: &Scene, plans: &Plans) -> Vec<Shape> {
    let mut shapes = vec![Shape::default(); chart.states.len()];
    // Children have higher numbers than their parents.
    for state in (0..chart.states.len()).rev() {
        let mut shape = match chart.states[state].regions.is_empty() {
            true if is_symbol(chart, state) => symbol(chart, scene, state),
            true => leaf(chart, scene, plans, state),
            false => container(chart, scene, plans, state, &shapes),
        };
        make_room(&mut shape, scene, plans, state);
        shapes[state] = shape;
    }
    shapes
}

fn symbol(chart: &Chart, scene: &Scene, state: usize) -> Shape {
    let text = width(&chart.states[state].name, SMALL).max(widest(&scene.texts[state]));
    let height = DIAMOND.max(LINE * (1 + scene.texts[state].len()) as f64);
    let (width, beside, only_port) = (DIAMOND, text + 8.0, Some(DIAMOND / 2.0));
    Shape {
        extent: Extent {
            width,
            height,
            beside,
            only_port,
            ..Extent::default()
        },
        ..Shape::default()
    }
}

fn leaf(chart: &Chart, scene: &Scene, plans: &Plans, state: usize) -> Shape {
    let (text, height) = header(chart, scene, state);
    let mut shape = Shape {
        text_x: PAD,
        ..Shape::default()
    };
    let strip = place_histories(
        chart,
        plans,
        state,
        &mut shape,
        &[],
        &[],
        height,
        text + PAD * 2.0,
    );
    shape.extent.width = (text + PAD * 2.0).max(strip.width).max(64.0);
    shape.extent.height = (height + strip.top + strip.bottom).max(34.0);
    shape
}

/// Width and height of title and text.
fn header(chart: &Chart, scene: &Scene, state: usize) -> (f64, f64) {
    let found = &chart.states[state];
    let name = if state == 0 { &chart.name } else { &found.name };
    let icon = if found.kind == Kind::Final { 20.0 } else { 0.0 };
    let (texts, title) = (&scene.texts[state], bold_width(name, TITLE) + icon);
    let below = if texts.is_empty() {
        0.0
    } else {
        LINE * texts.len() as f64 + 8.0
    };
    (title.max(widest(texts)), TITLE_HEIGHT + below + 4.0)
}

/// Wide enough for all lines that end at it and, if little is missing, for the labels between them;
/// high enough for its loop.
fn make_room(shape: &mut Shape, scene: &Scene, plans: &Plans, state: usize) {
    let extent = &mut shape.extent;
    if extent.only_port.is_none() {
        for side in [Side::Top, Side::Bottom] {
            let free = plans
                .ends
                .get(&(state, side))
                .map_or(&[][..], Vec::as_slice);
            let fixed = extent.ports.keys().filter(|(_, at)| *at == side).count();
            extent.width = extent
                .width
                .max(PORT_GAP * (free.len() + fixed) as f64 + PAD * 2.0 - PORT_GAP);
            let mut labels: Vec<f64> = free
                .iter()
                .map(|&link| widest(&scene.links[link].label))
                .collect();
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
    if let Some(link) = plans.loops.get(&state).map(|&link| &scene.links[link]) {
        extent.beside = extent.beside.max(LOOP + 8.0 + widest(&link.label));
        extent.height = extent
            .height
            .max(LINE * link.label.len() as f64 + 12.0)
            .max(44.0);
    }
}

fn container(chart: &Chart, scene: &Scene, plans: &Plans, state: usize, shapes: &[Shape]) -> Shape {
    let (text, head) = header(chart, scene, state);
    let mut lanes: Vec<Lane> = chart.states[state]
        .regions
        .iter()
        .map(|&region| lane(chart, scene, plans, region, shapes))
        .collect();
    let inner: f64 = lanes.iter().map(|lane| lane.width).sum();
    let extra = ((text + PAD * 2.0 - inner).max(0.0) / lanes.len() as f64).ceil();
    let mut x = 0.0;
    for lane in &mut lanes {
        lane.x = x;
        lane.width += extra;
        lane.content.0 += (extra / 2.0).floor();
        x += lane.width;
    }
    let mut shape = Shape::default();
    for lane in &lanes {
        for (&(link, side), &at) in &lane.arranged.ports {
            let is_own = [Course::Inward(lane.region), Course::Outward(lane.region)]
                .contains(&scene.links[link].course);
            if !is_own {
                shape
                    .extent
                    .ports
                    .insert((link, side), lane.x + lane.content.0 + at);
            }
        }
    }
    let lines = |side: Side| {
        let found = lanes
            .iter()
            .flat_map(|lane| lane.arranged.ports.iter().map(move |port| (lane, port)));
        let mut lines: Vec<f64> = found
            .filter(|(lane, ((link, at), _))| {
                *at == side && scene.links[*link].course != Course::Inward(lane.region)
            })
            .map(|(lane, (_, at))| lane.x + lane.content.0 + at)
            .collect();
        lines.sort_by(f64::total_cmp);
        lines
    };
    let (mut above, below) = (lines(Side::Top), lines(Side::Bottom));
    let strip = place_histories(chart, plans, state, &mut shape, &above, &below, head, x);
    let symbols = shape
        .histories
        .iter()
        .filter(|(_, side, _)| *side == Side::Top)
        .map(|(_, _, at)| at.0);
    above.extend(symbols);
    above.sort_by(f64::total_cmp);
    let mut width = x.max(strip.width);
    shape.text_x = beside_lines(&above, text, PAD, &mut width, false);
    if let Some(last) = lanes.last_mut() {
        last.width += width - x;
    }
    let height = lanes.iter().map(|lane| lane.height).fold(0.0, f64::max);
    for lane in &mut lanes {
        (lane.y, lane.height) = (head + strip.top, height);
    }
    shape.extent.width = width;
    shape.extent.height = head + strip.top + height + strip.bottom;
    // The strip below the lanes starts where they end.
    for (_, side, at) in &mut shape.histories {
        if *side == Side::Bottom {
            at.1 += height;
        }
    }
    shape.lanes = lanes;
    shape
}

fn lane(chart: &Chart, scene: &Scene, plans: &Plans, region: usize, shapes: &[Shape]) -> Lane {
    let plan = &plans.regions[region];
    let extents: Vec<Extent> = plan
        .items
        .iter()
        .map(|&item| match item {
            Item::State(state) => shapes[state].extent.clone(),
            Item::Dot => Extent {
                width: DOT,
                height: DOT,
                only_port: Some(DOT / 2.0),
                ..Extent::default()
            },
        })
        .collect();
    let arranged = arrange(plan, scene, &extents);
    let mut lane_width = arranged.width + LANE_PAD * 2.0;
    let mut lines: Vec<f64> = arranged
        .ports
        .iter()
        .filter(|((_, side), _)| *side == Side::Top)
        .map(|(_, at)| at + LANE_PAD)
        .collect();
    lines.sort_by(f64::total_cmp);
    let name = chart.regions[region].name.as_ref().map(|name| {
        (
            beside_lines(&lines, width(name, SMALL), PAD, &mut lane_width, false),
            NAME_HEIGHT - 4.0,
        )
    });
    let top = if name.is_some() {
        NAME_HEIGHT + 6.0
    } else {
        12.0
    };
    let height = top + arranged.height + LANE_PAD;
    Lane {
        region,
        x: 0.0,
        y: 0.0,
        width: lane_width,
        height,
        name,
        content: (LANE_PAD, top),
        arranged,
    }
}

/// Room for history points above and below the lanes, and how wide the box must be.
struct Strips {
    top: f64,
    bottom: f64,
    width: f64,
}

/// Puts each history point on the side from which lines come, on both if they come from both. Those
/// on the right of the title leave it its place.
#[expect(
    clippy::too_many_arguments,
    reason = "the whole geometry of a box before its lanes"
)]
fn place_histories(
    chart: &Chart,
    plans: &Plans,
    state: usize,
    shape: &mut Shape,
    above: &[f64],
    below: &[f64],
    head: f64,
    width_so_far: f64,
) -> Strips {
    let mut strips = Strips {
        top: 0.0,
        bottom: 0.0,
        width: width_so_far,
    };
    let mut taken = [above.to_vec(), below.to_vec()];
    for &history in &chart.states[state].histories {
        let links = plans.histories.get(&history).map_or(&[][..], Vec::as_slice);
        for side in [Side::Top, Side::Bottom] {
            let is_wanted =
                links.iter().any(|(_, at)| *at == side) || (links.is_empty() && side == Side::Top);
            if !is_wanted {
                continue;
            }
            let lines = &mut taken[usize::from(side == Side::Bottom)];
            lines.sort_by(f64::total_cmp);
            let block = HISTORY * 2.0 + 4.0 + width(&chart.histories[history].name, SMALL);
            let x = beside_lines(lines, block, PAD, &mut strips.width, true) + HISTORY;
            let y = match side {
                Side::Top => head + STRIP / 2.0 - 2.0,
                Side::Bottom => head + strips.top + STRIP / 2.0,
            };
            match side {
                Side::Top => strips.top = STRIP,
                Side::Bottom => strips.bottom = STRIP,
            }
            // A fence, so that the next one does not see free space inside.
            let posts = (block / CLEAR).ceil() as usize;
            lines.extend((0..=posts).map(|post| x - HISTORY + block * post as f64 / posts as f64));
            shape.histories.push((history, side, (x, y)));
            for (link, _) in links.iter().filter(|(_, at)| *at == side) {
                shape.extent.ports.insert((*link, side), x);
            }
        }
    }
    strips
}

/// The left end of a block of text that no line crosses; the box grows to the right if there is no
/// such place.
fn beside_lines(lines: &[f64], block: f64, pad: f64, width: &mut f64, is_from_right: bool) -> f64 {
    let starts = std::iter::once(pad).chain(lines.iter().map(|line| line + CLEAR));
    let ends = lines
        .iter()
        .map(|line| line - CLEAR)
        .chain(std::iter::once(*width - pad));
    let mut free = starts.zip(ends).filter(|(start, end)| end - start >= block);
    let found = if is_from_right {
        free.last().map(|(_, end)| end - block)
    } else {
        free.next().map(|(start, _)| start)
    };
    found.unwrap_or_else(|| {
        let start = lines.last().map_or(pad, |line| (line + CLEAR).max(pad));
        *width = width.max(start + block + pad);
        start
    })
}
