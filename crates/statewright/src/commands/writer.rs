//! Where the commands of one part of a crowd are written, agent after agent.

use zerocopy::IntoBytes;

use super::record::{CommandRef, Head};

/// Bytes that an agent may write in one tick (CMD-2).
pub const BUDGET: usize = 1024;
/// Of these only critical lanes may use the last quarter.
const PLAIN_BUDGET: usize = BUDGET - BUDGET / 4;

/// Writes commands.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    used: usize,
    critical_lanes: u32,
}

impl Writer {
    /// Forgets all commands; begins for a machine with these critical lanes, one bit each.
    pub(crate) fn restart(&mut self, critical_lanes: u32) {
        self.bytes.clear();
        self.critical_lanes = critical_lanes;
    }

    /// The next agent begins.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.used = 0;
    }

    /// Is a lane critical?
    pub(crate) fn is_critical(&self, lane: u8) -> bool {
        self.critical_lanes >> lane & 1 != 0
    }

    /// Writes a whole command, or nothing if the agent's budget does not allow it.
    pub(crate) fn write(&mut self, head: &Head, payload: &[u8]) -> bool {
        let size = size_of::<Head>() + payload.len().next_multiple_of(4);
        let budget = if self.is_critical(head.lane) { BUDGET } else { PLAIN_BUDGET };
        if self.used + size > budget {
            return false;
        }
        self.used += size;
        self.bytes.extend_from_slice(head.as_bytes());
        self.bytes.extend_from_slice(payload);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        true
    }

    /// All commands, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = CommandRef<'_>> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let (head, behind) = <Head as zerocopy::FromBytes>::read_from_prefix(rest).ok()?;
            let payload = behind.get(..usize::from(head.length))?;
            rest = behind.get(payload.len().next_multiple_of(4)..)?;
            Some(CommandRef { head, payload })
        })
    }
}
