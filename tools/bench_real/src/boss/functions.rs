//! The boss's blackboard and user code.

use statewright::prelude::*;
use statewright::{Entity, Saved};

/// The blackboard.
#[derive(Clone, Debug, Default, PartialEq, Board, Saved)]
pub struct Colossus {
    /// What is left of the core.
    pub core: i32,
    /// What is left of the left arm.
    pub left: i32,
    /// What is left of the right arm.
    pub right: i32,
    /// From 0 on.
    pub anger: f32,
    /// Whom it fights.
    pub victim: Entity,
    /// Beams in a row.
    pub beams: i32,
    /// Calm, or rage.
    pub phase: Symbol,
    /// Ticks of what each arm does.
    #[board(skip)]
    pub arms: [u32; 2],
    /// Ticks of a beam.
    #[board(skip)]
    pub ray: u32,
    /// Ticks of a roar.
    #[board(skip)]
    pub roar: u32,
}

/// It has seen somebody.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = AUDIO)]
pub struct Gnash {
    /// Whom.
    pub at: Entity,
}

/// An arm comes down.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
pub struct Strike {
    /// How hard.
    pub strength: f32,
}

/// A beam burns.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
pub struct Ray {
    /// Whom.
    pub at: Entity,
}

/// Helpers come.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
pub struct Adds {
    /// How many.
    pub count: i32,
}

/// One more tick of work that takes so many; what it was before.
#[inline]
fn work(ticks: &mut u32, all: u32) -> (u32, Status) {
    let before = *ticks;
    *ticks += 1;
    if *ticks < all {
        return (before, Status::Running);
    }
    *ticks = 0;
    (before, Status::Succeeded)
}

/// What needs no view of the machine.
impl Colossus {
    /// Turns to its victim, with healed arms.
    #[inline]
    pub fn turn(&mut self) -> Gnash {
        (self.left, self.right) = (200, 200);
        Gnash { at: self.victim }
    }

    /// One tick of a swing of an arm.
    #[inline]
    pub fn swing_arm(&mut self, arm: usize, strength: f32) -> (Status, Option<Strike>) {
        let (ticks, status) = work(&mut self.arms[arm], 40);
        (status, (ticks == 10).then_some(Strike { strength }))
    }

    /// One tick of a beam.
    #[inline]
    pub fn burn(&mut self) -> (Status, Option<Ray>) {
        let (ticks, status) = work(&mut self.ray, 50);
        let burns = ticks.is_multiple_of(10);
        (status, burns.then_some(Ray { at: self.victim }))
    }
}

/// The arm that swings with this strength.
fn arm_of(strength: f32) -> usize {
    usize::from(strength < 2.0)
}

#[functions]
impl Colossus {
    /// Turns to its victim.
    #[action]
    pub fn pick_victim(&mut self, cx: &mut ActionCx) {
        let gnash = self.turn();
        cx.emit(gnash);
    }

    /// Swings an arm.
    #[activity]
    pub fn swing(&mut self, strength: f32, mode: Mode, cx: &mut ActionCx) -> Status {
        if mode == Mode::Cancel {
            self.arms[arm_of(strength)] = 0;
            return Status::Running;
        }
        let (status, strike) = self.swing_arm(arm_of(strength), strength);
        if let Some(strike) = strike {
            cx.emit(strike);
        }
        status
    }

    /// Sweeps with the left arm.
    #[activity]
    #[inline]
    pub fn sweep(&mut self, mode: Mode) -> Status {
        if mode == Mode::Cancel {
            self.arms[0] = 0;
            return Status::Running;
        }
        work(&mut self.arms[0], 30).1
    }

    /// Looks around, which calms.
    #[activity]
    #[inline]
    pub fn gaze(&mut self, mode: Mode) -> Status {
        if mode == Mode::Run {
            self.anger = (self.anger - 0.001).max(0.0);
        }
        Status::Running
    }

    /// Burns.
    #[activity]
    pub fn beam(&mut self, mode: Mode, cx: &mut ActionCx) -> Status {
        if mode == Mode::Cancel {
            self.ray = 0;
            return Status::Running;
        }
        let (status, ray) = self.burn();
        if let Some(ray) = ray {
            cx.emit(ray);
        }
        status
    }

    /// Roars, which calms a lot.
    #[activity]
    #[inline]
    pub fn roar(&mut self, mode: Mode) -> Status {
        if mode == Mode::Cancel {
            self.roar = 0;
            return Status::Running;
        }
        self.anger = (self.anger - 0.01).max(0.0);
        work(&mut self.roar, 90).1
    }

    /// How much the left arm would do.
    #[scorer]
    #[inline]
    pub fn threat_of_left(&self) -> f32 {
        0.3 + 0.1 * (self.victim.0 % 5) as f32
    }

    /// Calls helpers.
    #[action]
    pub fn spawn_adds(&self, count: i32, cx: &mut ActionCx) {
        cx.emit(Adds { count });
    }

    /// Whether its victim is in sight.
    #[guard]
    #[inline]
    pub fn can_see(&self) -> bool {
        !self.victim.0.is_multiple_of(3)
    }
}
