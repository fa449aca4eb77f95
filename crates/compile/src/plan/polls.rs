//! What agents do by themselves: what each leaf polls and runs, and its place in the chain of active
//! leaves (RAM-4, TICK-5). [`PollRecord`] says what belongs to which leaf.

use statewright_rom::ids::{Column, RegionId, RowId, StateExtraId, StateId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use super::shape::state_in;
use crate::tables::Tables;

/// Fills runs and polls; rows and candidates are there.
pub fn assign(tables: &mut Tables) {
    let runs = add_runs(tables);
    for row in 0..tables.leaf_rows.len() {
        let record = poll_of(tables, &runs, row);
        tables.polls.push(record);
    }
}

/// Number of a state's region among those of the state around it; 0 for the root.
fn region_number(tables: &Tables, state: StateId) -> u16 {
    match around(tables, state) {
        Some(parent) => tables.state(state).region.get() - tables.state(parent).first_region.get(),
        None => 0,
    }
}

fn around(tables: &Tables, state: StateId) -> Option<StateId> {
    StateId::read(tables.state(state).parent)
}

/// A state and those around it, as long as no earlier leaf can lie in them.
fn own_states(tables: &Tables, inner: StateId) -> impl Iterator<Item = StateId> + '_ {
    std::iter::successors(Some(inner), |&state| {
        if region_number(tables, state) > 0 {
            None
        } else {
            around(tables, state)
        }
    })
}

fn extra(tables: &Tables, state: StateId) -> Option<&StateExtra> {
    let extra = StateExtraId::read(tables.state(state).extra)?;
    tables.state_extras.get(extra.index())
}

/// One record per state that runs something. Their numbers by state.
fn add_runs(tables: &mut Tables) -> Vec<Option<u16>> {
    let mut numbers: Vec<Option<u16>> = vec![None; tables.states.len()];
    for state in tables.state_ids() {
        let record = *tables.state(state);
        if record.flags.get() & (state_flag::ACTIVITY | state_flag::UPDATE) == 0 {
            continue;
        }
        let next = own_states(tables, state)
            .skip(1)
            .find_map(|outer| numbers[outer.index()]);
        let extra = extra(tables, state);
        let call = tables.ops.get(usize::from(record.activity.get()));
        let run = RunRecord {
            state: U16::new(state.raw()),
            next: U16::new(next.unwrap_or(NONE)),
            update: extra.map_or(U16::new(NONE), |extra| extra.update),
            activity: record.activity,
            result_slot: extra.map_or(0xFF, |extra| extra.result_slot),
            result_bit: extra.map_or(0, |extra| extra.result_bit),
            depth: record.depth,
            leaf: record.leaf,
            call: call.copied().unwrap_or_default(),
        };
        numbers[state.index()] = Some(tables.runs.len() as u16);
        tables.runs.push(run);
    }
    numbers
}

fn poll_of(tables: &Tables, runs: &[Option<u16>], row: usize) -> PollRecord {
    let leaf = state_in(tables.leaf_rows[row].state);
    let own: Vec<StateId> = own_states(tables, leaf).collect();
    let outermost = own
        .last()
        .copied()
        .filter(|&s| region_number(tables, s) > 0);
    let next = next_region(tables, leaf);
    let next_record = next.map(|region| tables.region(region));
    let latches = own
        .iter()
        .filter_map(|&state| extra(tables, state)?.latch());
    let run = own.iter().find_map(|&state| runs[state.index()]);
    let ((first_interrupt, interrupts), (first_ask, asks)) = asks_of(tables, row, &own);
    PollRecord {
        first_of: outermost.map_or(U16::new(NONE), |state| tables.state(state).region),
        next: U16::new(RegionId::to_raw(next)),
        first_interrupt: U32::new(first_interrupt),
        first_ask: U32::new(first_ask),
        interrupts: U16::new(interrupts),
        asks: U16::new(asks),
        latches: U32::new(latches.fold(0, |mask, slot| mask | 1 << slot.raw())),
        run: U16::new(run.unwrap_or(NONE)),
        next_leaf: next_record.map_or(0xFF, |region| region.leaf),
        reserved: 0,
    }
}

/// The region in which the next active leaf lies: the one behind that of the leaf in the innermost
/// state that has one.
fn next_region(tables: &Tables, leaf: StateId) -> Option<RegionId> {
    let mut at = Some(leaf);
    while let Some(state) = at {
        at = around(tables, state);
        let regions = at.map_or(0, |parent| tables.state(parent).region_count);
        if region_number(tables, state) + 1 < u16::from(regions) {
            return RegionId::new(tables.state(state).region.get() + 1);
        }
    }
    None
}

/// A run of candidates: the first, and how many.
type Run = (u32, u16);

/// The eventless candidates of own states: the last of the interrupts, which go from root to leaf,
/// and the first of the others, which go from leaf to root.
fn asks_of(tables: &Tables, row: usize, own: &[StateId]) -> (Run, Run) {
    let none = ((0, 0), (0, 0));
    let eventless = usize::from(tables.header.columns.get()).checked_sub(1);
    let list = eventless
        .and_then(Column::from_index)
        .and_then(|column| list_of(tables, RowId::from_index(row)?, column));
    let Some(list) = list else { return none };
    let first = list.first.get() as usize;
    let middle = first + usize::from(list.interrupts.get());
    let end = middle + usize::from(list.others.get());
    let is_own = |candidate: &&Candidate| {
        let transition = &tables.transitions[usize::from(candidate.index.get())];
        own.contains(&state_in(transition.source))
    };
    let (interrupts, others) = (
        &tables.candidates[first..middle],
        &tables.candidates[middle..end],
    );
    let own_interrupts = interrupts.iter().rev().take_while(is_own).count();
    let own_others = others.iter().take_while(is_own).count();
    (
        ((middle - own_interrupts) as u32, own_interrupts as u16),
        (middle as u32, own_others as u16),
    )
}

fn list_of(tables: &Tables, row: RowId, column: Column) -> Option<CandidateList> {
    let record = &tables.leaf_rows[row.index()];
    let first = record.first_cell.get() as usize;
    let list = if tables.sorted_cells.is_empty() {
        tables.dense_cells.get(first + column.index())?.list.get()
    } else {
        let cells = &tables.sorted_cells[first..first + record.cell_count.get() as usize];
        let cell = cells.iter().find(|cell| cell.column.get() == column.raw());
        cell?.list.get()
    };
    tables.candidate_lists.get(list as usize).copied()
}
