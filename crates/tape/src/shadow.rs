//! Agents as they were after the last tick: what changed since then is written down, and what a tape
//! says is compared with what a crowd is (TAPE-3, level `bytes`).

use statewright::{AgentId, Board, Context, Crowd, Saved};

use crate::chosen::Chosen;
use crate::record::{Changed, TapeAgent, Wrong};

/// One agent, or nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Agent {
    /// Even where nobody is.
    generation: u32,
    instance: Vec<u8>,
    board: Vec<u8>,
}

/// All agents by index, or some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    agents: Vec<Agent>,
    /// Their indices, ascending, if it is of some alone: one at 70,000 takes the room of one.
    some: Option<Vec<u32>>,
    /// A blackboard, saved; kept for its memory.
    saved: Vec<u8>,
}

/// Both sides of an agent that differs.
#[derive(Clone, Debug)]
pub(crate) struct Sides {
    pub(crate) agent: TapeAgent,
    /// Instance and blackboard as the tape has them; nothing if nobody is there.
    pub(crate) recorded: Option<(Vec<u8>, Vec<u8>)>,
    /// The same as the crowd has them.
    pub(crate) replayed: Option<(Vec<u8>, Vec<u8>)>,
}

impl Shadow {
    /// As a crowd is now.
    pub(crate) fn of<B: Board + Saved, C: Context + ?Sized>(crowd: &Crowd<B, C>) -> Self {
        let mut shadow = Self::default();
        shadow.follow(crowd, None, |_, _, _| ());
        shadow
    }

