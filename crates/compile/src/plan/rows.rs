//! Dispatch rows: for each leaf and column, who may react, in the order in which they are asked
//! (SEL-2, SEL-3, EVT-5).
//!
//! A state inherits the lists of the state around it and adds its own, so lists are built once per
//! state and column and shared by all leaves below.

use std::ops::Range;

use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use super::PlanError;
use crate::tables::Tables;

/// Most cells of sorted rows.
pub const MAX_SORTED_CELLS: usize = 1 << 22;

/// Most entries of lists of candidates: a transition on any event stands in the list of each.
pub const MAX_CANDIDATES: usize = 1 << 22;

/// A row under construction: (column, candidate list), ascending by column.
type Row = Vec<(u16, u32)>;

/// Fills leaf rows, cells, candidate lists and candidates.
pub fn assign(tables: &mut Tables) -> Result<(), PlanError> {
    let columns = usize::from(tables.header.columns.get());
    let dense = is_dense(tables);
    // Rows of the states around the current one, by depth; the tree is in pre-order.
    let mut rows: Vec<Row> = Vec::new();
    let mut polls: Vec<u16> = Vec::new();
    let mut leaf = 0;
    for state in 0..tables.states.len() {
        let depth = usize::from(tables.states[state].depth);
        rows.truncate(depth - 1);
        polls.truncate(depth - 1);
        check_candidates(tables, state)?;
        let row = inherit(tables, rows.last().map_or(&[][..], Vec::as_slice), state);
        let flags = polls.last().copied().unwrap_or(0) | poll_flags(tables, &tables.states[state]);
        if super::is_leaf(&tables.states[state]) {
            write_row(tables, leaf, &row, flags, dense.then_some(columns));
            leaf += 1;
            if tables.sorted_cells.len() > MAX_SORTED_CELLS {
                return Err(PlanError::Cells(tables.sorted_cells.len()));
            }
        }
        rows.push(row);
        polls.push(flags);
    }
    Ok(())
}

/// Refuses more candidates than fit before they are listed.
fn check_candidates(tables: &Tables, state: usize) -> Result<(), PlanError> {
    let own = own_transitions(tables, &tables.states[state]);
    let any = own
        .iter()
        .filter(|transition| SpecialTrigger::Any.is(transition.trigger))
        .count();
    let wanted = tables.candidates.len() + own.len() + any * tables.events.len();
    if wanted > MAX_CANDIDATES {
        Err(PlanError::Candidates(wanted))
    } else {
        Ok(())
    }
}

/// Small machines get one cell per leaf and column, large ones only the cells that are not empty.
pub fn is_dense(tables: &Tables) -> bool {
    tables.leaf_rows.len() * usize::from(tables.header.columns.get()) <= MAX_DENSE_CELLS
}

/// Transitions of a state; what a choice has are branches.
fn own_transitions<'t>(tables: &'t Tables, state: &StateRecord) -> &'t [TransitionRecord] {
    let first = usize::from(state.first_transition.get());
    match state.kind.get() {
        StateKind::Choice => &[],
        StateKind::Atomic | StateKind::Compound | StateKind::Orthogonal | StateKind::Final => {
            &tables.transitions[first..first + usize::from(state.transition_count.get())]
        }
    }
}

fn poll_flags(tables: &Tables, state: &StateRecord) -> u16 {
    let flags = state.flags.get();
    let own = own_transitions(tables, state);
    let always = if own.iter().any(|t| SpecialTrigger::Always.is(t.trigger)) {
        row_flag::ALWAYS
    } else {
        0
    };
    let activity = if flags & state_flag::ACTIVITY != 0 {
        row_flag::ACTIVITY | row_flag::POLLS
    } else {
        0
    };
    let eventless = if flags & state_flag::EVENTLESS != 0 {
        row_flag::POLLS
    } else {
        0
    };
    activity | eventless | always
}

/// The row of a state: that of the state around it with its own candidates merged in.
fn inherit(tables: &mut Tables, around: &[(u16, u32)], state: usize) -> Row {
    let own = own_columns(tables, state);
    let mut row = Vec::with_capacity(around.len() + own.len());
    let mut rest = around.iter().peekable();
    for (column, candidates) in own {
        while let Some(&&cell) = rest.peek().filter(|cell| cell.0 < column) {
            row.push(cell);
            rest.next();
        }
        let inherited = rest.next_if(|cell| cell.0 == column).map(|cell| cell.1);
        row.push((column, add_list(tables, inherited, &candidates)));
    }
    row.extend(rest);
    row
}

/// What a state itself adds to one column.
#[derive(Default)]
struct Own {
    interrupts: Vec<Candidate>,
    others: Vec<Candidate>,
}

