//! What user functions see of the world.
//!
//! Functions take a context by reference. Here it is a system parameter that only reads, such as a
//! struct with `#[derive(SystemParam)]`: what it borrows, nobody changes while agents think.
//!
//! ```text
//!  #[functions(context = Town<'_, '_>)]      Of<'x> = Town<'x, 'x>
//!  #[derive(SystemParam)] Town<'w, 's>       Param  = Town<'static, 'static>, whose Item<'x, 'x> is Of<'x>
//! ```

use bevy_ecs::system::{ReadOnlySystemParam, SystemParam};
use statewright::Context;

/// A context of user functions that Bevy can fetch: `()`, and every read-only system parameter with
/// the same lifetime twice. Nobody implements it by hand.
pub trait View: Context + 'static {
    /// The system parameter.
    type Param: ReadOnlySystemParam + 'static;

    /// What was fetched, as functions see it.
    fn lend<'x>(item: <Self::Param as SystemParam>::Item<'x, 'x>) -> Self::Of<'x>;
}

impl<C> View for C
where
    C: Context + ?Sized + 'static,
    C::Of<'static>: ReadOnlySystemParam + 'static,
    C::Of<'static>: for<'x> SystemParam<Item<'x, 'x> = C::Of<'x>>,
{
    type Param = C::Of<'static>;

    fn lend<'x>(item: <Self::Param as SystemParam>::Item<'x, 'x>) -> C::Of<'x> {
        item
    }
}
