//! Dispatch: rows of leaf states, their cells, candidate lists (SEL-2, EVT-5).
//!
//! Proven is that whatever a cell names belongs to the leaf or to a state around it, so that only transitions of
//! active states can be taken. Doing that per cell and candidate would take the product of both. Instead: the sources
//! of one half of a list lie on one way up, the deepest of them is found at a fixed place of the list, and a row that
//! shares a list with the row before it needs one comparison.

use super::{Check, Runs, expected, range, unknown};
use crate::error::{LoadError, Problem};
use crate::layout::*;
use crate::view::Rom;

/// Rows are the leaf states in order; cells and exit paths of the rows follow each other.
pub(super) fn leaf_rows<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::LeafRows);
    let dense = rom.has(feature::DENSE_ROWS);
    let columns = rom.columns() as u64;
    let (mut cells, mut exits) = (0_u64, 0_u64);
    for (i, row) in rom.leaf_rows().iter().enumerate() {
        let state = rom.states().get(usize::from(row.state.get()));
        // Rows were dealt out to the leaf states in order; a row that is its state's own is in its place.
        let own = state.is_some_and(|state| usize::from(state.row.get()) == i);
        check.rule(own, i, || Problem::Rule("the state does not have this row"))?;
        check.rule(row.flags.get() & !row_flag::ALL == 0, i, || unknown("flags", row.flags))?;
        let count = u64::from(row.cell_count.get());
        check.rule(u64::from(row.first_cell.get()) == cells, i, || expected("first cell", cells, row.first_cell))?;
        let fits = if dense { count == columns } else { count <= columns };
        check.rule(fits, i, || expected("count of cells", columns, count))?;
        check
            .rule(u64::from(row.first_exit.get()) == exits, i, || expected("first exit step", exits, row.first_exit))?;
        cells = cells.wrapping_add(count);
        exits = exits.wrapping_add(state.map_or(0, |state| u64::from(state.depth.wrapping_sub(1))));
    }
    let (dense_cells, sorted_cells) = (rom.dense_cells().len() as u64, rom.sorted_cells().len() as u64);
    let (used, unused) = if dense { (dense_cells, sorted_cells) } else { (sorted_cells, dense_cells) };
    check.whole(used == cells && unused == 0, || expected("sum of cells", used.wrapping_add(unused), cells))?;
    let steps = rom.exit_steps().len() as u64;
    check.whole(exits == steps, || expected("sum of exit steps", steps, exits))?;
    check.finish()
}

/// A candidate as one number: a transition, or a state with the bit of [`candidate_kind::DEFERRAL`] above it. Numbers
/// of transitions stay below that bit, so a candidate below their count is a transition without reserved bits.
#[inline(always)]
fn number(candidate: &Candidate) -> u32 {
    u32::from(candidate.index.get()) | u32::from(candidate.kind) << 16 | u32::from(candidate.reserved) << 24
}

const DEFERRAL: u32 = (candidate_kind::DEFERRAL as u32) << 16;
const _: () = assert!(candidate_kind::TRANSITION == 0 && MAX_RECORDS < DEFERRAL as usize);

/// The state that a valid candidate belongs to.
#[inline(always)]
fn source(rom: &Rom<'_>, candidate: &Candidate) -> u16 {
    let number = number(candidate);
    rom.transitions().get(number as usize).map_or(number as u16, |transition| transition.source.get())
}

/// Is a state the same as another one or around it?
#[inline(always)]
fn is_around(rom: &Rom<'_>, outer: u16, inner: u16) -> bool {
    let end = rom.states().get(usize::from(outer)).map_or(0, |state| state.subtree_end.get());
    (outer <= inner) & (inner < end)
}

/// Candidates are transitions, or states that defer.
pub(super) fn candidates<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Candidates);
    let transitions = rom.transitions().len();
    let highest = rom.candidates().iter().fold(0, |highest, candidate| number(candidate).max(highest));
    if (highest as usize) < transitions {
        return check.finish();
    }
    for (i, candidate) in rom.candidates().iter().enumerate() {
        let known = (number(candidate) as usize) < transitions;
        check.rule(known || is_deferral(rom, candidate), i, || wrong_candidate(rom, candidate))?;
    }
    check.finish()
}

fn is_deferral(rom: &Rom<'_>, candidate: &Candidate) -> bool {
    let state = rom.states().get(usize::from(candidate.index.get()));
    let defers = state.is_some_and(|state| state.flags.get() & state_flag::DEFERS != 0);
    number(candidate) & !0xFFFF == DEFERRAL && defers
}

