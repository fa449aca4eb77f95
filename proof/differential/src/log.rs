//! What an engine did, in one form for both: calls of user code with all arguments, commands,
//! writes.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

/// An argument: name, type, words.
pub type Argument = (Option<String>, u8, [u32; 3]);

/// What made the engine call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// No event.
    #[default]
    None,
    /// An event with its payload.
    Event(usize, [u32; 4]),
    /// A timer.
    Timer(usize),
}

/// What kind of call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A guard.
    Guard,
    /// A scorer.
    Score,
    /// A value function.
    Value,
    /// An action.
    Action,
    /// An activity that runs.
    Activity,
    /// An activity that is canceled.
    Cancel,
}

/// One call of user code (CODE-1).
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// What it is.
    pub kind: Kind,
    /// The function.
    pub function: Rc<str>,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// The agent.
    pub agent: u64,
    /// The tick.
    pub tick: u32,
    /// The variant.
    pub variant: usize,
    /// The state it belongs to.
    pub state: usize,
    /// The region of that state.
    pub region: Option<usize>,
    /// The transition it belongs to.
    pub transition: Option<usize>,
    /// What made the engine call.
    pub cause: Cause,
    /// Ticks in that state, if it has a clock and is active.
    pub ticks_in_state: Option<u32>,
    /// What the rng held.
    pub rng: u32,
    /// States that are active while it runs.
    pub active: StateSet,
}

impl Called {
    /// What a function is told that looks at nothing but the blackboard: nothing. Where it stands is told to the
    /// host.
    pub fn plain(kind: Kind, function: Rc<str>, state: usize) -> Self {
        Self {
            kind,
            function,
            arguments: Vec::new(),
            agent: 0,
            tick: 0,
            variant: 0,
            state,
            region: None,
            transition: None,
            cause: Cause::None,
            ticks_in_state: None,
            rng: 0,
            active: StateSet::default(),
        }
    }
}

/// A set of states, by their numbers. Each call has one, so that those of all but huge machines lie in
/// place.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StateSet {
    few: [u64; 4],
    /// Beyond the first 256, ascending.
    more: Vec<usize>,
}

impl FromIterator<usize> for StateSet {
    /// Of ascending numbers.
    fn from_iter<I: IntoIterator<Item = usize>>(states: I) -> Self {
        let mut set = Self::default();
        for state in states {
            match set.few.get_mut(state / 64) {
                Some(word) => *word |= 1 << (state % 64),
                None => set.more.push(state),
            }
        }
        set
    }
}

impl fmt::Debug for StateSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let few = (0..256).filter(|state| self.few[state / 64] >> (state % 64) & 1 == 1);
        f.debug_set()
            .entries(few.chain(self.more.iter().copied()))
            .finish()
    }
}

/// What became of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posted {
    /// Queued.
    Admitted,
    /// Replaced the payload of another.
    Coalesced,
    /// Lost.
    Dropped,
}

/// One thing that an engine did.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Called user code.
    Called(Called),
    /// User code answered.
    Answered(Cow<'static, str>),
    /// User code posted an event.
    Posted(usize, Posted),
    /// Emitted a command: lane, name, type, payload, state, transition.
    Emitted(usize, String, Option<u8>, Vec<u32>, usize, Option<usize>),
    /// Released a channel: channel, state, transition.
    Released(usize, usize, Option<usize>),
    /// Sent an event to another agent: receiver, event, payload, state, transition.
    Sent([u32; 2], usize, [u32; 4], usize, Option<usize>),
    /// Wrote a blackboard key.
    Wrote(usize, [u32; 3]),
}

/// What became of a candidate (SEL-7); the numbers of [`statewright_kernel::Reason`] and more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Carried out.
    Taken,
    /// A reason.
    Rejected(statewright_kernel::Reason),
}

/// One selection: its cause and what became of each candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// What it was for.
    pub cause: Cause,
    /// By transition.
    pub outcomes: std::collections::BTreeMap<usize, Outcome>,
}
