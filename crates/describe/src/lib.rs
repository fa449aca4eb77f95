//! A ROM as people and tools read it, without the compiler: [`Description`] is the machine
//! decompiled and where everything lies, [`diff()`] says what changed between two, [`tables`] shows
//! the raw records.
//!
//! Comes in: a loaded ROM and, for names, its symbol table. Goes out: typed values; as JSON (serde)
//! `{ "model": …, "layout": … }`. Every key is always there, in this order; what is absent is `null`,
//! `false` or `[]`. Without symbols, things are called by number: `state_3`, `event_0`, `key_1`,
//! `parameter_0`, `variant_1`, `timer_2`, `history_0`, `region_4`, `function_5`, `lane_0`,
//! `channel_0`, `scratch_0`, `transition` names are `null`. References carry the number, too, which
//! is not in the JSON.
//!
//! # `model`: the machine, decompiled
//!
//! Everything that decides behavior, nothing that only says where bytes lie. Sugar is gone
//! ([CODE-8](statewright_rom::rules#CODE-8)): decisions, transition sets, any-state lists and sync groups are plain transitions,
//! muted parts are not there.
//!
//! | key | value |
//! | --- | --- |
//! | `machine` | its name; `null` without symbols |
//! | `tier` | `crowd`, `standard`, `hero`: the one chosen |
//! | `tick_rate` | ticks per second |
//! | `policies` | `reverse_exit_order`, `immediate_update`, `posted_next_tick`, `internal_first`, `done_events`, `strict_writes`, `scxml_details`, `reload_resets`: true or false |
//! | `budgets` | `events_per_tick`, `microsteps_per_tick`, `clamp_limit`, `command_bytes`: as they hold, defaults filled in |
//! | `fail_safe`, `reload_entry` | path; `null` = the initial state |
//! | `events` | `name`, `class`, `payload` (`null`, a type, `u32`, `u64`, `vec4`, `bytes`), `payload_bytes` (as carried: 4 if indirect), `coalesce`, `ttl` (ticks or `null`), `indirect` |
//! | `blackboard` | `name`, `type`, `default` |
//! | `parameters` | `name`, `type`, `value` (of a duration its seconds) |
//! | `variants` | `name`, `values`: one per parameter, in their order, defaults filled in |
//! | `channels` | `name`, `release` (command), `lane` |
//! | `lanes` | `name`, `merge`, `critical`, `key` (`lane`, `name`), `scope` (`agent`, `crowd`), `cap` (`null` or a number): those that the machine declares |
//! | `timers` | of the machine: `name`, `instances`, `class`, `event` (or `null`) |
//! | `observers` | `event` (`null` = any), `do`; those without actions are not there |
//! | `functions` | used ones by kind, then name: `name`, `kind`, `returns` (`null` unless it is a value), `rng` |
//! | `states` | in pre-order, the root first |
//!
//! Values are numbers, `true`/`false`, lists of two or three numbers, or text for a symbol; an f32
//! is the shortest number that reads as it; an entity is one whole number.
//!
//! A state has
//!
//! | key | value |
//! | --- | --- |
//! | `path` | `combat/attack`; `root` for the root |
//! | `kind` | `atomic`, `compound`, `orthogonal`, `final`, `choice` |
//! | `regions` | `name` (`null` for the only one), `initial` (`to`: paths, `do`: actions), `stack` (depth or `null`), `children` (paths) |
//! | `history` | `name`, `deep`, `default` (paths; `[]` = the initial), `do`, `restore_on_entry` |
//! | `history_reset_on_done` | true or false |
//! | `entry`, `exit`, `suspend`, `resume`, `update` | actions |
//! | `activity` | call, or `null` |
//! | `defer` | events, in the order of their declaration |
//! | `owns` | channels, in the order of their declaration |
//! | `timers` | `name`, `class`, `event` (or `null`) |
//! | `scratch` | `name`, `slots`, `type` (`null` unless expressions read it) |
//! | `exit_ready` | expression, or `null` (also for one that always holds) |
//! | `min_active` | ticks or the text of another duration, or `null` |
//! | `clock` | whether its time in state is kept, for whatever reason ([RAM-7](statewright_rom::rules#RAM-7)) |
//! | `transitions` | in the order of selection ([SEL-3](statewright_rom::rules#SEL-3)): priority, then declaration |
//! | `branches` | of a choice: `if` (or `null`), `to`, `do` |
//!
//! A transition has `name` (or `null`), `trigger`, `if` (expression, or `null` for none or one that
//! always holds), `to` (paths of states and history points, in the order of the tree), `do`, `kind`
//! (`internal`, `local`, `external`), `stack` (`null`, `push`, `pop`), `priority`, `interrupt`,
//! `score` (expression or call, or `null`), `threshold` (`null` without a score), `stay`,
//! `cooldown`, `debounce` (ticks, the text of another duration, or `null`), `latch`, `listed`
//! (whether it was written in one list of events with the one before it: [LANG-1](statewright_rom::rules#LANG-1)).
//!
//! Triggers are `on Event`, `on *`, `after 30t`, `every 30t`, `timer name`, `always`, `done`, `failed`. A timer
//! that fires as an event is that event.
//!
//! Actions are `Shout(3, far: true)` (a call always has parentheses), `health = 100`, `ammo += 1`,
//! `health -= 10`, `raise Boom`, `raise Boom(expr)`, `send Boom(expr) to expr`, `emit lane Command(expr)`,
//! `start timer 30t`, `stop timer`, `clear_history path`. Expressions are canonical: constants
//! folded, as [`decompile()`] writes them, states by path. A call names its
//! arguments if the ROM knows their names.
//!
//! # `layout`: where it lies
//!
//! `format_version`, `bytes`, `instance_bytes`, `max_depth`, `machine_id`, `hashes` (`structure`,
//! `parameters`, `checksum`), `features`, `dispatch` (`dense` or `sorted`), `columns`, `sections`
//! (`name`, `number`, `offset`, `record_size`, `count`), `capacity` and `used` (`leaves`, `timers`,
//! `slots`), `leaves` (per region), `timers` and `slots` (each with owner, what it is for, place
//! and count), `functions` (linker table), `costs` (structural cost of each transition),
//! `stable_ids` (per group, in table order).

