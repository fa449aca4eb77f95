//! The outside world as the machine sees it: user code, blackboard, commands (CODE-1, CODE-5,
//! CODE-6, CMD-1).

use statewright_author::value::ValueType;

use crate::actor::Actor;

/// xorshift32 (CODE-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rng(
    /// Its state.
    pub u32,
);

impl Rng {
    /// The next number.
    pub fn next_u32(&mut self) -> u32 {
        let mut x = if self.0 == 0 { 0x9E37_79B9 } else { self.0 };
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        self.0 = x;
        x
    }
}

/// What started the code that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// Nothing: eventless, start, stop, fail-safe, activities.
    #[default]
    None,
    /// An event.
    Event {
        /// Its number.
        id: usize,
        /// Its payload.
        payload: [u32; 4],
    },
    /// A timer.
    Timer(usize),
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its name: of the declared parameter, or as written.
    pub name: Option<String>,
    /// Its type: that of the declared parameter, or its own.
    pub ty: ValueType,
    /// Words of its value.
    pub words: Vec<u32>,
}

/// What user code is told (CODE-1).
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// The function.
    pub function: &'a str,
    /// Its arguments.
    pub arguments: &'a [Argument],
    /// Which agent.
    pub agent: u64,
    /// Now.
    pub tick: u32,
    /// Number of the parameter variant; 0 is none, the first declared one is 1.
    pub variant: usize,
    /// The state this call belongs to.
    pub state: usize,
    /// The region that state is a child of.
    pub region: Option<usize>,
    /// The transition judged or carried out.
    pub transition: Option<usize>,
    /// What started it.
    pub cause: Cause,
    /// Ticks since `state` was entered; `None` without a clock (RAM-7), 0 while it is not active.
    pub ticks_in_state: Option<u32>,
    /// Every state that is active while it runs, ascending.
    pub active: Vec<usize>,
}

/// Answer of a guard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// Why not, in the guard's own words.
    pub code: u16,
}

/// Why an activity is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Phase (3) of a tick.
    Run,
    /// Its state is left.
    Cancel,
}

/// How an activity stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Goes on.
    Running,
    /// Done.
    Succeeded,
    /// Failed.
    Failed,
}

/// What leaves the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `emit`.
    Emit {
        /// Built-in lanes 0 to 6, then the user's.
        lane: usize,
        /// The command's name.
        name: String,
        /// Type of the payload.
        ty: Option<ValueType>,
        /// The payload.
        payload: Vec<u32>,
        /// The state that emits it.
        state: usize,
        /// The transition it belongs to.
        transition: Option<usize>,
    },
    /// A channel is released (CODE-7).
    Release {
        /// The channel.
        channel: usize,
        /// Lane of the release command.
        lane: usize,
        /// Name of the release command.
        name: String,
        /// The owner.
        state: usize,
        /// The transition it belongs to.
        transition: Option<usize>,
    },
    /// `send` to another agent (CMD-4).
    Send {
        /// The receiver.
        to: [u32; 2],
        /// The event.
        event: usize,
        /// Its payload.
        payload: [u32; 4],
        /// The state that sends it.
        state: usize,
        /// The transition it belongs to.
        transition: Option<usize>,
    },
}

/// User code, blackboard and command buffer of one agent.
pub trait World {
    /// A guard function.
    fn guard(&mut self, call: &Call<'_>, rng: &mut Rng) -> Verdict;
    /// A scorer function.
    fn score(&mut self, call: &Call<'_>, rng: &mut Rng) -> f32;
    /// A value function: as many words as its type has (LANG-11).
    fn value(&mut self, call: &Call<'_>, ty: ValueType, rng: &mut Rng) -> Vec<u32>;
    /// An action function.
    fn action(&mut self, call: &Call<'_>, actor: &mut Actor<'_>);
    /// An activity function.
    fn activity(&mut self, call: &Call<'_>, mode: Mode, actor: &mut Actor<'_>) -> Status;
    /// Takes a command; false if the budget drops it (CMD-2).
    fn command(&mut self, command: &Command) -> bool;
    /// Words of a schema-blackboard key.
    fn read_key(&mut self, key: usize) -> [u32; 3];
    /// Writes a schema-blackboard key; unused words are 0.
    fn write_key(&mut self, key: usize, words: [u32; 3]);
}
