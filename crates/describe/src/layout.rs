//! The part `layout`: what the bytes of a ROM are made of, and who has which leaf, timer and slot of
//! an instance (RAM-4, RAM-5, RAM-7).

use std::fmt;

use serde::{Serialize, Serializer};
use statewright_rom::StableGroup;
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_symbols::SymbolKind;
use zerocopy::FromBytes;

use crate::kinds::{FunctionKind, TimerKind, Word};
use crate::length::Length;
use crate::names::NameTable;
use crate::refer::StateRef;

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Layout {
    /// Version of the ROM's format.
    pub format_version: u16,
    /// Bytes of the ROM.
    pub bytes: usize,
    /// Bytes of an instance.
    pub instance_bytes: u16,
    /// Depth of the tree.
    pub max_depth: u8,
    /// What instances know the machine by.
    pub machine_id: Hex32,
    /// Its hashes.
    pub hashes: Hashes,
    /// What the machine uses.
    pub features: Vec<&'static str>,
    /// How the dispatch tables are made.
    pub dispatch: Dispatch,
    /// Columns of the dispatch tables.
    pub columns: u16,
    /// The section directory.
    pub sections: Vec<SectionEntry>,
    /// What an instance has.
    pub capacity: Resources,
    /// What is in use: one past the last.
    pub used: Resources,
    /// The leaf of each region, by number.
    pub leaves: Vec<Leaf>,
    /// The place of each timer, by number.
    pub timers: Vec<TimerPlace>,
    /// Everything that lies in slots, by slot.
    pub slots: Vec<Slots>,
    /// The linker table (ROM-8), in its own order.
    pub functions: Vec<Linked>,
    /// Structural cost of each transition.
    pub costs: Vec<u8>,
    /// Stable ids per group, in table order.
    pub stable_ids: StableIds,
}

/// A number of 64 bits as 16 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex64(pub u64);

/// A number of 32 bits as 8 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex32(pub u32);

impl fmt::Display for Hex64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for Hex32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl Serialize for Hex64 {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Serialize for Hex32 {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Hashes of a ROM (ROM-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Hashes {
    /// Of everything that instance bytes refer to.
    pub structure: Hex64,
    /// Of everything else that changes behavior.
    pub parameters: Hex64,
    /// Of the bytes.
    pub checksum: Hex64,
}

/// How the dispatch tables are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dispatch {
    /// A cell per leaf and event.
    Dense,
    /// Cells that are in use, sorted.
    Sorted,
}

impl Dispatch {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Sorted => "sorted",
        }
    }
}

/// An entry of the section directory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SectionEntry {
    /// Its name, if this version knows it.
    pub name: Option<&'static str>,
    /// Its number.
    pub number: u16,
    /// From the start of the ROM.
    pub offset: u32,
    /// Bytes of a record.
    pub record_size: u16,
    /// How many records.
    pub count: u32,
}

/// Leaves, timers and slots of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Resources {
    /// Leaves.
    pub leaves: u32,
    /// Timers.
    pub timers: u32,
    /// Slots.
    pub slots: u32,
}

/// The leaf of a region.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leaf {
    /// The state of the region.
    pub state: StateRef,
    /// The region; none for the only one.
    pub region: Option<String>,
    /// The leaf.
    pub leaf: u8,
}

/// The place of a timer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimerPlace {
    /// The state it belongs to.
    pub owner: StateRef,
    /// What it is.
    pub kind: Word<TimerKind>,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The transition it is for.
    pub transition: Option<String>,
    /// How long it runs, if the machine says so.
    #[serde(rename = "ticks")]
    pub length: Option<Length>,
    /// First place in an instance.
    pub place: u8,
    /// How many places.
    pub count: u8,
}

impl TimerPlace {
    /// What it is for, in words.
    pub fn purpose(&self) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        let transition = self.transition.as_deref().unwrap_or_default();
        match self.kind.0 {
            TimerKind::State => format!("timer {name}"),
            TimerKind::Machine => format!("timer {name} of the machine"),
            TimerKind::After | TimerKind::Every => transition.to_owned(),
            TimerKind::Debounce => format!("debounce of {transition}"),
            TimerKind::Clock => self.kind.to_string(),
        }
    }
}

/// What a run of slots is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum SlotUse {
    /// What a deep history point remembers.
    #[serde(rename = "deep history")]
    DeepHistory,
    /// What a shallow history point remembers.
    #[serde(rename = "shallow history")]
    ShallowHistory,
    /// When a transition may be taken again.
    #[serde(rename = "cooldown")]
    Cooldown,
    /// What is suspended.
    #[serde(rename = "stack")]
    Stack,
    /// How an activity ended.
    #[serde(rename = "activity result")]
    ActivityResult,
    /// The transition that waits.
    #[serde(rename = "latched transition")]
    LatchedTransition,
    /// Scratch of a state.
    #[serde(rename = "scratch")]
    Scratch,
}

