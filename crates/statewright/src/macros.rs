//! What the code that macros write refers to. Not for people.

pub use zerocopy;

use crate::functions::Kind;
use crate::machine::Machine;
use crate::names::Names;

/// Loads a ROM that was compiled together with the program.
///
/// # Panics
///
/// If it is no ROM of this version: the macro and this crate are not of one version then.
pub fn load(rom: &[u8], names: Names) -> Machine {
    match Machine::from_rom(rom.to_vec(), names) {
        Ok(machine) => machine,
        Err(error) => panic!("`machine!` made a ROM that this version of Statewright refuses: {error}"),
    }
}

/// Texts of their own.
pub fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// A number that the macro knows to be one.
pub const fn id<T: Copy>(id: Option<T>) -> T {
    match id {
        Some(id) => id,
        None => panic!("too many for one machine"),
    }
}

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
