//! A value of any type that machines know, for people and tools.

use std::fmt;

use statewright_rom::layout::PayloadKind;

use crate::agent_id::{AgentId, CrowdNumber};
use crate::machine::Machine;
use crate::payload::Payload;
use crate::value::{Entity, Symbol};

/// A value of a blackboard key, or what an event carries.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyValue {
    /// Nothing: the event carries none.
    Nothing,
    /// A 32-bit integer.
    I32(i32),
    /// A 32-bit integer without sign.
    U32(u32),
    /// A 64-bit integer without sign.
    U64(u64),
    /// A 32-bit float.
    F32(f32),
    /// A truth value.
    Bool(bool),
    /// An entity or an agent.
    Entity(Entity),
    /// Two, three or four floats.
    Vector(Vec<f32>),
    /// A text of the machine file; `Err` has the number of one that it does not have.
    Symbol(Result<String, Symbol>),
    /// Sixteen bytes.
    Bytes([u8; 16]),
}

impl AnyValue {
    /// What words of this kind mean in a machine.
    pub fn new(machine: &Machine, kind: PayloadKind, words: [u32; 4]) -> Self {
        let floats = |count: usize| {
            let floats = words.map(f32::from_bits);
            Self::Vector(floats.into_iter().take(count).collect())
        };
        match kind {
            PayloadKind::Empty => Self::Nothing,
            PayloadKind::I32 => Self::I32(Payload::from_payload(words)),
            PayloadKind::U32 => Self::U32(Payload::from_payload(words)),
            PayloadKind::U64 => Self::U64(Payload::from_payload(words)),
            PayloadKind::F32 => Self::F32(Payload::from_payload(words)),
            PayloadKind::Bool => Self::Bool(Payload::from_payload(words)),
            PayloadKind::Entity => Self::Entity(Payload::from_payload(words)),
            PayloadKind::Vec2 => floats(2),
            PayloadKind::Vec3 => floats(3),
            PayloadKind::Vec4 => floats(4),
            PayloadKind::Symbol => {
                let symbol = Symbol::from_payload(words);
                Self::Symbol(machine.symbol_text(symbol).map(str::to_owned).ok_or(symbol))
            }
            PayloadKind::Bytes => Self::Bytes(Payload::from_payload(words)),
        }
    }
}

/// An entity as what it is: the id of an agent names a crowd and an odd generation, which other
/// entities of the host seldom do.
fn entity_words(Entity(bits): Entity, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let agent = AgentId::from_bits(bits);
    let is_agent = agent.crowd() != CrowdNumber::NONE && agent.generation() % 2 == 1;
    match bits {
        0 => f.write_str("nobody"),
        _ if is_agent => write!(f, "{agent}"),
        bits => write!(f, "entity {bits:#x}"),
    }
}

impl fmt::Display for AnyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::I32(value) => value.fmt(f),
            Self::U32(value) => value.fmt(f),
            Self::U64(value) => value.fmt(f),
            Self::F32(value) => value.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::Entity(entity) => entity_words(*entity, f),
            Self::Vector(parts) => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "({})", parts.join(", "))
            }
            Self::Symbol(Ok(text)) => write!(f, "'{text}'"),
            Self::Symbol(Err(Symbol(number))) => write!(f, "unknown symbol {number:08x}"),
            Self::Bytes(bytes) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                write!(f, "0x{digits}")
            }
        }
    }
}
