//! Commands that were refused: who wanted what, and why not (CMD-2).
//!
//! A writer keeps the first few of its agents. The list of a tick is the first few of all, in the
//! order of agents and of emission, so that it is the same whatever chunks there are.

use std::fmt;

use statewright_rom::ids::*;

use super::record::{Head, Lane};
use crate::agent_id::AgentId;
use crate::machine::Machine;

/// Most commands that the list of a tick has: what is lost is counted all the same.
pub const MAX_LOST: usize = 1024;

/// A command that an agent lost: there was no room for it, and nothing of it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostCommand {
    head: Head,
    /// Name of a command type of the user's own.
    typed: &'static str,
    why: WhyLost,
}

/// Why a command was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WhyLost {
    /// The agent has written all bytes that it may in one tick.
    Budget,
    /// The rest of them is for critical lanes, and the command's is none.
    Reserved,
    /// The agent has written as many commands into the lane as it may.
    Cap,
}

impl fmt::Display for WhyLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Budget => "the agent's budget is spent",
            Self::Reserved => "the rest of the agent's budget is for critical lanes",
            Self::Cap => "the agent's cap of the lane is reached",
        })
    }
}

impl LostCommand {
    pub(crate) fn new(head: &Head, typed: &'static str, why: WhyLost) -> Self {
        Self {
            head: *head,
            typed,
            why,
        }
    }

    /// Who wanted it.
    pub fn agent(&self) -> AgentId {
        self.head.agent
    }

    /// Where it should have gone.
    pub fn lane(&self) -> Lane {
        Lane::at(self.head.lane)
    }

    /// Bytes of its payload.
    pub fn bytes(&self) -> usize {
        self.head.length.into()
    }

    /// What it would have taken from the agent's budget.
    pub fn cost(&self) -> usize {
        self.head.size()
    }

    /// Why it was lost.
    pub fn why(&self) -> WhyLost {
        self.why
    }

    /// The state that it belongs to; none for staged writes.
    pub fn state(&self) -> Option<StateId> {
        StateId::new(self.head.state)
    }

    /// What it is, for people: `PlaySound`, `release of legs`, `message Hit`, `write of health`.
    pub fn name(&self, machine: &Machine) -> String {
        self.head.named_as(machine, || self.typed.to_owned())
    }

    /// The whole sentence.
    pub fn told(&self, machine: &Machine) -> String {
        format!(
            "{} lost `{}` ({} bytes) for lane {}: {}",
            self.agent(),
            self.name(machine),
            self.bytes(),
            machine.lane_name(self.lane()),
            self.why
        )
    }
}
