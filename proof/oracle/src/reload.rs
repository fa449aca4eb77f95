//! Another version of the machine takes the place of the one that runs (LOAD-3 to LOAD-5), on names and
//! sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use statewright_author::graph::{self, StateKind};
use statewright_author::value::Tier;

use crate::lost::Lost;
use crate::model::{Delay, Kind, Model, Target, Trigger};
use crate::oracle::Oracle;
use crate::queue::Event;
use crate::resolve::resolve;
use crate::snapshot::Frame;

/// What became of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It goes on where it was.
    Kept,
    /// Its next tick completes it.
    Completed,
    /// It starts again.
    Anew,
    /// It had not started.
    Unstarted,
    /// It had ended.
    Ended,
}

/// What a reload did to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloaded {
    /// On the whole.
    pub became: Became,
    /// What it lost.
    pub lost: Lost,
    /// Channels of the old machine that it owned and owns no longer.
    pub released: BTreeSet<usize>,
    /// A timer runs that would last another time now; `None` if an expression decides that.
    pub on_old_deadline: Option<bool>,
}

/// How much is different.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// Agents are mapped (LOAD-3).
    Structure,
    /// Nothing that an agent refers to (LOAD-2).
    Parameters,
    /// Agents begin anew.
    Anew,
}

/// Where a state is alive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alive {
    Active,
    /// In a frame of this region, counted from the bottom.
    Suspended(usize, usize),
}

/// Both machines, and now.
struct Versions {
    old: Arc<Model>,
    new: Arc<Model>,
    now: u32,
    states: BTreeMap<usize, usize>,
}

/// Things of both that are known by the same text, by old number.
fn same(old: &[String], new: &[String]) -> BTreeMap<usize, usize> {
    let find =
        |(number, id): (usize, &String)| Some((number, new.iter().position(|other| other == id)?));
    old.iter().enumerate().filter_map(find).collect()
}

/// Where a new thing comes from.
fn origin(pairs: &BTreeMap<usize, usize>, new: usize) -> Option<usize> {
    let mut pairs = pairs.iter();
    pairs.find(|(_, to)| **to == new).map(|(from, _)| *from)
}

impl Versions {
    fn scaled(&self, ticks: u32) -> u32 {
        let (old, new) = (u64::from(self.old.tick_rate), u64::from(self.new.tick_rate));
        if old == new {
            return ticks;
        }
        let scaled = (u64::from(ticks) * new).div_ceil(old);
        u32::try_from(scaled.min((1 << 31) - 1)).expect("it was limited")
    }

    /// Ticks until a deadline, in the new machine.
    fn until(&self, time: u32, turned: bool) -> u32 {
        let ahead = match turned {
            true => 0_u32.wrapping_sub(time),
            false => time.wrapping_sub(self.now),
        };
        match ahead as i32 > 0 {
            true => self.scaled(ahead),
            false => ahead,
        }
    }

    fn deadline(&self, time: u32, from: bool, to: bool) -> u32 {
        let ahead = self.until(time, from);
        match to {
            true => 0_u32.wrapping_sub(ahead),
            false => self.now.wrapping_add(ahead),
        }
    }

    fn beginning(&self, time: u32, from: bool, to: bool) -> u32 {
        let age = self.scaled(match from {
            true => time,
            false => self.now.wrapping_sub(time),
        });
        match to {
            true => age,
            false => self.now.wrapping_sub(age),
        }
    }

    /// A state and those around it in the new machine.
    fn closure(&self, states: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let up = |state| self.new.up(state).collect::<Vec<_>>();
        states.into_iter().flat_map(up).collect()
    }

    fn children(&self, region: usize, set: &BTreeSet<usize>) -> usize {
        let children = self.new.regions[region].children.iter();
        children.filter(|child| set.contains(child)).count()
    }

    /// Has every region of every state of a set one child in it?
    fn is_whole(&self, set: &BTreeSet<usize>) -> bool {
        let mut regions = set
            .iter()
            .flat_map(|&state| &self.new.states[state].regions);
        regions.all(|&region| self.children(region, set) == 1)
    }

    fn is_leaf(&self, state: usize) -> bool {
        matches!(
            self.new.states[state].kind,
            StateKind::Atomic | StateKind::Final
        )
    }

