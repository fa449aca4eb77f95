//! Writes stable ids into a file (ROM-6), by inserting members and touching nothing else. What is
//! written in a short form gets an object first (`short`).
//!
//! What is named by a key, as in `"combat": { … }`, gets its id as the first member of its object.
//! What has its name as a member, as in `{ "id": "combat", … }`, gets it after that; there `id` is
//! taken and the field is `stable_id`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::ids::{ItemKind, MissingId, missing_ids};
use super::short;
use super::tokens::{Comment, Gap, Item, TokenKind, tokens};
use crate::diagnostic::Diagnostics;
use crate::graph::Machine;
use crate::span::Source;

/// Other text in place of some bytes.
pub(super) type Edit = (Range<usize>, String);

/// A file with its ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The new text.
    pub text: String,
    /// What makes it of the old one: other text in place of bytes of that, in their order.
    pub edits: Vec<(Range<usize>, String)>,
    /// What got an id.
    pub written: Vec<MissingId>,
    /// What could not get one, because nothing of its own stands in the file.
    pub skipped: Vec<MissingId>,
}

/// Writes the ids that `id_of` gives into the text that the machine was read from; what it answers
/// with `None` stays as it is. The machine must have been read without errors. The text of a
/// machine that was built in Rust is empty.
pub fn write_ids(
    machine: &Machine,
    mut id_of: impl FnMut(&MissingId) -> Option<u64>,
) -> Result<Written, Diagnostics> {
    let Source::File { text, .. } = &machine.source else {
        return Ok(Written {
            text: String::new(),
            edits: Vec::new(),
            written: Vec::new(),
            skipped: Vec::new(),
        });
    };
    let items = tokens(text)?;
    let (mut written, mut skipped) = (Vec::new(), Vec::new());
    let mut edits: Vec<Edit> = Vec::new();
    let mut listed = BTreeMap::new();
    for missing in missing_ids(machine) {
        let Some(id) = id_of(&missing) else { continue };
        match place(text, &items, &missing, id) {
            Some(Place::Here(new)) => edits.extend(new),
            Some(Place::InList(name)) => _ = listed.insert(name, id),
            None => {
                skipped.push(missing);
                continue;
            }
        }
        written.push(missing);
    }
    edits.extend(short::lists(text, &items, &listed));
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    Ok(Written {
        text: edited(text, &edits),
        edits,
        written,
        skipped,
    })
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len() + 32 * edits.len());
    let mut done = 0;
    for (range, new) in edits {
        out.push_str(&text[done..range.start]);
        out.push_str(new);
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}

/// Where an id goes.
enum Place {
    Here(Vec<Edit>),
    /// The name is this token in a list of names, which becomes an object as a whole.
    InList(usize),
}

/// Where the id of something goes; `None` if it has no place.
fn place(text: &str, items: &[Item], missing: &MissingId, id: u64) -> Option<Place> {
    let name = item_at(items, missing.name.span.start as usize)?;
    if items.get(name + 1)?.kind == TokenKind::Colon {
        let value = items.get(name + 2)?;
        return match value.kind {
            TokenKind::Scalar if missing.kind == ItemKind::Scratch => {
                Some(Place::Here(short::scratch(text, value, id).into()))
            }
            _ => first_in(text, value, items.get(name + 3)?, id),
        };
    }
    if items.get(name.checked_sub(1)?)?.kind == TokenKind::Colon {
        return beside(text, items, name, id);
    }
    let is_listed = matches!(missing.kind, ItemKind::Event | ItemKind::Timer)
        && short::list_around(text, items, name).is_some();
    is_listed.then_some(Place::InList(name))
}

/// Into the object that stands under a name.
fn first_in(text: &str, open: &Item, first: &Item, id: u64) -> Option<Place> {
    let member = format!("\"id\": \"{id:016x}\"");
    let is_object = open.of(text) == "{";
    is_object.then(|| Place::Here(vec![first_member(text, open, first, &member)]))
}

/// After a name that is a member itself.
fn beside(text: &str, items: &[Item], name: usize, id: u64) -> Option<Place> {
    let key = items.get(name.checked_sub(2)?)?;
    let field = if key.of(text) == "\"id\"" {
        "stable_id"
    } else {
        "id"
    };
    let space = if key.gap == Gap::None {
        " "
    } else {
        space_before(text, key.start)
    };
    let member = format!("\"{field}\": \"{id:016x}\"");
    let next = items.get(name + 1)?;
    let edits = next_member(text, &items[name], next, space, &member);
    Some(Place::Here(edits))
}

/// A new member after the one that ends with `value`. Comments beside that one stay there.
fn next_member(text: &str, value: &Item, next: &Item, space: &str, member: &str) -> Vec<Edit> {
    let mut has_comma = false;
    let mut end = value.end;
    let mut space = space;
    for comment in next
        .comments
        .iter()
        .take_while(|comment| comment.gap == Gap::None)
    {
        has_comma |= text[end..comment.start].contains(',');
        end = comment.end;
        space = if comment.is_line && !space.contains(['\n', '\r']) {
            "\n"
        } else {
            space
        };
    }
    match has_comma {
        true => vec![before(end, format!("{space}{member},"))],
        false => vec![
            before(value.end, ",".to_owned()),
            before(end, format!("{space}{member}")),
        ],
    }
}

/// The scalar that contains a byte.
fn item_at(items: &[Item], byte: usize) -> Option<usize> {
    let after = items.partition_point(|item| item.start <= byte);
    let at = after.checked_sub(1)?;
    (items[at].kind == TokenKind::Scalar && byte < items[at].end).then_some(at)
}

/// A new first member of an object: before the first thing in it, but after comments on the line of
/// its bracket.
fn first_member(text: &str, open: &Item, first: &Item, member: &str) -> Edit {
    if first.kind == TokenKind::Close {
        let after = if text[open.end..].starts_with('}') {
            " "
        } else {
            ""
        };
        return before(open.end, format!(" {member}{after}"));
    }
    let below = |comment: &&Comment| comment.gap != Gap::None;
    let at = first
        .comments
        .iter()
        .find(below)
        .map_or(first.start, |comment| comment.start);
    before(at, format!("{member},{}", space_before(text, at)))
}

/// New text before a byte.
pub(super) fn before(at: usize, new: String) -> Edit {
    (at..at, new)
}

/// The space before a byte, from its last line end on.
fn space_before(text: &str, at: usize) -> &str {
    let before = &text[..at];
    let space = &before[before.trim_end().len()..];
    let from = space.rfind('\n').or_else(|| space.rfind('\r')).unwrap_or(0);
    let from = if from > 0 && space[..from].ends_with('\r') && space[from..].starts_with('\n') {
        from - 1
    } else {
        from
    };
    &space[from..]
}
