//! Dispatch: rows of leaf states, their cells, candidate lists (SEL-2, EVT-5).
//!
//! Proven is that whatever a cell names belongs to the leaf or to a state around it, so that only transitions of
//! active states can be taken, and that deferral and `any` only meet events. Doing that per cell and candidate would
//! take the product of both. Instead: the sources of one list lie on one way up, the deepest of them is found at a
//! fixed place of the list, and a row that shares a list with the row before it needs one comparison.

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

/// What matters of a candidate.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// The state it belongs to, and one past its last descendant.
    source: u16,
    end: u16,
    /// What it reacts to: [`EVENTS`], or the column of a timer or of the eventless.
    group: u16,
    interrupt: bool,
    valid: bool,
}

/// The group of everything that reacts to events, `any` and deferral included.
const EVENTS: u16 = u16::MAX;

/// Looks a candidate up. One that does not exist is not valid.
#[inline(always)]
fn look(rom: &Rom<'_>, candidate: &Candidate) -> Seen {
    let index = candidate.index.get();
    let (source, group, interrupt) = if candidate.kind == candidate_kind::TRANSITION {
        let Some(transition) = rom.transitions().get(usize::from(index)) else { return Seen::default() };
        let interrupt = transition.flags.get() & transition_flag::INTERRUPT != 0;
        (transition.source.get(), group(rom, transition.trigger.get()), interrupt)
    } else {
        (index, EVENTS, false)
    };
    let Some(state) = rom.states().get(usize::from(source)) else { return Seen::default() };
    let defers = (candidate.kind == candidate_kind::DEFERRAL) & (state.flags.get() & state_flag::DEFERS != 0);
    let valid = (candidate.reserved == 0) & (defers | (candidate.kind == candidate_kind::TRANSITION));
    Seen { source, end: state.subtree_end.get(), group, interrupt, valid }
}

#[inline(always)]
fn group(rom: &Rom<'_>, trigger: u16) -> u16 {
    let eventless = rom.header().columns.get().wrapping_sub(1);
    let events = (usize::from(trigger) < rom.events().len()) | (trigger == trigger::ANY);
    let special = if trigger > trigger::ANY { eventless } else { trigger };
    if events { EVENTS } else { special }
}

impl Seen {
    /// Does this state lie in the source of the candidate?
    #[inline(always)]
    fn is_around(self, state: u16) -> bool {
        (self.source <= state) & (state < self.end)
    }

    /// May `next` follow in the same list? Interrupts go from root to leaf, then others from leaf to root, all on one
    /// way up and all for the same kind of trigger.
    #[inline(always)]
    fn may_precede(self, next: Self) -> bool {
        let down = self.is_around(next.source);
        let up = next.is_around(self.source);
        let way = if next.interrupt { self.interrupt & down } else { up | (self.interrupt & down) };
        way & (self.group == next.group)
    }
}

/// Lists lie back to back; the marks for interrupts stand where the interrupts end.
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
        let (last_interrupt, first_other) = ends(rom, list);
        let right = (last_interrupt.interrupt | (list.interrupts.get() == 0))
            & (!first_other.interrupt | (list.others.get() == 0));
        check.rule(right, i, || Problem::Rule("the count of interrupts is not that of the candidates"))?;
    }
    let total = rom.candidates().len();
    check.whole(runs.is_all(total), || expected("sum of candidates", total as u64, runs.next))?;
    check.finish()
}

/// The last interrupt and the first other of a list: the deepest of each. The same one twice if the other is missing.
#[inline(always)]
fn ends(rom: &Rom<'_>, list: &CandidateList) -> (Seen, Seen) {
    let (first, interrupts) = (list.first.get(), u32::from(list.interrupts.get()));
    let middle = first.wrapping_add(interrupts);
    let one = if interrupts == 0 { first } else { middle.wrapping_sub(1) };
    let two = if list.others.get() == 0 { one } else { middle };
    let seen = |at: u32| rom.candidates().get(at as usize).map_or(Seen::default(), |candidate| look(rom, candidate));
    let last = seen(one);
    (last, if one == two { last } else { seen(two) })
}

/// Candidates of one list may follow each other.
///
/// All neighbors are compared, those of different lists too. If as many pairs are wrong as there are wrong pairs at
/// the borders of lists, none is inside a list. So no loop has to start anew for each short list.
pub(super) fn candidates<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::Candidates);
    if EXPLAIN {
        return explain_candidates(&mut check, rom);
    }
    let mut wrong = 0_u64;
    let mut valid = true;
    let mut last = Seen::default();
    for candidate in rom.candidates() {
        let seen = look(rom, candidate);
        valid &= seen.valid;
        wrong = wrong.wrapping_add(u64::from(!last.may_precede(seen)));
        last = seen;
    }
    check.whole(valid && wrong == wrong_borders(rom), || Problem::Rule("refused"))?;
    check.finish()
}

/// Wrong pairs at the borders of lists; the first candidate counts as one with what [`candidates`] starts with.
fn wrong_borders(rom: &Rom<'_>) -> u64 {
    let candidates = rom.candidates();
    let mut wrong = 0_u64;
    for list in rom.candidate_lists() {
        let first = list.first.get() as usize;
        let seen = |at: usize| candidates.get(at).map_or(Seen::default(), |candidate| look(rom, candidate));
        wrong = wrong.wrapping_add(u64::from(!seen(first.wrapping_sub(1)).may_precede(seen(first))));
    }
    wrong
}

