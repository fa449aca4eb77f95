//! Blackboards: how machine files see the user's own type (CODE-5).

#[cfg(feature = "macros")]
pub mod check;
mod strict;

use statewright_rom::ids::KeyId;
use xxhash_rust::xxh3::xxh3_64;

use crate::machine::Machine;
use crate::reload::KeyPlan;
use crate::value::Type;

pub(crate) use strict::Writes;
pub use strict::{NotStrict, Staging};

/// A key that a machine declares.
#[derive(Clone, Copy, Debug)]
pub struct Key<'n> {
    /// Its number.
    pub id: KeyId,
    /// Its name; empty if the machine came without names.
    pub name: &'n str,
    /// xxh3 of its name.
    pub name_hash: u64,
    /// Its type.
    pub ty: Type,
    /// Where its words begin in the blackboard that the machine lays out.
    pub first_word: usize,
}

/// A blackboard of the user's own. `#[derive(Board)]` shows its fields to machine files by their
/// names; a type without such fields needs nothing but `impl Board for T {}`.
pub trait Board: Sized {
    /// Names and types of the fields that machine files may read and write.
    const FIELDS: &'static [(&'static str, Type)] = &[];

    /// Names of fields that user code sees and machine files do not, without those that are no part of
    /// the blackboard (`#[board(skip)]`); `None` if nobody can tell. In strict mode, where writes
    /// wait for the end of the tick, there must be none.
    const HIDDEN: Option<&'static [&'static str]> = None;

    /// Names of fields that `#[board(skip)]` leaves out: for messages.
    const SKIPPED: &'static [&'static str] = &[];

    /// Whether it may hold keys that are not in [`Self::FIELDS`]: what [`Self::locate`] finds is
    /// known when a machine is bound, not while the program is compiled.
    const ANY_KEY: bool = false;

    /// Which field holds a key; else the type of the field that has its name but not its type.
    fn locate(key: &Key<'_>) -> Result<usize, Option<Type>> {
        let field = Self::FIELDS
            .iter()
            .position(|(name, _)| xxh3_64(name.as_bytes()) == key.name_hash);
        match field.and_then(|field| Some((field, Self::FIELDS.get(field)?.1))) {
            Some((field, ty)) if ty == key.ty => Ok(field),
            other => Err(other.map(|(_, ty)| ty)),
        }
    }

    /// Whether this very one may belong to an agent of a machine. Crowds ask it when they spawn;
    /// most types fit or do not fit as a whole, which binding finds out ([`Self::locate`]).
    fn fits(&self, machine: &Machine) -> bool {
        let _ = machine;
        true
    }

    /// Another version of the machine takes the place of the one that runs (LOAD-6). Types of the
    /// user's own stay as they are: their fields are found by name when the machine is bound.
    fn reload(&mut self, keys: &KeyPlan) {
        let _ = keys;
    }

    /// Words of a field, by its place in [`Self::FIELDS`].
    fn read(&self, field: usize) -> [u32; 3] {
        let _ = field;
        [0; 3]
    }

    /// Writes a field.
    fn write(&mut self, field: usize, words: [u32; 3]) {
        let _ = (field, words);
    }

    /// Lets user code change the blackboard, takes all changes of fields back, and notes them: strict
    /// mode (CODE-5). A field that has its old value afterwards was not written. Types that hold
    /// keys beside [`Self::FIELDS`] say how.
    fn change_later<R>(&mut self, staging: &mut Staging, change: impl FnOnce(&mut Self) -> R) -> R {
        strict::by_comparison(self, staging, Writes::TakenBack, change)
    }

    /// Lets user code change the blackboard, and notes what it wrote, for traces (SYS-3). As
    /// [`Self::change_later`], but changes stay.
    fn change_seen<R>(&mut self, staging: &mut Staging, change: impl FnOnce(&mut Self) -> R) -> R {
        strict::by_comparison(self, staging, Writes::Stay, change)
    }
}

impl Machine {
    /// A blackboard of the user's own that begins as the machine file says: each key has its
    /// `default`, or zero without one, as in [`Blackboard::new`](crate::Blackboard::new). Fields that
    /// are no keys of this machine, or have another type, are those of `B::default()`.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// #[derive(Board, Default)]
    /// struct Dog { hunger: f32, bones: i32 }
    ///
    /// let text = r#"{ "machine": "Dog", "blackboard": { "hunger": { "type": "f32", "default": 0.5 } }, "states": { "sit": {} } }"#;
    /// let dog: Dog = Machine::from_text("dog.sw.json", text)?.default_board();
    /// assert_eq!((dog.hunger, dog.bones), (0.5, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn default_board<B: Board + Default>(&self) -> B {
        let mut board = B::default();
        for (place, record) in self.rom().keys().iter().enumerate() {
            let Some(id) = KeyId::from_index(place) else {
                continue;
            };
            let key = Key {
                id,
                name: self.symbols().of(id).unwrap_or_default(),
                name_hash: record.name_hash.get(),
                ty: record.ty.get(),
                first_word: record.offset.get().into(),
            };
            if let Ok(field) = B::locate(&key) {
                board.write(field, record.default.map(|word| word.get()));
            }
        }
        board
    }
}

/// Whether strict mode is possible for a blackboard that functions in Rust may write.
pub(crate) fn check_strict<B: Board>() -> Result<(), NotStrict> {
    match B::HIDDEN {
        Some([]) => Ok(()),
        hidden => Err(NotStrict { hidden }),
    }
}

impl Board for () {
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
}