    /// Becomes what a crowd is now; says of each agent that is another one what it was and is. Of chosen
    /// agents alone, if there are any: nobody else is looked at.
    pub(crate) fn follow<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        chosen: Option<&Chosen>,
        mut changed: impl FnMut(TapeAgent, (&[u8], &[u8]), (&[u8], &[u8])),
    ) {
        let mut saved = std::mem::take(&mut self.saved);
        let all = match chosen {
            Some(_) => 0,
            None => end(self.agents.len(), crowd),
        };
        let some = chosen.map_or(&[][..], Chosen::agents).iter();
        for index in (0..all).chain(some.map(|agent| agent.index() as usize)) {
            if index >= self.agents.len() {
                self.agents.resize_with(index + 1, Agent::default);
            }
            let old = &mut self.agents[index];
            saved.clear();
            let there = crowd.agent_at(index as u32);
            // Who came in the place of a chosen one is none of them.
            let there = there.filter(|&agent| chosen.is_none_or(|chosen| chosen.has(agent)));
            let (generation, instance) = look(crowd, there, old.generation, &mut saved);
            let same = old.generation == generation && old.instance == instance;
            if same && old.board == saved {
                continue;
            }
            let agent = TapeAgent {
                index: index as u32,
                generation,
            };
            changed(agent, (&old.instance, instance), (&old.board, &saved));
            old.generation = generation;
            old.instance.clear();
            old.instance.extend_from_slice(instance);
            std::mem::swap(&mut old.board, &mut saved);
        }
        self.saved = saved;
    }

    /// Of agents with these indices, ascending; nothing is known of them.
    pub(crate) fn of_some(indices: Vec<u32>) -> Self {
        Self {
            agents: vec![Agent::default(); indices.len()],
            some: Some(indices),
            saved: Vec::new(),
        }
    }

    /// Where the agent of an index stands.
    fn place(&self, index: u32) -> Option<usize> {
        match &self.some {
            Some(some) => some.binary_search(&index).ok(),
            None => Some(index as usize),
        }
    }

    fn known(&self, index: u32) -> Option<&Agent> {
        self.agents.get(self.place(index)?)
    }

    /// Indices of all of whom something may be known.
    fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        let all = self.some.is_none().then_some(0..self.agents.len() as u32);
        let some = self.some.iter().flatten().copied();
        all.into_iter().flatten().chain(some)
    }

    /// Becomes what a tape says.
    pub(crate) fn apply(&mut self, changed: &Changed) -> Result<(), Wrong> {
        let place = self.place(changed.agent.index);
        if self.some.is_none() && place == Some(self.agents.len()) {
            self.agents.push(Agent::default());
        }
        // Indices are taken one after the other.
        let agent = place.and_then(|place| self.agents.get_mut(place));
        let agent = agent.ok_or(Wrong("a change of an agent who never was"))?;
        agent.generation = changed.agent.generation;
        changed.instance.apply(&mut agent.instance)?;
        changed.board.apply(&mut agent.board)
    }

    /// The first agent that a crowd has another one of. Blackboards may be of another type: then they
    /// are not looked at.
    pub(crate) fn first_difference<B: Board + Saved, C: Context + ?Sized>(
        &self,
        crowd: &Crowd<B, C>,
        with_boards: bool,
    ) -> Option<Sides> {
        let nobody = Agent::default();
        let mut saved = Vec::new();
        for index in 0..end(self.agents.len(), crowd) {
            let recorded = self.agents.get(index).unwrap_or(&nobody);
            saved.clear();
            let there = crowd.agent_at(index as u32);
            let (generation, instance) = look(crowd, there, recorded.generation, &mut saved);
            let same = recorded.generation == generation && recorded.instance == instance;
            if same && (!with_boards || recorded.board == saved) {
                continue;
            }
            if !with_boards {
                saved.clone_from(&recorded.board);
            }
            let there = |generation: u32| generation % 2 == 1;
            let recorded_one = || (recorded.instance.clone(), recorded.board.clone());
            return Some(Sides {
                agent: TapeAgent {
                    index: index as u32,
                    // That of the crowd, if it has somebody there.
                    generation: if there(generation) {
                        generation
                    } else {
                        recorded.generation
                    },
                },
                recorded: there(recorded.generation).then(recorded_one),
                replayed: there(generation).then(|| (instance.to_vec(), saved.clone())),
            });
        }
        None
    }

    /// The first agent that another shadow has another one of; the other one is `replayed`.
    pub(crate) fn first_difference_to(&self, other: &Self) -> Option<Sides> {
        let nobody = Agent::default();
        let mut all: Vec<u32> = self.indices().chain(other.indices()).collect();
        all.sort_unstable();
        for index in all {
            let [one, two] = [self, other].map(|side| side.known(index).unwrap_or(&nobody));
            if one != two {
                let side = |agent: &Agent| {
                    (agent.generation % 2 == 1)
                        .then(|| (agent.instance.clone(), agent.board.clone()))
                };
                return Some(Sides {
                    agent: TapeAgent {
                        index,
                        generation: if two.generation % 2 == 1 {
                            two.generation
                        } else {
                            one.generation
                        },
                    },
                    recorded: side(one),
                    replayed: side(two),
                });
            }
        }
        None
    }
}

/// Behind the last index that either has.
fn end<B: Board, C: Context + ?Sized>(known: usize, crowd: &Crowd<B, C>) -> usize {
    let last = crowd.agents().last();
    known.max(last.map_or(0, |agent| agent.index() as usize + 1))
}

/// Generation and instance of whoever is there; the blackboard goes behind the bytes. Where
/// nobody is, all is empty, and the generation is the next even one.
fn look<'c, B: Board + Saved, C: Context + ?Sized>(
    crowd: &'c Crowd<B, C>,
    there: Option<AgentId>,
    before: u32,
    board: &mut Vec<u8>,
) -> (u32, &'c [u8]) {
    let seen = |agent: AgentId| {
        let instance = crowd.instance_bytes(agent).ok()?;
        crowd.board(agent).ok()?.save(board);
        Some((agent.generation(), instance))
    };
    there
        .and_then(seen)
        .unwrap_or((before.next_multiple_of(2), &[]))
}
