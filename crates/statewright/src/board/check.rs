//! What `#[derive(Board)]` and `machine!` ask the compiler about types: which fields machine files
//! see, and whether a blackboard has what a machine needs (CODE-5).

use std::marker::PhantomData;

use super::Board;
use crate::macros::is_same;
use crate::value::{Type, Value};

/// A field whose type may be a [`Value`] or not. What stands on the type itself comes before what a
/// trait adds: so `Probe::<T>::TYPE` is one thing for values and another for the rest, [`Unshown`].
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<T>);

impl<T: Value> Probe<T> {
    /// The type of the machine file.
    pub const TYPE: Option<Type> = Some(T::TYPE);

    /// Words of the field.
    #[inline]
    pub fn read(field: &T) -> [u32; 3] {
        read_value(field)
    }

    /// Writes the field.
    #[inline]
    pub fn write(field: &mut T, words: [u32; 3]) {
        write_value(field, words);
    }
}

/// Words of a field whose type must be a value: the user gave it a name for machine files.
#[inline]
pub fn read_value<T: Value>(field: &T) -> [u32; 3] {
    field.to_words()
}

/// Writes such a field.
#[inline]
pub fn write_value<T: Value>(field: &mut T, words: [u32; 3]) {
    *field = T::from_words(words);
}

/// What [`Probe`] says of other types.
pub trait Unshown {
    /// The field.
    type Field: ?Sized;

    /// Machine files have no such type.
    const TYPE: Option<Type> = None;

    /// Nothing.
    #[inline]
    fn read(_: &Self::Field) -> [u32; 3] {
        [0; 3]
    }

    /// Nothing.
    #[inline]
    fn write(_: &mut Self::Field, _: [u32; 3]) {}
}

impl<T: ?Sized> Unshown for Probe<T> {
    type Field = T;
}

/// Fields of a struct, those that machine files see first: in a constant nothing can be left out,
/// only put aside.
#[derive(Debug)]
pub struct Fields<const N: usize> {
    shown: [(&'static str, Type); N],
    hidden: [&'static str; N],
    /// By number of the field: its place among the shown ones.
    places: [usize; N],
    count: usize,
}

impl<const N: usize> Fields<N> {
    /// From all fields that are not skipped.
    pub const fn new(all: [(&'static str, Option<Type>); N]) -> Self {
        let mut fields = Self {
            shown: [("", Type::I32); N],
            hidden: [""; N],
            places: [usize::MAX; N],
            count: 0,
        };
        let mut at = 0;
        while at < N {
            match all[at].1 {
                Some(ty) => {
                    fields.shown[fields.count] = (all[at].0, ty);
                    fields.places[at] = fields.count;
                    fields.count += 1;
                }
                None => fields.hidden[at - fields.count] = all[at].0,
            }
            at += 1;
        }
        fields
    }

    /// Those that machine files see.
    pub const fn shown(&self) -> &[(&'static str, Type)] {
        self.shown.split_at(self.count).0
    }

    /// Those that they do not.
    pub const fn hidden(&self) -> &[&'static str] {
        self.hidden.split_at(N - self.count).0
    }

    /// The place of a field among the shown ones; past them for others.
    pub const fn place(&self, field: usize) -> usize {
        self.places[field]
    }
}

/// A key that a machine declares: `machine!` makes a type of each.
pub trait NeededKey {
    /// Its name.
    const NAME: &'static str;
    /// What is said if there is no such field.
    const MISSING: &'static str;
    /// What is said if `#[board(skip)]` leaves the field out.
    const SKIPPED: &'static str;
    /// What is said if the field has a type that machine files do not have.
    const HIDDEN: &'static str;
    /// What is said if the field has another of their types.
    const OTHERS: &'static [(Type, &'static str)];
}

/// A blackboard that answers for its fields: `#[derive(Board)]` implements it.
pub trait Offers<K> {
    /// Fails if there is no field for the key, at the place of the field.
    const CHECK: () = ();
}

/// Whether a blackboard has a field for a key. Types that do not answer for their fields themselves
/// have [`Listed`].
#[derive(Debug)]
pub struct Check<B, K>(PhantomData<(B, K)>);

impl<B: Offers<K>, K> Check<B, K> {
    /// What is wrong. If anything is, the blackboard has said so itself.
    pub const PROBLEM: Option<&'static str> = {
        let () = B::CHECK;
        None
    };
}

/// What [`Check`] does for blackboards that were written by hand: it looks at their list.
pub trait Listed {
    /// What is wrong.
    const PROBLEM: Option<&'static str>;
}

impl<B: Board, K: NeededKey> Listed for Check<B, K> {
    const PROBLEM: Option<&'static str> = {
        let mut at = 0;
        while at < B::FIELDS.len() && !is_same(B::FIELDS[at].0, K::NAME) {
            at += 1;
        }
        if at < B::FIELDS.len() {
            misfit::<K>(Some(B::FIELDS[at].1))
        } else if B::ANY_KEY {
            None
        } else {
            Some(K::MISSING)
        }
    };
}

/// What is wrong with a field of this type.
pub const fn misfit<K: NeededKey>(found: Option<Type>) -> Option<&'static str> {
    let Some(found) = found else {
        return Some(K::HIDDEN);
    };
    let mut at = 0;
    while at < K::OTHERS.len() {
        if K::OTHERS[at].0 as u8 == found as u8 {
            return Some(K::OTHERS[at].1);
        }
        at += 1;
    }
    None
}

/// Where a name stands in a list.
pub const fn position(names: &[&str], name: &str) -> Option<usize> {
    let mut at = 0;
    while at < names.len() {
        if is_same(names[at], name) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Fails while the user's program is compiled if something is wrong, at the place of the call.
#[track_caller]
pub const fn must(problem: Option<&'static str>) {
    if let Some(text) = problem {
        panic!("{}", text)
    }
}
