//! Earlier ticks to go back to, kept as what has changed since (rollback).
//!
//! A frame is the crowd between two ticks. It is not copied when it begins: whoever is about to
//! change is copied before, once per frame.
//!
//! ```text
//!   frame 7            frame 8            frame 9 (now)
//!   ── tick 7 ───────▶ ── tick 8 ───────▶ ── inputs ──▶
//!   before they        agents 2, 4        agent 4, who was
//!   changed: 2, 3      as they were       paused since
//! ```
//!
//! Going back to frame 7 takes agents 2 and 3 from the log of frame 7 and agent 4 from that of frame
//! 8: for each the oldest copy since then, and nobody twice. So a frame costs what changes in it, and
//! going back costs who has changed, whatever the size of the crowd; but for a bit per agent, which says who was awake. Rejected: a whole copy per frame,
//! which is shorter and costs every sleeper; pages of agents, which copy 64 for each that moves.

use std::collections::VecDeque;
use std::fmt;
use std::ops::{Range, RangeInclusive};

use statewright_kernel::InboxEvent;
use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use super::agent_set::AgentSet;
use super::agents::{Agents, RETIRED};
use super::instances::{Instances, with_instances};
use super::mailbox::Envelope;
use super::{Crowd, Input, Totals};
use crate::board::Board;
use crate::context::Context;
use crate::parameters::Parameters;

/// Why a crowd did not go back; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewindError {
    /// The tick that was asked for.
    pub tick: u64,
    /// Those that it can go back to, if there are any.
    pub kept: Option<RangeInclusive<u64>>,
}

impl fmt::Display for RewindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tick, kept } = self;
        write!(f, "there is no way back to before tick {tick}: ")?;
        match kept {
            Some(kept) => write!(f, "ticks {} to {} are kept", kept.start(), kept.end()),
            None => f.write_str(
                "no tick is kept; `keep_frames` begins it, and restores and reloads begin it anew",
            ),
        }
    }
}

impl std::error::Error for RewindError {}

/// Going back.
impl<B: Board + Clone, C: Context + ?Sized> Crowd<B, C> {
    /// From now on the crowd can [go back](Self::rewind) so many ticks; 0 ends it.
    ///
    /// A tick costs a copy of each agent that has a turn in it, with its blackboard; agents that sleep
    /// cost nothing. The memory of frames is used again, so that with blackboards that have no heap memory of their own nothing
    /// is allocated once all frames were as large as they get.
    pub fn keep_frames(&mut self, ticks: usize) {
        if ticks == 0 {
            return self.forget_watch(|watch| watch.frames = None);
        }
        let mut frames = Frames::new(ticks, |kept, boards| kept.extend_from_slice(boards));
        frames.begin(self);
        self.watch.get_or_insert_default().frames = Some(frames);
    }
}

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// The ticks before which the crowd [can be again](Self::rewind), the last being the one that comes.
    /// None are kept before [`Self::keep_frames`], and after a restore or a reload up to the next tick.
    pub fn frames(&self) -> Option<RangeInclusive<u64>> {
        self.watch.as_ref()?.frames.as_ref()?.kept()
    }

    /// The crowd is again what it was before a tick: right after the one before it, before anything
    /// that entered since. Agents, blackboards, events under way, parameters, counters and ids of agents
    /// that will be spawned are as they were; settings, traces and functions stay. Ticks after it are
    /// forgotten.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::build("Dog", |m| {
    ///     m.event("Call");
    ///     m.initial("sit");
    ///     m.state("sit", |s| {
    ///         s.on("Call").go("walk");
    ///     });
    ///     m.state("walk", |_| {});
    /// })?;
    /// let call = machine.event("Call")?;
    /// let mut dogs = Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1);
    /// let dog = dogs.spawn(());
    /// dogs.keep_frames(8);
    /// dogs.tick(&());
    /// dogs.send(dog, call, ())?;
    /// dogs.tick(&());
    /// assert_eq!(dogs.path(dog)?, "walk");
    ///
    /// dogs.rewind(1)?;
    /// assert_eq!((dogs.now(), dogs.path(dog)?.as_str()), (1, "sit"));
    /// dogs.tick(&());
    /// assert_eq!(dogs.path(dog)?, "sit", "nobody called");
    /// assert_eq!(dogs.rewind(7).unwrap_err().to_string(), "there is no way back to before tick 7: ticks 0 to 2 are kept");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rewind(&mut self, tick: u64) -> Result<(), RewindError> {
        self.check_rewind(tick)?;
        self.enter(Input::Rewind(tick));
        Ok(())
    }

    pub(crate) fn check_rewind(&self, tick: u64) -> Result<(), RewindError> {
        let kept = self.frames();
        if kept.as_ref().is_some_and(|kept| kept.contains(&tick)) {
            return Ok(());
        }
        Err(RewindError { tick, kept })
    }

    /// Is it what it was then; the frame is there.
    pub(super) fn become_earlier(&mut self, tick: u64) {
        let Some(mut frames) = self.watch.as_mut().and_then(|watch| watch.frames.take()) else {
            return debug_assert!(false, "frames are kept");
        };
        frames.undo(self, tick);
        if let Some(watch) = &mut self.watch {
            watch.frames = Some(frames);
        }
        self.departures += 1;
        self.last.forget();
        self.restart_trace();
    }

    /// Nothing that was is of use any more; frames are kept again from the next tick on.
    pub(super) fn forget_frames(&mut self) {
        if let Some(frames) = self.watch.as_mut().and_then(|watch| watch.frames.as_mut()) {
            frames.forget();
        }
    }

    /// An agent is about to change outside of a tick.
    pub(super) fn keep_agent(&mut self, index: usize) {
        let Self { watch, agents, .. } = self;
        if let Some(frames) = watch.as_mut().and_then(|watch| watch.frames.as_mut()) {
            frames.keep(agents, [index as u32]);
        }
    }

    /// Agents are about to have their turns.
    pub(super) fn keep_turns(&mut self, inbox: &[InboxEvent]) {
        let Self {
            watch,
            agents,
            schedule,
            owed,
            ..
        } = self;
        if let Some(frames) = watch.as_mut().and_then(|watch| watch.frames.as_mut()) {
            // Whoever is paused has no turn and finds out anew what it has to do all the same.
            frames.keep(agents, owed.iter());
            frames.keep(agents, schedule.turns.iter().copied());
            frames.keep(agents, inbox.iter().map(|event| event.place));
        }
    }

    /// A tick is over: what comes next happens to another frame.
    pub(crate) fn begin_frame(&mut self) {
        let frames = self.watch.as_mut().and_then(|watch| watch.frames.take());
        if let Some(mut frames) = frames {
            frames.begin(self);
            if let Some(watch) = &mut self.watch {
                watch.frames = Some(frames);
            }
        }
    }
}

