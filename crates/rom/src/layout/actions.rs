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

numbers! {
    /// What an op does; `a`, `b` and `count` are fields of [`OpRecord`].
    ActionOp: u8 {
        /// Calls a function: `a` = linker entry, `b` = first argument, `count` = arguments.
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
            | Self::ClearHistory => false,
        }
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

record! {
    /// A literal argument (CODE-3).
    ArgumentRecord: 16 {
        /// Its type; text is a symbol.
        ty: Coded<ValueType>,
        /// Zero.
        reserved: u8,
        /// String of its name; or `NONE`.
        name: U16,
        /// Its words; unused ones are zero.
        words: [U32; 3],
    }
}
