//! What the host chooses for its ticks. Settings are in no snapshot: runs that shall be equal need
//! the same ones.

use std::fmt;

use statewright_kernel::Mismatch;
use statewright_rom::Rom;
use statewright_rom::layout::policy;

use crate::board::NotStrict;
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
    /// Whether writes to the blackboard wait for the end of the tick (CODE-5); `None` for what the
    /// machine file says (`strict_writes`).
    pub strict: Option<bool>,
    /// Whether an event for which there is no room in its agent's queue ends that agent
    /// ([`Fault::QueueOverflow`](statewright_kernel::Fault::QueueOverflow)), instead of being
    /// dropped and counted: for development, where nobody would notice it.
    pub quarantine_overflow: bool,
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

/// Can an agent have this budget?
pub(crate) fn check_budget(bytes: usize) -> Result<(), WrongBudget> {
    if (1..=MAX_BUDGET).contains(&bytes) {
        Ok(())
    } else {
        Err(WrongBudget(bytes))
    }
}

/// Settings that a crowd cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongSettings {
    /// No agent can have this budget.
    Budget(WrongBudget),
    /// Strict mode is not possible with this blackboard.
    Strict(NotStrict),
}

impl fmt::Display for WrongSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget(error) => error.fmt(f),
            Self::Strict(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WrongSettings {}

impl Default for TickSettings {
    fn default() -> Self {
        Self {
            mismatch: Mismatch::default(),
            budget: None,
            strict: None,
            quarantine_overflow: false,
            forgets_commands: false,
            sleeping: true,
            chunk_size: 1024,
        }
    }
}

impl TickSettings {
    /// Can an agent have this budget, and can a program, as far as strict mode is possible for it?
    pub(crate) fn check(&self, strict: Result<(), NotStrict>) -> Result<(), WrongSettings> {
        if let Some(bytes) = self.budget {
            check_budget(bytes).map_err(WrongSettings::Budget)?;
        }
        match self.strict {
            Some(true) => strict.map_err(WrongSettings::Strict),
            Some(false) | None => Ok(()),
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
