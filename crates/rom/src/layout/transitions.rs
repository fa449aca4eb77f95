//! Transitions, branches of choices, and what they lead to.

use zerocopy::byteorder::little_endian::{F32, U16, U32};

use super::{DurationWord, OpRecord};
use crate::number::Coded;

numbers! {
    /// Triggers that are no event and no timer: values of [`TransitionRecord::trigger`] from
    /// [`SpecialTrigger::FIRST`] on. Below: events, then timers (see [`crate::Rom::columns`]).
    SpecialTrigger: u16 {
        /// Any event.
        Any = 0xFFF0 "any",
        /// Eventless: always.
        Always = 0xFFF1 "always",
        /// Eventless: completion.
        Done = 0xFFF2 "done",
        /// Eventless: failure.
        Failed = 0xFFF3 "failed",
    }
}

impl SpecialTrigger {
    /// No event and no timer column has this number or one above.
    pub const FIRST: u16 = Self::Any.number();
    /// The highest; they are consecutive.
    pub const LAST: u16 = Self::Failed.number();

    /// The one in a record; `None` for events and timers.
    #[inline]
    pub fn read(trigger: U16) -> Option<Self> {
        Self::from_number(trigger.get())
    }

    /// Does it stand in a record?
    #[inline]
    pub fn is(self, trigger: U16) -> bool {
        trigger.get() == self.number()
    }

    /// Is it taken without an event (SEL-2)?
    #[inline]
    pub const fn is_eventless(self) -> bool {
        match self {
            Self::Any => false,
            Self::Always | Self::Done | Self::Failed => true,
        }
    }
}

const _: () = assert!(
    SpecialTrigger::LAST as usize - SpecialTrigger::FIRST as usize + 1 == SpecialTrigger::COUNT
);

flags! {
    /// Bits of [`TransitionRecord::flags`].
    transition_flag: u16 {
        /// Effect only; no targets (EXEC-2).
        INTERNAL = 0 "internal",
        /// The source stays active (EXEC-2).
        LOCAL = 1 "local",
        /// SEL-2.
        INTERRUPT = 2 "interrupt",
        /// SEL-3; needs the extra record.
        SCORED = 3 "scored",
        /// EXEC-8.
        PUSH = 4 "push",
        /// EXEC-8.
        POP = 5 "pop",
        /// SEL-6; needs the extra record.
        LATCH = 6 "latch",
        /// A target is a history point, or entry on the way restores history: entry and domain are
        /// found at run time.
        HISTORY = 7 "history",
        /// A target is a choice: entry is found at run time (EXEC-7).
        CHOICE = 8 "choice",
        /// Internal, without effect: if it is the first enabled, the search ends and nothing happens (LANG-6).
        STAY = 9 "stay",
        /// Written in one list of events with the transition before it, and like it in all but the event: they share
        /// a cooldown (LANG-1).
        LISTED = 10 "listed",
    }
}

record! {
    /// A transition. Those of one state are consecutive, in selection order: priority first, then declaration
    /// (SEL-3).
    TransitionRecord: 16 {
        /// The state it belongs to.
        source: U16,
        /// Target set; `NONE` for internal and pop.
        targets: U16,
        /// Event, timer column or [`SpecialTrigger`].
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
        /// SEL-6; found when the transition commits.
        cooldown_time: DurationWord,
        /// SEL-6: ticks or a parameter; found when it is armed.
        debounce_time: DurationWord,
        /// First of two slots with the ready tick; 0xFF = none.
        cooldown_slot: u8,
        /// Timer place; 0xFF = none.
        debounce_timer: u8,
        /// Record in the stacks table of a push or pop; 0xFF = none.
        stack: u8,
        /// Zero.
        zero: u8,
        /// Expression of the least score, instead of the number (LANG-12); or `NONE`.
        threshold_code: U16,
        /// Zero.
        reserved: [u8; 10],
    }
}

