//! What may be given as a literal, a payload type or a duration.

use crate::graph::Payload;
use crate::value::{Duration, DurationError, Literal, ValueType};

/// A length of time: text such as `"1.5s"`, `"200ms"` or `"30t"`, a [`Duration`] or a
/// [`std::time::Duration`]. Text may also be a parameter, an expression in seconds or a range such as
/// `"2s..5s"` where the machine file may have one (LANG-3).
#[derive(Clone, Debug)]
pub struct Time(Given);

#[derive(Clone, Debug)]
enum Given {
    Text(String),
    Exact(Duration),
    Std(std::time::Duration),
}

impl Time {
    /// The duration as `parse` reads its text, or the text and what is wrong with it.
    pub(super) fn read<T: From<Duration>>(
        self,
        parse: fn(&str) -> Result<T, DurationError>,
    ) -> Result<T, (String, &'static str)> {
        match self.0 {
            Given::Text(text) => parse(&text).map_err(|reason| (text, reason.message())),
            Given::Exact(duration) => Ok(duration.into()),
            Given::Std(duration) => u64::try_from(duration.as_nanos())
                .map(|nanos| Duration::Nanos(nanos).into())
                .map_err(|_| (format!("{duration:?}"), "it is longer than 584 years")),
        }
    }
}

impl From<&str> for Time {
    fn from(text: &str) -> Self {
        Self(Given::Text(text.into()))
    }
}

impl From<String> for Time {
    fn from(text: String) -> Self {
        Self(Given::Text(text))
    }
}

impl From<Duration> for Time {
    fn from(duration: Duration) -> Self {
        Self(Given::Exact(duration))
    }
}

impl From<std::time::Duration> for Time {
    fn from(duration: std::time::Duration) -> Self {
        Self(Given::Std(duration))
    }
}

impl From<ValueType> for Payload {
    fn from(value: ValueType) -> Self {
        Self::Value(value)
    }
}

macro_rules! literals {
    ($($from:ty => $variant:ident |$value:ident| $into:expr;)+) => {
        $(impl From<$from> for Literal {
            fn from($value: $from) -> Self {
                Self::$variant($into)
            }
        })+
    };
}

literals! {
    i32 => Int |value| value.into();
    u32 => Int |value| value.into();
    i64 => Int |value| value;
    f32 => Float |value| value.into();
    f64 => Float |value| value;
    bool => Bool |value| value;
    &str => Text |value| value.into();
    String => Text |value| value;
    [f32; 2] => Vector |value| value.map(f64::from).into();
    [f32; 3] => Vector |value| value.map(f64::from).into();
    [f64; 2] => Vector |value| value.into();
    [f64; 3] => Vector |value| value.into();
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Given::Text(text) => f.write_str(text),
            Given::Exact(duration) => duration.fmt(f),
            Given::Std(duration) => write!(f, "{duration:?}"),
        }
    }
}
