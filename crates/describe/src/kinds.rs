//! Kinds and classes of a ROM, as JSON their names.

use std::fmt::{self, Display};

use serde::{Serialize, Serializer};
use statewright_rom::layout::ParameterRecord;

pub use statewright_rom::layout::{
    EventClass, FunctionKind, LaneKey, LaneScope, MergeRule, PayloadKind, ScratchType, StateKind,
    Tier, TimerKind, ValueType,
};

/// Type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterType {
    /// A type that keys may have, too.
    Value(ValueType),
    /// Seconds, an f32 (LANG-3).
    Duration,
}

impl ParameterType {
    /// The type in a record.
    pub fn of(record: &ParameterRecord) -> Self {
        if record.is_duration == 0 {
            Self::Value(record.ty.get())
        } else {
            Self::Duration
        }
    }
}

impl Display for ParameterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(ty) => ty.fmt(f),
            Self::Duration => f.write_str("duration"),
        }
    }
}

/// A kind or class. As text its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word<T>(pub T);

impl<T: Display> Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: Display> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