#![forbid(unsafe_code)]

mod action;
mod build;
mod decompile;
mod diff;
mod kinds;
mod layout;
mod length;
mod model;
mod names;
mod records;
mod refer;
mod state;
mod text;
mod tree_text;
mod value;

use serde::Serialize;
use statewright_rom::Rom;
use statewright_rom::ids::FunctionId;
use statewright_rom::layout::{ArgumentRecord, OpRecord};
use statewright_symbols::SymbolTable;

pub use action::Action;
pub use decompile::{ArgumentText, CallText, Names, decompile, decompile_taken};
pub use diff::*;
pub use kinds::{
    EventClass, FunctionKind, LaneKey, LaneScope, MergeRule, ParameterType, PayloadKind,
    ScratchType, StateKind, Tier, TimerKind, ValueType, Word,
};
pub use layout::{
    Dispatch, Hashes, Hex32, Hex64, Layout, Leaf, Linked, Resources, SectionEntry, SlotUse, Slots,
    StableIds, TimerPlace,
};
pub use length::Length;
pub use model::{
    Budgets, Channel, Event, Function, Key, Lane, MachineTimer, Model, Observer, Parameter,
    Policies, Trigger, Variant,
};
pub use names::{OpBranches, op_branches};
pub use records::tables;
pub use refer::{Entrance, EventRef, Named, StateRef, Target};
pub use state::{
    Branch, History, Initial, Region, Scratch, StackUse, State, StateTimer, Threshold, Transition,
    TransitionKind,
};
pub use value::Value;

use names::NameTable;

/// A compiled machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Description {
    /// The machine, decompiled.
    pub model: Model,
    /// Where it lies.
    pub layout: Layout,
}

impl Description {
    /// Describes a ROM. Symbols that belong to another ROM give wrong names, nothing worse: ask
    /// [`SymbolTable::belongs_to`] first.
    pub fn new(rom: &Rom<'_>, symbols: Option<&SymbolTable>) -> Self {
        Self::of(&NameTable::new(rom, symbols))
    }

    /// The same with every text made visible: names and texts of a ROM may come from anybody, and a
    /// terminal, a picture or a page must not obey them.
    pub fn visible(rom: &Rom<'_>, symbols: Option<&SymbolTable>) -> Self {
        Self::of(&NameTable::visible(rom, symbols))
    }

    fn of(names: &NameTable<'_>) -> Self {
        Self {
            model: build::model(names),
            layout: layout::layout(names),
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What `statewright dump` prints of a ROM. Nothing hidden in names reaches it.
pub fn to_text(rom: &Rom<'_>, symbols: Option<&SymbolTable>) -> String {
    text::text(&Description::visible(rom, symbols))
}

/// An action as in a [`Description`].
pub fn action_text(rom: &Rom<'_>, symbols: Option<&SymbolTable>, op: &OpRecord) -> String {
    NameTable::new(rom, symbols).action(op).to_string()
}

/// The text of a call with its arguments, as in a [`Description`].
pub fn call_text(
    rom: &Rom<'_>,
    symbols: Option<&SymbolTable>,
    function: FunctionId,
    arguments: &[ArgumentRecord],
) -> String {
    NameTable::new(rom, symbols).called(function, arguments)
}

/// Words of a value of a type, as in a [`Description`].
pub fn value(rom: &Rom<'_>, ty: ValueType, words: [u32; 3]) -> Value {
    NameTable::new(rom, None).value(ty, words)
}
