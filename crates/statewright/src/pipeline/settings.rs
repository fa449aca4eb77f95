//! What the host chooses for its ticks. Settings are in no snapshot: runs that shall be equal need
//! the same ones.

use std::fmt;

use statewright_kernel::Mismatch;
use statewright_rom::Rom;
use statewright_rom::layout::policy;

use crate::commands::MAX_BUDGET;

/// How ticks are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickSettings {
    /// What happens to agents of another machine, which only bytes from elsewhere could bring.
    pub mismatch: Mismatch,
    /// Bytes of commands that one agent may write per tick (CMD-2), from 1 to 4,096; `None` for
    /// what the machine file says (`command_bytes`). The last quarter is for critical commands
    /// alone.
    pub budget: Option<usize>,
    /// Whether writes of the machine file wait for the end of the tick (CODE-5); `None` for what
    /// the machine file says (`strict_writes`).
    pub strict: Option<bool>,
    /// Whether commands are forgotten while the tick runs: for hosts that read none.
    pub forgets_commands: bool,
    /// Whether agents that have nothing to do sleep. Changes nothing but speed.
    pub sleeping: bool,
    /// Agents per piece of work when several threads work. Changes nothing but speed.
    pub chunk_size: usize,
}

/// A budget that no agent can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongBudget(pub usize);

impl fmt::Display for WrongBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a budget of {} bytes: it must be at least 1 and at most {MAX_BUDGET}, one page",
            self.0
        )
    }
}

impl std::error::Error for WrongBudget {}

impl Default for TickSettings {
    fn default() -> Self {
        Self {
            mismatch: Mismatch::default(),
            budget: None,
            strict: None,
            forgets_commands: false,
            sleeping: true,
            chunk_size: 1024,
        }
    }
}

impl TickSettings {
    /// Can an agent have this budget?
    pub(crate) fn check(&self) -> Result<(), WrongBudget> {
        match self.budget {
            Some(bytes) if !(1..=MAX_BUDGET).contains(&bytes) => Err(WrongBudget(bytes)),
            Some(_) | None => Ok(()),
        }
    }

    /// The budget for agents of a machine.
    pub(crate) fn budget_for(&self, rom: &Rom<'_>) -> usize {
        self.budget
            .unwrap_or_else(|| rom.header().command_bytes.get().into())
    }

    /// Whether agents of a machine stage their writes.
    pub(crate) fn is_strict_for(&self, rom: &Rom<'_>) -> bool {
        self.strict
            .unwrap_or_else(|| rom.header().policies & policy::STRICT_WRITES != 0)
    }
}