fn wrong_candidate(rom: &Rom<'_>, candidate: &Candidate) -> Problem {
    match candidate.kind {
        _ if candidate.reserved != 0 => Problem::Reserved,
        candidate_kind::TRANSITION => range("transition", candidate.index, rom.transitions().len()),
        candidate_kind::DEFERRAL if usize::from(candidate.index.get()) < rom.states().len() => {
            Problem::Rule("the state defers nothing")
        }
        candidate_kind::DEFERRAL => range("state", candidate.index, rom.states().len()),
        kind => unknown("kind", kind),
    }
}

/// Lists lie back to back; interrupts go from root to leaf, others from leaf to root.
pub(super) fn candidate_lists<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::CandidateLists);
    let mut runs = Runs::default();
    for (i, list) in rom.candidate_lists().iter().enumerate() {
        let next = runs.next;
        let count = u32::from(list.interrupts.get()).wrapping_add(u32::from(list.others.get()));
        let placed = runs.take(list.first.get(), count);
        check.rule(placed, i, || {
            if count == 0 { unknown("count", 0_u8) } else { expected("first candidate", next, list.first) }
        })?;
        if placed & (count > 1) {
            check.rule(is_one_way(rom, list), i, || Problem::Rule("candidates that do not lie on one way up"))?;
        }
    }
    let total = rom.candidates().len();
    check.whole(runs.is_all(total), || expected("sum of candidates", total as u64, runs.next))?;
    check.finish()
}

/// Do the sources of each half lie on one way, the deepest next to the other half?
fn is_one_way(rom: &Rom<'_>, list: &CandidateList) -> bool {
    let (first, interrupts) = (list.first.get() as usize, usize::from(list.interrupts.get()));
    let down = crate::view::run(rom.candidates(), first, interrupts);
    let up = crate::view::run(rom.candidates(), first.wrapping_add(interrupts), usize::from(list.others.get()));
    is_way_up(rom, down.iter().rev()) & is_way_up(rom, up.iter())
}

fn is_way_up<'c>(rom: &Rom<'_>, candidates: impl Iterator<Item = &'c Candidate>) -> bool {
    let mut good = true;
    let mut below = None;
    for candidate in candidates {
        let source = source(rom, candidate);
        good &= is_around(rom, source, below.unwrap_or(source));
        below = Some(source);
    }
    good
}

/// What a list means for a leaf: may the leaf use it, and the deepest source in it.
#[inline(always)]
fn use_of(rom: &Rom<'_>, list: &CandidateList, leaf: u16) -> (bool, u16) {
    let source_at = |at: u32| rom.candidates().get(at as usize).map_or(NONE, |candidate| source(rom, candidate));
    let (first, interrupts) = (list.first.get(), u32::from(list.interrupts.get()));
    let middle = first.wrapping_add(interrupts);
    // A list without others starts its other half in the next list; the last interrupt stands in for it.
    let other = source_at(if list.others.get() == 0 { middle.wrapping_sub(1) } else { middle });
    if interrupts == 0 {
        return (is_around(rom, other, leaf), other);
    }
    let interrupt = source_at(middle.wrapping_sub(1));
    (is_around(rom, other, leaf) & is_around(rom, interrupt, leaf), other.max(interrupt))
}

/// Why a leaf may not use a list.
fn wrong_cell(rom: &Rom<'_>, list: u32, leaf: u16) -> Problem {
    match rom.candidate_lists().get(list as usize) {
        None => range("list", list, rom.candidate_lists().len()),
        Some(record) => Problem::NotInside { what: "leaf", inner: leaf, outer: use_of(rom, record, leaf).1 },
    }
}

/// Columns looked at together: their notes fit the first cache.
const BLOCK: usize = 256;
/// Cells compared at once.
const STRIDE: usize = 8;

/// What the row before had in a block of columns: the lists, and the deepest source of each.
struct Notes {
    lists: [u32; BLOCK],
    deepest: [u32; BLOCK],
}

/// Every dense cell names a list that its leaf may use.
pub(super) fn dense_cells<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::DenseCells);
    let columns = rom.columns();
    let mut start = 0;
    // Bound: one turn per block of columns.
    while start < columns {
        dense_block(&mut check, rom, start)?;
        start = start.saturating_add(BLOCK);
    }
    check.finish()
}

