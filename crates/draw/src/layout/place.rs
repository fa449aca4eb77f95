//! How far to the right each spot stands. The spots of one line stand below each other where no
//! other such line crosses, so that long lines are straight; then everything is pulled to what it
//! is joined to, as far as its neighbors allow.

use super::spots::{Spots, Use};

/// How often everything is pulled.
const PULLS: usize = 40;
/// A turn is as bad as so much way sideways.
const TURN: f64 = 40.0;
/// What it costs to meet an item beside its middle.
const BESIDE: f64 = 0.3;
/// More spots than this are placed only once.
const MANY: usize = 4000;
/// Lines keep this distance from what ends a box.
pub(crate) const CORNER: f64 = 12.0;

/// Space between two spots of a row.
fn gap(spots: &Spots, left: usize, right: usize) -> f64 {
    match (spots.spots[left].usage, spots.spots[right].usage) {
        (Use::Item(_), Use::Item(_)) => 24.0,
        (Use::Label, _) => 10.0,
        (Use::Item(_), _) | (_, Use::Item(_)) => 16.0,
        _ => 12.0,
    }
}

/// Spots that move together, and who stands beside them.
struct Blocks {
    /// The block of each spot.
    of: Vec<usize>,
    count: usize,
    /// For each block: a block to its left and the least distance.
    left: Vec<Vec<(usize, f64)>>,
    right: Vec<Vec<(usize, f64)>>,
    /// From left to right.
    order: Vec<usize>,
}

/// Spots at their places.
pub(crate) struct Places {
    blocks: Blocks,
    /// The position of each block.
    at: Vec<f64>,
}

/// How far blocks may be pulled: anywhere, or so far that all together stay as narrow as they can.
/// A straight line may need much room; whether it is worth it says the cost.
type Bounds = Vec<(f64, f64)>;

impl Places {
    pub(crate) fn new(spots: &Spots) -> Self {
        let blocks = Blocks::new(spots);
        let (left, right) = extremes(spots, &blocks);
        let middle = left
            .iter()
            .zip(&right)
            .map(|(left, right)| (left + right) / 2.0)
            .collect::<Vec<f64>>();
        let anywhere = vec![(f64::MIN, f64::MAX); blocks.count];
        let narrow: Bounds = left.iter().copied().zip(right.iter().copied()).collect();
        let starts = if spots.spots.len() > MANY {
            vec![(middle, &anywhere)]
        } else {
            vec![
                (middle.clone(), &anywhere),
                (left, &anywhere),
                (right, &anywhere),
                (middle, &narrow),
            ]
        };
        let (loose, tight) = (
            Pull::all(spots, &blocks, 0.5),
            Pull::all(spots, &blocks, 1.0),
        );
        let mut best = Self {
            blocks,
            at: Vec::new(),
        };
        let mut least = f64::MAX;
        for (start, bounds) in starts {
            let before = std::mem::replace(&mut best.at, start);
            best.settle(spots, &loose, &tight, bounds);
            let cost = best.cost(spots, &tight);
            if cost < least {
                least = cost;
            } else {
                best.at = before;
            }
        }
        best
    }

    fn settle(&mut self, spots: &Spots, loose: &[Vec<Pull>], tight: &[Vec<Pull>], bounds: &Bounds) {
        (0..PULLS).for_each(|round| self.pull(loose, round, bounds, |_| true));
        // At last lines give way to items, not the other way round.
        let is_line = self.lines(spots);
        (0..4).for_each(|round| self.pull(tight, round, bounds, |block| is_line[block]));
        self.at.iter_mut().for_each(|at| *at = at.round());
        self.start_at_zero(spots);
    }

    /// How bad the places are: turns, how far lines run sideways or beside the middle, and the
    /// width.
    fn cost(&self, spots: &Spots, pulls: &[Vec<Pull>]) -> f64 {
        let ways = pulls.iter().enumerate().flat_map(|(block, pulls)| {
            pulls.iter().map(move |pull| {
                let (now, other) = (self.at[block], self.at[pull.other]);
                let way = (now - now.clamp(other + pull.from, other + pull.to)).abs();
                let beside = (now - other - (pull.from + pull.to) / 2.0).abs();
                beside * BESIDE + if way < 0.5 { 0.0 } else { way + TURN }
            })
        });
        let sideways: f64 = ways.sum();
        sideways + self.positions(spots).1
    }

