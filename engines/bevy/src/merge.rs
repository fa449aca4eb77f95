//! Lists in the order of agents become one: what the programs of a tick left, for whoever reads it.

/// So many lists are merged without asking for memory: machines that have something to say in one tick.
const FEW: usize = 8;

/// Of several lists that are in order each, one that is. Each entry comes with the number of its list.
pub(crate) struct Merged<I: Iterator> {
    index_of: fn(&I::Item) -> u32,
    few: [Option<List<I>>; FEW],
    more: Vec<List<I>>,
    /// The list that is read, by its place.
    at: usize,
    /// The lowest index in all others: so far, nobody needs to look at them. Machines often have agents with
    /// ids side by side.
    until: u32,
}

/// A list, with what comes next in it.
struct List<I: Iterator> {
    number: u16,
    next: Option<I::Item>,
    rest: I,
}

impl<I: Iterator> Merged<I> {
    /// Lists with their numbers, and the index of the agent of an entry.
    pub(crate) fn new(
        lists: impl Iterator<Item = (u16, I)>,
        index_of: fn(&I::Item) -> u32,
    ) -> Self {
        let mut merged = Self {
            index_of,
            few: [const { None }; FEW],
            more: Vec::new(),
            at: 0,
            until: 0,
        };
        let mut count = 0;
        for (number, mut rest) in lists {
            let next = rest.next();
            if next.is_none() {
                continue;
            }
            let list = List { number, next, rest };
            match merged.few.get_mut(count) {
                Some(free) => *free = Some(list),
                None => merged.more.push(list),
            }
            count += 1;
        }
        merged.choose();
        merged
    }

    fn list(&mut self, place: usize) -> Option<&mut List<I>> {
        match place.checked_sub(FEW) {
            Some(place) => self.more.get_mut(place),
            None => self.few[place].as_mut(),
        }
    }

    /// The list with the lowest index is read, up to the lowest of all others.
    fn choose(&mut self) {
        let (mut lowest, mut until) = (None, u32::MAX);
        let lists = self.few.iter().flatten().chain(&self.more);
        for (place, list) in lists.enumerate() {
            let Some(next) = &list.next else { continue };
            let index = (self.index_of)(next);
            match lowest {
                Some((other, _)) if other <= index => until = until.min(index),
                before => {
                    until = before.map_or(until, |(other, _)| until.min(other));
                    lowest = Some((index, place));
                }
            }
        }
        self.at = lowest.map_or(0, |(_, place)| place);
        self.until = until;
    }
}

impl<I: Iterator> Iterator for Merged<I> {
    type Item = (u16, I::Item);

    fn next(&mut self) -> Option<Self::Item> {
        let (at, until, index_of) = (self.at, self.until, self.index_of);
        let list = self.list(at)?;
        let entry = list.next.take()?;
        let number = list.number;
        list.next = list.rest.next();
        if list.next.as_ref().is_none_or(|next| index_of(next) > until) {
            self.choose();
        }
        Some((number, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_order_become_one_that_is() {
        for count in [0, 1, 2, 7, 8, 9, 20] {
            let lists: Vec<Vec<(u32, u32)>> = (0..count)
                .map(|list| {
                    let agents = (0..30).map(move |agent| agent * (list % 3 + 1) + list * 40 % 90);
                    // Agents of one list are in no other; some say nothing, some say twice.
                    let own = agents.map(move |agent| agent * count + list);
                    let said = own.filter(|agent| agent % 5 != 0);
                    said.flat_map(|agent| [(agent, 0), (agent, 1)]).collect()
                })
                .collect();
            let mut expected: Vec<(u16, (u32, u32))> = (0..)
                .zip(&lists)
                .flat_map(|(number, list)| list.iter().map(move |&one| (number, one)))
                .collect();
            expected.sort_by_key(|&(_, (agent, _))| agent);
            let numbered = (0..).zip(lists.iter().map(|list| list.iter().copied()));
            let merged: Vec<_> = Merged::new(numbered, |(agent, _)| *agent).collect();
            assert_eq!(merged, expected, "{count} lists");
        }
    }
}
