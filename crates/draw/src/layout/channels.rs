//! Between two rows: which line turns at which height, so that no two lie on each other and few
//! cross.

/// Distance between two turns.
const TRACK: f64 = 9.0;
/// Space above the first and below the last turn.
const MARGIN: f64 = 14.0;
/// Space between two rows without any turn.
const STRAIGHT: f64 = 24.0;
/// More lines than this are packed without looking at who crosses whom.
const MANY: usize = 400;

/// The turns between two rows.
pub(crate) struct Channel {
    /// Distance between the rows.
    pub(crate) height: f64,
    /// How far below the upper row each line turns; `None` if it is straight.
    pub(crate) turns: Vec<Option<f64>>,
}

/// Decides for lines from `x` above to `x` below.
pub(crate) fn channel(lines: &[(f64, f64)]) -> Channel {
    let bent: Vec<usize> = (0..lines.len())
        .filter(|&line| (lines[line].0 - lines[line].1).abs() > 0.5)
        .collect();
    if bent.is_empty() {
        return Channel {
            height: STRAIGHT,
            turns: vec![None; lines.len()],
        };
    }
    let ends: Vec<(f64, f64)> = bent.iter().map(|&line| lines[line]).collect();
    let tracks = if ends.len() > MANY {
        packed(&ends)
    } else {
        ordered(&ends)
    };
    let last = tracks.iter().copied().max().unwrap_or(0);
    let mut turns = vec![None; lines.len()];
    for (&line, track) in bent.iter().zip(tracks) {
        turns[line] = Some(MARGIN + TRACK * track as f64);
    }
    Channel {
        height: MARGIN * 2.0 + TRACK * last as f64,
        turns,
    }
}

fn span(line: (f64, f64)) -> (f64, f64) {
    (line.0.min(line.1), line.0.max(line.1))
}

fn overlaps(a: (f64, f64), b: (f64, f64)) -> bool {
    let (a, b) = (span(a), span(b));
    a.0 <= b.1 + 6.0 && b.0 <= a.1 + 6.0
}

/// What it costs if the first line turns above the second.
fn cost(upper: (f64, f64), lower: (f64, f64)) -> u32 {
    let inside = |x: f64, line: (f64, f64)| {
        let (low, high) = span(line);
        u32::from(x > low && x < high)
    };
    // The end of the upper one goes down through the turn of the lower one, the start of the lower
    // one up through the other.
    let crossed = inside(upper.1, lower) + inside(lower.0, upper);
    let shared = u32::from((upper.1 - lower.0).abs() < 4.0);
    crossed + 20 * shared
}

/// The track of each line: for each pair that overlaps the cheaper order, circles broken at the
/// line that has least to wait for.
fn ordered(lines: &[(f64, f64)]) -> Vec<usize> {
    let count = lines.len();
    let (mut below, mut above) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for a in 0..count {
        for b in a + 1..count {
            if !overlaps(lines[a], lines[b]) {
                continue;
            }
            let (down, up) = (cost(lines[a], lines[b]), cost(lines[b], lines[a]));
            let (first, second) = if up < down { (b, a) } else { (a, b) };
            below[first].push(second);
            above[second].push((first, down.abs_diff(up)));
        }
    }
    let (mut tracks, mut is_done) = (vec![0; count], vec![false; count]);
    for _ in 0..count {
        let waits = |line: usize| -> u32 {
            above[line]
                .iter()
                .filter(|(other, _)| !is_done[*other])
                .map(|(_, weight)| weight + 1)
                .sum()
        };
        let next = (0..count)
            .filter(|&line| !is_done[line])
            .min_by_key(|&line| (waits(line), line));
        let Some(next) = next else { break };
        is_done[next] = true;
        let neighbors = above[next]
            .iter()
            .map(|(other, _)| other)
            .chain(&below[next]);
        let highest = neighbors
            .filter(|&&other| is_done[other] && other != next)
            .map(|&other| tracks[other] + 1)
            .max();
        tracks[next] = highest.unwrap_or(0);
    }
    tracks
}

/// The track of each line, as few tracks as possible.
fn packed(lines: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|&a, &b| span(lines[a]).0.total_cmp(&span(lines[b]).0));
    let (mut ends, mut tracks): (Vec<f64>, _) = (Vec::new(), vec![0; lines.len()]);
    for line in order {
        let (low, high) = span(lines[line]);
        let free = ends.iter().position(|&end| end + 6.0 < low);
        tracks[line] = free.unwrap_or(ends.len());
        match free {
            Some(track) => ends[track] = high,
            None => ends.push(high),
        }
    }
    tracks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_overlap_turn_at_different_heights() {
        let lines = [(0.0, 100.0), (50.0, 150.0), (200.0, 200.0), (300.0, 250.0)];
        for tracks in [ordered(&lines), packed(&lines)] {
            assert_ne!(tracks[0], tracks[1]);
            assert_eq!(tracks[3], 0, "far away from the others");
        }
        let made = channel(&lines);
        assert_eq!(made.turns[2], None);
        assert!(
            made.turns
                .iter()
                .flatten()
                .all(|&turn| turn >= MARGIN && turn <= made.height - MARGIN)
        );
        assert_eq!(channel(&[(1.0, 1.0)]).height, STRAIGHT);
    }

    #[test]
    fn one_line_does_not_end_on_the_start_of_another() {
        // The second starts where the first ends: it must turn above it, or both would lie on each
        // other.
        let tracks = ordered(&[(0.0, 100.0), (100.0, 200.0)]);
        assert!(tracks[1] < tracks[0], "{tracks:?}");
    }
}
