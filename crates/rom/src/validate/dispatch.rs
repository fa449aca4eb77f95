//! Dispatch: rows of leaf states, their cells, candidate lists (SEL-2, EVT-5).
//!
//! Proven is that whatever a cell names belongs to the leaf or to a state around it, so that only transitions of
//! active states can be taken. Doing that per cell and candidate would take the product of both. Instead: all sources
//! of a list lie on one way up, so the deepest of them speaks for the list; and lists are sorted by it, so those of
//! each state around a leaf are one run. A cell is right if its list lies in one of these few runs.

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

/// Lists lie back to back, sorted by their deepest source; interrupts go from root to leaf, others from leaf to root.
pub(super) fn candidate_lists<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::CandidateLists);
    let mut runs = Runs::default();
    let mut last = 0;
    for (i, list) in rom.candidate_lists().iter().enumerate() {
        let next = runs.next;
        let count = u32::from(list.interrupts.get()).wrapping_add(u32::from(list.others.get()));
        let placed = runs.take(list.first.get(), count);
        check.rule(placed, i, || {
            if count == 0 { unknown("count", 0_u8) } else { expected("first candidate", next, list.first) }
        })?;
        let deepest = deepest(rom, list);
        check.rule(deepest >= last, i, || Problem::Rule("lists are not sorted by their deepest source"))?;
        last = deepest;
        if placed & (count > 1) {
            check.rule(is_one_way(rom, list), i, || Problem::Rule("candidates that do not lie on one way up"))?;
        }
    }
    let total = rom.candidates().len();
    check.whole(runs.is_all(total), || expected("sum of candidates", total as u64, runs.next))?;
    check.finish()
}

/// The deepest source of a list: that of its first other or of its last interrupt.
#[inline(always)]
fn deepest(rom: &Rom<'_>, list: &CandidateList) -> u16 {
    let source_at = |at: u32| rom.candidates().get(at as usize).map_or(NONE, |candidate| source(rom, candidate));
    let interrupts = u32::from(list.interrupts.get());
    let middle = list.first.get().wrapping_add(interrupts);
    if interrupts == 0 {
        return source_at(middle);
    }
    let interrupt = source_at(middle.wrapping_sub(1));
    if list.others.get() == 0 { interrupt } else { interrupt.max(source_at(middle)) }
}

/// Do all sources lie on one way, in each half the deepest next to the other half?
fn is_one_way(rom: &Rom<'_>, list: &CandidateList) -> bool {
    let (first, interrupts) = (list.first.get() as usize, usize::from(list.interrupts.get()));
    let down = crate::view::run(rom.candidates(), first, interrupts);
    let up = crate::view::run(rom.candidates(), first.wrapping_add(interrupts), usize::from(list.others.get()));
    let deepest = deepest(rom, list);
    is_way_up(rom, deepest, down.iter().rev()) & is_way_up(rom, deepest, up.iter())
}

/// Is each source around the one before it, and the first one around a state?
#[inline(always)]
fn is_way_up<'c>(rom: &Rom<'_>, from: u16, candidates: impl Iterator<Item = &'c Candidate>) -> bool {
    let mut good = true;
    let mut below = from;
    for candidate in candidates {
        let source = source(rom, candidate);
        good &= is_around(rom, source, below);
        below = source;
    }
    good
}

/// Lists that the states around a leaf and the leaf itself have: a run per depth.
struct Reach {
    first: [u32; MAX_DEPTH],
    count: [u32; MAX_DEPTH],
    depth: usize,
}

impl Reach {
    /// Notes the lists of a state; states below it are over.
    #[inline(always)]
    fn enter(&mut self, depth: u8, first: usize, end: usize) {
        self.depth = usize::from(depth).min(MAX_DEPTH);
        let level = self.depth.wrapping_sub(1);
        if let (Some(old), Some(count)) = (self.first.get_mut(level), self.count.get_mut(level)) {
            (*old, *count) = (first as u32, end.wrapping_sub(first) as u32);
        }
    }

    /// May the leaf at hand use all of these lists? An absent list may stand anywhere.
    #[inline(always)]
    fn holds<const N: usize>(&self, lists: &[u32; N]) -> bool {
        let mut held = lists.map(|list| u32::from(list == NO_LIST));
        for (first, count) in self.first.iter().zip(&self.count).take(self.depth) {
            for (held, list) in held.iter_mut().zip(lists) {
                *held |= u32::from(list.wrapping_sub(*first) < *count);
            }
        }
        held.iter().fold(1, |all, held| all & held) == 1
    }

    /// The same for a run of sorted cells: groups of 8, the last one ending with the run. A shorter run is filled up.
    #[inline(always)]
    fn holds_sorted(&self, cells: &[SortedCell]) -> bool {
        const N: usize = 8;
        let Some(last) = cells.last_chunk::<N>() else {
            let mut lists = [NO_LIST; N];
            for (place, cell) in lists.iter_mut().zip(cells) {
                *place = cell.list.get();
            }
            return self.holds(&lists);
        };
        let mut good = self.holds(&last.map(|cell| cell.list.get()));
        for group in cells.as_chunks::<N>().0 {
            good &= self.holds(&group.map(|cell| cell.list.get()));
        }
        good
    }

