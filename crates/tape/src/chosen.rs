//! Which agents a tape is of, if not of all (TAPE-2, TAPE-5).
//!
//! ```text
//!  crowd of 100,000 ── inputs, messages, calls of 100 of them ──▶ tape ──▶ a crowd of these 100
//! ```
//!
//! Nobody else is looked at. What others send to the chosen ones is on the tape as messages, so that
//! they can be run again without them.

use statewright::sealed::{Malformed, Sealed, Turns};
use statewright::{AgentId, Board, Context, Crowd, Input, Saved};
use statewright_bytes::Writer;

use crate::recording::RecordError;

/// Agents of one crowd, in the order of their indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen(Vec<AgentId>);

impl Chosen {
    /// Those of a list that belong to a crowd; refused if one of them is not there.
    pub(crate) fn of<B: Board, C: Context + ?Sized>(
        crowd: &Crowd<B, C>,
        agents: impl IntoIterator<Item = AgentId>,
    ) -> Result<Self, RecordError> {
        let mut agents: Vec<AgentId> = agents.into_iter().collect();
        for &agent in &agents {
            crowd.board(agent).map_err(RecordError::Missing)?;
        }
        agents.sort_unstable_by_key(|agent| agent.index());
        agents.dedup();
        Ok(Self(agents))
    }

    pub(crate) fn agents(&self) -> &[AgentId] {
        &self.0
    }

    /// What is sealed of a crowd.
    pub(crate) fn sealed(&self) -> Sealed {
        Sealed::Agents(self.0.iter().map(|agent| agent.index()).collect())
    }

    pub(crate) fn has(&self, agent: AgentId) -> bool {
        self.at(agent.index()) == Some(agent)
    }

    fn at(&self, index: u32) -> Option<AgentId> {
        let place = self.0.binary_search_by_key(&index, |agent| agent.index());
        place.ok().and_then(|place| self.0.get(place)).copied()
    }

    /// Those who are there.
    pub(crate) fn living<'c, B: Board, C: Context + ?Sized>(
        &'c self,
        crowd: &'c Crowd<B, C>,
    ) -> impl Iterator<Item = AgentId> + 'c {
        let is_there = |agent: &AgentId| crowd.agent_at(agent.index()) == Some(*agent);
        self.0.iter().copied().filter(is_there)
    }

    /// Does an input concern one of them?
    pub(crate) fn concerns<B>(&self, input: &Input<B>) -> bool {
        match input {
            Input::Send(envelope) => self.has(envelope.to),
            Input::Despawn(agent)
            | Input::Reset(agent)
            | Input::Stop(agent)
            | Input::Pause(agent)
            | Input::Resume(agent)
            | Input::Written(agent)
            | Input::SetVariant(agent, _)
            | Input::ClearFlags(agent)
            | Input::Instance(agent, _) => self.has(*agent),
            // Who comes is none of them.
            Input::Spawn { .. } | Input::ResetCounters => false,
            Input::Broadcast(_)
            | Input::SetParameter(_)
            | Input::Settings(_)
            | Input::Pool(_)
            | Input::StartAt(_)
            | Input::Number(_)
            | Input::Restore(_)
            | Input::Rewind(_)
            | Input::Reload(_) => true,
        }
    }

    /// Calls of a tick without those of agents who have the index of one of them that is gone.
    pub(crate) fn calls<B: Board, C: Context + ?Sized>(
        &self,
        crowd: &Crowd<B, C>,
        calls: &[u8],
    ) -> Vec<u8> {
        let (mut turns, mut own) = (Turns::new(calls), Vec::with_capacity(calls.len()));
        while let Some((index, calls)) = turns.next_turn().unwrap_or_else(|Malformed| {
            debug_assert!(false, "the crowd wrote it in this tick");
            None
        }) {
            if self.at(index).is_some() && self.at(index) == crowd.agent_at(index) {
                own.put_varint(index.into());
                own.put_u32(calls.len() as u32);
                own.put(calls);
            }
        }
        own
    }
}

/// What some agents and their blackboards come to; `saved` is used for its memory.
pub(crate) fn part_digests<B: Board + Saved, C: Context + ?Sized>(
    crowd: &Crowd<B, C>,
    agents: impl Iterator<Item = AgentId>,
    saved: &mut Vec<u8>,
) -> [u64; 2] {
    agents.fold([0; 2], |[instances, boards], agent| {
        let instance = crowd.agent_digest(agent).unwrap_or(0);
        let board = crowd.board_digest_at(agent.index(), saved);
        [instances.wrapping_add(instance), boards.wrapping_add(board)]
    })
}
