//! Events, timers, deferrals, observers.

use zerocopy::byteorder::little_endian::{U16, U32};

#[cfg(doc)]
use super::SpecialTrigger;
use super::{DurationWord, PayloadKind};
use crate::number::Coded;

numbers! {
    /// How urgent an event is (EVT-1).
    #[derive(Default)]
    EventClass: u8 {
        /// First to be dropped.
        Low = 0 "low",
        /// What events are unless declared otherwise.
        #[default]
        Normal = 1 "normal",
        /// May take the reserved place and evict lower ones.
        Interrupt = 2 "interrupt",
        /// May evict everything below.
        Critical = 3 "critical",
    }
}

flags! {
    /// Bits of [`EventRecord::flags`].
    event_flag: u8 {
        /// EVT-3.
        COALESCE = 0 "coalesce",
        /// EVT-6.
        INDIRECT = 1 "indirect",
        /// It means something for a moment only: saved games are to leave it out (EVT-1). Nothing
        /// reads it yet.
        EPHEMERAL = 2 "ephemeral",
    }
}

record! {
    /// An event type (EVT-1).
    EventRecord: 8 {
        /// Time to live in ticks (EVT-5); 0 = none.
        ttl_ticks: U32,
        /// How urgent it is.
        class: Coded<EventClass>,
        /// [`event_flag`] bits.
        flags: u8,
        /// What it carries.
        payload: Coded<PayloadKind>,
        /// Bytes of the payload, at most 16.
        payload_bytes: u8,
    }
}

impl EventRecord {
    /// What lies in its 16 bytes: the payload, or the index of one that lies elsewhere (EVT-6).
    pub fn carries(&self) -> PayloadKind {
        if self.flags & event_flag::INDIRECT != 0 {
            PayloadKind::U32
        } else {
            self.payload.get()
        }
    }
}

numbers! {
    /// What a timer is. Those that fire come first in the table.
    TimerKind: u8 {
        /// `after` of one or several transitions of the owner: armed on its entry.
        After = 0 "after",
        /// Named timer of a state.
        State = 1 "state",
        /// Named timer of the machine (EVT-9).
        Machine = 2 "machine",
        /// Clock of a state: its entry tick; never fires.
        Clock = 3 "clock",
        /// Debounce of a transition; never fires as an event.
        Debounce = 4 "debounce",
        /// `every` of one or several transitions of the owner: armed on its entry, and again
        /// whenever it is taken (LANG-2).
        Every = 5 "every",
    }
}

impl TimerKind {
    /// Does it fire, as an event or as itself?
    #[inline]
    pub const fn fires(self) -> bool {
        match self {
            Self::After | Self::Every | Self::State | Self::Machine => true,
            Self::Clock | Self::Debounce => false,
        }
    }

    /// Is it armed when its owner is entered?
    #[inline]
    pub const fn is_armed_on_entry(self) -> bool {
        match self {
            Self::After | Self::Every => true,
            Self::State | Self::Machine | Self::Clock | Self::Debounce => false,
        }
    }

    /// Is it started and stopped by name?
    #[inline]
    pub const fn is_named(self) -> bool {
        match self {
            Self::State | Self::Machine => true,
            Self::After | Self::Every | Self::Clock | Self::Debounce => false,
        }
    }
}

record! {
    /// A timer. Table order is declaration order.
    TimerRecord: 16 {
        /// State that owns it; the root for machine-level timers.
        owner: U16,
        /// The transition of an `after` or `every` (of several that share it, the one declared first) or a debounce; or `NONE`.
        transition: U16,
        /// Of an `after`, an `every` or a debounce; else none.
        duration: DurationWord,
        /// Column that is dispatched when it fires: its own, or that of an event; `NONE` for clock and debounce.
        column: U16,
        /// What it is.
        kind: Coded<TimerKind>,
        /// First timer place (RAM-2).
        place: u8,
        /// How many places (EVT-9); 1 except for machine-level timers.
        instances: u8,
        /// Class (EVT-2).
        class: Coded<EventClass>,
        /// Zero.
        reserved: U16,
    }
}

record! {
    /// A state defers an event (EVT-5).
    DeferralRecord: 4 {
        /// The state.
        state: U16,
        /// The event.
        event: U16,
    }
}

record! {
    /// An observer (EVT-8).
    ObserverRecord: 4 {
        /// The event, or [`SpecialTrigger::Any`].
        event: U16,
        /// Action list.
        actions: U16,
    }
}