    fn pull(
        &mut self,
        pulls: &[Vec<Pull>],
        round: usize,
        bounds: &Bounds,
        may_move: impl Fn(usize) -> bool,
    ) {
        let count = self.blocks.order.len();
        for place in 0..count {
            let block = self.blocks.order[if round.is_multiple_of(2) {
                count - 1 - place
            } else {
                place
            }];
            let Some(wanted) =
                wanted(&pulls[block], self.at[block], &self.at).filter(|_| may_move(block))
            else {
                continue;
            };
            let (low, high) = self.room(block);
            let (low, high) = (low.max(bounds[block].0), high.min(bounds[block].1));
            if low <= high {
                self.at[block] = wanted.clamp(low, high);
            }
        }
    }

    /// How far a block may move.
    fn room(&self, block: usize) -> (f64, f64) {
        let low = self.blocks.left[block]
            .iter()
            .map(|&(other, least)| self.at[other] + least);
        let high = self.blocks.right[block]
            .iter()
            .map(|&(other, least)| self.at[other] - least);
        (low.fold(f64::MIN, f64::max), high.fold(f64::MAX, f64::min))
    }

    /// Which blocks belong to lines.
    fn lines(&self, spots: &Spots) -> Vec<bool> {
        let mut is_line = vec![false; self.blocks.count];
        for (spot, &block) in self.blocks.of.iter().enumerate() {
            is_line[block] |= spots.is_on_line(spot);
        }
        is_line
    }

    /// Moves lines to where more of their ends are straight, given where they meet items.
    pub(crate) fn straighten(&mut self, spots: &Spots, ends: &[(f64, f64)]) {
        let mut wishes: Vec<Vec<f64>> = vec![Vec::new(); self.blocks.count];
        for (joint, &(above, below)) in spots.joints.iter().zip(ends) {
            let (upper, lower) = (self.blocks.of[joint.upper], self.blocks.of[joint.lower]);
            if upper != lower {
                wishes[upper].push(below);
                wishes[lower].push(above);
            }
        }
        let is_line = self.lines(spots);
        for block in (0..self.blocks.count).filter(|&block| is_line[block]) {
            let straight = |x: f64| {
                wishes[block]
                    .iter()
                    .filter(|wish| (*wish - x).abs() < 0.5)
                    .count()
            };
            let (now, (low, high)) = (self.at[block], self.room(block));
            let better = wishes[block]
                .iter()
                .copied()
                .filter(|&x| x >= low && x <= high && straight(x) > straight(now));
            let best = better.min_by(|a, b| {
                straight(*b)
                    .cmp(&straight(*a))
                    .then((a - now).abs().total_cmp(&(b - now).abs()))
                    .then(a.total_cmp(b))
            });
            self.at[block] = best.unwrap_or(now);
        }
        self.start_at_zero(spots);
    }

    fn start_at_zero(&mut self, spots: &Spots) {
        let edge = |spot: usize| self.at[self.blocks.of[spot]] - spots.spots[spot].left;
        let least = (0..spots.spots.len()).map(edge).fold(f64::MAX, f64::min);
        self.at.iter_mut().for_each(|at| *at -= least);
    }

    /// The position of each spot, the leftmost edge at 0, and the width of all.
    pub(crate) fn positions(&self, spots: &Spots) -> (Vec<f64>, f64) {
        let found: Vec<f64> = self.blocks.of.iter().map(|&block| self.at[block]).collect();
        let width = found
            .iter()
            .zip(&spots.spots)
            .map(|(at, spot)| at + spot.right)
            .fold(0.0, f64::max);
        (found, width.ceil())
    }
}

impl Blocks {
    fn new(spots: &Spots) -> Self {
        let of = align(spots);
        let count = of.iter().max().map_or(0, |last| last + 1);
        let (mut left, mut right) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for row in &spots.rows {
            for pair in row.windows(2) {
                let (a, b) = (pair[0], pair[1]);
                let least = spots.spots[a].right + gap(spots, a, b) + spots.spots[b].left;
                right[of[a]].push((of[b], least));
                left[of[b]].push((of[a], least));
            }
        }
        let order = from_left(&left, &right);
        Self {
            of,
            count,
            left,
            right,
            order,
        }
    }
}

/// Blocks so that each comes after those to its left.
fn from_left(left: &[Vec<(usize, f64)>], right: &[Vec<(usize, f64)>]) -> Vec<usize> {
    let mut waiting: Vec<usize> = left.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..left.len())
        .filter(|&block| waiting[block] == 0)
        .collect();
    let mut done = 0;
    while done < order.len() {
        for &(other, _) in &right[order[done]] {
            waiting[other] -= 1;
            if waiting[other] == 0 {
                order.push(other);
            }
        }
        done += 1;
    }
    order
}