    /// All states that targets can lead to.
    fn reachable(&self, targets: &[Target], found: &mut BTreeSet<usize>) {
        for target in targets {
            match *target {
                Target::State(state) if self.new.states[state].kind == StateKind::Choice => {
                    for branch in &self.new.states[state].branches {
                        self.reachable(&branch.targets, found);
                    }
                }
                Target::State(state) => _ = found.insert(state),
                Target::Point(point) => _ = found.insert(self.new.points[point].owner),
            }
        }
    }
}

impl Oracle {
    /// Every active state, with those around it.
    pub fn active(&self) -> &BTreeSet<usize> {
        &self.active
    }

    /// Is a state inside this one active?
    pub fn has_active_inside(&self, state: usize) -> bool {
        let mut active = self.active.iter();
        active.any(|&inner| self.model.around(state, inner))
    }

    /// Becomes an agent of another version.
    pub fn reload(&mut self, machine: &graph::Machine, tier: Tier, now: u32) -> Reloaded {
        self.reload_or_begin(machine, tier, now, How::Structure)
    }

    /// The same if the host, or a reason that is not in the rules of names, wants it to begin anew.
    pub fn reload_anew(&mut self, machine: &graph::Machine, tier: Tier, now: u32) -> Reloaded {
        self.reload_or_begin(machine, tier, now, How::Anew)
    }

    /// The same if nothing changed that an agent refers to (LOAD-2): all of it is found again, and
    /// tokens stay good.
    pub fn reload_parameters(
        &mut self,
        machine: &graph::Machine,
        tier: Tier,
        now: u32,
    ) -> Reloaded {
        let generation = self.generation;
        let reloaded = self.reload_or_begin(machine, tier, now, How::Parameters);
        self.generation = generation;
        reloaded
    }

    fn reload_or_begin(
        &mut self,
        machine: &graph::Machine,
        tier: Tier,
        now: u32,
        how: How,
    ) -> Reloaded {
        let (old, new) = (self.model.clone(), Arc::new(resolve(machine, tier)));
        let mut states = same(&old.ids.states, &new.ids.states);
        states.insert(0, 0);
        let versions = Versions {
            old,
            new,
            now,
            states,
        };
        self.generation = self.generation.wrapping_add(1);
        let before = self.clone();
        self.model = versions.new.clone();
        self.keep_for_life(&before, &versions);
        let became = self.carry(&before, &versions, how);
        self.update_flags();
        let (old, new) = (&versions.old, &versions.new);
        let timers = same(&old.ids.timers, &new.ids.timers);
        let transitions = same(&old.ids.transitions, &new.ids.transitions);
        Reloaded {
            became,
            lost: self.lost_since(&before, &timers, &transitions),
            released: self.released_since(&before),
            on_old_deadline: self.runs_on(&before, &timers, |ticks| versions.scaled(ticks)),
        }
    }

    /// History, cooldowns and the scratch of the root are kept; everything else begins empty.
    fn keep_for_life(&mut self, before: &Self, versions: &Versions) {
        let (old, new) = (&versions.old, &versions.new);
        self.active.clear();
        self.timers.clear();
        self.pending.clear();
        self.clocks.clear();
        self.debounces.clear();
        self.results.clear();
        self.latched.clear();
        self.frames.clear();
        self.queue.clear();
        let points = same(&old.ids.points, &new.ids.points);
        self.history = (0..new.points.len())
            .map(|point| remembered(before, versions, origin(&points, point)?, point))
            .collect();
        let transitions = same(&old.ids.transitions, &new.ids.transitions);
        let paused = before.flags.paused;
        self.cooldowns.clear();
        for number in 0..new.transitions.len() {
            let group = new.listed_with(number);
            let mut origins = group
                .iter()
                .filter(|&&one| new.transitions[one].cooldown.is_some());
            let from = origins.find_map(|&one| {
                let from = origin(&transitions, one)?;
                old.transitions[from].cooldown.as_ref().map(|_| from)
            });
            if new.transitions[number].cooldown.is_some()
                && let Some(&ready) = from.and_then(|from| before.cooldowns.get(&from))
            {
                let ready = versions.deadline(ready, paused, paused).max(1);
                self.cooldowns.insert(number, ready);
            }
        }
        let scratch = same(&old.ids.scratch, &new.ids.scratch);
        self.scratch = new.scratch.iter().map(|one| vec![0; one.slots]).collect();
        for (&from, &to) in &scratch {
            let both_root = old.scratch[from].owner == 0 && new.scratch[to].owner == 0;
            if both_root && old.scratch[from].slots == new.scratch[to].slots {
                self.scratch[to] = before.scratch[from].clone();
            }
        }
    }

