//! The order of spots in their rows, so that few lines cross: each row sorted by the middle of what
//! it is joined to, again and again from both sides, and neighbors swapped where that helps. The
//! best order seen stays.

use super::spots::Spots;

/// How often all rows are gone through.
const ROUNDS: usize = 16;
/// More spots than this are sorted only a few times, and nothing is swapped.
const MANY: usize = 4000;

pub(crate) fn order(spots: &mut Spots) {
    let neighbors = Neighbors::new(spots);
    let rounds = if spots.spots.len() > MANY { 4 } else { ROUNDS };
    let mut best = (crossings(spots), spots.rows.clone());
    for round in 0..rounds {
        let count = spots.rows.len();
        if round % 2 == 0 {
            (1..count).for_each(|row| sort_row(spots, row, &neighbors.above));
            (0..count.saturating_sub(1))
                .rev()
                .for_each(|row| sort_row(spots, row, &neighbors.below));
        } else {
            (0..count.saturating_sub(1))
                .rev()
                .for_each(|row| sort_row(spots, row, &neighbors.below));
            (1..count).for_each(|row| sort_row(spots, row, &neighbors.above));
        }
        if spots.spots.len() <= MANY {
            swap_neighbors(spots, &neighbors);
        }
        let found = crossings(spots);
        if found < best.0 {
            best = (found, spots.rows.clone());
        }
    }
    spots.rows = best.1;
}

/// What each spot is joined to, with where the line meets the other one, 0 left to 1 right.
struct Neighbors {
    above: Vec<Vec<(usize, f64)>>,
    below: Vec<Vec<(usize, f64)>>,
}

impl Neighbors {
    fn new(spots: &Spots) -> Self {
        let count = spots.spots.len();
        let mut made = Self {
            above: vec![Vec::new(); count],
            below: vec![Vec::new(); count],
        };
        for joint in &spots.joints {
            made.above[joint.lower]
                .push((joint.upper, share(spots, joint.upper, joint.upper_port)));
            made.below[joint.upper]
                .push((joint.lower, share(spots, joint.lower, joint.lower_port)));
        }
        made
    }
}

fn share(spots: &Spots, spot: usize, port: Option<f64>) -> f64 {
    let spot = &spots.spots[spot];
    port.map_or(0.5, |port| {
        ((port + spot.left) / (spot.left + spot.right).max(1.0)).clamp(0.01, 0.99)
    })
}

fn sort_row(spots: &mut Spots, row: usize, neighbors: &[Vec<(usize, f64)>]) {
    let positions = spots.positions();
    let middle = |spot: usize| {
        let joined = &neighbors[spot];
        match joined.len() {
            0 => positions[spot] as f64 + 0.5,
            count => {
                joined
                    .iter()
                    .map(|&(other, share)| positions[other] as f64 + share)
                    .sum::<f64>()
                    / count as f64
            }
        }
    };
    let mut keyed: Vec<(f64, usize)> = spots.rows[row]
        .iter()
        .map(|&spot| (middle(spot), spot))
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    spots.rows[row] = keyed.into_iter().map(|(_, spot)| spot).collect();
}

/// Swaps two that stand side by side while that makes fewer lines cross.
fn swap_neighbors(spots: &mut Spots, neighbors: &Neighbors) {
    let mut positions = spots.positions();
    for _ in 0..4 {
        let mut is_better = false;
        for row in 0..spots.rows.len() {
            for place in 1..spots.rows[row].len() {
                let (a, b) = (spots.rows[row][place - 1], spots.rows[row][place]);
                let cost = |left: usize, right: usize| {
                    between(&neighbors.above[left], &neighbors.above[right], &positions)
                        + between(&neighbors.below[left], &neighbors.below[right], &positions)
                };
                if cost(b, a) < cost(a, b) {
                    spots.rows[row].swap(place - 1, place);
                    positions.swap(a, b);
                    is_better = true;
                }
            }
        }
        if !is_better {
            return;
        }
    }
}

/// How many lines of two spots cross, if the first stands to the left.
fn between(left: &[(usize, f64)], right: &[(usize, f64)], positions: &[usize]) -> usize {
    let at = |&(spot, share): &(usize, f64)| positions[spot] as f64 + share;
    left.iter()
        .map(|l| right.iter().filter(|r| at(r) < at(l)).count())
        .sum()
}

/// How many lines cross in all.
pub(crate) fn crossings(spots: &Spots) -> usize {
    let positions = spots.positions();
    let mut ends: Vec<Vec<(f64, f64)>> = vec![Vec::new(); spots.rows.len()];
    for joint in &spots.joints {
        let upper = positions[joint.upper] as f64 + share(spots, joint.upper, joint.upper_port);
        let lower = positions[joint.lower] as f64 + share(spots, joint.lower, joint.lower_port);
        ends[spots.spots[joint.upper].row].push((upper, lower));
    }
    ends.into_iter().map(inversions).sum()
}

/// How many pairs are in the wrong order at their second end: counted while merging.
fn inversions(mut pairs: Vec<(f64, f64)>) -> usize {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut values: Vec<f64> = pairs.into_iter().map(|pair| pair.1).collect();
    let (mut count, mut width) = (0, 1);
    while width < values.len() {
        let mut merged = Vec::with_capacity(values.len());
        for part in values.chunks(width * 2) {
            let (left, right) = part.split_at(width.min(part.len()));
            let (mut l, mut r) = (0, 0);
            while l < left.len() || r < right.len() {
                if r == right.len() || (l < left.len() && left[l] <= right[r]) {
                    merged.push(left[l]);
                    l += 1;
                } else {
                    count += left.len() - l;
                    merged.push(right[r]);
                    r += 1;
                }
            }
        }
        values = merged;
        width *= 2;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_are_counted_as_by_hand() {
        let pairs = |ends: &[(i32, i32)]| {
            ends.iter()
                .map(|&(a, b)| (f64::from(a), f64::from(b)))
                .collect()
        };
        assert_eq!(inversions(pairs(&[(0, 0), (1, 1), (2, 2)])), 0);
        assert_eq!(inversions(pairs(&[(0, 2), (1, 1), (2, 0)])), 3);
        assert_eq!(
            inversions(pairs(&[(0, 1), (1, 0), (1, 2), (2, 0), (3, 1)])),
            4
        );
        assert_eq!(inversions(pairs(&[])), 0);
    }
}
