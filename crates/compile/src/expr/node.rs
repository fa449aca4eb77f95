//! The typed tree between syntax and bytecode: every node knows its instruction and its type.

use statewright_author::value::ValueType;
use statewright_rom::code::op;

use super::Facts;

/// A value known at compile time. Floats are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// A whole number.
    I32(i32),
    /// A float.
    F32(f32),
    /// A truth value.
    Bool(bool),
    /// The number of a text (HASH-2).
    Symbol(u32),
    /// Two floats.
    Vec2([f32; 2]),
    /// Three floats.
    Vec3([f32; 3]),
}

impl Constant {
    /// Its type.
    pub fn ty(self) -> ValueType {
        match self {
            Self::I32(_) => ValueType::I32,
            Self::F32(_) => ValueType::F32,
            Self::Bool(_) => ValueType::Bool,
            Self::Symbol(_) => ValueType::Symbol,
            Self::Vec2(_) => ValueType::Vec2,
            Self::Vec3(_) => ValueType::Vec3,
        }
    }

    /// Its words; unused ones are zero.
    pub fn words(self) -> [u32; 3] {
        match self {
            Self::I32(value) => [value as u32, 0, 0],
            Self::F32(value) => [value.to_bits(), 0, 0],
            Self::Bool(value) => [u32::from(value), 0, 0],
            Self::Symbol(number) => [number, 0, 0],
            Self::Vec2([x, y]) => [x.to_bits(), y.to_bits(), 0],
            Self::Vec3(parts) => parts.map(f32::to_bits),
        }
    }

    /// The constant of a type in words; `None` if no constant can be of it.
    pub(super) fn from_words(ty: ValueType, words: &[u32]) -> Option<Self> {
        Some(match (ty, words) {
            (ValueType::I32, &[word]) => Self::I32(word as i32),
            (ValueType::F32, &[word]) => Self::F32(f32::from_bits(word)),
            (ValueType::Bool, &[word]) => Self::Bool(word != 0),
            (ValueType::Symbol, &[word]) => Self::Symbol(word),
            (ValueType::Vec2, &[x, y]) => Self::Vec2([x, y].map(f32::from_bits)),
            (ValueType::Vec3, &[x, y, z]) => Self::Vec3([x, y, z].map(f32::from_bits)),
            _ => return None,
        })
    }

    /// The truth value, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        if let Self::Bool(value) = self {
            Some(value)
        } else {
            None
        }
    }
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    And,
    Or,
}

impl Logic {
    /// Its jump.
    pub(super) fn jump(self) -> u8 {
        match self {
            Self::And => op::AND_JUMP,
            Self::Or => op::OR_JUMP,
        }
    }

    /// The value that decides the answer.
    pub(super) fn deciding(self) -> bool {
        self == Self::Or
    }
}

/// A typed expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TypedExpr {
    Constant(Constant),
    /// One instruction that reads something: `a` and `b` as it wants them.
    Leaf {
        op: u8,
        a: u8,
        b: u16,
        ty: ValueType,
    },
    /// An instruction after its operands.
    Op {
        op: u8,
        a: u8,
        ty: ValueType,
        operands: Vec<TypedExpr>,
    },
    /// A call of the host after its computed arguments, in the order of their evaluation; without any it
    /// is a leaf.
    Call {
        op: u8,
        a: u8,
        b: u16,
        ty: ValueType,
        operands: Vec<TypedExpr>,
    },
    /// At least two operands; none is the same logic again.
    Logic {
        logic: Logic,
        operands: Vec<TypedExpr>,
    },
}

impl TypedExpr {
    /// Its type.
    pub(super) fn ty(&self) -> ValueType {
        match self {
            Self::Constant(constant) => constant.ty(),
            Self::Leaf { ty, .. } | Self::Op { ty, .. } | Self::Call { ty, .. } => *ty,
            Self::Logic { .. } => ValueType::Bool,
        }
    }

    /// Its value, if known.
    pub(super) fn constant(&self) -> Option<Constant> {
        if let Self::Constant(constant) = self {
            Some(*constant)
        } else {
            None
        }
    }

    fn operands(&self) -> &[TypedExpr] {
        match self {
            Self::Op { operands, .. }
            | Self::Call { operands, .. }
            | Self::Logic { operands, .. } => operands,
            Self::Constant(_) | Self::Leaf { .. } => &[],
        }
    }

    /// Whether evaluating it, or not, makes no difference: it draws no random number, and asks no
    /// function of the host, which might.
    pub(super) fn is_pure(&self) -> bool {
        let own = match self {
            Self::Leaf { op, .. } | Self::Op { op, .. } | Self::Call { op, .. } => !matches!(
                *op,
                op::CALL_GUARD | op::CALL_VALUE | op::RANDOM | op::RANDOM_I32 | op::RANDOM_F32
            ),
            Self::Constant(_) | Self::Logic { .. } => true,
        };
        own && self.operands().iter().all(Self::is_pure)
    }

    /// What it looks at.
    pub(super) fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        self.collect(&mut facts);
        facts
    }

    fn collect(&self, facts: &mut Facts) {
        match *self {
            Self::Leaf { op, b, .. } | Self::Call { op, b, .. } => match op {
                op::KEY | op::KEY_FIELD => _ = facts.keys.insert(b),
                op::PARAMETER | op::PARAMETER_FIELD => _ = facts.parameters.insert(b),
                op::TICKS_IN_STATE => _ = facts.clocks.insert(b),
                op::IN_STATE => _ = facts.in_states.insert(b),
                op::CALL_GUARD => _ = facts.guards.insert(b),
                op::CALL_VALUE => _ = facts.values.insert(b),
                op::SCRATCH => _ = facts.scratch.insert(b),
                op::RANDOM => facts.random = true,
                _ => facts.payload = true,
            },
            Self::Op {
                op: op::RANDOM_I32 | op::RANDOM_F32,
                ..
            } => facts.random = true,
            Self::Constant(_) | Self::Op { .. } | Self::Logic { .. } => {}
        }
        self.operands()
            .iter()
            .for_each(|operand| operand.collect(facts));
    }
}
