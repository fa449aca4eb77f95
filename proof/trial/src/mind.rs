//! What user code does: pseudo-random, the same for both engines as long as they call it in the same order.

use statewright_forge::Rng;
use statewright_kernel::Class;

use crate::log::{Called, Entry, Kind};

/// What there is to act on.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Event types.
    pub events: u32,
    /// Timers that actions may start.
    pub timers: Vec<usize>,
    /// Scratch: words of each.
    pub scratch: Vec<u8>,
    /// States with history points.
    pub remembering: Vec<usize>,
}

/// How user code behaves in one run.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// Guards hold so often, in percent.
    pub holds: u32,
    /// Actions do something to the agent so often.
    pub acts: u32,
    /// Activities end so often.
    pub ends: u32,
    /// The host drops a command so often.
    pub drops: u32,
}

impl Habits {
    /// The habits of a seed.
    pub fn of_seed(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x4AB1_75);
        Self {
            holds: rng.one(&[30, 60, 60, 90]),
            acts: rng.one(&[0, 10, 30]),
            ends: rng.one(&[5, 30]),
            drops: rng.one(&[0, 0, 10]),
        }
    }
}

/// One deed of an action.
#[derive(Clone, Copy, Debug)]
pub enum Deed {
    /// Posts an event.
    Post {
        /// The event.
        event: usize,
        /// Its class, if not the type's.
        class: Option<Class>,
        /// Its payload.
        payload: [u32; 4],
        /// As `raise` does.
        internal: bool,
    },
    /// Starts a timer.
    Start(usize, u32),
    /// Stops a timer.
    Stop(usize),
    /// Draws a random number.
    Draw,
    /// Writes scratch of its own state: number, word, value.
    Scratch(usize, u8, u16),
    /// Clears the history of a state.
    Forget(usize),
}

/// What a guard says.
#[derive(Clone, Copy, Debug)]
pub struct Opinion {
    /// Whether it holds.
    pub holds: bool,
    /// Its code.
    pub code: u16,
    /// Whether it draws a random number.
    pub draws: bool,
}

/// User code of one run.
#[derive(Clone, Debug)]
pub struct Mind {
    rng: Rng,
    habits: Habits,
    tools: Tools,
    /// The blackboard.
    pub keys: Vec<[u32; 3]>,
    /// What happened since the last look.
    pub log: Vec<Entry>,
    /// Calls in this tick: past a bound nothing is posted any more, so that logs stay readable.
    calls: u32,
}

const MOST_ACTIVE_CALLS: u32 = 200;

impl Mind {
    /// A mind with its own stream of chance.
    pub fn new(seed: u64, habits: Habits, tools: Tools, keys: Vec<[u32; 3]>) -> Self {
        Self { rng: Rng::new(seed), habits, tools, keys, log: Vec::new(), calls: 0 }
    }

    /// The log so far; the next tick begins.
    pub fn take_log(&mut self) -> Vec<Entry> {
        self.calls = 0;
        std::mem::take(&mut self.log)
    }

    fn note(&mut self, called: Called) {
        self.calls += 1;
        // Chance follows from the call, too: a difference shows at once.
        let mix = called.function.bytes().fold(called.state as u64, |mix, byte| mix.rotate_left(5) ^ u64::from(byte));
        self.rng = Rng::new(self.rng.next_u64() ^ mix);
        self.log.push(Entry::Called(called));
    }

    /// A guard is asked.
    pub fn guard(&mut self, called: Called) -> Opinion {
        self.note(called);
        let holds = self.rng.chance(self.habits.holds);
        Opinion { holds, code: self.rng.below(1000) as u16, draws: self.rng.chance(50) }
    }

    /// A scorer is asked: its score, and whether it draws a random number.
    pub fn score(&mut self, called: Called) -> (f32, bool) {
        self.note(called);
        let score = match self.rng.below(8) {
            0 => f32::NAN,
            1 => -1.0,
            2 => f32::INFINITY,
            step => step as f32 * 0.5,
        };
        (score, self.rng.chance(50))
    }

    /// An activity is called: 0 running, 1 succeeded, 2 failed.
    pub fn activity(&mut self) -> u8 {
        if self.rng.chance(self.habits.ends) { 1 + self.rng.below(2) as u8 } else { 0 }
    }

    /// Does the host drop this command?
    pub fn drops(&mut self) -> bool {
        self.rng.chance(self.habits.drops)
    }

    /// An action or activity is called: what it does.
    pub fn act(&mut self, called: Called) -> Vec<Deed> {
        let state = called.state;
        let canceled = called.kind == Kind::Cancel;
        self.note(called);
        let mut deeds = Vec::new();
        while deeds.len() < 3 && self.calls < MOST_ACTIVE_CALLS && self.rng.chance(self.habits.acts) {
            deeds.extend(self.deed(state, canceled));
        }
        deeds
    }

    fn deed(&mut self, state: usize, canceled: bool) -> Option<Deed> {
        let _ = canceled;
        match self.rng.weighted(&[40, 15, 10, 20, 10, 5]) {
            0 if self.tools.events > 0 => Some(self.post()),
            1 => {
                let timer = self.rng.pick(&self.tools.timers).copied()?;
                Some(Deed::Start(timer, self.rng.below(12)))
            }
            2 => self.rng.pick(&self.tools.timers).copied().map(Deed::Stop),
            3 => Some(Deed::Draw),
            4 => self.scratch(state),
            5 => self.rng.pick(&self.tools.remembering).copied().map(Deed::Forget),
            _ => None,
        }
    }

    fn post(&mut self) -> Deed {
        let classes =
            [None, None, None, Some(Class::Low), Some(Class::Normal), Some(Class::Interrupt), Some(Class::Critical)];
        Deed::Post {
            event: self.rng.below(self.tools.events) as usize,
            class: self.rng.one(&classes),
            payload: [self.rng.below(5), self.rng.below(3), 0, 7],
            internal: self.rng.chance(30),
        }
    }

    fn scratch(&mut self, _state: usize) -> Option<Deed> {
        let number = self.rng.below(self.tools.scratch.len() as u32) as usize;
        let words = *self.tools.scratch.get(number)?;
        Some(Deed::Scratch(number, self.rng.below(u32::from(words)) as u8, self.rng.below(100) as u16))
    }
}
