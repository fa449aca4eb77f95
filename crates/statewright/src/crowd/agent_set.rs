//! A set of agents by index: a bit for each.

use std::ops::Range;

/// A set of agents by index: a bit for each, listed in order.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentSet {
    bits: Vec<u64>,
    /// Bits that are set.
    count: usize,
}

fn place_of(index: usize) -> (usize, u64) {
    (index / 64, 1 << (index % 64))
}

impl AgentSet {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Was it not there before?
    #[inline]
    pub(super) fn insert(&mut self, index: usize) -> bool {
        let (word, bit) = place_of(index);
        let Some(bits) = self.bits.get_mut(word) else {
            return self.insert_behind(index);
        };
        let is_new = *bits & bit == 0;
        self.count += usize::from(is_new);
        *bits |= bit;
        is_new
    }

    /// The same behind the last that there is room for.
    #[cold]
    #[inline(never)]
    fn insert_behind(&mut self, index: usize) -> bool {
        let (word, bit) = place_of(index);
        self.bits.resize(word + 1, 0);
        self.bits[word] = bit;
        self.count += 1;
        true
    }

    /// Adds indices side by side up to the first that is there already; how many.
    pub(super) fn insert_run(&mut self, run: Range<usize>) -> usize {
        let words = run.end.div_ceil(64);
        if self.bits.len() < words {
            self.bits.resize(words, 0);
        }
        let mut index = run.start;
        while index < run.end {
            let (word, first) = (index / 64, index % 64);
            let end = (run.end - word * 64).min(64);
            let mask = (u64::MAX >> (64 - (end - first))) << first;
            let there = self.bits[word] & mask;
            // Up to the first that is there.
            let fresh = if there == 0 {
                mask
            } else {
                mask & ((there & there.wrapping_neg()) - 1)
            };
            self.bits[word] |= fresh;
            let added = fresh.count_ones() as usize;
            self.count += added;
            index += added;
            if there != 0 {
                break;
            }
        }
        index - run.start
    }

    /// Is it there?
    pub(super) fn contains(&self, index: usize) -> bool {
        let (word, bit) = place_of(index);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Was it there?
    pub(super) fn remove(&mut self, index: usize) -> bool {
        let (word, bit) = place_of(index);
        let Some(bits) = self.bits.get_mut(word) else {
            return false;
        };
        let was_there = *bits & bit != 0;
        self.count -= usize::from(was_there);
        *bits &= !bit;
        was_there
    }

    /// The same agents as another set has; its memory stays.
    pub(super) fn become_like(&mut self, other: &Self) {
        self.bits.clone_from(&other.bits);
        self.count = other.count;
    }

    /// None is left; its memory stays.
    pub(super) fn clear(&mut self) {
        if self.count != 0 {
            self.bits.fill(0);
            self.count = 0;
        }
    }

    /// Those from an index on go.
    pub(super) fn clear_from(&mut self, index: usize) {
        let (word, bit) = place_of(index);
        let Some(rest) = self.bits.get_mut(word..) else {
            return;
        };
        if let Some(first) = rest.first_mut() {
            self.count -= (*first & !(bit - 1)).count_ones() as usize;
            *first &= bit - 1;
        }
        for bits in rest.iter_mut().skip(1) {
            self.count -= std::mem::take(bits).count_ones() as usize;
        }
    }

    /// All, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words: &[u64] = if self.count == 0 { &[] } else { &self.bits };
        words.iter().zip(0_u32..).flat_map(|(&bits, word)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let first = (bits != 0).then(|| word * 64 + bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
                first
            })
        })
    }

    /// The same into a list that is used again and again.
    pub(super) fn list(&self, indices: &mut Vec<u32>) {
        indices.clear();
        if self.count == 0 {
            return;
        }
        indices.reserve(self.count);
        for (&bits, word) in self.bits.iter().zip(0_u32..) {
            // Where nearly everybody is awake, most words are full: no bit has to be found.
            if bits == u64::MAX {
                indices.extend(word * 64..word * 64 + 64);
                continue;
            }
            let mut bits = bits;
            while bits != 0 {
                indices.push(word * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_added_as_one_by_one_would_be() {
        let mut state = 1_u64;
        let mut noise = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let (mut runs, mut single) = (AgentSet::default(), AgentSet::default());
        for round in 0..2000 {
            if round % 20 == 0 {
                (runs, single) = (AgentSet::default(), AgentSet::default());
            }
            let start = noise(300) as usize;
            let run = start..start + noise(200) as usize;
            let expected = run
                .clone()
                .take_while(|&index| single.insert(index))
                .count();
            assert_eq!(runs.insert_run(run), expected);
            assert_eq!(runs.len(), single.len());
            assert!(runs.iter().eq(single.iter()));
            let from = noise(500) as usize;
            if round % 7 == 0 {
                runs.clear_from(from);
                (from..500).for_each(|index| _ = single.remove(index));
                assert_eq!(runs.len(), single.len());
                assert!(runs.iter().eq(single.iter()));
            }
        }
    }

    #[test]
    fn agents_are_listed_in_order_and_once() {
        let mut set = AgentSet::default();
        assert!(set.insert(300) && set.insert(0) && set.insert(63) && set.insert(64));
        assert!(!set.insert(300));
        set.remove(63);
        set.remove(63);
        set.remove(100_000);
        assert_eq!(
            (set.len(), set.iter().collect::<Vec<_>>()),
            (3, vec![0, 64, 300])
        );
        let mut list = vec![7];
        set.list(&mut list);
        assert_eq!(list, [0, 64, 300]);
        let mut other = AgentSet::default();
        other.insert(1000);
        other.become_like(&set);
        assert_eq!(other.len(), 3);
        assert!(other.iter().eq(set.iter()));
        set.clear();
        assert_eq!((set.len(), set.iter().count()), (0, 0));
    }
}
