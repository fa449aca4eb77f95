//! The first 16 bytes of every instance, and the flags in them (RAM-3).

use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

statewright_rom::flags! {
    /// Bits of [`Header::flags`] (RAM-3).
    flag: u16 {
        /// The initial configuration has been entered.
        STARTED = 0 "started",
        /// Ended by itself or stopped; no further work until reset.
        TERMINATED = 1 "terminated",
        /// Time stands still (SYS-9).
        PAUSED = 2 "paused",
        /// Not run any more; only reset ends it (TICK-3).
        QUARANTINED = 3 "quarantined",
        /// A tick was clamped (TICK-4). Stays until cleared by the host.
        BUDGET_EXCEEDED = 4 "budget_exceeded",
        /// An event was dropped (EVT-3). Stays until cleared by the host.
        QUEUE_OVERFLOW = 5 "queue_overflow",
        /// A command was dropped (CMD-2). Stays until cleared by the host.
        COMMAND_DROPPED = 6 "command_dropped",
        /// A command of a critical lane was dropped (CMD-2). Stays until cleared by the host.
        CRITICAL_DROPPED = 7 "critical_dropped",
        /// An event that is not deferred is queued.
        WORK = 8 "work",
        /// The configuration has an activity or an eventless trigger.
        POLLS = 9 "polls",
        /// The host traces this agent. Not built: nothing sets or reads it.
        TRACED = 10 "traced",
        /// The configuration is a part of one: the next tick completes it first (LOAD-3).
        INCOMPLETE = 11 "incomplete",
    } with {
        /// No further work until reset.
        pub const ENDED: u16 = TERMINATED | QUARANTINED;
        /// What only the host clears.
        pub const STICKY: u16 =
            BUDGET_EXCEEDED | QUEUE_OVERFLOW | COMMAND_DROPPED | CRITICAL_DROPPED;
    }
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
