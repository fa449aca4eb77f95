//! The part `layout`: what the bytes are made of. See [`super`] for its shape.

use serde_json::{Map, Value, json};
use statewright_rom::StableGroup;
use statewright_rom::layout::*;
use zerocopy::FromBytes;

use super::names::NameTable;
use super::places;

/// Where everything lies.
pub(super) fn layout(names: &NameTable<'_>) -> Value {
    let rom = names.rom;
    let header = rom.header();
    let tier = rom.capacity();
    json!({
        "format_version": header.version.get(),
        "bytes": rom.bytes().len(),
        "instance_bytes": tier.bytes,
        "max_depth": header.max_depth,
        "machine_id": format!("{:08x}", rom.machine_id()),
        "hashes": {
            "structure": hex(rom.structure_hash()),
            "parameters": hex(rom.parameter_hash()),
            "checksum": hex(header.checksum.get()),
        },
        "features": features(header.features.get()),
        "dispatch": if rom.has(feature::DENSE_ROWS) { "dense" } else { "sorted" },
        "columns": header.columns.get(),
        "sections": sections(names),
        "capacity": { "leaves": tier.leaves, "timers": tier.timers, "slots": tier.slots },
        "used": places::used(names),
        "leaves": places::leaves(names),
        "timers": places::timers(names),
        "slots": places::slots(names),
        "functions": functions(names),
        "costs": rom.transition_plans().iter().map(|plan| plan.cost).collect::<Vec<_>>(),
        "stable_ids": stable_ids(names),
    })
}

fn hex(value: u64) -> String {
    format!("{value:016x}")
}

fn features(bits: u32) -> Vec<&'static str> {
    feature::TABLE
        .iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, word)| *word)
        .collect()
}

/// The section directory.
fn sections(names: &NameTable<'_>) -> Vec<Value> {
    let count = usize::from(names.rom.header().directory_count.get());
    let rest = names.rom.bytes().get(size_of::<Header>()..).unwrap_or(&[]);
    let Ok((entries, _)) = <[DirectoryEntry]>::ref_from_prefix_with_elems(rest, count) else {
        return Vec::new();
    };
    let section = |entry: &DirectoryEntry| {
        json!({
            "name": Section::from_number(entry.kind.get()).map(Section::name),
            "number": entry.kind.get(),
            "offset": entry.offset.get(),
            "record_size": entry.record_size.get(),
            "count": entry.count.get(),
        })
    };
    entries.iter().map(section).collect()
}

/// The linker table (ROM-8), in its own order.
fn functions(names: &NameTable<'_>) -> Value {
    let function = |(index, record): (usize, &LinkerRecord)| {
        json!({
            "hash": format!("{:08x}", record.hash.get()),
            "kind": record.kind.get().name(),
            "rng": record.rng != 0,
            "name": names.function(index),
        })
    };
    names
        .rom
        .linker()
        .iter()
        .enumerate()
        .map(function)
        .collect()
}

fn stable_ids(names: &NameTable<'_>) -> Value {
    let ids = |group| {
        names
            .rom
            .stable_ids_of(group)
            .iter()
            .map(|record| hex(record.id.get()))
            .collect::<Vec<_>>()
    };
    let mut groups = Map::new();
    for group in StableGroup::ALL {
        let ids = ids(group);
        let value = if group == StableGroup::Machine {
            ids.first().cloned().into()
        } else {
            ids.into()
        };
        groups.insert(group.name().to_owned(), value);
    }
    Value::Object(groups)
}
