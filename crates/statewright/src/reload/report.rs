//! What became of agents: counted, with examples.

use std::fmt;

use statewright_reload::{Anew, Completed, Extent, Fate, Lost, Mapped};

use crate::agent_id::AgentId;
use crate::handle::ChannelHandle;

/// So many agents are named for each reason.
const EXAMPLES: usize = 10;

/// Agents that something became of for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<W> {
    /// The reason.
    pub why: W,
    /// How many.
    pub count: usize,
    /// The first of them, at most ten.
    pub examples: Vec<AgentId>,
}

/// What a reload did, or would do (LOAD-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReloadReport {
    /// How much changed.
    pub extent: Extent,
    /// Structure and parameter hash of both machines, the old one first.
    pub hashes: [[u64; 2]; 2],
    /// Agents that go on where they were.
    pub kept: usize,
    /// Agents that keep a part of their configuration; their next tick completes it (LOAD-3).
    pub completed: Vec<Group<Completed>>,
    /// Agents that start again on their next tick.
    pub anew: Vec<Group<Anew>>,
    /// Agents that had not started yet.
    pub unstarted: usize,
    /// Agents that had ended, and stay so.
    pub ended: usize,
    /// Agents whose bytes were none of an agent of the old machine.
    pub quarantined: Vec<Group<()>>,
    /// Agents with a timer that would begin with another duration now (LOAD-4).
    pub on_old_deadlines: usize,
    /// What agents lost, by kind (LOAD-5).
    pub lost: Lost,
    /// Keys that the new machine does not have, or has with another type: values of blackboards that
    /// follow the machine's keys are gone (LOAD-6).
    pub lost_keys: Vec<String>,
    /// Events under way that the new machine does not have, or that carry something else (LOAD-7).
    pub lost_letters: usize,
    /// Agents whose variant is gone: they have the plain one (LOAD-6).
    pub lost_variants: usize,
    /// Parameters that had been changed and are gone, or have another type.
    pub lost_parameters: usize,
    /// Channels that agents held and own no longer, by the handles of the old machine: nobody emitted
    /// their release (CODE-7).
    pub released: Vec<(AgentId, ChannelHandle)>,
    /// What was recorded ended: it was filtered by states or events that are gone.
    pub trace_ended: bool,
}

impl ReloadReport {
    pub(crate) fn new(extent: Extent, hashes: [[u64; 2]; 2]) -> Self {
        Self {
            extent,
            hashes,
            kept: 0,
            completed: Vec::new(),
            anew: Vec::new(),
            unstarted: 0,
            ended: 0,
            quarantined: Vec::new(),
            on_old_deadlines: 0,
            lost: Lost::default(),
            lost_keys: Vec::new(),
            lost_letters: 0,
            lost_variants: 0,
            lost_parameters: 0,
            released: Vec::new(),
            trace_ended: false,
        }
    }

    /// How many agents are completed.
    pub fn completed_agents(&self) -> usize {
        self.completed.iter().map(|group| group.count).sum()
    }

    /// How many agents start again.
    pub fn anew_agents(&self) -> usize {
        self.anew.iter().map(|group| group.count).sum()
    }

    pub(crate) fn count(&mut self, agent: AgentId, mapped: &Mapped) {
        match mapped.fate {
            Fate::Kept => self.kept += 1,
            Fate::Completed(why) => note(&mut self.completed, why, agent),
            Fate::Anew(why) => note(&mut self.anew, why, agent),
            Fate::Unstarted => self.unstarted += 1,
            Fate::Ended => self.ended += 1,
            Fate::Quarantined => note(&mut self.quarantined, (), agent),
        }
        self.on_old_deadlines += usize::from(mapped.on_old_deadline);
        self.lost.add(&mapped.lost);
    }
}

/// Putting together.
#[cfg(feature = "parallel")]
impl ReloadReport {
    /// Adds what became of the agents behind those that were counted.
    pub(crate) fn add(&mut self, behind: Self) {
        self.kept += behind.kept;
        self.unstarted += behind.unstarted;
        self.ended += behind.ended;
        self.on_old_deadlines += behind.on_old_deadlines;
        self.lost.add(&behind.lost);
        add_groups(&mut self.completed, behind.completed);
        add_groups(&mut self.anew, behind.anew);
        add_groups(&mut self.quarantined, behind.quarantined);
        self.released.extend(behind.released);
    }
}

#[cfg(feature = "parallel")]
fn add_groups<W: PartialEq>(groups: &mut Vec<Group<W>>, behind: Vec<Group<W>>) {
    for other in behind {
        match groups.iter_mut().find(|group| group.why == other.why) {
            Some(group) => {
                group.count += other.count;
                let room = EXAMPLES.saturating_sub(group.examples.len());
                group.examples.extend(other.examples.into_iter().take(room));
            }
            None => groups.push(other),
        }
    }
}

fn note<W: PartialEq>(groups: &mut Vec<Group<W>>, why: W, agent: AgentId) {
    let place = groups.iter().position(|group| group.why == why);
    let place = place.unwrap_or_else(|| {
        groups.push(Group {
            why,
            count: 0,
            examples: Vec::new(),
        });
        groups.len() - 1
    });
    let group = &mut groups[place];
    group.count += 1;
    if group.examples.len() < EXAMPLES {
        group.examples.push(agent);
    }
}

/// One line: `parameters only; 9 kept, 1 completed, 0 anew; 3 on old deadlines`.
impl fmt::Display for ReloadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extent = match self.extent {
            Extent::Nothing => "nothing changed",
            Extent::Parameters => "parameters only",
            Extent::Structure => "structure",
        };
        let (completed, anew) = (self.completed_agents(), self.anew_agents());
        // Whoever was in no state has nothing to keep but itself.
        let kept = self.kept + self.unstarted + self.ended;
        write!(
            f,
            "{extent}; {kept} kept, {completed} completed, {anew} anew"
        )?;
        if self.on_old_deadlines > 0 {
            write!(f, "; {} on old deadlines", self.on_old_deadlines)?;
        }
        let quarantined: usize = self.quarantined.iter().map(|group| group.count).sum();
        if quarantined > 0 {
            write!(f, "; {quarantined} quarantined")?;
        }
        let kinds = [
            (self.lost.timers, "timers"),
            (self.lost.history, "histories"),
            (self.lost.cooldowns, "cooldowns"),
            (self.lost.latches, "waiting transitions"),
            (self.lost.results, "results"),
            (self.lost.scratch, "scratch values"),
            (self.lost.events, "queued events"),
            (self.lost_letters as u64, "events under way"),
            (self.lost_variants as u64, "variants"),
            (self.lost_parameters as u64, "parameters"),
        ];
        let mut lost = kinds.iter().filter(|(count, _)| *count > 0);
        if let Some((count, kind)) = lost.next() {
            write!(f, "; lost: {count} {kind}")?;
            lost.try_for_each(|(count, kind)| write!(f, ", {count} {kind}"))?;
        }
        if let Some((first, others)) = self.lost_keys.split_first() {
            write!(f, "; no value any more: {first}")?;
            others.iter().try_for_each(|key| write!(f, ", {key}"))?;
        }
        Ok(())
    }
}
