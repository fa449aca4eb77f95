//! What functions in Rust write to the blackboard: traces record it (SYS-3), and strict mode takes it
//! back at once and does it at the end of the tick (CODE-5).

use std::fmt;

use super::Board;

/// What one call of user code wrote. Kept from call to call for its memory.
#[derive(Debug, Default)]
pub struct Staging {
    /// The blackboard before the call, as words.
    pub(crate) before: Vec<u32>,
    /// Fields and their new words.
    pub(crate) writes: Vec<(usize, [u32; 3])>,
}

impl Staging {
    /// Memory of the blackboard before the call, as words, and the fields that were written with
    /// their new words: both without anything.
    pub fn begin(&mut self) -> (&mut Vec<u32>, &mut Vec<(usize, [u32; 3])>) {
        self.before.clear();
        self.writes.clear();
        (&mut self.before, &mut self.writes)
    }
}

/// What becomes of writes that were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writes {
    /// They stay.
    Stay,
    /// They are taken back.
    TakenBack,
}

/// A blackboard that is looked at before and after a call. It gets its fields back if they are to be
/// taken back, also if user code panics.
struct Watched<'b, B: Board> {
    board: &'b mut B,
    before: &'b [u32],
    writes: Writes,
}

impl<B: Board> Watched<'_, B> {
    /// Fields with other words than before, and the words that they had.
    fn changed(&self) -> impl Iterator<Item = (usize, [u32; 3], [u32; 3])> {
        let (before, _) = self.before.as_chunks::<3>();
        let fields = before.iter().enumerate();
        let fields = fields.map(|(field, &old)| (field, self.board.read(field), old));
        fields.filter(|(_, new, old)| new != old)
    }
}

impl<B: Board> Drop for Watched<'_, B> {
    fn drop(&mut self) {
        if self.writes == Writes::Stay {
            return;
        }
        let (before, _) = self.before.as_chunks::<3>();
        for (field, &old) in before.iter().enumerate() {
            if self.board.read(field) != old {
                self.board.write(field, old);
            }
        }
    }
}

/// Finds what user code wrote by comparing fields.
pub(super) fn by_comparison<B: Board, R>(
    board: &mut B,
    staging: &mut Staging,
    writes: Writes,
    change: impl FnOnce(&mut B) -> R,
) -> R {
    let (before, written) = staging.begin();
    (0..B::FIELDS.len()).for_each(|field| before.extend(board.read(field)));
    let watched = Watched {
        board,
        before,
        writes,
    };
    let result = change(&mut *watched.board);
    written.extend(watched.changed().map(|(field, new, _)| (field, new)));
    result
}

/// Strict mode is not possible: functions in Rust could write fields that it cannot hold back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotStrict {
    /// Their names; `None` if the type does not say ([`Board::HIDDEN`]).
    pub hidden: Option<&'static [&'static str]>,
}

impl fmt::Display for NotStrict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hidden {
            Some(hidden) => {
                let names: Vec<String> = hidden.iter().map(|name| format!("`{name}`")).collect();
                write!(
                    f,
                    "strict mode cannot hold back what functions in Rust write to {}: machine files have no type for it; write `#[board(skip)]` before what is no part of the blackboard",
                    names.join(", ")
                )
            }
            None => f.write_str(
                "strict mode cannot hold back what functions in Rust write to this blackboard: say what is in no field by `Board::HIDDEN`, or write `#[derive(Board)]`",
            ),
        }
    }
}

impl std::error::Error for NotStrict {}
