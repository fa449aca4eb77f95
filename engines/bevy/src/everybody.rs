//! Systems and queries that see everybody, agents on disabled entities among them.
//!
//! Bevy leaves an entity with a disabling component out of every query that does not name the component,
//! and libraries have disabling components of their own: `bevy_ggrs` marks those that it may bring back.
//! Whoever is not seen would be taken for gone: it would end, or miss the reload of its machine. What a
//! query leaves out is decided when it is made, so ours are made while nothing is.

use bevy_app::App;
use bevy_ecs::entity_disabling::DefaultQueryFilters;
use bevy_ecs::system::{IntoSystem, System};
use bevy_ecs::world::{Mut, World};

/// Queries that are made by this leave nobody out, also later.
pub(crate) fn with_everybody<T>(world: &mut World, work: impl FnOnce(&mut World) -> T) -> T {
    if world.contains_resource::<DefaultQueryFilters>() {
        world.resource_scope(|world, _: Mut<'_, DefaultQueryFilters>| work(world))
    } else {
        work(world)
    }
}

/// A system whose queries leave nobody out.
pub(crate) fn everybody<M>(
    app: &mut App,
    system: impl IntoSystem<(), (), M>,
) -> impl System<In = (), Out = ()> {
    let mut system = IntoSystem::into_system(system);
    with_everybody(app.world_mut(), |world| {
        // The schedule does it again, and finds the queries of this time.
        let _ = system.initialize(world);
    });
    system
}
