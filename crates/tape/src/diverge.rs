//! What became of a fork beside the run that it comes from: which agents, ticks and transitions differ
//! (TAPE-8).

use std::collections::BTreeMap;

use statewright::{AgentId, Blackboard, Crowd};

use crate::file::Tape;
use crate::record::TapeAgent;
use crate::replay::ReplayError;
use crate::sealed::{Answers, SealedProgram};

/// An agent that is another one in the fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentDivergence {
    /// The agent.
    pub agent: TapeAgent,
    /// The first tick after which it differed.
    pub tick: u64,
    /// Ticks after which it differed.
    pub ticks: u64,
    /// Where it was then, in the recorded run and in the fork; nothing if it was not there.
    pub leaves: [Option<String>; 2],
    /// Where it is at the end.
    pub end: [Option<String>; 2],
}

/// A tick in which an agent went somewhere else, or at another time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The tick.
    pub tick: u64,
    /// The agent.
    pub agent: TapeAgent,
    /// Where it went, in the recorded run and in the fork; nothing if it stayed where it was.
    pub to: [Option<String>; 2],
}

/// What differs between a run and its fork.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Divergence {
    /// Ticks that both have.
    pub ticks: u64,
    /// Agents that both have at the end, or one of them.
    pub agents: u64,
    /// Those that differ, the first ones first.
    pub differing: Vec<AgentDivergence>,
    /// What they did otherwise, in order.
    pub moved: Vec<Moved>,
}

type Agents = Crowd<Blackboard, Answers>;

/// Compares a sealed tape with a fork of it, tick by tick from where the fork begins.
pub fn diverge(
    original: &Tape<'_>,
    fork: &Tape<'_>,
    mut ticked: impl FnMut(u64),
) -> Result<Divergence, ReplayError> {
    let [one, two] = [SealedProgram::of(original)?, SealedProgram::of(fork)?];
    let start = fork.checkpoints().next().ok_or(ReplayError::Empty)?;
    let mut left = one.replay(original, start)?;
    let mut right = two.replay(fork, start)?;
    while left.crowd().now() < start && left.step(|crowd| one.tick(crowd))? {}
    let mut found: BTreeMap<AgentId, AgentDivergence> = BTreeMap::new();
    let mut divergence = Divergence::default();
    loop {
        let tick = left.crowd().now();
        let before = [paths(left.crowd()), paths(right.crowd())];
        // The fork first: where it ends, the original may go on with other agents.
        if !right.step(|crowd| two.tick(crowd))? || !left.step(|crowd| one.tick(crowd))? {
            break;
        }
        divergence.ticks += 1;
        ticked(divergence.ticks);
        let sides = [left.crowd(), right.crowd()];
        let after = sides.map(paths);
        let [one_machine, two_machine] = sides.map(|crowd| crowd.machine().structure_hash());
        let is_same_machine = one_machine == two_machine;
        let mut agents: Vec<AgentId> = sides.iter().flat_map(|crowd| crowd.agents()).collect();
        agents.sort_unstable();
        agents.dedup();
        for agent in agents {
            let to = [0, 1].map(|side: usize| {
                let now = after[side].get(&agent);
                now.filter(|now| before[side].get(&agent) != Some(now))
                    .cloned()
            });
            if to[0] != to[1] {
                let agent = agent.into();
                divergence.moved.push(Moved { tick, agent, to });
            }
            let [left, right] = sides.map(|crowd| crowd.agent_digest(agent).ok());
            let leaves = [0, 1].map(|side: usize| after[side].get(&agent).cloned());
            let same = match is_same_machine {
                true => left == right,
                // Bytes mean something else: places by their names are what can be compared.
                false => leaves[0] == leaves[1],
            };
            if same {
                continue;
            }
            let one = found.entry(agent).or_insert_with(|| AgentDivergence {
                agent: agent.into(),
                tick,
                ticks: 0,
                leaves: leaves.clone(),
                end: [None, None],
            });
            one.ticks += 1;
        }
    }
    let end = [paths(left.crowd()), paths(right.crowd())];
    divergence.agents = end[0].len().max(end[1].len()) as u64;
    for (agent, mut one) in found {
        one.end = [0, 1].map(|side: usize| end[side].get(&agent).cloned());
        divergence.differing.push(one);
    }
    divergence
        .differing
        .sort_by_key(|one| (one.tick, one.agent));
    Ok(divergence)
}

/// Where everybody is.
fn paths(crowd: &Agents) -> BTreeMap<AgentId, String> {
    let agents = crowd.agents();
    agents
        .filter_map(|agent| Some((agent, crowd.path(agent).ok()?)))
        .collect()
}
