//! Values of expressions, and their words.

use statewright_author::expr::BinaryOp;
use statewright_author::value::{Literal, ValueType};

use super::number::{binary, flipped};

/// The number of a text (HASH-2): the low half of its xxh3; 0 for the empty one.
pub(crate) fn symbol(text: &str) -> u32 {
    if text.is_empty() {
        return 0;
    }
    xxhash_rust::xxh3::xxh3_64(text.as_bytes()) as u32
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    I32(i32),
    F32(f32),
    Bool(bool),
    Entity([u32; 2]),
    Vec2([f32; 2]),
    Vec3([f32; 3]),
    Symbol(u32),
}

impl Value {
    pub(crate) fn from_words(ty: ValueType, words: &[u32]) -> Self {
        let float = |at: usize| f32::from_bits(words[at]);
        match ty {
            ValueType::I32 => Self::I32(words[0] as i32),
            ValueType::F32 => Self::F32(float(0)),
            ValueType::Bool => Self::Bool(words[0] != 0),
            ValueType::Entity => Self::Entity([words[0], words[1]]),
            ValueType::Vec2 => Self::Vec2([float(0), float(1)]),
            ValueType::Vec3 => Self::Vec3([float(0), float(1), float(2)]),
            ValueType::Symbol => Self::Symbol(words[0]),
        }
    }

    pub(crate) fn from_literal(ty: ValueType, literal: &Literal) -> Self {
        match (ty, literal) {
            (ValueType::I32, Literal::Int(value)) => Self::I32(*value as i32),
            (ValueType::F32, Literal::Int(value)) => Self::F32(*value as f32),
            (ValueType::F32, Literal::Float(value)) => Self::F32(*value as f32),
            (ValueType::Bool, Literal::Bool(value)) => Self::Bool(*value),
            (ValueType::Symbol, Literal::Text(text)) => Self::Symbol(symbol(text)),
            (ValueType::Vec2, Literal::Vector(parts)) => {
                Self::Vec2([parts[0] as f32, parts[1] as f32])
            }
            (ValueType::Vec3, Literal::Vector(parts)) => {
                Self::Vec3([parts[0] as f32, parts[1] as f32, parts[2] as f32])
            }
            (ty, literal) => panic!("{literal:?} is no {ty}"),
        }
    }

    pub(crate) fn words(&self) -> Vec<u32> {
        match *self {
            Self::I32(value) => vec![value as u32],
            Self::F32(value) => vec![value.to_bits()],
            Self::Bool(value) => vec![u32::from(value)],
            Self::Entity(words) => words.to_vec(),
            Self::Vec2(parts) => parts.iter().map(|part| part.to_bits()).collect(),
            Self::Vec3(parts) => parts.iter().map(|part| part.to_bits()).collect(),
            Self::Symbol(number) => vec![number],
        }
    }

    pub(crate) fn ty(&self) -> ValueType {
        match self {
            Self::I32(_) => ValueType::I32,
            Self::F32(_) => ValueType::F32,
            Self::Bool(_) => ValueType::Bool,
            Self::Entity(_) => ValueType::Entity,
            Self::Vec2(_) => ValueType::Vec2,
            Self::Vec3(_) => ValueType::Vec3,
            Self::Symbol(_) => ValueType::Symbol,
        }
    }

    /// An i32 becomes an f32 where that is needed; nothing else converts by itself.
    pub(crate) fn widened(self, ty: ValueType) -> Self {
        match (self, ty) {
            (Self::I32(value), ValueType::F32) => Self::F32(value as f32),
            (other, ty) => {
                assert_eq!(other.ty(), ty, "types fit");
                other
            }
        }
    }

    pub(crate) fn truth(self) -> bool {
        if let Self::Bool(value) = self {
            value
        } else {
            panic!("{self:?} is no bool")
        }
    }

    pub(crate) fn entity(self) -> [u32; 2] {
        if let Self::Entity(words) = self {
            words
        } else {
            panic!("{self:?} is no entity")
        }
    }

    pub(crate) fn float(self) -> f32 {
        match self {
            Self::I32(value) => value as f32,
            Self::F32(value) => value,
            other => panic!("{other:?} is no number"),
        }
    }

    /// Components of a vector.
    pub(crate) fn parts(&self) -> &[f32] {
        match self {
            Self::Vec2(parts) => parts,
            Self::Vec3(parts) => parts,
            other => panic!("{other:?} is no vector"),
        }
    }

    /// A vector of the same size with other components.
    pub(crate) fn with_parts(parts: &[f32]) -> Self {
        match *parts {
            [x, y] => Self::Vec2([x, y]),
            [x, y, z] => Self::Vec3([x, y, z]),
            _ => panic!("a vector has two or three components"),
        }
    }

    pub(crate) fn is_vector(&self) -> bool {
        matches!(self, Self::Vec2(_) | Self::Vec3(_))
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::I32(value) => Self::I32(value.wrapping_neg()),
            Self::F32(value) => Self::F32(flipped(value)),
            vector => {
                let parts: Vec<f32> = vector.parts().iter().map(|&part| flipped(part)).collect();
                Self::with_parts(&parts)
            }
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        binary(BinaryOp::Add, self, other)
    }
}
