//! The byte layout of a ROM: header, section directory and the records of every table (ROM-1).
//!
//! This file owns what the bytes mean; `load` proves that given bytes follow it. All numbers are
//! little-endian and unaligned types, so a ROM is read in place from any address of any machine.
//! `NONE` in an index field means "nothing". Every reserved byte is zero.
//!
//! States lie in pre-order, so the descendants of state `s` are exactly `s+1 .. subtree_end`.
//! Regions, leaves, transitions and timers follow the order of the tree.

use zerocopy::byteorder::little_endian::{F32, U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// First four bytes of every ROM.
pub const MAGIC: [u8; 4] = *b"SWRM";
/// Version of this layout. A ROM of another version is refused.
pub const FORMAT_VERSION: u16 = 1;
/// Reads as this number in the right byte order only.
pub const BYTE_ORDER_MARK: u16 = 0x0102;
/// No index.
pub const NONE: u16 = 0xFFFF;
/// Largest number of records in a table that is referred to by u16 (ROM-3).
pub const MAX_RECORDS: usize = 65_534;
/// Offsets of sections are multiples of this.
pub const SECTION_ALIGNMENT: usize = 8;
/// Deepest tree, root included (EXEC-9).
pub const MAX_DEPTH: usize = 16;
/// Most leaves, timers and slots of any tier (RAM-2).
pub const MAX_LEAVES: usize = 8;
/// Most timers of any tier (RAM-2).
pub const MAX_TIMERS: usize = 8;
/// Most slots of any tier (RAM-2).
pub const MAX_SLOTS: usize = 24;
/// Most steps that are found at run time in one microstep: states entered, and effects on the way
/// (EXEC-3).
pub const MAX_STEPS: usize = 256;
/// Largest per-tick cap (RAM-2).
pub const MAX_CAP: u16 = 4096;
/// Most command bytes per agent and tick: one page (CMD-2).
pub const MAX_COMMAND_BYTES: u16 = 4096;
/// Most words on the stack of an expression.
pub const MAX_STACK_WORDS: u8 = 32;
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
/// Lanes that every machine has (CMD-1).
pub const BUILT_IN_LANES: [&str; 7] = [
    "animation",
    "navigation",
    "gameplay",
    "blackboard",
    "audio",
    "vfx",
    "message",
];
/// Dense dispatch rows are used up to this many cells, sorted ones above.
pub const MAX_DENSE_CELLS: usize = 1 << 18;

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

/// The three tiers: crowd, standard, hero (RAM-2).
pub const TIERS: [TierCapacity; 3] = [
    TierCapacity {
        bytes: 64,
        leaves: 2,
        timers: 2,
        slots: 6,
        events: 1,
        events_per_tick: 4,
        microsteps_per_tick: 8,
        cost: 32,
    },
    TierCapacity {
        bytes: 128,
        leaves: 4,
        timers: 4,
        slots: 8,
        events: 3,
        events_per_tick: 8,
        microsteps_per_tick: 16,
        cost: 64,
    },
    TierCapacity {
        bytes: 256,
        leaves: 8,
        timers: 8,
        slots: 24,
        events: 6,
        events_per_tick: 16,
        microsteps_per_tick: 32,
        cost: 160,
    },
];

/// Defines a record: plain little-endian bytes of an exact size.
macro_rules! record {
    ($(#[$meta:meta])* $name:ident: $size:literal { $($(#[$field_meta:meta])* $field:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
        #[repr(C)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)+ }
        const _: () = assert!(size_of::<$name>() == $size && align_of::<$name>() == 1);
    };
}

record! {
    /// The first 64 bytes.
    Header: 64 {
        /// [`MAGIC`].
        magic: [u8; 4],
        /// [`FORMAT_VERSION`].
        version: U16,
        /// [`BYTE_ORDER_MARK`].
        byte_order: U16,
        /// Hash of everything instance bytes refer to (ROM-5). Its low half is the machine id (RAM-3).
        structure_hash: U64,
        /// Hash of everything else that changes behavior (ROM-5).
        parameter_hash: U64,
        /// [`crate::checksum()`]: xxh3 of the bytes after this field, seeded with that of the bytes before it.
        checksum: U64,
        /// Length of the whole ROM.
        length: U32,
        /// [`feature`] bits.
        features: U32,
        /// 0 crowd, 1 standard, 2 hero.
        tier: u8,
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

/// Bits of [`Header::features`]: what the machine uses; the kernel skips the rest (ROM-1).
pub mod feature {
    /// More than one leaf.
    pub const REGIONS: u32 = 1 << 0;
    /// History points.
    pub const HISTORY: u32 = 1 << 1;
    /// Choice states.
    pub const CHOICE: u32 = 1 << 2;
    /// Timers of any kind.
    pub const TIMERS: u32 = 1 << 3;
    /// Deferral.
    pub const DEFERRAL: u32 = 1 << 4;
    /// Observers.
    pub const OBSERVERS: u32 = 1 << 5;
    /// Interrupt transitions.
    pub const INTERRUPTS: u32 = 1 << 6;
    /// Eventless transitions.
    pub const EVENTLESS: u32 = 1 << 7;
    /// Activities.
    pub const ACTIVITIES: u32 = 1 << 8;
    /// Scored transitions.
    pub const SCORES: u32 = 1 << 9;
    /// Cooldowns.
    pub const COOLDOWN: u32 = 1 << 10;
    /// Debounce.
    pub const DEBOUNCE: u32 = 1 << 11;
    /// Exit-ready guards or min-active times.
    pub const EXIT_CONDITIONS: u32 = 1 << 12;
    /// Latched transitions.
    pub const LATCH: u32 = 1 << 13;
    /// Push and pop.
    pub const STACK: u32 = 1 << 14;
    /// Owned channels.
    pub const CHANNELS: u32 = 1 << 15;
    /// Coalescing event types.
    pub const COALESCE: u32 = 1 << 16;
    /// Events with a time to live.
    pub const TTL: u32 = 1 << 17;
    /// Final states.
    pub const FINAL: u32 = 1 << 18;
    /// Expressions.
    pub const EXPRESSIONS: u32 = 1 << 19;
    /// Scratch.
    pub const SCRATCH: u32 = 1 << 20;
    /// Parameter variants.
    pub const VARIANTS: u32 = 1 << 21;
    /// Dispatch rows are dense (else sorted).
    pub const DENSE_ROWS: u32 = 1 << 22;
    /// Every bit that has a meaning.
    pub const ALL: u32 = (1 << 23) - 1;
}

/// Bits of [`Header::policies`].
pub mod policy {
    /// Exits in reverse pre-order (EXEC-1).
    pub const REVERSE_EXIT_ORDER: u8 = 1 << 0;
    /// TICK-5.
    pub const IMMEDIATE_UPDATE: u8 = 1 << 1;
    /// TICK-7.
    pub const POSTED_NEXT_TICK: u8 = 1 << 2;
    /// EVT-10.
    pub const INTERNAL_FIRST: u8 = 1 << 3;
    /// EVT-10.
    pub const DONE_EVENTS: u8 = 1 << 4;
    /// CODE-5.
    pub const STRICT_WRITES: u8 = 1 << 5;
    /// EXEC-2, EXEC-4: domains and history defaults as in SCXML.
    pub const SCXML_DETAILS: u8 = 1 << 6;
    /// Every bit that has a meaning.
    pub const ALL: u8 = (1 << 7) - 1;
}

/// Values of [`StateRecord::kind`].
pub mod state_kind {
    /// No children.
    pub const ATOMIC: u8 = 0;
    /// One region.
    pub const COMPOUND: u8 = 1;
    /// Two or more regions; with the policy `SCXML_DETAILS` one or more.
    pub const ORTHOGONAL: u8 = 2;
    /// Completes its parent.
    pub const FINAL: u8 = 3;
    /// Never active: branches.
    pub const CHOICE: u8 = 4;
}

/// Bits of [`StateRecord::flags`].
pub mod state_flag {
    /// Has an activity.
    pub const ACTIVITY: u16 = 1 << 0;
    /// Has eventless transitions.
    pub const EVENTLESS: u16 = 1 << 1;
    /// Has interrupt transitions.
    pub const INTERRUPTS: u16 = 1 << 2;
    /// Defers events.
    pub const DEFERS: u16 = 1 << 3;
    /// Default entry restores history (EXEC-4).
    pub const RESTORES: u16 = 1 << 4;
    /// History is forgotten on completion (EXEC-4).
    pub const HISTORY_RESET: u16 = 1 << 5;
    /// Every bit that has a meaning.
    pub const ALL: u16 = (1 << 6) - 1;
}

record! {
    /// A state. State 0 is the root.
    StateRecord: 32 {
        /// Enclosing state; `NONE` for the root. Always smaller than the state's own index.
        parent: U16,
        /// One past the last descendant.
        subtree_end: U16,
        /// Region it is a child of; `NONE` for the root.
        region: U16,
        /// First of its own regions; `NONE` without any.
        first_region: U16,
        /// 0, 1 (compound), or as many as an orthogonal state has.
        region_count: u8,
        /// Root = 1.
        depth: u8,
        /// [`state_kind`].
        kind: u8,
        /// Leaf number: that of the region it is a child of (RAM-4); the root has 0.
        leaf: u8,
        /// [`state_flag`] bits.
        flags: U16,
        /// Action list; `NONE` without any.
        entry: U16,
        /// Action list; `NONE` without any.
        exit: U16,
        /// Op that calls the activity; `NONE` without one.
        activity: U16,
        /// First transition (for a choice: first branch); 0 without any.
        first_transition: U16,
        /// How many transitions (or branches).
        transition_count: U16,
        /// First timer owned; 0 without any. Timers of one state are consecutive.
        first_timer: U16,
        /// How many timers.
        timer_count: u8,
        /// Timer places to disarm when the state is left: one bit each (EVT-7).
        timer_mask: u8,
        /// Record in the state-extras table; `NONE` if all of that is absent.
        extra: U16,
        /// Leaf row of an atomic or final state; else `NONE`.
        row: U16,
    }
}

record! {
    /// What only some states have.
    StateExtra: 32 {
        /// The state.
        state: U16,
        /// Action list on suspend (EXEC-8); or `NONE`.
        suspend: U16,
        /// Action list on resume; or `NONE`.
        resume: U16,
        /// Op of the exit-ready guard (SEL-6); or `NONE`.
        exit_ready: U16,
        /// Ticks before the state may be left (SEL-6); 0 = none.
        min_active_ticks: U32,
        /// Channels owned, one bit each (CODE-7).
        channels: U32,
        /// First history point; points of one state are consecutive.
        first_history: U16,
        /// First deferral; deferrals of one state are consecutive.
        first_deferral: U16,
        /// How many deferrals.
        deferral_count: U16,
        /// How many history points.
        history_count: u8,
        /// Timer place of the clock (entry tick); 0xFF = none.
        clock: u8,
        /// Slot of the activity's result; 0xFF = none.
        result_slot: u8,
        /// First of the two result bits in that slot: 0, 2, … 14.
        result_bit: u8,
        /// Slot of a latched transition (SEL-6); 0xFF = none.
        latch_slot: u8,
        /// First scratch slot; 0xFF = none.
        scratch_slot: u8,
        /// How many scratch slots; they are zeroed on entry.
        scratch_count: u8,
        /// Event raised when the state completes (EVT-10); or `NONE`.
        done_event: U16,
        /// Zero.
        reserved: u8,
    }
}

record! {
    /// A region: the children of its owner from `first_child` to the next region of the owner.
    RegionRecord: 8 {
        /// State that has the region.
        owner: U16,
        /// First child.
        first_child: U16,
        /// Record in the initials table.
        initial: U16,
        /// Leaf number (RAM-4).
        leaf: u8,
        /// Index into the stacks table; 0xFF = no push here (EXEC-8).
        stack: u8,
    }
}

record! {
    /// Where default entry of a region goes (EXEC-3).
    InitialRecord: 4 {
        /// Target set.
        targets: U16,
        /// Action list run between the owner's entry and the child's; or `NONE`.
        effect: U16,
    }
}

record! {
    /// The frames that a push may save in a region (EXEC-8).
    StackRecord: 4 {
        /// First slot.
        first_slot: u8,
        /// Frames.
        depth: u8,
        /// Slots of a frame: leaves of the region + 1.
        frame_slots: u8,
        /// Leaves of the region, counted from its own leaf number.
        leaves: u8,
    }
}

/// Values of [`TransitionRecord::trigger`] at and above `SPECIAL`. Below: events, then timers (see
/// [`crate::Rom::columns`]).
pub mod trigger {
    /// First special value.
    pub const SPECIAL: u16 = 0xFFF0;
    /// Any event.
    pub const ANY: u16 = 0xFFF0;
    /// Eventless: always.
    pub const ALWAYS: u16 = 0xFFF1;
    /// Eventless: completion.
    pub const DONE: u16 = 0xFFF2;
    /// Eventless: failure.
    pub const FAILED: u16 = 0xFFF3;
}

/// Bits of [`TransitionRecord::flags`].
pub mod transition_flag {
    /// Effect only; no targets (EXEC-2).
    pub const INTERNAL: u16 = 1 << 0;
    /// The source stays active (EXEC-2).
    pub const LOCAL: u16 = 1 << 1;
    /// SEL-2.
    pub const INTERRUPT: u16 = 1 << 2;
    /// SEL-3; needs the extra record.
    pub const SCORED: u16 = 1 << 3;
    /// EXEC-8.
    pub const PUSH: u16 = 1 << 4;
    /// EXEC-8.
    pub const POP: u16 = 1 << 5;
    /// SEL-6; needs the extra record.
    pub const LATCH: u16 = 1 << 6;
    /// A target is a history point, or entry on the way restores history: entry and domain are
    /// found at run time.
    pub const HISTORY: u16 = 1 << 7;
    /// A target is a choice: entry is found at run time (EXEC-7).
    pub const CHOICE: u16 = 1 << 8;
    /// First bit of the priority (0 to 15).
    pub const PRIORITY_SHIFT: u32 = 12;
    /// Every bit that has a meaning, the priority included.
    pub const ALL: u16 = 0xF1FF;
}

record! {
    /// A transition. Those of one state are consecutive, in selection order: priority first, then declaration
    /// (SEL-3).
    TransitionRecord: 16 {
        /// The state it belongs to.
        source: U16,
        /// Target set; `NONE` for internal and pop.
        targets: U16,
        /// Event, timer column or [`trigger`].
        trigger: U16,
        /// Op of the guard; `NONE` without one.
        guard: U16,
        /// Action list; `NONE` without any.
        effect: U16,
        /// [`transition_flag`] bits and priority.
        flags: U16,
        /// The state that stays active (EXEC-2); for an internal one its source. For a transition with
        /// [`transition_flag::HISTORY`] the domain of its defaults.
        domain: U16,
        /// Record in the transition-extras table; `NONE` if all of that is absent.
        extra: U16,
    }
}

record! {
    /// What only some transitions have.
    TransitionExtra: 32 {
        /// The transition.
        transition: U16,
        /// Op of the scorer; or `NONE`.
        score: U16,
        /// Least score that counts.
        threshold: F32,
        /// Ticks (SEL-6); 0 = none.
        cooldown_ticks: U32,
        /// Ticks (SEL-6); 0 = none.
        debounce_ticks: U32,
        /// First of two slots with the ready tick; 0xFF = none.
        cooldown_slot: u8,
        /// Timer place; 0xFF = none.
        debounce_timer: u8,
        /// Record in the stacks table of a push or pop; 0xFF = none.
        stack: u8,
        /// Zero.
        reserved: [u8; 13],
    }
}

record! {
    /// Precomputed for each transition; record `i` belongs to transition `i`.
    TransitionPlan: 4 {
        /// Entry plan; `NONE` when it has no entries, or when history or choice on the way leave it to run time.
        plan: U16,
        /// Structural cost in the worst configuration (EXEC-9).
        cost: u8,
        /// Regions of the domain that are exited and entered, one bit each (EXEC-2); 0 for an internal transition. Bits
        /// beyond the regions of the domain mean nothing.
        regions: u8,
    }
}

record! {
    /// A run of targets.
    TargetSet: 8 {
        /// First target.
        first: U32,
        /// How many, at least 1.
        count: U16,
        /// Zero.
        reserved: U16,
    }
}

/// Values of [`TargetRecord::kind`].
pub mod target_kind {
    /// A state (not a choice).
    pub const STATE: u8 = 0;
    /// A history point.
    pub const HISTORY: u8 = 1;
    /// A choice state.
    pub const CHOICE: u8 = 2;
}

record! {
    /// One target of a set, in the order of the tree.
    TargetRecord: 4 {
        /// State or history point.
        index: U16,
        /// [`target_kind`].
        kind: u8,
        /// Zero.
        reserved: u8,
    }
}

record! {
    /// A history point (EXEC-4).
    HistoryRecord: 16 {
        /// The state that has it.
        owner: U16,
        /// Target set of the default; `NONE` = the initial of each region of the owner.
        default: U16,
        /// Action list of the default; or `NONE`.
        effect: U16,
        /// First slot: one per region of the owner (shallow), or one per leaf number below it (deep).
        slot: u8,
        /// How many slots.
        slot_count: u8,
        /// 1 = deep.
        deep: u8,
        /// 1 = used by default entry, too.
        restore: u8,
        /// Zero.
        reserved: [u8; 6],
    }
}

record! {
    /// A branch of a choice (EXEC-7). The last one of a choice has no guard.
    BranchRecord: 8 {
        /// The choice state.
        owner: U16,
        /// Op of the guard; or `NONE`.
        guard: U16,
        /// Target set.
        targets: U16,
        /// Action list; or `NONE`.
        effect: U16,
    }
}

/// Bits of [`EventRecord::flags`].
pub mod event_flag {
    /// EVT-3.
    pub const COALESCE: u8 = 1 << 0;
    /// EVT-6.
    pub const INDIRECT: u8 = 1 << 1;
    /// Every bit that has a meaning.
    pub const ALL: u8 = 3;
}

/// Values of [`EventRecord::payload`] beyond the value types.
pub mod payload {
    /// No payload.
    pub const EMPTY: u8 = 0xFF;
    /// u32.
    pub const U32: u8 = 16;
    /// u64.
    pub const U64: u8 = 17;
    /// Four floats.
    pub const VEC4: u8 = 18;
    /// Raw bytes.
    pub const BYTES: u8 = 19;
}

record! {
    /// An event type (EVT-1).
    EventRecord: 8 {
        /// Time to live in ticks (EVT-5); 0 = none.
        ttl_ticks: U32,
        /// 0 low, 1 normal, 2 interrupt, 3 critical.
        class: u8,
        /// [`event_flag`] bits.
        flags: u8,
        /// [`value_type`] or [`payload`].
        payload: u8,
        /// Bytes of the payload, at most 16.
        payload_bytes: u8,
    }
}

/// Numbers of value types, in blackboard, parameters, arguments and payloads.
pub mod value_type {
    /// 32-bit integer.
    pub const I32: u8 = 0;
    /// 32-bit float.
    pub const F32: u8 = 1;
    /// Truth value, 0 or 1.
    pub const BOOL: u8 = 2;
    /// Entity, two words.
    pub const ENTITY: u8 = 3;
    /// Two floats.
    pub const VEC2: u8 = 4;
    /// Three floats.
    pub const VEC3: u8 = 5;
    /// Index into the strings table.
    pub const SYMBOL: u8 = 6;
    /// How many there are.
    pub const COUNT: u8 = 7;

    /// Words of a value of a type; 0 for an unknown type.
    pub const fn words(ty: u8) -> u8 {
        match ty {
            I32 | F32 | BOOL | SYMBOL => 1,
            ENTITY | VEC2 => 2,
            VEC3 => 3,
            _ => 0,
        }
    }
}

/// Values of [`TimerRecord::kind`]. Timers that fire come first in the table.
pub mod timer_kind {
    /// `after` of one or several transitions of the owner: armed on its entry.
    pub const AFTER: u8 = 0;
    /// Named timer of a state.
    pub const STATE: u8 = 1;
    /// Named timer of the machine (EVT-9).
    pub const MACHINE: u8 = 2;
    /// Clock of a state: its entry tick; never fires.
    pub const CLOCK: u8 = 3;
    /// Debounce of a transition; never fires as an event.
    pub const DEBOUNCE: u8 = 4;
}

record! {
    /// A timer. Table order is declaration order.
    TimerRecord: 16 {
        /// State that owns it; the root for machine-level timers.
        owner: U16,
        /// The transition of an `after` (of several that share it, the one declared first) or a debounce; or `NONE`.
        transition: U16,
        /// Duration of an `after` or a debounce; else 0.
        ticks: U32,
        /// Column that is dispatched when it fires: its own, or that of an event; `NONE` for clock and debounce.
        column: U16,
        /// [`timer_kind`].
        kind: u8,
        /// First timer place (RAM-2).
        place: u8,
        /// How many places (EVT-9); 1 except for machine-level timers.
        instances: u8,
        /// Class (EVT-2).
        class: u8,
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
        /// The event, or [`trigger::ANY`].
        event: U16,
        /// Action list.
        actions: U16,
    }
}

/// Values of [`LinkerRecord::kind`].
pub mod function_kind {
    /// Guard.
    pub const GUARD: u8 = 0;
    /// Action.
    pub const ACTION: u8 = 1;
    /// Activity.
    pub const ACTIVITY: u8 = 2;
    /// Scorer.
    pub const SCORER: u8 = 3;
}

record! {
    /// A user function (ROM-8). Sorted by kind, then hash; no two are equal.
    LinkerRecord: 8 {
        /// Low half of xxh3 of the name.
        hash: U32,
        /// [`function_kind`].
        kind: u8,
        /// 1 = may use the rng (SEL-5).
        rng: u8,
        /// Zero.
        reserved: U16,
    }
}

record! {
    /// A run of ops.
    ActionList: 8 {
        /// First op.
        first: U32,
        /// How many, at least 1.
        count: U16,
        /// Zero.
        reserved: U16,
    }
}

/// Values of [`OpRecord::kind`].
pub mod op_kind {
    /// Calls a function: `a` = linker entry, `b` = first argument, `count` = arguments.
    pub const CALL: u8 = 0;
    /// Evaluates an expression: `a` = expression. Guards and scores only.
    pub const EVALUATE: u8 = 1;
    /// Writes a blackboard key: `a` = expression, `b` = key.
    pub const SET: u8 = 2;
    /// Adds to a blackboard key: `a` = expression, `b` = key.
    pub const ADD: u8 = 3;
    /// Posts an internal event: `a` = event, `b` = payload expression or `NONE`.
    pub const RAISE: u8 = 4;
    /// Posts an external event: `a` = event, `b` = payload expression or `NONE` (low half),
    /// receiver expression or `NONE` (high half).
    pub const SEND: u8 = 5;
    /// Emits a command: `a` = string of its name, `b` = payload expression or `NONE` (low half),
    /// lane (high half).
    pub const EMIT: u8 = 6;
    /// Starts a timer: `a` = timer, `b` = ticks, at least 1.
    pub const START_TIMER: u8 = 7;
    /// Stops a timer: `a` = timer.
    pub const STOP_TIMER: u8 = 8;
    /// Clears the history points of a state: `a` = state.
    pub const CLEAR_HISTORY: u8 = 9;
    /// Leaves out ops of its list unless a condition holds: `a` = expression, `b` = how many, at
    /// least 1.
    pub const UNLESS: u8 = 10;
    /// Leaves out ops of its list: `a` = 0, `b` = how many, at least 1.
    pub const SKIP: u8 = 11;
}

record! {
    /// One step of an action list, a guard, a score or an activity.
    OpRecord: 8 {
        /// [`op_kind`].
        kind: u8,
        /// Arguments of a call; else 0.
        count: u8,
        /// See [`op_kind`].
        a: U16,
        /// See [`op_kind`]; 0 where not used.
        b: U32,
    }
}

record! {
    /// A literal argument (CODE-3).
    ArgumentRecord: 16 {
        /// [`value_type`]; text is a symbol.
        ty: u8,
        /// Zero.
        reserved: u8,
        /// String of its name; or `NONE`.
        name: U16,
        /// Its words; unused ones are zero.
        words: [U32; 3],
    }
}

record! {
    /// A text in the bytes section: symbols, command names, argument names.
    StringRecord: 8 {
        /// From the start of the text section.
        offset: U32,
        /// Bytes, valid UTF-8.
        length: U32,
    }
}

record! {
    /// A blackboard key (CODE-5). Table order is declaration order.
    KeyRecord: 32 {
        /// xxh3 of its name.
        name_hash: U64,
        /// Value before the first tick; unused words are zero.
        default: [U32; 3],
        /// First word of the key in a dense blackboard.
        offset: U16,
        /// [`value_type`].
        ty: u8,
        /// Zero.
        reserved: [u8; 9],
    }
}

record! {
    /// A machine-wide parameter (CODE-3).
    ParameterRecord: 16 {
        /// xxh3 of its name.
        name_hash: U64,
        /// First word in a row of the parameter-values table.
        offset: U16,
        /// [`value_type`].
        ty: u8,
        /// Zero.
        reserved: [u8; 5],
    }
}

record! {
    /// A variant (CODE-3). Variant 0 holds the plain values and has hash 0. Row `i` of the parameter-values table
    /// belongs to variant `i`.
    VariantRecord: 8 {
        /// xxh3 of its name.
        name_hash: U64,
    }
}

record! {
    /// One word of a parameter value.
    WordRecord: 4 {
        /// The word.
        word: U32,
    }
}

record! {
    /// An expression (CODE-4).
    ExpressionRecord: 8 {
        /// First instruction.
        first: U32,
        /// How many, 1 to [`MAX_CODE`].
        count: U16,
        /// Most stack words in use at once, at most [`MAX_STACK_WORDS`]; checked on load.
        stack_words: u8,
        /// [`value_type`] of the result.
        ty: u8,
    }
}

record! {
    /// One instruction; see [`crate::code`].
    InstructionRecord: 8 {
        /// [`crate::code::op`].
        op: u8,
        /// See the op.
        a: u8,
        /// See the op.
        b: U16,
        /// See the op.
        c: U32,
    }
}

/// Values of [`LaneRecord::merge`].
pub mod merge {
    /// Last writer wins.
    pub const LAST: u8 = 0;
    /// Accumulate.
    pub const ACCUMULATE: u8 = 1;
    /// Strict order.
    pub const ORDER: u8 = 2;
    /// Deduplicate.
    pub const DEDUPLICATE: u8 = 3;
}

record! {
    /// A user lane (CMD-1); its number is [`BUILT_IN_LANES`]`.len()` + its index.
    LaneRecord: 16 {
        /// xxh3 of its name.
        name_hash: U64,
        /// [`merge`].
        merge: u8,
        /// 1 = critical (CMD-2).
        critical: u8,
        /// Zero.
        reserved: [u8; 6],
    }
}

record! {
    /// A channel (CODE-7).
    ChannelRecord: 16 {
        /// xxh3 of its name.
        name_hash: U64,
        /// String of the release command's name.
        command: U16,
        /// Lane of the release command.
        lane: U16,
        /// Zero.
        reserved: U32,
    }
}

record! {
    /// Scratch slots (RAM-7).
    ScratchRecord: 4 {
        /// State that owns them.
        owner: U16,
        /// First slot.
        slot: u8,
        /// How many.
        count: u8,
    }
}

record! {
    /// A stable id (ROM-6).
    StableIdRecord: 8 {
        /// The id.
        id: U64,
    }
}

/// Bits of [`LeafRow::flags`].
pub mod row_flag {
    /// The state or one around it has an activity or an eventless trigger (RAM-3, Polls).
    pub const POLLS: u16 = 1 << 0;
    /// The state or one around it has an activity.
    pub const ACTIVITY: u16 = 1 << 1;
    /// The state or one around it has an `always` transition. Other eventless ones wait for a
    /// result or a final state.
    pub const ALWAYS: u16 = 1 << 2;
    /// Every bit that has a meaning.
    pub const ALL: u16 = 7;
}

record! {
    /// Dispatch of one leaf state (atomic or final). Rows lie in the order of their states.
    LeafRow: 16 {
        /// The state.
        state: U16,
        /// [`row_flag`] bits.
        flags: U16,
        /// Dense rows: first cell of `columns` cells. Sorted rows: first sorted cell.
        first_cell: U32,
        /// How many cells.
        cell_count: U32,
        /// Zero.
        reserved: U32,
    }
}

record! {
    /// Dense cell: who reacts to a column while a leaf is active. [`NO_LIST`] = nobody; with the bit [`JUMP`] the rest is an
    /// index into the jumps, else one into the candidate lists.
    DenseCell: 4 {
        /// List or jump.
        list: U32,
    }
}

/// No candidate list.
pub const NO_LIST: u32 = u32::MAX;
/// The cell names a jump.
pub const JUMP: u32 = 1 << 31;
/// Most steps of all jumps together; transitions past it take the slow path.
pub const MAX_JUMP_STEPS: usize = 1 << 17;

record! {
    /// Sorted cell: cells of a row ascend by column.
    SortedCell: 8 {
        /// The column.
        column: U16,
        /// Zero.
        reserved: U16,
        /// Index into the candidate lists.
        list: U32,
    }
}

record! {
    /// Who may react to a column while a leaf is active: interrupts from root to leaf (SEL-2 a), then the others
    /// and deferrals from leaf to root (SEL-2 b, EVT-5), each state in the order of SEL-3.
    CandidateList: 8 {
        /// First candidate.
        first: U32,
        /// Interrupt transitions.
        interrupts: U16,
        /// Others.
        others: U16,
    }
}

/// Values of [`Candidate::kind`].
pub mod candidate_kind {
    /// A transition.
    pub const TRANSITION: u8 = 0;
    /// A deferring state.
    pub const DEFERRAL: u8 = 1;
}

record! {
    /// One candidate.
    Candidate: 4 {
        /// Transition or state.
        index: U16,
        /// [`candidate_kind`].
        kind: u8,
        /// Zero.
        reserved: u8,
    }
}

record! {
    /// The entries of a transition, in order (EXEC-1, EXEC-3).
    EntryPlan: 8 {
        /// First step.
        first: U32,
        /// How many, at least 1.
        count: U16,
        /// Zero.
        reserved: U16,
    }
}

/// Values of [`PlanStep::kind`].
pub mod step_kind {
    /// Enters a state: `list` = its entry actions.
    pub const STATE: u8 = 0;
    /// Runs an initial effect of a region of the state: `list` = the effect.
    pub const INITIAL: u8 = 1;
}

record! {
    /// One step of an entry plan.
    PlanStep: 8 {
        /// The state.
        state: U16,
        /// Action list; or `NONE`.
        list: U16,
        /// [`step_kind`].
        kind: u8,
        /// Leaf number set by entering an atomic or final state; 0xFF = none.
        leaf: u8,
        /// Zero.
        reserved: U16,
    }
}

record! {
    /// A whole transition for one leaf: what always happens when an event of the column comes, without anything to ask or to look
    /// up. Exists where one transition is all that the leaf can come to, it stays in one region, and states on the way neither remember
    /// nor hold back. It is taken if no other active leaf reacts to the event.
    Jump: 24 {
        /// The candidate list that it stands for.
        list: U32,
        /// First step.
        first: U32,
        /// The transition.
        transition: U16,
        /// The leaf that is active afterwards.
        leaf: U16,
        /// How many steps.
        count: U16,
        /// Op of its guard, if it is the only candidate; or `NONE`.
        guard: U16,
        /// [`jump_flag`] bits.
        flags: U16,
        /// Zero.
        reserved: [U16; 3],
    }
}

/// Bits of [`Jump::flags`].
pub mod jump_flag {
    /// There is something to do besides calls: a guard, ops that are no calls, states that have
    /// more than actions, or a leaf that is not the first.
    pub const MIXED: u16 = 1 << 0;
    /// What is entered polls (RAM-3): the rest of the tick has to be gone through.
    pub const POLLS: u16 = 1 << 1;
    /// Every bit that has a meaning.
    pub const ALL: u16 = 3;
}

/// Values of [`JumpStep::kind`].
pub mod jump_step_kind {
    /// One op of an exit, the effect or an entry.
    pub const OP: u8 = 0;
    /// The exit of a state that has more than actions.
    pub const EXIT: u8 = 1;
    /// The entry of a state that has more than actions.
    pub const ENTER: u8 = 2;
}

record! {
    /// One step on the way of a jump.
    JumpStep: 12 {
        /// The action that is called; `NONE` where none is.
        function: U16,
        /// The state that the step belongs to.
        state: U16,
        /// First argument of a call; the op, if that is no call; else 0.
        first: U32,
        /// The innermost active state while it runs.
        leaf: U16,
        /// Arguments of a call; else 0.
        count: u8,
        /// [`jump_step_kind`].
        kind: u8,
    }
}

record! {
    /// One byte of text.
    ByteRecord: 1 {
        /// The byte.
        byte: u8,
    }
}

/// Lists every section once: number, record, accessor. Used for the directory, the view and the
/// validator.
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_section {
    ($callback:path) => {
        $callback! {
            1 States states StateRecord,
            2 StateExtras state_extras StateExtra,
            3 Regions regions RegionRecord,
            4 Initials initials InitialRecord,
            5 Stacks stacks StackRecord,
            6 Transitions transitions TransitionRecord,
            7 TransitionExtras transition_extras TransitionExtra,
            8 TransitionPlans transition_plans TransitionPlan,
            9 TargetSets target_sets TargetSet,
            10 Targets targets TargetRecord,
            11 History history HistoryRecord,
            12 Branches branches BranchRecord,
            13 Events events EventRecord,
            14 Timers timers TimerRecord,
            15 Deferrals deferrals DeferralRecord,
            16 Observers observers ObserverRecord,
            17 Linker linker LinkerRecord,
            18 ActionLists action_lists ActionList,
            19 Ops ops OpRecord,
            20 Arguments arguments ArgumentRecord,
            21 Strings strings StringRecord,
            22 Text text ByteRecord,
            23 Keys keys KeyRecord,
            24 Parameters parameters ParameterRecord,
            25 Variants variants VariantRecord,
            26 ParameterValues parameter_values WordRecord,
            27 Expressions expressions ExpressionRecord,
            28 Code code InstructionRecord,
            29 Lanes lanes LaneRecord,
            30 Channels channels ChannelRecord,
            31 Scratch scratch ScratchRecord,
            32 StableIds stable_ids StableIdRecord,
            33 LeafRows leaf_rows LeafRow,
            34 DenseCells dense_cells DenseCell,
            35 SortedCells sorted_cells SortedCell,
            36 CandidateLists candidate_lists CandidateList,
            37 Candidates candidates Candidate,
            38 EntryPlans entry_plans EntryPlan,
            39 EntrySteps entry_steps PlanStep,
            41 Jumps jumps Jump,
            42 JumpSteps jump_steps JumpStep,
        }
    };
}

macro_rules! define_sections {
    ($($number:literal $name:ident $field:ident $record:ident,)+) => {
        /// A section of the ROM. Sections lie in this order; empty ones are left out of the directory.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Section { $(#[doc = concat!("Records: [`", stringify!($record), "`].")] $name = $number,)+ }

        impl Section {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The section of a number.
            pub const fn from_number(number: u16) -> Option<Self> {
                match number { $($number => Some(Self::$name),)+ _ => None }
            }

            /// The name shown in messages.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($field),)+ }
            }

            /// Bytes of a record.
            pub const fn record_size(self) -> usize {
                match self { $(Self::$name => size_of::<$record>(),)+ }
            }
        }
    };
}
for_each_section!(define_sections);

/// Order of the stable-ids table: the machine, then so many of each.
///
/// states, regions, events, timers, transitions, history points, scratch.
pub const STABLE_ID_GROUPS: [&str; 8] = [
    "machine",
    "states",
    "regions",
    "events",
    "timers",
    "transitions",
    "history",
    "scratch",
];
