//! Names that are almost the same: "did you mean".
//!
//! Whatever names a file has, one search takes at most [`MOST_STEPS`] steps and a little: names of
//! another length or of other letters are passed over, and of the distance table only the cells
//! near its diagonal are computed.

/// Longer names are not compared.
const LONGEST: usize = 64;

/// Most steps of one search: a letter read or a cell of the distance table computed. Names past
/// that are not looked at.
pub const MOST_STEPS: usize = 1 << 17;

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search<'a> {
    /// The closest name, if it is close enough to be a slip.
    pub found: Option<&'a str>,
    /// Steps it took.
    pub steps: usize,
}

/// The known name that is closest to a wrong one, if it is close enough to be a slip.
pub fn closest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    search(wrong, known).found
}

/// The same with the work it took. Of names that are equally close without regard to case the one
/// that is closest with regard to it wins, then the first.
pub fn search<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Search<'a> {
    let length = wrong.chars().count();
    if length > LONGEST {
        return Search {
            found: None,
            steps: 0,
        };
    }
    let wrong = Letters::of(wrong);
    let mut table = Table::default();
    let mut limit = (length / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    let mut of_one_stem: Option<&str> = None;
    for name in known {
        if table.steps >= MOST_STEPS {
            break;
        }
        table.steps += 1;
        // A character has at most four bytes.
        if name.len() > 4 * LONGEST || name.chars().count() > LONGEST {
            continue;
        }
        let letters = Letters::of(name);
        table.steps += letters.folded.len();
        if of_one_stem.is_none() && wrong.has_stem_of(&letters) {
            of_one_stem = Some(name);
        }
        if wrong.differ_at_least(&letters) > limit {
            continue;
        }
        let Some(distance) = table.distance(&wrong.folded, &letters.folded, limit) else {
            continue;
        };
        let exact = table
            .distance(&wrong.written, &letters.written, LONGEST)
            .unwrap_or(usize::MAX);
        if distance < limit || best.is_none_or(|(least, _)| exact < least) {
            best = Some((exact, name));
        }
        limit = distance;
    }
    Search {
        found: best.map(|(_, name)| name).or(of_one_stem),
        steps: table.steps,
    }
}

/// Whether two different names of some length are one slip apart, or differ only in case.
pub fn is_slip(a: &str, b: &str) -> bool {
    const SHORTEST: usize = 4;
    let long = a.chars().count() >= SHORTEST && b.chars().count() >= SHORTEST;
    let near = || {
        Table::default()
            .distance(&Letters::of(a).folded, &Letters::of(b).folded, 1)
            .is_some()
    };
    a != b && long && a.len().abs_diff(b.len()) <= 1 && near()
}

/// The letters of a name.
struct Letters {
    written: Vec<char>,
    /// Without regard to case.
    folded: Vec<char>,
    /// How often each folded letter is there; some share a bucket.
    counts: [u8; Self::BUCKETS],
}

impl Letters {
    const BUCKETS: usize = 32;

    fn of(name: &str) -> Self {
        let folded: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
        let mut counts = [0_u8; Self::BUCKETS];
        for &letter in &folded {
            let count = &mut counts[letter as usize % Self::BUCKETS];
            *count = count.saturating_add(1);
        }
        Self {
            written: name.chars().collect(),
            folded,
            counts,
        }
    }

    /// Is one the other with another ending, as `watching` and `watch`?
    fn has_stem_of(&self, other: &Self) -> bool {
        const STEM: usize = 4;
        const ENDING: usize = 3;
        let (a, b) = (&self.folded, &other.folded);
        let shorter = a.len().min(b.len());
        let ending = a.len().max(b.len()) - shorter;
        shorter >= STEM && ending <= ENDING && (a.starts_with(b) || b.starts_with(a))
    }

    /// So many edits it takes at least: letters that only one of both has must go or come.
    fn differ_at_least(&self, other: &Self) -> usize {
        let more = |a: &Self, b: &Self| -> usize {
            a.counts
                .iter()
                .zip(&b.counts)
                .map(|(a, b)| usize::from(a.saturating_sub(*b)))
                .sum()
        };
        more(self, other).max(more(other, self))
    }
}

/// More than any distance.
const FAR: usize = usize::MAX / 2;

/// Three rows of the distance table, used again for every pair of names.
#[derive(Default)]
struct Table {
    before: Vec<usize>,
    above: Vec<usize>,
    row: Vec<usize>,
    steps: usize,
}

