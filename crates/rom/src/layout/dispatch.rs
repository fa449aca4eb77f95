//! What the compiler worked out beforehand: dispatch rows, candidates, entry plans, jumps.

use zerocopy::byteorder::little_endian::{U16, U32};

use super::OpRecord;
use crate::number::Coded;

flags! {
    /// Bits of [`LeafRow::flags`].
    row_flag: u16 {
        /// The state or one around it has an activity or an eventless trigger (RAM-3, Polls).
        POLLS = 0 "polls",
    }
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
    /// What a leaf adds to the configuration, and what its agent does by itself while it is active; record `i`
    /// belongs to leaf row `i`.
    ///
    /// States that lie around an earlier leaf, too, are left to that one. Which these are does not depend on
    /// the configuration: the leaf lies behind the first region of an orthogonal state, and from there upward everything
    /// is shared.
    ///
    /// ```text
    ///   P ─┬─ region 1 ── A      active: A, B, C
    ///      └─ region 2 ── Q ─┬─ region 3 ── B      own states of A: A, P and what is around P
    ///                        └─ region 4 ── C      of B: B, Q   of C: C
    ///
    ///   leaf  first of   next lies in
    ///   A     NONE       region 2      the leaves of a configuration form a chain:
    ///   B     region 2   region 4      each is the first one of the region that the one before it names
    ///   C     region 4   NONE
    /// ```
    PollRecord: 24 {
        /// The region behind the first of its state whose first active leaf this is; `NONE` = it is the first of all.
        first_of: U16,
        /// Region in which the next active leaf lies; `NONE` = it is the last.
        next: U16,
        /// First candidate of its own among eventless interrupts; those are asked from root to leaf.
        first_interrupt: U32,
        /// First candidate of its own among the other eventless ones; those are asked from leaf to root.
        first_ask: U32,
        /// How many interrupts.
        interrupts: U16,
        /// How many others.
        asks: U16,
        /// Slots in which own states keep a latched transition, one bit each (SEL-6).
        latches: U32,
        /// What the innermost own state with update actions or an activity runs; `NONE` = there is none.
        run: U16,
        /// Leaf number of the next active leaf; 0xFF = there is none.
        next_leaf: u8,
        /// Zero.
        reserved: u8,
    }
}

record! {
    /// What a state runs in every tick: update actions and an activity (TICK-5, LANG-10). In the order of their states.
    RunRecord: 20 {
        /// The state.
        state: U16,
        /// What the next state around it runs that belongs to the same leaf; `NONE` = there is none.
        next: U16,
        /// Action list of its update; or `NONE`.
        update: U16,
        /// Op that calls its activity; or `NONE`.
        activity: U16,
        /// Slot of the activity's result; 0xFF = none.
        result_slot: u8,
        /// First of the two result bits in that slot.
        result_bit: u8,
        /// Depth of the state.
        depth: u8,
        /// Leaf number of the state.
        leaf: u8,
        /// The op that calls the activity; zero without one.
        call: OpRecord,
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
/// Most jumps that compete by their scores.
pub const MAX_JUMP_SCORES: usize = 8;
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

numbers! {
    /// Who a candidate is.
    CandidateKind: u8 {
        /// A transition.
        Transition = 0 "transition",
        /// A deferring state.
        Deferral = 1 "deferral",
    }
}

record! {
    /// One candidate.
    Candidate: 4 {
        /// Transition or state.
        index: U16,
        /// Who it is.
        kind: Coded<CandidateKind>,
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

numbers! {
    /// What a step of an entry plan does.
    PlanStepKind: u8 {
        /// Enters a state: `list` = its entry actions.
        State = 0 "state",
        /// Runs an initial effect of a region of the state: `list` = the effect.
        Initial = 1 "initial",
    }
}

record! {
    /// One step of an entry plan.
    PlanStep: 8 {
        /// The state.
        state: U16,
        /// Action list; or `NONE`.
        list: U16,
        /// What it does.
        kind: Coded<PlanStepKind>,
        /// Leaf number set by entering an atomic or final state; 0xFF = none.
        leaf: u8,
        /// Zero.
        reserved: U16,
    }
}

record! {
    /// A whole transition for one leaf: what happens when an event or a timer of the column comes, with nothing to look up and at
    /// most a guard or what a history point remembers to ask; if that says no, the next jump is tried. Exists where all that the leaf can come
    /// to are such transitions, they stay in one region, and states on the way do not hold back. Steps: first the exits, then the effects,
    /// then the entries.
    Jump: 32 {
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
        /// Op of its guard, which is that of the transition or of a branch of its choice; or `NONE`.
        guard: U16,
        /// [`jump_flag`] bits.
        flags: U16,
        /// The state that the guard is asked for: the source of the transition, or the choice. With a slot: the state
        /// that it has to hold.
        asker: U16,
        /// The jump that is tried if the guard says no or the slot holds another state, behind this one; [`NO_LIST`] =
        /// then nobody reacts.
        otherwise: U32,
        /// How many of the steps are exits.
        exits: U16,
        /// How many of the steps are exits and effects.
        effects: U16,
        /// The innermost active state of its region between exits and entries; `NONE` = there is none.
        between: U16,
        /// Slot of a history point that has to remember a certain state; 0xFF = none (EXEC-4).
        slot: u8,
        /// Zero.
        reserved: u8,
    }
}

flags! {
    /// Bits of [`Jump::flags`].
    jump_flag: u16 {
        /// There is something to do besides calls: a guard, ops that are no calls, states that have
        /// more than actions, or a leaf that is not the first.
        MIXED = 0 "mixed",
        /// What is entered polls (RAM-3): the rest of the tick has to be gone through.
        POLLS = 1 "polls",
        /// A state on the way remembers what was active in it.
        REMEMBERS = 2 "remembers",
        /// It competes by its score with the jumps beside it in its ladder (SEL-3).
        SCORED = 3 "scored",
        /// If it is taken, nothing happens (LANG-6).
        STAYS = 4 "stays",
    }
}

numbers! {
    /// What a step of a jump does.
    JumpStepKind: u8 {
        /// One op of an exit, the effect or an entry.
        Op = 0 "op",
        /// The exit of a state that has more than actions.
        Exit = 1 "exit",
        /// The entry of a state that has more than actions.
        Enter = 2 "enter",
        /// A history point of a state that will be left remembers what is active (EXEC-4): `first` = its slot (low half)
        /// and the state that goes there, or 0 (high half).
        Remember = 3 "remember",
    }
}

record! {
    /// One step on the way of a jump.
    JumpStep: 12 {
        /// The action that is called; `NONE` where none is.
        function: U16,
        /// The state that the step belongs to.
        state: U16,
        /// First argument of a call; the op, if that is no call; what is remembered; else 0.
        first: U32,
        /// The innermost active state while it runs.
        leaf: U16,
        /// Arguments of a call; else 0.
        count: u8,
        /// What it does.
        kind: Coded<JumpStepKind>,
    }
}

impl JumpStep {
    /// What [`JumpStepKind::Remember`] writes: slot and raw state.
    #[inline]
    pub const fn remembered(&self) -> (u8, u16) {
        let first = self.first.get();
        (first as u8, (first >> 16) as u16)
    }
}
