//! User functions and the lists of ops that call them and do the rest (CODE-1, CODE-3).

use zerocopy::byteorder::little_endian::{U16, U32};

use super::ValueType;
use crate::number::Coded;

numbers! {
    /// What a user function is (CODE-1).
    FunctionKind: u8 {
        /// Guard.
        Guard = 0 "guard",
        /// Action.
        Action = 1 "action",
        /// Activity.
        Activity = 2 "activity",
        /// Scorer.
        Scorer = 3 "scorer",
        /// Gives expressions a value (LANG-11).
        Value = 4 "value",
    }
}

record! {
    /// A user function (ROM-8). Sorted by kind, then hash; no two are equal.
    LinkerRecord: 8 {
        /// Low half of xxh3 of the name.
        hash: U32,
        /// What it is.
        kind: Coded<FunctionKind>,
        /// 1 = may use the rng (SEL-5).
        rng: u8,
        /// Type that a value function gives (LANG-11); 0 for the other kinds.
        ty: Coded<ValueType>,
        /// Zero.
        reserved: u8,
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

numbers! {
    /// What an op does; `a`, `b` and `count` are fields of [`OpRecord`].
    ActionOp: u8 {
        /// Calls a function with literal arguments: `a` = linker entry, `b` = first argument, `count` =
        /// arguments.
        Call = 0 "call",
        /// Evaluates an expression: `a` = expression. Guards and scores only.
        Evaluate = 1 "evaluate",
        /// Writes a blackboard key: `a` = expression, `b` = key.
        Set = 2 "set",
        /// Adds to a blackboard key: `a` = expression, `b` = key.
        Add = 3 "add",
        /// Posts an internal event: `a` = event, `b` = payload expression or `NONE`.
        Raise = 4 "raise",
        /// Posts an external event: `a` = event, `b` = payload expression or `NONE` (low half),
        /// receiver expression or `NONE` (high half).
        Send = 5 "send",
        /// Emits a command: `a` = string of its name, `b` = payload expression or `NONE` (low half),
        /// lane (high half).
        Emit = 6 "emit",
        /// Starts a timer: `a` = timer, `b` = [`DurationWord`](super::DurationWord), not none.
        StartTimer = 7 "start_timer",
        /// Stops a timer: `a` = timer.
        StopTimer = 8 "stop_timer",
        /// Clears the history points of a state: `a` = state.
        ClearHistory = 9 "clear_history",
        /// Leaves out ops of its list unless a condition holds: `a` = expression, `b` = how many, at
        /// least 1.
        Unless = 10 "unless",
        /// Leaves out ops of its list: `a` = 0, `b` = how many, at least 1.
        Skip = 11 "skip",
        /// Calls a function with arguments of which one at least is computed (LANG-4): fields as in
        /// [`Self::Call`].
        CallWith = 16 "call_with",
        /// Writes scratch: `a` = expression, `b` = scratch (LANG-8).
        SetScratch = 17 "set_scratch",
        /// Adds to scratch: `a` = expression, `b` = scratch (LANG-8).
        AddScratch = 18 "add_scratch",
    }
}

impl ActionOp {
    /// Does it leave out ops of its list?
    #[inline]
    pub const fn leaves_out(self) -> bool {
        match self {
            Self::Unless | Self::Skip => true,
            Self::Call
            | Self::Evaluate
            | Self::Set
            | Self::Add
            | Self::Raise
            | Self::Send
            | Self::Emit
            | Self::StartTimer
            | Self::StopTimer
            | Self::ClearHistory
            | Self::CallWith
            | Self::SetScratch
            | Self::AddScratch => false,
        }
    }

    /// Does it call a function?
    #[inline]
    pub const fn calls(self) -> bool {
        matches!(self, Self::Call | Self::CallWith)
    }
}

record! {
    /// One step of an action list, a guard, a score or an activity.
    OpRecord: 8 {
        /// What it does.
        kind: Coded<ActionOp>,
        /// Arguments of a call; else 0.
        count: u8,
        /// See [`ActionOp`].
        a: U16,
        /// See [`ActionOp`]; 0 where not used.
        b: U32,
    }
}

numbers! {
    /// Where the value of an argument comes from (LANG-4); `words` is that of [`ArgumentRecord`].
    ArgumentSource: u8 {
        /// It is always the same: `words` has it.
        Literal = 0 "literal",
        /// An expression computes it before the call: `words` = expression, place among the computed
        /// arguments in the order in which they are evaluated, 0.
        Expression = 1 "expression",
        /// The expression that calls has it on its stack: `words` = 0, place among the computed
        /// arguments in the order in which they are pushed, 0.
        Stack = 2 "stack",
    }
}

record! {
    /// An argument (CODE-3, LANG-4).
    ArgumentRecord: 16 {
        /// Its type; text is a symbol.
        ty: Coded<ValueType>,
        /// Where its value comes from.
        source: Coded<ArgumentSource>,
        /// String of its name; or `NONE`.
        name: U16,
        /// Its words; unused ones are zero. See [`ArgumentSource`].
        words: [U32; 3],
    }
}

impl ArgumentRecord {
    /// Its place among the computed arguments of its call; `None` if it is a literal.
    #[inline]
    pub fn place(&self) -> Option<u32> {
        (self.source != ArgumentSource::Literal).then(|| self.words[1].get())
    }

    /// The same argument with a value.
    #[must_use]
    pub fn with_words(&self, words: [u32; 3]) -> Self {
        Self {
            source: ArgumentSource::Literal.coded(),
            words: words.map(U32::new),
            ..*self
        }
    }
}
