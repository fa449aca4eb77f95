//! A ROM as people and tools read it: [`describe`] gives JSON, [`to_text`] makes it readable,
//! [`compare()`] says what changed between two, [`tables`] shows the raw records.
//!
//! Comes in: a loaded ROM and, for names, its sidecar. Goes out: `{ "model": …, "layout": … }`.
//! Every key is always there, in this order; what is absent is `null`, `false` or `[]`. Without
//! symbols, things are called by number: `state_3`, `event_0`, `key_1`, `parameter_0`, `variant_1`,
//! `timer_2`, `history_0`, `region_4`, `function_5`, `lane_0`, `channel_0`, `scratch_0`,
//! `transition` names are `null`.
//!
//! # `model`: the machine, decompiled
//!
//! Everything that decides behavior, nothing that only says where bytes lie. Sugar is gone
//! (CODE-8): decisions, transition sets, any-state lists and sync groups are plain transitions,
//! muted parts are not there.
//!
//! | key | value |
//! | --- | --- |
//! | `machine` | its name; `null` without symbols |
//! | `tier` | `crowd`, `standard`, `hero`: the one chosen |
//! | `tick_rate` | ticks per second |
//! | `policies` | `reverse_exit_order`, `immediate_update`, `posted_next_tick`, `internal_first`, `done_events`, `strict_writes`, `scxml_details`: true or false |
//! | `budgets` | `events_per_tick`, `microsteps_per_tick`, `clamp_limit`, `command_bytes`: as they hold, defaults filled in |
//! | `fail_safe`, `reload_entry` | path; `null` = the initial state |
//! | `events` | `name`, `class`, `payload` (`null`, a type, `u32`, `u64`, `vec4`, `bytes`), `payload_bytes` (as carried: 4 if indirect), `coalesce`, `ttl` (ticks or `null`), `indirect` |
//! | `blackboard` | `name`, `type`, `default` |
//! | `parameters` | `name`, `type`, `value` |
//! | `variants` | `name`, `values`: one per parameter, in their order, defaults filled in |
//! | `channels` | `name`, `release` (command), `lane` |
//! | `lanes` | `name`, `merge`, `critical`: user lanes only |
//! | `timers` | of the machine: `name`, `instances`, `class`, `event` (or `null`) |
//! | `observers` | `event` (`null` = any), `do`; those without actions are not there |
//! | `functions` | used ones by kind, then name: `name`, `kind`, `rng` |
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
//! | `entry`, `exit`, `suspend`, `resume` | actions |
//! | `activity` | call, or `null` |
//! | `defer` | events, in the order of their declaration |
//! | `owns` | channels, in the order of their declaration |
//! | `timers` | `name`, `class`, `event` (or `null`) |
//! | `scratch` | `name`, `slots` |
//! | `exit_ready` | expression, or `null` (also for one that always holds) |
//! | `min_active` | ticks, or `null` |
//! | `clock` | whether its time in state is kept, for whatever reason (RAM-7) |
//! | `transitions` | in the order of selection (SEL-3): priority, then declaration |
//! | `branches` | of a choice: `if` (or `null`), `to`, `do` |
//!
//! A transition has `name` (or `null`), `trigger`, `if` (expression, or `null` for none or one that
//! always holds), `to` (paths of states and history points, in the order of the tree), `do`, `kind`
//! (`internal`, `local`, `external`), `stack` (`null`, `push`, `pop`), `priority`, `interrupt`,
//! `score` (expression or call, or `null`), `threshold` (`null` without a score), `cooldown`,
//! `debounce` (ticks or `null`), `latch`.
//!
//! Triggers are `on Event`, `on *`, `after 30t`, `timer name`, `always`, `done`, `failed`. A timer
//! that fires as an event is that event.
//!
//! Actions are `Shout(3, far: true)` (a call always has parentheses), `health = 100`, `health +=
//! -10`, `raise Boom`, `raise Boom(expr)`, `send Boom(expr) to expr`, `emit lane Command(expr)`,
//! `start timer 30t`, `stop timer`, `clear_history path`. Expressions are canonical: constants
//! folded, as [`decompile`](crate::expr::decompile) writes them, states by path. A call names its
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

mod actions;
mod changes;
mod compare;
mod layout;
mod model;
mod names;
mod places;
mod records;
mod states;
#[cfg(test)]
mod tests;
mod text;
mod tree_text;

pub use changes::{Change, ChangeKind, FieldChange};
pub use compare::{Comparison, Reload, ReloadKind, compare};
pub use records::tables;
pub use text::{to_text, visible};

use serde_json::{Value, json};
use statewright_rom::Rom;

use crate::symbols::SymbolTable;

/// The whole ROM as JSON. SymbolTable that belong to another ROM give wrong names, nothing worse: ask
/// [`SymbolTable::belongs_to`] first.
pub fn describe(rom: &Rom<'_>, symbols: Option<&SymbolTable>) -> Value {
    let names = names::NameTable::new(rom, symbols);
    json!({ "model": model::model(&names), "layout": layout::layout(&names) })
}

/// Just the decompiled machine.
pub fn describe_model(rom: &Rom<'_>, symbols: Option<&SymbolTable>) -> Value {
    model::model(&names::NameTable::new(rom, symbols))
}

/// The text of one action, as in [`describe`].
pub fn action_text(
    rom: &Rom<'_>,
    symbols: Option<&SymbolTable>,
    op: &statewright_rom::layout::OpRecord,
) -> String {
    names::NameTable::new(rom, symbols).action(op)
}

/// The text of a call with its literal arguments, as in [`describe`].
pub fn call_text(
    rom: &Rom<'_>,
    symbols: Option<&SymbolTable>,
    function: statewright_rom::ids::FunctionId,
    arguments: &[statewright_rom::layout::ArgumentRecord],
) -> String {
    names::NameTable::new(rom, symbols).called(function, arguments)
}

/// Words of a value of a type as JSON, as in [`describe`].
pub fn value_json(rom: &Rom<'_>, ty: statewright_rom::layout::ValueType, words: [u32; 3]) -> Value {
    names::NameTable::new(rom, None).value(ty, words)
}
