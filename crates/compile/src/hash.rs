//! Pass *hash*: the structure hash, which says whether the bytes of instances and crowds still mean
//! the same, and the parameter hash, which covers everything else that changes behavior (ROM-5).

use statewright_rom::layout::*;
use xxhash_rust::xxh3::Xxh3;
use zerocopy::IntoBytes;
use zerocopy::byteorder::little_endian::U64;

use crate::tables::Tables;

/// Computes both hashes and writes them into the header.
pub fn assign(tables: &mut Tables) {
    tables.header.head.structure_hash = U64::new(structure(tables));
    tables.header.head.parameter_hash = U64::new(parameter(tables));
}

/// Everything that instances and crowds hold as a number, in index order, and everything whose
/// change needs agents to be touched (ROM-5).
fn structure(tables: &Tables) -> u64 {
    let mut hash = Xxh3::new();
    // What the bytes of keys, payloads and slots mean is the format's affair: symbols, for example.
    hash.update(&FORMAT.version.to_le_bytes());
    hash.update(&[tables.header.tier.raw()]);
    // Deadlines and clocks count ticks.
    hash.update(tables.header.tick_rate.as_bytes());
    let transitions = stable_id_range(tables, StableGroup::Transitions);
    for (index, id) in tables.stable_ids.iter().enumerate() {
        if !transitions.contains(&index) {
            hash.update(id.as_bytes());
        }
    }
    for state in &tables.states {
        hash.update(state.parent.as_bytes());
        hash.update(state.region.as_bytes());
        hash.update(&[state.leaf, state.kind.raw()]);
    }
    for region in &tables.regions {
        hash.update(region.owner.as_bytes());
        hash.update(&[region.leaf, region.stack]);
    }
    for timer in &tables.timers {
        hash.update(timer.owner.as_bytes());
        hash.update(&[timer.kind.raw(), timer.place, timer.instances]);
    }
    for history in &tables.history {
        hash.update(history.owner.as_bytes());
        hash.update(&[history.slot, history.slot_count, history.deep]);
    }
    for extra in &tables.state_extras {
        hash.update(extra.state.as_bytes());
        hash.update(&[
            extra.clock,
            extra.result_slot,
            extra.result_bit,
            extra.latch_slot,
        ]);
        hash.update(&[extra.scratch_slot, extra.scratch_count]);
        hash.update(extra.channels.as_bytes());
        hash.update(&result_of(tables, extra).to_le_bytes());
    }
    for channel in &tables.channels {
        hash.update(channel.name_hash.as_bytes());
    }
    // Queues and envelopes hold payloads, crowds the numbers of variants.
    for event in &tables.events {
        hash.update(&[event.payload.raw(), event.payload_bytes]);
    }
    for variant in &tables.variants {
        hash.update(variant.name_hash.as_bytes());
    }
    hash_latches(tables, transitions.start, &mut hash);
    hash_cooldowns(tables, transitions.start, &mut hash);
    hash_pushes(tables, &mut hash);
    hash.update(tables.stacks.as_slice().as_bytes());
    hash.update(tables.scratch.as_slice().as_bytes());
    for key in &tables.keys {
        hash.update(key.name_hash.as_bytes());
        hash.update(&[key.ty.raw()]);
    }
    hash.digest()
}

/// The function whose result a state keeps: the result of another one means nothing. 0 if it keeps
/// none.
fn result_of(tables: &Tables, extra: &StateExtra) -> u32 {
    if extra.result_slot == 0xFF {
        return 0;
    }
    let activity = tables.states[usize::from(extra.state.get())].activity;
    let call = &tables.ops[usize::from(activity.get())];
    tables.linker[usize::from(call.a.get())].hash.get()
}

/// A latch holds the number of a transition, and numbers follow priorities: all that can be in one
/// have their number and their stable id.
fn hash_latches(tables: &Tables, first_transition_id: usize, hash: &mut Xxh3) {
    for (number, transition) in tables.transitions.iter().enumerate() {
        if transition.flags.get() & transition_flag::LATCH != 0 {
            hash.update(&(number as u16).to_le_bytes());
            hash.update(tables.stable_ids[first_transition_id + number].as_bytes());
        }
    }
}

