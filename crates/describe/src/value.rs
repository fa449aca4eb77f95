//! Values of blackboard keys, parameters, arguments and thresholds.

use std::fmt;

use serde::{Serialize, Serializer};
use statewright_rom::layout::{ArgumentRecord, ValueType};
use statewright_text::written::{UnaryOp, Written};
use zerocopy::byteorder::little_endian::U32;

/// How a symbol is shown whose text is not in the machine.
pub(crate) fn unknown_symbol(number: u32) -> String {
    format!("unknown symbol {number:08x}")
}

/// A value. As JSON a number, `true` or `false`, a list of two or three numbers, or text for a
/// symbol.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A 32-bit integer.
    Int(i32),
    /// A 32-bit float: the shortest number that reads as it.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// An entity of the host.
    Entity(u64),
    /// Two or three floats.
    Vector(Vec<f64>),
    /// The text of a symbol.
    Symbol(String),
}

impl Value {
    /// Words of a value of a type; `text` gives the texts of symbols.
    pub fn read(ty: ValueType, words: [u32; 3], text: impl Fn(u32) -> String) -> Self {
        let [x, y, z] = words;
        let float = |bits: u32| readable(f32::from_bits(bits));
        match ty {
            ValueType::F32 => Self::Float(float(x)),
            ValueType::Bool => Self::Bool(x != 0),
            ValueType::Symbol => Self::Symbol(text(x)),
            ValueType::Vec2 => Self::Vector(vec![float(x), float(y)]),
            ValueType::Vec3 => Self::Vector(vec![float(x), float(y), float(z)]),
            ValueType::Entity => Self::Entity(u64::from(y) << 32 | u64::from(x)),
            ValueType::I32 => Self::Int(x as i32),
        }
    }

    /// The value of an argument record.
    pub fn of_argument(record: &ArgumentRecord, text: impl Fn(u32) -> String) -> Self {
        Self::read(record.ty.get(), record.words.map(U32::get), text)
    }

    /// As it stands in expressions.
    pub fn written(&self) -> Written {
        match self {
            Self::Int(value) => integer((*value).into()),
            // An entity is a whole number of 64 bits, the highest of which is its sign.
            Self::Entity(value) => integer(value.cast_signed()),
            Self::Float(value) => float(*value),
            Self::Bool(value) => Written::bool(*value),
            Self::Symbol(text) => Written::quoted(text),
            Self::Vector(parts) => {
                let function = if parts.len() == 2 { "vec2" } else { "vec3" };
                Written::call(function, parts.iter().map(|&part| (None, float(part))))
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => to.serialize_i32(*value),
            Self::Float(value) => to.serialize_f64(*value),
            Self::Bool(value) => to.serialize_bool(*value),
            Self::Entity(value) => to.serialize_u64(*value),
            Self::Vector(parts) => parts.serialize(to),
            Self::Symbol(text) => to.serialize_str(text),
        }
    }
}

/// As JSON.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

/// A whole number with its sign.
pub(crate) fn integer(value: i64) -> Written {
    let size = Written::int(value.unsigned_abs());
    if value < 0 { negative(size) } else { size }
}

/// A number with its sign.
pub(crate) fn float(value: f64) -> Written {
    let size = Written::float(value.abs());
    if value.is_sign_negative() {
        negative(size)
    } else {
        size
    }
}

fn negative(positive: Written) -> Written {
    Written::unary(UnaryOp::Neg, positive)
}

/// The shortest number that reads as this f32: `0.1`, not `0.10000000149011612`.
pub(crate) fn readable(value: f32) -> f64 {
    let short: f64 = format!("{value:?}").parse().unwrap_or(f64::from(value));
    if short as f32 == value {
        short
    } else {
        f64::from(value)
    }
}
