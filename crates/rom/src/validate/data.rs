//! Plain data: text, strings, functions to bind, events, blackboard keys, parameters, arguments,
//! lanes, channels.

use zerocopy::IntoBytes;
use zerocopy::byteorder::little_endian::U32;

use super::{Check, expected, optional, presence, range, unknown};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::number::Coded;
use crate::symbol::{is_symbol, number_of};
use crate::view::Rom;

/// The text is UTF-8 as a whole.
pub(super) fn text(rom: &Rom<'_>) -> Result<(), LoadError> {
    match core::str::from_utf8(rom.text().as_bytes()) {
        Ok(_) => Ok(()),
        Err(error) => {
            let at = u32::try_from(error.valid_up_to()).unwrap_or(u32::MAX);
            Err(LoadError::whole(Section::Text, Problem::Utf8(at)))
        }
    }
}

/// Is there no character across this place of a valid text?
fn is_boundary(text: &[u8], at: u64) -> bool {
    let byte = usize::try_from(at).ok().and_then(|at| text.get(at));
    at == text.len() as u64 || byte.is_some_and(|byte| byte & 0xC0 != 0x80)
}

/// Strings lie inside the text and cut no character, so each is UTF-8 too. Their numbers are those
/// of their texts and rise, so that a text is found by its number (HASH-2).
pub(super) fn strings<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Strings);
    let text = rom.text().as_bytes();
    let mut least = 0;
    for (i, string) in rom.strings().iter().enumerate() {
        let start = u64::from(string.offset.get());
        let end = start.wrapping_add(u64::from(string.length.get()));
        check.rule(end <= text.len() as u64, i, || {
            range("end", end, text.len().saturating_add(1))
        })?;
        let whole = is_boundary(text, start) & is_boundary(text, end);
        check.rule(whole, i, || Problem::Rule("the string cuts a character"))?;
        let number = string.number.get();
        check.rule(u64::from(number) >= least, i, || {
            Problem::Rule("strings are not sorted by number without twins")
        })?;
        least = u64::from(number).wrapping_add(1);
        let bytes = text.get(start as usize..end as usize).unwrap_or_default();
        let own = number_of(bytes) == number && (number == 0) == bytes.is_empty();
        check.rule(own, i, || {
            Problem::Rule("the number is not that of the text")
        })?;
    }
    check.finish()
}

/// Functions are known kinds, sorted, without twins (ROM-8).
pub(super) fn linker<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Linker);
    let mut least = 0;
    for (i, entry) in rom.linker().iter().enumerate() {
        check.rule(entry.kind.is_known(), i, || {
            unknown("function kind", entry.kind)
        })?;
        check.rule(entry.rng <= 1, i, || unknown("rng mark", entry.rng))?;
        let value = entry.kind == FunctionKind::Value;
        let typed = entry.ty.is_known() & (value | (entry.ty.raw() == 0));
        check.rule(typed, i, || unknown("type", entry.ty))?;
        check.rule(entry.reserved == 0, i, || Problem::Reserved)?;
        let key = (u64::from(entry.kind) << 32) | u64::from(entry.hash.get());
        check.rule(key >= least, i, || {
            Problem::Rule("functions are not sorted by kind and hash without twins")
        })?;
        least = key.wrapping_add(1);
    }
    check.finish()
}

/// Event types: known class, flags and payload that fits an event (EVT-1, EVT-6).
pub(super) fn events<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Events);
    for (i, event) in rom.events().iter().enumerate() {
        check.rule(event.class.is_known(), i, || unknown("class", event.class))?;
        check.rule(event.flags & !event_flag::ALL == 0, i, || {
            unknown("flags", event.flags)
        })?;
        check.rule(event.ttl_ticks.get() <= MAX_TICKS, i, || {
            range("time to live", event.ttl_ticks, 1 << 31)
        })?;
        check.rule(event.payload_bytes <= 16, i, || {
            range("payload size", event.payload_bytes, 17)
        })?;
        check.rule(event.payload.is_known(), i, || {
            unknown("payload type", event.payload)
        })?;
        let size = event.payload.known().and_then(PayloadKind::bytes);
        let open =
            (event.payload == PayloadKind::Bytes) | (event.flags & event_flag::INDIRECT != 0);
        let fits = open | (size == Some(event.payload_bytes));
        check.rule(fits, i, || {
            expected("payload size", size.unwrap_or(0), event.payload_bytes)
        })?;
    }
    check.finish()
}

