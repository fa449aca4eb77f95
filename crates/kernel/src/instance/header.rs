//! The first 16 bytes of every instance, and the flags in them (RAM-3).

use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bits of [`Header::flags`] (RAM-3).
pub mod flag {
    /// The initial configuration has been entered.
    pub const STARTED: u16 = 1 << 0;
    /// Ended by itself or stopped; no further work until reset.
    pub const TERMINATED: u16 = 1 << 1;
    /// Time stands still (SYS-9).
    pub const PAUSED: u16 = 1 << 2;
    /// Not run any more; only reset ends it (TICK-3).
    pub const QUARANTINED: u16 = 1 << 3;
    /// A tick was clamped (TICK-4). Stays until cleared by the host.
    pub const BUDGET_EXCEEDED: u16 = 1 << 4;
    /// An event was dropped (EVT-3). Stays until cleared by the host.
    pub const QUEUE_OVERFLOW: u16 = 1 << 5;
    /// A command was dropped (CMD-2). Stays until cleared by the host.
    pub const COMMAND_DROPPED: u16 = 1 << 6;
    /// A command of a critical lane was dropped (CMD-2). Stays until cleared by the host.
    pub const CRITICAL_DROPPED: u16 = 1 << 7;
    /// An event that is not deferred is queued.
    pub const WORK: u16 = 1 << 8;
    /// The configuration has an activity or an eventless trigger.
    pub const POLLS: u16 = 1 << 9;
    /// The host traces this agent.
    pub const TRACED: u16 = 1 << 10;
    /// Every bit that has a meaning.
    pub const ALL: u16 = (1 << 11) - 1;
    /// No further work until reset.
    pub const ENDED: u16 = TERMINATED | QUARANTINED;
    /// What only the host clears.
    pub const STICKY: u16 = BUDGET_EXCEEDED | QUEUE_OVERFLOW | COMMAND_DROPPED | CRITICAL_DROPPED;
}

/// The first 16 bytes of every instance (RAM-3).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout,
)]
#[repr(C)]
pub struct Header {
    /// Low half of the structure hash of its machine.
    pub machine: U32,
    /// [`flag`] bits.
    pub flags: U16,
    /// Timer places that run, one bit each.
    pub armed: u8,
    /// Queued events.
    pub event_count: u8,
    /// State of the rng (CODE-6).
    pub rng: U32,
    /// Raised by reset and reload (EVT-7).
    pub generation: U16,
    /// Clamped ticks in a row (TICK-4).
    pub clamped: u8,
    /// Frames in use, of all stacks (EXEC-8).
    pub stack_depth: u8,
}

const _: () = assert!(size_of::<Header>() == 16);

impl Header {
    /// Machine, flags, armed timers and event count as one number.
    #[inline]
    pub(crate) fn first_word(&self) -> u64 {
        let [word, _]: [U64; 2] = zerocopy::transmute!(*self);
        word.get()
    }

    /// Clamped ticks and frames as one number.
    #[inline]
    pub(crate) fn last_word(&self) -> u16 {
        u16::from_le_bytes([self.clamped, self.stack_depth])
    }

    /// Does the instance have all of these [`flag`] bits?
    #[inline]
    pub fn has(&self, flags: u16) -> bool {
        self.flags.get() & flags == flags
    }
}