    fn carry(&mut self, before: &Self, versions: &Versions, how: How) -> Became {
        if !before.running() {
            return Became::Ended;
        }
        let another = versions.old.ids.machine != versions.new.ids.machine;
        if !before.flags.started && !another {
            self.queue = queue(before, versions);
            return match before.flags.incomplete {
                true => Became::Anew,
                false => Became::Unstarted,
            };
        }
        let resets = versions.new.reload_resets && how != How::Parameters;
        let kept = if another || how == How::Anew || resets {
            None
        } else {
            kept(before, versions)
        };
        let Some((active, frames)) = kept else {
            self.flags.started = false;
            self.flags.incomplete = true;
            self.clamped = 0;
            return Became::Anew;
        };
        self.active = active;
        self.frames = frames;
        self.queue = queue(before, versions);
        self.carry_times(before, versions);
        self.carry_slots(before, versions);
        let old_kind = |state: usize| {
            let from = origin(&versions.states, state);
            from.map(|from| versions.old.states[from].kind)
        };
        let is_final = |state: usize| self.model.states[state].kind == StateKind::Final;
        let mut active = self.active.iter().copied();
        let ends = active.any(|state| is_final(state) && old_kind(state) != Some(StateKind::Final));
        let is_whole = versions.is_whole(&self.active);
        self.flags.incomplete = before.flags.incomplete
            || !is_whole
            || ends
            || !self.pending.is_empty()
            || self.is_complete(0);
        match self.flags.incomplete {
            true => Became::Completed,
            false => Became::Kept,
        }
    }

    fn alive(&self, state: usize) -> Option<Alive> {
        if self.active.contains(&state) {
            return Some(Alive::Active);
        }
        self.frames.iter().find_map(|(&region, frames)| {
            let frame = frames
                .iter()
                .position(|frame| frame.states.contains(&state))?;
            Some(Alive::Suspended(region, frame))
        })
    }

    pub(crate) fn is_alive(&self, state: usize) -> bool {
        self.alive(state).is_some()
    }

    fn is_turned(&self, alive: Alive) -> bool {
        alive != Alive::Active || self.flags.paused
    }

    /// Timers, clocks and debounces (LOAD-4).
    fn carry_times(&mut self, before: &Self, versions: &Versions) {
        let (old, new) = (versions.old.clone(), versions.new.clone());
        let timers = same(&old.ids.timers, &new.ids.timers);
        for (number, timer) in new.timers.iter().enumerate() {
            let from = origin(&timers, number);
            let Some(owner) = timer.owner else {
                let from = from.filter(|&from| old.timers[from].owner.is_none());
                let Some(runs) = from.and_then(|from| before.timers.get(&from)) else {
                    continue;
                };
                let paused = before.flags.paused;
                let runs = runs
                    .iter()
                    .map(|&run| versions.deadline(run, paused, paused));
                let runs: Vec<u32> = runs.collect();
                let surplus = runs.len().saturating_sub(timer.instances);
                self.timers.insert(number, runs[surplus..].to_vec());
                continue;
            };
            let Some(now_in) = self.alive(owner) else {
                continue;
            };
            let was = from.and_then(|from| {
                let owner = old.timers[from].owner?;
                Some((from, before.alive(owner)?))
            });
            let running = was.and_then(|(from, was_in)| {
                let runs = match was_in {
                    Alive::Active => before.timers.get(&from),
                    Alive::Suspended(region, frame) => {
                        before.frames[&region][frame].timers.get(&from)
                    }
                };
                Some((*runs?.first()?, before.is_turned(was_in)))
            });
            if let Some((time, turned)) = running {
                let time = versions.deadline(time, turned, self.is_turned(now_in));
                self.put_timer(number, now_in, time);
                continue;
            }
            let waited = was.is_some_and(|(from, _)| before.pending.contains(&from));
            if now_in == Alive::Active
                && (was.is_none() || waited)
                && let Some(delay) = &timer.after
            {
                match delay {
                    Delay::Ticks(ticks) => {
                        let ticks = (*ticks).max(1);
                        let time = match self.flags.paused {
                            true => 0_u32.wrapping_sub(ticks),
                            false => versions.now.wrapping_add(ticks),
                        };
                        self.put_timer(number, now_in, time);
                    }
                    Delay::Range(..) | Delay::Seconds(_) => _ = self.pending.insert(number),
                }
            }
        }
        for state in 0..new.states.len() {
            let Some(now_in) = self.alive(state).filter(|_| new.states[state].has_clock) else {
                continue;
            };
            let to = self.is_turned(now_in);
            let from = origin(&versions.states, state);
            let was = from.and_then(|from| {
                let was_in = before.alive(from)?;
                let clock = match was_in {
                    Alive::Active => before.clocks.get(&from),
                    Alive::Suspended(region, frame) => {
                        before.frames[&region][frame].clocks.get(&from)
                    }
                };
                Some(versions.beginning(*clock?, before.is_turned(was_in), to))
            });
            let time = was.unwrap_or(if to { 0 } else { versions.now });
            match now_in {
                Alive::Active => _ = self.clocks.insert(state, time),
                Alive::Suspended(region, frame) => {
                    let frames = self.frames.get_mut(&region).expect("it is alive there");
                    frames[frame].clocks.insert(state, time);
                }
            }
        }
        let transitions = same(&old.ids.transitions, &new.ids.transitions);
        for (&from, &to) in &transitions {
            let (Some(was_in), Some(now_in)) = (
                before.alive(old.transitions[from].source),
                self.alive(new.transitions[to].source),
            ) else {
                continue;
            };
            let time = match was_in {
                Alive::Active => before.debounces.get(&from),
                Alive::Suspended(region, frame) => {
                    before.frames[&region][frame].debounces.get(&from)
                }
            };
            let Some(&time) = time.filter(|_| new.transitions[to].debounce.is_some()) else {
                continue;
            };
            let (turned, turns) = (before.is_turned(was_in), self.is_turned(now_in));
            let time = versions.deadline(time, turned, turns);
            match now_in {
                Alive::Active => _ = self.debounces.insert(to, time),
                Alive::Suspended(region, frame) => {
                    let frames = self.frames.get_mut(&region).expect("it is alive there");
                    frames[frame].debounces.insert(to, time);
                }
            }
        }
    }

