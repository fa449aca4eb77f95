//! The only source of chance: splitmix64, the same on every platform.

/// A stream of random numbers.
pub(super) struct Rng {
    state: u64,
}

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            0
        } else {
            (self.next_u64() % end as u64) as usize
        }
    }

    /// A number from `least` to `most`; `least` if that is more.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most.saturating_sub(least) + 1)
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub fn one<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// The position of one of some weights, more often the higher its weight.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut at = self.below(weights.iter().sum());
        for (index, &weight) in weights.iter().enumerate() {
            if at < weight {
                return index;
            }
            at -= weight;
        }
        0
    }

    /// At least `least` items of a list, in its order.
    pub fn some<T: Clone>(&mut self, list: &[T], least: usize) -> Vec<T> {
        let mut left = self.between(least, list.len());
        let mut chosen = Vec::new();
        for (index, item) in list.iter().enumerate() {
            if self.below(list.len() - index) < left {
                chosen.push(item.clone());
                left -= 1;
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_of_a_list_are_in_order_and_enough() {
        let mut rng = Rng::new(3);
        for _ in 0..1000 {
            let some = rng.some(&[1, 2, 3, 4], 2);
            assert!(some.len() >= 2 && some.is_sorted());
        }
    }
}