/// Cooldown slots by the stable id of their transition; transitions without one do not count. In
/// order of the slots, so that a change of priorities alone changes nothing.
fn hash_cooldowns(tables: &Tables, first_transition_id: usize, hash: &mut Xxh3) {
    let mut cooldowns: Vec<(u8, u64)> = tables
        .transition_extras
        .iter()
        .filter(|extra| extra.cooldown_slot != 0xFF)
        .map(|extra| {
            let id = tables.stable_ids[first_transition_id + usize::from(extra.transition.get())]
                .id
                .get();
            (extra.cooldown_slot, id)
        })
        .collect();
    cooldowns.sort_unstable();
    for (slot, id) in cooldowns {
        hash.update(&[slot]);
        hash.update(&id.to_le_bytes());
    }
}

/// Which states push in which stack: what is suspended stays only where something can have suspended it
/// (LOAD-3), so that who cannot push any more needs its agents to be looked at. Where a push goes does not count.
fn hash_pushes(tables: &Tables, hash: &mut Xxh3) {
    let pushes = tables.transition_extras.iter().filter_map(|extra| {
        let transition = &tables.transitions[usize::from(extra.transition.get())];
        let is_push = transition.flags.get() & transition_flag::PUSH != 0;
        is_push.then(|| (extra.stack, transition.source.get()))
    });
    let mut pushes: Vec<(u8, u16)> = pushes.collect();
    pushes.sort_unstable();
    pushes.dedup();
    for (stack, source) in pushes {
        hash.update(&[stack]);
        hash.update(&source.to_le_bytes());
    }
}

/// Range of a group in the stable-ids table.
pub fn stable_id_range(tables: &Tables, group: StableGroup) -> std::ops::Range<usize> {
    let count = |group: StableGroup| match group {
        StableGroup::Machine => 1,
        StableGroup::States => tables.states.len(),
        StableGroup::Regions => tables.regions.len(),
        StableGroup::Events => tables.events.len(),
        StableGroup::Timers => tables.timers.len(),
        StableGroup::Transitions => tables.transitions.len(),
        StableGroup::History => tables.history.len(),
        StableGroup::Scratch => tables.scratch.len(),
    };
    let before = StableGroup::ALL.into_iter().filter(|one| *one < group);
    let start: usize = before.map(count).sum();
    start..start + count(group)
}

/// Everything else: all base tables and the header's settings. Plans follow from them, stable ids
/// are names.
fn parameter(tables: &Tables) -> u64 {
    let mut hash = Xxh3::new();
    let header = &tables.header;
    hash.update(header.tick_rate.as_bytes());
    hash.update(header.events_per_tick.as_bytes());
    hash.update(header.microsteps_per_tick.as_bytes());
    hash.update(&[header.clamp_limit, header.policies]);
    hash.update(header.command_bytes.as_bytes());
    hash.update(header.fail_safe.as_bytes());
    hash.update(header.reload_entry.as_bytes());
    for &section in Section::ALL {
        if section.origin() == Origin::Base {
            hash.update(&(section as u16).to_le_bytes());
            hash.update(&(tables.section_len(section) as u32).to_le_bytes());
            hash.update(tables.section_bytes(section));
        }
    }
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rom_5_what_is_derived_is_in_no_hash() {
        let text = r#"{ "machine": "M", "events": ["Go"], "initial": "a", "states": {
            "a": { "transitions": [{ "on": "Go", "to": "b", "do": "Act" }] }, "b": {} } }"#;
        let (output, _) = crate::compile_text("m.sw.json", text, &crate::Options::default());
        let whole = Tables::from_rom(&output.unwrap().rom.as_rom());
        let mut bare = whole.clone();
        crate::plan::clear(&mut bare);
        assert!(whole.jumps.len() == 1 && bare.jumps.is_empty());
        assert_eq!(
            (structure(&whole), parameter(&whole)),
            (structure(&bare), parameter(&bare))
        );
    }
}
