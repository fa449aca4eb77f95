//! Where lines meet the borders of items: straight above or below where they come from, if there is
//! room.

use super::place::CORNER;
use super::plan::Side;
use super::spots::{Extent, Spots, Use};

/// Least distance between two lines at a border.
pub(crate) const PORT_GAP: f64 = 14.0;

/// Lines that miss being straight by this much are moved.
const NEARLY: f64 = 4.0;

/// Both ends of each joint: at its upper and at its lower spot.
pub(crate) fn ports(spots: &Spots, at: &[f64], extents: &[Extent]) -> Vec<(f64, f64)> {
    let start = |spot: usize, port: Option<f64>| at[spot] + port.unwrap_or(0.0);
    let mut ends: Vec<(f64, f64)> = spots
        .joints
        .iter()
        .map(|j| (start(j.upper, j.upper_port), start(j.lower, j.lower_port)))
        .collect();
    let mut borders: Vec<[Vec<usize>; 2]> = vec![[Vec::new(), Vec::new()]; extents.len()];
    for (number, joint) in spots.joints.iter().enumerate() {
        if let Use::Item(item) = spots.spots[joint.upper].usage {
            borders[item][1].push(number);
        }
        if let Use::Item(item) = spots.spots[joint.lower].usage {
            borders[item][0].push(number);
        }
    }
    // Several times, because two items may look at each other.
    for _ in 0..3 {
        for (item, sides) in borders.iter().enumerate() {
            for (side, joints) in [Side::Top, Side::Bottom].into_iter().zip(sides) {
                settle(
                    spots,
                    at[item],
                    extents[item].width,
                    side,
                    joints,
                    &mut ends,
                );
            }
        }
    }
    snap(spots, &mut ends);
    ends
}

/// A line that is almost straight becomes straight.
fn snap(spots: &Spots, ends: &mut [(f64, f64)]) {
    for (joint, ends) in spots.joints.iter().zip(ends) {
        let is_free = |spot: usize, port: Option<f64>| port.is_none() && !spots.is_on_line(spot);
        if (ends.0 - ends.1).abs() > NEARLY {
            continue;
        }
        if is_free(joint.lower, joint.lower_port) {
            ends.1 = ends.0;
        } else if is_free(joint.upper, joint.upper_port) {
            ends.0 = ends.1;
        }
    }
}

/// Gives each line at one border its place: in the order of where they come from, at least a gap
/// apart, fixed ones as they are.
fn settle(
    spots: &Spots,
    middle: f64,
    width: f64,
    side: Side,
    joints: &[usize],
    ends: &mut [(f64, f64)],
) {
    let is_top = side == Side::Top;
    let room = (middle - width / 2.0 + CORNER, middle + width / 2.0 - CORNER);
    if room.0 > room.1 {
        return;
    }
    let mut wishes: Vec<(f64, f64, usize)> = Vec::new();
    for &joint in joints {
        let (fixed, own, other) = match is_top {
            true => (spots.joints[joint].lower_port, ends[joint].1, ends[joint].0),
            false => (spots.joints[joint].upper_port, ends[joint].0, ends[joint].1),
        };
        match fixed {
            Some(_) => wishes.push((own, 1e6, joint)),
            None => wishes.push((other.clamp(room.0, room.1), 1.0, joint)),
        }
    }
    let from = |joint: usize| if is_top { ends[joint].0 } else { ends[joint].1 };
    wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(from(a.2).total_cmp(&from(b.2))));
    let places = apart(
        &wishes
            .iter()
            .map(|wish| (wish.0, wish.1))
            .collect::<Vec<_>>(),
        PORT_GAP,
        room,
    );
    for (place, (_, weight, joint)) in places.into_iter().zip(wishes) {
        if weight > 1.0 {
            continue;
        }
        match is_top {
            true => ends[joint].1 = place,
            false => ends[joint].0 = place,
        }
    }
}

/// Places as near as possible to wishes in ascending order, at least a gap apart and inside the
/// room if they fit.
fn apart(wishes: &[(f64, f64)], gap: f64, room: (f64, f64)) -> Vec<f64> {
    if wishes.is_empty() {
        return Vec::new();
    }
    let gap = gap.min((room.1 - room.0) / (wishes.len().max(2) - 1) as f64);
    // Without the gaps it is a row that must not descend: neighbors that would are put at their
    // common middle.
    let mut groups: Vec<(f64, f64, usize)> = Vec::new();
    for (place, &(wish, weight)) in wishes.iter().enumerate() {
        groups.push(((wish - gap * place as f64) * weight, weight, 1));
        while let [.., a, b] = groups[..]
            && a.0 / a.1 > b.0 / b.1
        {
            groups.truncate(groups.len() - 2);
            groups.push((a.0 + b.0, a.1 + b.1, a.2 + b.2));
        }
    }
    let (low, high) = (room.0, room.1 - gap * (wishes.len() - 1) as f64);
    let flat = groups
        .iter()
        .flat_map(|&(sum, weight, count)| std::iter::repeat_n(sum / weight, count));
    flat.enumerate()
        .map(|(place, at)| (at.clamp(low, high.max(low)) + gap * place as f64).round())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_apart_and_stay_where_they_can() {
        let room = (0.0, 100.0);
        assert_eq!(apart(&[(10.0, 1.0), (50.0, 1.0)], 14.0, room), [10.0, 50.0]);
        assert_eq!(apart(&[(50.0, 1.0), (50.0, 1.0)], 14.0, room), [43.0, 57.0]);
        assert_eq!(apart(&[(0.0, 1.0), (0.0, 1.0)], 14.0, room), [0.0, 14.0]);
        assert_eq!(apart(&[(50.0, 1e6), (50.0, 1.0)], 14.0, room), [50.0, 64.0]);
        assert_eq!(
            apart(&[(9.0, 1.0); 11], 14.0, room).last(),
            Some(&100.0),
            "too many for the room: closer together"
        );
    }
}
