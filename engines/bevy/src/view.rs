//! What user functions see of the world.
//!
//! Functions take a context by reference. Here it is a system parameter that only reads, such as a
//! struct with `#[derive(SystemParam)]`: what it borrows, nobody changes while agents think.
//!
//! ```text
//!  #[functions(context = Town<'_, '_>)]      Of<'x> = Town<'x, 'x>
//!  #[derive(SystemParam)] Town<'w, 's>       Param  = Town<'static, 'static>, whose Item<'x, 'x> is Of<'x>
//! ```

use bevy_ecs::query::AccessConflicts;
use bevy_ecs::system::{IntoSystem, ParamSet, ReadOnlySystemParam, System, SystemParam};
use bevy_ecs::world::World;
use statewright::Context;

use crate::kind::AgentBoard;
use crate::tick::tick;

/// A context of user functions that Bevy can fetch: `()`, and every read-only system parameter with
/// the same lifetime twice. Nobody implements it by hand.
///
/// It must not read what the tick of its own kind changes: their blackboards and instances (which
/// [`Brains`](crate::Brains) reads), [`AgentCommands`](crate::AgentCommands) and
/// [`Problems`](crate::Problems). A kind with such a context is not added, and
/// [`Problem::Context`](crate::Problem::Context) says what it reads. In which states agents were after the
/// last tick, [`StateMarker`](crate::StateMarker)s tell everybody.
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

/// What a context reads that a tick of agents with these blackboards changes, by name. Bevy would refuse
/// the system with a panic when it runs for the first time.
pub(crate) fn conflicts<B: AgentBoard, C: View + ?Sized>(world: &mut World) -> Option<String> {
    fn look<C: View + ?Sized>(_: ParamSet<'_, '_, (C::Param,)>) {}
    let read = IntoSystem::into_system(look::<C>).initialize(world);
    let changed = IntoSystem::into_system(tick::<B, ()>).initialize(world);
    match read.get_conflicts(&changed) {
        AccessConflicts::All => Some("everything".to_owned()),
        AccessConflicts::Individual(ids) => {
            let names = ids.iter().filter_map(|id| world.components().get_name(id));
            let mut names: Vec<String> = names.map(|name| name.shortname().to_string()).collect();
            names.sort_unstable();
            (!names.is_empty()).then(|| names.join(", "))
        }
    }
}
