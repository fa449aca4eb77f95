//! Durations: literals, parameters, expressions and ranges (SEL-1, LANG-3).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::duration::{DurationSource, is_identifier};
use statewright_author::limits::MAX_DURATION_TICKS;
use statewright_author::span::{Span, Spanned};
use statewright_author::value::{Duration, ParameterType};
use statewright_rom::layout::{DurationKind, DurationRecord, DurationWord, ticks_of_seconds};
use zerocopy::byteorder::little_endian::{U16, U32};

use super::Resolver;
use super::scope::Site;
use crate::actions::narrow;
use crate::expr::Expected;
use crate::index::{Index, ParameterIndex};

/// Stands for what has been reported.
const REPORTED: DurationWord = DurationWord::ticks(1);

impl Resolver<'_> {
    /// A duration that is found where it is armed.
    pub(super) fn armed(&mut self, source: &Spanned<DurationSource>, site: &Site) -> DurationWord {
        match &source.value {
            DurationSource::Literal(duration) => self.literal_ticks(*duration, source.span),
            DurationSource::Range(low, high) => self.range(*low, *high, source.span),
            DurationSource::Code(code) => match self.duration_parameter(code) {
                Some(parameter) => self.parameter_ticks(parameter),
                None => self.seconds(&Spanned::new(code.clone(), source.span), site),
            },
        }
    }

    /// The same where there may be none.
    pub(super) fn maybe_armed(
        &mut self,
        source: Option<&Spanned<DurationSource>>,
        site: &Site,
    ) -> DurationWord {
        source.map_or(DurationWord::NOTHING, |source| self.armed(source, site))
    }

    /// A literal or a parameter; what else there may be has been refused with the file.
    pub(super) fn maybe_asked(&mut self, source: Option<&Spanned<DurationSource>>) -> DurationWord {
        let Some(source) = source else {
            return DurationWord::NOTHING;
        };
        match &source.value {
            DurationSource::Literal(duration) => self.literal_ticks(*duration, source.span),
            DurationSource::Code(code) => match self.duration_parameter(code) {
                Some(parameter) => self.parameter_ticks(parameter),
                None => self.not_a_duration(code, source.span),
            },
            DurationSource::Range(..) => {
                let text = source.value.to_string();
                self.not_a_duration(&text, source.span)
            }
        }
    }

    fn literal_ticks(&mut self, duration: Duration, span: Span) -> DurationWord {
        DurationWord::ticks(self.ticks(duration, span))
    }

    /// Ticks of a literal.
    pub(super) fn ticks(&mut self, duration: Duration, span: Span) -> u32 {
        duration.ticks(self.tick_rate).unwrap_or_else(|| {
            let days = f64::from(MAX_DURATION_TICKS) / f64::from(self.tick_rate.max(1)) / 86_400.0;
            let text = format!(
                "{duration} is too long: the longest is {MAX_DURATION_TICKS} ticks, {days:.1} days at {} per second",
                self.tick_rate
            );
            self.report(
                Diagnostic::new(DiagnosticCode::BadDuration, span, text)
                    .label("too long")
                    .help("count in the blackboard if something may take that long, or use a lower `tick_rate`"),
            );
            1
        })
    }

    fn range(&mut self, low: Duration, high: Duration, span: Span) -> DurationWord {
        let (first, last) = (self.ticks(low, span), self.ticks(high, span));
        if first > last {
            let text = format!("the range {low}..{high} ends before it begins");
            self.report(
                Diagnostic::new(DiagnosticCode::BadDuration, span, text)
                    .label(format!("{first} ticks to {last} ticks"))
                    .help(format!("write \"{high}..{low}\"")),
            );
            return REPORTED;
        }
        self.usage.rng_ranges.insert(format!("range {low}..{high}"));
        self.computed(DurationKind::Range, 0, [first, last])
    }

    /// The parameter that a name means, if it is a duration. A key of that name comes first.
    fn duration_parameter(&self, code: &str) -> Option<ParameterIndex> {
        if !is_identifier(code) || self.names.keys.get(code).is_some() {
            return None;
        }
        let parameter = self.names.parameters.get(code)?;
        let ty = self.machine.parameters[parameter.position()].ty.value;
        (ty == ParameterType::Duration).then_some(parameter)
    }

    fn parameter_ticks(&mut self, parameter: ParameterIndex) -> DurationWord {
        self.usage.parameters.get_mut().insert(parameter);
        self.computed(DurationKind::Parameter, narrow(parameter), [0; 2])
    }

    fn seconds(&mut self, code: &Spanned<String>, site: &Site) -> DurationWord {
        let Some(compiled) = self.expression(code, None, Expected::F32, site) else {
            return REPORTED;
        };
        let expression = self.actions.expression(compiled);
        self.computed(DurationKind::Expression, narrow(expression), [0; 2])
    }

    fn computed(&mut self, kind: DurationKind, index: u16, [low, high]: [u32; 2]) -> DurationWord {
        self.actions.duration(DurationRecord {
            kind: kind.into(),
            reserved: 0,
            index: U16::new(index),
            low: U32::new(low),
            high: U32::new(high),
        })
    }

    fn not_a_duration(&mut self, code: &str, span: Span) -> DurationWord {
        let machine = self.machine;
        let declared = machine
            .parameters
            .iter()
            .find(|parameter| parameter.name.value == code);
        let text = match declared {
            Some(other) => format!(
                "parameter `{code}` has the type `{}`, not `duration`",
                other.ty.value
            ),
            None => format!("no parameter `{code}` is a duration"),
        };
        let problem = Diagnostic::new(DiagnosticCode::NotADuration, span, text);
        let problem = match declared {
            Some(other) => problem
                .label("not a duration")
                .related(other.name.span, "declared here")
                .help("give the parameter the type `duration` and a value such as \"200ms\""),
            None => {
                let durations = machine
                    .parameters
                    .iter()
                    .filter(|parameter| parameter.ty.value == ParameterType::Duration)
                    .map(|parameter| parameter.name.value.as_str());
                problem.label("not found").suggest(code, durations)
            }
        };
        self.report(problem);
        REPORTED
    }

    /// The seconds that a parameter keeps for a literal, such that they become as many ticks as the
    /// literal has: f32 has no 0.7, and what is a little more would be one tick more.
    pub(super) fn parameter_seconds(&mut self, text: &str, span: Span) -> Option<u32> {
        let duration = Duration::parse(text).ok()?;
        let ticks = self.ticks(duration, span);
        let rate = u16::try_from(self.tick_rate).unwrap_or(u16::MAX);
        let nearest = match duration {
            Duration::Nanos(nanos) => nanos as f64 / 1e9,
            Duration::Ticks(ticks) => ticks as f64 / f64::from(self.tick_rate.max(1)),
        };
        Some(seconds_of_ticks(nearest as f32, ticks, rate).to_bits())
    }
}

