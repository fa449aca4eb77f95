//! Small values of the author's vocabulary: types, literals, durations, classes, tiers.

use std::fmt;

/// Size of an instance (RAM-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// 64 bytes.
    Crowd,
    /// 128 bytes.
    Standard,
    /// 256 bytes.
    Hero,
}

/// Class of an event (EVT-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Taken last.
    Low,
    /// The default.
    #[default]
    Normal,
    /// May use the reserved queue place.
    Interrupt,
    /// Taken first.
    Critical,
}

/// Type of a blackboard key, a parameter or an expression (CODE-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueType {
    /// 32-bit integer; wraps.
    I32,
    /// 32-bit float, IEEE.
    F32,
    /// Truth value.
    Bool,
    /// An entity of the host.
    Entity,
    /// Two floats.
    Vec2,
    /// Three floats.
    Vec3,
    /// An interned name.
    Symbol,
}

impl ValueType {
    /// The type that other languages and engines call by this word.
    pub fn of_other_word(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "int" | "integer" | "int32" | "i64" | "u32" | "long" => Self::I32,
            "float" | "double" | "f64" | "number" | "single" | "real" => Self::F32,
            "boolean" | "flag" => Self::Bool,
            "object" | "gameobject" | "actor" | "node" | "agent" => Self::Entity,
            "vector2" | "float2" | "point" => Self::Vec2,
            "vector" | "vector3" | "float3" => Self::Vec3,
            "string" | "str" | "text" | "name" | "enum" => Self::Symbol,
            _ => return None,
        })
    }

    /// How many 32-bit words a value takes.
    pub fn words(self) -> u32 {
        match self {
            Self::Vec2 | Self::Entity => 2,
            Self::Vec3 => 3,
            _ => 1,
        }
    }
}

/// Type of a parameter (CODE-3, LANG-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParameterType {
    /// A type that keys may have, too.
    Value(ValueType),
    /// A length of time; expressions see its seconds, an f32.
    Duration,
}

impl ParameterType {
    /// The words of the text form. None for entities: no file can say which one it would be.
    pub const WORDS: &'static [&'static str] =
        &["i32", "f32", "bool", "vec2", "vec3", "symbol", "duration"];

    /// The word of the text form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Value(ty) => ty.as_str(),
            Self::Duration => "duration",
        }
    }

    /// The type of a word.
    pub fn parse(word: &str) -> Option<Self> {
        if word == "duration" {
            return Some(Self::Duration);
        }
        ValueType::parse(word).map(Self::Value)
    }

    /// A value of this type, for a parameter whose own has been reported.
    pub fn stand_in(self) -> Literal {
        match self {
            Self::Duration => Literal::Text(Duration::default().to_string()),
            Self::Value(ValueType::I32 | ValueType::Entity) => Literal::Int(0),
            Self::Value(ValueType::F32) => Literal::Float(0.0),
            Self::Value(ValueType::Bool) => Literal::Bool(false),
            Self::Value(ValueType::Symbol) => Literal::Text("none".into()),
            Self::Value(ValueType::Vec2) => Literal::Vector(vec![0.0; 2]),
            Self::Value(ValueType::Vec3) => Literal::Vector(vec![0.0; 3]),
        }
    }

    /// The type that expressions see.
    pub fn value(self) -> ValueType {
        match self {
            Self::Value(ty) => ty,
            Self::Duration => ValueType::F32,
        }
    }
}

impl From<ValueType> for ParameterType {
    fn from(ty: ValueType) -> Self {
        Self::Value(ty)
    }
}

impl fmt::Display for ParameterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a user function is (CODE-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FunctionKind {
    /// Answers yes or no, changes nothing.
    Guard,
    /// Does something once.
    Action,
    /// Runs every tick and reports its status.
    Activity,
    /// Answers with a number, changes nothing.
    Scorer,
    /// Gives expressions a value, changes nothing (LANG-11).
    Value,
}

/// Type of scratch in expressions (LANG-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScratchType {
    /// 0 to 65535.
    U16,
    /// -32768 to 32767.
    I16,
    /// Truth value.
    Bool,
}

impl ScratchType {
    /// The type of its value in an expression.
    pub fn value_type(self) -> ValueType {
        match self {
            Self::U16 | Self::I16 => ValueType::I32,
            Self::Bool => ValueType::Bool,
        }
    }
}

/// How commands of one lane merge (CMD-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MergeRule {
    /// The last one counts.
    LastWriterWins,
    /// Values are added, up to a cap.
    Accumulate,
    /// All, in order.
    StrictOrder,
    /// Equal ones count once.
    Deduplicate,
}