    /// The same for a dense row. `above` is the row before it, whose cells were right; `limit` is the first list that
    /// states around both leaves do not have. Cells that are the same in both rows and below the limit are right again.
    #[inline(always)]
    fn holds_dense(&self, cells: &[DenseCell], above: &[DenseCell], limit: u32) -> bool {
        const N: usize = 16;
        let mut good = true;
        let (groups, rest) = cells.as_chunks::<N>();
        let mut above = above.as_chunks::<N>().0.iter();
        for group in groups {
            let lists = group.map(|cell| cell.list.get());
            let same = above.next().is_some_and(|above| {
                let mut changed = 0;
                for (list, above) in lists.iter().zip(above) {
                    // As a signed number, an absent list is below every limit.
                    changed |= (list ^ above.list.get()) | u32::from(*list as i32 >= limit as i32);
                }
                changed == 0
            });
            good &= same || self.holds(&lists);
        }
        if !rest.is_empty() {
            let mut lists = [NO_LIST; N];
            for (place, cell) in lists.iter_mut().zip(rest) {
                *place = cell.list.get();
            }
            good &= self.holds(&lists);
        }
        good
    }

    /// One past the lists of the state around all states at this depth and below.
    #[inline(always)]
    fn end_above(&self, depth: usize) -> u32 {
        let level = depth.wrapping_sub(2);
        let first = self.first.get(level).copied().unwrap_or(0);
        first.wrapping_add(self.count.get(level).copied().unwrap_or(0))
    }
}

/// Every cell names a list that its leaf may use.
pub(super) fn cells<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let dense = rom.has(feature::DENSE_ROWS);
    let mut check = Check::<EXPLAIN>::new(if dense { Section::DenseCells } else { Section::SortedCells });
    let mut reach = Reach { first: [0; MAX_DEPTH], count: [0; MAX_DEPTH], depth: 0 };
    let mut lists = rom.candidate_lists().iter().map(|list| deepest(rom, list));
    let (mut next, mut of) = (0_usize, lists.next().unwrap_or(NONE));
    // The row before, and the least depth of a state entered since: the one around both leaves lies just above it.
    let (mut above, mut least): (&[DenseCell], usize) = (&[], MAX_DEPTH);
    for (id, state) in (0_u16..).zip(rom.states()) {
        let first = next;
        // Bound: each turn takes a list. Lists are sorted, so those of the state are next.
        while of == id {
            next = next.wrapping_add(1);
            of = lists.next().unwrap_or(NONE);
        }
        reach.enter(state.depth, first, next);
        least = least.min(reach.depth);
        let Some(row) = rom.leaf_rows().get(usize::from(state.row.get())) else { continue };
        if EXPLAIN {
            explain_row(&mut check, rom, row, &reach)?;
        } else if dense {
            let cells = rom.dense_cells_of(row);
            check.good &= reach.holds_dense(cells, above, reach.end_above(least));
            (above, least) = (cells, MAX_DEPTH);
        } else {
            check.good &= reach.holds_sorted(rom.sorted_cells_of(row));
        }
    }
    check.finish()
}

fn explain_row<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    row: &LeafRow,
    reach: &Reach,
) -> Result<(), LoadError> {
    let first = row.first_cell.get() as usize;
    let dense = rom.dense_cells_of(row).iter().map(|cell| cell.list.get());
    let sorted = rom.sorted_cells_of(row).iter().map(|cell| cell.list.get());
    for (place, list) in dense.chain(sorted).enumerate() {
        check.rule(reach.holds(&[list]), first.wrapping_add(place), || wrong_cell(rom, list, row.state.get()))?;
    }
    Ok(())
}

/// Columns of sorted rows exist and ascend.
///
/// All neighbors are compared, those of different rows too. If as many pairs descend as there are descending pairs at
/// the borders of rows, none is inside a row.
pub(super) fn columns<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::SortedCells);
    let (cells, limit) = (rom.sorted_cells(), u32::from(rom.header().columns.get()));
    // A reserved byte makes the number too large.
    let column = |cell: &SortedCell| u32::from(cell.column.get()) | u32::from(cell.reserved.get()) << 16;
    for (i, cell) in cells.iter().enumerate() {
        check.rule(column(cell) < limit, i, || unknown("column", cell.column))?;
    }
    let descends = |(one, two): (&SortedCell, &SortedCell)| u32::from(column(one) >= column(two));
    let total: u32 = cells.iter().zip(cells.get(1..).unwrap_or(&[])).map(descends).sum();
    let mut borders = 0_u32;
    for row in rom.leaf_rows().iter().filter(|row| row.cell_count.get() > 0) {
        let first = row.first_cell.get() as usize;
        let pair = first.checked_sub(1).and_then(|before| cells.get(before)).zip(cells.get(first));
        borders = borders.wrapping_add(pair.map_or(0, descends));
    }
    if EXPLAIN {
        return explain_columns(&mut check, rom);
    }
    check.whole(total == borders, || Problem::Rule("refused"))?;
    check.finish()
}

fn explain_columns<const EXPLAIN: bool>(check: &mut Check<EXPLAIN>, rom: &Rom<'_>) -> Result<(), LoadError> {
    for row in rom.leaf_rows() {
        let cells = rom.sorted_cells_of(row);
        for (place, pair) in cells.windows(2).enumerate() {
            let i = (row.first_cell.get() as usize).wrapping_add(place).wrapping_add(1);
            let ascends = matches!(pair, [one, two] if one.column.get() < two.column.get());
            check.rule(ascends, i, || Problem::Rule("the columns of the row do not ascend"))?;
        }
    }
    Ok(())
}

/// Why a leaf may not use a list.
fn wrong_cell(rom: &Rom<'_>, list: u32, leaf: u16) -> Problem {
    match rom.candidate_lists().get(list as usize) {
        None => range("list", list, rom.candidate_lists().len()),
        Some(record) => Problem::NotInside { what: "leaf", inner: leaf, outer: deepest(rom, record) },
    }
}
