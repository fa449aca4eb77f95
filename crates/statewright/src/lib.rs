#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Statewright: hierarchical state machines for game AI.
//!
//! A [`Machine`] is compiled from a file or a builder, bound to the user's own [`Functions`] into a
//! [`Program`], and run for many agents by a [`Crowd`]. What agents want done comes back as typed
//! [`commands`].
#![forbid(unsafe_code)]

mod agent_id;
mod any_value;
mod arguments;
mod blackboard;
mod board;
mod brain;
pub mod commands;
mod context;
pub mod counters;
mod crowd;
mod cx;
mod event;
mod functions;
mod fused;
mod handle;
mod host;
mod machine;
#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod macros;
mod parameters;
pub mod payload;
mod pipeline;
pub mod prelude;
mod program;
mod registry;
mod reload;
mod saved;
pub mod sealed;
mod slices;
mod solo;
pub mod trace;
mod value;
mod world;

pub use agent_id::{AgentId, CrowdNumber};
pub use any_value::AnyValue;
pub use arguments::Arguments;
pub use blackboard::{Blackboard, SetError, WrongKey};
pub use board::{Board, Key, NotStrict, Staging};
pub use brain::{Brain, think};
pub use context::{Borrowed, Context, Lends};
pub use crowd::{
    BoardMut, Crowd, Envelope, Input, InputError, Inspection, InstanceError, LookError, Missing,
    Observer, PART_FORMAT, PartAgent, QueuedEvent, Restored, RewindError, RunningTimer,
    SNAPSHOT_FORMAT, Sent, SnapshotError, SpawnError, Tick, VariantError, WakeSet, agents_of_part,
    part_of,
};
pub use crowd::{LoadError, Reloaded, SavedCrowd, SavedSummary};
pub use cx::{ActionCx, GuardCx};
pub use event::{EventFor, SendError, TypedEvent, WrongEvent};
pub use functions::{
    ActionFn, ActivityFn, Behavior, Callback, Functions, GuardFn, Kind, Named, ScorerFn, Signature,
};
pub use handle::{
    ChannelHandle, EventHandle, Handle, KeyHandle, NameIn, ParameterHandle, ScratchHandle,
    StateHandle, TimerHandle, VariantHandle, WrongHandle,
};
pub use machine::{Machine, MachineError};
pub use parameters::{ParameterChange, ParameterError, Parameters, TypedWords};
pub use payload::{Payload, PayloadOf};
#[cfg(feature = "parallel")]
pub use pipeline::RayonPool;
pub use pipeline::{
    FunctionTime, LaneCommands, Panicked, Segment, SlowCall, TickSettings, Timing, Workers,
    WrongBudget, WrongSettings,
};
pub use program::{BindError, BindProblem, Program};
pub use registry::{MachineHandle, Registry, RegistryError};
pub use reload::{
    Anew, Completed, Extent, Fate, Group, KeyPlan, Lost, Mapped, Reload, ReloadError, ReloadReport,
};
pub use saved::convert::{FormError, FormProblem};
pub use saved::{Saved, form};
pub use slices::{Slices, SlicesError, SlicesOutput};
pub use solo::{Solo, Turn, TurnDone};
pub use statewright_bytes::{Format, HeadError};
pub use statewright_symbols as symbols;
pub use statewright_symbols::{SymbolId, SymbolTable, UnknownName, WrongNames};
pub use value::{Entity, Symbol, Type, Value};
pub use world::{
    Conflict, ConflictSide, CrowdInput, CrowdKey, Entered, EventLinks, GroupError, GroupId,
    JoinError, NotHere, SavedWorld, Told, Undelivered, WORLD_FORMAT, World, WorldError, WorldInput,
    WorldInputError, WorldRewindError, WorldSnapshotError, WorldTick,
};

pub use statewright_kernel::{
    Admission, Class, Counters, Event, Fault, InboxEvent, Instance, Instance64, Instance128,
    Instance256, Mismatch, Mode, Ranged, Rng, Sleep, Status, Verdict, flag,
};
#[cfg(feature = "macros")]
pub use statewright_macros::{
    Arguments, Board, Command, Saved, Value, borrowed, functions, machine,
};
pub use statewright_rom::ids;
pub use statewright_rom::layout::PayloadKind;

/// The Rust code of README and guide is compiled and run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/guide/first-machine.md")]
    mod first_machine {}
    #[doc = include_str!("../../../docs/guide/user-code.md")]
    mod user_code {}
    #[doc = include_str!("../../../docs/guide/saying-it-once.md")]
    mod saying_it_once {}
    #[doc = include_str!("../../../docs/guide/commands.md")]
    mod commands {}
    #[doc = include_str!("../../../docs/guide/crowds.md")]
    mod crowds {}
    #[doc = include_str!("../../../docs/guide/worlds.md")]
    mod worlds {}
    #[doc = include_str!("../../../docs/guide/large-crowds.md")]
    mod large_crowds {}
    #[doc = include_str!("../../../docs/guide/saving.md")]
    mod saving {}
    #[doc = include_str!("../../../docs/guide/reload.md")]
    mod reload {}
    #[doc = include_str!("../../../docs/guide/tracing.md")]
    mod tracing {}
}
