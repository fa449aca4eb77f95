//! The soldier's blackboard and user code: as cheap as user code can be, so that the machine is what
//! is measured. What needs no view of the machine is called by the soldier written by hand, too.

use statewright::prelude::*;
use statewright::{Entity, Saved};

/// The blackboard.
#[derive(Clone, Debug, Default, PartialEq, Board, Saved)]
pub struct Soldier {
    /// Below a limit he runs.
    pub health: i32,
    /// Rounds in the magazine.
    pub ammo: i32,
    /// Whom he fights.
    pub target: Entity,
    /// Where he heard something.
    pub last_noise: [f32; 3],
    /// Whether he is under fire.
    pub suppressed: bool,
    /// Which waypoint he walks to.
    #[board(skip)]
    pub waypoint: u32,
    /// How far he has walked.
    #[board(skip)]
    pub walked: f32,
    /// Ticks of what his feet do.
    #[board(skip)]
    pub steps: u32,
    /// Ticks of what his hands do.
    #[board(skip)]
    pub moves: u32,
    /// How much fire he is under.
    #[board(skip)]
    pub pressure: i32,
    /// How often he ran.
    #[board(skip)]
    pub flights: u32,
}

/// Go to a waypoint.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = NAVIGATION)]
pub struct Walk {
    /// Which one.
    pub to: u32,
}

/// Say something.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = AUDIO)]
pub struct Say {
    /// What.
    pub line: Symbol,
}

/// Shoot at somebody.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
pub struct Shot {
    /// At whom.
    pub at: Entity,
    /// The how manyth round of a burst.
    pub round: u32,
}

/// With this probability he stays although he is hurt.
pub const BRAVERY: f32 = 0.9;

/// One more tick of work that takes so many.
#[inline]
fn work(ticks: &mut u32, all: u32) -> Status {
    *ticks += 1;
    if *ticks < all {
        return Status::Running;
    }
    *ticks = 0;
    Status::Succeeded
}

/// What needs no view of the machine.
impl Soldier {
    /// Turns to the next waypoint.
    #[inline]
    pub fn next_waypoint(&mut self) -> Walk {
        self.waypoint = (self.waypoint + 1) % 8;
        Walk { to: self.waypoint }
    }

    /// One tick of a burst of so many rounds, six ticks each.
    #[inline]
    pub fn pull_trigger(&mut self, rounds: i32) -> (Status, Option<Shot>) {
        let shot = self.moves.is_multiple_of(6).then_some(Shot {
            at: self.target,
            round: self.moves / 6,
        });
        // Fire draws fire.
        self.pressure += 1;
        self.suppressed = self.pressure > 60;
        (work(&mut self.moves, rounds.unsigned_abs() * 6), shot)
    }

    /// Whether he sees his target, which turns up every eighth tick.
    #[inline]
    pub fn sees(&self, tick: u32) -> bool {
        (tick + self.waypoint).is_multiple_of(8)
    }
}

#[functions]
impl Soldier {
    /// Begins a patrol.
    #[action]
    pub fn start_patrol(&mut self, cx: &mut ActionCx) {
        let walk = self.next_waypoint();
        cx.emit(walk);
    }

    /// Walks on.
    #[activity]
    #[inline]
    pub fn patrol_activity(&mut self, mode: Mode) -> Status {
        if mode == Mode::Run {
            self.walked += 0.05;
        }
        Status::Running
    }

    /// Looks around for a second and a half; noises behind the wall cannot be reached.
    #[activity]
    #[inline]
    pub fn investigate_activity(&mut self, mode: Mode) -> Status {
        if mode == Mode::Cancel {
            self.steps = 0;
            return Status::Running;
        }
        if self.last_noise[0] < 0.0 {
            return Status::Failed;
        }
        work(&mut self.steps, 90)
    }

    /// Runs at the enemy, who shoots now and then; after five seconds the way is blocked.
    #[activity]
    #[inline]
    pub fn move_to_target(&mut self, mode: Mode) -> Status {
        if mode == Mode::Cancel {
            self.steps = 0;
            return Status::Running;
        }
        self.walked += 0.1;
        if self.steps % 32 == 31 {
            self.pressure += 40;
            self.suppressed = true;
        }
        match work(&mut self.steps, 300) {
            Status::Succeeded => Status::Failed,
            status => status,
        }
    }

    /// Waits until it is quiet.
    #[activity]
    #[inline]
    pub fn take_cover(&mut self, mode: Mode) -> Status {
        if mode == Mode::Run {
            self.pressure = (self.pressure - 1).max(0);
            self.suppressed = self.pressure > 0;
        }
        Status::Running
    }

    /// Runs for two seconds; every other time into a corner.
    #[activity]
    #[inline]
    pub fn flee_activity(&mut self, mode: Mode) -> Status {
        if mode == Mode::Cancel {
            self.steps = 0;
            return Status::Running;
        }
        self.walked += 0.2;
        if work(&mut self.steps, 120) == Status::Running {
            return Status::Running;
        }
        self.health = (self.health + 60).min(100);
        self.flights += 1;
        if self.flights % 2 == 1 {
            Status::Succeeded
        } else {
            Status::Failed
        }
    }

    /// Reloads.
    #[activity]
    #[inline]
    pub fn reload_activity(&mut self, mode: Mode) -> Status {
        if mode == Mode::Cancel {
            self.moves = 0;
            return Status::Running;
        }
        work(&mut self.moves, 45)
    }

    /// Fires a burst.
    #[activity]
    pub fn fire_burst(&mut self, rounds: i32, mode: Mode, cx: &mut ActionCx) -> Status {
        if mode == Mode::Cancel {
            self.moves = 0;
            return Status::Running;
        }
        let (status, shot) = self.pull_trigger(rounds);
        if let Some(shot) = shot {
            cx.emit(shot);
        }
        status
    }

    /// Says something.
    #[action]
    pub fn shout(&self, line: Symbol, cx: &mut ActionCx) {
        cx.emit(Say { line });
    }

    /// Whether he sees his target.
    #[guard]
    pub fn has_line_of_sight(&self, cx: &GuardCx) -> bool {
        self.sees(cx.tick())
    }

    /// Whether he stays.
    #[guard(rng)]
    pub fn brave_enough(&self, cx: &mut GuardCx<'_, '_, '_>) -> bool {
        cx.rng().is_some_and(|mut rng| rng.chance(BRAVERY))
    }
}
