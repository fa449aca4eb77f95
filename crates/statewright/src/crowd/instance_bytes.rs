//! The bytes of one agent out and in, for network code.

use std::fmt;

use statewright_kernel::{self as kernel, Fault, Instance};
use statewright_rom::Rom;
use zerocopy::IntoBytes;

use super::instances::with_instances;
use super::{Crowd, Input, Missing};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;

/// Why bytes cannot become an agent; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceError {
    /// There is no such agent.
    Missing(Missing),
    /// Instances of the machine have another size.
    Length {
        /// How many bytes were given.
        found: usize,
        /// How many an instance has.
        expected: usize,
    },
    /// No agent of this machine can be so.
    Fault(Fault),
}

impl fmt::Display for InstanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(error) => error.fmt(f),
            Self::Length { found, expected } => {
                write!(
                    f,
                    "an instance of this machine has {expected} bytes, not {found}"
                )
            }
            Self::Fault(fault) => write!(f, "no agent of this machine can be so: {fault}"),
        }
    }
}

impl std::error::Error for InstanceError {}

impl From<Missing> for InstanceError {
    fn from(error: Missing) -> Self {
        Self::Missing(error)
    }
}

/// Bytes.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// The bytes of an agent's instance, for network code: 64, 128 or 256. Its blackboard is not
    /// among them.
    pub fn instance_bytes(&self, agent: AgentId) -> Result<&[u8], Missing> {
        let index = self.agents.index(agent)?;
        Ok(with_instances!(&self.agents.instances, list => list[index].as_bytes()))
    }

    /// Makes an agent what bytes from elsewhere say. They are looked at first: those of another
    /// machine, and those that no agent of this machine can have, are refused.
    pub fn set_instance_bytes(
        &mut self,
        agent: AgentId,
        bytes: &[u8],
    ) -> Result<(), InstanceError> {
        self.check_instance(agent, bytes)?;
        self.enter(Input::Instance(agent, bytes.into()));
        Ok(())
    }

    pub(super) fn check_instance(&self, agent: AgentId, bytes: &[u8]) -> Result<(), InstanceError> {
        fn check<I: Instance>(_: &[I], rom: &Rom<'_>, bytes: &[u8]) -> Result<(), InstanceError> {
            let wrong = || InstanceError::Length {
                found: bytes.len(),
                expected: size_of::<I>(),
            };
            let instance = I::read_from_bytes(bytes).map_err(|_| wrong())?;
            kernel::check(rom, &instance).map_err(InstanceError::Fault)
        }
        self.agents.index(agent)?;
        let rom = self.machine().rom();
        with_instances!(&self.agents.instances, list => check(list, &rom, bytes))
    }
}
