//! How long something lasts, as machine files say it (LANG-3).

use std::fmt;

use serde::{Serialize, Serializer};
use statewright_rom::ids::ParameterId;
use statewright_rom::layout::{DurationKind, DurationWord, HowLong};
use statewright_symbols::SymbolKind;

use crate::names::NameTable;

/// A duration. As text `30t`, `patience`, `120t..300t` or `2.0 * patience`; in JSON ticks are a number.
#[derive(Clone, Debug, PartialEq)]
pub enum Length {
    /// So many ticks.
    Ticks(u32),
    /// A parameter that is a duration.
    Parameter(String),
    /// An expression in seconds.
    Expression(String),
    /// One draw: least and most ticks.
    Range(u32, u32),
}

impl Length {
    /// In words, with ticks as somebody says them.
    pub fn shown(&self, ticks: impl Fn(u32) -> String) -> String {
        match self {
            Self::Ticks(count) => ticks(*count),
            Self::Range(low, high) => format!("{}..{}", ticks(*low), ticks(*high)),
            Self::Parameter(code) | Self::Expression(code) => code.clone(),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ticks(count) => write!(f, "{count}t"),
            Self::Range(low, high) => write!(f, "{low}t..{high}t"),
            Self::Parameter(code) | Self::Expression(code) => f.write_str(code),
        }
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ticks(count) => to.serialize_u32(*count),
            Self::Parameter(_) | Self::Expression(_) | Self::Range(..) => to.collect_str(self),
        }
    }
}

impl NameTable<'_> {
    /// What a word of the ROM says; `None` if there is no duration.
    pub(crate) fn length(&self, word: DurationWord) -> Option<Length> {
        let id = match word.read() {
            HowLong::Nothing => return None,
            HowLong::Ticks(ticks) => return Some(Length::Ticks(ticks)),
            HowLong::Computed(id) => id,
        };
        let record = self.rom.duration(id)?;
        Some(match record.kind.get() {
            DurationKind::Range => Length::Range(record.low.get(), record.high.get()),
            DurationKind::Expression => Length::Expression(self.expression(record.index.get())),
            DurationKind::Parameter => {
                let parameter = ParameterId::read(record.index)?;
                Length::Parameter(self.named(SymbolKind::Parameter, parameter.index()))
            }
        })
    }
}
