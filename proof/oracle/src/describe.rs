//! Numbers in words, for reports of a difference; and how many of each there are.

use crate::model::{Delay, Target, Trigger};
use crate::oracle::Oracle;

/// How many numbers there are of each sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// States, the root included.
    pub states: usize,
    /// Regions.
    pub regions: usize,
    /// Transitions.
    pub transitions: usize,
    /// Timers that fire.
    pub timers: usize,
    /// History points.
    pub points: usize,
    /// Scratch declarations.
    pub scratch: usize,
}

impl Oracle {
    /// How many numbers there are of each sort.
    pub fn counts(&self) -> Counts {
        Counts {
            states: self.model.states.len(),
            regions: self.model.regions.len(),
            transitions: self.model.transitions.len(),
            timers: self.model.timers.len(),
            points: self.model.points.len(),
            scratch: self.model.scratch.len(),
        }
    }

    /// Whether a state is active.
    pub fn is_active(&self, state: usize) -> bool {
        self.active.contains(&state)
    }

    /// The path of a state: `/combat/fire`.
    pub fn state_path(&self, state: usize) -> String {
        let mut names: Vec<&str> = self
            .model
            .up(state)
            .filter(|&at| at != 0)
            .map(|at| self.model.states[at].name.as_str())
            .collect();
        names.reverse();
        format!("/{}", names.join("/"))
    }

    /// A transition in one line: number, source, trigger, priority, kind, targets.
    pub fn transition_line(&self, transition: usize) -> String {
        let record = &self.model.transitions[transition];
        let trigger = match record.trigger {
            Trigger::Event(event) => format!("on {}", self.model.events[event].name),
            Trigger::Any => "on *".to_owned(),
            Trigger::Timer(timer) => self.timer_line(timer),
            Trigger::Always => "always".to_owned(),
            Trigger::Done => "done".to_owned(),
            Trigger::Failed => "failed".to_owned(),
        };
        let target = |target: &Target| match *target {
            Target::State(state) => self.state_path(state),
            Target::Point(point) => format!(
                "point {point} of {}",
                self.state_path(self.model.points[point].owner)
            ),
        };
        let targets: Vec<String> = record.targets.iter().map(target).collect();
        format!(
            "{transition}: {} {trigger} p{} {:?}{} -> [{}]",
            self.state_path(record.source),
            record.priority,
            record.kind,
            if record.interrupt { " interrupt" } else { "" },
            targets.join(", ")
        )
    }

    /// A timer in words.
    pub fn timer_line(&self, timer: usize) -> String {
        let record = &self.model.timers[timer];
        let owner = record
            .owner
            .map_or_else(|| "the machine".to_owned(), |owner| self.state_path(owner));
        let kind = if record.every { "every" } else { "after" };
        match (&record.name, &record.after) {
            (_, Some(Delay::Ticks(ticks))) => format!("{kind} {ticks}t of {owner}"),
            (_, Some(Delay::Range(low, high))) => format!("{kind} {low}t..{high}t of {owner}"),
            (_, Some(Delay::Seconds(_))) => format!("{kind} a computed time of {owner}"),
            (name, None) => format!("timer {} of {owner}", name.as_deref().unwrap_or_default()),
        }
    }
}
