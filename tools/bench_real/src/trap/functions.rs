//! The trap's blackboard and its one function.

use statewright::Saved;
use statewright::prelude::*;

/// The blackboard.
#[derive(Clone, Debug, Default, PartialEq, Board, Saved)]
pub struct Trap {
    /// What one strike does; rust makes it worse.
    pub damage: i32,
    /// How often it struck.
    #[board(skip)]
    pub strikes: u32,
}

/// Hurt whoever stands there.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
pub struct Hit {
    /// How much.
    pub damage: i32,
}

impl Trap {
    /// Out with the spikes.
    #[inline]
    pub fn stab(&mut self, damage: i32) -> Hit {
        self.strikes += 1;
        Hit { damage }
    }
}

#[functions]
impl Trap {
    /// Out with the spikes.
    #[action]
    pub fn strike(&mut self, damage: i32, cx: &mut ActionCx) {
        let hit = self.stab(damage);
        cx.emit(hit);
    }
}