/// The slow form of [`candidates`], list by list.
fn explain_candidates<const EXPLAIN: bool>(check: &mut Check<EXPLAIN>, rom: &Rom<'_>) -> Result<(), LoadError> {
    for list in rom.candidate_lists() {
        let first = list.first.get() as usize;
        let count = usize::from(list.interrupts.get()).wrapping_add(usize::from(list.others.get()));
        let mut last: Option<Seen> = None;
        for (place, candidate) in crate::view::run(rom.candidates(), first, count).iter().enumerate() {
            let i = first.wrapping_add(place);
            let seen = look(rom, candidate);
            check.rule(seen.valid, i, || wrong_candidate(rom, candidate))?;
            check.rule(last.is_none_or(|last| last.may_precede(seen)), i, || {
                Problem::Rule("the candidate does not fit the one before it in its list")
            })?;
            last = Some(seen);
        }
    }
    Ok(())
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

/// The deepest source of a list if a leaf may use the list in a column.
#[inline(always)]
fn deepest(rom: &Rom<'_>, list: u32, leaf: u16, column: usize) -> Option<u16> {
    let list = rom.candidate_lists().get(list as usize)?;
    let (last_interrupt, first_other) = ends(rom, list);
    let fits = if column < rom.events().len() {
        first_other.group == EVENTS
    } else {
        usize::from(first_other.group) == column
    };
    let around = last_interrupt.is_around(leaf) & first_other.is_around(leaf);
    if fits & around { Some(last_interrupt.source.max(first_other.source)) } else { None }
}

/// Why a leaf may not use a list in a column.
fn wrong_cell(rom: &Rom<'_>, list: u32, leaf: u16) -> Problem {
    let Some(record) = rom.candidate_lists().get(list as usize) else {
        return range("list", list, rom.candidate_lists().len());
    };
    let (last_interrupt, first_other) = ends(rom, record);
    let outer = if last_interrupt.is_around(leaf) { first_other } else { last_interrupt };
    if outer.is_around(leaf) {
        Problem::Rule("the list is for another kind of column")
    } else {
        Problem::NotInside { what: "leaf", inner: leaf, outer: outer.source }
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

/// Every dense cell names a list that its leaf may use in its column.
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
        let shared = common(rom, before, leaf);
        let cells = crate::view::run(rom.dense_cells(), first, width);
        dense_row(check, rom, cells, &mut notes, &Row { leaf, shared, column: start, first })?;
        before = leaf;
    }
    Ok(())
}

/// The row at hand.
struct Row {
    leaf: u16,
    /// The innermost state around this leaf and that of the row before.
    shared: u32,
    /// First column and first cell of the block.
    column: usize,
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
        let at = number.wrapping_mul(STRIDE);
        let Ok(whole) = <&[DenseCell; STRIDE]>::try_from(cells) else {
            renew(check, rom, cells, lists, deepest, row, at)?;
            continue;
        };
        let (mut changed, mut wrong) = (0, false);
        for ((cell, list), deepest) in whole.iter().zip(&*lists).zip(&*deepest) {
            let difference = cell.list.get() ^ *list;
            changed |= difference;
            // The same list as above: its deepest source is around that leaf, and around this one if it is around both.
            wrong |= (difference == 0) & (*deepest > row.shared);
        }
        if (changed != 0) | wrong {
            renew(check, rom, cells, lists, deepest, row, at)?;
        }
    }
    Ok(())
}

/// Looks at cells one by one and notes what they hold.
fn renew<const EXPLAIN: bool>(
    check: &mut Check<EXPLAIN>,
    rom: &Rom<'_>,
    cells: &[DenseCell],
    lists: &mut [u32],
    deepest_sources: &mut [u32],
    row: &Row,
    at: usize,
) -> Result<(), LoadError> {
    for (place, ((cell, list), source)) in cells.iter().zip(lists).zip(deepest_sources).enumerate() {
        let found = cell.list.get();
        if (found == *list) & (*source <= row.shared) {
            continue;
        }
        *list = found;
        *source = 0;
        if found != NO_LIST {
            let column = row.column.wrapping_add(at).wrapping_add(place);
            let deepest = deepest(rom, found, row.leaf, column);
            let cell = row.first.wrapping_add(at).wrapping_add(place);
            check.rule(deepest.is_some(), cell, || wrong_cell(rom, found, row.leaf))?;
            *source = u32::from(deepest.unwrap_or(0));
        }
    }
    Ok(())
}

/// Every sorted cell names a list that its leaf may use in its column; columns ascend.
pub(super) fn sorted_cells<const EXPLAIN: bool>(rom: &Rom<'_>) -> Result<(), LoadError> {
    let mut check = Check::<EXPLAIN>::new(Section::SortedCells);
    let columns = rom.columns();
    for row in rom.leaf_rows() {
        let (first, leaf) = (row.first_cell.get() as usize, row.state.get());
        let mut least = 0_usize;
        for (place, cell) in rom.sorted_cells_of(row).iter().enumerate() {
            let (i, column, list) = (first.wrapping_add(place), usize::from(cell.column.get()), cell.list.get());
            check.rule((column >= least) & (column < columns), i, || unknown("column", cell.column))?;
            check.rule(cell.reserved.get() == 0, i, || Problem::Reserved)?;
            check.rule(deepest(rom, list, leaf, column).is_some(), i, || wrong_cell(rom, list, leaf))?;
            least = column.wrapping_add(1);
        }
    }
    check.finish()
}
