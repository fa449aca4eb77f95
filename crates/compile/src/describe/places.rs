//! The part `layout`: who has which leaf, timer and slot of an instance (RAM-4, RAM-5, RAM-7).

use serde_json::{Value, json};
use statewright_rom::ids::StackId;
use statewright_rom::layout::*;

use super::names::NameTable;

/// A run of slots and who has it.
struct Slots {
    first: u8,
    count: u8,
    what: &'static str,
    owner: String,
    name: Option<String>,
}

/// How many leaves, timers and slots are in use: one past the last.
pub(super) fn used(names: &NameTable<'_>) -> Value {
    let rom = names.rom;
    let leaves = rom
        .regions()
        .iter()
        .map(|region| u32::from(region.leaf) + 1)
        .max();
    let timers = rom
        .timers()
        .iter()
        .map(|timer| u32::from(timer.place) + u32::from(timer.instances))
        .max();
    let slots = all_slots(names)
        .iter()
        .map(|slots| u32::from(slots.first) + u32::from(slots.count))
        .max();
    json!({ "leaves": leaves.unwrap_or(1), "timers": timers.unwrap_or(0), "slots": slots.unwrap_or(0) })
}

/// Leaf number of each region.
pub(super) fn leaves(names: &NameTable<'_>) -> Value {
    let region = |(index, record): (usize, &RegionRecord)| json!({ "state": names.state(record.owner.get()), "region": names.region(index), "leaf": record.leaf });
    names.rom.regions().iter().enumerate().map(region).collect()
}

/// Place of each timer.
pub(super) fn timers(names: &NameTable<'_>) -> Value {
    let timer = |(index, record): (usize, &TimerRecord)| {
        let of = names
            .rom
            .transitions()
            .get(usize::from(record.transition.get()));
        json!({
            "owner": names.state(record.owner.get()),
            "kind": record.kind.get().name(),
            "name": record.kind.get().is_named().then(|| names.timer(index)),
            "transition": of.map(|transition| names.transition_shown(transition)),
            "ticks": super::model::ticks(record.ticks.get()),
            "place": record.place,
            "count": record.instances,
        })
    };
    names.rom.timers().iter().enumerate().map(timer).collect()
}

/// Place of everything that lies in slots, by slot.
pub(super) fn slots(names: &NameTable<'_>) -> Value {
    let mut all = all_slots(names);
    all.sort_by_key(|slots| slots.first);
    let shown = |slots: &Slots| {
        json!({
            "slot": slots.first, "count": slots.count, "what": slots.what, "owner": slots.owner, "name": slots.name,
        })
    };
    all.iter().map(shown).collect()
}

fn all_slots(names: &NameTable<'_>) -> Vec<Slots> {
    let mut all = history(names);
    all.extend(cooldowns(names));
    all.extend(stacks(names));
    all.extend(
        names
            .rom
            .state_extras()
            .iter()
            .flat_map(|extra| of_state(names, extra)),
    );
    all.extend(
        names
            .rom
            .scratch()
            .iter()
            .enumerate()
            .map(|(index, record)| Slots {
                first: record.slot,
                count: record.count,
                what: "scratch",
                owner: names.state(record.owner.get()),
                name: Some(names.scratch(index)),
            }),
    );
    all
}

fn history(names: &NameTable<'_>) -> Vec<Slots> {
    let point = |(index, record): (usize, &HistoryRecord)| Slots {
        first: record.slot,
        count: record.slot_count,
        what: if record.deep != 0 {
            "deep history"
        } else {
            "shallow history"
        },
        owner: names.state(record.owner.get()),
        name: Some(names.history_name(index)),
    };
    names.rom.history().iter().enumerate().map(point).collect()
}

fn cooldowns<'n>(names: &'n NameTable<'_>) -> impl Iterator<Item = Slots> + 'n {
    let used = names
        .rom
        .transition_extras()
        .iter()
        .filter(|extra| extra.cooldown_slot != 0xFF);
    used.filter_map(|extra| {
        let transition = names
            .rom
            .transitions()
            .get(usize::from(extra.transition.get()))?;
        Some(Slots {
            first: extra.cooldown_slot,
            count: 2,
            what: "cooldown",
            owner: names.state(transition.source.get()),
            name: Some(names.transition_shown(transition)),
        })
    })
}

fn stacks<'n>(names: &'n NameTable<'_>) -> impl Iterator<Item = Slots> + 'n {
    names
        .rom
        .regions()
        .iter()
        .enumerate()
        .filter_map(|(index, region)| {
            let stack = names.rom.stack(StackId::new(region.stack)?)?;
            Some(Slots {
                first: stack.first_slot,
                count: stack.depth.saturating_mul(stack.frame_slots),
                what: "stack",
                owner: names.state(region.owner.get()),
                name: names.region(index),
            })
        })
}

/// Result and latch of a state.
fn of_state(names: &NameTable<'_>, extra: &StateExtra) -> Vec<Slots> {
    let owner = names.state(extra.state.get());
    let result = (
        extra.result_slot,
        "activity result",
        Some(format!(
            "bits {}-{}",
            extra.result_bit,
            extra.result_bit + 1
        )),
    );
    let latch = (extra.latch_slot, "latched transition", None);
    let present = [result, latch]
        .into_iter()
        .filter(|(slot, ..)| *slot != 0xFF);
    present
        .map(|(first, what, name)| Slots {
            first,
            count: 1,
            what,
            owner: owner.clone(),
            name,
        })
        .collect()
}
