//! The tree: states, regions, where default entry goes, history points, stacks, scratch.

use zerocopy::byteorder::little_endian::{U16, U32};

use super::{DurationWord, ValueType};
use crate::number::Coded;

numbers! {
    /// What a state is.
    StateKind: u8 {
        /// No children.
        Atomic = 0 "atomic",
        /// One region.
        Compound = 1 "compound",
        /// Two or more regions; with the policy `SCXML_DETAILS` one or more.
        Orthogonal = 2 "orthogonal",
        /// Completes its parent.
        Final = 3 "final",
        /// Never active: branches.
        Choice = 4 "choice",
    }
}

impl StateKind {
    /// Does it have regions?
    #[inline]
    pub const fn has_regions(self) -> bool {
        match self {
            Self::Compound | Self::Orthogonal => true,
            Self::Atomic | Self::Final | Self::Choice => false,
        }
    }

    /// Can it be the active leaf of a region?
    #[inline]
    pub const fn is_leaf(self) -> bool {
        match self {
            Self::Atomic | Self::Final => true,
            Self::Compound | Self::Orthogonal | Self::Choice => false,
        }
    }
}

flags! {
    /// Bits of [`StateRecord::flags`].
    state_flag: u16 {
        /// Has an activity.
        ACTIVITY = 0 "activity",
        /// Has eventless transitions.
        EVENTLESS = 1 "eventless",
        /// Has interrupt transitions.
        INTERRUPTS = 2 "interrupts",
        /// Defers events.
        DEFERS = 3 "defers",
        /// Default entry restores history (EXEC-4).
        RESTORES = 4 "restores",
        /// History is forgotten on completion (EXEC-4).
        HISTORY_RESET = 5 "history_reset",
        /// Has update actions; needs the extra record (LANG-10).
        UPDATE = 6 "update",
    }
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
        /// What it is.
        kind: Coded<StateKind>,
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
    StateExtra: 36 {
        /// The state.
        state: U16,
        /// Action list on suspend (EXEC-8); or `NONE`.
        suspend: U16,
        /// Action list on resume; or `NONE`.
        resume: U16,
        /// Op of the exit-ready guard (SEL-6); or `NONE`.
        exit_ready: U16,
        /// Time before the state may be left (SEL-6): ticks or a parameter; found when asked.
        min_active: DurationWord,
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
        zero: u8,
        /// Action list of every tick, before the activity (LANG-10); or `NONE`.
        update: U16,
        /// Zero.
        reserved: U16,
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
    /// Scratch slots (RAM-7).
    ScratchRecord: 8 {
        /// State that owns them.
        owner: U16,
        /// First slot.
        slot: u8,
        /// How many; 1 if expressions read it.
        count: u8,
        /// What expressions read (LANG-8).
        ty: Coded<ScratchType>,
        /// Zero.
        reserved: [u8; 3],
    }
}

numbers! {
    /// What expressions read in scratch (LANG-8).
    ScratchType: u8 {
        /// Nothing: it is for functions of the host.
        Raw = 0 "raw",
        /// 0 to 65535.
        U16 = 1 "u16",
        /// -32768 to 32767.
        I16 = 2 "i16",
        /// Truth value.
        Bool = 3 "bool",
    }
}

impl ScratchType {
    /// The type of its value in expressions; `None` if they do not read it.
    #[inline]
    pub const fn value_type(self) -> Option<ValueType> {
        match self {
            Self::Raw => None,
            Self::U16 | Self::I16 => Some(ValueType::I32),
            Self::Bool => Some(ValueType::Bool),
        }
    }

    /// The word that an expression reads.
    #[inline]
    pub const fn read(self, slot: u16) -> u32 {
        match self {
            Self::Raw | Self::U16 => slot as u32,
            Self::I16 => slot as i16 as i32 as u32,
            Self::Bool => (slot != 0) as u32,
        }
    }
}
