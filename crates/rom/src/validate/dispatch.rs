//! Dispatch: rows of leaf states, their cells, candidate lists (SEL-2, EVT-5).
//!
//! Proven is that every index stays in its table. That a row lists the right candidates in the
//! right order follows from the other tables and is proven by `statewright check --deep`: a wrong
//! list makes a machine behave differently, not unsafely.

use super::{Check, expected, range, unknown};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::view::Rom;

/// Rows are the leaf states in order; cells of the rows follow each other.
pub(super) fn leaf_rows<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::LeafRows);
    let dense = rom.has(feature::DENSE_ROWS);
    let columns = rom.columns() as u64;
    let mut cells = 0_u64;
    for (i, row) in rom.leaf_rows().iter().enumerate() {
        let state = rom.states().get(usize::from(row.state.get()));
        // Rows were dealt out to the leaf states in order; a row that is its state's own is in its
        // place.
        let own = state.is_some_and(|state| usize::from(state.row.get()) == i);
        check.rule(own, i, || Problem::Rule("the state does not have this row"))?;
        check.rule(row.flags.get() & !row_flag::ALL == 0, i, || {
            unknown("flags", row.flags)
        })?;
        let count = u64::from(row.cell_count.get());
        check.rule(u64::from(row.first_cell.get()) == cells, i, || {
            expected("first cell", cells, row.first_cell)
        })?;
        let fits = if dense {
            count == columns
        } else {
            count <= columns
        };
        check.rule(fits, i, || expected("count of cells", columns, count))?;
        check.rule(row.reserved.get() == 0, i, || Problem::Reserved)?;
        cells = cells.wrapping_add(count);
    }
    let (dense_cells, sorted_cells) = (
        rom.dense_cells().len() as u64,
        rom.sorted_cells().len() as u64,
    );
    let (used, unused) = if dense {
        (dense_cells, sorted_cells)
    } else {
        (sorted_cells, dense_cells)
    };
    check.whole(used == cells && unused == 0, || {
        expected("sum of cells", used.wrapping_add(unused), cells)
    })?;
    check.finish()
}

/// A candidate as one number: a transition, or a state with the bit of [`CandidateKind::Deferral`]
/// above it. Numbers of transitions stay below that bit, so a candidate below their count is a
/// transition without reserved bits.
#[inline(always)]
fn number(candidate: &Candidate) -> u32 {
    u32::from(candidate.index.get())
        | u32::from(candidate.kind.raw()) << 16
        | u32::from(candidate.reserved) << 24
}

const DEFERRAL: u32 = (CandidateKind::Deferral as u32) << 16;
const _: () = assert!(CandidateKind::Transition.number() == 0 && MAX_RECORDS < DEFERRAL as usize);

/// Candidates are transitions, or states that defer.
pub(super) fn candidates<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Candidates);
    let transitions = rom.transitions().len();
    let highest = rom
        .candidates()
        .iter()
        .fold(0, |highest, candidate| number(candidate).max(highest));
    if (highest as usize) < transitions {
        return check.finish();
    }
    for (i, candidate) in rom.candidates().iter().enumerate() {
        let known = (number(candidate) as usize) < transitions;
        check.rule(known || is_deferral(rom, candidate), i, || {
            wrong_candidate(rom, candidate)
        })?;
    }
    check.finish()
}

fn is_deferral(rom: &Rom<'_>, candidate: &Candidate) -> bool {
    let state = rom.states().get(usize::from(candidate.index.get()));
    let defers = state.is_some_and(|state| state.flags.get() & state_flag::DEFERS != 0);
    number(candidate) & !0xFFFF == DEFERRAL && defers
}

fn wrong_candidate(rom: &Rom<'_>, candidate: &Candidate) -> Problem {
    if candidate.reserved != 0 {
        return Problem::Reserved;
    }
    let (index, transitions, states) =
        (candidate.index, rom.transitions().len(), rom.states().len());
    match candidate.kind.known() {
        Some(CandidateKind::Transition) => range("transition", index, transitions),
        Some(CandidateKind::Deferral) if usize::from(index.get()) < states => {
            Problem::Rule("the state defers nothing")
        }
        Some(CandidateKind::Deferral) => range("state", index, states),
        None => unknown("kind", candidate.kind),
    }
}

/// Lists name at least one candidate, all inside the table.
pub(super) fn candidate_lists<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::CandidateLists);
    if !EXPLAIN && all_lists_fit(rom) {
        return check.finish();
    }
    let total = rom.candidates().len() as u64;
    for (i, list) in rom.candidate_lists().iter().enumerate() {
        let count = u64::from(list.interrupts.get()).wrapping_add(u64::from(list.others.get()));
        check.rule(count > 0, i, || unknown("count", 0_u8))?;
        let end = u64::from(list.first.get()).wrapping_add(count);
        check.rule(end <= total, i, || {
            range("last candidate", end, rom.candidates().len())
        })?;
    }
    check.finish()
}

/// The rules of [`candidate_lists`] without a comparison: a difference that must not be negative
/// has no highest bit.
fn all_lists_fit(rom: &Rom<'_>) -> bool {
    let total = rom.candidates().len() as u64;
    let any = rom.candidate_lists().iter().fold(0, |any, list| {
        let count = u64::from(list.interrupts.get()).wrapping_add(u64::from(list.others.get()));
        let end = u64::from(list.first.get()).wrapping_add(count);
        any | count.wrapping_sub(1) | total.wrapping_sub(end)
    });
    any >> 63 == 0
}

/// Whether a cell names a list or none: [`NO_LIST`] is the number below the first.
#[inline(always)]
fn names_list(list: u32, lists: u32) -> bool {
    list.wrapping_add(1) <= lists
}

/// Every dense cell names a list, a jump, or none.
pub(super) fn dense_cells<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::DenseCells);
    let (lists, jumps) = (rom.candidate_lists().len(), rom.jumps().len());
    for (i, cell) in rom.dense_cells().iter().enumerate() {
        let list = cell.list.get();
        let jump = list.wrapping_sub(JUMP);
        let known = names_list(list, lists as u32) | ((jump as usize) < jumps);
        check.rule(known, i, || {
            if list < JUMP {
                range("list", list, lists)
            } else {
                range("jump", jump, jumps)
            }
        })?;
    }
    check.finish()
}

/// Every sorted cell names a list; the columns of a row ascend.
pub(super) fn sorted_cells<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::SortedCells);
    let (lists, columns) = (rom.candidate_lists().len(), rom.columns() as u32);
    for row in rom.leaf_rows() {
        let first = row.first_cell.get() as usize;
        let mut least = 0_u32;
        for (place, cell) in rom.sorted_cells_of(row).iter().enumerate() {
            let (i, column, list) = (
                first.wrapping_add(place),
                u32::from(cell.column.get()),
                cell.list.get(),
            );
            check.rule((column >= least) & (column < columns), i, || {
                unknown("column", cell.column)
            })?;
            check.rule((list as usize) < lists, i, || range("list", list, lists))?;
            check.rule(cell.reserved.get() == 0, i, || Problem::Reserved)?;
            least = column.wrapping_add(1);
        }
    }
    check.finish()
}
