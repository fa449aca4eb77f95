//! How large a machine gets.

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
    pub const MEDIUM: Self =
        Self { states: 25, depth: 5, regions: 4, transitions: 4, actions: 3, expression: 3, declarations: 6, rare: 25, ..Self::SMALL };
    /// More than fits a screen.
    pub const LARGE: Self = Self { states: 120, depth: 8, transitions: 5, declarations: 10, rare: 15, ..Self::MEDIUM };

    /// Small, medium or large, by the seed: mostly small.
    pub fn of_seed(seed: u64) -> Self {
        match seed % 16 {
            0..10 => Self::SMALL,
            10..15 => Self::MEDIUM,
            _ => Self::LARGE,
        }
    }
}
