//! The end of a tick: who sleeps, and who gets what agents sent to each other (CMD-4).

use bevy_ecs::system::{Local, Query, ResMut};
use statewright::{AgentId, Event};

use crate::agent::{Group, Groups, StableId};
use crate::intake::members_of;
use crate::problems::Problems;
use crate::roster::{Agents, Outcome};
use crate::state::{AgentState, Letter};

/// All kinds have had their tick.
pub(crate) fn finish(
    mut agents: ResMut<'_, Agents>,
    mut state: ResMut<'_, AgentState>,
    mut problems: ResMut<'_, Problems>,
    mut work: ResMut<'_, Outcome>,
    members: Query<'_, '_, (&StableId, &Groups)>,
    mut heard: Local<'_, Vec<AgentId>>,
) {
    let (agents, state, problems) = (&mut *agents, &mut *state, &mut *problems);
    agents.finish(&mut work, state, problems);
    let sent = &work.sent;
    for &(from, program, to, event) in sent {
        match Group::of(to) {
            // An agent who speaks to its own group does not hear itself.
            Some(group) => {
                members_of(group, &members, &mut heard);
                for &to in heard.iter().filter(|&&to| to != from) {
                    deliver(agents, state, problems, program, to, event);
                }
            }
            None => deliver(agents, state, problems, program, to, event),
        }
    }
}

/// To one agent, in the language of its machine.
fn deliver(
    agents: &mut Agents,
    state: &mut AgentState,
    problems: &mut Problems,
    from: u16,
    to: AgentId,
    event: Event,
) {
    let program = agents.programs.get(to.index() as usize).copied();
    let Some(program) = program.filter(|_| state.has(to)) else {
        problems.lost_to_nobody += 1;
        return;
    };
    if agents.machines.len() <= usize::from(program) {
        problems.lost_not_ready += 1;
        return;
    }
    match agents.translate(from, program, event) {
        Some(event) => state.letters.push(Letter { to, event }),
        None => problems.lost_unknown += 1,
    }
}
