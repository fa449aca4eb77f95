//! The header: settings of the machine, and the tier with the caps that depend on it (RAM-2).

use statewright_author::graph::Machine;
use statewright_author::span::Spanned;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::{Lowering, maybe};
use crate::tables::Tables;

/// Clamped ticks before the fail-safe, where a machine does not say (TICK-4).
const DEFAULT_CLAMP_LIMIT: u32 = 5;

/// Command bytes, where a machine does not say (CMD-2).
const DEFAULT_COMMAND_BYTES: u32 = 1024;
/// Microsteps where internal events come first (EVT-10).
pub const INTERNAL_FIRST_MICROSTEPS: u32 = 256;

impl Lowering<'_, '_> {
    pub(super) fn header(&mut self) {
        let machine = self.model.machine;
        let policies = policies(machine);
        let firing = self.model.timers.iter().filter(|t| t.kind.fires());
        let firing = firing.count();
        let fail_safe = self
            .model
            .fail_safe
            .and_then(|node| self.target_set(&[node]));
        let reload_entry = self
            .model
            .reload_entry
            .and_then(|node| self.target_set(&[node]));
        self.tables.header = Header {
            max_depth: self
                .model
                .tree
                .states
                .iter()
                .map(|s| s.depth)
                .max()
                .unwrap_or(1) as u8,
            tick_rate: U16::new(self.model.tick_rate as u16),
            clamp_limit: budget(&machine.budgets.clamp_limit, DEFAULT_CLAMP_LIMIT) as u8,
            policies,
            command_bytes: U16::new(
                budget(&machine.budgets.command_bytes, DEFAULT_COMMAND_BYTES) as u16,
            ),
            fail_safe: maybe(fail_safe),
            reload_entry: maybe(reload_entry),
            columns: U16::new((machine.events.len() + firing + 1) as u16),
            firing_timers: U16::new(firing as u16),
            ..Header::default()
        };
    }
}

/// Writes the tier and the caps whose defaults depend on it (RAM-2).
pub fn set_tier(tables: &mut Tables, machine: &Machine, tier: usize) {
    let capacity = TIERS[tier];
    let default_microsteps = match tables.header.policies & policy::INTERNAL_FIRST {
        0 => u32::from(capacity.microsteps_per_tick),
        _ => INTERNAL_FIRST_MICROSTEPS,
    };
    let events = budget(
        &machine.budgets.events_per_tick,
        u32::from(capacity.events_per_tick),
    );
    let microsteps = budget(&machine.budgets.microsteps_per_tick, default_microsteps);
    tables.header.tier = Tier::ALL[tier].into();
    tables.header.events_per_tick = U16::new(events as u16);
    tables.header.microsteps_per_tick = U16::new(microsteps as u16);
}

fn budget(given: &Option<Spanned<u32>>, default: u32) -> u32 {
    given.as_ref().map_or(default, |given| given.value)
}

fn policies(machine: &Machine) -> u8 {
    let p = &machine.policies;
    let flags: [_; policy::TABLE.len()] = [
        (&p.reverse_exit_order, policy::REVERSE_EXIT_ORDER),
        (&p.immediate_update, policy::IMMEDIATE_UPDATE),
        (&p.posted_next_tick, policy::POSTED_NEXT_TICK),
        (&p.internal_first, policy::INTERNAL_FIRST),
        (&p.done_events, policy::DONE_EVENTS),
        (&p.strict_writes, policy::STRICT_WRITES),
        (&p.scxml_details, policy::SCXML_DETAILS),
        (&p.reload_resets, policy::RELOAD_RESETS),
    ];
    flags
        .into_iter()
        .filter(|(on, _)| on.as_ref().is_some_and(|on| on.value))
        .fold(0, |all, (_, flag)| all | flag)
}
