//! What happens from outside: events, pauses, resets, and how time goes.

use statewright_generator::Rng;
use statewright_kernel::Class;

/// An event from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outside {
    /// The event.
    pub event: usize,
    /// Its class, if not the type's.
    pub class: Option<Class>,
    /// Its payload.
    pub payload: [u32; 4],
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptStep {
    /// A tick with an inbox.
    Tick(u32, Vec<Outside>),
    /// A post into the queue.
    Post(u32, Outside),
    /// Time stops.
    Pause(u32),
    /// Time goes on.
    Resume(u32),
    /// All exits, then the end.
    Stop(u32),
    /// As new.
    Reset,
}

/// How busy a script is.
#[derive(Clone, Copy, Debug)]
pub struct ScriptConfig {
    inbox: u32,
    posts: u32,
    breaks: u32,
    jumps: u32,
}

/// Makes the steps one after the other.
#[derive(Clone, Debug)]
pub struct Script {
    rng: Rng,
    config: ScriptConfig,
    events: u32,
    now: u32,
    paused: bool,
}

impl Script {
    /// The script of a seed for a machine with so many event types.
    pub fn new(seed: u64, events: u32) -> Self {
        let mut rng = Rng::new(seed ^ 0x005C_4197);
        let config = ScriptConfig {
            inbox: rng.one(&[0, 20, 50, 90]),
            posts: rng.one(&[0, 10, 30]),
            breaks: rng.one(&[0, 1, 3]),
            jumps: rng.one(&[0, 2, 10]),
        };
        // Deadlines wrap around in some runs.
        let now = rng.one(&[0, 1, 1000, u32::MAX - 5, u32::MAX - 300, 0x7FFF_FF00]);
        Self {
            rng,
            config,
            events,
            now,
            paused: false,
        }
    }

    /// The same at another time.
    pub fn at(self, now: u32) -> Self {
        Self { now, ..self }
    }

    /// The next tick.
    pub fn now(&self) -> u32 {
        self.now
    }

    fn outside(&mut self) -> Outside {
        let classes = [
            None,
            None,
            None,
            None,
            Some(Class::Low),
            Some(Class::Normal),
            Some(Class::Interrupt),
            Some(Class::Critical),
        ];
        Outside {
            event: self.rng.below(self.events) as usize,
            class: self.rng.one(&classes),
            payload: [self.rng.below(6), self.rng.below(3), self.rng.below(2), 1],
        }
    }

    /// What happens up to and including the next tick.
    pub fn next_tick(&mut self) -> Vec<ScriptStep> {
        let mut steps = Vec::new();
        while self.events > 0 && steps.len() < 8 && self.rng.chance(self.config.posts) {
            steps.push(ScriptStep::Post(self.now, self.outside()));
        }
        if self.rng.chance(self.config.breaks) {
            steps.push(self.interruption());
        } else if self.paused && self.rng.chance(20) {
            self.paused = false;
            steps.push(ScriptStep::Resume(self.now));
        }
        let mut inbox = Vec::new();
        while self.events > 0 && inbox.len() < 20 && self.rng.chance(self.config.inbox) {
            inbox.push(self.outside());
        }
        steps.push(ScriptStep::Tick(self.now, inbox));
        self.advance();
        steps
    }

    fn interruption(&mut self) -> ScriptStep {
        match self.rng.weighted(&[50, 30, 8, 12]) {
            0 => {
                self.paused = true;
                ScriptStep::Pause(self.now)
            }
            1 => {
                self.paused = false;
                ScriptStep::Resume(self.now)
            }
            2 => ScriptStep::Stop(self.now),
            _ => ScriptStep::Reset,
        }
    }

    fn advance(&mut self) {
        let step = if self.rng.chance(self.config.jumps) {
            self.rng
                .one(&[0, 2, 3, 7, 40, 500, 0x8000_0000, u32::MAX, 0x4000_0000])
        } else {
            1
        };
        self.now = self.now.wrapping_add(step);
    }
}
