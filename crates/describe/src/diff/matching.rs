//! Which thing of the new machine each one of the old machine is.

use std::collections::HashMap;

use super::MatchedBy;
use crate::layout::Hex64;

/// Something that can be found again.
pub(super) struct Item {
    /// Its stable id, if it has one.
    pub(super) id: Option<Hex64>,
    /// What it is called where ids do not match.
    pub(super) name: String,
}

/// For each of the first list its place in the second one, and how it was found. Ids come first;
/// by name only what no id has found, the first declared first.
pub(super) fn matches(a: &[Item], b: &[Item]) -> Vec<Option<(usize, MatchedBy)>> {
    let mut by_id: HashMap<Hex64, usize> = HashMap::new();
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, item) in b.iter().enumerate().rev() {
        if let Some(id) = item.id {
            by_id.insert(id, index);
        }
        by_name.entry(&item.name).or_default().push(index);
    }
    let mut taken = vec![false; b.len()];
    let mut found = Vec::with_capacity(a.len());
    for item in a {
        let place = item.id.and_then(|id| by_id.get(&id).copied());
        let place = place.filter(|&place| !taken[place]);
        if let Some(place) = place {
            taken[place] = true;
        }
        found.push(place.map(|place| (place, MatchedBy::StableId)));
    }
    for (item, found) in a
        .iter()
        .zip(&mut found)
        .filter(|(_, found)| found.is_none())
    {
        let Some(candidates) = by_name.get_mut(item.name.as_str()) else {
            continue;
        };
        // The last in the list is the first declared.
        while let Some(candidate) = candidates.pop() {
            if !taken[candidate] {
                taken[candidate] = true;
                *found = Some((candidate, MatchedBy::Name));
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(items: &[(Option<u64>, &str)]) -> Vec<Item> {
        let item = |&(id, name): &(Option<u64>, &str)| Item {
            id: id.map(Hex64),
            name: name.to_owned(),
        };
        items.iter().map(item).collect()
    }

    #[test]
    fn ids_match_before_names() {
        let a = items(&[(Some(1), "x"), (Some(2), "y"), (None, "z")]);
        let b = items(&[(Some(2), "x"), (None, "z"), (Some(9), "x")]);
        let by_name = |place| Some((place, MatchedBy::Name));
        let by_id = Some((0, MatchedBy::StableId));
        assert_eq!(matches(&a, &b), [by_name(2), by_id, by_name(1)]);
    }

    #[test]
    fn equal_names_match_in_order() {
        let a = items(&[(None, "x"), (None, "x"), (None, "x")]);
        let b = items(&[(None, "x"), (None, "x")]);
        let places: Vec<Option<usize>> = matches(&a, &b)
            .into_iter()
            .map(|found| found.map(|(place, _)| place))
            .collect();
        assert_eq!(places, [Some(0), Some(1), None]);
    }
}
