//! Machines written in Rust.
//!
//! Comes in: closures that describe a machine. Goes out: the same [`graph::Machine`] that the
//! text form gives, with readable steps such as `state combat > on Sight` as spans, and the
//! problems found on the way. Nothing panics: a bad name or duration and a field given twice are
//! problems, everything else is the compiler's to check. References are names, so a transition may
//! go to a state that is declared later.
//!
//! ```
//! use statewright_author::builder::action;
//! use statewright_author::graph::Machine;
//! use statewright_author::value::{Class, Tier, ValueType};
//!
//! let (machine, problems) = Machine::build("Soldier", |m| {
//!     m.tier(Tier::Standard).tick_rate(60);
//!     m.event("Sight").payload(ValueType::Entity).class(Class::Interrupt);
//!     m.key("health", 100);
//!     m.key_of("target", ValueType::Entity);
//!     m.parameter("flee_below", 30);
//!     m.variant("elite").set("flee_below", 10);
//!
//!     m.initial("idle");
//!     m.state("idle", |s| {
//!         s.entry("StartPatrol").activity("Patrol");
//!         s.on("Sight").guard("HasAmmo").go("combat").run("target = event");
//!     });
//!     m.state("combat", |s| {
//!         s.always().guard("health < flee_below").go("flee");
//!         s.region("movement", |r| {
//!             r.initial("approach");
//!             r.state("approach", |s| {
//!                 s.after("1.5s").go("circle");
//!             });
//!             r.state("circle", |s| {
//!                 s.on_done().go("approach");
//!             });
//!         });
//!         s.region("weapon", |r| {
//!             r.initial("aim");
//!             r.state("aim", |s| {
//!                 s.entry(action::call("Fire").with("power", 3));
//!             });
//!         });
//!     });
//!     m.state("flee", |s| {
//!         s.min_active("2s").entry(action::emit("Shout", "audio"));
//!     });
//! });
//! assert!(problems.is_empty());
//! assert_eq!(machine.root.regions[0].states.len(), 3);
//! ```

pub mod action;
mod declarations;
mod machine;
mod part;
mod region;
mod state;
mod transition;
mod values;

pub use machine::{MachineBuilder, Policy};
pub use part::Part;
pub use transition::AnyState;
pub use values::Time;

use crate::diagnostic::Diagnostics;
use crate::graph;

/// Builds an event type.
pub type EventBuilder<'a> = Part<'a, graph::Event>;
/// Builds a blackboard key.
pub type KeyBuilder<'a> = Part<'a, graph::Key>;
/// Builds a parameter.
pub type ParameterBuilder<'a> = Part<'a, graph::Parameter>;
/// Builds a variant.
pub type VariantBuilder<'a> = Part<'a, graph::Variant>;
/// Builds a channel.
pub type ChannelBuilder<'a> = Part<'a, graph::Channel>;
/// Builds a lane.
pub type LaneBuilder<'a> = Part<'a, graph::Lane>;
/// Builds a timer.
pub type TimerBuilder<'a> = Part<'a, graph::Timer>;
/// Builds an observer.
pub type ObserverBuilder<'a> = Part<'a, graph::Observer>;
/// Builds the declaration of a function.
pub type FunctionBuilder<'a> = Part<'a, graph::Function>;
/// Builds a set of transitions.
pub type TransitionSetBuilder<'a> = Part<'a, graph::TransitionSet>;
/// Builds a state.
pub type StateBuilder<'a> = Part<'a, graph::State>;
/// Builds the use of a part.
pub type PartUseBuilder<'a> = Part<'a, graph::PartUse>;
/// Builds a region.
pub type RegionBuilder<'a> = Part<'a, graph::Region>;
/// Builds a default entry.
pub type InitialBuilder<'a> = Part<'a, graph::Initial>;
/// Builds a history point.
pub type HistoryBuilder<'a> = Part<'a, graph::HistoryPoint>;
/// Builds scratch slots.
pub type ScratchBuilder<'a> = Part<'a, graph::Scratch>;
/// Builds a transition.
pub type TransitionBuilder<'a> = Part<'a, graph::Transition>;
/// Builds a branch of a choice.
pub type BranchBuilder<'a> = Part<'a, graph::Branch>;
/// Builds a decision.
pub type DecisionBuilder<'a> = Part<'a, graph::Decision>;

impl graph::Machine {
    /// Builds a machine in Rust: see [`builder`](crate::builder). The machine is as complete as its
    /// author made it, also when there are problems.
    pub fn build(
        name: impl Into<String>,
        describe: impl FnOnce(&mut MachineBuilder<'_>),
    ) -> (Self, Diagnostics) {
        machine::build(name.into(), describe)
    }
}