/// Columns for which a state has candidates of its own, ascending.
fn own_columns(tables: &Tables, state: usize) -> Vec<(u16, Own)> {
    let record = &tables.states[state];
    if record.kind == StateKind::Choice {
        return Vec::new();
    }
    let first = usize::from(record.first_transition.get());
    let transitions = first..first + usize::from(record.transition_count.get());
    let defers = deferred_events(tables, record);
    let mut columns: Vec<u16> = Vec::new();
    for transition in transitions.clone() {
        columns.extend(columns_of(tables, &tables.transitions[transition]));
    }
    columns.extend(defers.iter().map(|&(event, _)| event));
    columns.sort_unstable();
    columns.dedup();
    let mut own: Vec<(u16, Own)> = columns
        .iter()
        .map(|&column| (column, Own::default()))
        .collect();
    let mut add = |column: u16, candidate: Candidate, interrupt: bool| {
        if let Ok(at) = columns.binary_search(&column) {
            let list = if interrupt {
                &mut own[at].1.interrupts
            } else {
                &mut own[at].1.others
            };
            list.push(candidate);
        }
    };
    // Transitions of a state lie in selection order, so each column gets them in that order.
    for transition in transitions {
        let record = &tables.transitions[transition];
        let interrupt = record.flags.get() & transition_flag::INTERRUPT != 0;
        let candidate = candidate(transition, CandidateKind::Transition);
        columns_of(tables, record).for_each(|column| add(column, candidate, interrupt));
    }
    // A state's own transitions come before its deferral (EVT-5).
    for (event, _) in defers {
        add(event, candidate(state, CandidateKind::Deferral), false);
    }
    own
}

fn deferred_events(tables: &Tables, record: &StateRecord) -> Vec<(u16, usize)> {
    if record.extra.get() == NONE {
        return Vec::new();
    }
    let extra = &tables.state_extras[usize::from(record.extra.get())];
    let first = usize::from(extra.first_deferral.get());
    let range = first..first + usize::from(extra.deferral_count.get());
    range
        .map(|at| (tables.deferrals[at].event.get(), at))
        .collect()
}

/// Columns of a trigger; all eventless ones share the last.
fn columns_of(tables: &Tables, transition: &TransitionRecord) -> Range<u16> {
    let only = |column: u16| column..column + 1;
    match SpecialTrigger::read(transition.trigger) {
        Some(SpecialTrigger::Any) => 0..tables.events.len() as u16,
        Some(SpecialTrigger::Always | SpecialTrigger::Done | SpecialTrigger::Failed) => {
            only(tables.header.columns.get() - 1)
        }
        None => only(transition.trigger.get()),
    }
}

fn candidate(index: usize, kind: CandidateKind) -> Candidate {
    Candidate {
        index: U16::new(index as u16),
        kind: kind.into(),
        reserved: 0,
    }
}

/// Interrupts go from root to leaf, the others from leaf to root.
fn add_list(tables: &mut Tables, inherited: Option<u32>, own: &Own) -> u32 {
    let (around_interrupts, around_others) = match inherited {
        None => (Vec::new(), Vec::new()),
        Some(list) => {
            let list = &tables.candidate_lists[list as usize];
            let first = list.first.get() as usize;
            let middle = first + usize::from(list.interrupts.get());
            let end = middle + usize::from(list.others.get());
            (
                tables.candidates[first..middle].to_vec(),
                tables.candidates[middle..end].to_vec(),
            )
        }
    };
    let first = tables.candidates.len();
    tables
        .candidates
        .extend(around_interrupts.iter().chain(&own.interrupts));
    let interrupts = tables.candidates.len() - first;
    tables
        .candidates
        .extend(own.others.iter().chain(&around_others));
    let others = tables.candidates.len() - first - interrupts;
    tables.candidate_lists.push(CandidateList {
        first: U32::new(first as u32),
        interrupts: U16::new(interrupts as u16),
        others: U16::new(others as u16),
    });
    (tables.candidate_lists.len() - 1) as u32
}

fn write_row(
    tables: &mut Tables,
    leaf: usize,
    row: &[(u16, u32)],
    flags: u16,
    dense_columns: Option<usize>,
) {
    let (first, count) = match dense_columns {
        Some(columns) => {
            let first = tables.dense_cells.len();
            tables.dense_cells.resize(
                first + columns,
                DenseCell {
                    list: U32::new(NO_LIST),
                },
            );
            for &(column, list) in row {
                tables.dense_cells[first + usize::from(column)].list = U32::new(list);
            }
            (first, columns)
        }
        None => {
            let first = tables.sorted_cells.len();
            tables
                .sorted_cells
                .extend(row.iter().map(|&(column, list)| SortedCell {
                    column: U16::new(column),
                    reserved: U16::new(0),
                    list: U32::new(list),
                }));
            (first, row.len())
        }
    };
    let record = &mut tables.leaf_rows[leaf];
    record.flags = U16::new(flags);
    record.first_cell = U32::new(first as u32);
    record.cell_count = U32::new(count as u32);
}