/// Is a literal one of its type, with its unused words zero?
fn is_literal(ty: Coded<ValueType>, words: &[U32; 3], strings: &[StringRecord]) -> bool {
    let [first, second, third] = words.map(U32::get);
    let used = words_of(ty);
    let zero = (used >= 2 || second == 0) && (used >= 3 || third == 0) && used >= 1;
    zero && is_word(ty, first, strings)
}

/// Does a computed argument say how, and give its type?
fn is_computed(rom: &Rom<'_>, argument: &ArgumentRecord, source: ArgumentSource) -> bool {
    let [code, place, zero] = argument.words.map(U32::get);
    let gives = match source {
        ArgumentSource::Expression => rom
            .expressions()
            .get(code as usize)
            .is_some_and(|expression| expression.ty == argument.ty),
        ArgumentSource::Literal | ArgumentSource::Stack => code == 0,
    };
    gives && zero == 0 && place < u32::from(MAX_ARGUMENTS)
}

/// Truth values are 0 or 1, symbols are texts or empty; anything else is free.
pub(super) fn is_word(ty: Coded<ValueType>, word: u32, strings: &[StringRecord]) -> bool {
    match ty.known() {
        Some(ValueType::Bool) => word <= 1,
        Some(ValueType::Symbol) => is_symbol(strings, word),
        Some(
            ValueType::I32 | ValueType::F32 | ValueType::Entity | ValueType::Vec2 | ValueType::Vec3,
        )
        | None => true,
    }
}

/// Words of a value; 0 for an unknown type.
fn words_of(ty: Coded<ValueType>) -> u8 {
    ty.known().map_or(0, ValueType::words)
}

/// Keys: known types, offsets that add up, literal defaults (CODE-5).
pub(super) fn keys<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Keys);
    let strings = rom.strings();
    let mut offset = 0_u32;
    for (i, key) in rom.keys().iter().enumerate() {
        check.rule(key.ty.is_known(), i, || unknown("type", key.ty))?;
        check.rule(u32::from(key.offset.get()) == offset, i, || {
            expected("offset", offset, key.offset)
        })?;
        check.rule(key.reserved == [0; 9], i, || Problem::Reserved)?;
        check.rule(is_literal(key.ty, &key.default, strings), i, || {
            Problem::Rule("the default is no value of its type")
        })?;
        offset = offset.wrapping_add(u32::from(words_of(key.ty)));
    }
    check.finish()
}

/// Parameters: known types, offsets that add up (CODE-3).
pub(super) fn parameters<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Parameters);
    let mut offset = 0_u32;
    for (i, parameter) in rom.parameters().iter().enumerate() {
        check.rule(parameter.ty.is_known(), i, || unknown("type", parameter.ty))?;
        let found = parameter.offset;
        check.rule(u32::from(found.get()) == offset, i, || {
            expected("offset", offset, found)
        })?;
        let seconds = parameter.ty == ValueType::F32;
        let unit = parameter.is_duration;
        check.rule(unit == 0 || (unit == 1 && seconds), i, || {
            unknown("duration mark", unit)
        })?;
        check.rule(parameter.reserved == [0; 4], i, || Problem::Reserved)?;
        offset = offset.wrapping_add(u32::from(words_of(parameter.ty)));
    }
    check.finish()
}

/// Variant 0 is the plain one and is there if there are parameters.
pub(super) fn variants<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Variants);
    let plain = rom.variants().first();
    let needed = !rom.parameters().is_empty();
    check.whole(!needed || plain.is_some(), || {
        presence("the variant of the plain values", true)
    })?;
    check.rule(
        plain.is_none_or(|plain| plain.name_hash.get() == 0),
        0,
        || Problem::Rule("the variant of the plain values has a name"),
    )?;
    check.finish()
}