/// Lanes that every machine has (CMD-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BuiltInLane {
    /// Poses and clips.
    Animation,
    /// Where to go.
    Navigation,
    /// Rules of the game.
    Gameplay,
    /// Staged writes.
    Blackboard,
    /// Sounds.
    Audio,
    /// Effects.
    Vfx,
    /// Events to other agents.
    Message,
}

/// What the last writer wins in a lane (CMD-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneKey {
    /// The lane.
    Lane,
    /// The name: commands of other names are nothing to it.
    Name,
}

/// Among whose commands equal ones are told (CMD-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneScope {
    /// Those of one agent.
    Agent,
    /// Those of all agents.
    Crowd,
}

/// A value written in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A whole number.
    Int(i64),
    /// A number with a fraction or exponent.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(String),
    /// Two or three numbers.
    Vector(Vec<f64>),
}

impl Literal {
    /// The type of a literal where nothing else decides; text is a symbol.
    pub fn natural_type(&self) -> ValueType {
        match self {
            Self::Int(_) => ValueType::I32,
            Self::Float(_) => ValueType::F32,
            Self::Bool(_) => ValueType::Bool,
            Self::Text(_) => ValueType::Symbol,
            Self::Vector(parts) if parts.len() == 2 => ValueType::Vec2,
            Self::Vector(_) => ValueType::Vec3,
        }
    }
}

/// A length of time, exact (SEL-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Duration {
    /// Nanoseconds, from `1.5s` or `200ms`.
    Nanos(u64),
    /// Ticks, from `30t`.
    Ticks(u64),
}

impl Default for Duration {
    fn default() -> Self {
        Self::Ticks(1)
    }
}

impl Duration {
    /// Reads `1.5s`, `200ms` or `30t`. Nothing finer than a nanosecond, nothing negative.
    pub fn parse(text: &str) -> Result<Self, DurationError> {
        let text = text.trim();
        if text
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
        {
            return Err(DurationError::Negative);
        }
        let unit_at = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or(DurationError::Form)?;
        let (number, unit) = text.split_at(unit_at);
        let digits = match unit.trim() {
            "t" if number.contains('.') => return Err(DurationError::PartOfTick),
            "t" => 0,
            "ms" => 6,
            "s" => 9,
            _ => return Err(DurationError::Form),
        };
        let count = decimal(number, digits)?;
        Ok(if digits == 0 {
            Self::Ticks(count)
        } else {
            Self::Nanos(count)
        })
    }

    /// Ticks at a rate: rounded up, at least 1. `None` when it does not fit.
    pub fn ticks(self, tick_rate: u32) -> Option<u32> {
        let ticks = match self {
            Self::Ticks(ticks) => u128::from(ticks),
            Self::Nanos(nanos) => {
                (u128::from(nanos) * u128::from(tick_rate)).div_ceil(1_000_000_000)
            }
        };
        u32::try_from(ticks.max(1))
            .ok()
            .filter(|&t| t <= crate::limits::MAX_DURATION_TICKS)
    }
}

/// What is wrong with a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DurationError {
    /// Not a number with a unit.
    Form,
    /// A fraction of a tick.
    PartOfTick,
    /// Less than nothing.
    Negative,
    /// Finer than a nanosecond.
    TooFine,
    /// More than anything can count.
    TooLong,
    /// An end of a range that is no literal.
    Range,
    /// A range where none may be.
    NoRange,
    /// An expression where none may be.
    NoExpression,
}

impl DurationError {
    /// One sentence.
    pub fn message(self) -> &'static str {
        match self {
            Self::Form => {
                "a duration is a number with a unit, such as \"1.5s\", \"200ms\" or \"30t\""
            }
            Self::PartOfTick => "ticks are whole: write \"30t\"",
            Self::Negative => "a duration cannot be negative",
            Self::TooFine => "a duration cannot be finer than a nanosecond",
            Self::TooLong => "the duration is too long: the longest is 2147483647 ticks",
            Self::Range => "both ends of a range are durations with a unit, such as \"2s..5s\"",
            Self::NoRange => "this duration cannot be a range: nothing is drawn while agents wait",
            Self::NoExpression => "this duration is a literal or a parameter, not an expression",
        }
    }

    /// A few words beside the span.
    pub fn label(self) -> &'static str {
        match self {
            Self::Form => "not a duration",
            Self::PartOfTick => "a part of a tick",
            Self::Negative => "less than nothing",
            Self::TooFine => "too many digits",
            Self::TooLong => "too long",
            Self::Range => "not a range of durations",
            Self::NoRange => "a range",
            Self::NoExpression => "an expression",
        }
    }

    /// What to write instead.
    pub fn help(self) -> &'static str {
        match self {
            Self::Form => "the units are `s` (seconds), `ms` (milliseconds) and `t` (ticks)",
            Self::PartOfTick => "write whole ticks, or seconds such as \"0.5s\"",
            Self::Negative => "leave the sign out; the shortest duration is \"1t\", one tick",
            Self::TooFine => "write fewer digits: durations are rounded up to whole ticks anyway",
            Self::TooLong => "count in the blackboard if something may take that long",
            Self::Range => {
                "write two literals, such as \"2s..5s\"; to draw from what is computed, use an action"
            }
            Self::NoRange => {
                "write one duration, such as \"200ms\", or a parameter of the type `duration`"
            }
            Self::NoExpression => {
                "write a literal such as \"200ms\", or declare a parameter of the type `duration`"
            }
        }
    }
}

