//! What an entity needs to think.
//!
//! ```text
//!  yours                    ours, by itself
//!  ─────────────────────    ─────────────────────────────────────────────────
//!  Agent<Guard>             StableId   who it is, whatever its entity is called
//!  Guard  (blackboard)      Ram64      its instance: plain bytes, one of three sizes
//!  AgentNumber, AgentVariant, Groups   if you want them
//! ```
//!
//! Instances and blackboards are table components of their own, so that each table holds them side by
//! side and a tick runs over them as slices.

use std::any::TypeId;
use std::marker::PhantomData;

use bevy_asset::Handle;
use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::entity::Entity;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::TypePath;
use statewright::ids::VariantId;
use statewright::{AgentId, Board, CrowdNumber, Instance, Instance64, Instance128, Instance256};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::asset::MachineAsset;
use crate::roster::{Agents, Parting};

/// Which machine an entity runs, with a blackboard `B` beside it. Put it on an entity and the entity
/// thinks; put another one on it and it begins anew with the other machine; take it off and it ends. An
/// entity that has ended may be an agent again: another one, that begins.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_statewright::prelude::*;
/// use statewright::Board;
///
/// #[derive(Component, Board, Default)]
/// struct Guard { health: i32 }
///
/// fn spawn(mut commands: Commands, mut machines: ResMut<bevy_asset::Assets<MachineAsset>>) {
///     let machine = statewright::Machine::build("Guard", |m| { m.state("stand", |_| {}); });
///     let machine = machines.add(machine.expect("it has no mistakes"));
///     commands.spawn(Agent::<Guard>::new(machine));
/// }
/// # bevy_ecs::system::assert_is_system(spawn);
/// ```
#[derive(Component)]
#[component(immutable, on_insert = put_on, on_remove = take_off::<B>)]
#[require(StableId, B)]
pub struct Agent<B: Board + Component + Default> {
    machine: Handle<MachineAsset>,
    board: PhantomData<fn() -> B>,
}

impl<B: Board + Component + Default> Agent<B> {
    /// Runs a machine, once it is loaded.
    pub const fn new(machine: Handle<MachineAsset>) -> Self {
        Self {
            machine,
            board: PhantomData,
        }
    }

    /// The machine.
    pub const fn machine(&self) -> &Handle<MachineAsset> {
        &self.machine
    }
}

impl<B: Board + Component + Default> Clone for Agent<B> {
    fn clone(&self) -> Self {
        Self::new(self.machine.clone())
    }
}

/// Somebody begins, or begins anew with another machine: looked at in the next intake.
fn put_on(mut world: DeferredWorld<'_>, at: HookContext) {
    match world.get_resource_mut::<Agents>() {
        Some(mut agents) => agents.newcomers.push(at.entity),
        None => log::error!(
            "an agent was spawned, but there is no StatewrightPlugin in the app: it will never think"
        ),
    }
}

/// Somebody ends, unless another Agent has come in the place of this one by the next intake.
fn take_off<B: Board + Component>(mut world: DeferredWorld<'_>, at: HookContext) {
    if let Some(mut agents) = world.get_resource_mut::<Agents>() {
        let before = agents.newcomers.len();
        agents.partings.push(Parting {
            entity: at.entity,
            kind: TypeId::of::<B>(),
            before,
        });
    }
}

/// Who an agent is: what commands, messages and functions call it. Given when the agent begins;
/// the order of agents is that of these, never that of entities. Copies of an entity get one of their own.
#[derive(
    Component,
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
)]
#[component(immutable, on_insert = put_id, on_remove = take_id, clone_behavior = Ignore)]
#[repr(transparent)]
pub struct StableId(AgentId);

impl StableId {
    /// An id from a snapshot or a network, for whoever puts agents together again.
    pub const fn new(agent: AgentId) -> Self {
        Self(agent)
    }

    /// The id; `AgentId::default()` until the agent begins.
    pub const fn get(self) -> AgentId {
        self.0
    }

    /// Its place in the roster, if it has begun.
    pub(crate) fn slot(self) -> Option<usize> {
        (self.0 != AgentId::default()).then_some(self.0.index() as usize)
    }
}

/// Somebody comes back with the id that it had: nothing that was derived from entities holds.
fn put_id(mut world: DeferredWorld<'_>, at: HookContext) {
    let id = world.get::<StableId>(at.entity).copied();
    if let Some(id) = id.filter(|id| id.slot().is_some())
        && let Some(mut agents) = world.get_resource_mut::<Agents>()
        && agents.entity(id.get()) != Some(at.entity)
    {
        agents.is_stale = true;
    }
}

/// Somebody goes.
fn take_id(mut world: DeferredWorld<'_>, at: HookContext) {
    if let Some(id) = world.get::<StableId>(at.entity).copied()
        && let Some(mut agents) = world.get_resource_mut::<Agents>()
    {
        agents.departures.push((id, at.entity));
    }
}

