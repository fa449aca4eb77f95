//! The blackboard of one agent: 16 bytes, the same for every contender.

use std::ops::Sub;

/// What callbacks write and the guard reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Board {
    /// Raised by every exit.
    pub exits: u32,
    /// Raised by every effect and every run of the activity.
    pub effects: u32,
    /// Raised by every entry.
    pub entries: u32,
    /// What the guard `Ready` looks at; not 0.
    pub ready: u32,
}

impl Default for Board {
    fn default() -> Self {
        Self {
            exits: 0,
            effects: 0,
            entries: 0,
            ready: 1,
        }
    }
}

/// Sums over all agents: equal totals mean equal work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Of [`Board::exits`].
    pub exits: u64,
    /// Of [`Board::effects`].
    pub effects: u64,
    /// Of [`Board::entries`].
    pub entries: u64,
    /// Events that were taken.
    pub events: u64,
}

impl Totals {
    /// Adds up boards.
    pub fn of<'b>(boards: impl Iterator<Item = &'b Board>, events: u64) -> Self {
        boards.fold(
            Self {
                events,
                ..Self::default()
            },
            |sum, board| Self {
                exits: sum.exits + u64::from(board.exits),
                effects: sum.effects + u64::from(board.effects),
                entries: sum.entries + u64::from(board.entries),
                events: sum.events,
            },
        )
    }
}

impl Sub for Totals {
    type Output = Self;

    /// What happened since an earlier look.
    fn sub(self, earlier: Self) -> Self {
        Self {
            exits: self.exits - earlier.exits,
            effects: self.effects - earlier.effects,
            entries: self.entries - earlier.entries,
            events: self.events - earlier.events,
        }
    }
}
