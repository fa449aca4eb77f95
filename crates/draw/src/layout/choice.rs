//! Which way the rows in each state run.
//!
//! Comes in: plans, which are the same whichever way rows run, the ways that may be used and the
//! shapes that are wished for. Goes out: the shapes of all states. From the inside out each state is
//! made in every way, with children of every wished shape; for each wish the best of them is kept.
//! So three wide children make a square below each other, and three such squares a wide box side
//! by side:
//!
//! ```text
//!    wide                 square             wide again
//!    ┌───────────────┐    ┌─────────────┐    ┌───────────────────────┐
//!    │ a ──▶ b ──▶ c │    │ a ▶ b ▶ c   │    │ ┌───┐   ┌───┐   ┌───┐ │
//!    └───────────────┘    │     ▼       │    │ │   │ ▶ │   │ ▶ │   │ │
//!                         │ d ▶ e ▶ f   │    │ └───┘   └───┘   └───┘ │
//!                         │     ▼       │    └───────────────────────┘
//!                         │ g ▶ h ▶ i   │
//!                         └─────────────┘
//! ```
//!
//! To keep only the best of each state would not do: of three states in a row none is near a
//! square, and which of the two ways is better depends on what stands around them.

use super::boxes::{Lane, Shape, Shapes, Ways};
use super::region::Point;
use super::spots::Extent;
use super::way::Way;
use crate::chart::Chart;
use crate::scene::Item;

/// What is turned against the rows around it must be so much smaller: readers change direction.
const TURNED: f64 = 1.1;

/// A picture that is a tower or a ribbon must be so much smaller than one that is neither.
const ILL_SHAPED: f64 = 1.5;

/// What may be chosen from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Freedom {
    pub(crate) ways: &'static [Way],
    /// How much wider than high a state may be wished to be. The picture has the first.
    pub(crate) wishes: &'static [f64],
}

/// What was chosen.
pub(crate) struct Chosen {
    /// Of the rows in each state.
    pub(crate) ways: Vec<Way>,
    pub(crate) shapes: Vec<Shape>,
    /// The sizes of what several states share.
    pub(crate) shared: Vec<Extent>,
}

/// A way and a wish, by their places in the [`Freedom`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct Asked {
    way: usize,
    wish: usize,
}

/// One way to make a state.
struct Made {
    /// What its children are asked for.
    inside: Asked,
    /// By the way of the rows around it.
    seen: Vec<Shape>,
}

/// The states that have been made so far.
struct Choice<'a> {
    shapes: &'a Shapes<'a>,
    freedom: Freedom,
    /// Of each state.
    made: Vec<Vec<Made>>,
    /// Which of them is best, by state and what is asked.
    best: Vec<Vec<usize>>,
    /// The sizes of what several states share, by the way of the rows around.
    shared: Vec<Vec<Extent>>,
}

pub(crate) fn choose(shapes: &Shapes, freedom: Freedom) -> Chosen {
    let chart = shapes.chart;
    let sizes = |way: &Way| {
        (0..chart.shared.len())
            .map(|place| shapes.shared(place, *way))
            .collect()
    };
    let mut choice = Choice {
        shapes,
        freedom,
        made: chart.states.iter().map(|_| Vec::new()).collect(),
        best: vec![Vec::new(); chart.states.len()],
        shared: freedom.ways.iter().map(sizes).collect(),
    };
    // Children have higher numbers than their parents.
    for state in (0..chart.states.len()).rev() {
        choice.make(state);
    }
    choice.outcome()
}

/// The height of the smallest screen of a shape that shows all of it.
pub(crate) fn cost((width, height): Point, wish: f64) -> f64 {
    (width / wish).max(height)
}

/// The same for a whole picture, which should be neither a tower nor a ribbon.
pub(crate) fn picture_cost(size: Point, wish: f64) -> f64 {
    match is_well_shaped(size) {
        true => cost(size, wish),
        false => cost(size, wish) * ILL_SHAPED,
    }
}

/// Whether something is at most twice as wide as high, and the other way round.
pub(crate) fn is_well_shaped((width, height): Point) -> bool {
    width <= height * 2.0 && height <= width * 2.0
}

/// The state around another one; the root is its own.
pub(crate) fn parent(chart: &Chart, state: usize) -> usize {
    chart.states[state]
        .region
        .map_or(0, |region| chart.regions[region].owner)
}

