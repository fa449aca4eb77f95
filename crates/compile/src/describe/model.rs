//! The part `model`: declarations of the machine. See [`super`] for its shape.

use serde_json::{Map, Value, json};
use statewright_rom::ids::{ParameterId, TargetSetId, VariantId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::names::NameTable;
use super::states::states;
use crate::expr::Names;

/// The decompiled machine.
pub(super) fn model(names: &NameTable<'_>) -> Value {
    let header = names.rom.header();
    json!({
        "machine": names.machine(),
        "tier": names.rom.tier().name(),
        "tick_rate": header.tick_rate.get(),
        "policies": policies(header.policies),
        "budgets": {
            "events_per_tick": header.events_per_tick.get(),
            "microsteps_per_tick": header.microsteps_per_tick.get(),
            "clamp_limit": header.clamp_limit,
            "command_bytes": header.command_bytes.get(),
        },
        "fail_safe": names.only_target(header.fail_safe),
        "reload_entry": names.only_target(header.reload_entry),
        "events": events(names),
        "blackboard": blackboard(names),
        "parameters": parameters(names),
        "variants": variants(names),
        "channels": channels(names),
        "lanes": lanes(names),
        "timers": machine_timers(names),
        "observers": observers(names),
        "functions": functions(names),
        "states": states(names),
    })
}

/// Ticks, where 0 means none.
pub(super) fn ticks(ticks: u32) -> Option<u32> {
    (ticks > 0).then_some(ticks)
}

impl NameTable<'_> {
    /// Paths of a target set; nothing for `NONE`.
    pub(super) fn targets(&self, set: U16) -> Vec<String> {
        let records = TargetSetId::read(set).map_or(&[][..], |id| self.rom.targets_of(id));
        records
            .iter()
            .filter_map(statewright_rom::Target::read)
            .map(|target| self.target(target))
            .collect()
    }

    fn only_target(&self, set: U16) -> Option<String> {
        TargetSetId::read(set).map(|_| self.targets(set).join(" + "))
    }

    /// Class and event of a named timer.
    pub(super) fn timer_fires(&self, record: &TimerRecord) -> (&'static str, Option<String>) {
        let column = record.column.get();
        let event = (usize::from(column) < self.rom.events().len()).then(|| self.event(column));
        (record.class.get().name(), event)
    }
}

fn policies(bits: u8) -> Value {
    let on = |(bit, name): (u8, &str)| (name.to_owned(), (bits & bit != 0).into());
    Value::Object(policy::TABLE.into_iter().map(on).collect())
}

/// Records with their names.
fn list<'r, T>(records: &'r [T], item: impl Fn(usize, &'r T) -> Value) -> Value {
    records
        .iter()
        .enumerate()
        .map(|(index, record)| item(index, record))
        .collect()
}

fn events(names: &NameTable<'_>) -> Value {
    list(names.rom.events(), |index, record| {
        json!({
            "name": names.event(index as u16),
            "class": record.class.get().name(),
            "payload": payload_word(record.payload.get()),
            "payload_bytes": record.payload_bytes,
            "coalesce": record.flags & event_flag::COALESCE != 0,
            "ttl": ticks(record.ttl_ticks.get()),
            "indirect": record.flags & event_flag::INDIRECT != 0,
        })
    })
}

fn payload_word(payload: PayloadKind) -> Option<&'static str> {
    (payload != PayloadKind::Empty).then(|| payload.name())
}

fn blackboard(names: &NameTable<'_>) -> Value {
    list(names.rom.keys(), |index, record| {
        json!({
            "name": names.key_name(index as u16),
            "type": record.ty.get().name(),
            "default": names.value(record.ty.get(), record.default.map(|word| word.get())),
        })
    })
}

/// Value of a parameter in a variant.
fn parameter(names: &NameTable<'_>, variant: usize, parameter: usize, ty: ValueType) -> Value {
    let ids = VariantId::from_index(variant).zip(ParameterId::from_index(parameter));
    let records = ids.map_or(&[][..], |(variant, parameter)| {
        names.rom.parameter_value(variant, parameter)
    });
    let mut words = [0; 3];
    for (word, record) in words.iter_mut().zip(records) {
        *word = record.word.get();
    }
    names.value(ty, words)
}

fn parameters(names: &NameTable<'_>) -> Value {
    list(names.rom.parameters(), |index, record| {
        json!({
            "name": names.parameter_name(index as u16),
            "type": record.ty.get().name(),
            "value": parameter(names, 0, index, record.ty.get()),
        })
    })
}

/// The plain values are variant 0 and stand at the parameters.
fn variants(names: &NameTable<'_>) -> Value {
    let variant = |index: usize| {
        let value = |(place, record): (usize, &ParameterRecord)| {
            (
                names.parameter_name(place as u16),
                parameter(names, index, place, record.ty.get()),
            )
        };
        let values: Map<String, Value> = names
            .rom
            .parameters()
            .iter()
            .enumerate()
            .map(value)
            .collect();
        json!({ "name": names.variant(index), "values": values })
    };
    (1..names.rom.variants().len()).map(variant).collect()
}

fn channels(names: &NameTable<'_>) -> Value {
    list(names.rom.channels(), |index, record| {
        json!({
            "name": names.channel(index),
            "release": names.string(record.command.get()),
            "lane": names.lane(usize::from(record.lane.get())),
        })
    })
}

fn lanes(names: &NameTable<'_>) -> Value {
    list(names.rom.lanes(), |index, record| {
        json!({
            "name": names.user_lane(index),
            "merge": record.merge.get().name(),
            "critical": record.critical != 0,
        })
    })
}

fn machine_timers(names: &NameTable<'_>) -> Value {
    let timers = names
        .rom
        .timers()
        .iter()
        .enumerate()
        .filter(|(_, record)| record.kind == TimerKind::Machine);
    let timer = |(index, record): (usize, &TimerRecord)| {
        let (class, event) = names.timer_fires(record);
        json!({ "name": names.timer(index), "instances": record.instances, "class": class, "event": event })
    };
    timers.map(timer).collect()
}

fn observers(names: &NameTable<'_>) -> Value {
    list(names.rom.observers(), |_, record| {
        let any = SpecialTrigger::Any.is(record.event);
        let event = (!any).then(|| names.event(record.event.get()));
        json!({ "event": event, "do": names.actions(record.actions) })
    })
}

/// By name, because the linker table is sorted by a hash of it.
fn functions(names: &NameTable<'_>) -> Value {
    let mut functions: Vec<(FunctionKind, String, bool)> = names
        .rom
        .linker()
        .iter()
        .enumerate()
        .map(|(index, record)| (record.kind.get(), names.function(index), record.rng != 0))
        .collect();
    functions.sort();
    let function = |(kind, name, rng): (FunctionKind, String, bool)| json!({ "name": name, "kind": kind.name(), "rng": rng });
    functions.into_iter().map(function).collect()
}