/// Frames, the oldest first.
pub(super) struct Frames<B> {
    /// How many ticks one can go back.
    ticks: usize,
    ring: VecDeque<Frame<B>>,
    /// Frames that were forgotten, for their memory.
    spare: Vec<Frame<B>>,
    /// Who is in the log of the last frame already.
    logged: AgentSet,
    /// Adds copies of blackboards: crowds do not know that theirs can be copied.
    copy: fn(&mut Vec<B>, &[B]),
}

/// What a crowd was between two ticks: the small things, and a log of those who have changed since.
struct Frame<B> {
    /// The tick that comes.
    now: u64,
    spawned: u64,
    slots: usize,
    retired: usize,
    /// Variants may end early, and snapshots tell how early.
    variants_len: usize,
    totals: Totals,
    parameters: Parameters,
    stopping: Vec<u32>,
    /// Who is awake; everybody, if nobody was to sleep.
    awake: AgentSet,
    /// Who is owed a turn since a reload (LOAD-2): nobody, unless the frame is the first behind one.
    owed: Vec<u32>,
    envelopes: Vec<Envelope>,
    /// Changes of the list of free indices, in order.
    free: Vec<FreeChange>,
    log: Log<B>,
}

/// What happened to the list of free indices.
#[derive(Clone, Copy)]
enum FreeChange {
    /// The last was taken: this one.
    Taken(u32),
    /// One was added.
    Added,
}

/// Agents as they were, run by run.
struct Log<B> {
    /// Indices side by side.
    runs: Vec<Range<u32>>,
    generations: Vec<u32>,
    variants: Vec<VariantId>,
    instances: Instances,
    boards: Vec<B>,
}

impl<B> Log<B> {
    fn clear(&mut self) {
        self.runs.clear();
        self.generations.clear();
        self.variants.clear();
        self.boards.clear();
        with_instances!(&mut self.instances, list => list.clear());
    }

    /// Agents of a run are added.
    fn add(&mut self, agents: &Agents<B>, run: Range<u32>, copy: fn(&mut Vec<B>, &[B])) {
        let range = run.start as usize..run.end as usize;
        self.generations
            .extend_from_slice(&agents.generations[range.clone()]);
        if agents.variants.is_empty() {
            let len = self.variants.len() + range.len();
            self.variants.resize(len, VariantId::PLAIN);
        } else {
            let variants = range.clone().map(|index| agents.variant(index));
            self.variants.extend(variants);
        }
        self.instances.extend_from(&agents.instances, range.clone());
        copy(&mut self.boards, &agents.boards[range]);
        self.runs.push(run);
    }
}

