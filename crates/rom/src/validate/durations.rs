//! Durations: what is found where it is needed, and the words that say how long (LANG-3).

use super::{Check, range, unknown};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::view::Rom;

/// A parameter that is a duration, an expression in seconds, or a range of ticks.
pub(super) fn durations<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Durations);
    for (i, duration) in rom.durations().iter().enumerate() {
        let problem = problem_of(rom, duration);
        check.rule(problem.is_none(), i, || {
            problem.unwrap_or(Problem::Reserved)
        })?;
    }
    check.finish()
}

fn problem_of(rom: &Rom<'_>, duration: &DurationRecord) -> Option<Problem> {
    let (index, low, high) = (
        duration.index.get(),
        duration.low.get(),
        duration.high.get(),
    );
    let Some(kind) = duration.kind.known() else {
        return Some(unknown("kind", duration.kind));
    };
    let good = match kind {
        DurationKind::Parameter => rom
            .parameters()
            .get(usize::from(index))
            .is_some_and(|parameter| parameter.is_duration == 1),
        DurationKind::Expression => rom
            .expressions()
            .get(usize::from(index))
            .is_some_and(|expression| expression.ty == ValueType::F32),
        DurationKind::Range => index == 0,
    };
    if !good {
        return Some(unknown(kind.name(), index));
    }
    let free = match kind {
        DurationKind::Parameter | DurationKind::Expression => low == 0 && high == 0,
        DurationKind::Range => low > 0 && low <= high && high <= MAX_TICKS,
    };
    if !free {
        return Some(unknown("end of a range of ticks,", high));
    }
    (duration.reserved != 0).then_some(Problem::Reserved)
}

/// Where a duration stands decides what it may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Ticks, parameter, expression or range.
    Armed,
    /// Ticks or a parameter: no host is at hand.
    Asked,
}

/// What is wrong with a word that must be a duration.
pub(super) fn bad_word(rom: &Rom<'_>, word: DurationWord, place: Place) -> Option<Problem> {
    match word.read() {
        HowLong::Ticks(_) => None,
        HowLong::Nothing => Some(unknown("duration", word.raw())),
        HowLong::Computed(id) => {
            let Some(record) = rom.duration(id) else {
                return Some(range("duration", id.raw(), rom.durations().len()));
            };
            let fits = match place {
                Place::Armed => true,
                Place::Asked => record.kind == DurationKind::Parameter,
            };
            (!fits).then(|| unknown("duration", word.raw()))
        }
    }
}

/// The same where there may be none.
pub(super) fn bad_optional(rom: &Rom<'_>, word: DurationWord, place: Place) -> Option<Problem> {
    if word.is_some() {
        bad_word(rom, word, place)
    } else {
        None
    }
}