impl Choice<'_> {
    /// Makes a state in all ways and finds the best for everything that may be asked.
    fn make(&mut self, state: usize) {
        let made = match self.shapes.chart.states[state].regions.is_empty() {
            true => vec![self.leaf(state)],
            false => self.containers(state),
        };
        self.best[state] = self
            .all_asked()
            .map(|asked| self.best_of(&made, asked))
            .collect();
        self.made[state] = made;
    }

    fn all_asked(&self) -> impl Iterator<Item = Asked> + use<> {
        let wishes = self.freedom.wishes.len();
        (0..self.freedom.ways.len() * wishes).map(move |place| Asked {
            way: place / wishes,
            wish: place % wishes,
        })
    }

    fn leaf(&self, state: usize) -> Made {
        let seen = self
            .freedom
            .ways
            .iter()
            .map(|&around| self.shapes.leaf(state, around));
        Made {
            inside: Asked { way: 0, wish: 0 },
            seen: seen.collect(),
        }
    }

    /// A state with others inside, in every way in which it differs.
    fn containers(&self, state: usize) -> Vec<Made> {
        let chart = self.shapes.chart;
        let regions = &chart.states[state].regions;
        let children: Vec<usize> = regions
            .iter()
            .flat_map(|&region| chart.regions[region].children.iter().copied())
            .collect();
        let picks = |asked: Asked| {
            children
                .iter()
                .map(|&child| self.pick(child, asked))
                .collect()
        };
        let mut tried: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut made = Vec::new();
        for asked in self.all_asked() {
            let inside = (asked.way, picks(asked));
            if !tried.contains(&inside) {
                tried.push(inside);
                made.push(self.container(state, asked));
            }
        }
        made
    }

    fn container(&self, state: usize, inside: Asked) -> Made {
        let way = self.freedom.ways[inside.way];
        let regions = &self.shapes.chart.states[state].regions;
        let lanes: Vec<Lane> = regions
            .iter()
            .map(|&region| self.lane(region, inside))
            .collect();
        let seen = self.freedom.ways.iter().map(|&around| {
            let ways = Ways {
                inside: way,
                around,
            };
            self.shapes.container(state, ways, lanes.clone())
        });
        Made {
            inside,
            seen: seen.collect(),
        }
    }

    fn lane(&self, region: usize, asked: Asked) -> Lane {
        let items = self.shapes.plans.regions[region].items.iter();
        let extents: Vec<Extent> = items
            .map(|&item| match item {
                Item::State(state) => self.shape(state, asked).extent.clone(),
                Item::Shared(place) => self.shared[asked.way][place].clone(),
                Item::Dot => Extent::dot(),
            })
            .collect();
        self.shapes
            .lane(region, self.freedom.ways[asked.way], &extents)
    }

    fn best_of(&self, made: &[Made], asked: Asked) -> usize {
        let around = self.freedom.ways[asked.way];
        let costs = made.iter().map(|made| {
            let Extent { width, height, .. } = made.seen[asked.way].extent;
            let turned = if made.inside.way == asked.way {
                1.0
            } else {
                TURNED
            };
            cost(
                around.turned((width, height)),
                self.freedom.wishes[asked.wish],
            ) * turned
        });
        least(costs)
    }

    /// Which of the ways to make a state is best for what is asked.
    fn pick(&self, state: usize, asked: Asked) -> usize {
        self.best[state][asked.way * self.freedom.wishes.len() + asked.wish]
    }

    fn shape(&self, state: usize, asked: Asked) -> &Shape {
        &self.made[state][self.pick(state, asked)].seen[asked.way]
    }

    /// From the outside in: what is chosen for a state says what its children are asked for.
    fn outcome(self) -> Chosen {
        let chart = self.shapes.chart;
        let root = self.root();
        let mut inside: Vec<Asked> = Vec::new();
        let mut chosen = Chosen {
            ways: Vec::new(),
            shapes: Vec::new(),
            shared: Vec::new(),
        };
        for state in 0..chart.states.len() {
            let (around, pick) = match state {
                0 => (self.made[0][root].inside, root),
                _ => {
                    let asked = inside[parent(chart, state)];
                    (asked, self.pick(state, asked))
                }
            };
            let made = &self.made[state][pick];
            let is_leaf = chart.states[state].regions.is_empty();
            let own = if is_leaf { around } else { made.inside };
            inside.push(own);
            chosen.ways.push(self.freedom.ways[own.way]);
            chosen.shapes.push(made.seen[around.way].clone());
        }
        for (place, shared) in chart.shared.iter().enumerate() {
            let around = inside[chart.regions[shared.region].owner];
            chosen.shared.push(self.shared[around.way][place].clone());
        }
        chosen
    }

    /// Around the root nothing runs any way.
    fn root(&self) -> usize {
        let costs = self.made[0].iter().map(|made| {
            let Extent { width, height, .. } = made.seen[made.inside.way].extent;
            let size = self.freedom.ways[made.inside.way].turned((width, height));
            picture_cost(size, self.freedom.wishes[0])
        });
        least(costs)
    }
}

/// The place of the least number, of several the first.
fn least(numbers: impl Iterator<Item = f64>) -> usize {
    let found = numbers.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    found.map_or(0, |(place, _)| place)
}
