//! Sorting by agent: what one agent has keeps its order, and no tick asks for memory.

/// The memory that a sort needs beside its list. `sort_by_key` of the standard library keeps the order of
/// equal entries, too, but asks for memory each time when the list is long.
#[derive(Debug)]
pub(crate) struct Sorter<T> {
    /// Agent and place of each entry.
    order: Vec<(u32, u32)>,
    sorted: Vec<T>,
}

impl<T> Default for Sorter<T> {
    fn default() -> Self {
        Self {
            order: Vec::new(),
            sorted: Vec::new(),
        }
    }
}

impl<T: Copy> Sorter<T> {
    /// Sorts a list by the indices of agents.
    pub(crate) fn sort(&mut self, list: &mut Vec<T>, index_of: impl Fn(&T) -> u32) {
        if list.is_sorted_by_key(&index_of) {
            return;
        }
        let places = (0..).zip(&*list);
        self.order.clear();
        self.order
            .extend(places.map(|(place, entry)| (index_of(entry), place)));
        self.order.sort_unstable();
        let sorted = self.order.iter().map(|&(_, place)| list[place as usize]);
        self.sorted.clear();
        self.sorted.extend(sorted);
        std::mem::swap(list, &mut self.sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_one_agent_keep_their_order() {
        let mut sorter = Sorter::default();
        // Long enough for the standard library to sort in another way.
        let list: Vec<(u32, u32)> = (0..1000).map(|place| (place * 7 % 13, place)).collect();
        let mut expected = list.clone();
        expected.sort_by_key(|(agent, _)| *agent);
        for _ in 0..2 {
            let mut found = list.clone();
            sorter.sort(&mut found, |(agent, _)| *agent);
            assert_eq!(found, expected);
        }
    }
}
