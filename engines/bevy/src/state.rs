//! What must go back when time goes back: everything that decides what agents do next and is on no
//! entity.

use bevy_ecs::resource::Resource;
use statewright::{AgentId, Event};
use zerocopy::IntoBytes;

use crate::free::Free;

/// The tick, whose ids are taken, events under way, and who is to be stopped. With the components of agents
/// it is all that a rollback has to keep: it is `Clone` and `Hash`. One thing more decides, if a game uses
/// it: [`Config::parameters`](crate::Config::parameters).
#[derive(Resource, Clone, Debug, Default)]
pub struct AgentState {
    /// The next tick.
    pub(crate) now: u64,
    /// All randomness comes from it.
    pub(crate) seed: u64,
    /// How many agents began and ended at an index: odd while there is one.
    pub(crate) generations: Vec<u32>,
    /// Indices without agent that the plugin may give away again. They follow from generations.
    pub(crate) free: Free,
    /// Events for the next tick: first what was left over, then messages of agents by sender.
    pub(crate) letters: Vec<Letter>,
    /// Agents that are stopped as soon as they can be, by their ids: in the order of calls it would depend
    /// on systems that nothing orders.
    pub(crate) stopping: Vec<AgentId>,
}

/// An event under way to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) to: AgentId,
    pub(crate) event: Event,
}

impl AgentState {
    /// The next tick.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Is there an agent with this id?
    pub fn has(&self, agent: AgentId) -> bool {
        self.at(agent.index() as usize) == Some(agent)
    }

    /// May an agent begin at an index? Nobody is there, and its last generation is not gone.
    pub(crate) fn is_vacant(&self, index: usize) -> bool {
        let generation = self.generations.get(index);
        generation.is_none_or(|&now| now % 2 == 0 && now + 1 < AgentId::GENERATIONS)
    }

    /// How many events are under way to agents: left over, or sent by agents in the last tick.
    pub fn events_under_way(&self) -> usize {
        self.letters.len()
    }

    /// The agent at an index, if there is one.
    pub fn at(&self, index: usize) -> Option<AgentId> {
        let generation = *self.generations.get(index)?;
        (generation % 2 == 1).then(|| AgentId::new(index as u32, generation))
    }

    /// An agent is stopped in the next tick: it leaves all its states, with their exit actions, and ends.
    /// Its entity stays. One whose machine is not loaded yet, or that cannot be reached, is stopped as soon
    /// as that is over; one that is gone has no stop.
    pub fn stop(&mut self, agent: AgentId) {
        if let Err(place) = self.stopping.binary_search(&agent) {
            self.stopping.insert(place, agent);
        }
    }

    /// These were stopped, by index and in order; those who are gone need no stop any more.
    pub(crate) fn forget_stops(&mut self, stopped: &[u32]) {
        let mut stopping = std::mem::take(&mut self.stopping);
        stopping.retain(|&agent| self.has(agent) && stopped.binary_search(&agent.index()).is_err());
        self.stopping = stopping;
    }

    /// Somebody begins at an index; nobody is there.
    pub(crate) fn begin(&mut self, index: usize, numbers_from: u32) -> AgentId {
        let behind = self.generations.len();
        if behind <= index {
            self.generations.resize(index + 1, 0);
            // Whoever asked for a high number leaves lower ones for others.
            self.free.insert(behind.max(numbers_from as usize)..index);
        }
        // A number of the user's own may be one that was free.
        self.free.remove(index);
        self.generations[index] += 1;
        AgentId::new(index as u32, self.generations[index])
    }

    /// Somebody ends. Its index is free again, unless its last generation is gone or the number is one
    /// of the user's own.
    pub(crate) fn end(&mut self, agent: AgentId, numbers_from: u32) {
        if !self.has(agent) {
            return;
        }
        let index = agent.index() as usize;
        self.generations[index] += 1;
        if index >= numbers_from as usize && self.is_vacant(index) {
            self.free.insert(index..index + 1);
        }
    }

    /// Generations are those of a snapshot: what is free follows from them.
    pub(crate) fn find_free(&mut self, numbers_from: u32) {
        self.free = Free::default();
        for index in numbers_from as usize..self.generations.len() {
            if self.is_vacant(index) {
                self.free.insert(index..index + 1);
            }
        }
    }

    /// The lowest free index that the plugin may give away.
    pub(crate) fn free_index(&self, numbers_from: u32) -> usize {
        let behind = self.generations.len().max(numbers_from as usize);
        self.free.lowest().unwrap_or(behind)
    }
}

impl std::hash::Hash for AgentState {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.now, self.seed).hash(state);
        self.generations.hash(state);
        for letter in &self.letters {
            (letter.to, letter.event.as_bytes()).hash(state);
        }
        self.stopping.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_those_who_are_gone_mean_nobody_and_the_lowest_index_is_used_first() {
        let mut state = AgentState::default();
        let ids: Vec<AgentId> = (0..4)
            .map(|_| {
                let index = state.free_index(10);
                state.begin(index, 10)
            })
            .collect();
        assert_eq!(
            ids.iter().map(|id| id.index()).collect::<Vec<_>>(),
            [10, 11, 12, 13]
        );
        let own = state.begin(3, 10);
        for gone in [ids[3], ids[0], ids[2], own] {
            state.end(gone, 10);
            state.end(gone, 10);
            assert!(!state.has(gone));
        }
        assert_eq!(state.free.lowest(), Some(10), "not that of the user");
        let index = state.free_index(10);
        let next = state.begin(index, 10);
        assert_eq!((next.index(), next.generation()), (10, 3));
        assert_ne!(next, ids[0]);
        // Ids of others who have the same index and generation.
        assert!(state.has(next) && !state.has(next.in_crowd(statewright::CrowdNumber::MAX)));
        let mut again = AgentState {
            generations: state.generations.clone(),
            ..AgentState::default()
        };
        again.find_free(10);
        assert_eq!(again.free_index(10), state.free_index(10));
        assert_eq!(again.free_index(10), 12);
    }

    #[test]
    fn a_high_number_leaves_lower_ones_for_others() {
        let mut state = AgentState::default();
        state.begin(100_000, 10);
        for index in 10..200 {
            assert_eq!(state.free_index(10), index);
            state.begin(index, 10);
        }
        // Its own number may be one of these.
        state.begin(300, 10);
        state.begin(200, 10);
        assert_eq!(state.free_index(10), 201);
    }

    #[test]
    fn an_index_whose_last_generation_is_gone_is_not_used_again() {
        let mut state = AgentState::default();
        let mut last = AgentId::default();
        while state.is_vacant(0) {
            last = state.begin(0, 0);
            state.end(last, 0);
        }
        assert_eq!(last.generation(), AgentId::GENERATIONS - 1);
        assert_eq!(state.generations, [AgentId::GENERATIONS]);
        assert_eq!((state.at(0), state.free_index(0)), (None, 1));
    }
}
