//! What functions answer that the machine names and nobody provides.

use std::cell::Cell;

use statewright_kernel::{Status, Verdict};
use statewright_rom::ids::FunctionId;

/// What a guard answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// Yes: the machine moves, so this is what is shown first.
    #[default]
    True,
    /// No.
    False,
    /// Either, by a coin whose falls depend on the seed alone.
    Random,
}

impl Answer {
    /// From its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "true" => Some(Self::True),
            "false" => Some(Self::False),
            "random" => Some(Self::Random),
            _ => None,
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Random => "random",
        }
    }
}

/// The answers of all functions.
#[derive(Clone, Debug)]
pub struct Stubs {
    /// What guards answer that were not told what to.
    pub guards: Answer,
    told: Vec<Option<(Answer, u16)>>,
    activities: Vec<Status>,
    scores: Vec<f32>,
    values: Vec<[u32; 3]>,
    coin: Cell<u64>,
}

impl Stubs {
    pub(crate) fn new(functions: usize, guards: Answer, seed: u64) -> Self {
        Self {
            guards,
            told: vec![None; functions],
            activities: vec![Status::Running; functions],
            scores: vec![0.0; functions],
            values: vec![[0; 3]; functions],
            coin: Cell::new(seed),
        }
    }

    /// Tells a guard what to answer, with the code of its no.
    pub(crate) fn tell_guard(&mut self, function: FunctionId, answer: Answer, code: u16) {
        if let Some(told) = self.told.get_mut(function.index()) {
            *told = Some((answer, code));
        }
    }

    pub(crate) fn tell_activity(&mut self, function: FunctionId, status: Status) {
        if let Some(told) = self.activities.get_mut(function.index()) {
            *told = status;
        }
    }

    pub(crate) fn tell_scorer(&mut self, function: FunctionId, score: f32) {
        if let Some(told) = self.scores.get_mut(function.index()) {
            *told = score;
        }
    }

    /// Tells a value function what to give (LANG-11).
    pub(crate) fn tell_value(&mut self, function: FunctionId, words: [u32; 3]) {
        if let Some(told) = self.values.get_mut(function.index()) {
            *told = words;
        }
    }

    /// What a guard answers.
    pub fn guard(&self, function: FunctionId) -> (Answer, u16) {
        self.told
            .get(function.index())
            .copied()
            .flatten()
            .unwrap_or((self.guards, 0))
    }

    pub(crate) fn ask_guard(&self, function: FunctionId) -> Verdict {
        let (answer, code) = self.guard(function);
        let holds = match answer {
            Answer::True => true,
            Answer::False => false,
            Answer::Random => self.toss(),
        };
        Verdict {
            holds,
            code: if holds { 0 } else { code },
        }
    }

    /// What an activity says.
    pub fn activity(&self, function: FunctionId) -> Status {
        self.activities
            .get(function.index())
            .copied()
            .unwrap_or(Status::Running)
    }

    /// What a scorer says.
    pub fn score(&self, function: FunctionId) -> f32 {
        self.scores.get(function.index()).copied().unwrap_or(0.0)
    }

    /// What a value function gives.
    pub fn value(&self, function: FunctionId) -> [u32; 3] {
        self.values.get(function.index()).copied().unwrap_or([0; 3])
    }

    /// splitmix64: the same falls from the same seed, everywhere.
    fn toss(&self) -> bool {
        let next = self.coin.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.coin.set(next);
        mix(next) & 1 == 1
    }
}

/// Spreads the bits of a number (the finish of splitmix64).
pub fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}
