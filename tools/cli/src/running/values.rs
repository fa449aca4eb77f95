//! Values in scripts and on command lines: `5`, `2.5`, `true`, `1,2,3`, a text of the machine.

use statewright::{Machine, Type};
use statewright_rom::layout::payload;

/// Words of a value of a type; why not.
pub(crate) fn parse(machine: &Machine, ty: Type, text: &str) -> Result<[u32; 3], String> {
    let wrong = |what: &str| format!("`{text}` is no {what}");
    Ok(match ty {
        Type::I32 => [text.parse::<i32>().map_err(|_| wrong("whole number"))?.cast_unsigned(), 0, 0],
        Type::F32 => [text.parse::<f32>().map_err(|_| wrong("number"))?.to_bits(), 0, 0],
        Type::Bool => match text {
            "true" => [1, 0, 0],
            "false" => [0; 3],
            _ => return Err(wrong("`true` or `false`")),
        },
        // An agent of the crowd by its place, in its first life.
        Type::Entity => [text.parse().map_err(|_| wrong("number of an agent"))?, 1, 0],
        Type::Vec2 => numbers(text).map(|[x, y]| [x.to_bits(), y.to_bits(), 0])?,
        Type::Vec3 => numbers(text).map(|parts: [f32; 3]| parts.map(f32::to_bits))?,
        Type::Symbol => {
            let rom = machine.rom();
            let texts = (0..rom.strings().len()).filter_map(statewright::ids::StringId::from_index);
            let found = texts.into_iter().find(|&id| rom.string(id) == Some(text));
            [u32::from(found.ok_or_else(|| wrong("text that the machine knows"))?.raw()), 0, 0]
        }
    })
}

/// What an event carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    Nothing,
    Value(Type),
    U32,
    U64,
    /// Four numbers.
    Vec4,
    /// Bytes that only the game knows.
    Bytes,
}

impl Carries {
    /// From the number in the ROM.
    pub(crate) fn new(number: u8) -> Self {
        match number {
            payload::EMPTY => Self::Nothing,
            payload::U32 => Self::U32,
            payload::U64 => Self::U64,
            payload::VEC4 => Self::Vec4,
            payload::BYTES => Self::Bytes,
            number => Type::from_number(number).map_or(Self::Nothing, Self::Value),
        }
    }

    /// Words of a payload; why not.
    pub(crate) fn parse(self, machine: &Machine, text: &str) -> Result<[u32; 4], String> {
        let wrong = |what: &str| format!("`{text}` is no {what}");
        match self {
            Self::Nothing => Err(format!("the event carries nothing, but `{text}` was given")),
            Self::Value(ty) => parse(machine, ty, text).map(|[x, y, z]| [x, y, z, 0]),
            Self::U32 => text.parse().map(|word| [word, 0, 0, 0]).map_err(|_| wrong("whole number from 0 on")),
            Self::U64 => {
                let number: u64 = text.parse().map_err(|_| wrong("whole number from 0 on"))?;
                Ok([number as u32, (number >> 32) as u32, 0, 0])
            }
            Self::Vec4 => numbers(text).map(|parts: [f32; 4]| parts.map(f32::to_bits)),
            Self::Bytes => Err("payloads of bytes cannot be written as text".to_owned()),
        }
    }
}

/// So many numbers with commas between them.
fn numbers<const N: usize>(text: &str) -> Result<[f32; N], String> {
    let parts: Option<Vec<f32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    parts
        .and_then(|parts| parts.try_into().ok())
        .ok_or_else(|| format!("`{text}` is not {N} numbers with commas between them"))
}
