//! What can be compared after a tick: the instance in plain numbers.

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::Oracle;
use crate::queue::Event;
use crate::world::Status;

/// Flags of an instance (RAM-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// The initial configuration was entered.
    pub started: bool,
    /// Ended by its root or by `stop`.
    pub terminated: bool,
    /// Time is frozen.
    pub paused: bool,
    /// Only `reset` ends this.
    pub quarantined: bool,
    /// A tick was clamped.
    pub budget_exceeded: bool,
    /// An event was dropped.
    pub queue_overflow: bool,
    /// A command was dropped.
    pub command_dropped: bool,
    /// A command of a critical lane was dropped.
    pub critical_dropped: bool,
    /// An undeferred event is queued.
    pub work: bool,
    /// The configuration has an activity or an eventless trigger.
    pub polls: bool,
    /// The configuration is a part of one (LOAD-3).
    pub incomplete: bool,
}

/// A suspended frame (EXEC-8). Times x are frozen as `then - x`, `then` being the tick of the push.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// All suspended states.
    pub states: BTreeSet<usize>,
    /// Those without regions, in order.
    pub leaves: Vec<usize>,
    /// Timers that were running.
    pub timers: BTreeMap<usize, Vec<u32>>,
    /// Debounces that were running, by transition.
    pub debounces: BTreeMap<usize, u32>,
    /// Entry ticks, by state.
    pub clocks: BTreeMap<usize, u32>,
}

/// An instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Its flags.
    pub flags: Flags,
    /// Active leaves in order.
    pub leaves: Vec<usize>,
    /// What each history point remembers.
    pub history: Vec<Option<Vec<usize>>>,
    /// Running timers and their deadlines, sorted. Those of suspended states are in their frames.
    pub timers: Vec<(usize, u32)>,
    /// Active states with a clock and their entry ticks.
    pub clocks: Vec<(usize, u32)>,
    /// Transitions whose debounce runs, and its deadline.
    pub debounces: Vec<(usize, u32)>,
    /// Transitions that have been taken, and the tick from which they may be taken again.
    pub cooldowns: Vec<(usize, u32)>,
    /// Results of activities that wait to be taken, by state.
    pub results: Vec<(usize, Status)>,
    /// States and the transition that waits in their slot.
    pub latched: Vec<(usize, usize)>,
    /// Scratch of active and suspended states.
    pub scratch: Vec<(usize, Vec<u16>)>,
    /// Queued events in order of arrival.
    pub queue: Vec<Event>,
    /// Frames by region, the bottom first; only regions that have some.
    pub frames: BTreeMap<usize, Vec<Frame>>,
    /// State of the rng.
    pub rng: u32,
    /// Raised by each reset.
    pub generation: u16,
    /// Clamped ticks in a row.
    pub clamped: u8,
}

impl Oracle {
    /// The instance as it is now.
    pub fn snapshot(&self) -> Snapshot {
        let lives = |state: usize| self.active.contains(&state) || self.is_suspended(state);
        let timers = self
            .timers
            .iter()
            .flat_map(|(&timer, list)| list.iter().map(move |&deadline| (timer, deadline)));
        let mut timers: Vec<(usize, u32)> = timers.collect();
        timers.sort_unstable();
        let scratch = self.scratch.iter().cloned().enumerate();
        Snapshot {
            flags: self.flags,
            leaves: self.leaves(),
            history: self.history.clone(),
            timers,
            clocks: pairs(&self.clocks),
            debounces: pairs(&self.debounces),
            cooldowns: pairs(&self.cooldowns),
            results: pairs(&self.results),
            latched: pairs(&self.latched),
            scratch: scratch
                .filter(|(number, _)| lives(self.model.scratch[*number].owner))
                .collect(),
            queue: self.queue.clone(),
            frames: self.frames.clone(),
            rng: self.rng.0,
            generation: self.generation,
            clamped: self.clamped,
        }
    }

    /// Work and Polls (RAM-3), brought up to date at the end of every tick and by every post.
    pub(crate) fn update_flags(&mut self) {
        use crate::model::Trigger;
        self.flags.work = self.queue.iter().any(|event| !event.deferred);
        let eventless = |&transition: &usize| {
            matches!(
                self.model.transitions[transition].trigger,
                Trigger::Always | Trigger::Done | Trigger::Failed
            )
        };
        // What is to be completed is looked at anyway (LOAD-3).
        let is_whole = !self.flags.incomplete;
        self.flags.polls = is_whole
            && self.active.iter().any(|&number| {
                let state = &self.model.states[number];
                state.activity.is_some()
                    || !state.update.is_empty()
                    || state.transitions.iter().any(eventless)
                    || self.latched.contains_key(&number)
            });
    }
}

fn pairs<K: Copy, V: Copy>(map: &BTreeMap<K, V>) -> Vec<(K, V)> {
    map.iter().map(|(&key, &value)| (key, value)).collect()
}
