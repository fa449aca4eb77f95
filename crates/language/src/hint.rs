//! How many ticks the durations of a text are, to be shown behind them.

use std::ops::Range;

use statewright_author::value::Duration;

use crate::analysis::Analysis;

/// Something shown in the text that is not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Where.
    pub place: usize,
    /// What.
    pub text: String,
}

impl Analysis {
    /// The hints in a part of the text.
    pub fn hints(&self, part: Range<usize>) -> Vec<Hint> {
        let rate = self.tick_rate();
        let durations = self.names.durations.iter();
        durations
            .filter(|(range, duration)| {
                matches!(duration, Duration::Nanos(_))
                    && part.start <= range.end
                    && range.start <= part.end
            })
            .filter_map(|(range, duration)| {
                let ticks = duration.ticks(rate)?;
                let noun = if ticks == 1 { "tick" } else { "ticks" };
                Some(Hint {
                    place: range.end,
                    text: format!("{ticks} {noun}"),
                })
            })
            .collect()
    }
}
