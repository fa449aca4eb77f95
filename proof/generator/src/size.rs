//! How large a machine gets.

use crate::rng::Rng;

/// Knobs of the generator. Every number is a most, not a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// States, the root not counted.
    pub states: u32,
    /// Levels of states below the root.
    pub depth: u32,
    /// Regions of an orthogonal state.
    pub regions: u32,
    /// Transitions written in one state.
    pub transitions: u32,
    /// Actions of one list.
    pub actions: u32,
    /// Nesting of an expression.
    pub expression: u32,
    /// Events, keys, parameters and other declarations of each sort.
    pub declarations: u32,
    /// Leaves of the instance (RAM-2).
    pub leaves: u32,
    /// Timers of the instance (RAM-2).
    pub timers: u32,
    /// Slots of the instance (RAM-2).
    pub slots: u32,
    /// How often, in percent, a rare feature is used where it could be.
    pub rare: u32,
}

impl Size {
    /// A handful of states: small enough for a brute-force check, and to read.
    pub const SMALL: Self = Self {
        states: 8,
        depth: 3,
        regions: 3,
        transitions: 2,
        actions: 1,
        expression: 2,
        declarations: 3,
        leaves: 8,
        timers: 8,
        slots: 24,
        rare: 35,
    };
    /// What a designer would write.
    pub const MEDIUM: Self = Self {
        states: 25,
        depth: 5,
        regions: 4,
        transitions: 4,
        actions: 3,
        expression: 3,
        declarations: 6,
        rare: 25,
        ..Self::SMALL
    };
    /// More than fits a screen.
    pub const LARGE: Self = Self {
        states: 120,
        depth: 8,
        transitions: 5,
        declarations: 10,
        rare: 15,
        ..Self::MEDIUM
    };

    /// So many states and events that dispatch rows are stored sorted.
    pub const HUGE: Self = Self {
        states: 3000,
        depth: 6,
        transitions: 2,
        declarations: 250,
        rare: 5,
        ..Self::MEDIUM
    };

    /// Small, medium, large or anything, by the seed: mostly small.
    pub fn of_seed(seed: u64) -> Self {
        match seed % 16 {
            0..9 => Self::SMALL,
            9..13 => Self::MEDIUM,
            13 | 14 => Self::random(&mut Rng::new(!seed)),
            _ => Self::LARGE,
        }
    }

    /// Any knobs within the limits of a machine.
    pub fn random(rng: &mut Rng) -> Self {
        // Root included, a machine may be 16 states deep.
        let depth = rng.between(1, 15);
        Self {
            states: rng.between(1, 60),
            depth,
            regions: rng.between(2, 8),
            transitions: rng.between(0, 8),
            actions: rng.between(1, 4),
            expression: rng.between(0, 5),
            declarations: rng.between(0, 12),
            // A transition may exit and enter 159 states at most (EXEC-9).
            leaves: (MOST_ACTIVE / depth).clamp(2, 8),
            timers: rng.between(0, 8),
            slots: rng.between(2, 24),
            rare: rng.between(0, 100),
        }
    }
}

/// Most states that are exited or entered at once.
const MOST_ACTIVE: u32 = 79;