record! {
    /// Precomputed for each transition; record `i` belongs to transition `i`. What asking takes is joined here, so
    /// that most candidates are judged by one record.
    TransitionPlan: 26 {
        /// Entry plan; `NONE` when it has no entries, or when history or choice on the way leave it to run time.
        plan: U16,
        /// Structural cost in the worst configuration (EXEC-9).
        cost: u8,
        /// Regions of the domain that are exited and entered, one bit each (EXEC-2); 0 for an internal transition. Bits
        /// beyond the regions of the domain mean nothing.
        regions: u8,
        /// The state it belongs to.
        source: U16,
        /// [`ask_flag`] bits.
        flags: u8,
        /// Slot of the result that a `done` or `failed` waits for; 0xFF = none.
        result_slot: u8,
        /// First of the two result bits in that slot.
        result_bit: u8,
        /// Zero.
        reserved: u8,
        /// The op of the guard; zero without one.
        guard: OpRecord,
        /// What the guard begins with, if that is an expression.
        term: Term,
    }
}

record! {
    /// The first comparison, flag or state of a condition, with its operands side by side: most conditions are decided
    /// by it, and most of those say no. A flag or a state is compared with 0.
    Term: 8 {
        /// What is compared.
        kind: Coded<TermKind>,
        /// [`term_flag`] bits.
        flags: u8,
        /// The key on the left, or the state.
        a: U16,
        /// What it is compared with: a number, a key or a parameter.
        b: U32,
    }
}

numbers! {
    /// What a [`Term`] compares.
    TermKind: u8 {
        /// Nothing: the condition begins otherwise.
        None = 0 "none",
        /// Whole numbers: a key with a number, a key or a parameter.
        Whole = 1 "whole",
        /// The same with floats.
        Float = 2 "float",
        /// Whether a state is active, as 1 or 0.
        State = 3 "state",
    }
}

flags! {
    /// Bits of [`Term::flags`]. The first four say when it holds; bit `i` belongs to outcome `i` of the comparison.
    term_flag: u8 {
        /// It holds if the left side is less.
        LESS = 0 "less",
        /// It holds if both are equal.
        EQUAL = 1 "equal",
        /// It holds if the left side is greater.
        GREATER = 2 "greater",
        /// It holds if one of them is no number.
        UNORDERED = 3 "unordered",
        /// If it holds, so does the condition.
        DECIDES_YES = 4 "decides_yes",
        /// If it does not hold, neither does the condition.
        DECIDES_NO = 5 "decides_no",
        /// The right side is a parameter.
        PARAMETER = 6 "parameter",
        /// The right side is a key.
        KEY = 7 "key",
    }
}

flags! {
    /// Bits of [`TransitionPlan::flags`]: what asking a transition takes.
    ask_flag: u8 {
        /// It has a guard.
        GUARDED = 0 "guarded",
        /// It waits for the success of an activity.
        SUCCEEDED = 1 "succeeded",
        /// It waits for the failure of an activity.
        FAILED = 2 "failed",
        /// It waits for final states, too: its source has regions.
        COMPLETED = 3 "completed",
        /// It has a cooldown, a score or a stack.
        WEIGHED = 4 "weighed",
        /// Its guard has to hold for a while.
        DEBOUNCED = 5 "debounced",
        /// A state that it may leave has a `min_active` or an `exit_ready`.
        HELD = 6 "held",
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

/// First bit of the priority (0 to 15) in [`TransitionRecord::flags`].
pub const PRIORITY_SHIFT: u32 = 12;
/// The bits of the priority.
pub const PRIORITY_MASK: u16 = 0xF << PRIORITY_SHIFT;
const _: () = assert!(transition_flag::ALL & PRIORITY_MASK == 0);

numbers! {
    /// What a target names.
    TargetKind: u8 {
        /// A state (not a choice).
        State = 0 "state",
        /// A history point.
        History = 1 "history",
        /// A choice state.
        Choice = 2 "choice",
    }
}

record! {
    /// One target of a set, in the order of the tree.
    TargetRecord: 4 {
        /// State or history point.
        index: U16,
        /// What it names.
        kind: Coded<TargetKind>,
        /// Zero.
        reserved: u8,
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
