//! Values as people write and read them: payloads of events, blackboard keys, parameters and scratch.

use statewright_author::names::visible;
use statewright_author::similar;
use statewright_rom::ids::{EventId, FunctionId, ParameterId, ScratchId, StringId, VariantId};
use statewright_rom::layout::{EventRecord, PayloadKind, ScratchType, ValueType};
use statewright_rom::{Rom, symbol_number};

use crate::error::StepError;

/// Word of a type in machine files.
fn type_word(ty: PayloadKind) -> &'static str {
    match ty {
        PayloadKind::Empty => "nothing",
        ty => ty.name(),
    }
}

/// The type that an event carries.
pub fn carried_type(rom: &Rom<'_>, event: EventId) -> PayloadKind {
    rom.event(event)
        .map_or(PayloadKind::Empty, EventRecord::carries)
}

/// The type of a blackboard key.
pub fn key_type(rom: &Rom<'_>, key: usize) -> PayloadKind {
    let ty = rom
        .keys()
        .get(key)
        .map_or(ValueType::I32, |record| record.ty.get());
    PayloadKind::of_value(ty)
}

/// The type that a value function gives.
pub fn value_type(rom: &Rom<'_>, function: FunctionId) -> PayloadKind {
    let ty = rom
        .function(function)
        .map_or(ValueType::I32, |record| record.ty.get());
    PayloadKind::of_value(ty)
}

/// The type of an event's payload in words; none for an event without one.
pub fn payload_type(rom: &Rom<'_>, event: EventId) -> Option<&'static str> {
    let ty = rom.event(event)?.carries();
    (ty != PayloadKind::Empty).then(|| type_word(ty))
}

/// Reads a payload by the type that the event declares. No text is all zeros.
pub fn parse_payload(
    rom: &Rom<'_>,
    event: EventId,
    name: &str,
    text: &str,
) -> Result<[u32; 4], StepError> {
    let record = rom
        .event(event)
        .ok_or_else(|| StepError::new("there is no such event"))?;
    match (record.carries(), text.trim()) {
        (_, "") => Ok([0; 4]),
        (PayloadKind::Empty, text) => Err(StepError::new(format!(
            "`{name}` has no payload, but `{}` was given",
            visible(text)
        ))
        .help(format!("write `send {name}`"))),
        (PayloadKind::Bytes, text) => {
            bytes(text, usize::from(record.payload_bytes)).ok_or_else(|| {
                let most = record.payload_bytes;
                StepError::new(format!("`{}` is no run of bytes", visible(text))).help(format!(
                    "write two hex digits for each, such as `0aff10`; `{name}` carries {most}"
                ))
            })
        }
        (ty, text) => parse_value(rom, ty, text),
    }
}

/// Reads a value of a type.
pub fn parse_value(rom: &Rom<'_>, ty: PayloadKind, text: &str) -> Result<[u32; 4], StepError> {
    let text = text.trim();
    let wrong = |example: &str| {
        StepError::new(format!("`{}` is no {}", visible(text), type_word(ty)))
            .help(format!("write something like {example}"))
    };
    let wide = |value: u64| [value as u32, (value >> 32) as u32, 0, 0];
    let floats = |count: usize, example: &str| vector(text, count).ok_or_else(|| wrong(example));
    match ty {
        PayloadKind::I32 => Ok([
            text.parse::<i32>()
                .map_err(|_| wrong("`-3`"))?
                .cast_unsigned(),
            0,
            0,
            0,
        ]),
        PayloadKind::F32 => Ok([
            text.parse::<f32>().map_err(|_| wrong("`0.5`"))?.to_bits(),
            0,
            0,
            0,
        ]),
        PayloadKind::Bool => match text {
            "true" => Ok([1, 0, 0, 0]),
            "false" => Ok([0; 4]),
            _ => Err(wrong("`true` or `false`")),
        },
        PayloadKind::Entity => text.parse().map(wide).map_err(|_| wrong("`7`")),
        PayloadKind::Vec2 => floats(2, "`1.5 2`"),
        PayloadKind::Vec3 => floats(3, "`1 0.5 2`"),
        PayloadKind::Symbol => symbol(rom, text),
        PayloadKind::U32 => Ok([text.parse::<u32>().map_err(|_| wrong("`3`"))?, 0, 0, 0]),
        PayloadKind::U64 => text.parse().map(wide).map_err(|_| wrong("`3`")),
        PayloadKind::Vec4 | PayloadKind::Bytes | PayloadKind::Empty => floats(4, "`1 0 0 0.5`"),
    }
}

/// Numbers with spaces or commas in between, in brackets or not.
fn vector(text: &str, count: usize) -> Option<[u32; 4]> {
    let inner = text
        .trim_start_matches(['[', '('])
        .trim_end_matches([']', ')']);
    let parts = inner
        .split([',', ' ', '\t'])
        .filter(|part| !part.is_empty());
    let numbers: Vec<f32> = parts.map(str::parse).collect::<Result<_, _>>().ok()?;
    if numbers.len() != count {
        return None;
    }
    let mut words = [0; 4];
    words
        .iter_mut()
        .zip(numbers)
        .for_each(|(word, number)| *word = number.to_bits());
    Some(words)
}

/// Any text: a symbol is its hash, whether or not the machine file uses it (HASH-2). What looks like
/// a slip is refused, unless it stands in quotes; so is a text that cannot be told from another.
fn symbol(rom: &Rom<'_>, text: &str) -> Result<[u32; 4], StepError> {
    let bare = text.trim_matches(['\'', '"']);
    let number = symbol_number(bare);
    if let Some(other) = rom.symbol(number).filter(|other| *other != bare) {
        let [bare, other] = [bare, other].map(visible);
        return Err(StepError::new(format!(
            "`{bare}` has the number of `{other}`, which the machine uses"
        )));
    }
    let known = (0..rom.strings().len())
        .filter_map(StringId::from_index)
        .filter_map(|id| rom.string(id));
    match similar::closest(bare, known).filter(|_| bare == text && rom.symbol(number).is_none()) {
        Some(closest) => {
            let problem = format!("the machine has no symbol `{}`", visible(bare));
            Err(StepError::new(problem).help(format!(
                "did you mean `{}`? `\'{}\'` is taken as it stands",
                visible(closest),
                visible(bare)
            )))
        }
        None => Ok([number, 0, 0, 0]),
    }
}

fn bytes(text: &str, most: usize) -> Option<[u32; 4]> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) || digits.len() > 2 * most {
        return None;
    }
    let mut all = [0_u8; 16];
    for (byte, pair) in all.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    let mut words = [0; 4];
    for (word, chunk) in words.iter_mut().zip(all.chunks_exact(4)) {
        *word = u32::from_le_bytes(chunk.try_into().ok()?);
    }
    Some(words)
}

