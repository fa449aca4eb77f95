//! Indices that nobody has, the lowest first: a bit for each, and a bit for each 64 of these.
//!
//! ```text
//!  groups   0 … 0 1 0        the second word is not zero …
//!  words    0  00100010  0   … and its lowest bit is index 64 + 1
//! ```
//!
//! A sorted list would move half of itself whenever one of a hundred thousand ends.

use std::ops::Range;

/// A set of indices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Free {
    words: Vec<u64>,
    /// Words that are not zero.
    groups: Vec<u64>,
}

/// Where the bit of an index is.
fn place(index: usize) -> (usize, u64) {
    (index / 64, 1 << (index % 64))
}

impl Free {
    /// Nobody has these any more.
    pub(crate) fn insert(&mut self, indices: Range<usize>) {
        for index in indices {
            let (word, bit) = place(index);
            let (group, flag) = place(word);
            if self.words.len() <= word {
                self.words.resize(word + 1, 0);
                self.groups.resize(group + 1, 0);
            }
            self.words[word] |= bit;
            self.groups[group] |= flag;
        }
    }

    /// Somebody has it.
    pub(crate) fn remove(&mut self, index: usize) {
        let (word, bit) = place(index);
        let Some(found) = self.words.get_mut(word) else {
            return;
        };
        *found &= !bit;
        if *found == 0 {
            let (group, flag) = place(word);
            self.groups[group] &= !flag;
        }
    }

    /// The lowest.
    pub(crate) fn lowest(&self) -> Option<usize> {
        let group = self.groups.iter().position(|&group| group != 0)?;
        let word = group * 64 + self.groups[group].trailing_zeros() as usize;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_is_found_over_words_and_groups() {
        let mut free = Free::default();
        assert_eq!(free.lowest(), None);
        // Some far apart, some in one word.
        let all = [3, 4, 63, 64, 4095, 4096, 70_000, 1 << 20];
        for &index in all.iter().rev() {
            free.insert(index..index + 1);
            assert_eq!(free.lowest(), Some(index));
        }
        free.remove(64);
        free.remove(1 << 24);
        for index in all {
            if index != 64 {
                assert_eq!(free.lowest(), Some(index));
                free.remove(index);
            }
        }
        assert_eq!(free.lowest(), None);
        free.insert(100..300);
        assert_eq!(free.lowest(), Some(100));
    }
}