impl SlotUse {
    /// Its words.
    pub fn name(self) -> &'static str {
        match self {
            Self::DeepHistory => "deep history",
            Self::ShallowHistory => "shallow history",
            Self::Cooldown => "cooldown",
            Self::Stack => "stack",
            Self::ActivityResult => "activity result",
            Self::LatchedTransition => "latched transition",
            Self::Scratch => "scratch",
        }
    }
}

/// A run of slots and who has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slots {
    /// The first slot.
    pub slot: u8,
    /// How many.
    pub count: u8,
    /// What they are for.
    pub what: SlotUse,
    /// The state they belong to.
    pub owner: StateRef,
    /// What of it.
    pub name: Option<String>,
}

/// An entry of the linker table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Linked {
    /// Half of the hash of its name.
    pub hash: Hex32,
    /// What it is.
    pub kind: Word<FunctionKind>,
    /// Whether it may use the random generator.
    pub rng: bool,
    /// Its name.
    pub name: String,
}

/// Stable ids (ROM-6): what survives edits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StableIds {
    /// Of the machine.
    pub machine: Option<Hex64>,
    /// Of states, by number.
    pub states: Vec<Hex64>,
    /// Of regions.
    pub regions: Vec<Hex64>,
    /// Of events.
    pub events: Vec<Hex64>,
    /// Of timers.
    pub timers: Vec<Hex64>,
    /// Of transitions.
    pub transitions: Vec<Hex64>,
    /// Of history points.
    pub history: Vec<Hex64>,
    /// Of scratch.
    pub scratch: Vec<Hex64>,
}

/// Reads the layout of a ROM.
pub(crate) fn layout(names: &NameTable<'_>) -> Layout {
    let rom = names.rom;
    let header = rom.header();
    let tier = rom.capacity();
    let mut slots = all_slots(names);
    let used = used(names, &slots);
    slots.sort_by_key(|slots| slots.slot);
    Layout {
        format_version: header.head.version.get(),
        bytes: rom.bytes().len(),
        instance_bytes: tier.bytes,
        max_depth: header.max_depth,
        machine_id: Hex32(rom.machine_id()),
        hashes: Hashes {
            structure: Hex64(rom.structure_hash()),
            parameters: Hex64(rom.parameter_hash()),
            checksum: Hex64(header.head.checksum.get()),
        },
        features: feature::TABLE
            .iter()
            .filter(|(bit, _)| rom.has(*bit))
            .map(|(_, word)| *word)
            .collect(),
        dispatch: match rom.has(feature::DENSE_ROWS) {
            true => Dispatch::Dense,
            false => Dispatch::Sorted,
        },
        columns: header.columns.get(),
        sections: sections(names),
        capacity: Resources {
            leaves: tier.leaves.into(),
            timers: tier.timers.into(),
            slots: tier.slots.into(),
        },
        used,
        leaves: leaves(names),
        timers: timers(names),
        slots,
        functions: functions(names),
        costs: rom
            .transition_plans()
            .iter()
            .map(|plan| plan.cost)
            .collect(),
        stable_ids: stable_ids(names),
    }
}

/// The section directory.
fn sections(names: &NameTable<'_>) -> Vec<SectionEntry> {
    let count = usize::from(names.rom.header().directory_count.get());
    let rest = names.rom.bytes().get(size_of::<Header>()..).unwrap_or(&[]);
    let Ok((entries, _)) = <[DirectoryEntry]>::ref_from_prefix_with_elems(rest, count) else {
        return Vec::new();
    };
    let section = |entry: &DirectoryEntry| SectionEntry {
        name: Section::from_number(entry.kind.get()).map(Section::name),
        number: entry.kind.get(),
        offset: entry.offset.get(),
        record_size: entry.record_size.get(),
        count: entry.count.get(),
    };
    entries.iter().map(section).collect()
}

fn functions(names: &NameTable<'_>) -> Vec<Linked> {
    let function = |(index, record): (usize, &LinkerRecord)| Linked {
        hash: Hex32(record.hash.get()),
        kind: Word(record.kind.get()),
        rng: record.rng != 0,
        name: names.named(SymbolKind::Function, index),
    };
    let linker = names.rom.linker().iter();
    linker.enumerate().map(function).collect()
}

fn stable_ids(names: &NameTable<'_>) -> StableIds {
    let ids = |group| -> Vec<Hex64> {
        let records = names.rom.stable_ids_of(group).iter();
        records.map(|record| Hex64(record.id.get())).collect()
    };
    StableIds {
        machine: ids(StableGroup::Machine).first().copied(),
        states: ids(StableGroup::States),
        regions: ids(StableGroup::Regions),
        events: ids(StableGroup::Events),
        timers: ids(StableGroup::Timers),
        transitions: ids(StableGroup::Transitions),
        history: ids(StableGroup::History),
        scratch: ids(StableGroup::Scratch),
    }
}

