//! The first bytes of a ROM: header and directory (ROM-1).

use statewright_bytes::{ByteOrder, Format, Head};
use zerocopy::byteorder::little_endian::{U16, U32};

use super::Tier;
#[cfg(doc)]
use super::{MAX_CAP, MAX_COMMAND_BYTES, MAX_DEPTH, Section};
use crate::number::Coded;

/// First bytes and version of every ROM. One of another version is refused.
pub const FORMAT: Format = Format {
    magic: *b"SWRM",
    version: 6,
    byte_order: ByteOrder::Little,
    former: &[],
};
/// Offsets of sections are multiples of this.
pub const SECTION_ALIGNMENT: usize = 8;

record! {
    /// The first 64 bytes.
    Header: 64 {
        /// Of [`FORMAT`]. The low half of its structure hash is the machine id (RAM-3).
        head: Head,
        /// Length of the whole ROM.
        length: U32,
        /// [`feature`] bits.
        features: U32,
        /// Size of an instance.
        tier: Coded<Tier>,
        /// Deepest state, root = 1 (at most [`MAX_DEPTH`]).
        max_depth: u8,
        /// Ticks per second, at least 1.
        tick_rate: U16,
        /// Cap, 1 to [`MAX_CAP`].
        events_per_tick: U16,
        /// Cap, 1 to [`MAX_CAP`].
        microsteps_per_tick: U16,
        /// Clamped ticks before the fail-safe (TICK-4), 1 to 255.
        clamp_limit: u8,
        /// [`policy`] bits.
        policies: u8,
        /// Command bytes per agent and tick, 1 to [`MAX_COMMAND_BYTES`] (CMD-2).
        command_bytes: U16,
        /// Offset of the directory; always 64.
        directory_offset: U16,
        /// Entries of the directory.
        directory_count: U16,
        /// Target set of the fail-safe (TICK-4); `NONE` = the root's initial.
        fail_safe: U16,
        /// Target set of the reload entry (SYS-5); `NONE` = the root's initial.
        reload_entry: U16,
        /// Columns of the dispatch rows: events, firing timers, one for eventless transitions.
        columns: U16,
        /// Timers that fire; they come first in the timers table.
        firing_timers: U16,
    }
}

record! {
    /// One section of the ROM.
    DirectoryEntry: 12 {
        /// [`Section`].
        kind: U16,
        /// Bytes of a record.
        record_size: U16,
        /// From the start of the ROM.
        offset: U32,
        /// How many records.
        count: U32,
    }
}

flags! {
    /// Bits of [`Header::features`]: what the machine uses; the kernel skips the rest (ROM-1).
    feature: u32 {
        /// More than one leaf.
        REGIONS = 0 "regions",
        /// History points.
        HISTORY = 1 "history",
        /// Choice states.
        CHOICE = 2 "choice",
        /// Timers of any kind.
        TIMERS = 3 "timers",
        /// Deferral.
        DEFERRAL = 4 "deferral",
        /// Observers.
        OBSERVERS = 5 "observers",
        /// Interrupt transitions.
        INTERRUPTS = 6 "interrupts",
        /// Eventless transitions.
        EVENTLESS = 7 "eventless",
        /// Activities.
        ACTIVITIES = 8 "activities",
        /// Scored transitions.
        SCORES = 9 "scores",
        /// Cooldowns.
        COOLDOWN = 10 "cooldown",
        /// Debounce.
        DEBOUNCE = 11 "debounce",
        /// Exit-ready guards or min-active times.
        EXIT_CONDITIONS = 12 "exit_conditions",
        /// Latched transitions.
        LATCH = 13 "latch",
        /// Push and pop.
        STACK = 14 "stack",
        /// Owned channels.
        CHANNELS = 15 "channels",
        /// Coalescing event types.
        COALESCE = 16 "coalesce",
        /// Events with a time to live.
        TTL = 17 "ttl",
        /// Final states.
        FINAL = 18 "final",
        /// Expressions.
        EXPRESSIONS = 19 "expressions",
        /// Scratch.
        SCRATCH = 20 "scratch",
        /// Parameter variants.
        VARIANTS = 21 "variants",
        /// Dispatch rows are dense (else sorted).
        DENSE_ROWS = 22 "dense_rows",
        /// Update actions (LANG-10).
        UPDATES = 23 "updates",
    }
}

flags! {
    /// Bits of [`Header::policies`].
    policy: u8 {
        /// Exits in reverse pre-order (EXEC-1).
        REVERSE_EXIT_ORDER = 0 "reverse_exit_order",
        /// TICK-5.
        IMMEDIATE_UPDATE = 1 "immediate_update",
        /// TICK-7.
        POSTED_NEXT_TICK = 2 "posted_next_tick",
        /// EVT-10.
        INTERNAL_FIRST = 3 "internal_first",
        /// EVT-10.
        DONE_EVENTS = 4 "done_events",
        /// CODE-5.
        STRICT_WRITES = 5 "strict_writes",
        /// EXEC-2, EXEC-4: domains and history defaults as in SCXML.
        SCXML_DETAILS = 6 "scxml_details",
        /// LOAD-3: agents begin anew in a reload to this machine.
        RELOAD_RESETS = 7 "reload_resets",
    }
}
