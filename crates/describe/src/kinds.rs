//! Kinds and classes of a ROM, as JSON their names.

use std::fmt::{self, Display};

use serde::{Serialize, Serializer};

pub use statewright_rom::layout::{
    EventClass, FunctionKind, LaneKey, LaneScope, MergeRule, PayloadKind, ScratchType, StateKind,
    Tier, TimerKind, ValueType,
};

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