/// A decimal number times ten to the power of `digits`, exactly.
fn decimal(number: &str, digits: usize) -> Result<u64, DurationError> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return Err(DurationError::Form);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > digits {
        return Err(DurationError::TooFine);
    }
    // Only digits are left.
    let written = format!("{whole}{fraction}{}", "0".repeat(digits - fraction.len()));
    written.parse().map_err(|_| DurationError::TooLong)
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Ticks(ticks) => write!(f, "{ticks}t"),
            Self::Nanos(nanos) if nanos % 1_000_000_000 == 0 => {
                write!(f, "{}s", nanos / 1_000_000_000)
            }
            Self::Nanos(nanos) => {
                let fraction = format!("{:06}", nanos % 1_000_000);
                let fraction = fraction.trim_end_matches('0');
                let dot = if fraction.is_empty() { "" } else { "." };
                write!(f, "{}{dot}{fraction}ms", nanos / 1_000_000)
            }
        }
    }
}

/// Implements `ALL`, `as_str`, `parse` and `Display` for an enum whose variants have one word each.
macro_rules! words {
    ($type:ident { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $type {
            /// All of them, in declaration order.
            pub const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),+];

            /// The words of the text form, in declaration order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word of the text form.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value of a word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words!(Tier { Crowd => "crowd", Standard => "standard", Hero => "hero" });
words!(Class { Low => "low", Normal => "normal", Interrupt => "interrupt", Critical => "critical" });
words!(ValueType {
    I32 => "i32", F32 => "f32", Bool => "bool", Entity => "entity", Vec2 => "vec2", Vec3 => "vec3", Symbol => "symbol",
});
words!(FunctionKind {
    Guard => "guard", Action => "action", Activity => "activity", Scorer => "scorer", Value => "value",
});
words!(ScratchType { U16 => "u16", I16 => "i16", Bool => "bool" });
words!(MergeRule {
    LastWriterWins => "last_writer_wins", Accumulate => "accumulate", StrictOrder => "strict_order", Deduplicate => "deduplicate",
});
words!(BuiltInLane {
    Animation => "animation", Navigation => "navigation", Gameplay => "gameplay", Blackboard => "blackboard",
    Audio => "audio", Vfx => "vfx", Message => "message",
});
words!(LaneKey { Lane => "lane", Name => "name" });
words!(LaneScope { Agent => "agent", Crowd => "crowd" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sel_1_durations_round_up_and_are_at_least_one_tick() {
        let ticks = |text: &str| Duration::parse(text).unwrap().ticks(60);
        assert_eq!(
            ticks("0.1s"),
            Some(6),
            "0.1 * 60 is 6.000…1 in floats; here it is exact"
        );
        assert_eq!(ticks("1.5s"), Some(90));
        assert_eq!(ticks("200ms"), Some(12));
        assert_eq!(ticks("201ms"), Some(13));
        assert_eq!(ticks("0s"), Some(1));
        assert_eq!(ticks("0t"), Some(1));
        assert_eq!(ticks("30t"), Some(30));
        assert_eq!(ticks("99999999s"), None);
    }

    #[test]
    fn bad_durations_are_refused() {
        for text in [
            "",
            "5",
            "s",
            "-1s",
            "1.5t",
            "1e3s",
            "1.s.s",
            "1m",
            ".s",
            "1.0000000001s",
            "99999999999999999999s",
        ] {
            assert!(Duration::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_parameter_has_any_type_of_a_key_but_entity_or_is_a_duration() {
        let (last, types) = ParameterType::WORDS.split_last().unwrap();
        let keys: Vec<_> = ValueType::WORDS
            .iter()
            .filter(|word| **word != "entity")
            .collect();
        assert_eq!(
            (*last, types.iter().collect::<Vec<_>>()),
            ("duration", keys)
        );
        for word in ParameterType::WORDS {
            assert_eq!(ParameterType::parse(word).unwrap().as_str(), *word);
        }
    }

    #[test]
    fn durations_print_as_they_are_read() {
        for text in ["30t", "2s", "1500ms", "0.5ms", "200ms"] {
            assert_eq!(Duration::parse(text).unwrap().to_string(), text);
        }
    }
}