    fn put_timer(&mut self, timer: usize, alive: Alive, time: u32) {
        match alive {
            Alive::Active => _ = self.timers.insert(timer, vec![time]),
            Alive::Suspended(region, frame) => {
                let frames = self.frames.get_mut(&region).expect("it is alive there");
                frames[frame].timers.insert(timer, vec![time]);
            }
        }
    }

    /// Scratch, results and latches (LOAD-5).
    fn carry_slots(&mut self, before: &Self, versions: &Versions) {
        let (old, new) = (versions.old.clone(), versions.new.clone());
        for (&from, &to) in &same(&old.ids.scratch, &new.ids.scratch) {
            let alive = before.alive(old.scratch[from].owner).is_some()
                && self.alive(new.scratch[to].owner).is_some();
            if alive && old.scratch[from].slots == new.scratch[to].slots {
                self.scratch[to] = before.scratch[from].clone();
            }
        }
        let transitions = same(&old.ids.transitions, &new.ids.transitions);
        for (&from, &to) in &versions.states {
            if before.alive(from).is_none() || self.alive(to).is_none() {
                continue;
            }
            let function = |model: &Model, state: usize| {
                let activity = model.states[state].activity.as_ref();
                activity.map(|activity| activity.function.clone())
            };
            let asks = |&transition: &usize| {
                let trigger = new.transitions[transition].trigger;
                matches!(trigger, Trigger::Done | Trigger::Failed)
            };
            if let Some(&result) = before.results.get(&from)
                && function(&old, from) == function(&new, to)
                && new.states[to].transitions.iter().any(asks)
            {
                self.results.insert(to, result);
            }
            if let Some(waiting) = before.latched.get(&from)
                && let Some(&waits) = transitions.get(waiting)
                && new.transitions[waits].source == to
                && new.transitions[waits].latch
            {
                self.latched.insert(to, waits);
            }
        }
    }
}

/// Active states, and frames by region.
type Kept = (BTreeSet<usize>, BTreeMap<usize, Vec<Frame>>);

