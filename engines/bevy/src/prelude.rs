//! What programs need most, of this crate and of Statewright. Nothing here has a name of Bevy's prelude:
//! `#[derive(statewright::Command)]` and `statewright::Entity` are written out.

pub use crate::{
    Agent, AgentCommands, AgentNumber, AgentTrace, AgentVariant, AppAgents, Brains, Group, Groups,
    MachineAsset, Signal, StableId, StateMarker, StatewrightPlugin, StatewrightSystems, Tell,
};
pub use statewright::{
    ActionCx, AgentId, Behavior, Board, Functions, GuardCx, Machine, Mode, Status, Symbol, Verdict,
    borrowed, functions,
};