/// The block of each spot: spots of one line are joined unless a joined pair between the same rows
/// crosses. Pairs that do not cross keep the order from left to right free of circles.
fn align(spots: &Spots) -> Vec<usize> {
    let positions = spots.positions();
    let mut joined: Vec<Vec<(usize, usize)>> = vec![Vec::new(); spots.rows.len()];
    for joint in spots
        .joints
        .iter()
        .filter(|j| spots.is_on_line(j.upper) && spots.is_on_line(j.lower))
    {
        joined[spots.spots[joint.upper].row].push((joint.upper, joint.lower));
    }
    let mut above: Vec<Option<usize>> = vec![None; spots.spots.len()];
    for mut pairs in joined {
        pairs.sort_by_key(|&(upper, _)| positions[upper]);
        let mut least = None;
        for (upper, lower) in pairs {
            if least.is_none_or(|least| positions[lower] > least) {
                least = Some(positions[lower]);
                above[lower] = Some(upper);
            }
        }
    }
    let (mut of, mut count) = (vec![0; spots.spots.len()], 0);
    for row in &spots.rows {
        for &spot in row {
            of[spot] = match above[spot] {
                Some(upper) => of[upper],
                None => {
                    count += 1;
                    count - 1
                }
            };
        }
    }
    of
}

/// The places of blocks with everything as far left and with everything as far right as possible.
fn extremes(spots: &Spots, blocks: &Blocks) -> (Vec<f64>, Vec<f64>) {
    let mut reach = vec![(0.0_f64, 0.0_f64); blocks.count];
    for (spot, &block) in spots.spots.iter().zip(&blocks.of) {
        reach[block] = (
            reach[block].0.max(spot.left),
            reach[block].1.max(spot.right),
        );
    }
    let mut leftmost: Vec<f64> = reach.iter().map(|reach| reach.0).collect();
    for &block in &blocks.order {
        for &(other, least) in &blocks.left[block] {
            leftmost[block] = leftmost[block].max(leftmost[other] + least);
        }
    }
    let width = leftmost
        .iter()
        .zip(&reach)
        .map(|(at, reach)| at + reach.1)
        .fold(0.0, f64::max);
    let mut rightmost: Vec<f64> = reach.iter().map(|reach| width - reach.1).collect();
    for &block in blocks.order.iter().rev() {
        for &(other, least) in &blocks.right[block] {
            rightmost[block] = rightmost[block].min(rightmost[other] - least);
        }
    }
    (leftmost, rightmost)
}

/// What a block would like to be above or below of.
#[derive(Clone, Copy)]
struct Pull {
    other: usize,
    /// The nearest and farthest distance from the other's position that is as good as any.
    from: f64,
    to: f64,
}

impl Pull {
    /// The pulls of each block.
    fn all(spots: &Spots, blocks: &Blocks, share: f64) -> Vec<Vec<Self>> {
        let mut pulls = vec![Vec::new(); blocks.count];
        for joint in &spots.joints {
            let (upper, lower) = (blocks.of[joint.upper], blocks.of[joint.lower]);
            if upper == lower {
                continue;
            }
            let (up, down) = (
                reach(spots, joint.upper, joint.upper_port, share),
                reach(spots, joint.lower, joint.lower_port, share),
            );
            pulls[upper].push(Self {
                other: lower,
                from: down.0 - up.1,
                to: down.1 - up.0,
            });
            pulls[lower].push(Self {
                other: upper,
                from: up.0 - down.1,
                to: up.1 - down.0,
            });
        }
        pulls
    }
}

/// Where on a spot a line may end, around its position: on this share of the border of an item.
fn reach(spots: &Spots, spot: usize, port: Option<f64>, share: f64) -> (f64, f64) {
    let half = spots.spots[spot].left;
    match (spots.spots[spot].usage, port) {
        (_, Some(port)) => (port, port),
        (Use::Item(_), None) => {
            let free = (half - CORNER).max(0.0) * share;
            (-free, free)
        }
        _ => (0.0, 0.0),
    }
}

fn wanted(pulls: &[Pull], now: f64, at: &[f64]) -> Option<f64> {
    let wish = |pull: &Pull| now.clamp(at[pull.other] + pull.from, at[pull.other] + pull.to);
    (!pulls.is_empty()).then(|| pulls.iter().map(wish).sum::<f64>() / pulls.len() as f64)
}
