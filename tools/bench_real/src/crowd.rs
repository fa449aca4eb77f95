//! Statewright as a crowd: whoever has nothing to do sleeps. Sending the events is part of a tick.

use statewright::{AgentId, Crowd, Envelope, InboxEvent, Input};

use super::contender::{Contender, Outcome, sorted};
use super::machine::{Real, SEED};
use super::slices::read_commands;

/// Where the random state lies in the bytes of an agent (RAM-3).
const CHANCE: std::ops::Range<usize> = 8..12;

/// Agents of a crowd.
pub struct InCrowd<R: Real> {
    crowd: Crowd<R::Board, ()>,
    agents: Vec<AgentId>,
    kept: Vec<u8>,
}

impl<R: Real> InCrowd<R> {
    /// So many agents.
    pub fn new(agents: usize) -> Result<Self, String> {
        let bound = R::machine().bind(R::functions());
        let mut crowd = Crowd::new(bound.map_err(|error| error.to_string())?, SEED);
        let agents = (0..agents).map(|place| crowd.spawn(R::board(place)));
        let agents = agents.collect();
        crowd.tick(&());
        let kept = crowd.snapshot();
        Ok(Self {
            crowd,
            agents,
            kept,
        })
    }

    fn chance(&self, agent: AgentId) -> u32 {
        let bytes = self.crowd.instance_bytes(agent).expect("nobody leaves");
        let bytes = bytes[CHANCE].try_into().expect("four bytes");
        u32::from_le_bytes(bytes)
    }
}

impl<R: Real> Contender<R> for InCrowd<R> {
    fn name(&self) -> &'static str {
        "crowd"
    }

    fn tick(&mut self, inbox: &[InboxEvent]) {
        for &InboxEvent { place, event } in inbox {
            let to = self.agents[place as usize];
            let sent = self.crowd.apply(Input::Send(Envelope { to, event }));
            sent.expect("nobody leaves");
        }
        self.crowd.tick(&());
    }

    fn keep(&mut self) {
        self.crowd.snapshot_into(&mut self.kept);
    }

    fn go_back(&mut self) {
        self.crowd.restore(&self.kept).expect("it is of this crowd");
    }

    fn outcome(&self) -> Outcome<R> {
        let agents = self.agents.iter().copied();
        let leaves = |agent| sorted(self.crowd.leaves(agent).expect("nobody leaves").into_iter());
        let board = |agent| self.crowd.board(agent).expect("nobody leaves").clone();
        Outcome {
            leaves: agents.clone().map(leaves).collect(),
            boards: agents.clone().map(board).collect(),
            chances: agents.map(|agent| self.chance(agent)).collect(),
            commands: read_commands::<R>(self.crowd.commands(), self.crowd.machine()),
            transitions: self.crowd.counters().transitions,
        }
    }
}
