//! What user functions see of the world: a type of the user's own, or one that borrows for the time
//! of a tick (CODE-1).
//!
//! A crowd lives long and a borrow of the world is short, so a crowd cannot be a `Crowd<Guard,
//! Town<'a>>`: it would have to end before `'a` does. What stays the same from tick to tick is not
//! the type but the family of types, `Town<'w>` for every `'w`, and that is what [`Borrowed`] names.
//!
//! ```text
//!  C                       C::Of<'w>, what `tick` is given
//!  ─────────────────────   ───────────────────────────────
//!  Terrain                 Terrain
//!  borrowed!(Town<'_>)     Town<'w>
//! ```

use std::marker::PhantomData;

/// What a crowd, a world or a list of functions has as its context: any type `T` for itself, or
/// [`borrowed!(Town<'_>)`](crate::borrowed) for one that borrows.
pub trait Context {
    /// What a tick is given.
    type Of<'w>;
}

/// A type that owns what it shows.
impl<T> Context for T {
    type Of<'w> = T;
}

/// One type of a family for every lifetime. Not implemented by anybody: [`Borrowed`] needs it to
/// name the family.
pub trait Lends<'w> {
    /// The type for this lifetime.
    type Context;
}

/// The context of functions that borrow the world for one tick. Written by
/// [`borrowed!(Town<'_>)`](crate::borrowed), which is
/// `Borrowed<dyn for<'w> Lends<'w, Context = Town<'w>>>`.
///
/// There are no values of it. It is unsized, so that the compiler can tell it from the types that
/// are contexts themselves, which all have a size.
pub struct Borrowed<F: ?Sized> {
    _family: PhantomData<F>,
    _unsized: [()],
}

impl<F: ?Sized + for<'w> Lends<'w>> Context for Borrowed<F> {
    type Of<'w> = <F as Lends<'w>>::Context;
}
