//! Where a duration comes from: a literal, a parameter, an expression or a range (LANG-3).

use std::fmt;

use crate::value::{Duration, DurationError};

/// A duration as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum DurationSource {
    /// `1.5s`
    Literal(Duration),
    /// `2s..5s`: one draw, both ends included.
    Range(Duration, Duration),
    /// A parameter of the type `duration`, or an expression in seconds: `patience`, `2 * patience`.
    Code(String),
}

impl Default for DurationSource {
    fn default() -> Self {
        Self::Literal(Duration::default())
    }
}

impl From<Duration> for DurationSource {
    fn from(duration: Duration) -> Self {
        Self::Literal(duration)
    }
}

impl DurationSource {
    /// Reads what `after`, `every`, `start` and `cooldown` may be. Text that begins like a number
    /// and goes on with a unit is meant as a literal: `5m` is a mistake, not an expression.
    pub fn parse(text: &str) -> Result<Self, DurationError> {
        let text = text.trim();
        // Two dots may also stand in a text or a quoted name of an expression, nowhere else.
        let range = text.split_once("..");
        if let Some((low, high)) = range.filter(|(low, _)| !low.contains(QUOTES)) {
            let end = |text| Duration::parse(text).map_err(|_| DurationError::Range);
            // A slip of the finger, no range up to half a second: `2s...5s`.
            if high.starts_with('.') {
                return Err(DurationError::Range);
            }
            return Ok(Self::Range(end(low)?, end(high)?));
        }
        match Duration::parse(text) {
            Ok(duration) => Ok(Self::Literal(duration)),
            Err(problem) if is_number_with_unit(text) => Err(problem),
            Err(_) => Ok(Self::Code(text.to_owned())),
        }
    }

    /// Reads what `debounce` and `min_active` may be: a literal or a parameter.
    pub fn parse_asked(text: &str) -> Result<Self, DurationError> {
        match Self::parse(text)? {
            Self::Range(..) => Err(DurationError::NoRange),
            Self::Code(code) if !is_identifier(&code) => Err(DurationError::NoExpression),
            source => Ok(source),
        }
    }

    /// The literal, if it is one.
    pub fn literal(&self) -> Option<Duration> {
        match self {
            Self::Literal(duration) => Some(*duration),
            Self::Range(..) | Self::Code(_) => None,
        }
    }
}

impl fmt::Display for DurationSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(duration) => duration.fmt(f),
            Self::Range(low, high) => write!(f, "{low}..{high}"),
            Self::Code(code) => f.write_str(code),
        }
    }
}

/// Is it a name, such as that of a parameter?
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    first.is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// What begins a text or a quoted name in an expression.
const QUOTES: [char; 3] = ['\'', '"', '`'];

/// Nothing, `5`, `1.5 m`, `-1s`, `1e3s`, `0,5s`: no operator, and a digit first.
fn is_number_with_unit(text: &str) -> bool {
    let rest = text.strip_prefix('-').unwrap_or(text);
    let first = rest.chars().next();
    first.is_none_or(|c| c.is_ascii_digit() || c == '.')
        && rest
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | ',' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lang_3_durations_have_four_forms() {
        let read = |text| DurationSource::parse(text).unwrap();
        assert_eq!(read("30t"), Duration::Ticks(30).into());
        assert_eq!(
            read("2s..5s"),
            DurationSource::Range(
                Duration::Nanos(2_000_000_000),
                Duration::Nanos(5_000_000_000)
            )
        );
        assert_eq!(
            read(" 30t .. 1.5s "),
            DurationSource::Range(Duration::Ticks(30), Duration::Nanos(1_500_000_000))
        );
        assert_eq!(read("patience"), DurationSource::Code("patience".into()));
        let dots = "2 * select(kind == 'a..b', 1, 2)";
        assert_eq!(read(dots), DurationSource::Code(dots.into()));
        assert_eq!(
            read("2 * patience"),
            DurationSource::Code("2 * patience".into())
        );
    }

    #[test]
    fn lang_3_what_is_meant_as_a_literal_is_one_or_an_error() {
        for text in [
            "", "5", "5m", "1.5 sec", "-1s", "1e3s", "1.s.s", "1.5t", "0,5s",
        ] {
            assert!(DurationSource::parse(text).is_err(), "{text:?}");
        }
        for text in [
            "2s..",
            "..5s",
            "2s..patience",
            "patience..5s",
            "short..2 * long",
            "2s...5s",
            "1s..2s..3s",
        ] {
            assert_eq!(
                DurationSource::parse(text),
                Err(DurationError::Range),
                "{text:?}"
            );
        }
    }

    #[test]
    fn lang_3_what_is_asked_has_two_forms() {
        let read = DurationSource::parse_asked;
        assert!(read("30t").is_ok() && read("patience").is_ok());
        assert_eq!(read("2s..5s"), Err(DurationError::NoRange));
        assert_eq!(read("2 * patience"), Err(DurationError::NoExpression));
    }

    #[test]
    fn durations_print_as_they_are_read() {
        for text in ["30t", "2s..1500ms", "2 * patience"] {
            assert_eq!(DurationSource::parse(text).unwrap().to_string(), text);
        }
    }
}
