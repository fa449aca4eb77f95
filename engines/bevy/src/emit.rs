//! What is told on request: states that were entered and left, and commands, as Bevy messages or
//! entity events.

use bevy_ecs::entity::Entity;
use bevy_ecs::event::EntityEvent;
use bevy_ecs::message::{Message, MessageReader, MessageWriter};
use bevy_ecs::system::{Commands, Local, Res};
use statewright::commands::Command;
use statewright::ids::{StateId, TransitionId};
use statewright::trace::{Kind, Record};
use statewright::{AgentId, StateHandle};

use crate::outputs::{AgentCommands, Outputs};
use crate::roster::Agents;
use crate::state::AgentState;

/// What is told of states. Whoever wants to know pays for it: agents that are told of go the slower way
/// of agents that are traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    /// Nothing.
    #[default]
    Nothing,
    /// [`StateChanged`] messages.
    Messages,
    /// The same, and an entity event for each, which observers hear: for few agents.
    Triggers,
}

/// A state was entered or left, or a transition taken. In the order of agents, and of each in the order in
/// which it happened.
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateChanged {
    /// The entity that the agent lives on.
    pub entity: Entity,
    /// The agent.
    pub agent: AgentId,
    /// What happened.
    pub change: Change,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A state was entered.
    Entered(StateHandle),
    /// A state was left.
    Exited(StateHandle),
    /// A transition was taken, by its number in the machine.
    Taken(TransitionId),
}

/// Reads what was traced.
pub(crate) fn tell_states(
    outputs: Res<'_, Outputs>,
    agents: Res<'_, Agents>,
    state: Res<'_, AgentState>,
    mut changes: MessageWriter<'_, StateChanged>,
    mut sorted: Local<'_, Vec<(u32, u32, StateChanged)>>,
) {
    sorted.clear();
    for (program, output) in outputs.ran() {
        let Some(program) = agents.machines.get(usize::from(program)) else {
            continue;
        };
        for record in output.trace() {
            let place = sorted.len() as u32;
            let slot = record.agent.get();
            let entity = || {
                let agent = state.at(slot as usize)?;
                Some((agents.entity(agent)?, agent))
            };
            if let Some(change) = change_of(record, &program.machine)
                && let Some((entity, agent)) = entity()
            {
                let change = StateChanged {
                    entity,
                    agent,
                    change,
                };
                sorted.push((slot, place, change));
            }
        }
    }
    sorted.sort_unstable_by_key(|&(slot, place, _)| (slot, place));
    changes.write_batch(sorted.iter().map(|(_, _, change)| *change));
}

fn change_of(record: &Record, machine: &statewright::Machine) -> Option<Change> {
    let subject = record.subject.get();
    let state = || machine.handle(StateId::new(subject)?);
    match record.kind()? {
        Kind::Entered => Some(Change::Entered(state()?)),
        Kind::Exited => Some(Change::Exited(state()?)),
        Kind::Transition => Some(Change::Taken(TransitionId::new(subject)?)),
        Kind::Present
        | Kind::Started
        | Kind::Latched
        | Kind::Unhandled
        | Kind::Deferred
        | Kind::Leaf
        | Kind::Terminated
        | Kind::Faulted
        | Kind::Panicked
        | Kind::Clamped
        | Kind::FailSafe
        | Kind::Lost
        | Kind::Despawned
        | Kind::Timer
        | Kind::Suspended
        | Kind::Resumed
        | Kind::TimerSet
        | Kind::TimerStopped
        | Kind::EventLost
        | Kind::Wrote
        | Kind::Command
        | Kind::Event
        | Kind::Guard
        | Kind::Activity
        | Kind::Rejected
        | Kind::More
        | Kind::Read
        | Kind::Asked
        | Kind::Score
        | Kind::Drew
        | Kind::Gave => None,
    }
}

/// For observers.
pub(crate) fn trigger_states(
    mut changes: MessageReader<'_, '_, StateChanged>,
    mut commands: Commands<'_, '_>,
) {
    for &change in changes.read() {
        commands.trigger(change);
    }
}

/// A typed command as a Bevy message ([`add_command_message`](crate::AppAgents::add_command_message)).
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub struct CommandMessage<T: Send + Sync + 'static> {
    /// The entity whose agent wants it.
    pub entity: Entity,
    /// What it wants.
    pub command: T,
}

/// Writes commands of one type.
pub(crate) fn write<T: Command + Send + Sync + 'static>(
    commands: AgentCommands<'_>,
    mut messages: MessageWriter<'_, CommandMessage<T>>,
) {
    let all = commands.of::<T>();
    messages.write_batch(all.map(|(entity, command)| CommandMessage { entity, command }));
}
