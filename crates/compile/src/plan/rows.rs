//! Dispatch rows: for each leaf and column, who may react, in the order in which they are asked
//! (SEL-2, SEL-3, EVT-5).
//!
//! ```text
//! root    a: on Damage, interrupt              columns: 0 Sight, 1 Damage, 2 eventless
//! ├── idle    b: on Sight
//! └── fight   c: on Damage                     lists, as they are made in pre-order
//!     └── aim     d: on Damage                 0  root,  Damage   a |
//!         defers Sight                         1  idle,  Sight      | b
//!                                              2  fight, Damage   a | c
//! leaf    Sight   Damage   eventless           3  aim,   Sight      | defer aim
//! idle    1       0        –                   4  aim,   Damage   a | d c
//! aim     3       4        –                      interrupts | others
//! ```
//!
//! A list answers one question of the kernel: this leaf is active and that event has come, who is
//! asked, and in which order? Interrupts are asked from the root to the leaf (`a` first, wherever it
//! stands), then all others from the leaf to the root (`d` before `c`), a deferral after the
//! transitions of its state.
//!
//! A state inherits the lists of the state around it and adds its own, so lists are built once per
//! state and column and shared by all leaves below: `idle` adds nothing to Damage and has the list
//! of the root. What is kept while the tree is walked is one row per open depth, at most sixteen.
//! Small machines get a cell for every leaf and column (one lookup); large ones only those that are
//! not empty, sorted by column.

