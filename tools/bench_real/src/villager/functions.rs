//! The villager's blackboard and user code.

use statewright::Saved;
use statewright::prelude::*;

/// The blackboard.
#[derive(Clone, Debug, Default, PartialEq, Board, Saved)]
pub struct Villager {
    /// From 0 to 1.
    pub hunger: f32,
    /// From 0 to 1.
    pub fatigue: f32,
    /// Ticks at the log that is being split.
    #[board(skip)]
    pub strokes: u32,
    /// Logs split so far.
    #[board(skip)]
    pub logs: u32,
}

/// A log is split.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
pub struct Wood {
    /// How many there are now.
    pub logs: u32,
}

/// Go home.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = NAVIGATION)]
pub struct Home {
    /// Tired people are slow.
    pub fatigue: f32,
}

/// Say something.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = AUDIO)]
pub struct Say {
    /// What.
    pub line: Symbol,
}

/// Ticks for one log.
const LOG_TICKS: u32 = 25;

/// What needs no view of the machine.
impl Villager {
    /// One stroke.
    #[inline]
    pub fn chop(&mut self) -> (Status, Option<Wood>) {
        self.strokes += 1;
        if self.strokes < LOG_TICKS {
            return (Status::Running, None);
        }
        self.strokes = 0;
        self.logs += 1;
        (Status::Succeeded, Some(Wood { logs: self.logs }))
    }
}

#[functions]
impl Villager {
    /// The more wood there is, the less there is to do.
    #[scorer]
    #[inline]
    pub fn duty(&self) -> f32 {
        0.45 - 0.01 * (self.logs % 16) as f32
    }

    /// Splits logs.
    #[activity]
    pub fn work(&mut self, mode: Mode, cx: &mut ActionCx) -> Status {
        if mode == Mode::Cancel {
            self.strokes = 0;
            return Status::Running;
        }
        let (status, wood) = self.chop();
        if let Some(wood) = wood {
            cx.emit(wood);
        }
        status
    }

    /// Goes home.
    #[action]
    pub fn go_home(&self, cx: &mut ActionCx) {
        cx.emit(Home {
            fatigue: self.fatigue,
        });
    }

    /// Says something.
    #[action]
    pub fn say(&self, line: Symbol, cx: &mut ActionCx) {
        cx.emit(Say { line });
    }
}