impl<B: Board> Frames<B> {
    fn new(ticks: usize, copy: fn(&mut Vec<B>, &[B])) -> Self {
        Self {
            ticks,
            ring: VecDeque::new(),
            spare: Vec::new(),
            logged: AgentSet::default(),
            copy,
        }
    }

    fn kept(&self) -> Option<RangeInclusive<u64>> {
        Some(self.ring.front()?.now..=self.ring.back()?.now)
    }

    /// Nothing that was is of use any more.
    pub(super) fn forget(&mut self) {
        // Their instances may be of another machine: no memory to use again.
        self.ring.clear();
        self.spare.clear();
        self.logged.clear();
    }

    /// Agents are about to change; in a run of indices as far as they come in order.
    fn keep(&mut self, agents: &Agents<B>, indices: impl IntoIterator<Item = u32>) {
        let Some(frame) = self.ring.back_mut() else {
            return;
        };
        // Whoever is behind the last index of the frame was not there: going back takes it away.
        let slots = frame.slots as u32;
        let mut run = 0..0;
        for index in indices {
            if index >= slots || !self.logged.insert(index as usize) {
                continue;
            }
            if index != run.end {
                if !run.is_empty() {
                    frame.log.add(agents, run, self.copy);
                }
                run = index..index;
            }
            run.end += 1;
        }
        if !run.is_empty() {
            frame.log.add(agents, run, self.copy);
        }
    }

    /// An input is about to take effect.
    pub(super) fn note(&mut self, agents: &Agents<B>, input: &Input<B>) {
        match input {
            Input::Spawn { .. } => {
                if let (Some(&index), Some(frame)) = (agents.free.last(), self.ring.back_mut()) {
                    frame.free.push(FreeChange::Taken(index));
                    self.keep(agents, [index]);
                }
            }
            Input::Despawn(agent) => {
                let index = agent.index();
                self.keep(agents, [index]);
                if let Some(frame) = self.ring.back_mut()
                    && agents.generations[index as usize] + 1 != RETIRED
                {
                    frame.free.push(FreeChange::Added);
                }
            }
            Input::Reset(agent)
            | Input::Pause(agent)
            | Input::Resume(agent)
            | Input::SetVariant(agent, _)
            | Input::ClearFlags(agent)
            | Input::Instance(agent, _) => self.keep(agents, [agent.index()]),
            // A reload changes what bytes mean; the others take place where there is nobody yet.
            Input::Reload(_) | Input::Restore(_) | Input::StartAt(_) | Input::Number(_) => {
                self.forget();
            }
            // Whoever lends a blackboard keeps the agent before. The rest is small and in every
            // frame, or none of its business.
            Input::Written(_)
            | Input::Stop(_)
            | Input::Send(_)
            | Input::Broadcast(_)
            | Input::SetParameter(_)
            | Input::Settings(_)
            | Input::Pool(_)
            | Input::ResetCounters
            | Input::Rewind(_) => {}
        }
    }

    /// A frame begins: the crowd as it is.
    fn begin<C: Context + ?Sized>(&mut self, crowd: &Crowd<B, C>) {
        let oldest = match self.ring.len() > self.ticks {
            true => self.ring.pop_front(),
            false => self.spare.pop(),
        };
        let mut frame = oldest.unwrap_or_else(|| Frame::empty(&crowd.program.machine().rom()));
        frame.become_like(crowd);
        self.ring.push_back(frame);
        self.logged.clear();
    }

    /// The crowd becomes what it was before a tick; later frames are forgotten.
    fn undo<C: Context + ?Sized>(&mut self, crowd: &mut Crowd<B, C>, tick: u64) {
        let Some(first) = self.ring.iter().position(|frame| frame.now == tick) else {
            return debug_assert!(false, "the frame is there");
        };
        for frame in self.ring.range(first..).rev() {
            undo_free(&mut crowd.agents.free, &frame.free);
        }
        // The oldest log that has an agent has it as it was.
        self.logged.clear();
        let slots = self.ring[first].slots;
        for frame in self.ring.range_mut(first..) {
            frame
                .log
                .put_back(&mut crowd.agents, slots, &mut self.logged);
        }
        self.ring[first].put_back_rest(crowd);
        crowd.wake_again(&self.logged, &self.ring[first].awake);
        let schedule = &mut crowd.schedule;
        schedule.stopping.clear();
        for &index in &self.ring[first].stopping {
            schedule.stop(index as usize);
        }
        crowd.panics.forget(|index| self.logged.contains(index));
        if let Some(kept) = crowd
            .watch
            .as_mut()
            .and_then(|watch| watch.digests.as_mut())
        {
            kept.note_rewind(&self.logged, slots);
        }
        self.logged.clear();
        self.spare.extend(self.ring.drain(first + 1..));
        if let Some(frame) = self.ring.back_mut() {
            frame.log.clear();
            frame.free.clear();
        }
    }
}

