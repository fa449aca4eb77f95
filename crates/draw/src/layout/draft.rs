//! Into how many columns each region is cut and which way its rows run, so that a picture is neither
//! a tower nor a ribbon.
//!
//! Comes in: chart, scene and the [`Freedom`] to choose ways. Goes out: the [`Draft`] that can be
//! shown largest on a screen. Sizes are known only once everything has a place, so drafts are made
//! and compared: from the innermost regions outward, since a region is as large as what is in it.

use super::boxes::{Shape, Shapes};
use super::choice::{Chosen, Freedom, choose, cost, is_well_shaped, parent, picture_cost};
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
/// To the right only if the picture becomes so much smaller: people read downward.
const RIGHT_GAIN: f64 = 0.85;
/// Both ways in one picture only if it becomes so much smaller: one way is easier to follow. Where
/// one way makes a tower or a ribbon, that is almost always so.
const MIXED_GAIN: f64 = 0.7;
/// Most columns.
const MOST_COLUMNS: usize = 8;
/// In machines with more states than this all regions are cut at once.
const MANY: usize = 80;
/// How far from what seems right the number of columns is tried.
const TRIED: [isize; 3] = [0, -1, 1];

/// All rows run downward.
pub(crate) const DOWN: Freedom = Freedom {
    ways: &[Way::Down],
    wishes: &[WISH],
};
/// All rows run to the right.
pub(crate) const RIGHT: Freedom = Freedom {
    ways: &[Way::Right],
    wishes: &[WISH],
};
/// Rows of each state run as suits it. What stands in threes must be a third as wide or as high.
pub(crate) const MIXED: Freedom = Freedom {
    ways: &[Way::Down, Way::Right],
    wishes: &[WISH, WISH / 3.0, WISH / 1.7, WISH * 1.7, WISH * 3.0],
};

/// A machine with places for everything.
pub(crate) struct Draft {
    freedom: Freedom,
    /// Of the rows in each state.
    pub(crate) ways: Vec<Way>,
    pub(crate) plans: Plans,
    pub(crate) shapes: Vec<Shape>,
    /// The sizes of what several states share.
    pub(crate) shared: Vec<Extent>,
    /// Of each region.
    columns: Vec<usize>,
}

impl Draft {
    fn new(chart: &Chart, scene: &Scene, freedom: Freedom, columns: Vec<usize>) -> Self {
        let plans = plans(chart, scene, &columns);
        let shapes = Shapes {
            chart,
            scene,
            plans: &plans,
        };
        let Chosen {
            ways,
            shapes,
            shared,
        } = choose(&shapes, freedom);
        Self {
            freedom,
            ways,
            plans,
            shapes,
            shared,
            columns,
        }
    }

    /// The best of all: one way if that makes a good picture, else both.
    pub(crate) fn best_of_all(chart: &Chart, scene: &Scene) -> Self {
        let down = Self::best(chart, scene, DOWN);
        if chart.states.len() > MANY && down.is_well_shaped() {
            return down;
        }
        let one = down.or_better(Self::best(chart, scene, RIGHT), RIGHT_GAIN);
        one.or_better(Self::best(chart, scene, MIXED), MIXED_GAIN)
    }

    /// Another one if it is so much smaller.
    fn or_better(self, other: Self, gain: f64) -> Self {
        match other.cost() < self.cost() * gain {
            true => other,
            false => self,
        }
    }

    /// The best of those with some freedom.
    pub(crate) fn best(chart: &Chart, scene: &Scene, freedom: Freedom) -> Self {
        let draft = Self::new(chart, scene, freedom, vec![1; chart.regions.len()]);
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

    /// Which way the rows around a state run.
    pub(crate) fn around(&self, chart: &Chart, state: usize) -> Way {
        self.ways[parent(chart, state)]
    }

    /// How large it is on a screen: less is better.
    fn cost(&self) -> f64 {
        picture_cost(self.extent(), WISH)
    }

    fn is_well_shaped(&self) -> bool {
        is_well_shaped(self.extent())
    }

    fn extent(&self) -> Point {
        let extent = &self.shapes[0].extent;
        self.ways[0].turned((extent.width, extent.height))
    }

    /// With those of some regions cut that become smaller. None of them lies in another, so one
    /// draft tells of all.
    fn with_some_cut(self, chart: &Chart, scene: &Scene, regions: &[usize]) -> Self {
        let size = |draft: &Self, region: usize| {
            let wish = wish(chart, region, draft.way_of(chart, region));
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
            false => Self::new(chart, scene, self.freedom, wanted),
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
        let cut = Self::new(chart, scene, self.freedom, columns);
        self.or_better(cut, GAIN)
    }

    /// Width and height of a region.
    fn size(&self, chart: &Chart, region: usize) -> Point {
        let lanes = &self.shapes[chart.regions[region].owner].lanes;
        let lane = lanes.iter().find(|lane| lane.region == region);
        let size = lane.map_or((1.0, 1.0), |lane| {
            (lane.arranged.width, lane.arranged.height)
        });
        self.way_of(chart, region).turned(size)
    }

    /// Which way the rows of a region run.
    fn way_of(&self, chart: &Chart, region: usize) -> Way {
        self.ways[chart.regions[region].owner]
    }

    /// How many columns would bring a region to the shape that it should have, if each were as wide
    /// as it is now.
    fn wanted(&self, chart: &Chart, region: usize) -> usize {
        let plan = &self.plans.regions[region];
        let (width, height) = self.size(chart, region);
        let way = self.way_of(chart, region);
        let wish = wish(chart, region, way);
        let too_long = match way {
            Way::Down => height * wish / width.max(1.0),
            Way::Right => width / (height * wish).max(1.0),
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
