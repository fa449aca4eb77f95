//! Writes stable ids into a file (ROM-6), by inserting members and touching nothing else.
//!
//! What is named by a key, as in `"combat": { … }`, gets its id as the first member of its object.
//! What has its name as a member, as in `{ "id": "combat", … }`, gets it after that; there `id` is
//! taken and the field is `stable_id`.

use super::ids::{MissingId, missing_ids};
use super::tokens::{Comment, Gap, Item, TokenKind, tokens};
use crate::diagnostic::Diagnostics;
use crate::graph::Machine;
use crate::span::Source;

/// A file with its ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The new text.
    pub text: String,
    /// What it has more than the old one: text before bytes of that.
    pub insertions: Vec<(usize, String)>,
    /// What got an id.
    pub written: Vec<MissingId>,
    /// What could not get one, because it is written in a short form without an object, such as an
    /// event in a list.
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
            insertions: Vec::new(),
            written: Vec::new(),
            skipped: Vec::new(),
        });
    };
    let items = tokens(text)?;
    let (mut written, mut skipped) = (Vec::new(), Vec::new());
    let mut insertions: Vec<(usize, String)> = Vec::new();
    for missing in missing_ids(machine) {
        let Some(id) = id_of(&missing) else { continue };
        match insertion(text, &items, &missing, id) {
            Some(new) => {
                insertions.extend(new);
                written.push(missing);
            }
            None => skipped.push(missing),
        }
    }
    insertions.sort_by_key(|(at, _)| *at);
    Ok(Written {
        text: insert(text, &insertions),
        insertions,
        written,
        skipped,
    })
}

fn insert(text: &str, insertions: &[(usize, String)]) -> String {
    let mut out = String::with_capacity(text.len() + 32 * insertions.len());
    let mut done = 0;
    for (at, new) in insertions {
        out.push_str(&text[done..*at]);
        out.push_str(new);
        done = *at;
    }
    out.push_str(&text[done..]);
    out
}

/// What to insert where; `None` if the thing has no object.
fn insertion(
    text: &str,
    items: &[Item],
    missing: &MissingId,
    id: u64,
) -> Option<Vec<(usize, String)>> {
    let name = item_at(items, missing.name.span.start as usize)?;
    let is_key = items.get(name + 1)?.kind == TokenKind::Colon;
    if is_key {
        let open = items.get(name + 2).filter(|item| item.of(text) == "{")?;
        let first = items.get(name + 3)?;
        return Some(vec![first_member(
            text,
            open,
            first,
            &format!("\"id\": \"{id:016x}\""),
        )]);
    }
    let key = name.checked_sub(2).and_then(|key| items.get(key))?;
    let colon = items.get(name - 1)?;
    if colon.kind != TokenKind::Colon {
        return None;
    }
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
    Some(next_member(
        text,
        &items[name],
        items.get(name + 1)?,
        space,
        &format!("\"{field}\": \"{id:016x}\""),
    ))
}

/// A new member after the one that ends with `value`. Comments beside that one stay there.
fn next_member(
    text: &str,
    value: &Item,
    next: &Item,
    space: &str,
    member: &str,
) -> Vec<(usize, String)> {
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
        true => vec![(end, format!("{space}{member},"))],
        false => vec![
            (value.end, ",".to_owned()),
            (end, format!("{space}{member}")),
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
fn first_member(text: &str, open: &Item, first: &Item, member: &str) -> (usize, String) {
    if first.kind == TokenKind::Close {
        let after = if text[open.end..].starts_with('}') {
            " "
        } else {
            ""
        };
        return (open.end, format!(" {member}{after}"));
    }
    let below = |comment: &&Comment| comment.gap != Gap::None;
    let at = first
        .comments
        .iter()
        .find(below)
        .map_or(first.start, |comment| comment.start);
    (at, format!("{member},{}", space_before(text, at)))
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
