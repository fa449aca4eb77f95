//! Scored candidates of one state: which of them wins (SEL-3).

/// A candidate of a group.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    /// Whether it is enabled.
    pub enabled: bool,
    /// Its score, if it is.
    pub score: f32,
    /// The least score that counts.
    pub threshold: f32,
}

/// The place of the winner: the best that reaches its threshold, the first of equal ones. NaN reaches
/// none, and nothing reaches a threshold of NaN.
///
/// Whoever does not reach its threshold is out, and the next best is asked; thresholds are numbers, so
/// the order in which they are looked at does not matter.
#[inline]
pub fn best(group: &[Scored]) -> Option<usize> {
    let mut best: Option<(usize, f32)> = None;
    for (place, one) in group.iter().enumerate() {
        let counts = one.enabled && one.score >= one.threshold;
        if counts && best.is_none_or(|(_, score)| one.score > score) {
            best = Some((place, one.score));
        }
    }
    best.map(|(place, _)| place)
}
