//! What a reload took from an agent (LOAD-4, LOAD-5): the same agent before and after, thing by thing.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Delay;
use crate::oracle::Oracle;

/// What an agent had and has no more, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Timers and debounces that ran.
    pub timers: u64,
    /// History points that remembered something.
    pub history: u64,
    /// Cooldowns that had begun.
    pub cooldowns: u64,
    /// Transitions that waited.
    pub latches: u64,
    /// Results of activities.
    pub results: u64,
    /// Scratch that held something.
    pub scratch: u64,
    /// Queued events.
    pub events: u64,
}

/// So many are missing.
fn missing(before: usize, after: usize) -> u64 {
    before.saturating_sub(after) as u64
}

impl Oracle {
    /// Runs of a timer, also of suspended states.
    fn runs(&self, timer: usize) -> usize {
        let count = |timers: &BTreeMap<usize, Vec<u32>>| timers.get(&timer).map_or(0, Vec::len);
        let frames = self.frames.values().flatten();
        count(&self.timers) + frames.map(|frame| count(&frame.timers)).sum::<usize>()
    }

    /// Whether the debounce of a transition runs.
    fn debounces(&self, transition: usize) -> usize {
        let has = |all: &BTreeMap<usize, u32>| usize::from(all.contains_key(&transition));
        let frames = self.frames.values().flatten();
        has(&self.debounces) + frames.map(|frame| has(&frame.debounces)).sum::<usize>()
    }

    /// Cooldowns that have begun; transitions of one list have one (LANG-1).
    fn begun(&self) -> BTreeSet<usize> {
        let first = |&transition: &usize| self.model.listed_with(transition)[0];
        self.cooldowns.keys().map(first).collect()
    }

    /// Scratch with something in it that somebody owns.
    fn held(&self) -> usize {
        let is_held = |(number, words): &(usize, &Vec<u16>)| {
            let owner = self.model.scratch[*number].owner;
            words.iter().any(|&word| word != 0) && (owner == 0 || self.is_alive(owner))
        };
        self.scratch.iter().enumerate().filter(is_held).count()
    }

    /// What this agent has no more that it had before; `timers` and `transitions` are in both machines.
    pub(crate) fn lost_since(
        &self,
        before: &Self,
        timers: &BTreeMap<usize, usize>,
        transitions: &BTreeMap<usize, usize>,
    ) -> Lost {
        let in_both = |pairs: &BTreeMap<usize, usize>, one: usize| pairs.get(&one).copied();
        let runs = (0..before.model.timers.len()).map(|timer| {
            let kept = in_both(timers, timer).map_or(0, |to| self.runs(to));
            missing(before.runs(timer), kept)
        });
        let debounces = (0..before.model.transitions.len()).map(|transition| {
            let kept = in_both(transitions, transition).map_or(0, |to| self.debounces(to));
            missing(before.debounces(transition), kept)
        });
        let points = |one: &Self| one.history.iter().flatten().count();
        Lost {
            timers: runs.chain(debounces).sum(),
            history: missing(points(before), points(self)),
            cooldowns: missing(before.begun().len(), self.begun().len()),
            latches: missing(before.latched.len(), self.latched.len()),
            results: missing(before.results.len(), self.results.len()),
            scratch: missing(before.held(), self.held()),
            events: missing(before.queue.len(), self.queue.len()),
        }
    }

    /// Channels of the old machine that a state owned and none owns any more.
    pub(crate) fn released_since(&self, before: &Self) -> BTreeSet<usize> {
        let owned = |one: &Self| -> BTreeSet<String> {
            let states = one.active.iter().map(|&state| &one.model.states[state]);
            let numbers = states.flat_map(|state| state.owns.clone());
            numbers
                .map(|number| one.model.ids.channels[number].clone())
                .collect()
        };
        let still = owned(self);
        let names = before.model.ids.channels.iter();
        let place = |name: &String| names.clone().position(|one| one == name);
        let gone = owned(before)
            .into_iter()
            .filter(|name| !still.contains(name));
        gone.filter_map(|name| place(&name)).collect()
    }

    /// Does a timer run on that would last another time now? `None` if that is for an expression to
    /// say: whether two of them mean the same is not read here.
    pub(crate) fn runs_on(
        &self,
        before: &Self,
        timers: &BTreeMap<usize, usize>,
        scaled: impl Fn(u32) -> u32,
    ) -> Option<bool> {
        let mut is_known = true;
        for (&from, &to) in timers {
            let (old, new) = (&before.model.timers[from], &self.model.timers[to]);
            let Some(after) = &new.after else {
                continue;
            };
            if before.runs(from) == 0 || self.runs(to) == 0 {
                continue;
            }
            let same = old
                .after
                .as_ref()
                .map(|old| lasts_as_long(old, after, &scaled));
            match same {
                Some(None) => is_known = false,
                Some(Some(true)) => {}
                Some(Some(false)) | None => return Some(true),
            }
        }
        is_known.then_some(false)
    }
}

fn lasts_as_long(old: &Delay, new: &Delay, scaled: impl Fn(u32) -> u32) -> Option<bool> {
    match (old, new) {
        (Delay::Ticks(old), Delay::Ticks(new)) => Some(scaled(*old) == *new),
        (Delay::Range(least, most), Delay::Range(low, high)) => {
            Some((scaled(*least), scaled(*most)) == (*low, *high))
        }
        (Delay::Seconds(_), Delay::Seconds(_)) => None,
        (Delay::Ticks(_) | Delay::Range(..) | Delay::Seconds(_), _) => Some(false),
    }
}
