//! Blackboards: how machine files see the user's own type (CODE-5).

use crate::value::Type;

/// A blackboard of the user's own. `#[derive(Board)]` shows its fields to machine files by their names; a type without such fields
/// needs nothing but `impl Board for T {}`.
pub trait Board: Sized {
    /// Names and types of the fields that machine files may read and write.
    const FIELDS: &'static [(&'static str, Type)] = &[];

    /// Words of a field, by its place in [`Self::FIELDS`].
    fn read(&self, field: usize) -> [u32; 3] {
        let _ = field;
        [0; 3]
    }

    /// Writes a field.
    fn write(&mut self, field: usize, words: [u32; 3]) {
        let _ = (field, words);
    }
}

impl Board for () {}
