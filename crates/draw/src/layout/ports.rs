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
    let (mut wishes, mut fixed): (Vec<(f64, f64, usize)>, _) = (Vec::new(), Vec::new());
    for &joint in joints {
        let (port, own, other) = match is_top {
            true => (spots.joints[joint].lower_port, ends[joint].1, ends[joint].0),
            false => (spots.joints[joint].upper_port, ends[joint].0, ends[joint].1),
        };
        match port {
            Some(_) => fixed.push(own),
            None => wishes.push((other.clamp(room.0, room.1), other, joint)),
        }
    }
    wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    fixed.sort_by(f64::total_cmp);
    let places = beside(
        &fixed,
        &wishes.iter().map(|wish| wish.0).collect::<Vec<_>>(),
        room,
    );
    for (place, (_, _, joint)) in places.into_iter().zip(wishes) {
        match is_top {
            true => ends[joint].1 = place,
            false => ends[joint].0 = place,
        }
    }
}

/// Places as near as possible to wishes in ascending order, in the parts of a room that are far
/// enough from what is fixed.
///
/// ```text
///    room    ├─────────────────────────────┤
///    fixed            │               │
///    parts   ├─────┤     ├─────────┤     ┤      What finds no room in its part
///    wishes         ▲▲   ▲▲                     goes to the next one.
/// ```
fn beside(fixed: &[f64], wishes: &[f64], room: (f64, f64)) -> Vec<f64> {
    let parts = parts(fixed, room);
    let distance = |part: (f64, f64), wish: f64| (wish.clamp(part.0, part.1) - wish).abs();
    let mut counts = vec![0_usize; parts.len()];
    for &wish in wishes {
        let near =
            |a: &usize, b: &usize| distance(parts[*a], wish).total_cmp(&distance(parts[*b], wish));
        let nearest = (0..parts.len()).min_by(near);
        counts[nearest.unwrap_or(0)] += 1;
    }
    let most = |part: usize| ((parts[part].1 - parts[part].0) / PORT_GAP) as usize + 1;
    let last = parts.len() - 1;
    let to_the_right = (0..last).map(|part| (part, part + 1));
    let to_the_left = (0..last).rev().map(|part| (part + 1, part));
    for (from, to) in to_the_right.chain(to_the_left) {
        let over = counts[from].saturating_sub(most(from));
        counts[from] -= over;
        counts[to] += over;
    }
    let (mut places, mut rest) = (Vec::new(), wishes);
    for (&part, count) in parts.iter().zip(counts) {
        let (here, others) = rest.split_at(count);
        places.extend(apart(here, PORT_GAP, part));
        rest = others;
    }
    places
}

/// The parts of a room that are at least a gap from what is fixed; all of it if there are none.
fn parts(fixed: &[f64], room: (f64, f64)) -> Vec<(f64, f64)> {
    let starts = std::iter::once(room.0).chain(fixed.iter().map(|at| at + PORT_GAP));
    let ends = fixed.iter().map(|at| at - PORT_GAP);
    let ends = ends.chain(std::iter::once(room.1));
    let parts = starts
        .map(|start| start.max(room.0))
        .zip(ends.map(|end| end.min(room.1)));
    let parts: Vec<(f64, f64)> = parts.filter(|(start, end)| start <= end).collect();
    match parts.is_empty() {
        true => vec![room],
        false => parts,
    }
}

/// Places as near as possible to wishes in ascending order, at least a gap apart and inside the
/// room if they fit.
fn apart(wishes: &[f64], gap: f64, room: (f64, f64)) -> Vec<f64> {
    if wishes.is_empty() {
        return Vec::new();
    }
    let gap = gap.min((room.1 - room.0) / (wishes.len().max(2) - 1) as f64);
    // Without the gaps it is a row that must not descend: neighbors that would are put at their
    // common middle.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for (place, &wish) in wishes.iter().enumerate() {
        groups.push((wish - gap * place as f64, 1));
        while let [.., a, b] = groups[..]
            && a.0 / a.1 as f64 > b.0 / b.1 as f64
        {
            groups.truncate(groups.len() - 2);
            groups.push((a.0 + b.0, a.1 + b.1));
        }
    }
    let (low, high) = (room.0, room.1 - gap * (wishes.len() - 1) as f64);
    let flat = groups
        .iter()
        .flat_map(|&(sum, count)| std::iter::repeat_n(sum / count as f64, count));
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
        assert_eq!(apart(&[10.0, 50.0], 14.0, room), [10.0, 50.0]);
        assert_eq!(apart(&[50.0, 50.0], 14.0, room), [43.0, 57.0]);
        assert_eq!(apart(&[0.0, 0.0], 14.0, room), [0.0, 14.0]);
        assert_eq!(
            apart(&[9.0; 11], 14.0, room).last(),
            Some(&100.0),
            "too many for the room: closer together"
        );
    }

    #[test]
    fn lines_keep_apart_from_those_that_are_fixed() {
        let room = (0.0, 100.0);
        assert_eq!(beside(&[50.0], &[51.0], room), [64.0]);
        assert_eq!(beside(&[50.0], &[20.0, 80.0], room), [20.0, 80.0]);
        assert_eq!(
            beside(&[100.0], &[100.0], room),
            [86.0],
            "there is no room behind it"
        );
        assert_eq!(
            beside(&[8.0, 90.0], &[0.0, 0.0, 100.0], room),
            [22.0, 36.0, 76.0]
        );
        assert_eq!(beside(&[20.0], &[0.0, 0.0, 0.0], room), [0.0, 34.0, 48.0]);
        assert_eq!(
            beside(&[2.0], &[1.0], (0.0, 4.0)).len(),
            1,
            "too narrow for both"
        );
    }
}
