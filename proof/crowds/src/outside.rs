//! What happens to a crowd between ticks: pseudo-random, the same for all crowds that are compared.

use statewright::prelude::*;
use statewright::{Blackboard, ids};
use statewright_generator::Rng;

use crate::user::Crowd;
use crate::wake::variant;

/// A stream of things that happen.
pub struct Outside {
    rng: Rng,
    /// Everybody who ever was.
    known: Vec<AgentId>,
}

impl Outside {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self {
            rng: Rng::new(seed ^ 0x0C0F_FEE0),
            known: Vec::new(),
        }
    }

    /// Does the same to all crowds.
    pub fn happen(&mut self, crowds: &mut [Crowd]) {
        let machine = crowds[0].machine().clone();
        for _ in 0..self.rng.below(4) {
            match self.rng.below(16) {
                0 => {
                    let variant = variant(&machine, self.rng.below(3));
                    let spawn =
                        |crowd: &mut Crowd| crowd.spawn_as(Blackboard::new(&machine), variant);
                    let agents: Vec<AgentId> = crowds.iter_mut().map(spawn).collect();
                    assert!(
                        agents.iter().all(|agent| *agent == agents[0]),
                        "places are chosen the same way"
                    );
                    self.known.push(agents[0]);
                }
                1 => self.change(crowds, |crowd, agent| crowd.despawn(agent)),
                2 => self.change(crowds, |crowd, agent| crowd.reset(agent)),
                3 => self.change(crowds, |crowd, agent| crowd.pause(agent)),
                4 | 5 => self.change(crowds, |crowd, agent| crowd.resume(agent)),
                6 => self.write(crowds),
                7 => self.change(crowds, |crowd, agent| crowd.stop(agent)),
                8 => {
                    let variant = variant(&machine, self.rng.below(3));
                    self.change(crowds, |crowd, agent| crowd.set_variant(agent, variant));
                }
                _ => self.send(crowds),
            }
        }
    }

    /// The agents that were spawned elsewhere.
    pub fn know(&mut self, agents: impl IntoIterator<Item = AgentId>) {
        self.known.extend(agents);
    }

    fn change<E: PartialEq>(
        &mut self,
        crowds: &mut [Crowd],
        change: impl Fn(&mut Crowd, AgentId) -> Result<(), E>,
    ) {
        let Some(&agent) = self.rng.pick(&self.known) else {
            return;
        };
        let results: Vec<_> = crowds
            .iter_mut()
            .map(|crowd| change(crowd, agent))
            .collect();
        assert!(
            results.iter().all(|result| *result == results[0]),
            "all crowds have the same agents"
        );
    }

    fn send(&mut self, crowds: &mut [Crowd]) {
        let events = crowds[0].machine().rom().events().len();
        let machine = crowds[0].machine();
        if events == 0 {
            return;
        }
        let Some(event) = ids::EventId::from_index(self.rng.below(events as u32) as usize)
            .and_then(|event| machine.handle(event))
        else {
            return;
        };
        // Whatever the event carries.
        let payload = [self.rng.below(7), 0, 0, 0];
        if self.rng.chance(4) {
            crowds
                .iter_mut()
                .for_each(|crowd| crowd.broadcast(event, payload).expect("an event of theirs"));
        } else {
            self.change(crowds, |crowd, agent| crowd.send(agent, event, payload));
        }
    }

    /// Writes to a blackboard from outside: whoever waits for that must see it.
    fn write(&mut self, crowds: &mut [Crowd]) {
        let Some(&agent) = self.rng.pick(&self.known) else {
            return;
        };
        let keys = crowds[0].machine().rom().keys().len() as u32;
        if keys == 0 {
            return;
        }
        let (field, words) = (self.rng.below(keys) as usize, [self.rng.below(4), 0, 0]);
        for crowd in crowds {
            if let Ok(mut board) = crowd.board_mut(agent) {
                board.write(field, words);
            }
        }
    }
}
