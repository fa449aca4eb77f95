//! What the code that macros write refers to. Not for people.

pub use zerocopy;

use crate::functions::Kind;

/// What a list of functions has under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A function of the wanted kind.
    Yes,
    /// Only one of another kind.
    OtherKind,
    /// Nothing.
    Missing,
}

/// Looks for a function while the user's program is compiled.
pub const fn find(lists: &[&[(&str, Kind)]], name: &str, kind: Kind) -> Found {
    let mut found = Found::Missing;
    let mut at = 0;
    while at < lists.len() {
        let (list, mut place) = (lists[at], 0);
        while place < list.len() {
            if is_same(list[place].0, name) {
                if list[place].1 as u8 == kind as u8 {
                    return Found::Yes;
                }
                found = Found::OtherKind;
            }
            place += 1;
        }
        at += 1;
    }
    found
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_whole_name_and_kind() {
        let lists: &[&[(&str, Kind)]] =
            &[&[("IsHurt", Kind::Guard)], &[("IsHurt", Kind::Action), ("Go", Kind::Action)]];
        assert_eq!(find(lists, "IsHurt", Kind::Action), Found::Yes);
        assert_eq!(find(lists, "Go", Kind::Guard), Found::OtherKind);
        assert_eq!(find(lists, "IsHur", Kind::Guard), Found::Missing);
        assert_eq!(find(&[], "Go", Kind::Guard), Found::Missing);
    }
}