/// One block of columns, row by row.
fn dense_block<const EXPLAIN: bool>(check: &mut Check<EXPLAIN>, rom: &Rom<'_>, start: usize) -> Result<(), LoadError> {
    let columns = rom.columns();
    let width = columns.saturating_sub(start).min(BLOCK);
    let mut notes = Notes { lists: [NO_LIST; BLOCK], deepest: [0; BLOCK] };
    let mut before = 0;
    for (i, row) in rom.leaf_rows().iter().enumerate() {
        let first = i.wrapping_mul(columns).wrapping_add(start);
        let leaf = row.state.get();
        let row = Row { leaf, shared: common(rom, before, leaf), first };
        dense_row(check, rom, crate::view::run(rom.dense_cells(), first, width), &mut notes, &row)?;
        before = leaf;
    }
    Ok(())
}

/// The row at hand.
struct Row {
    leaf: u16,
    /// The innermost state around this leaf and that of the row before.
    shared: u32,
    /// First cell of the block.
    first: usize,
}

/// The innermost state around two leaves, the first of which comes earlier.
fn common(rom: &Rom<'_>, before: u16, leaf: u16) -> u32 {
    let states = rom.states();
    let mut around = leaf;
    // Bound: a parent comes before its child. The first one at or before the earlier leaf is around both.
    while around > before {
        around = states.get(usize::from(around)).map_or(0, |state| state.parent.get());
        if around == NONE {
            return 0;
        }
    }
    u32::from(around)
}

#[inline(always)]
fn dense_row<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    cells: &[DenseCell],
    notes: &mut Notes,
    row: &Row,
) -> Result<(), LoadError> {
    let lists = notes.lists.chunks_exact_mut(STRIDE);
    let deepest = notes.deepest.chunks_exact_mut(STRIDE);
    for (number, ((cells, lists), deepest)) in cells.chunks(STRIDE).zip(lists).zip(deepest).enumerate() {
        let at = row.first.wrapping_add(number.wrapping_mul(STRIDE));
        let (mut changed, mut wrong) = (0, false);
        for ((cell, list), deepest) in cells.iter().zip(&*lists).zip(&*deepest) {
            changed |= cell.list.get() ^ *list;
            // The same list as above: its deepest source is around that leaf, and around this one if it is around both.
            wrong |= *deepest > row.shared;
        }
        if (changed != 0) | wrong {
            renew(check, rom, cells, lists, deepest, row.leaf, at)?;
        }
    }
    Ok(())
}

/// Looks at cells one by one and notes what they hold. Without a branch per cell: which ones changed is hard to guess.
#[inline(always)]
fn renew<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    cells: &[DenseCell],
    lists: &mut [u32],
    deepest: &mut [u32],
    leaf: u16,
    at: usize,
) -> Result<(), LoadError> {
    let known = rom.candidate_lists();
    for (place, ((cell, list), deepest)) in cells.iter().zip(lists).zip(deepest).enumerate() {
        let found = cell.list.get();
        let none = found == NO_LIST;
        // An empty cell looks at the first list, for nothing.
        let (fits, source) = match known.get(if none { 0 } else { found as usize }) {
            Some(list) => use_of(rom, list, leaf),
            None => (false, 0),
        };
        check.rule(fits | none, at.wrapping_add(place), || wrong_cell(rom, found, leaf))?;
        *list = found;
        *deepest = if none { 0 } else { u32::from(source) };
    }
    Ok(())
}

/// Every sorted cell names a list that its leaf may use; columns ascend.
pub(super) fn sorted_cells<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::SortedCells);
    let (columns, lists) = (rom.columns(), rom.candidate_lists());
    for row in rom.leaf_rows() {
        let (first, leaf) = (row.first_cell.get() as usize, row.state.get());
        let mut least = 0_usize;
        for (place, cell) in rom.sorted_cells_of(row).iter().enumerate() {
            let (i, column, list) = (first.wrapping_add(place), usize::from(cell.column.get()), cell.list.get());
            check.rule((column >= least) & (column < columns), i, || unknown("column", cell.column))?;
            check.rule(cell.reserved.get() == 0, i, || Problem::Reserved)?;
            let fits = lists.get(list as usize).is_some_and(|list| use_of(rom, list, leaf).0);
            check.rule(fits, i, || wrong_cell(rom, list, leaf))?;
            least = column.wrapping_add(1);
        }
    }
    check.finish()
}
