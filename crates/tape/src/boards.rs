//! The digest of all blackboards, from tick to tick: only those of agents that had a turn or an input are
//! looked at again.

use statewright::{Board, Context, Crowd, Saved};

/// Digests of blackboards by index, and their sum.
#[derive(Debug, Default)]
pub(crate) struct BoardDigests {
    boards: Vec<u64>,
    sum: u64,
    /// Whether they are those of the crowd before its last tick.
    is_known: bool,
    /// A blackboard, saved; kept for its memory.
    saved: Vec<u8>,
}

impl BoardDigests {
    /// The crowd has become another one.
    pub(crate) fn forget(&mut self) {
        self.is_known = false;
    }

    /// [`Crowd::boards_digest`], after a tick.
    pub(crate) fn after_tick<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
    ) -> u64 {
        let slots = crowd.slot_boards().len();
        match crowd.looked_at() {
            Some(indices) if self.is_known => {
                self.boards.resize(slots, 0);
                for &index in indices {
                    self.look(crowd, index);
                }
            }
            _ => {
                self.boards.clear();
                self.boards.resize(slots, 0);
                self.sum = 0;
                (0..slots as u32).for_each(|index| self.look(crowd, index));
                self.is_known = crowd.keeps_digest();
            }
        }
        debug_assert_eq!(self.sum, crowd.boards_digest(), "nobody was forgotten");
        self.sum
    }

    fn look<B: Board + Saved, C: Context + ?Sized>(&mut self, crowd: &Crowd<B, C>, index: u32) {
        if let Some(known) = self.boards.get_mut(index as usize) {
            let new = crowd.board_digest_at(index, &mut self.saved);
            self.sum = self.sum.wrapping_sub(*known).wrapping_add(new);
            *known = new;
        }
    }
}