fn undo_free(free: &mut Vec<u32>, changes: &[FreeChange]) {
    for change in changes.iter().rev() {
        match change {
            FreeChange::Taken(index) => free.push(*index),
            FreeChange::Added => drop(free.pop()),
        }
    }
}

impl<B> Log<B> {
    /// Those who are not back yet are what they were. Who lies behind the slots of then goes with
    /// them.
    fn put_back(&mut self, agents: &mut Agents<B>, slots: usize, back: &mut AgentSet) {
        let runs = std::mem::take(&mut self.runs);
        let mut at = 0;
        for run in &runs {
            let (first, end) = (run.start as usize, (run.end as usize).min(slots));
            let mut index = first;
            while index < end {
                let fresh = back.insert_run(index..end);
                self.put_back_run(agents, index..index + fresh, at + index - first);
                // The one behind them is back already.
                index += fresh + 1;
            }
            at += run.len();
        }
        self.runs = runs;
    }

    /// Agents of a run, which lies in the log from here on.
    fn put_back_run(&mut self, agents: &mut Agents<B>, run: Range<usize>, at: usize) {
        let kept = at..at + run.len();
        agents.generations[run.clone()].copy_from_slice(&self.generations[kept.clone()]);
        agents
            .instances
            .copy_from(run.start, &self.instances, kept.clone());
        // Where nobody has one now, nobody had one then.
        if !agents.variants.is_empty() {
            for (index, &variant) in run.clone().zip(&self.variants[kept.clone()]) {
                agents.set_variant(index, variant);
            }
        }
        agents.boards[run].swap_with_slice(&mut self.boards[kept]);
    }
}

impl<B> Frame<B> {
    fn empty(rom: &Rom<'_>) -> Self {
        Self {
            now: 0,
            spawned: 0,
            slots: 0,
            retired: 0,
            variants_len: 0,
            totals: Totals::default(),
            parameters: Parameters::default(),
            stopping: Vec::new(),
            awake: AgentSet::default(),
            owed: Vec::new(),
            envelopes: Vec::new(),
            free: Vec::new(),
            log: Log {
                runs: Vec::new(),
                generations: Vec::new(),
                variants: Vec::new(),
                instances: Instances::new(rom),
                boards: Vec::new(),
            },
        }
    }

    /// The crowd as it is; nobody has changed since.
    fn become_like<C: Context + ?Sized>(&mut self, crowd: &Crowd<B, C>) {
        let (agents, schedule) = (&crowd.agents, &crowd.schedule);
        (self.now, self.totals) = (schedule.now, crowd.totals);
        (self.spawned, self.retired) = (agents.spawned, agents.retired);
        (self.slots, self.variants_len) = (agents.slots(), agents.variants.len());
        // Nearly always the same, so that nothing is allocated for a copy.
        if self.parameters.changes() != crowd.parameters.changes() {
            self.parameters = crowd.parameters.clone();
        }
        schedule.stopping.list(&mut self.stopping);
        self.awake.become_like(schedule.awake_now());
        crowd.owed.list(&mut self.owed);
        self.envelopes.clear();
        self.envelopes
            .extend(crowd.mailbox.envelopes(agents.roster()));
        self.free.clear();
        self.log.clear();
    }

    /// All but the agents of the log and the list of free indices.
    fn put_back_rest<C: Context + ?Sized>(&mut self, crowd: &mut Crowd<B, C>) {
        let Crowd {
            agents, schedule, ..
        } = crowd;
        (schedule.now, crowd.totals) = (self.now, self.totals);
        (agents.spawned, agents.retired) = (self.spawned, self.retired);
        for index in self.slots..agents.slots() {
            schedule.put_to_sleep(index);
        }
        agents.truncate(self.slots);
        agents.variants.truncate(self.variants_len);
        crowd.owed.clear();
        for &index in &self.owed {
            crowd.owed.insert(index as usize);
        }
        if self.parameters.changes() != crowd.parameters.changes() {
            crowd.parameters = self.parameters.clone();
        }
        crowd.mailbox.replace(self.envelopes.iter().copied());
    }
}