/// A value as JSON.
pub(crate) fn value_json(rom: &Rom<'_>, ty: PayloadKind, words: [u32; 4]) -> serde_json::Value {
    let [x, y, z, w] = words;
    match ty {
        PayloadKind::Empty => serde_json::Value::Null,
        PayloadKind::U32 => x.into(),
        PayloadKind::U64 => (u64::from(x) | u64::from(y) << 32).into(),
        PayloadKind::Vec4 => [x, y, z, w]
            .map(|word| f64::from(f32::from_bits(word)))
            .to_vec()
            .into(),
        PayloadKind::I32
        | PayloadKind::F32
        | PayloadKind::Bool
        | PayloadKind::Entity
        | PayloadKind::Vec2
        | PayloadKind::Vec3
        | PayloadKind::Symbol
        | PayloadKind::Bytes => {
            // Bytes are words of their own kind; the first of them is shown as a number.
            let ty = ty.value_type().unwrap_or(ValueType::I32);
            serde_json::to_value(statewright_describe::value(rom, ty, [x, y, z]))
                .unwrap_or_default()
        }
    }
}

/// A value as people write it.
pub fn value_words(rom: &Rom<'_>, ty: PayloadKind, words: [u32; 4]) -> String {
    json_words(value_json(rom, ty, words))
}

fn json_words(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => visible(&text),
        serde_json::Value::Array(parts) => parts
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}

/// The value of a parameter in a variant as JSON.
pub(crate) fn parameter_json(
    rom: &Rom<'_>,
    variant: VariantId,
    parameter: ParameterId,
) -> serde_json::Value {
    let ty = rom.parameter(parameter);
    let ty = ty.map_or(ValueType::I32, |record| record.ty.get());
    let mut words = [0; 4];
    let given = rom.parameter_value(variant, parameter);
    for (word, value) in words.iter_mut().zip(given) {
        *word = value.word.get();
    }
    value_json(rom, PayloadKind::of_value(ty), words)
}

/// The value of a parameter in a variant as people write it.
pub fn parameter_words(rom: &Rom<'_>, variant: VariantId, parameter: ParameterId) -> String {
    json_words(parameter_json(rom, variant, parameter))
}

/// What some scratch holds as JSON: a value if expressions read it, else its words.
pub(crate) fn scratch_json(rom: &Rom<'_>, scratch: ScratchId, slots: &[u16]) -> serde_json::Value {
    let record = rom.scratch().get(scratch.index());
    let ty = record.map_or(ScratchType::Raw, |record| record.ty.get());
    match (ty.value_type(), slots) {
        (Some(value), [slot]) => {
            let words = [ty.read(*slot), 0, 0, 0];
            value_json(rom, PayloadKind::of_value(value), words)
        }
        _ => slots.into(),
    }
}

/// What some scratch holds as people write it.
pub fn scratch_words(rom: &Rom<'_>, scratch: ScratchId, slots: &[u16]) -> String {
    json_words(scratch_json(rom, scratch, slots))
}

/// The payload of an event as JSON; `null` for an event without one.
pub(crate) fn payload_json(rom: &Rom<'_>, event: EventId, words: [u32; 4]) -> serde_json::Value {
    let Some(record) = rom.event(event) else {
        return serde_json::Value::Null;
    };
    match record.carries() {
        PayloadKind::Bytes => {
            let bytes = words
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .take(usize::from(record.payload_bytes));
            bytes
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
                .into()
        }
        ty => value_json(rom, ty, words),
    }
}

/// The payload of an event as people write it; empty for an event without one.
pub fn payload_words(rom: &Rom<'_>, event: EventId, words: [u32; 4]) -> String {
    match payload_json(rom, event, words) {
        serde_json::Value::Null => String::new(),
        value => json_words(value),
    }
}