/// What stays of a configuration and its frames; `None` if the agent begins anew (LOAD-3).
fn kept(before: &Oracle, versions: &Versions) -> Option<Kept> {
    let old = &versions.old;
    let is_innermost = |state: &usize| {
        let mut others = before.active.iter();
        !others.any(|&other| old.around(*state, other))
    };
    let innermost: Vec<usize> = before.active.iter().copied().filter(is_innermost).collect();
    let lands = innermost.iter().map(|&leaf| {
        let stays = |state: usize| {
            let to = *versions.states.get(&state)?;
            (versions.new.states[to].kind != StateKind::Choice).then_some(to)
        };
        let landed = old.up(leaf).find_map(stays);
        landed.expect("the root is in every machine")
    });
    let active = versions.closure(lands);
    let regions = 0..versions.new.regions.len();
    if regions
        .clone()
        .any(|region| versions.children(region, &active) > 1)
    {
        return None;
    }
    let mut frames = BTreeMap::new();
    let same_region = same(&old.ids.regions, &versions.new.ids.regions);
    for (&region, list) in &before.frames {
        let to = *same_region.get(&region)?;
        if list.len() > versions.new.regions[to].stack {
            return None;
        }
        let leaf_in = |leaf: usize| {
            let leaf = *versions.states.get(&leaf)?;
            (versions.is_leaf(leaf) && versions.new.in_region(to, leaf)).then_some(leaf)
        };
        let pushed = innermost
            .iter()
            .filter(|&&leaf| old.in_region(region, leaf));
        for &leaf in pushed {
            leaf_in(leaf)?;
        }
        let mut mapped = Vec::new();
        for frame in list {
            let mut leaves = Vec::new();
            for &leaf in &frame.leaves {
                leaves.push(leaf_in(leaf)?);
            }
            leaves.sort_unstable();
            let mut states = versions.closure(leaves.iter().copied());
            states.retain(|&state| versions.new.in_region(to, state));
            let one_child = versions.children(to, &states) == 1;
            if !one_child || !versions.is_whole(&states) {
                return None;
            }
            mapped.push(Frame {
                states,
                leaves,
                ..Frame::default()
            });
        }
        frames.insert(to, mapped);
    }
    let mut all = frames.iter();
    let fits =
        all.all(|(&region, list)| list.iter().all(|frame| can_push(versions, region, frame)));
    fits.then_some((active, frames))
}

/// Does the new machine have a push in a region from a state of a frame?
fn can_push(versions: &Versions, region: usize, frame: &Frame) -> bool {
    let new = &versions.new;
    let owner = new.regions[region].owner;
    new.transitions.iter().any(|transition| {
        let source = transition.source;
        let leaves = |&to: &usize| {
            let elsewhere = |to| new.child_towards(owner, to) != new.child_towards(owner, source);
            to == owner || new.in_region(region, to) && elsewhere(to)
        };
        let mut targets = BTreeSet::new();
        versions.reachable(&transition.targets, &mut targets);
        transition.kind == Kind::Push
            && frame.states.contains(&source)
            && targets.iter().any(leaves)
    })
}

/// What a point remembers in the new machine, if all of it maps and could have been recorded.
fn remembered(before: &Oracle, versions: &Versions, from: usize, to: usize) -> Option<Vec<usize>> {
    let (old, new) = (&versions.old.points[from], &versions.new.points[to]);
    if old.deep != new.deep {
        return None;
    }
    let mut states = Vec::new();
    for state in before.history[from].as_ref()? {
        states.push(*versions.states.get(state)?);
    }
    states.sort_unstable();
    let regions = &versions.new.states[new.owner].regions;
    let fits = if new.deep {
        let inside =
            |&state: &usize| versions.is_leaf(state) && versions.new.around(new.owner, state);
        let together = versions.closure(states.iter().copied());
        let mut all = 0..versions.new.regions.len();
        states.iter().all(inside) && all.all(|region| versions.children(region, &together) <= 1)
    } else {
        let set: BTreeSet<usize> = states.iter().copied().collect();
        let is_choice = |&state: &usize| versions.new.states[state].kind == StateKind::Choice;
        states.len() == regions.len()
            && !states.iter().any(is_choice)
            && regions
                .iter()
                .all(|&region| versions.children(region, &set) == 1)
    };
    fits.then_some(states)
}

/// Queued events that map (LOAD-5).
fn queue(before: &Oracle, versions: &Versions) -> Vec<Event> {
    let (old, new) = (&versions.old, &versions.new);
    let events = same(&old.ids.events, &new.ids.events);
    let paused = before.flags.paused;
    let moved = |event: &Event| {
        let to = *events.get(&event.id)?;
        (old.events[event.id].payload == new.events[to].payload).then(|| Event {
            id: to,
            deferred: false,
            stamp: versions.beginning(event.stamp, paused, paused),
            ..event.clone()
        })
    };
    let mut queue: Vec<Event> = before.queue.iter().filter_map(moved).collect();
    while queue.len() > new.places {
        let lowest = queue.iter().map(|event| event.class).min();
        let last = queue.iter().rposition(|event| Some(event.class) == lowest);
        queue.remove(last.expect("there are too many"));
    }
    queue
}
