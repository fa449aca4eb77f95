//! How many ticks the durations of a text are, to be shown behind them.

use std::ops::Range;

use statewright_author::duration::DurationSource;
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
        let rate = self.machine.ticks_per_second();
        let durations = self.names.durations.iter();
        durations
            .filter(|(range, _)| part.start <= range.end && range.start <= part.end)
            .filter(|(_, duration)| is_in_seconds(duration))
            .filter_map(|(range, duration)| {
                Some(Hint {
                    place: range.end,
                    text: ticks(duration, rate)?,
                })
            })
            .collect()
    }
}

/// Whether something is said by counting ticks that the text does not say.
fn is_in_seconds(duration: &DurationSource) -> bool {
    let in_seconds = |duration: &Duration| matches!(duration, Duration::Nanos(_));
    match duration {
        DurationSource::Literal(duration) => in_seconds(duration),
        DurationSource::Range(low, high) => in_seconds(low) || in_seconds(high),
        DurationSource::Code(_) => false,
    }
}

/// A known duration in ticks.
pub(crate) fn ticks(duration: &DurationSource, rate: u32) -> Option<String> {
    match duration {
        DurationSource::Literal(duration) => {
            let ticks = duration.ticks(rate)?;
            let noun = if ticks == 1 { "tick" } else { "ticks" };
            Some(format!("{ticks} {noun}"))
        }
        DurationSource::Range(low, high) => Some(format!(
            "{} to {} ticks",
            low.ticks(rate)?,
            high.ticks(rate)?
        )),
        DurationSource::Code(_) => None,
    }
}
