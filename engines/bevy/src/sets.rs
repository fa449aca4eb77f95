//! When things happen in a tick.

use bevy_ecs::schedule::SystemSet;

/// The steps of a tick, one after the other, in the schedule of the
/// [plugin](crate::StatewrightPlugin).
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatewrightSystems {
    /// Machines are bound and reloaded, new agents get their bytes, events find their receivers.
    Intake,
    /// Agents think.
    Tick,
    /// Yours: what agents want done is done. [`AgentCommands`](crate::AgentCommands) has it, in the
    /// order of agents.
    Commit,
    /// What was asked for is told: commands as messages, states that were entered and left, markers.
    Emit,
    /// For whoever looks on.
    Debug,
}