/// One row of values per variant; each value is one of its type.
pub(super) fn parameter_values<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::ParameterValues);
    let (words, values) = (rom.parameter_words(), rom.parameter_values());
    let needed = words.saturating_mul(rom.variants().len());
    check.whole(values.len() == needed, || {
        expected("count", needed as u64, values.len() as u64)
    })?;
    let strings = rom.strings();
    // `max(1)`: a machine without parameters has no rows.
    for (row, values) in values.chunks_exact(words.max(1)).enumerate() {
        for parameter in rom.parameters() {
            let place = usize::from(parameter.offset.get());
            let holds = values
                .get(place)
                .is_some_and(|value| is_word(parameter.ty, value.word.get(), strings));
            let record = row.wrapping_mul(words).wrapping_add(place);
            check.rule(holds, record, || {
                Problem::Rule("the word is no value of its type")
            })?;
        }
    }
    check.finish()
}

/// Arguments of calls (CODE-3, LANG-4).
pub(super) fn arguments<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Arguments);
    let strings = rom.strings();
    for (i, argument) in rom.arguments().iter().enumerate() {
        check.rule(argument.ty.is_known(), i, || unknown("type", argument.ty))?;
        check.rule(argument.source.is_known(), i, || {
            unknown("source", argument.source)
        })?;
        check.rule(optional(argument.name.get(), strings.len()), i, || {
            range("name", argument.name, strings.len())
        })?;
        let value = match argument.source.known() {
            Some(ArgumentSource::Literal) | None => {
                is_literal(argument.ty, &argument.words, strings)
            }
            Some(source) => is_computed(rom, argument, source),
        };
        check.rule(value, i, || {
            Problem::Rule("the argument is no value of its type")
        })?;
    }
    check.finish()
}

/// Lanes of the machine's own, numbered after the built-in ones (CMD-1).
pub(super) fn lanes<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Lanes);
    for (i, lane) in rom.lanes().iter().enumerate() {
        let number = BuiltInLane::COUNT.saturating_add(i);
        check.rule(usize::from(lane.number) == number, i, || {
            expected("number", number as u64, lane.number)
        })?;
        lane_rules(&mut check, i, lane)?;
    }
    check.finish()
}

/// Built-in lanes that are declared anew, each at most once. What a tick does itself is always
/// merged in the same way.
pub(super) fn built_in_lanes<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::BuiltInLanes);
    let mut least = 0;
    for (i, lane) in rom.built_in_lanes().iter().enumerate() {
        let built_in = BuiltInLane::from_number(lane.number);
        check.rule(built_in.is_some(), i, || {
            unknown("built-in lane", lane.number)
        })?;
        check.rule(lane.number >= least, i, || {
            Problem::Rule("built-in lanes are not sorted by number without twins")
        })?;
        least = lane.number.wrapping_add(1);
        let own = matches!(
            built_in,
            Some(BuiltInLane::Blackboard | BuiltInLane::Message)
        );
        let same = built_in.is_some_and(|built_in| {
            (lane.merge == built_in.merge()) & (lane.key == built_in.key())
        });
        check.rule(!own | same, i, || {
            Problem::Rule("the merge rule of this lane cannot be changed")
        })?;
        lane_rules(&mut check, i, lane)?;
    }
    check.finish()
}

/// What holds for every lane.
fn lane_rules<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    i: usize,
    lane: &LaneRecord,
) -> Result<(), LoadError> {
    check.rule(lane.merge.is_known(), i, || {
        unknown("merge rule", lane.merge)
    })?;
    check.rule(lane.critical <= 1, i, || {
        unknown("critical mark", lane.critical)
    })?;
    check.rule(lane.key.is_known(), i, || unknown("lane key", lane.key))?;
    check.rule(lane.scope.is_known(), i, || {
        unknown("lane scope", lane.scope)
    })?;
    check.rule(lane.reserved == 0, i, || Problem::Reserved)
}

/// Channels (CODE-7).
pub(super) fn channels<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Channels);
    let (strings, lanes) = (rom.strings().len(), rom.lane_count());
    for (i, channel) in rom.channels().iter().enumerate() {
        check.rule(usize::from(channel.command.get()) < strings, i, || {
            range("command", channel.command, strings)
        })?;
        check.rule(usize::from(channel.lane.get()) < lanes, i, || {
            range("lane", channel.lane, lanes)
        })?;
        check.rule(channel.reserved.get() == 0, i, || Problem::Reserved)?;
    }
    check.finish()
}
