//! Limits, and what a tier has room for (RAM-2, ROM-3, EXEC-9).

/// No index.
pub const NONE: u16 = 0xFFFF;
/// Largest number of records in a table that is referred to by u16 (ROM-3).
pub const MAX_RECORDS: usize = 65_534;
/// Deepest tree, root included (EXEC-9).
pub const MAX_DEPTH: usize = 16;
/// Most leaves, timers and slots of any tier (RAM-2).
pub const MAX_LEAVES: usize = 8;
/// Most timers of any tier (RAM-2).
pub const MAX_TIMERS: usize = 8;
/// Most slots of any tier (RAM-2).
pub const MAX_SLOTS: usize = 24;
/// Most event places of any tier.
pub const MAX_EVENT_PLACES: usize = 6;
/// Most steps that are found at run time in one microstep: states entered, and effects on the way
/// (EXEC-3).
pub const MAX_STEPS: usize = 256;
/// Largest per-tick cap (RAM-2).
pub const MAX_CAP: u16 = 4096;
/// Most command bytes per agent and tick: one page (CMD-2).
pub const MAX_COMMAND_BYTES: u16 = 4096;
/// Most words on the stack of an expression.
pub const MAX_STACK_WORDS: u8 = 32;
/// Most arguments of one call of which one is computed (LANG-4).
pub const MAX_ARGUMENTS: u8 = 16;
/// Most instructions in one expression.
pub const MAX_CODE: u16 = 1024;
/// Highest priority of a transition (SEL-3).
pub const MAX_PRIORITY: u8 = 15;
/// Most scored transitions of one state, trigger and priority: the kernel compares them without
/// allocating (SEL-3).
pub const MAX_SCORED: usize = 64;
/// Most channels of a machine: one bit each.
pub const MAX_CHANNELS: usize = 32;
/// Most lanes, the seven built-in ones included.
pub const MAX_LANES: usize = 32;
/// Dense dispatch rows are used up to this many cells, sorted ones above.
pub const MAX_DENSE_CELLS: usize = 1 << 18;

numbers! {
    /// How large an instance is (RAM-2).
    Tier: u8 {
        /// 64 bytes.
        Crowd = 0 "crowd",
        /// 128 bytes.
        Standard = 1 "standard",
        /// 256 bytes.
        Hero = 2 "hero",
    }
}

/// Capacities of a tier (RAM-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierCapacity {
    /// Bytes of an instance.
    pub bytes: u16,
    /// Leaves.
    pub leaves: u8,
    /// Timers.
    pub timers: u8,
    /// 16-bit slots.
    pub slots: u8,
    /// Event places.
    pub events: u8,
    /// Default cap of events per tick.
    pub events_per_tick: u16,
    /// Default cap of microsteps per tick.
    pub microsteps_per_tick: u16,
    /// Highest structural cost of one transition (EXEC-9).
    pub cost: u16,
}

impl Tier {
    /// What it has room for.
    #[inline]
    pub const fn capacity(self) -> &'static TierCapacity {
        match self {
            Self::Crowd => &TierCapacity {
                bytes: 64,
                leaves: 2,
                timers: 2,
                slots: 6,
                events: 1,
                events_per_tick: 4,
                microsteps_per_tick: 8,
                cost: 32,
            },
            Self::Standard => &TierCapacity {
                bytes: 128,
                leaves: 4,
                timers: 4,
                slots: 8,
                events: 3,
                events_per_tick: 8,
                microsteps_per_tick: 16,
                cost: 64,
            },
            Self::Hero => &TierCapacity {
                bytes: 256,
                leaves: 8,
                timers: 8,
                slots: 24,
                events: 6,
                events_per_tick: 16,
                microsteps_per_tick: 32,
                cost: 160,
            },
        }
    }
}

/// Capacities of the tiers by their number (RAM-2).
pub const TIERS: [TierCapacity; Tier::COUNT] = tiers();

#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "runs at compile time only: `at` stays below the number of tiers"
)]
const fn tiers() -> [TierCapacity; Tier::COUNT] {
    let mut all = [*Tier::Crowd.capacity(); Tier::COUNT];
    let mut at = 0;
    while at < Tier::COUNT {
        let (tier, capacity) = (Tier::ALL[at], Tier::ALL[at].capacity());
        assert!(tier.number() as usize == at, "tiers are numbered from 0");
        assert!(capacity.leaves as usize <= MAX_LEAVES);
        assert!(capacity.timers as usize <= MAX_TIMERS);
        assert!(capacity.slots as usize <= MAX_SLOTS);
        assert!(capacity.events as usize <= MAX_EVENT_PLACES);
        assert!(capacity.events_per_tick <= MAX_CAP && capacity.microsteps_per_tick <= MAX_CAP);
        all[at] = *capacity;
        at += 1;
    }
    all
}
