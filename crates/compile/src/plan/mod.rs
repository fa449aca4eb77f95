//! Pass *plan*: what the kernel would otherwise compute at run time, derived from the other tables
//! alone.
//!
//! Because plans follow from the base tables and nothing else, the same code proves for any loaded
//! ROM that its plans equal their derivation (ROM-2, `statewright check --deep`).

mod asks;
mod domain;
mod entry;
mod history;
mod jumps;
mod polls;
mod rows;
mod shape;

use statewright_rom::ids::RowId;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::tables::Tables;

pub use domain::anchor;
pub use rows::MAX_CANDIDATES;
pub use shape::{Shape, state_in, targets};

/// Something of which there is more than fits into the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// More cells in the dispatch rows than [`rows::MAX_SORTED_CELLS`].
    Cells(usize),
    /// More candidates in the lists of all events than [`rows::MAX_CANDIDATES`].
    Candidates(usize),
    /// More entry plans than fit.
    Plans(usize),
}

/// Fills in everything that follows from the base tables. What was there is replaced.
pub fn derive(tables: &mut Tables) -> Result<(), PlanError> {
    clear(tables);
    let shape = Shape::new(tables);
    domain::assign(tables, &shape);
    entry::assign(tables, &shape)?;
    asks::assign(tables);
    leaf_rows(tables);
    rows::assign(tables)?;
    polls::assign(tables);
    tables.header.features = U32::new(features(tables));
    jumps::assign(tables);
    Ok(())
}

/// Empties every table that is derived.
pub(crate) fn clear(tables: &mut Tables) {
    let derived = |section: &&Section| section.origin() == Origin::Plan;
    for &section in Section::ALL.iter().filter(derived) {
        tables.clear_section(section);
    }
}

/// Whether a state can be the active leaf of a region.
fn is_leaf(state: &StateRecord) -> bool {
    state.kind.get().is_leaf()
}

/// One row per leaf state; `rows` gives them their cells.
fn leaf_rows(tables: &mut Tables) {
    for state in tables.state_ids() {
        let row = is_leaf(tables.state(state))
            .then(|| RowId::from_index(tables.leaf_rows.len()))
            .flatten();
        tables.states[state.index()].row = U16::new(RowId::to_raw(row));
        if row.is_some() {
            tables.leaf_rows.push(LeafRow {
                state: U16::new(state.raw()),
                ..LeafRow::default()
            });
        }
    }
}

/// Which features the tables use (ROM-1).
fn features(tables: &Tables) -> u32 {
    let transition = |flag: u16| tables.transitions.iter().any(|t| t.flags.get() & flag != 0);
    let extra = |test: fn(&TransitionExtra) -> bool| tables.transition_extras.iter().any(test);
    let eventless = |t: &TransitionRecord| {
        SpecialTrigger::read(t.trigger).is_some_and(SpecialTrigger::is_eventless)
    };
    let list: [(bool, u32); feature::TABLE.len()] = [
        (tables.regions.iter().any(|r| r.leaf > 0), feature::REGIONS),
        (!tables.history.is_empty(), feature::HISTORY),
        (!tables.branches.is_empty(), feature::CHOICE),
        (!tables.timers.is_empty(), feature::TIMERS),
        (!tables.deferrals.is_empty(), feature::DEFERRAL),
        (!tables.observers.is_empty(), feature::OBSERVERS),
        (transition(transition_flag::INTERRUPT), feature::INTERRUPTS),
        (tables.transitions.iter().any(eventless), feature::EVENTLESS),
        (
            tables.states.iter().any(|s| s.activity.get() != NONE),
            feature::ACTIVITIES,
        ),
        (transition(transition_flag::SCORED), feature::SCORES),
        (extra(|x| x.cooldown_time.is_some()), feature::COOLDOWN),
        (extra(|x| x.debounce_time.is_some()), feature::DEBOUNCE),
        (
            tables
                .state_extras
                .iter()
                .any(|x| x.exit_ready.get() != NONE || x.min_active.is_some()),
            feature::EXIT_CONDITIONS,
        ),
        (transition(transition_flag::LATCH), feature::LATCH),
        (!tables.stacks.is_empty(), feature::STACK),
        (
            tables.state_extras.iter().any(|x| x.channels.get() != 0),
            feature::CHANNELS,
        ),
        (
            tables
                .events
                .iter()
                .any(|e| e.flags & event_flag::COALESCE != 0),
            feature::COALESCE,
        ),
        (
            tables.events.iter().any(|e| e.ttl_ticks.get() > 0),
            feature::TTL,
        ),
        (
            tables.states.iter().any(|s| s.kind == StateKind::Final),
            feature::FINAL,
        ),
        (!tables.expressions.is_empty(), feature::EXPRESSIONS),
        (!tables.scratch.is_empty(), feature::SCRATCH),
        (tables.variants.len() > 1, feature::VARIANTS),
        (rows::is_dense(tables), feature::DENSE_ROWS),
        (
            tables.state_extras.iter().any(|x| x.update.get() != NONE),
            feature::UPDATES,
        ),
    ];
    list.into_iter()
        .filter(|&(used, _)| used)
        .fold(0, |all, (_, flag)| all | flag)
}
