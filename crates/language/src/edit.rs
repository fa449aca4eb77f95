//! Changes of a text as data, and the small art of putting a member into JSON so that it looks as if
//! a person had.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::Ranged;

/// Other text in place of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes.
    pub range: Range<usize>,
    /// What takes their place.
    pub text: String,
}

impl Edit {
    /// Other text in place of some bytes.
    pub(crate) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
        }
    }
}

/// A text after some edits, which must not overlap. Of several at one place the first comes first.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for edit in sorted {
        let Some(kept) = text.get(done..edit.range.start) else {
            continue;
        };
        out.push_str(kept);
        out.push_str(&edit.text);
        done = edit.range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// The one edit that makes one text of another: everything between what both begin and end with.
pub(crate) fn difference(old: &str, new: &str) -> Option<Edit> {
    if old == new {
        return None;
    }
    let same = |(a, b): &(char, char)| a == b;
    let start: usize = old
        .chars()
        .zip(new.chars())
        .take_while(same)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end: usize = old_rest
        .chars()
        .rev()
        .zip(new_rest.chars().rev())
        .take_while(same)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let range = start..old.len() - end;
    Some(Edit::new(range, &new_rest[..new_rest.len() - end]))
}

/// Puts a new last member into an object; `text` is what the object's places refer to.
pub(crate) fn add_member(text: &str, object: &Object, member: &str) -> Edit {
    let last = object
        .properties
        .last()
        .map(|property| (property.start(), property.end()));
    add(text, object.start()..object.end(), last, member)
}

/// Puts a new last item into a list.
pub(crate) fn add_item(text: &str, list: &Array, item: &str) -> Edit {
    let last = list.elements.last().map(|item| (item.start(), item.end()));
    add(text, list.start()..list.end(), last, item)
}

/// Puts a member after another one of the same object.
pub(crate) fn add_after(text: &str, before: Range<usize>, member: &str) -> Edit {
    let space = space_before(text, before.start);
    let space = if space.is_empty() { " " } else { space };
    Edit::new(before.end..before.end, format!(",{space}{member}"))
}

fn add(text: &str, around: Range<usize>, last: Option<(usize, usize)>, new: &str) -> Edit {
    match last {
        Some((start, end)) => add_after(text, start..end, new),
        None => {
            let open = around.start + 1;
            let close = around.end.saturating_sub(1).max(open);
            let is_blank = text[open..close].trim().is_empty();
            let end = if is_blank { close } else { open };
            let space = if text.as_bytes().get(around.start) == Some(&b'{') {
                " "
            } else {
                ""
            };
            Edit::new(open..end, format!("{space}{new}{space}"))
        }
    }
}

/// The space before a byte, from the end of the line before on; one space if something stands on the
/// same line.
fn space_before(text: &str, at: usize) -> &str {
    let before = &text[..at];
    let space = &before[before.trim_end_matches([' ', '\t', '\n', '\r']).len()..];
    match space.rfind('\n') {
        Some(line) => &space[line..],
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_of_two_texts_is_one_edit() {
        for (old, new) in [
            ("abc", "abXc"),
            ("é", "ä"),
            ("aa", "a"),
            ("", "x"),
            ("abab", "ab"),
        ] {
            let edit = difference(old, new).unwrap();
            assert_eq!(apply(old, &[edit]), new);
        }
        assert_eq!(difference("a", "a"), None);
    }
}
