//! A set of agents by index: a bit for each.

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

    /// None is left; its memory stays.
    pub(super) fn clear(&mut self) {
        if self.count != 0 {
            self.bits.fill(0);
            self.count = 0;
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
        set.clear();
        assert_eq!((set.len(), set.iter().count()), (0, 0));
    }
}
