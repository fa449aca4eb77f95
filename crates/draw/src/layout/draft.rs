//! Into how many columns each region is cut, so that a picture is neither a tower nor a ribbon.
//!
//! Comes in: chart, scene and the way its rows run. Goes out: the [`Draft`] that can be shown
//! largest on a screen. Sizes are known only once everything has a place, so drafts are made and
//! compared: from the innermost regions outward, since a region is as large as what is in it.

use super::boxes::{Shape, Shapes};
use super::plan::{Plans, plans};
use super::region::Point;
use super::spots::Extent;
use super::way::Way;
use crate::chart::Chart;
use crate::scene::Scene;

/// How much wider than high a picture should be.
const WISH: f64 = 1.4;
/// What is cut must be so much smaller: lines between columns are long.
const GAIN: f64 = 0.93;
/// Most columns.
const MOST_COLUMNS: usize = 8;
/// In machines with more states than this all regions are cut at once.
pub(crate) const MANY: usize = 80;
/// How far from what seems right the number of columns is tried.
const TRIED: [isize; 3] = [0, -1, 1];

/// A machine with places for everything.
pub(crate) struct Draft {
    pub(crate) way: Way,
    pub(crate) plans: Plans,
    pub(crate) shapes: Vec<Shape>,
    /// The sizes of what several states share.
    pub(crate) shared: Vec<Extent>,
    /// Of each region.
    columns: Vec<usize>,
}

impl Draft {
    fn new(chart: &Chart, scene: &Scene, way: Way, columns: Vec<usize>) -> Self {
        let plans = plans(chart, scene, &columns);
        let mut made = Shapes {
            chart,
            scene,
            plans: &plans,
            way,
            shared: Vec::new(),
        };
        made.measure_shared();
        let (shapes, shared) = (made.all(), made.shared);
        Self {
            way,
            shared,
            plans,
            shapes,
            columns,
        }
    }

    /// The best of one way.
    pub(crate) fn best(chart: &Chart, scene: &Scene, way: Way) -> Self {
        let draft = Self::new(chart, scene, way, vec![1; chart.regions.len()]);
        if chart.states.len() > MANY {
            return draft.with_all_cut(chart, scene);
        }
        let depths = depths(chart);
        let deepest = depths.iter().copied().max().unwrap_or(0);
        (0..=deepest).rev().fold(draft, |draft, depth| {
            let here = (0..depths.len()).filter(|&region| depths[region] == depth);
            draft.with_some_cut(chart, scene, &here.collect::<Vec<_>>())
        })
    }

    /// How large it is on a screen: less is better.
    pub(crate) fn cost(&self) -> f64 {
        cost(self.extent(), WISH)
    }

    /// Whether it is less than twice as wide as high, and the other way round.
    pub(crate) fn is_well_shaped(&self) -> bool {
        let (width, height) = self.extent();
        width <= height * 2.0 && height <= width * 2.0
    }

    fn extent(&self) -> Point {
        let extent = &self.shapes[0].extent;
        self.way.turned((extent.width, extent.height))
    }

    /// With those of some regions cut that become smaller. None of them lies in another, so one
    /// draft tells of all.
    fn with_some_cut(self, chart: &Chart, scene: &Scene, regions: &[usize]) -> Self {
        let size = |draft: &Self, region: usize| {
            let wish = wish(chart, region, draft.way);
            cost(draft.size(chart, region), wish)
        };
        let mut best: Vec<(f64, usize)> = regions
            .iter()
            .map(|&region| (size(&self, region) * GAIN, 1))
            .collect();
        let wanted: Vec<usize> = regions
            .iter()
            .map(|&region| self.wanted(chart, region))
            .collect();
        let mut last = self;
        for tried in TRIED {
            let columns = |place: usize| match wanted[place] {
                1 => 1,
                wanted => wanted.saturating_add_signed(tried).max(2),
            };
            last = last.with_columns(chart, scene, regions, columns);
            for (place, &region) in regions.iter().enumerate() {
                let found = (size(&last, region), columns(place));
                if found.1 > 1 && found.0 < best[place].0 {
                    best[place] = found;
                }
            }
        }
        last.with_columns(chart, scene, regions, |place| best[place].1)
    }

    /// The same with some regions cut otherwise.
    fn with_columns(
        self,
        chart: &Chart,
        scene: &Scene,
        regions: &[usize],
        columns: impl Fn(usize) -> usize,
    ) -> Self {
        let mut wanted = self.columns.clone();
        for (place, &region) in regions.iter().enumerate() {
            wanted[region] = columns(place);
        }
        match wanted == self.columns {
            true => self,
            false => Self::new(chart, scene, self.way, wanted),
        }
    }

    /// With all regions cut that seem worth it, if that makes it smaller.
    fn with_all_cut(self, chart: &Chart, scene: &Scene) -> Self {
        let columns: Vec<usize> = (0..self.columns.len())
            .map(|region| self.wanted(chart, region))
            .collect();
        if columns == self.columns {
            return self;
        }
        let cut = Self::new(chart, scene, self.way, columns);
        match cut.cost() < self.cost() * GAIN {
            true => cut,
            false => self,
        }
    }

    /// Width and height of a region.
    fn size(&self, chart: &Chart, region: usize) -> Point {
        let lanes = &self.shapes[chart.regions[region].owner].lanes;
        let lane = lanes.iter().find(|lane| lane.region == region);
        let size = lane.map_or((1.0, 1.0), |lane| {
            (lane.arranged.width, lane.arranged.height)
        });
        self.way.turned(size)
    }

    /// How many columns would bring a region to the shape that it should have, if each were as wide
    /// as it is now.
    fn wanted(&self, chart: &Chart, region: usize) -> usize {
        let plan = &self.plans.regions[region];
        let (width, height) = self.size(chart, region);
        let too_long = match self.way {
            Way::Down => height * wish(chart, region, self.way) / width.max(1.0),
            Way::Right => width / (height * wish(chart, region, self.way)).max(1.0),
        };
        let most = MOST_COLUMNS.min(plan.items.len() / 2).max(1);
        (too_long.max(1.0).sqrt().round() as usize).clamp(1, most)
    }
}

/// How much wider than high a region should be: those side by side share the width.
fn wish(chart: &Chart, region: usize, way: Way) -> f64 {
    let lanes = chart.states[chart.regions[region].owner].regions.len() as f64;
    match way {
        Way::Down => WISH / lanes,
        Way::Right => WISH * lanes,
    }
}

/// The height of the smallest screen of a shape that shows all of it.
fn cost((width, height): Point, wish: f64) -> f64 {
    (width / wish).max(height)
}

/// How deep each region lies.
fn depths(chart: &Chart) -> Vec<usize> {
    let mut depths = Vec::new();
    for region in &chart.regions {
        let around = chart.states[region.owner].region;
        // Regions are numbered from the outside in.
        depths.push(around.map_or(0, |around: usize| {
            depths.get(around).map_or(0, |depth| depth + 1)
        }));
    }
    depths
}
