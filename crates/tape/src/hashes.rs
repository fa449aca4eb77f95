//! A hash of every agent that changed in a tick (TAPE-3, level `agents`): replay names the agent, not the field.

use statewright::{AgentId, Board, Context, Crowd, Saved};

use crate::chosen::Chosen;
use crate::record::{AgentHash, TapeAgent, Wrong};

/// Agents that may come and go between two ticks without a word, so that no number in a tape takes much
/// memory.
const MOST_UNTOLD: usize = 1 << 16;

/// Hashes of all agents by index, or of some, as they were after the last tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hashes {
    agents: Vec<AgentHash>,
    /// Whether it is of some alone: then they stand in the order of their indices.
    is_some: bool,
    /// A blackboard, saved; kept for its memory.
    saved: Vec<u8>,
}

impl Hashes {
    /// As a crowd is now.
    pub(crate) fn of<B: Board + Saved, C: Context + ?Sized>(crowd: &Crowd<B, C>) -> Self {
        let mut hashes = Self::default();
        hashes.follow_all(crowd, |_| ());
        hashes
    }

    /// Becomes what a crowd is after a tick; tells of each agent that is another one.
    pub(crate) fn follow<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        mut changed: impl FnMut(&AgentHash),
    ) {
        match crowd.looked_at() {
            // Nothing of the others changed.
            Some(indices) => {
                for &index in indices {
                    self.look(crowd, (index, crowd.agent_at(index)), &mut changed);
                }
            }
            None => self.follow_all(crowd, changed),
        }
    }

    /// The same, where anybody may be another one.
    pub(crate) fn follow_all<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        mut changed: impl FnMut(&AgentHash),
    ) {
        for index in 0..self.end(crowd) {
            self.look(crowd, (index, crowd.agent_at(index)), &mut changed);
        }
    }

    /// The same, where nobody else is looked at.
    pub(crate) fn follow_some<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        chosen: &Chosen,
        mut changed: impl FnMut(&AgentHash),
    ) {
        for agent in chosen.agents() {
            // Who came in the place of a chosen one is none of them.
            let there = crowd.agent_at(agent.index()).filter(|now| now == agent);
            self.look(crowd, (agent.index(), there), &mut changed);
        }
    }

    fn end<B: Board, C: Context + ?Sized>(&self, crowd: &Crowd<B, C>) -> u32 {
        crowd.slot_boards().len().max(self.agents.len()) as u32
    }

    fn look<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        (index, there): (u32, Option<AgentId>),
        changed: &mut impl FnMut(&AgentHash),
    ) {
        let new = self.hash(crowd, index, there);
        let place = self.place(index);
        if *place != new {
            *place = new;
            changed(place);
        }
    }

    /// Whoever is there at an index; where nobody is, all is 0 and the generation the next even one.
    fn hash<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        index: u32,
        there: Option<AgentId>,
    ) -> AgentHash {
        let before = self.place(index).agent.generation;
        let generation = there.map_or(before.next_multiple_of(2), |agent| agent.generation());
        let instance = there.and_then(|agent| crowd.agent_digest(agent).ok());
        AgentHash {
            agent: TapeAgent { index, generation },
            instance: instance.unwrap_or(0),
            board: there.map_or(0, |_| crowd.board_digest_at(index, &mut self.saved)),
        }
    }

    /// The place of an index, which is nobody's at first.
    fn place(&mut self, index: u32) -> &mut AgentHash {
        let known = self.agents.len() as u32;
        self.agents.extend((known..=index).map(AgentHash::nobody));
        &mut self.agents[index as usize]
    }

    /// Of agents with these indices, ascending; nothing is known of them.
    pub(crate) fn of_some(indices: Vec<u32>) -> Self {
        Self {
            agents: indices.into_iter().map(AgentHash::nobody).collect(),
            is_some: true,
            saved: Vec::new(),
        }
    }

    fn known(&self, index: u32) -> Option<&AgentHash> {
        let place = match self.is_some {
            true => self
                .agents
                .binary_search_by_key(&index, |one| one.agent.index),
            false => Ok(index as usize),
        };
        place.ok().and_then(|place| self.agents.get(place))
    }

    /// Becomes what a tape says.
    pub(crate) fn apply(&mut self, hash: &AgentHash) -> Result<(), Wrong> {
        let index = hash.agent.index;
        let who = Wrong("a hash of an agent who never was");
        if self.is_some {
            let place = self
                .agents
                .binary_search_by_key(&index, |one| one.agent.index);
            self.agents[place.map_err(|_| who)?] = *hash;
            return Ok(());
        }
        // Indices are taken one after the other, and who came and went between two ticks is not told.
        if index as usize > self.agents.len() + MOST_UNTOLD {
            return Err(who);
        }
        *self.place(index) = *hash;
        Ok(())
    }

    /// The first agent that a crowd has another one of. Blackboards may be of another type: then they
    /// are not looked at.
    pub(crate) fn first_difference<B: Board + Saved, C: Context + ?Sized>(
        &self,
        crowd: &Crowd<B, C>,
        with_boards: bool,
    ) -> Option<TapeAgent> {
        let mut now = Self::of(crowd);
        if !with_boards {
            for (now, known) in now.agents.iter_mut().zip(&self.agents) {
                now.board = known.board;
            }
        }
        self.first_difference_to(&now)
    }

    /// The first agent that another run has another one of.
    pub(crate) fn first_difference_to(&self, other: &Self) -> Option<TapeAgent> {
        let both = self.agents.iter().chain(&other.agents);
        let mut all: Vec<u32> = both.map(|hash| hash.agent.index).collect();
        all.sort_unstable();
        all.into_iter().find_map(|index| {
            let nobody = AgentHash::nobody(index);
            let [one, two] = [self, other].map(|side| side.known(index).copied().unwrap_or(nobody));
            let gone = |hash: &AgentHash| hash.agent.generation.is_multiple_of(2);
            let same = one == two || gone(&one) && gone(&two);
            let shown = if gone(&two) { one.agent } else { two.agent };
            (!same).then_some(shown)
        })
    }
}