fn used(names: &NameTable<'_>, slots: &[Slots]) -> Resources {
    let leaves = names
        .rom
        .regions()
        .iter()
        .map(|region| u32::from(region.leaf) + 1);
    let timers = names.rom.timers().iter();
    let timers = timers.map(|timer| u32::from(timer.place) + u32::from(timer.instances));
    let slots = slots
        .iter()
        .map(|slots| u32::from(slots.slot) + u32::from(slots.count));
    Resources {
        leaves: leaves.max().unwrap_or(1),
        timers: timers.max().unwrap_or(0),
        slots: slots.max().unwrap_or(0),
    }
}

fn leaves(names: &NameTable<'_>) -> Vec<Leaf> {
    let leaf = |(index, record): (usize, &RegionRecord)| Leaf {
        state: names.state_of(record.owner),
        region: names.region(index),
        leaf: record.leaf,
    };
    names.rom.regions().iter().enumerate().map(leaf).collect()
}

fn timers(names: &NameTable<'_>) -> Vec<TimerPlace> {
    let timer = |(index, record): (usize, &TimerRecord)| {
        let transition = TransitionId::read(record.transition);
        let transition = transition.and_then(|id| names.rom.transition(id));
        let kind = record.kind.get();
        let name = match kind {
            TimerKind::State | TimerKind::Machine => TimerId::from_index(index),
            TimerKind::After | TimerKind::Every | TimerKind::Clock | TimerKind::Debounce => None,
        };
        TimerPlace {
            owner: names.state_of(record.owner),
            kind: Word(kind),
            name: name.map(|id| names.timer(id).name),
            transition: transition.map(|record| names.transition_shown(record)),
            length: names.length(record.duration),
            place: record.place,
            count: record.instances,
        }
    };
    names.rom.timers().iter().enumerate().map(timer).collect()
}

/// Everything that lies in slots, by owner's table.
fn all_slots(names: &NameTable<'_>) -> Vec<Slots> {
    let rom = names.rom;
    let mut all: Vec<Slots> = rom
        .history()
        .iter()
        .enumerate()
        .map(|h| history(names, h))
        .collect();
    all.extend(
        rom.transition_extras()
            .iter()
            .filter_map(|extra| cooldown(names, extra)),
    );
    all.extend(
        rom.regions()
            .iter()
            .enumerate()
            .filter_map(|r| stack(names, r)),
    );
    all.extend(
        rom.state_extras()
            .iter()
            .flat_map(|extra| of_state(names, extra)),
    );
    all.extend(
        rom.scratch()
            .iter()
            .enumerate()
            .map(|(index, record)| Slots {
                slot: record.slot,
                count: record.count,
                what: SlotUse::Scratch,
                owner: names.state_of(record.owner),
                name: Some(names.named(SymbolKind::Scratch, index)),
            }),
    );
    all
}

fn history(names: &NameTable<'_>, (index, record): (usize, &HistoryRecord)) -> Slots {
    Slots {
        slot: record.slot,
        count: record.slot_count,
        what: match record.deep {
            0 => SlotUse::ShallowHistory,
            _ => SlotUse::DeepHistory,
        },
        owner: names.state_of(record.owner),
        name: HistoryId::from_index(index).map(|id| names.history_name(id)),
    }
}

fn cooldown(names: &NameTable<'_>, extra: &TransitionExtra) -> Option<Slots> {
    SlotId::new(extra.cooldown_slot)?;
    let transition = names
        .rom
        .transition(TransitionId::read(extra.transition)?)
        .filter(|record| record.flags.get() & transition_flag::LISTED == 0)?;
    Some(Slots {
        slot: extra.cooldown_slot,
        count: 2,
        what: SlotUse::Cooldown,
        owner: names.state_of(transition.source),
        name: Some(names.transition_shown(transition)),
    })
}

fn stack(names: &NameTable<'_>, (index, region): (usize, &RegionRecord)) -> Option<Slots> {
    let stack = names.rom.stack(StackId::new(region.stack)?)?;
    Some(Slots {
        slot: stack.first_slot,
        count: stack.depth.saturating_mul(stack.frame_slots),
        what: SlotUse::Stack,
        owner: names.state_of(region.owner),
        name: names.region(index),
    })
}

/// Result and latch of a state.
fn of_state(names: &NameTable<'_>, extra: &StateExtra) -> Vec<Slots> {
    let bits = format!("bits {}-{}", extra.result_bit, extra.result_bit + 1);
    let both = [
        (extra.result_slot, SlotUse::ActivityResult, Some(bits)),
        (extra.latch_slot, SlotUse::LatchedTransition, None),
    ];
    let present = both
        .into_iter()
        .filter(|(slot, ..)| SlotId::new(*slot).is_some());
    present
        .map(|(slot, what, name)| Slots {
            slot,
            count: 1,
            what,
            owner: names.state_of(extra.state),
            name,
        })
        .collect()
}
