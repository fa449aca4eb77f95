//! What all jobs of a tick share.

use statewright_kernel::Mismatch;
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use super::timing::Timing;
use crate::agent_id::AgentId;
use crate::commands::CommandLimits;
use crate::crowd::Roster;
use crate::machine::Machine;
use crate::program::{Sleepers, TickTable};
use crate::sealed::Sealed;

/// Who the agents of a tick are, or those of one of its jobs, by index.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AgentIds<'a> {
    /// Those of a crowd.
    Crowd(Roster<'a>),
    /// Ids that the host gave, one each from an index on.
    Given {
        /// Index of the first.
        first: usize,
        /// The ids.
        ids: &'a [AgentId],
    },
}

impl AgentIds<'_> {
    /// The agent at an index. Seldom asked for, so not kept: it is a look into memory that nobody
    /// else needs.
    #[inline]
    pub(crate) fn at(self, index: usize) -> AgentId {
        match self {
            Self::Crowd(roster) => roster.at(index),
            Self::Given { first, ids } => ids[index - first],
        }
    }

    /// Its number in traces.
    #[inline]
    pub(crate) fn number(self, index: usize) -> u32 {
        match self {
            Self::Crowd(_) => index as u32,
            Self::Given { first, ids } => ids[index - first].index(),
        }
    }
}

/// What all jobs of a tick share. Slices in it reach from the first agent to the last, whatever
/// chunk asks.
pub(crate) struct TickEnv<'e, B, C> {
    pub(crate) table: TickTable<'e, B, C>,
    pub(crate) sleepers: &'e Sleepers,
    pub(crate) machine: &'e Machine,
    pub(crate) rom: &'e Rom<'e>,
    pub(crate) context: &'e C,
    /// One per agent, or none for the plain parameters.
    pub(crate) variants: &'e [VariantId],
    pub(crate) now: u32,
    pub(crate) mismatch: Mismatch,
    pub(crate) limits: CommandLimits<'e>,
    /// Writes of the machine file wait for the end of the tick (CODE-5).
    pub(crate) strict: bool,
    /// Whether anybody may sleep.
    pub(crate) sleeping: bool,
    /// What measures user functions.
    pub(crate) timing: Option<&'e Timing>,
    /// Whose user code is written down.
    pub(crate) sealed: Option<&'e Sealed>,
    /// Indices of those of whom there is a trace, ascending, if one is written; `None` for all.
    pub(crate) traced: Option<&'e [u32]>,
    /// Whether agents whose bytes change are listed.
    pub(crate) lists_changed: bool,
}

impl<B, C> TickEnv<'_, B, C> {
    /// The variant of an agent's parameters.
    pub(crate) fn variant(&self, index: usize) -> VariantId {
        self.variants
            .get(index)
            .copied()
            .unwrap_or(VariantId::PLAIN)
    }
}