/// The number nearest to `seconds` that lasts so many ticks. Past 2^24 ticks an f32 does not know
/// every number of ticks; then it is `seconds` itself.
fn seconds_of_ticks(seconds: f32, ticks: u32, rate: u16) -> f32 {
    const MOST_STEPS: u32 = 4;
    let (mut down, mut up) = (seconds, seconds);
    for _ in 0..=MOST_STEPS {
        for near in [down, up] {
            if ticks_of_seconds(near, rate) == ticks {
                return near;
            }
        }
        (down, up) = (down.next_down().max(0.0), up.next_up());
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lang_3_a_literal_lasts_the_same_as_a_parameter() {
        for rate in [1, 7, 30, 50, 60, 61, 100, 120, 144, 1000, 65_535_u16] {
            let exact = (1..40_000).map(|ticks| (ticks, ticks as f64 / f64::from(rate)));
            for (ticks, seconds) in exact {
                let kept = seconds_of_ticks(seconds as f32, ticks, rate);
                assert_eq!(ticks_of_seconds(kept, rate), ticks, "{seconds}s at {rate}");
            }
            for tenths in 1..10_000_u64 {
                let ticks = Duration::Nanos(tenths * 100_000_000).ticks(rate.into());
                if ticks.is_none_or(|ticks| ticks >= 1 << 24) {
                    continue;
                }
                let kept = seconds_of_ticks(tenths as f32 / 10.0, ticks.unwrap(), rate);
                assert_eq!(
                    Some(ticks_of_seconds(kept, rate)),
                    ticks,
                    "{tenths} at {rate}"
                );
            }
        }
    }
}