impl Table {
    /// Edit distance if it is no more than `limit`; a swap of neighbours counts as one.
    fn distance(&mut self, a: &[char], b: &[char], limit: usize) -> Option<usize> {
        if a.len().abs_diff(b.len()) > limit {
            return None;
        }
        self.start(b.len());
        let mut nearest_above = 0;
        for i in 1..=a.len() {
            let nearest = self.fill(a, b, i, limit);
            // A swap comes from the row before the one above.
            if nearest > limit && nearest_above > limit {
                return None;
            }
            nearest_above = nearest;
            std::mem::swap(&mut self.before, &mut self.above);
            std::mem::swap(&mut self.above, &mut self.row);
        }
        Some(self.above[b.len()]).filter(|&distance| distance <= limit)
    }

    fn start(&mut self, length: usize) {
        for row in [&mut self.before, &mut self.above, &mut self.row] {
            row.clear();
            row.resize(length + 1, FAR);
        }
        self.above
            .iter_mut()
            .enumerate()
            .for_each(|(j, cell)| *cell = j);
    }

    /// The cells of row `i` that are at most `limit` off the diagonal; the others cost more.
    /// Answers with the least.
    fn fill(&mut self, a: &[char], b: &[char], i: usize, limit: usize) -> usize {
        let (first, last) = (i.saturating_sub(limit).max(1), (i + limit).min(b.len()));
        self.steps += last + 1 - first;
        self.row[first - 1] = if first == 1 { i } else { FAR };
        let mut nearest = self.row[first - 1];
        for j in first..=last {
            let change = self.above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(self.above[j] + 1).min(self.row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(self.before[j - 2] + 1);
            }
            self.row[j] = best;
            nearest = nearest.min(best);
        }
        if let Some(after) = self.row.get_mut(last + 1) {
            *after = FAR;
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised() {
        let known = ["approach", "attack", "retreat", "hp"];
        assert_eq!(closest("aproach", known), Some("approach"));
        assert_eq!(closest("Attack", known), Some("attack"));
        assert_eq!(closest("retaert", known), Some("retreat"));
        assert_eq!(closest("pursue", known), None);
        assert_eq!(closest("watching", ["catch", "watch"]), Some("watch"));
        assert_eq!(closest("hpx", ["hpxabcdef"]), None, "too short a stem");
        assert_eq!(closest("", known), None);
        assert!(is_slip("armd", "armed") && is_slip("Armed", "armed") && is_slip("amred", "armed"));
        assert!(!is_slip("IsArmed", "armed") && !is_slip("armed", "armed") && !is_slip("hp", "hx"));
    }

    #[test]
    fn case_decides_between_equals() {
        assert_eq!(closest("idel", ["Idle", "idle"]), Some("idle"));
        assert_eq!(closest("Idel", ["idle", "Idle", "IDLE"]), Some("Idle"));
        assert_eq!(closest("GO", ["gone", "go", "Go"]), Some("Go"));
        assert_eq!(
            closest("idel", ["idex", "idem"]),
            Some("idex"),
            "the first of equals"
        );
    }

    /// The whole table, without limits.
    fn plain_distance(a: &[char], b: &[char]) -> usize {
        let mut cells = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                cells[i][j] = match (i, j) {
                    (0, other) | (other, 0) => other,
                    _ => {
                        let change = cells[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                        let swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                        let swapped = if swap { cells[i - 2][j - 2] + 1 } else { FAR };
                        change
                            .min(cells[i - 1][j] + 1)
                            .min(cells[i][j - 1] + 1)
                            .min(swapped)
                    }
                };
            }
        }
        cells[a.len()][b.len()]
    }

    #[test]
    fn limits_change_no_distance() {
        // All words of up to five letters of two, which swap, repeat and miss in every way.
        let words: Vec<String> = (1_usize..64)
            .map(|bits| {
                (0..bits.ilog2())
                    .map(|bit| if bits >> bit & 1 == 1 { 'a' } else { 'b' })
                    .collect()
            })
            .collect();
        let mut table = Table::default();
        for (one, two) in words
            .iter()
            .flat_map(|one| words.iter().map(move |two| (one, two)))
        {
            let (one, two) = (Letters::of(one), Letters::of(two));
            let distance = plain_distance(&one.folded, &two.folded);
            assert!(one.differ_at_least(&two) <= distance);
            for limit in 0..=6 {
                let within = table.distance(&one.folded, &two.folded, limit);
                assert_eq!(within, Some(distance).filter(|&distance| distance <= limit));
            }
        }
    }

    #[test]
    fn a_search_ends_whatever_the_names_are() {
        // The same letters in another order: nothing but the table tells them apart.
        let wrong: String = "abcdefgh".repeat(8);
        let names: Vec<String> = (0..10_000)
            .map(|i| format!("{}{}", &wrong[i % 40..], &wrong[..i % 40]))
            .collect();
        let most = MOST_STEPS + 2 * (LONGEST + 1) * (LONGEST + 1);
        for wrong in [&wrong[..], &wrong[1..], "x"] {
            let search = search(wrong, names.iter().map(String::as_str));
            assert!(search.steps <= most, "{wrong}: {}", search.steps);
        }
    }
}