use statewright_rom::ids::{CandidateListId, Column, RowId, StateExtraId, StateId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use super::PlanError;
use crate::tables::Tables;

/// Most cells of sorted rows.
pub const MAX_SORTED_CELLS: usize = 1 << 22;

/// Most entries of lists of candidates: a transition on any event stands in the list of each.
pub const MAX_CANDIDATES: usize = 1 << 22;

/// A row under construction: its cells, ascending by column.
type Row = Vec<(Column, CandidateListId)>;

/// Fills leaf rows, cells, candidate lists and candidates.
pub fn assign(tables: &mut Tables) -> Result<(), PlanError> {
    let columns = usize::from(tables.header.columns.get());
    let dense = is_dense(tables);
    // Rows of the states around the current one, by depth; the tree is in pre-order.
    let mut rows: Vec<Row> = Vec::new();
    let mut polls: Vec<u16> = Vec::new();
    for state in tables.state_ids() {
        let depth = usize::from(tables.state(state).depth);
        rows.truncate(depth - 1);
        polls.truncate(depth - 1);
        check_candidates(tables, state)?;
        let row = inherit(tables, rows.last().map_or(&[][..], Vec::as_slice), state);
        let flags = polls.last().copied().unwrap_or(0) | poll_flags(tables.state(state));
        if let Some(leaf) = RowId::read(tables.state(state).row) {
            write_row(tables, leaf, &row, flags, dense.then_some(columns));
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
fn check_candidates(tables: &Tables, state: StateId) -> Result<(), PlanError> {
    let own = own_transitions(tables, tables.state(state));
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

fn poll_flags(state: &StateRecord) -> u16 {
    const POLLS: u16 = state_flag::ACTIVITY | state_flag::EVENTLESS | state_flag::UPDATE;
    if state.flags.get() & POLLS != 0 {
        row_flag::POLLS
    } else {
        0
    }
}

/// The row of a state: that of the state around it with its own candidates merged in.
fn inherit(tables: &mut Tables, around: &[(Column, CandidateListId)], state: StateId) -> Row {
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
struct OwnCandidates {
    interrupts: Vec<Candidate>,
    others: Vec<Candidate>,
}

/// Columns for which a state has candidates of its own, ascending.
fn own_columns(tables: &Tables, state: StateId) -> Vec<(Column, OwnCandidates)> {
    let record = tables.state(state);
    if record.kind == StateKind::Choice {
        return Vec::new();
    }
    let first = usize::from(record.first_transition.get());
    let transitions = first..first + usize::from(record.transition_count.get());
    let defers = deferred_events(tables, record);
    let mut columns: Vec<Column> = Vec::new();
    for transition in transitions.clone() {
        columns.extend(columns_of(tables, &tables.transitions[transition]));
    }
    columns.extend(&defers);
    columns.sort_unstable();
    columns.dedup();
    let mut own: Vec<(Column, OwnCandidates)> = columns
        .iter()
        .map(|&column| (column, OwnCandidates::default()))
        .collect();
    let mut add = |column: Column, candidate: Candidate, interrupt: bool| {
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
        let candidate = candidate(transition as u16, CandidateKind::Transition);
        columns_of(tables, record).for_each(|column| add(column, candidate, interrupt));
    }
    // A state's own transitions come before its deferral (EVT-5).
    for column in defers {
        let candidate = candidate(state.raw(), CandidateKind::Deferral);
        add(column, candidate, false);
    }
    own
}

/// Columns of the events that a state defers.
fn deferred_events(tables: &Tables, record: &StateRecord) -> Vec<Column> {
    let Some(extra) = StateExtraId::read(record.extra) else {
        return Vec::new();
    };
    let extra = &tables.state_extras[extra.index()];
    let first = usize::from(extra.first_deferral.get());
    let deferrals = &tables.deferrals[first..first + usize::from(extra.deferral_count.get())];
    deferrals
        .iter()
        .filter_map(|deferral| Column::read(deferral.event))
        .collect()
}

/// Columns of a trigger; all eventless ones share the last.
fn columns_of(
    tables: &Tables,
    transition: &TransitionRecord,
) -> impl Iterator<Item = Column> + use<> {
    let only = |column: u16| usize::from(column)..usize::from(column) + 1;
    let columns = match SpecialTrigger::read(transition.trigger) {
        Some(SpecialTrigger::Any) => 0..tables.events.len(),
        Some(SpecialTrigger::Always | SpecialTrigger::Done | SpecialTrigger::Failed) => {
            only(tables.header.columns.get() - 1)
        }
        None => only(transition.trigger.get()),
    };
    columns.filter_map(Column::from_index)
}

fn candidate(index: u16, kind: CandidateKind) -> Candidate {
    Candidate {
        index: U16::new(index),
        kind: kind.into(),
        reserved: 0,
    }
}

/// Interrupts go from root to leaf, the others from leaf to root.
fn add_list(
    tables: &mut Tables,
    inherited: Option<CandidateListId>,
    own: &OwnCandidates,
) -> CandidateListId {
    let (around_interrupts, around_others) = match inherited {
        None => (Vec::new(), Vec::new()),
        Some(list) => {
            let list = &tables.candidate_lists[list.index()];
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
    let list = CandidateListId::new(tables.candidate_lists.len() as u32);
    tables.candidate_lists.push(CandidateList {
        first: U32::new(first as u32),
        interrupts: U16::new(interrupts as u16),
        others: U16::new(others as u16),
    });
    list.expect("far fewer lists than numbers: MAX_CANDIDATES")
}

fn write_row(
    tables: &mut Tables,
    leaf: RowId,
    row: &[(Column, CandidateListId)],
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
                tables.dense_cells[first + column.index()].list = U32::new(list.raw());
            }
            (first, columns)
        }
        None => {
            let first = tables.sorted_cells.len();
            tables
                .sorted_cells
                .extend(row.iter().map(|&(column, list)| SortedCell {
                    column: U16::new(column.raw()),
                    reserved: U16::new(0),
                    list: U32::new(list.raw()),
                }));
            (first, row.len())
        }
    };
    let record = &mut tables.leaf_rows[leaf.index()];
    record.flags = U16::new(flags);
    record.first_cell = U32::new(first as u32);
    record.cell_count = U32::new(count as u32);
}
