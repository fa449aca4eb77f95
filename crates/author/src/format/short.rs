//! Spells out what is written in a short form, so that it has an object for its id: a list of names,
//! `["Go", "Stop"]`, becomes `{"Go": { "id": … }, "Stop": {}}`, and `"hits": "u16"` becomes
//! `"hits": { "id": …, "type": "u16" }`. Comments stay where they are.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Item, TokenKind};
use super::write::{Edit, before};

/// The edits that put an object around a scratch that is only its type or its number of slots.
pub(super) fn scratch(text: &str, value: &Item, id: u64) -> [Edit; 2] {
    let field = match value.of(text).starts_with('"') {
        true => "type",
        false => "slots",
    };
    let opening = format!("{{ \"id\": \"{id:016x}\", \"{field}\": ");
    [
        before(value.start, opening),
        before(value.end, " }".to_owned()),
    ]
}

/// The list of names that a token is in, by its bracket.
pub(super) fn list_around(text: &str, items: &[Item], name: usize) -> Option<usize> {
    let open = items
        .get(..name)?
        .iter()
        .rposition(|item| item.kind != TokenKind::Scalar)?;
    (items[open].of(text) == "[").then_some(open)
}

/// The edits that make objects of the lists that names stand in. `ids` has those of the names that
/// get one, by their tokens; the others of these lists get an empty object.
pub(super) fn lists(text: &str, items: &[Item], ids: &BTreeMap<usize, u64>) -> Vec<Edit> {
    let opens = ids
        .keys()
        .filter_map(|&name| list_around(text, items, name));
    let opens: BTreeSet<usize> = opens.collect();
    let lists = opens.into_iter();
    lists.flat_map(|open| list(items, open, ids)).collect()
}

fn list(items: &[Item], open: usize, ids: &BTreeMap<usize, u64>) -> Vec<Edit> {
    let mut edits = vec![(items[open].start..items[open].end, "{".to_owned())];
    for (at, item) in items.iter().enumerate().skip(open + 1) {
        if item.kind != TokenKind::Scalar {
            edits.push((item.start..item.end, "}".to_owned()));
            break;
        }
        let object = match ids.get(&at) {
            Some(id) => format!(": {{ \"id\": \"{id:016x}\" }}"),
            None => ": {}".to_owned(),
        };
        edits.push(before(item.end, object));
    }
    edits
}