/// A number of your own for a new agent, below [`numbers_from`](crate::StatewrightPlugin::numbers_from) of the plugin: then its id does not
/// depend on the order in which agents are spawned. Each number is for one living agent.
/// A copy of the entity gets another id.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[component(clone_behavior = Ignore)]
pub struct AgentNumber(pub u32);

/// Parameters of another variant than the plain one, by its name in the machine file.
#[derive(Component, Clone, Debug, PartialEq, Eq, Hash)]
#[component(immutable, on_insert = put_variant, on_remove = put_variant)]
pub struct AgentVariant(pub std::borrow::Cow<'static, str>);

impl AgentVariant {
    /// The variant with this name.
    pub fn new(name: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self(name.into())
    }
}

fn put_variant(mut world: DeferredWorld<'_>, at: HookContext) {
    if let Some(mut agents) = world.get_resource_mut::<Agents>() {
        agents.revariants.push(at.entity);
    }
}

/// Groups that an agent belongs to: squads, families, everybody in a house.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Groups(pub Vec<Group>);

/// A group, spoken to as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group(u32);

impl Group {
    /// The group with a number, of which 28 bits count.
    pub const fn new(number: u32) -> Self {
        Self(number & (AgentId::INDICES - 1))
    }

    /// The group with a name; two names may mean the same one by an accident of 1 to 2^28.
    pub fn named(name: &str) -> Self {
        Self::new(statewright::Symbol::of(name).0)
    }

    /// As a receiver of messages: what [`ActionCx::send`](statewright::ActionCx::send) and `send` in
    /// machine files take.
    pub const fn receiver(self) -> AgentId {
        AgentId::new(self.0, 1).in_crowd(CrowdNumber::MAX)
    }

    /// The group that messages to this receiver go to; `None` if it is an agent.
    pub fn of(receiver: AgentId) -> Option<Self> {
        (receiver.crowd() == CrowdNumber::MAX).then_some(Self(receiver.index()))
    }
}

impl From<Group> for AgentId {
    fn from(group: Group) -> Self {
        group.receiver()
    }
}

/// An instance as a component: one type per tier.
pub trait Ram:
    Component<Mutability = Mutable> + Copy + FromBytes + IntoBytes + Immutable + KnownLayout + Send
{
    /// The instance inside.
    type Instance: Instance + FromBytes + IntoBytes + KnownLayout + Send + Sync;

    /// As a component.
    fn new(instance: Self::Instance) -> Self;

    /// The instance.
    fn instance(&self) -> &Self::Instance;

    /// The instance. Whoever changes it is the host of its agent: see the methods of
    /// [`Machine`](statewright::Machine) whose names end with `_instance`.
    fn instance_mut(&mut self) -> &mut Self::Instance;
}

macro_rules! rams {
    ($($(#[$doc:meta])* $name:ident $instance:ident,)+) => {
        $(
            $(#[$doc])*
            #[derive(
                Component, Clone, Copy, Debug, PartialEq, Eq, TypePath,
                FromBytes, IntoBytes, Immutable, KnownLayout,
            )]
            #[component(clone_behavior = Ignore)]
            #[repr(transparent)]
            pub struct $name($instance);

            impl Ram for $name {
                type Instance = $instance;

                fn new(instance: $instance) -> Self {
                    Self(instance)
                }

                fn instance(&self) -> &$instance {
                    &self.0
                }

                fn instance_mut(&mut self) -> &mut $instance {
                    &mut self.0
                }
            }

            /// By its bytes: what rollback compares.
            impl std::hash::Hash for $name {
                fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                    self.as_bytes().hash(state);
                }
            }
        )+
    };
}

rams! {
    /// The instance of an agent whose machine is of the tier `crowd`: 64 plain bytes. Put on by the
    /// plugin. `Changed<Ram64>` means that a byte changed.
    Ram64 Instance64,
    /// The same of the tier `standard`: 128 bytes.
    Ram128 Instance128,
    /// The same of the tier `hero`: 256 bytes.
    Ram256 Instance256,
}

/// A variant by its number; the plain one where there is none.
pub(crate) fn variant_of(number: u16) -> VariantId {
    VariantId::from_index(number.into()).unwrap_or(VariantId::PLAIN)
}

/// Instances, of whatever tier: what an agent leaves behind that ended.
pub(crate) type AllRams = (Ram64, Ram128, Ram256);

/// An entity that goes on living is no agent any more.
pub(crate) fn strip(commands: &mut bevy_ecs::system::Commands<'_, '_>, entity: Entity) {
    if let Ok(mut entity) = commands.get_entity(entity) {
        entity.try_remove::<(StableId, AllRams)>();
    }
}
